//! Ready-made beginnings of scripts: exchanges that servers have been seen to get wrong.

use bytes::Bytes;

use super::{SEVENTEEN, SIXTEEN};
use crate::ops::WireStep;
use crate::wire::msg::{Fid, NOFID, NOTAG, ORDWR, OREAD, OWRITE, Tmsg};

choices! {
    /// A beginning, and the steps it has.
    pub enum WireStory : fn() -> Vec<WireStep> {
        Nothing = Vec::new,
        HeldReadFlushed = held_read_flushed,
        FlushedTwice = flushed_twice,
        FlushOfNothing = flush_of_nothing,
        TagInUse = tag_in_use,
        PartialWalk = partial_walk,
        FirstNameMissing = first_name_missing,
        ManyNames = many_names,
        FidInUse = fid_in_use,
        OpenState = open_state,
        Clunked = clunked,
        Removed = removed,
        NeverBound = never_bound,
        Counts = counts,
        Versions = versions,
        TinyMsize = tiny_msize,
        DirectoryReads = directory_reads,
        SameFileTwice = same_file_twice,
        InTwoPieces = in_two_pieces,
        InFlight = in_flight,
        RefusedWrite = refused_write,
    }
}

impl WireStory {
    /// The steps it begins a script with.
    pub(super) fn steps(self) -> Vec<WireStep> {
        self.value()()
    }
}

const WAIT: WireStep = WireStep::Wait;
/// The root's fid after the handshake.
const ROOT: Fid = 1;
const BODY: [&[u8]; 3] = [b"pane", b"{p0}", b"body"];
const ADDR: [&[u8]; 3] = [b"pane", b"{p0}", b"addr"];

