//! Edit's text to commands; one that ends inside a block or inside `a`, `c` or `i` is unfinished.

use crate::standin::address::Address;
use crate::standin::limits::EDIT_DEPTH;
use crate::standin::refusal::{Done, Refusal, refuse};
use crate::standin::scan::Scan;

/// A command with the address before it.
#[derive(Clone, Debug)]
pub struct Command {
    /// The range it works on; dot if nothing is said.
    pub address: Option<Address>,
    /// What it does.
    pub action: Action,
}

/// What a command does.
#[derive(Clone, Debug)]
pub enum Action {
    /// `a`: after the range
    Append(String),
    /// `c`
    Change(String),
    /// `i`: before the range
    Insert(String),
    /// `d`
    Delete,
    /// `s`: expression, replacement, which match, whether all from there on
    Substitute(String, String, usize, bool),
    /// `m`
    Move(Address),
    /// `t`
    Copy(Address),
    /// `p`
    Print,
    /// `=`, or `=#` for runes alone
    Where(bool),
    /// `k`
    Mark,
    /// `u`, by how many; backwards if positive
    Undo(i64),
    /// `x`, and `y` for what lies between the matches
    Loop(Option<String>, bool, Box<Command>),
    /// `g`, and `v` for where there is no match
    If(String, bool, Box<Command>),
    /// `X`, and `Y` for the files that do not match
    Files(Option<String>, bool, Box<Command>),
    /// `{ }`
    Block(Vec<Command>),
    /// `w e r f b B D`, and the name after it
    File(char, String),
    /// `n`
    Menu,
    /// `! < > |`, and the command after it
    Shell(char, String),
    /// Only an address: dot is set to it.
    Select,
}

/// Why a text is not a list of commands.
enum Stop {
    /// More of it may make it one.
    Unfinished,
    /// Nothing can.
    Bad(Refusal),
}

impl From<Refusal> for Stop {
    fn from(why: Refusal) -> Self {
        Stop::Bad(why)
    }
}

impl From<&'static str> for Stop {
    fn from(why: &'static str) -> Self {
        Stop::Bad(why.into())
    }
}

/// Parses a whole text, one command a line; nothing if it ends inside a command.
pub fn parse(text: &str) -> Done<Option<Vec<Command>>> {
    let mut scan = Scan::new(text);
    let mut commands = Vec::new();
    loop {
        scan.skip_space();
        if scan.is_done() {
            return Ok(Some(commands));
        }
        match command(&mut scan, 0) {
            Ok(command) => commands.push(command),
            Err(Stop::Unfinished) => return Ok(None),
            Err(Stop::Bad(why)) => return Err(why),
        }
        scan.skip_blanks();
        match scan.peek() {
            None | Some('\n') => {}
            Some('\r') => {
                scan.next();
            }
            Some(_) => return Err("newline expected after an Edit command".into()),
        }
    }
}

fn command(scan: &mut Scan, depth: usize) -> Result<Command, Stop> {
    if depth > EDIT_DEPTH {
        return Err(Stop::Bad(format!("Edit nests deeper than {EDIT_DEPTH}").into()));
    }
    scan.skip_blanks();
    let address = Address::scan(scan)?;
    scan.skip_blanks();
    let letter = match scan.peek() {
        None | Some('\n' | '}') if address.is_some() => {
            return Ok(Command { address, action: Action::Select });
        }
        None | Some('\n') => return Err("Edit command expected".into()),
        Some(letter) => letter,
    };
    scan.next();
    let action = action(scan, letter, depth)?;
    if address.is_some()
        && matches!(letter, 'u' | 'n' | 'b' | 'B' | 'D' | 'f' | 'X' | 'Y' | '!' | 'e')
    {
        return Err(Stop::Bad(format!("{letter} takes no address").into()));
    }
    Ok(Command { address, action })
}

