//! The rule for files of command lines: plain lines, and Edit lines of the safe grammar.

use super::words::{
    begins_command, data_words, is_denied_command, is_denied_program, no_program_begun,
};
use super::{EDIT_BANNED, EditShape, Fault, Joined, all_safe, edit_shape, is_safe};

/// How an Edit line begins.
pub const EDIT: &[u8] = b"Edit ";

/// Judges command lines.
pub fn check_commands(data: &[u8], joined: Joined) -> Result<(), Fault> {
    let mut block = Block::None;
    for (index, line) in data.split(|&byte| byte == b'\n').enumerate() {
        if block.holds(line) {
            continue;
        }
        block = check_line(line)?;
        if joined == Joined::Piece && index == 0 {
            // It may end a line that an earlier piece began, and then it is not Edit's.
            all_safe(line)?;
            block = Block::None;
        }
    }
    if let Some(word) = data_words(data).find(|word| is_denied_program(word)) {
        return Err(Fault::Word(String::from_utf8_lossy(word).into()));
    }
    if joined == Joined::Piece { check_tail(data) } else { Ok(()) }
}

/// The several lines that an Edit command may take after its first.
#[derive(Clone, Copy, PartialEq)]
enum Block {
    None,
    /// Text, up to a line that is a single dot. Its lines are judged as commands all the same.
    Text,
    /// Commands in braces.
    Group,
}

impl Block {
    /// Whether `line` is one that only this block may hold. A server that takes it for a command
    /// line finds no metacharacter but slashes within a relative name, a lone dot or a brace.
    fn holds(&mut self, line: &[u8]) -> bool {
        let line = line.trim_ascii();
        match self {
            Block::None => false,
            Block::Text if line == b"." => {
                *self = Block::None;
                true
            }
            Block::Text => is_plain_text_line(line),
            Block::Group if line == b"}" => {
                *self = Block::None;
                true
            }
            Block::Group => is_group_line(line),
        }
    }
}

fn is_plain_text_line(line: &[u8]) -> bool {
    line.iter().all(|&byte| is_safe(byte))
        && !line.starts_with(EDIT)
        && !data_words(line).any(is_denied_command)
}

/// A line number or none, then a deletion, or text in slashes to be put in.
fn is_group_line(line: &[u8]) -> bool {
    let number = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match &line[number..] {
        [b'd'] => true,
        [b'a' | b'c' | b'i', b'/', text @ .., b'/'] => is_plain_text_line(text),
        _ => false,
    }
}

fn check_line(line: &[u8]) -> Result<Block, Fault> {
    if let Some(command) = line.strip_prefix(EDIT) {
        return match edit_shape(command) {
            Some(EditShape::Line) => Ok(Block::None),
            Some(EditShape::Text) => Ok(Block::Text),
            Some(EditShape::Group) => Ok(Block::Group),
            None => match command.iter().find(|byte| EDIT_BANNED.contains(byte)) {
                Some(&byte) => Err(Fault::Byte(byte)),
                None => Ok(Block::None),
            },
        };
    }
    all_safe(line)?;
    match data_words(line).next().filter(|word| is_denied_command(word)) {
        Some(word) => Err(Fault::Word(String::from_utf8_lossy(word).into())),
        None => Ok(Block::None),
    }
}

/// An unended last line may be continued by the next piece.
fn check_tail(data: &[u8]) -> Result<(), Fault> {
    let last = data.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    all_safe(last)?;
    let first_word = data_words(last).next().unwrap_or_default();
    let goes_on = last.ends_with(first_word) || first_word == b"Edit";
    if goes_on && begins_command(first_word) {
        return Err(Fault::Unfinished(String::from_utf8_lossy(first_word).into()));
    }
    no_program_begun(last)
}
