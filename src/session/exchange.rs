//! What passed on a connection of a script's own, and which of its requests are still unanswered.

use bytes::Bytes;

use crate::wire::codec;
use crate::wire::limits::HEADER_BYTES;
use crate::wire::msg::{NOTAG, RERROR, Rmsg, Tag, Tmsg};

/// What passed on one connection, in the order in which this side saw it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// Each message, each wait's end, and the connection's.
    pub events: Vec<WireEvent>,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WireEvent {
    /// This side sent something.
    Sent(Sending),
    /// The server sent a whole frame.
    Received(Bytes),
    /// A wait ended; `silent` if an answer that was due did not come within its time.
    Waited {
        /// Whether something is missing.
        silent: bool,
    },
    /// The server hung up.
    HungUp,
    /// The server sent what is no frame, or far too much.
    Unframed(String),
}

/// What was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sending {
    /// The tag; none where the bytes are too few to have one.
    pub tag: Option<Tag>,
    /// How many bytes it took.
    pub bytes: usize,
    /// What it was.
    pub request: Request,
    /// Whether the server may let it wait for as long as it likes.
    pub may_wait: bool,
}

/// A message, or bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// A message as it should be.
    Message(Tmsg),
    /// Bytes that are none.
    Raw(Bytes),
}

/// A request without an answer yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// Which of the connection's sendings, from 0.
    pub index: usize,
    /// Its tag.
    pub tag: Tag,
    /// Its type byte.
    pub kind: u8,
    /// What it flushes, if it does.
    pub flushes: Option<Tag>,
    /// Whether it was outstanding when a wait ended.
    pub waited: bool,
    /// Whether an answer must come.
    due: bool,
}

/// What a frame answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// The request; none if no outstanding one has the tag.
    pub answered: Option<Open>,
    /// Requests that it ended without an answer of their own.
    pub cancelled: Vec<Open>,
}

/// Follows a connection: which requests are outstanding, and whether anything can be expected.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    open: Vec<Open>,
    sent: usize,
    msize: Option<u32>,
    lost: bool,
}

impl Ledger {
    /// Something was sent. Gives its number.
    pub fn sent(&mut self, sending: &Sending) -> usize {
        let index = self.sent;
        self.sent += 1;
        self.lost |= is_lost(sending, self.msize);
        let Some(tag) = sending.tag else { return index };
        let (kind, flushes) = match &sending.request {
            Request::Message(Tmsg::Flush { oldtag }) => (sending.kind(), Some(*oldtag)),
            _ => (sending.kind(), None),
        };
        let version = kind == VERSION;
        let mut due = !sending.may_wait
            && matches!(sending.request, Request::Message(_))
            && (version || tag != NOTAG);
        for other in &mut self.open {
            if other.tag == tag || version || other.kind == VERSION {
                // Two with one tag, or something before the Rversion: the client's own fault.
                (other.due, due) = (false, false);
            }
            if flushes == Some(other.tag) || flushes.is_some() && flushes == other.flushes {
                // The answer to this one is enough (flush(9P)).
                other.due = false;
            }
        }
        self.open.push(Open { index, tag, kind, flushes, waited: false, due });
        index
    }

    /// A frame came.
    pub fn received(&mut self, kind: u8, tag: Tag, frame: &Bytes) -> Settled {
        let has_tag = |open: &&Open| open.tag == tag;
        let of_kind = |open: &&Open| has_tag(open) && open.kind.checked_add(1) == Some(kind);
        let found = self.open.iter().find(of_kind).or_else(|| self.open.iter().find(has_tag));
        let Some(answered) = found.cloned() else { return Settled::default() };
        self.open.retain(|open| open.index != answered.index);
        let mut cancelled = Vec::new();
        if kind == FLUSH + 1 && answered.kind == FLUSH {
            let ends = |open: &Open| {
                open.index < answered.index
                    && (Some(open.tag) == answered.flushes || open.flushes == answered.flushes)
            };
            cancelled = self.take(ends);
        }
        if let Some((msize, true)) = agreed(kind, frame) {
            self.msize = Some(msize);
            // Another Tversion that was sent at once has an answer of its own.
            cancelled = self.take(|open| open.kind != VERSION);
        }
        Settled { answered: Some(answered), cancelled }
    }

    /// A wait ended.
    pub fn waited(&mut self) {
        self.open.iter_mut().for_each(|open| open.waited = true);
    }

    /// The requests without an answer.
    pub fn open(&self) -> &[Open] {
        &self.open
    }

    /// Those whose answer must come.
    pub fn due(&self) -> impl Iterator<Item = &Open> {
        self.open.iter().filter(|open| open.due && !self.lost)
    }

    /// Whether the server may no longer know where a message begins.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// The message size agreed on last.
    pub fn msize(&self) -> Option<u32> {
        self.msize
    }

    fn take(&mut self, which: impl Fn(&Open) -> bool) -> Vec<Open> {
        let (taken, left) = self.open.drain(..).partition(which);
        self.open = left;
        taken
    }
}

const VERSION: u8 = 100;
const FLUSH: u8 = 108;

impl Sending {
    /// The type byte; 0 where there is none.
    pub fn kind(&self) -> u8 {
        match &self.request {
            Request::Message(message) => message.kind(),
            Request::Raw(bytes) => bytes.get(4).copied().unwrap_or(0),
        }
    }
}

impl Exchange {
    /// Each answer by its request's type and its own, an Rerror with its text: for feedback.
    pub fn answers(&self) -> Vec<(u8, u8, String)> {
        let mut ledger = Ledger::default();
        let mut answers = Vec::new();
        for event in &self.events {
            match event {
                WireEvent::Sent(sending) => {
                    ledger.sent(sending);
                }
                WireEvent::Received(frame) => {
                    let Some((kind, tag)) = codec::header(frame) else { continue };
                    let asked =
                        ledger.received(kind, tag, frame).answered.map_or(0, |open| open.kind);
                    answers.push((asked, kind, error_text(kind, frame)));
                }
                WireEvent::Waited { .. } | WireEvent::HungUp | WireEvent::Unframed(_) => {}
            }
        }
        answers
    }
}

/// An Rerror's text; nothing of any other.
fn error_text(kind: u8, frame: &Bytes) -> String {
    match codec::decode::<Rmsg>(frame.clone()) {
        Ok((_, Rmsg::Error { ename })) if kind == RERROR => {
            String::from_utf8_lossy(&ename).into_owned()
        }
        _ => String::new(),
    }
}

/// The msize of an Rversion, and whether a session begins with it.
fn agreed(kind: u8, frame: &Bytes) -> Option<(u32, bool)> {
    if kind != VERSION + 1 {
        return None;
    }
    match codec::decode::<Rmsg>(frame.clone()) {
        Ok((_, Rmsg::Version { msize, version })) => Some((msize, version.starts_with(b"9P"))),
        _ => None,
    }
}

/// Whether a server that reads this may not know where the next message begins.
fn is_lost(sending: &Sending, msize: Option<u32>) -> bool {
    if msize.is_some_and(|msize| sending.bytes > msize as usize) {
        return true;
    }
    match &sending.request {
        Request::Message(_) => false,
        Request::Raw(bytes) => match bytes.get(..4) {
            Some(head) => {
                let size = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
                size != bytes.len() || size < HEADER_BYTES
            }
            None => true,
        },
    }
}
