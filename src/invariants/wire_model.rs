//! What is known of a script's connection at each answer: the fids, the session, the tags.
//!
//! A legal server may deal with requests that are in flight together in any order. So what is sent
//! while another request may change the same fid is known to have been sent, and nothing else: it is
//! not clear, and what either changes is unknown afterwards.

mod facts;

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use crate::session::{Exchange, Ledger, Open, Request, Sending, WireEvent};
use crate::wire::codec::{self, DecodeError};
use crate::wire::msg::{Fid, NOTAG, QTDIR, Qid, RERROR, Rmsg, Tag, Tmsg};
use facts::{changes, collide, is_well_formed, made};

/// What is known of a fid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    Unknown,
    /// It is not in use.
    Free(Why),
    /// It stands for a file.
    Bound {
        /// The file, as the message that bound it said; unknown after an open.
        qid: Option<Qid>,
        /// Whether it is a directory, if that was said.
        directory: Option<bool>,
        /// How it was opened, if it was.
        mode: Option<u8>,
    },
}

/// A message size below which a server may refuse to talk at all, in bytes.
pub const USEFUL_BYTES: u32 = 256;

/// Why a fid is not in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Nothing ever bound it.
    Never,
    /// It was clunked.
    Clunked,
    /// Its file was removed, or was to be.
    Removed,
    /// A walk that was to bind it did not go all the way.
    Walked,
    /// A new session began.
    Version,
}

/// One answer, with what was known when its request was sent.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The request; none if it was bytes that are none.
    pub request: Option<Tmsg>,
    /// The request's type byte.
    pub asked: u8,
    /// The frame.
    pub frame: Bytes,
    /// Its type byte.
    pub kind: u8,
    /// What it says.
    pub reply: Result<Rmsg, DecodeError>,
    /// What was known of the request's fid, and of the fid it was to make.
    pub fid: State,
    /// See `fid`.
    pub newfid: State,
    /// Whether nothing in flight could have changed that, and the session was on.
    pub clear: bool,
    /// The message size agreed on when it came.
    pub msize: Option<u32>,
    /// Whether its tag was that of another request, which waited and goes on waiting.
    pub tag_in_use: bool,
}

impl Answer {
    /// The reply, if the request was done.
    pub fn done(&self) -> Option<&Rmsg> {
        self.reply.as_ref().ok().filter(|reply| !matches!(reply, Rmsg::Error { .. }))
    }

    /// Whether what must be refused was done.
    pub fn was_taken(&self) -> bool {
        self.clear && self.kind != RERROR
    }
}

/// A frame that answers nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    /// Its type byte.
    pub kind: u8,
    /// Its tag.
    pub tag: Tag,
    /// What became of the last request with that tag.
    pub after: Ended,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// There was none.
    Never,
    /// With an answer.
    Answered,
    /// With the answer to a Tflush.
    Flushed,
    /// In a way that leaves open whether it is answered.
    Either,
}

/// A connection, told again with what was known.
#[derive(Debug, Default)]
pub struct Replay {
    /// The answers, in order.
    pub answers: Vec<Answer>,
    /// Frames that answer nothing and that nothing excuses.
    pub strays: Vec<Stray>,
    /// A request whose answer was due and did not come.
    pub missing: Option<Open>,
    /// The server hung up although everything sent was well formed and in order.
    pub hung_up: bool,
    /// What came was no frame.
    pub unframed: Option<String>,
}

/// Tells a connection again.
pub fn replay(exchange: &Exchange) -> Replay {
    let mut model = Model::default();
    let mut told = Replay::default();
    for event in &exchange.events {
        match event {
            WireEvent::Sent(sending) => model.sent(sending),
            WireEvent::Received(frame) => model.received(frame, &mut told),
            WireEvent::Waited { silent } => {
                if *silent && told.missing.is_none() {
                    told.missing = model.ledger.due().next().cloned();
                }
                model.ledger.waited();
            }
            WireEvent::HungUp => told.hung_up = !model.excused && !model.ledger.is_lost(),
            WireEvent::Unframed(why) => told.unframed = Some(why.clone()),
        }
    }
    told
}

