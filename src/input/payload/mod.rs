//! What is written to files: a typed payload, perhaps mutated, rendered to bytes that may go there.

mod address;
mod command;
mod edit;
mod event;
mod line;
mod mutate;
mod open;
mod out;
mod regex;
mod tame;
mod text;

use super::path::PaneRef;
use crate::ops::{DataRule, Joined};
use tame::tame;

pub use address::{Address, Join, SimpleAddress, Term};
pub use command::{Command, CommandLine};
pub use edit::{
    BlockVerb, Copying, EditCommand, EditText, GroupLine, Loop, LoopKind, SimpleVerb, Verb,
};
pub use event::{Action, EventFlag, EventRecord, EventText, Offset, Origin};
pub use line::{Flag, Follow, LookLine, LookName, LookSuffix, PtyControl, ShellLine, TypedEnd};
pub use mutate::Mutation;
pub use open::{
    EditName, FileVerb, Joint, OpenEdit, OpenLine, OpenVerb, OpenWords, Redirection, ShellPart,
    ShellVerb, Wrap,
};
pub use out::{MAX_DATA_BYTES, Out};
pub use regex::{Regex, RegexPart, Special};
pub use text::{Ending, Fill, Piece, Size, Text, TextBody};

vocabulary! {
    /// What one op writes.
    pub struct Payload {
        /// What it is before it is mutated.
        pub base: Base,
        /// What is done to it; mostly nothing.
        pub edits: Vec<Mutation>,
    }

    /// A payload of a kind that some file takes.
    pub enum Base {
        /// Words, odd bytes, runes, or very many of them.
        Text(text: Text),
        /// An address of sam's.
        Address(address: Address),
        /// An Edit line.
        Edit(command: EditCommand),
        /// Lines for a ctl or an exec.
        Commands(lines: Vec<CommandLine>),
        /// A line for a pty's ctl.
        PtyControl(line: PtyControl),
        /// An event record.
        Event(record: EventRecord),
        /// A line for a shell.
        Shell(line: ShellLine),
        /// Which pane has the focus.
        Focus(focus: Focus),
        /// A truth value, or almost one.
        Flag(flag: Flag),
        /// A line for the log.
        Follow(line: Follow),
        /// A line for look.
        Look(line: LookLine),
    }

    /// A pane to focus.
    pub struct Focus {
        /// The pane.
        pub pane: PaneRef,
        /// Whether the line is ended.
        pub ended: bool,
    }
}

/// The kinds of payload, for tables and tests of what occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the variants are those of `Base` and of `TextBody`")]
pub enum PayloadKind {
    Word,
    Odd,
    Runes,
    Raw,
    Repeat,
    Sized,
    Address,
    Edit,
    Commands,
    PtyControl,
    Event,
    Shell,
    Focus,
    Flag,
    Follow,
    Look,
}

impl PayloadKind {
    /// Every kind.
    pub const ALL: &'static [PayloadKind] = &[
        PayloadKind::Word,
        PayloadKind::Odd,
        PayloadKind::Runes,
        PayloadKind::Raw,
        PayloadKind::Repeat,
        PayloadKind::Sized,
        PayloadKind::Address,
        PayloadKind::Edit,
        PayloadKind::Commands,
        PayloadKind::PtyControl,
        PayloadKind::Event,
        PayloadKind::Shell,
        PayloadKind::Focus,
        PayloadKind::Flag,
        PayloadKind::Follow,
        PayloadKind::Look,
    ];
}

/// What `put` renders within `room`, made such that a file with that rule may take it.
pub fn fit(rule: DataRule, room: usize, put: impl FnOnce(&mut Out)) -> Vec<u8> {
    let mut out = Out::new(room);
    put(&mut out);
    tame(rule, out.into_bytes(), Joined::Whole)
}

impl Payload {
    /// A payload that is not mutated.
    pub fn plain(base: Base) -> Payload {
        Payload { base, edits: Vec::new() }
    }

    /// The bytes within `room`, made such that a file with that rule may take them.
    pub fn render(&self, rule: DataRule, joined: Joined, room: usize) -> Vec<u8> {
        let mut out = Out::new(room);
        self.base.put(&mut out);
        let limit = out.limit();
        tame(rule, mutate::apply(out.into_bytes(), &self.edits, limit), joined)
    }
}

impl Base {
    /// Which kind this is.
    pub fn kind(&self) -> PayloadKind {
        match self {
            Base::Text(text) => text.kind(),
            Base::Address(_) => PayloadKind::Address,
            Base::Edit(_) => PayloadKind::Edit,
            Base::Commands(_) => PayloadKind::Commands,
            Base::PtyControl(_) => PayloadKind::PtyControl,
            Base::Event(_) => PayloadKind::Event,
            Base::Shell(_) => PayloadKind::Shell,
            Base::Focus(_) => PayloadKind::Focus,
            Base::Flag(_) => PayloadKind::Flag,
            Base::Follow(_) => PayloadKind::Follow,
            Base::Look(_) => PayloadKind::Look,
        }
    }

    pub(in crate::input) fn put(&self, out: &mut Out) {
        match self {
            Base::Text(text) => text.put(out),
            Base::Address(address) => address.put(out),
            Base::Edit(command) => command.put_line(out),
            Base::Commands(lines) => lines.iter().for_each(|line| line.put(out)),
            Base::PtyControl(line) => out.put(line.value()),
            Base::Event(record) => record.put(out),
            Base::Shell(line) => line.put(out),
            Base::Focus(Focus { pane, ended }) => {
                out.put(pane.render().as_bytes());
                out.put(if *ended { b"\n" } else { b"" });
            }
            Base::Flag(flag) => out.put(flag.value()),
            Base::Follow(line) => out.put(line.value()),
            Base::Look(line) => line.put(out),
        }
    }
}
