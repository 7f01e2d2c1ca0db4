//! What an op may do at a level of isolation, judged before it runs, whatever its origin.

mod commands;
mod edit;
mod open;
mod wire;
mod words;

use thiserror::Error;

use super::{Latin1, Op, is_file_name};
use crate::wire::ROOT_FID;
use crate::wire::msg::OREAD;

pub use commands::{EDIT, check_commands};
pub use edit::{EDIT_BANNED, EditShape, edit_shape};
pub use wire::WireJudge;
pub use words::{data_words, is_denied_command, is_denied_program};

/// How far what an op asks for can get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The environment level: the target could touch the host, so nothing that it is told may.
    Confined,
    /// The kernel level holds the target and all that it starts, whatever they do: lines for shells,
    /// names of files, changes below the host's trees. What stays out is what would be taken for the
    /// target's own failure.
    Open,
}

/// Why an op is not run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// A change below a tree that serves the host's own files.
    #[error("refused by guard: {path:?} could change the host's files")]
    HostTree {
        /// The path that leads there.
        path: Latin1,
    },
    /// Data that may not go to that file.
    #[error("refused by guard: {fault} (written to {path:?})")]
    Data {
        /// The file.
        path: Latin1,
        /// What is wrong with the data.
        fault: Fault,
    },
    /// A restore op that is no plain Restore line.
    #[error("refused by guard: {data:?} is not Restore with at most one plain name")]
    Restore {
        /// The line.
        data: Latin1,
    },
    /// A host op whose name could lead out of the target's HOME.
    #[error("refused by guard: {name:?} is not one plain file name")]
    HostName {
        /// The name.
        name: Latin1,
    },
    /// A script of raw messages that asks for too much, or for what cannot be judged.
    #[error("refused by guard: {why}")]
    Wire {
        /// What is wrong with it.
        why: &'static str,
    },
}

/// What is wrong with data.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// A byte outside the safe alphabet, or one that an Edit command may not hold there.
    #[error("byte {0:#04x} could reach a shell or name a file elsewhere")]
    Byte(u8),
    /// A word that is never sent.
    #[error("the word {0:?} is never sent")]
    Word(String),
    /// A piece whose end the next piece could turn into something that is not allowed.
    #[error("the piece ends inside {0:?}, which another piece could complete")]
    Unfinished(String),
    /// A look that is no plain name with an address.
    #[error("a look line must be a plain name, then perhaps \":\" and an address")]
    Look,
}

/// What may be written to a file at the environment level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataRule {
    /// Any bytes: sam addresses, which reach no shell and no file.
    Free,
    /// Command lines: the safe alphabet, or Edit with a command of the safe grammar.
    Commands,
    /// Plain names, dots among them, and after the first colon an address.
    Look,
    /// The safe alphabet and the tokens of live references.
    Focus,
    /// What a shell reads, a byte at a time or a line: as `Plain`, and no denied word's beginning
    /// may stand at the end, since the shell joins what separate writes typed.
    Typed,
    /// The safe alphabet.
    Plain,
}

/// Judges one op; the tokens in it may be resolved or not. An `hwrite` passes here, because only
/// its handle knows the file: whoever runs it asks [`guard_data`].
pub fn guard(op: &Op, reach: Reach) -> Result<(), Refusal> {
    match (op, reach) {
        (Op::Seq { ops } | Op::Second { ops }, _) => ops.iter().try_for_each(|op| guard(op, reach)),
        (Op::Wire { steps }, _) => wire::guard_wire(steps, ROOT_FID, reach),
        (_, Reach::Confined) => guard_host_tree(op).and_then(|()| guard_confined(op)),
        (_, Reach::Open) => guard_confined(op).or_else(|_| open::guard_open(op)),
    }
}

/// Whether `op` holds what may reach a shell or a file of the host's by what it says: what is
/// allowed at [`Reach::Open`] alone. A change below the host's trees does not make it so: whether it
/// was taken is for its answer to say.
pub fn is_wild(op: &Op) -> bool {
    match op {
        Op::Seq { ops } | Op::Second { ops } => ops.iter().any(is_wild),
        Op::Wire { steps } => wire::guard_wire(steps, ROOT_FID, Reach::Confined).is_err(),
        _ => guard_confined(op).is_err(),
    }
}

