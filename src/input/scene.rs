//! Scenes: steps of several ops whose answers can be held against one another.

use super::parts::{Chunking, Count, LineFile, Mode, NewPane, Slot};
use super::path::{PaneRef, Path, pane_file};
use super::payload::{EditCommand, Payload, Text, fit};
use super::render::{handle, hold, new_pane, write, write_text};
use crate::ops::{Chunks, DataRule, Op, data_rule};
use crate::wire::msg::{ORDWR, OREAD, OTRUNC, OWRITE};

vocabulary! {
    /// Text written to a body, which is then read.
    pub struct Kept {
        /// Whose body.
        pub pane: PaneRef,
        /// The text.
        pub text: Text,
        /// Cut how: inside of runes, say.
        pub chunks: Chunking,
    }

    /// Changes of a body, which is read after each.
    pub struct History {
        /// Whose body.
        pub pane: PaneRef,
        /// The changes.
        pub acts: Vec<Act>,
    }

    /// Changes of a body whose events are taken, and read at the end.
    pub struct Watch {
        /// As which handle.
        pub slot: Slot,
        /// Whose.
        pub pane: PaneRef,
        /// The changes.
        pub acts: Vec<Act>,
        /// How much is read at a time.
        pub count: Count,
    }

    /// A change of a body.
    pub enum Act {
        /// By an Edit command.
        Edit(command: EditCommand),
        /// By text at its end.
        Append(text: Text),
        /// By text in its place.
        Replace(text: Text),
        /// Back.
        Undo,
        /// And forth again.
        Redo,
    }

    /// A shell that is told to print what is known beforehand, and is listened to.
    pub struct Talk {
        /// As which handle.
        pub slot: Slot,
        /// In which pane.
        pub pane: PaneRef,
        /// Whether the pane becomes a terminal first.
        pub start: bool,
        /// What it is to print.
        pub line: TalkLine,
        /// How much is read at a time.
        pub count: Count,
        /// How it ends.
        pub end: TalkEnd,
    }

    /// A line for a shell whose output is known.
    #[derive(Copy)]
    pub enum TalkLine {
        /// Numbers, a line each.
        Numbers {
            /// The first, less 1000.
            first: u8,
            /// How many more.
            more: u8,
        },
        /// A word that nothing else prints.
        Word {
            /// What it is made from.
            seed: u32,
            /// Its length in bytes, modulo 128.
            length: u8,
        },
    }

    /// What a client does on the second connection.
    pub enum ClientStep {
        /// Open, write, clunk.
        Write {
            /// To what.
            path: Path,
            /// What.
            payload: Payload,
            /// Opened how.
            mode: Mode,
        },
        /// Open, read, clunk.
        Read {
            /// From what.
            path: Path,
            /// How much at a time.
            count: Count,
        },
        /// Make a pane.
        NewPane(how: NewPane),
        /// Remove.
        Remove(path: Path),
        /// An Edit command.
        Edit {
            /// Written to what.
            target: LineFile,
            /// The command.
            command: EditCommand,
        },
        /// Open and keep; who writes to the handle, reads or closes it does so here too.
        Hold {
            /// As which handle.
            slot: Slot,
            /// What.
            path: Path,
            /// How.
            mode: Mode,
        },
    }
}

choices! {
    /// How a talk ends.
    pub enum TalkEnd: &'static [u8] {
        Listening = b"",
        Exit = b"exit\n",
        EndOfFile = b"\x04",
    }
}

/// The most changes of one scene, and ops of one on the second connection.
const ACTS: usize = 12;
/// How many reads listen to a shell, and how many to events after each change.
const TALK_READS: usize = 16;
const EVENT_READS: usize = 6;
/// A body is read whole, in reads of so many bytes and so many of them.
const BODY_COUNT_BYTES: u32 = 65_536;
const BODY_READS: u32 = 64;
/// The first of a talk's numbers.
const FIRST_NUMBER: u32 = 1_000;

impl Kept {
    /// The text in the place of what was there, then the body.
    pub fn render(&self, room: usize) -> Op {
        let path = pane_file(self.pane, "body");
        let data = fit(data_rule(&path), room, |out| self.text.put(out));
        let chunks = self.chunks.render(data.len());
        Op::Seq { ops: vec![write_cut(path, data, OWRITE | OTRUNC, chunks), body(self.pane)] }
    }
}

impl History {
    /// The body, then each change and the body again. An earlier `nomark` would leave open what
    /// Undo takes back.
    pub fn render(&self, room: usize) -> Op {
        let mark = write(pane_file(self.pane, "ctl"), b"mark\n".to_vec(), OWRITE);
        let acts = self.acts.iter().take(ACTS);
        let changes = acts.flat_map(|act| [act.render(self.pane, room), body(self.pane)]);
        Op::Seq { ops: [mark, body(self.pane)].into_iter().chain(changes).collect() }
    }
}