fn walk(fid: Fid, newfid: Fid, names: &[&'static [u8]]) -> WireStep {
    let names = names.iter().map(|name| Bytes::from_static(name)).collect();
    WireStep::send(Tmsg::Walk { fid, newfid, names })
}

fn open(fid: Fid, mode: u8) -> WireStep {
    WireStep::send(Tmsg::Open { fid, mode })
}

fn read(fid: Fid, offset: u64, count: u32) -> WireStep {
    WireStep::send(Tmsg::Read { fid, offset, count })
}

fn write(fid: Fid, data: &'static [u8]) -> WireStep {
    WireStep::send(Tmsg::Write { fid, offset: 0, data: Bytes::from_static(data) })
}

fn clunk(fid: Fid) -> WireStep {
    WireStep::send(Tmsg::Clunk { fid })
}

fn stat(fid: Fid) -> WireStep {
    WireStep::send(Tmsg::Stat { fid })
}

fn flush(oldtag: u16) -> WireStep {
    WireStep::send(Tmsg::Flush { oldtag })
}

fn version(msize: u32, version: &'static [u8]) -> WireStep {
    WireStep::send(Tmsg::Version { msize, version: Bytes::from_static(version) })
}

fn attach(fid: Fid) -> WireStep {
    let (uname, aname) = (Bytes::from_static(b"none"), Bytes::new());
    WireStep::send(Tmsg::Attach { fid, afid: NOFID, uname, aname })
}

/// A pane's events, opened and read while there are none.
fn held_read() -> Vec<WireStep> {
    let event: [&[u8]; 3] = [b"pane", b"{p0}", b"event"];
    let read = WireStep::tagged(2, Tmsg::Read { fid: 2, offset: 0, count: 8_192 });
    vec![walk(ROOT, 2, &event), WAIT, open(2, OREAD), WAIT, read, WAIT]
}

fn held_read_flushed() -> Vec<WireStep> {
    let again = WireStep::tagged(2, Tmsg::Stat { fid: 2 });
    [held_read(), vec![flush(2), WAIT, again, WAIT]].concat()
}

fn flushed_twice() -> Vec<WireStep> {
    let flush_of_flush = WireStep::tagged(3, Tmsg::Flush { oldtag: 2 });
    [held_read(), vec![flush_of_flush, flush(2), flush(3), WAIT, clunk(2), WAIT]].concat()
}

fn flush_of_nothing() -> Vec<WireStep> {
    let itself = WireStep::tagged(3, Tmsg::Flush { oldtag: 3 });
    vec![flush(77), WAIT, flush(NOTAG), WAIT, itself, WAIT]
}

fn tag_in_use() -> Vec<WireStep> {
    let second = WireStep::tagged(2, Tmsg::Stat { fid: ROOT });
    [held_read(), vec![second, WAIT, flush(2), WAIT]].concat()
}

fn partial_walk() -> Vec<WireStep> {
    vec![
        walk(ROOT, 2, &[b"pane", b"nosuch", b"body"]),
        WAIT,
        stat(2),
        WAIT,
        walk(ROOT, 2, &BODY),
        WAIT,
    ]
}

fn first_name_missing() -> Vec<WireStep> {
    vec![walk(ROOT, 2, &[b"nosuch"]), WAIT, stat(2), WAIT]
}

fn many_names() -> Vec<WireStep> {
    vec![
        walk(ROOT, 2, &SEVENTEEN),
        WAIT,
        stat(2),
        WAIT,
        walk(ROOT, 3, &SIXTEEN),
        WAIT,
        stat(3),
        WAIT,
    ]
}

fn fid_in_use() -> Vec<WireStep> {
    vec![walk(ROOT, 2, &BODY), WAIT, walk(ROOT, 2, &[b"index"]), WAIT, attach(2), WAIT]
}

fn open_state() -> Vec<WireStep> {
    vec![
        walk(ROOT, 2, &BODY),
        WAIT,
        read(2, 0, 16),
        WAIT,
        write(2, b"x"),
        WAIT,
        open(2, OREAD),
        WAIT,
        open(2, ORDWR),
        WAIT,
        walk(2, 3, &[]),
        WAIT,
        write(2, b"alpha\n"),
        WAIT,
    ]
}

fn clunked() -> Vec<WireStep> {
    vec![
        walk(ROOT, 2, &BODY),
        WAIT,
        clunk(2),
        WAIT,
        stat(2),
        WAIT,
        clunk(2),
        WAIT,
        walk(ROOT, 2, &BODY),
        WAIT,
    ]
}

fn removed() -> Vec<WireStep> {
    let remove = WireStep::send(Tmsg::Remove { fid: 2 });
    vec![walk(ROOT, 2, &BODY), WAIT, remove, WAIT, stat(2), WAIT, walk(ROOT, 2, &BODY), WAIT]
}

fn never_bound() -> Vec<WireStep> {
    vec![stat(5), walk(6, 7, &BODY), open(8, OREAD), WAIT, read(5, 0, 16), clunk(6), WAIT]
}

fn counts() -> Vec<WireStep> {
    let mut steps = vec![walk(ROOT, 2, &BODY), WAIT, open(2, OREAD), WAIT];
    for count in [u32::MAX, u32::MAX - 11, 0, 1 << 31, 65_549] {
        steps.extend([read(2, 0, count), WAIT, read(2, u64::MAX, count), WAIT]);
    }
    steps
}

fn versions() -> Vec<WireStep> {
    vec![
        walk(ROOT, 2, &BODY),
        WAIT,
        version(8_192, b"9P2000"),
        WAIT,
        stat(2),
        stat(ROOT),
        WAIT,
        version(8_192, b"8P2000"),
        WAIT,
        version(8_192, b"9P2000.u"),
        WAIT,
    ]
}

fn tiny_msize() -> Vec<WireStep> {
    let mut steps = vec![version(256, b"9P2000"), WAIT, attach(ROOT), WAIT];
    steps.extend([walk(ROOT, 2, &[b"README"]), WAIT, open(2, OREAD), WAIT]);
    steps.extend([read(2, 0, 8_192), WAIT, version(24, b"9P2000"), WAIT, attach(ROOT), WAIT]);
    steps
}

fn directory_reads() -> Vec<WireStep> {
    let mut steps = vec![open(ROOT, OREAD), WAIT];
    for (offset, count) in [(0, 100), (1, 100), (0, 70), (1 << 40, 100), (0, 1), (0, 8_192)] {
        steps.extend([read(ROOT, offset, count), WAIT]);
    }
    steps
}

fn same_file_twice() -> Vec<WireStep> {
    vec![walk(ROOT, 2, &BODY), WAIT, stat(2), WAIT, walk(2, 3, &[]), WAIT, stat(3), WAIT]
}

fn in_two_pieces() -> Vec<WireStep> {
    let cut = WireStep::Send { tag: None, cut: Some(5), message: Tmsg::Stat { fid: ROOT } };
    vec![cut.clone(), WAIT, cut, WAIT]
}

fn in_flight() -> Vec<WireStep> {
    vec![
        walk(ROOT, 2, &BODY),
        walk(ROOT, 3, &ADDR),
        walk(ROOT, 4, &[b"index"]),
        stat(5),
        flush(0),
        WAIT,
        clunk(2),
        clunk(3),
        clunk(4),
        WAIT,
    ]
}

fn refused_write() -> Vec<WireStep> {
    vec![
        walk(ROOT, 2, &ADDR),
        WAIT,
        open(2, OWRITE),
        WAIT,
        write(2, b""),
        WAIT,
        write(2, b"#99999999"),
        WAIT,
        read(2, 0, 16),
        WAIT,
    ]
}
