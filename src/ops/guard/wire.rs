//! What a script of raw messages may send, judged by what its fids may stand for.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    DataRule, Joined, Reach, Refusal, check_data, data_rule, in_file, leads_to_host, open,
};
use crate::ops::Latin1;
use crate::ops::wire::{WIRE_MESSAGE_BYTES, WIRE_STEPS, WireStep, sync_stat, wire_frame};
use crate::wire::limits::HEADER_BYTES;
use crate::wire::msg::{Fid, OREAD, Tmsg};

/// Files that a script may write to, in a pane or at the root: what is written there runs nothing.
const WRITABLE: [&[u8]; 8] =
    [b"body", b"data", b"xdata", b"addr", b"dot", b"index", b"README", b"status"];
/// Type bytes of messages that change something; no raw bytes hold one beyond their own type.
const CHANGING: [u8; 5] = [112, 114, 118, 122, 126];
/// Fids that a script's messages name at the most, and paths that each may stand for.
const FIDS: usize = 64;
const PATHS: usize = 256;

/// Follows a script and judges each of its steps. Whether a server did what it was asked is not
/// known, so a fid stands for every path that any walk to it could have led to, in full or in part,
/// and what is done to it must be allowed on all of them.
#[derive(Clone, Debug)]
pub struct WireJudge {
    reach: Reach,
    fids: BTreeMap<Fid, BTreeSet<Vec<u8>>>,
    steps: usize,
    /// Where the next message begins is lost: only waiting and hanging up make sense.
    lost: bool,
    hung_up: bool,
}

impl WireJudge {
    /// A script's beginning. The session attaches the root to this fid if the script does not begin
    /// with a Tversion.
    pub fn new(root: Fid, reach: Reach) -> WireJudge {
        let fids = BTreeMap::new();
        let mut judge = WireJudge { reach, fids, steps: 0, lost: false, hung_up: false };
        judge.may_be(root, Vec::new());
        judge
    }

    /// Judges the next step; what is refused is taken as not sent.
    pub fn judge(&mut self, step: &WireStep) -> Result<(), Refusal> {
        let before = self.clone();
        let judged = self.take(step);
        if judged.is_err() {
            *self = before;
        }
        judged
    }

    fn take(&mut self, step: &WireStep) -> Result<(), Refusal> {
        if self.steps >= WIRE_STEPS {
            return Err(wrong("more than 64 steps"));
        }
        let sends = matches!(step, WireStep::Send { .. } | WireStep::Raw { .. });
        if self.hung_up || sends && self.lost {
            return Err(wrong("a step after the stream's end"));
        }
        match step {
            WireStep::Send { tag, message, .. } => {
                let fits = |frame: bytes::Bytes| frame.len() <= WIRE_MESSAGE_BYTES;
                if !wire_frame(tag.unwrap_or(0), message).is_ok_and(fits) {
                    return Err(wrong("a message of more than 16 KiB"));
                }
                self.message(message)?;
            }
            WireStep::Raw { bytes } => self.raw(bytes)?,
            WireStep::Wait => {}
            WireStep::Hangup => self.hung_up = true,
        }
        self.steps += 1;
        Ok(())
    }

    fn message(&mut self, message: &Tmsg) -> Result<(), Refusal> {
        match message {
            Tmsg::Attach { fid, aname, .. } => {
                // Which tree a name selects is the server's to say.
                if !aname.is_empty() {
                    return Err(wrong("an attach to a tree by name"));
                }
                self.may_be(*fid, Vec::new());
                self.few()
            }
            Tmsg::Walk { fid, newfid, names } => self.walk(*fid, *newfid, names),
            Tmsg::Open { mode: OREAD, .. } => Ok(()),
            Tmsg::Open { fid, .. } | Tmsg::Remove { fid } => self.outside_host(*fid, b""),
            Tmsg::Create { fid, name, .. } => self.outside_host(*fid, name),
            Tmsg::Write { fid, data, .. } => self.write(*fid, data),
            Tmsg::Wstat { stat, .. } if *stat != sync_stat() => {
                Err(wrong("a wstat that asks for a change"))
            }
            _ => Ok(()),
        }
    }

    fn walk(&mut self, fid: Fid, newfid: Fid, names: &[bytes::Bytes]) -> Result<(), Refusal> {
        for from in self.paths(fid) {
            let mut path = from;
            self.may_be(newfid, path.clone());
            for name in names {
                path.push(b'/');
                path.extend_from_slice(name);
                self.may_be(newfid, path.clone());
            }
        }
        self.few()
    }