fn action(scan: &mut Scan, letter: char, depth: usize) -> Result<Action, Stop> {
    Ok(match letter {
        'a' => Action::Append(text(scan)?),
        'c' => Action::Change(text(scan)?),
        'i' => Action::Insert(text(scan)?),
        'd' => Action::Delete,
        'p' => Action::Print,
        'k' => Action::Mark,
        '=' => Action::Where(scan.take('#')),
        's' => substitute(scan)?,
        'm' => Action::Move(destination(scan)?),
        't' => Action::Copy(destination(scan)?),
        'u' => Action::Undo(count(scan)),
        'x' | 'y' => {
            let pattern = optional_pattern(scan)?;
            if letter == 'y' && pattern.is_none() {
                return Err("y wants a regular expression".into());
            }
            Action::Loop(pattern, letter == 'y', Box::new(inner(scan, depth, true)?))
        }
        'g' | 'v' => {
            let pattern = optional_pattern(scan)?.ok_or("g and v want a regular expression")?;
            Action::If(pattern, letter == 'v', Box::new(inner(scan, depth, false)?))
        }
        'X' | 'Y' => {
            let pattern = optional_pattern(scan)?;
            if letter == 'Y' && pattern.is_none() {
                return Err("Y wants a regular expression".into());
            }
            Action::Files(pattern, letter == 'Y', Box::new(inner(scan, depth, true)?))
        }
        '{' => Action::Block(block(scan, depth)?),
        'w' | 'e' | 'r' | 'f' | 'b' | 'B' | 'D' => {
            if !matches!(scan.peek(), None | Some(' ' | '\t' | '\n' | '\r' | '}')) {
                return Err("blank expected before a file name".into());
            }
            Action::File(letter, scan.line().trim().to_string())
        }
        'n' => Action::Menu,
        '!' | '<' | '>' | '|' => Action::Shell(letter, scan.line().trim().to_string()),
        'q' => return Err("q is not served: close the pane".into()),
        other => return Err(unknown(other)),
    })
}

fn unknown(letter: char) -> Stop {
    let why: Done = refuse!("unknown Edit command {letter:?}");
    why.err().map_or(Stop::Unfinished, Stop::Bad)
}

/// The command of a loop or a condition; a loop's may be left out and prints then.
fn inner(scan: &mut Scan, depth: usize, optional: bool) -> Result<Command, Stop> {
    scan.skip_blanks();
    let none = matches!(scan.peek(), None | Some('\n' | '\r' | '}'));
    if none && optional {
        return Ok(Command { address: None, action: Action::Print });
    }
    command(scan, depth + 1)
}

fn block(scan: &mut Scan, depth: usize) -> Result<Vec<Command>, Stop> {
    let mut commands = Vec::new();
    loop {
        scan.skip_space();
        match scan.peek() {
            None => return Err(Stop::Unfinished),
            Some('}') => {
                scan.next();
                return Ok(commands);
            }
            Some(_) => commands.push(command(scan, depth + 1)?),
        }
        scan.skip_blanks();
        if !matches!(scan.peek(), None | Some('\n' | '\r' | '}')) {
            return Err("newline expected after an Edit command".into());
        }
    }
}

/// `/text/` on the line, or lines up to one that is a dot.
fn text(scan: &mut Scan) -> Result<String, Stop> {
    scan.skip_blanks();
    match scan.peek() {
        None => Err(Stop::Unfinished),
        Some('\n' | '\r') => {
            scan.line();
            lines(scan)
        }
        Some(delimiter) => {
            check_delimiter(delimiter)?;
            scan.next();
            Ok(delimited(scan, delimiter))
        }
    }
}

fn lines(scan: &mut Scan) -> Result<String, Stop> {
    let mut text = String::new();
    loop {
        if scan.is_done() {
            return Err(Stop::Unfinished);
        }
        let line = scan.line();
        if line.trim_end_matches('\r') == "." {
            return Ok(text);
        }
        text.push_str(&line);
        text.push('\n');
    }
}

/// Text up to its delimiter or the line's end, `\n` a newline and `\` before the delimiter gone.
fn delimited(scan: &mut Scan, delimiter: char) -> String {
    let mut text = String::new();
    while let Some(rune) = scan.peek() {
        if rune == '\n' {
            break;
        }
        scan.next();
        match rune {
            c if c == delimiter => break,
            '\\' => match scan.peek() {
                Some('n') => {
                    scan.next();
                    text.push('\n');
                }
                Some(c) if c == delimiter || c == '\\' => {
                    scan.next();
                    text.push(c);
                }
                _ => text.push('\\'),
            },
            c => text.push(c),
        }
    }
    text
}