#[derive(Debug, Default)]
struct Model {
    ledger: Ledger,
    asked: BTreeMap<usize, Asked>,
    fids: BTreeMap<Fid, State>,
    /// What of the fids that `fids` does not have: unused, or unknown.
    others_unknown: bool,
    session: bool,
    /// A hang-up would be the client's own fault.
    excused: bool,
    ended: BTreeMap<Tag, Ended>,
    /// Tags that were used twice at a time, or before the Rversion.
    dirty: BTreeSet<Tag>,
}

#[derive(Clone, Debug)]
struct Asked {
    request: Option<Tmsg>,
    fid: State,
    newfid: State,
    clear: bool,
    /// The request that waited with its tag.
    over: Option<usize>,
}

impl Model {
    fn sent(&mut self, sending: &Sending) {
        let request = match &sending.request {
            Request::Message(message) => Some(message.clone()),
            Request::Raw(_) => None,
        };
        let version = matches!(request, Some(Tmsg::Version { .. }));
        let mut asked = Asked {
            fid: request.as_ref().and_then(Tmsg::fid).map_or(State::Unknown, |fid| self.state(fid)),
            newfid: request.as_ref().and_then(made).map_or(State::Unknown, |fid| self.state(fid)),
            clear: request.is_some() && (self.session || version),
            over: None,
            request,
        };
        self.excused |= !asked.request.as_ref().is_some_and(is_well_formed)
            || !(self.session || version)
            || sending.tag == Some(NOTAG) && !version;
        asked.clear &= sending.tag != Some(NOTAG) || version;
        self.meet(sending, &mut asked, version);
        let index = self.ledger.sent(sending);
        asked.clear &= !self.ledger.is_lost();
        if let Some(tag) = sending.tag {
            self.ended.remove(&tag);
        }
        self.asked.insert(index, asked);
    }

    /// What is in flight already and what is sent now may each change what the other finds.
    fn meet(&mut self, sending: &Sending, asked: &mut Asked, version: bool) {
        let flying: Vec<Open> = self.ledger.open().to_vec();
        for open in &flying {
            let Some(other) = self.asked.get_mut(&open.index) else { continue };
            let its_version = matches!(other.request, Some(Tmsg::Version { .. }));
            if version || its_version {
                (asked.clear, other.clear) = (false, false);
                self.excused = true;
                self.others_unknown = true;
                self.fids.clear();
                self.dirty.extend([open.tag].into_iter().chain(sending.tag));
                continue;
            }
            if sending.tag == Some(open.tag) {
                let flushed = flying.iter().any(|flush| flush.flushes == Some(open.tag));
                asked.over = (open.waited && !flushed).then_some(open.index);
                (asked.clear, other.clear) = (false, false);
                self.excused = true;
                self.dirty.insert(open.tag);
            }
            let (Some(one), Some(two)) = (&asked.request, &other.request) else { continue };
            if collide(one, two) {
                (asked.clear, other.clear) = (false, false);
                for fid in changes(one).into_iter().chain(changes(two)) {
                    self.fids.insert(fid, State::Unknown);
                }
            }
        }
    }

    fn received(&mut self, frame: &Bytes, told: &mut Replay) {
        let Some((kind, tag)) = codec::header(frame) else { return };
        let msize = self.ledger.msize();
        let settled = self.ledger.received(kind, tag, frame);
        for open in &settled.cancelled {
            // Of several Tflushes, any may be the only one that is answered.
            let flush = open.flushes.is_some();
            self.ended.insert(open.tag, if flush { Ended::Either } else { Ended::Flushed });
            let asked = self.asked.remove(&open.index);
            for fid in asked.and_then(|asked| asked.request).iter().flat_map(changes) {
                self.fids.insert(fid, State::Unknown);
            }
        }
        let Some(open) = settled.answered else {
            let after = self.ended.get(&tag).copied().unwrap_or(Ended::Never);
            if !self.dirty.contains(&tag) && !self.ledger.is_lost() && tag != NOTAG {
                told.strays.push(Stray { kind, tag, after });
            }
            return;
        };
        self.ended.insert(tag, Ended::Answered);
        let Some(asked) = self.asked.remove(&open.index) else { return };
        let waits = |over: usize| {
            self.ledger.open().iter().any(|open| open.index == over && open.kind + 1 != kind)
        };
        let answer = Answer {
            asked: open.kind,
            frame: frame.clone(),
            kind,
            reply: codec::decode::<Rmsg>(frame.clone()).map(|(_, reply)| reply),
            fid: asked.fid,
            newfid: asked.newfid,
            clear: asked.clear,
            msize: msize.filter(|_| self.session),
            tag_in_use: kind != RERROR && asked.over.is_some_and(waits),
            request: asked.request,
        };
        self.apply(&answer);
        told.answers.push(answer);
    }

