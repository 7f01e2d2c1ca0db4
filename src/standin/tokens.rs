//! Which event of the loop belongs to what: the kind in a token's low bits, its number above.

use mio::Token;

/// What a token stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The listening socket.
    Listener,
    /// Signals.
    Signals,
    /// A client.
    Connection(usize),
    /// The terminal of a pane.
    Terminal(u32),
    /// What a command prints.
    JobOutput(usize),
    /// What a command is fed.
    JobInput(usize),
}

const KINDS: usize = 8;

/// The token of the listening socket.
pub const LISTENER: Token = Token(0);
/// The token of signals.
pub const SIGNALS: Token = Token(1);

/// The token of a client.
pub fn connection(id: usize) -> Token {
    Token(id * KINDS + 2)
}

/// The token of a pane's terminal.
pub fn terminal(serial: u32) -> Token {
    Token(serial as usize * KINDS + 3)
}

/// The token of a command's output.
pub fn job_output(id: usize) -> Token {
    Token(id * KINDS + 4)
}

/// The token of a command's input.
pub fn job_input(id: usize) -> Token {
    Token(id * KINDS + 5)
}

/// What `token` stands for.
pub fn source(token: Token) -> Option<Source> {
    let number = token.0 / KINDS;
    Some(match token.0 % KINDS {
        0 => Source::Listener,
        1 => Source::Signals,
        2 => Source::Connection(number),
        3 => Source::Terminal(u32::try_from(number).ok()?),
        4 => Source::JobOutput(number),
        5 => Source::JobInput(number),
        _ => return None,
    })
}