/// What an op says, judged for a target that nothing holds.
fn guard_confined(op: &Op) -> Result<(), Refusal> {
    match op {
        Op::Write { path, data, stop_on_error, .. } => {
            // Past a refused piece, what a server keeps of the line that it began is not known.
            let rule = match data_rule(path) {
                DataRule::Commands if !stop_on_error => DataRule::Plain,
                rule => rule,
            };
            in_file(path, check_data(rule, data, Joined::Whole))
        }
        Op::Restore { data } => guard_restore(data),
        Op::Host { name, .. } if !is_file_name(name) => {
            Err(Refusal::HostName { name: name.clone() })
        }
        Op::Host { name, data: Some(data), .. } => {
            in_file(name, check_data(DataRule::Plain, data, Joined::Whole))
        }
        _ => Ok(()),
    }
}

/// Judges what one request of several writes to a file that is held open.
///
/// Pieces are judged one by one, and no piece knows the ones before it. They cannot join into what
/// would have been refused whole, because in a file of command lines
/// - a piece's first line may end a line that another piece began, so it must be of the safe
///   alphabet even where an Edit line alone might hold more: no shell character is ever appended
///   to a line that is not Edit's;
/// - a piece's unended last line may be continued, so it must be of the safe alphabet, and neither
///   an Edit line nor the beginning of `Edit` or of a denied word: what is appended to is a plain
///   command line, and its first word is one that was judged or that stands in no list.
///
/// Elsewhere every byte is judged by itself, except words, and a shell's line editing could build
/// one of those from pieces that hold none of it: the environment level does not stop that.
pub fn guard_data(path: &[u8], data: &[u8], reach: Reach) -> Result<(), Refusal> {
    let confined = in_file(path, check_data(data_rule(path), data, Joined::Piece));
    match reach {
        Reach::Confined => confined,
        Reach::Open => confined.or_else(|_| in_file(path, open::check_open(data))),
    }
}

/// Whether data reaches the file at once, or as pieces of which some may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined {
    /// All of it, in order, up to the first refusal, on a fid of its own.
    Whole,
    /// Some other piece may have come before, and another may follow.
    Piece,
}

/// What may be written to the file at `path`, by where it stands in the tree.
pub fn data_rule(path: &[u8]) -> DataRule {
    let parts: Vec<&[u8]> = elements(path).collect();
    match parts.as_slice() {
        [b"pane", serial, b"addr" | b"dot" | b"limit" | b"sel"] if !is_dots(serial) => {
            DataRule::Free
        }
        [b"ctl" | b"exec" | b"tagexec"] => DataRule::Commands,
        [b"pane" | b"col", number, b"ctl" | b"exec" | b"tagexec"] if !is_dots(number) => {
            DataRule::Commands
        }
        [b"look"] => DataRule::Look,
        [b"pane", serial, b"look"] if !is_dots(serial) => DataRule::Look,
        [.., b"focus"] => DataRule::Focus,
        [.., b"run" | b"data"] if parts.contains(&b"pty".as_slice()) => DataRule::Typed,
        // A command file by a name that is not its own, through ".." or one yet unknown: no Edit,
        // and the words are denied anywhere in the data.
        _ => DataRule::Plain,
    }
}

/// Whether a byte is no path or shell metacharacter.
pub fn is_safe(byte: u8) -> bool {
    SAFE[usize::from(byte)]
}

/// By table: every byte that is written is looked up at least once.
const SAFE: [bool; 256] = {
    let mut safe = [true; 256];
    let unsafe_bytes = br#"/~$`;|&<>.\*?![]{}'""#;
    let mut at = 0;
    while at < unsafe_bytes.len() {
        safe[unsafe_bytes[at] as usize] = false;
        at += 1;
    }
    safe
};

