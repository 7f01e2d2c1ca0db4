//! Payloads: mostly what the file takes, sometimes of any kind, sometimes changed afterwards.

use super::draw::{Draw, from_table};
use super::{edit, place};
use crate::input::path::{ColumnFile, PaneFile, Path, RootFile};
use crate::input::payload::{
    Action, Base, Command, CommandLine, Ending, EventFlag, EventRecord, EventText, Fill, Flag,
    Focus, Follow, LookLine, LookName, LookSuffix, Mutation, Offset, Origin, Payload, Piece,
    PtyControl, ShellLine, Size, Text, TextBody, TypedEnd,
};
use crate::input::weights::percent;
use crate::input::words::{Builtin, FileName, Odd, Rune, ShellWords, Word};

/// What a file takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Suit {
    Address,
    Commands,
    PtyControl,
    Run,
    Typed,
    Event,
    Focus,
    Flag,
    Follow,
    Look,
    Text,
}

impl Suit {
    const ALL: &'static [Suit] = &[
        Suit::Address,
        Suit::Commands,
        Suit::PtyControl,
        Suit::Run,
        Suit::Typed,
        Suit::Event,
        Suit::Focus,
        Suit::Flag,
        Suit::Follow,
        Suit::Look,
        Suit::Text,
    ];

    /// By the file's place in the tree.
    pub fn of(path: &Path) -> Suit {
        match path {
            Path::File { file, .. } => match file {
                PaneFile::Addr | PaneFile::Dot | PaneFile::Limit | PaneFile::Sel => Suit::Address,
                PaneFile::Ctl | PaneFile::Exec | PaneFile::Tagexec => Suit::Commands,
                PaneFile::PtyCtl => Suit::PtyControl,
                PaneFile::PtyRun => Suit::Run,
                PaneFile::PtyData => Suit::Typed,
                PaneFile::Event => Suit::Event,
                PaneFile::Look => Suit::Look,
                PaneFile::Dirty | PaneFile::Mark | PaneFile::Scroll => Suit::Flag,
                _ => Suit::Text,
            },
            Path::Root(file) => match file {
                RootFile::Ctl | RootFile::Exec | RootFile::Tagexec => Suit::Commands,
                RootFile::Look => Suit::Look,
                RootFile::Focus => Suit::Focus,
                RootFile::Log => Suit::Follow,
                _ => Suit::Text,
            },
            Path::ColumnFile { file: ColumnFile::Ctl | ColumnFile::Exec, .. } => Suit::Commands,
            _ => Suit::Text,
        }
    }
}

/// A payload for a file that takes `suit`.
pub fn payload(draw: &mut Draw, suit: Suit) -> Payload {
    let suit = match draw.percent(percent::ANY_PAYLOAD) {
        false => suit,
        true if draw.percent(percent::ANY_TEXT) => Suit::Text,
        true => draw.pick(Suit::ALL),
    };
    let base = base(draw, suit);
    let share = match &base {
        Base::Edit(_) => percent::MUTATED_EDIT,
        Base::Address(_) => percent::MUTATED_ADDRESS,
        Base::Commands(_) => percent::MUTATED_COMMAND,
        Base::Event(_) => percent::MUTATED_EVENT,
        _ => percent::MUTATED_OTHER,
    };
    let mut edits = Vec::new();
    if draw.percent(share) {
        edits.push(mutation(draw));
        edits.extend(draw.several(2, mutation));
    }
    Payload { base, edits }
}

fn base(draw: &mut Draw, suit: Suit) -> Base {
    match suit {
        Suit::Address => Base::Address(edit::address(draw)),
        Suit::Commands if draw.percent(percent::EDIT_LINE) => Base::Edit(edit::command(draw)),
        Suit::Commands => {
            let mut lines = vec![command_line(draw)];
            if draw.percent(percent::MORE_LINES) {
                lines.extend(draw.several(2, command_line));
            }
            if draw.percent(percent::MESSAGE_FIRST) {
                lines.insert(0, message(draw));
            }
            Base::Commands(lines)
        }
        Suit::PtyControl => Base::PtyControl(from_table!(draw, PtyControl)),
        Suit::Run => Base::Shell(shell_line(draw, &[TypedEnd::Newline])),
        Suit::Typed => Base::Shell(shell_line(draw, TypedEnd::ALL)),
        Suit::Event => Base::Event(event_record(draw)),
        Suit::Focus => Base::Focus(Focus { pane: place::pane(draw), ended: draw.coin() }),
        Suit::Flag => Base::Flag(from_table!(draw, Flag)),
        Suit::Follow => Base::Follow(from_table!(draw, Follow)),
        Suit::Look => Base::Look(look_line(draw)),
        Suit::Text => Base::Text(text(draw)),
    }
}

