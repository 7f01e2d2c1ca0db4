//! The rule where the sandbox holds whatever happens: what is not sent even then.

use super::words::data_words;
use super::{Fault, Op, Refusal, in_file};

/// A command that makes the server hang every connection up: an op of its own expects that.
const RESTORE: &[u8] = b"Restore";
/// Programs that signal others.
const SIGNALLERS: [&[u8]; 6] = [b"kill", b"killall", b"killall5", b"pkill", b"skill", b"xkill"];
/// What may follow a program that signals: signals that no process sends itself by its own fault, and
/// what is no signal. By another, a target that a shell has killed looks like one that crashed.
const SIGNALS: [&[u8]; 22] = [
    b"-9", b"-KILL", b"-15", b"-TERM", b"-1", b"-HUP", b"-2", b"-INT", b"-19", b"-STOP", b"-18",
    b"-CONT", b"-13", b"-PIPE", b"-14", b"-ALRM", b"-10", b"-USR1", b"-12", b"-USR2", b"-0", b"--",
];

/// Judges an op that is refused where nothing holds the target. A file of HOME is written by this
/// program itself, and a restore is told from a drop by its line: those stay as they are.
pub fn guard_open(op: &Op) -> Result<(), Refusal> {
    match op {
        Op::Write { path, data, .. } => in_file(path, check_open(data)),
        Op::Host { name, data: Some(_), .. } if super::is_file_name(name) => Ok(()),
        _ => super::guard_confined(op),
    }
}

/// Judges data for any file.
pub fn check_open(data: &[u8]) -> Result<(), Fault> {
    if data_words(data).any(|word| word == RESTORE) {
        return Err(Fault::Word(String::from_utf8_lossy(RESTORE).into()));
    }
    match data.split(|&byte| byte == b'\n').find_map(wrong_signal) {
        Some(word) => Err(Fault::Word(String::from_utf8_lossy(word).into())),
        None => Ok(()),
    }
}

/// The argument of a program that signals, if it may name a signal that is not to be sent.
fn wrong_signal(line: &[u8]) -> Option<&[u8]> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        let signals = data_words(word).last().is_some_and(|word| SIGNALLERS.contains(&word));
        let argument = words.peek().filter(|argument| signals && argument.starts_with(b"-"));
        if let Some(argument) = argument.filter(|argument| !SIGNALS.contains(argument)) {
            return Some(argument);
        }
    }
    None
}