/// Judges data by a file's rule.
pub fn check_data(rule: DataRule, data: &[u8], joined: Joined) -> Result<(), Fault> {
    match rule {
        DataRule::Free => return Ok(()),
        DataRule::Commands => return check_commands(data, joined),
        DataRule::Look => data.split(|&b| b == b'\n').try_for_each(check_look_line)?,
        DataRule::Focus => all_safe(&without_tokens(data))?,
        DataRule::Typed => {
            all_safe(data)?;
            words::no_program_begun(data)?;
        }
        DataRule::Plain => all_safe(data)?,
    }
    // A shell knows none of the editor's commands.
    let denied = |word: &&[u8]| {
        is_denied_program(word) || rule != DataRule::Typed && is_denied_command(word)
    };
    match data_words(data).find(denied) {
        Some(word) => Err(Fault::Word(String::from_utf8_lossy(word).into())),
        None => Ok(()),
    }
}

fn all_safe(data: &[u8]) -> Result<(), Fault> {
    match data.iter().find(|&&byte| !is_safe(byte)) {
        Some(&byte) => Err(Fault::Byte(byte)),
        None => Ok(()),
    }
}

/// A name may hold dots (the fixtures' names do) but not lead upwards; an address may hold a
/// regular expression. Two slashes after the colon would make a URL of it.
fn check_look_line(line: &[u8]) -> Result<(), Fault> {
    let colon = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
    let (name, rest) = line.split_at(colon);
    let plain_name = name.iter().all(|&byte| is_safe(byte) || byte == b'.');
    if !plain_name || name.windows(2).any(|two| two == b"..") {
        return Err(Fault::Look);
    }
    let Some(address) = rest.strip_prefix(b":") else {
        return Ok(());
    };
    let harmless = all_safe(address).is_ok() || edit::is_address(address);
    if harmless && !address.starts_with(b"//") { Ok(()) } else { Err(Fault::Look) }
}

/// The data with each `{p3}`, `{g3}` and `{c3}` taken out.
fn without_tokens(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    let mut rest = data;
    while let Some((&byte, tail)) = rest.split_first() {
        match token_length(rest) {
            Some(length) => rest = &rest[length..],
            None => {
                out.push(byte);
                rest = tail;
            }
        }
    }
    out
}

fn token_length(data: &[u8]) -> Option<usize> {
    let [b'{', b'p' | b'g' | b'c', rest @ ..] = data else {
        return None;
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0 && rest.get(digits) == Some(&b'}')).then_some(digits + 3)
}

/// Nothing mutating below the trees that serve the host's own files.
fn guard_host_tree(op: &Op) -> Result<(), Refusal> {
    let path = match op {
        Op::Write { path, .. } | Op::Remove { path } => path.clone(),
        Op::Read { path, mode, .. } | Op::Hold { path, mode, .. } if *mode != OREAD => path.clone(),
        Op::Create { path, name, .. } => Latin1([path, b"/".as_slice(), name].concat()),
        _ => return Ok(()),
    };
    if leads_to_host(&path) { Err(Refusal::HostTree { path }) } else { Ok(()) }
}

/// Whether a path could name something in the host's trees, `/os` and `/src`. Where it goes up at all, wherever a
/// server takes that to lead, either tree's name counts at any depth.
pub fn leads_to_host(path: &[u8]) -> bool {
    let is_host = |element: &[u8]| element == b"os" || element == b"src";
    if elements(path).any(|element| element == b"..") {
        return elements(path).any(is_host);
    }
    elements(path).find(|&element| element != b".").is_some_and(is_host)
}

fn elements(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|&byte| byte == b'/').filter(|element| !element.is_empty())
}

fn is_dots(element: &[u8]) -> bool {
    element == b"." || element == b".."
}

/// `Restore`, then at most one plain name: only this op expects the server to hang up.
fn guard_restore(data: &Latin1) -> Result<(), Refusal> {
    let line = data.strip_suffix(b"\n").unwrap_or(data);
    let name = match line.strip_prefix(b"Restore") {
        Some(b"") => return Ok(()),
        Some(rest) => rest.strip_prefix(b" ").unwrap_or(b"/"),
        None => b"/",
    };
    let plain = name.iter().all(|&byte| is_safe(byte) && byte != b'\n');
    if plain { Ok(()) } else { Err(Refusal::Restore { data: data.clone() }) }
}

fn in_file(path: &[u8], judged: Result<(), Fault>) -> Result<(), Refusal> {
    judged.map_err(|fault| Refusal::Data { path: path.into(), fault })
}