fn substitute(scan: &mut Scan) -> Result<Action, Stop> {
    let which = scan.number().unwrap_or(1);
    if which == 0 {
        return Err("s counts matches from 1".into());
    }
    let delimiter = scan.peek().ok_or("s wants a regular expression")?;
    check_delimiter(delimiter)?;
    scan.next();
    let pattern = scan.pattern(delimiter);
    let replacement = replacement(scan, delimiter);
    let all = scan.take('g');
    Ok(Action::Substitute(pattern, replacement, which, all))
}

/// The replacement with its backslashes, which the substitution reads.
fn replacement(scan: &mut Scan, delimiter: char) -> String {
    let mut text = String::new();
    while let Some(rune) = scan.peek() {
        if rune == '\n' {
            break;
        }
        scan.next();
        match rune {
            c if c == delimiter => break,
            '\\' => match scan.peek() {
                Some(c) if c == delimiter => {
                    scan.next();
                    text.push(c);
                }
                Some('\n') | None => text.push_str("\\\\"),
                Some(c) => {
                    scan.next();
                    text.push('\\');
                    text.push(c);
                }
            },
            c => text.push(c),
        }
    }
    text
}

fn optional_pattern(scan: &mut Scan) -> Result<Option<String>, Stop> {
    match scan.peek() {
        None | Some(' ' | '\t' | '\n' | '\r' | '}') => Ok(None),
        Some(delimiter) => {
            check_delimiter(delimiter)?;
            scan.next();
            Ok(Some(scan.pattern(delimiter)))
        }
    }
}

fn destination(scan: &mut Scan) -> Result<Address, Stop> {
    scan.skip_blanks();
    Ok(Address::scan(scan)?.ok_or("m and t want an address")?)
}

fn count(scan: &mut Scan) -> i64 {
    scan.skip_blanks();
    let back = scan.take('-');
    let count = i64::try_from(scan.number().unwrap_or(1)).unwrap_or(i64::MAX);
    if back { -count } else { count }
}

fn check_delimiter(delimiter: char) -> Result<(), Stop> {
    if delimiter.is_alphanumeric() || delimiter == '\\' || delimiter.is_whitespace() {
        return Err(Stop::Bad(format!("{delimiter:?} is no delimiter").into()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whole_commands_parse() {
        for text in [
            "d",
            ",d",
            "a/x/",
            "a/x",
            "c//",
            "i/a\\/b/",
            "s/a/b/",
            "s2/a/b/g",
            "1,2m$",
            "1t0",
            "k",
            "p",
            "=",
            "=#",
            "u",
            "u -2",
            ",x/a/c/b/",
            ",x",
            ",y/a/d",
            ",x/a/g/b/d",
            "{\na/x/\ni/y/\n}",
            "{}",
            "{ d }",
            "a\nline\n.",
            "X/f/ ,d",
            "w",
            "w file",
            "b other",
            "n",
            "|sort",
            "/re/",
            "3",
            "d\nd",
            "\n\n",
        ] {
            assert!(parse(text).is_ok_and(|c| c.is_some()), "{text}");
        }
    }

    #[test]
    fn unfinished_commands_wait() {
        for text in ["{", "{\nd", "a", "a\nline", "a\nline\n", "{\na\nx\n.\n", ",x/a/ {"] {
            assert!(parse(text).unwrap().is_none(), "{text}");
        }
    }

    #[test]
    fn bad_commands_are_refused() {
        for text in
            ["z", "dd", "d x", "m", "y", "g d", "s", "sxaxbx", "wfile", "}", "s0/a/b/", "1u", "q"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
        let deep = ",x/a/".repeat(EDIT_DEPTH + 2);
        assert!(parse(&deep).is_err());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[a-z0-9/{},\\n\\\\.$#;&|<>=XY ]{0,40}") {
            let _ = parse(&text);
        }
    }
}
