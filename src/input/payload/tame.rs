//! The sanitizer behind every payload: what a file's rule forbids is taken out.

use crate::ops::{
    DataRule, EDIT, EDIT_BANNED, Joined, check_data, data_words, edit_shape, is_denied_command,
    is_denied_program, is_safe,
};

/// Data that passes the rule: unchanged if it does already. The guard judges it again when it is
/// written; that it never has cause to refuse is for the tests to say.
pub fn tame(rule: DataRule, data: Vec<u8>, joined: Joined) -> Vec<u8> {
    if check_data(rule, &data, joined).is_ok() {
        return data;
    }
    let lines: Vec<Vec<u8>> =
        data.split(|&b| b == b'\n').map(|line| tame_line(rule, line)).collect();
    let mut data = without_denied_words(&lines.join(&b'\n'));
    if joined == Joined::Piece && rule == DataRule::Commands && data.starts_with(EDIT) {
        // It must be seen to begin where a line does.
        data.insert(0, b'\n');
    }
    if check_data(rule, &data, joined).is_err() {
        // Only the end is left to be wrong: a word that another piece could complete.
        data.push(b'\n');
    }
    data
}

fn tame_line(rule: DataRule, line: &[u8]) -> Vec<u8> {
    let follows_rule = match rule {
        DataRule::Free => true,
        DataRule::Look => check_data(rule, line, Joined::Whole).is_ok(),
        DataRule::Commands => {
            line.strip_prefix(EDIT).is_some_and(|edit| edit_shape(edit).is_some())
        }
        DataRule::Focus | DataRule::Typed | DataRule::Plain => false,
    };
    if follows_rule {
        return line.to_vec();
    }
    if rule == DataRule::Commands && line.starts_with(EDIT) {
        return line.iter().copied().filter(|byte| !EDIT_BANNED.contains(byte)).collect();
    }
    let safe: Vec<u8> = line.iter().copied().filter(|&byte| is_safe(byte)).collect();
    match rule == DataRule::Commands && safe.starts_with(EDIT) {
        // It has become an Edit line.
        true => safe.into_iter().filter(|byte| !EDIT_BANNED.contains(byte)).collect(),
        false => safe,
    }
}

/// The data with each denied word shortened until it is none.
fn without_denied_words(data: &[u8]) -> Vec<u8> {
    let denied = |word: &[u8]| is_denied_command(word) || is_denied_program(word);
    if !data_words(data).any(denied) {
        return data.to_vec();
    }
    let mut out = Vec::with_capacity(data.len());
    for part in data.split_inclusive(|byte| !byte.is_ascii_alphanumeric()) {
        let length = data_words(part).next().map_or(0, <[u8]>::len);
        let kept = (0..=length).rev().find(|&kept| !denied(&part[..kept])).unwrap_or(0);
        out.extend_from_slice(&part[..kept]);
        out.extend_from_slice(&part[length..]);
    }
    out
}