/// Text of any kind, at times very long.
pub fn text(draw: &mut Draw) -> Text {
    let shares = [percent::WORD, percent::ODD, percent::REPEAT, percent::SIZED, percent::RUNES];
    let body = match draw.share(&shares) {
        0 => TextBody::Word(from_table!(draw, Word)),
        1 => TextBody::Odd(draw.several(12, piece)),
        2 => TextBody::Repeat {
            word: from_table!(draw, Word),
            times: 100 + draw.below(19_900) as u16,
        },
        3 => {
            let fill = match draw.below(4) {
                0..=1 => Fill::Letter,
                2 => Fill::Lines,
                _ => Fill::Rune(from_table!(draw, Rune)),
            };
            TextBody::Sized { fill, size: from_table!(draw, Size) }
        }
        4 => return runes(draw),
        _ => TextBody::Raw(crate::input::bytes::Bytes(draw.several(40, Draw::byte))),
    };
    Text { body, end: ending(draw, percent::ENDED) }
}

pub fn runes(draw: &mut Draw) -> Text {
    let body = TextBody::Runes(draw.several(20, |draw| from_table!(draw, Rune)));
    Text { body, end: ending(draw, percent::ENDED) }
}

pub fn command_line(draw: &mut Draw) -> CommandLine {
    let builtin = from_table!(draw, Builtin);
    let command = match draw.share(&percent::COMMANDS) {
        0 => Command::Bare(builtin),
        1 => Command::With { builtin, word: from_table!(draw, Word) },
        2 => Command::Argument { builtin, argument: edit::text(draw).0 },
        3 => Command::Word(from_table!(draw, Word)),
        4 => Command::Shell(shell_line(draw, &[TypedEnd::Nothing])),
        _ => Command::Raw(edit::text(draw).0),
    };
    CommandLine { command, end: ending(draw, percent::LINE_ENDED) }
}

/// A line that logs a word.
fn message(draw: &mut Draw) -> CommandLine {
    let builtin = Builtin::of(&&b"Msg"[..]).unwrap_or(Builtin(0));
    let command = Command::With { builtin, word: from_table!(draw, Word) };
    CommandLine { command, end: Ending::Newline }
}

pub fn shell_line(draw: &mut Draw, ends: &[TypedEnd]) -> ShellLine {
    ShellLine { words: from_table!(draw, ShellWords), end: draw.pick(ends) }
}

fn look_line(draw: &mut Draw) -> LookLine {
    let name = if draw.percent(percent::LOOK_FILE) {
        LookName::File(from_table!(draw, FileName))
    } else {
        LookName::Word(from_table!(draw, Word))
    };
    LookLine { name, suffix: from_table!(draw, LookSuffix), end: ending(draw, percent::LINE_ENDED) }
}

fn event_record(draw: &mut Draw) -> EventRecord {
    let text = match draw.below(8) {
        0 => EventText::Empty,
        1..=2 => EventText::Word(from_table!(draw, Word)),
        3..=4 => EventText::Builtin(from_table!(draw, Builtin)),
        _ => EventText::Raw(edit::text(draw).0),
    };
    EventRecord {
        origin: from_table!(draw, Origin),
        action: from_table!(draw, Action),
        start: from_table!(draw, Offset),
        end: from_table!(draw, Offset),
        flag: from_table!(draw, EventFlag),
        text,
        lie: draw.percent(percent::EVENT_LIE).then(|| from_table!(draw, Offset)),
        ended: draw.percent(percent::EVENT_ENDED),
    }
}

fn piece(draw: &mut Draw) -> Piece {
    match draw.below(14) {
        0..=4 => Piece::Word(from_table!(draw, Word)),
        5..=6 => Piece::Rune(from_table!(draw, Rune)),
        7..=8 => Piece::Odd(from_table!(draw, Odd)),
        9 => Piece::Byte(draw.byte()),
        _ => Piece::Space,
    }
}

fn mutation(draw: &mut Draw) -> Mutation {
    let at = draw.below(256) as u16;
    match draw.below(10) {
        0..=2 => Mutation::Delete { at },
        3..=4 => Mutation::InsertOdd { at, odd: from_table!(draw, Odd) },
        5..=6 => Mutation::Duplicate { at, length: draw.below(200) as u16 },
        7..=8 => Mutation::InsertRune { at, rune: from_table!(draw, Rune) },
        _ => Mutation::InsertByte { at, byte: draw.byte() },
    }
}

/// An end of line in that share of cases, mostly the plain one.
fn ending(draw: &mut Draw, share: u32) -> Ending {
    match draw.percent(share) {
        true => draw.pick(&[Ending::Newline, Ending::Newline, Ending::CrLf, Ending::BlankLine]),
        false => Ending::Nothing,
    }
}