    /// Nothing that could name a file of the host's is opened for writing, created or removed.
    fn outside_host(&self, fid: Fid, name: &[u8]) -> Result<(), Refusal> {
        if self.reach == Reach::Open {
            return Ok(());
        }
        for path in self.paths(fid) {
            let path = [path.as_slice(), b"/", name].concat();
            if leads_to_host(&path) {
                return Err(Refusal::HostTree { path: Latin1(path) });
            }
        }
        Ok(())
    }

    fn write(&self, fid: Fid, data: &[u8]) -> Result<(), Refusal> {
        let confined = self.write_confined(fid, data);
        match self.reach {
            Reach::Confined => confined,
            Reach::Open => confined.or_else(|_| in_file(b"", open::check_open(data))),
        }
    }

    fn write_confined(&self, fid: Fid, data: &[u8]) -> Result<(), Refusal> {
        // On a fid that should stand for nothing, it is harmless wherever it goes.
        in_file(b"", check_data(DataRule::Plain, data, Joined::Piece))?;
        for path in self.paths(fid) {
            if !may_be_written(&path) {
                return Err(wrong("a write to a file that is not among the harmless ones"));
            }
            in_file(&path, check_data(data_rule(&path), data, Joined::Piece))?;
        }
        Ok(())
    }

    /// One message, whole or cut off, or a few bytes that are none.
    fn raw(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let kind = bytes.get(4).copied().unwrap_or(0);
        let others = bytes.iter().enumerate().filter(|(at, _)| *at != 4);
        if others.into_iter().any(|(_, byte)| CHANGING.contains(byte)) {
            return Err(wrong("raw bytes that hold a changing message's type"));
        }
        if CHANGING.contains(&kind) {
            let [_, _, _, _, 118, _, _, a, b, c, d, rest @ ..] = bytes else {
                return Err(wrong("a raw message that changes something"));
            };
            let fid = u32::from_le_bytes([*a, *b, *c, *d]);
            self.write(fid, rest.get(12..).unwrap_or_default())?;
        }
        let size =
            bytes.get(..4).map(|head| u32::from_le_bytes([head[0], head[1], head[2], head[3]]));
        let whole =
            size.is_some_and(|size| size as usize == bytes.len()) && bytes.len() >= HEADER_BYTES;
        if size.is_some_and(|size| (HEADER_BYTES..bytes.len()).contains(&(size as usize)))
            || bytes.len() > WIRE_MESSAGE_BYTES
        {
            return Err(wrong("raw bytes of more than one message"));
        }
        self.lost = !whole;
        Ok(())
    }

    fn paths(&self, fid: Fid) -> Vec<Vec<u8>> {
        self.fids.get(&fid).into_iter().flatten().cloned().collect()
    }

    fn may_be(&mut self, fid: Fid, path: Vec<u8>) {
        self.fids.entry(fid).or_default().insert(path);
    }

    /// Every fid may end up as every other: what is tracked has a bound.
    fn few(&self) -> Result<(), Refusal> {
        let many = self.fids.len() > FIDS || self.fids.values().any(|paths| paths.len() > PATHS);
        if many { Err(wrong("fids that may stand for too many files")) } else { Ok(()) }
    }
}

/// Judges a whole script. Bytes that are no message are judged alike at every level: what follows them
/// could be taken for anything, and no answer could be judged.
pub(super) fn guard_wire(steps: &[WireStep], root: Fid, reach: Reach) -> Result<(), Refusal> {
    let mut judge = WireJudge::new(root, reach);
    steps.iter().try_for_each(|step| judge.judge(step))
}

/// Directories take no writes, so they may be asked.
fn may_be_written(path: &[u8]) -> bool {
    let parts: Vec<&[u8]> = super::elements(path).collect();
    let slashes = path.iter().filter(|&&byte| byte == b'/').count();
    // An empty name makes the path another than it looks.
    if slashes != parts.len() || parts.iter().any(|part| super::is_dots(part)) {
        return false;
    }
    match parts.as_slice() {
        [] | [b"pane" | b"col"] | [b"pane" | b"col", _] => true,
        [b"pane", _, file] | [file] => WRITABLE.contains(file),
        _ => false,
    }
}

fn wrong(why: &'static str) -> Refusal {
    Refusal::Wire { why }
}