    /// What an answer makes known.
    fn apply(&mut self, answer: &Answer) {
        let Some(request) = &answer.request else { return };
        if let Tmsg::Version { .. } = request {
            return self.version(answer);
        }
        if !answer.clear {
            for fid in changes(request) {
                self.fids.insert(fid, State::Unknown);
            }
            return;
        }
        match (request, answer.done()) {
            (Tmsg::Walk { newfid, names, .. }, Some(Rmsg::Walk { qids })) => {
                let state = self.walked(answer, qids, names.len());
                self.fids.insert(*newfid, state);
            }
            // It was free, or it is what it was.
            (Tmsg::Walk { newfid, .. }, _) => {
                if let State::Free(_) = answer.newfid {
                    self.fids.insert(*newfid, State::Free(Why::Walked));
                }
            }
            (Tmsg::Attach { fid, .. }, Some(Rmsg::Attach { qid })) => {
                self.fids.insert(*fid, bound(Some(*qid), None));
            }
            (Tmsg::Auth { afid, .. }, Some(_)) => {
                self.fids.insert(*afid, State::Unknown);
            }
            (Tmsg::Open { fid, mode } | Tmsg::Create { fid, mode, .. }, Some(_)) => {
                let directory = match (answer.done(), answer.fid) {
                    (Some(Rmsg::Open { qid, .. } | Rmsg::Create { qid, .. }), _) => {
                        Some(qid.kind & QTDIR != 0)
                    }
                    _ => None,
                };
                let state = State::Bound { qid: None, directory, mode: Some(*mode) };
                self.fids.insert(*fid, state);
            }
            (Tmsg::Clunk { fid }, _) => {
                self.fids.insert(*fid, State::Free(Why::Clunked));
            }
            (Tmsg::Remove { fid }, _) => {
                self.fids.insert(*fid, State::Free(Why::Removed));
            }
            _ => {}
        }
    }

    fn walked(&self, answer: &Answer, qids: &[Qid], names: usize) -> State {
        match (qids.last(), answer.fid) {
            (last, _) if qids.len() != names || last.is_none() && names > 0 => {
                match answer.newfid {
                    State::Free(_) => State::Free(Why::Walked),
                    other => other,
                }
            }
            (Some(last), _) => bound(Some(*last), None),
            (None, State::Bound { qid, directory, .. }) => {
                State::Bound { qid, directory, mode: None }
            }
            (None, _) => State::Bound { qid: None, directory: None, mode: None },
        }
    }

    /// A session begins, or none is on.
    fn version(&mut self, answer: &Answer) {
        let known = matches!(answer.done(), Some(Rmsg::Version { version, .. }) if version.starts_with(b"9P"));
        // One of several at a time: which the server took last is not known.
        self.session = known && answer.clear;
        // A size in which no answer fits may as well be none, and a server may give up.
        let agreed = match answer.done() {
            Some(Rmsg::Version { msize, .. }) => *msize,
            _ => 0,
        };
        self.excused |= !self.session || agreed < USEFUL_BYTES;
        if !known || !answer.clear {
            self.fids.clear();
            self.others_unknown = true;
            return;
        }
        for state in self.fids.values_mut() {
            *state = match *state {
                State::Free(why) => State::Free(why),
                _ => State::Free(Why::Version),
            };
        }
        self.others_unknown = false;
    }

    fn state(&self, fid: Fid) -> State {
        let other = if self.others_unknown { State::Unknown } else { State::Free(Why::Never) };
        self.fids.get(&fid).copied().unwrap_or(other)
    }
}

fn bound(qid: Option<Qid>, mode: Option<u8>) -> State {
    State::Bound { qid, directory: qid.map(|qid| qid.kind & QTDIR != 0), mode }
}

#[cfg(test)]
mod tests;