impl Watch {
    /// The event file is opened and the body read; then the changes, the events, the body, and
    /// whether there are more events.
    pub fn render(&self, room: usize) -> Op {
        let h = handle(self.slot);
        let listen = || Op::Hread { h: h.clone(), count: self.count.value(), offset: None };
        let mut ops =
            vec![hold(self.slot, pane_file(self.pane, "event"), OREAD), body(self.pane), listen()];
        for act in self.acts.iter().take(ACTS) {
            ops.push(act.render(self.pane, room));
            ops.extend((0..EVENT_READS).map(|_| listen()));
        }
        ops.extend([body(self.pane), listen(), Op::Clunk { h: h.clone() }]);
        Op::Seq { ops }
    }
}

impl Act {
    fn render(&self, pane: PaneRef, room: usize) -> Op {
        let (ctl, text_file) = (pane_file(pane, "exec"), pane_file(pane, "body"));
        let text = |text: &Text, mode| write_text(text_file.clone(), text, mode, room);
        match self {
            Act::Edit(command) => {
                let data = fit(DataRule::Commands, room, |out| command.put_line(out));
                write(ctl, data, OWRITE)
            }
            Act::Append(appended) => text(appended, OWRITE),
            Act::Replace(other) => text(other, OWRITE | OTRUNC),
            Act::Undo => write(ctl, b"Undo\n".to_vec(), OWRITE),
            Act::Redo => write(ctl, b"Redo\n".to_vec(), OWRITE),
        }
    }
}

impl Talk {
    /// The output is listened to from before the line is typed.
    pub fn render(&self, room: usize) -> Op {
        let h = handle(self.slot);
        let path = pane_file(self.pane, "pty/data");
        let typed = |data: &[u8]| Op::Hwrite {
            h: h.clone(),
            data: fit(data_rule(&path), room, |out| out.put(data)).into(),
        };
        let listen = || Op::Hread { h: h.clone(), count: self.count.value(), offset: None };
        let mut ops = Vec::new();
        if self.start {
            ops.push(write(pane_file(self.pane, "ctl"), b"Tty\n".to_vec(), OWRITE));
        }
        ops.push(hold(self.slot, path.clone(), ORDWR));
        ops.push(typed(&self.line.render()));
        ops.extend((0..TALK_READS).map(|_| listen()));
        if self.end != TalkEnd::Listening {
            ops.push(typed(self.end.value()));
            ops.extend((0..TALK_READS).map(|_| listen()));
        }
        ops.push(Op::Clunk { h: h.clone() });
        Op::Seq { ops }
    }
}

impl TalkLine {
    /// The line, with its end.
    pub fn render(self) -> Vec<u8> {
        match self {
            TalkLine::Numbers { first, more } => {
                let first = FIRST_NUMBER + u32::from(first);
                format!("seq {first} {}\n", first + u32::from(more)).into_bytes()
            }
            TalkLine::Word { seed, length } => {
                let mut state = seed;
                let letters = (0..length % 128).map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    char::from(b'a' + (state >> 24) as u8 % 26)
                });
                // Digits about it make it no word that is known anywhere.
                format!("echo 9{}{}9\n", seed, letters.collect::<String>()).into_bytes()
            }
        }
    }
}

impl ClientStep {
    fn render(&self, room: usize) -> Op {
        match self {
            ClientStep::Write { path, payload, mode } => {
                let path = path.render();
                let data = payload.render(data_rule(&path), crate::ops::Joined::Whole, room);
                write(path, data, mode.value())
            }
            ClientStep::Read { path, count } => Op::Read {
                path: path.render().into(),
                count: count.value(),
                offset: 0,
                mode: OREAD,
                reads: 2,
            },
            ClientStep::NewPane(NewPane::Read) => new_pane(),
            ClientStep::NewPane(NewPane::Hold { slot, mode }) => {
                hold(*slot, b"/pane/new".to_vec(), mode.value())
            }
            ClientStep::Remove(path) => Op::Remove { path: path.render().into() },
            ClientStep::Edit { target, command } => {
                let data = fit(DataRule::Commands, room, |out| command.put_line(out));
                write(target.render(), data, OWRITE)
            }
            ClientStep::Hold { slot, path, mode } => hold(*slot, path.render(), mode.value()),
        }
    }
}

/// The steps on the second connection, in order.
pub fn render_second(steps: &[ClientStep], room: usize) -> Op {
    Op::Second { ops: steps.iter().take(ACTS).map(|step| step.render(room)).collect() }
}

/// The session is written to a file and read back.
pub fn render_reload(named: bool) -> Op {
    let name = if named { " m9pdump" } else { "" };
    let dump = write(b"/ctl".to_vec(), format!("Dump{name}\n").into_bytes(), OWRITE);
    Op::Seq { ops: vec![dump, Op::Restore { data: format!("Restore{name}\n").as_str().into() }] }
}

/// A read of the whole body.
pub fn body(pane: PaneRef) -> Op {
    Op::Read {
        path: pane_file(pane, "body").into(),
        count: BODY_COUNT_BYTES,
        offset: 0,
        mode: OREAD,
        reads: BODY_READS,
    }
}

fn write_cut(path: Vec<u8>, data: Vec<u8>, mode: u8, chunks: Chunks) -> Op {
    match write(path, data, mode) {
        Op::Write { path, data, mode, offset, stop_on_error, .. } => {
            Op::Write { path, data, mode, chunks, offset, stop_on_error }
        }
        other => other,
    }
}
