//! What a step showed: every request and its answer, and what was seen right after it.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::exchange::Exchange;
use super::heard::Heard;
use super::held::Freed;
use super::reload::Reloaded;
use super::shells::EndedShell;
use crate::wire::Traced;
use crate::wire::msg::{Fid, Qid};

/// One step's outcome: facts alone, no judgement.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The op's requests in order, with their answers.
    pub requests: Vec<Asked>,
    /// Data that opens for writing were given, whole, whatever became of it.
    pub sent: Vec<Sent>,
    /// The op made the server hang up (a Restore that was taken).
    pub hung_up: bool,
    /// Why nothing was asked, if nothing was.
    pub note: Option<String>,
    /// A shell may have done anything since the session began: texts, files and processes may have
    /// changed at any time, by no request.
    pub wild: bool,
    /// The records the step caused, in order; nothing where they cannot be told apart.
    pub window: Option<Vec<String>>,
    /// The same records read from `/log`, where the window was followed.
    pub logged: Option<Vec<String>>,
    /// `/index` and `/pane`, read one after the other.
    pub index: Option<IndexView>,
    /// One listing, read whole and in pieces within one open.
    pub listing: Option<Listing>,
    /// What went over the session's connections, the main one first.
    pub traffic: Vec<Traffic>,
    /// What one pane's addresses were, and how long its body was.
    pub addresses: Option<Addresses>,
    /// A file that the step opened in a new pane.
    pub opened: Option<Opened>,
    /// What a refused Edit found and left.
    pub edited: Option<Edited>,
    /// The shells whose panes the step closed.
    pub ended_shells: Vec<EndedShell>,
    /// What the step closed and no one else of ours holds.
    pub freed: Vec<Freed>,
    /// The session before and after it was dumped and restored.
    pub reloaded: Option<Reloaded>,
    /// What the target left that says it crashed, although it answers.
    pub crash: Option<String>,
    /// What passed on each connection that a script of raw messages had to itself.
    pub wire: Vec<Exchange>,
    /// The opens of shells' output that were read, with all that was ever heard on each.
    pub heard: Vec<Heard>,
}

/// What went over one connection during a step, the checks' own requests included.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// Requests and their answers, in the order of the requests.
    pub trace: Vec<Traced>,
    /// The fids that were bound before the trace began.
    pub bound: BTreeMap<Fid, Qid>,
}

/// A pane's addresses, in runes, and how many of those its body has at the most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// The pane's directory.
    pub pane: String,
    /// The most runes that the body can have, a byte each: whoever wrote a rune's bytes one by one
    /// may have written several, though they read as one.
    pub most_runes: u64,
    /// Each file's name and what it said.
    pub files: Vec<(&'static str, String)>,
}

impl Addresses {
    /// The offsets that `text` names: `#m,#n`, or `#m` for both.
    pub fn parse(text: &str) -> Option<(u64, u64)> {
        let offset = |part: &str| part.strip_prefix('#')?.parse().ok();
        let text = text.trim_end_matches('\n');
        match text.split_once(',') {
            Some((q0, q1)) => Some((offset(q0)?, offset(q1)?)),
            None => offset(text).map(|q| (q, q)),
        }
    }

    /// Whether any of them ends beyond the body.
    pub fn outside(&self) -> bool {
        let end = |text: &str| Addresses::parse(text).map(|(_, q1)| q1);
        self.files.iter().any(|(_, text)| end(text).is_some_and(|q1| q1 > self.most_runes))
    }
}

/// A file that was just opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Its name in HOME.
    pub name: String,
    /// Its bytes on disk.
    pub file: Bytes,
    /// The new pane's body.
    pub body: Bytes,
}

/// A pane's body before and after a step that was one Edit of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The body before.
    pub before: Bytes,
    /// The body after.
    pub after: Bytes,
}

/// What was asked. The names are the log rule's: it treats some opens and writes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum What {
    /// A walk.
    Walk,
    /// An open that the failure rule does not name.
    Open,
    /// An open of `/pane/new` for reading, which makes a pane.
    OpenNew,
    /// An open for writing that truncates.
    Truncate,
    /// A read.
    Read,
    /// A write on a fid opened for writing.
    Write,
    /// A write on a fid opened for reading: misuse of the protocol, not a refused write.
    WriteUnopened,
    /// A clunk of a fid opened for reading.
    Clunk,
    /// A clunk of a fid opened for writing.
    ClunkWrite,
    /// A stat.
    Stat,
    /// A remove.
    Remove,
    /// A create.
    Create,
}

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// What was asked.
    pub what: What,
    /// Of which file, tokens resolved.
    pub path: String,
    /// The answer.
    pub answer: Answered,
    /// Which open of the session's it belongs to; 0 for a request that belongs to none.
    pub open: u64,
    /// How it was opened, for opens and creates.
    pub mode: Option<u8>,
    /// The offset of a read or a write, in bytes.
    pub offset: u64,
    /// How much a read asked for, in bytes: nothing read of nothing asked for is no end.
    pub count: u32,
    /// What was read, or sent to be written.
    pub data: Bytes,
}

/// One request's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answered {
    /// It was done.
    Done,
    /// An Rerror with this text.
    Refused(String),
    /// The server held it until it was flushed.
    Held,
}

/// Data given to one open for writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The file, tokens resolved.
    pub path: String,
    /// The open's number, as in [`Asked`].
    pub open: u64,
    /// The data, with the unended line before it that an earlier write to the same open began.
    pub data: Bytes,
    /// Whether the fid was closed after it, with the last line unended.
    pub left_at_close: bool,
}

/// `/index`, then the names in `/pane`, then `/index` again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexView {
    /// The first read.
    pub before: Bytes,
    /// The entries of `/pane`.
    pub entries: Vec<String>,
    /// The second read.
    pub after: Bytes,
}

/// One file or directory read twice in one open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Which.
    pub path: String,
    /// The pieces' count, in bytes.
    pub count: u32,
    /// What was read.
    pub content: Content,
}

/// What a listing holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A file's bytes, whole and from pieces.
    File(Bytes, Bytes),
    /// A directory's names, whole and from pieces.
    Directory(Vec<String>, Vec<String>),
}

impl Outcome {
    pub(super) fn add(&mut self, asked: Asked) {
        self.requests.push(asked);
    }

    /// Whether the last thing asked for was an event of that open, and there was none.
    pub(super) fn ends_in_held_event(&self, open: u64) -> bool {
        let held = |asked: &Asked| {
            asked.open == open && asked.answer == Answered::Held && asked.path.ends_with("/event")
        };
        self.requests.last().is_some_and(held)
    }

    /// How many requests were refused, by what they asked.
    pub fn refusals(&self) -> BTreeMap<What, usize> {
        let mut counts = BTreeMap::new();
        for asked in self.requests.iter().filter(|asked| asked.refused().is_some()) {
            *counts.entry(asked.what).or_default() += 1;
        }
        counts
    }
}

impl Asked {
    /// A request without anything besides.
    pub fn new(what: What, path: &str, answer: Answered) -> Asked {
        let (open, mode, offset, count, data) = (0, None, 0, 0, Bytes::new());
        Asked { what, path: path.to_owned(), answer, open, mode, offset, count, data }
    }

    pub(super) fn of(self, open: u64) -> Asked {
        Asked { open, ..self }
    }

    pub(super) fn mode(self, mode: u8) -> Asked {
        Asked { mode: Some(mode), ..self }
    }

    pub(super) fn at(self, offset: u64, data: Bytes) -> Asked {
        Asked { offset, data, ..self }
    }

    pub(super) fn asking(self, count: u32) -> Asked {
        Asked { count, ..self }
    }

    /// The refusal's text, if it was refused.
    pub fn refused(&self) -> Option<&str> {
        match &self.answer {
            Answered::Refused(why) => Some(why),
            _ => None,
        }
    }
}

impl From<Result<(), String>> for Answered {
    fn from(answer: Result<(), String>) -> Self {
        match answer {
            Ok(()) => Answered::Done,
            Err(why) => Answered::Refused(why),
        }
    }
}
