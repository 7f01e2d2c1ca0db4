//! Scripts of raw messages: few and colliding tags and fids, and stories that begin them.

mod literal;
mod story;

use bytes::Bytes;

use crate::ops::{Reach, WIRE_STEPS, WireJudge, WireStep, sync_stat};
use crate::wire::ROOT_FID;
use crate::wire::msg::{Fid, NOFID, NOTAG, Tag, Tmsg};

pub use literal::LiteralWire;
pub use story::WireStory;

vocabulary! {
    /// A script: a story, then whatever comes.
    pub struct Script {
        /// What it begins with.
        pub story: WireStory,
        /// What follows.
        pub rest: Vec<WireMessage>,
    }

    /// One step of a script.
    #[derive(Copy)]
    pub struct WireMessage {
        /// Its tag.
        pub tag: WireTag,
        /// After how many bytes it pauses, if it does.
        pub cut: Option<u8>,
        /// What it is.
        pub what: WireWhat,
    }

    /// What a step sends, or does.
    #[derive(Copy)]
    #[allow(missing_docs, reason = "the fields are those of the manual pages")]
    pub enum WireWhat {
        /// Tversion.
        Version { msize: WireMsize, version: WireVersion },
        /// Tauth.
        Auth { afid: WireFid },
        /// Tattach.
        Attach { fid: WireFid, afid: WireFid },
        /// Tflush.
        Flush { oldtag: WireTag },
        /// Twalk.
        Walk { fid: WireFid, newfid: WireFid, path: WirePath },
        /// Topen.
        Open { fid: WireFid, mode: WireMode },
        /// Tcreate of a directory.
        Create { fid: WireFid, name: WireName },
        /// Tread.
        Read { fid: WireFid, offset: WireOffset, count: WireCount },
        /// Twrite.
        Write { fid: WireFid, offset: WireOffset, data: WireData },
        /// Tclunk.
        Clunk(fid: WireFid),
        /// Tremove.
        Remove(fid: WireFid),
        /// Tstat.
        Stat(fid: WireFid),
        /// Twstat that asks for no change.
        Wstat(fid: WireFid),
        /// Bytes that are no request.
        Raw(bytes: WireRaw),
        /// Wait for the answers.
        Wait,
        /// Hang up.
        Hangup,
    }
}

tables! {
    /// A tag; the messages told none have each their own.
    pub table WireTag: Option<Tag> = [None, Some(0), Some(1), Some(2), Some(3), Some(NOTAG)];

    /// A fid. The root is at 1 unless the script says otherwise.
    pub table WireFid: Fid = [1, 2, 3, 4, 5, 6, 7, 8, 0, NOFID];

    /// A message size to agree on.
    pub table WireMsize: u32 = [
        65_560, 8_192, 256, 4_096, 0, 1, 7, 24, 64, 255, 257, 131_096, 1 << 24, u32::MAX,
    ];

    /// A protocol's version.
    pub table WireVersion: &'static [u8] = [
        b"9P2000", b"9P2000.u", b"9P2000.L", b"9P1999", b"9P3000", b"9P", b"", b"unknown",
        b"8P2000", b"9p2000", b"9P2000.", b"HTTP/1.1", b"9P2000\0", b"9P20000000000000000000",
    ];

    /// Names of one walk.
    pub table WirePath: &'static [&'static [u8]] = [
        &[], &[b"pane", b"{p0}", b"body"], &[b"pane", b"{p1}", b"addr"], &[b"pane"], &[b"index"],
        &[b"log"], &[b"pane", b"{p0}"], &[b"nosuch"], &[b"pane", b"nosuch", b"body"],
        &[b"pane", b"{p0}", b"nosuch"], &[b".."], &[b"..", b"..", b"index"], &[b"pane", b".."],
        &[b""], &[b"pane", b""], &[b"."], &[b"pane/{p0}"], &[b"/"], &[b"index\0"], &[b"\0"],
        &[b"body"], &[b"{p0}"], &[b"addr"], &[b"pane", b"{g0}", b"body"], &[b"col"],
        &[b"index", b".."], &[b"pane", b"{p0}", b"event"], &[b"\xff\xfe"], &SEVENTEEN, &SIXTEEN,
        &[b"pane", b"new"], &[b"col", b"{c0}", b"tag"],
    ];

    /// How a file is opened.
    pub table WireMode: u8 = [0, 1, 2, 3, 0x10, 0x11, 0x40, 0x80, 0xff];

    /// What is created.
    pub table WireName: &'static [u8] = [b"new", b".", b"..", b"", b"x", b"a/b", b"\0"];

    /// Where is read or written.
    pub table WireOffset: u64 =
        [0, 1, 3, 64, 100, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, u64::MAX - 1, u64::MAX];

    /// How much is read.
    pub table WireCount: u32 = [
        64, 0, 1, 10, 200, 8_192, 65_536, 65_549, 131_072, 1 << 31, u32::MAX - 11, u32::MAX - 1,
        u32::MAX,
    ];

    /// What is written.
    pub table WireData: &'static [u8] = [b"alpha\n", b"", b"x", b"#0", b"1", b"\xe6\x97", b"\0"];

    /// Bytes that are no request: sizes that cannot be, replies, types that are none, messages that
    /// end too soon or go on too long.
    pub table WireRaw: &'static [u8] = [
        b"\0\0\0\0", b"\x03\0\0\0", b"\xff\xff\xff\xff", b"\x06\0\0\0d\x01", b"\0\0\0\0d\xff\xff",
        b"\x03\0\0\0x\x01\0", b"\xff\xff\xff\xffx\x01\0\x01\0\0\0", b"\0\0\0\x80d\xff\xff",
        b"\0\0\x10\0x\x01\0\x01\0\0\0", b"\x07\0\0\0m\x01\0", b"\x07\0\0\0y\x01\0",
        b"\x0b\0\0\0k\x01\0\x02\0no", b"\x07\0\0\0\0\x01\0", b"\x07\0\0\0\xff\x01\0",
        b"\x07\0\0\0j\x01\0", b"\x07\0\0\0\x80\x01\0", b"\x07\0\0\0x\x01\0",
        b"\x09\0\0\0x\x01\0\x01\0", b"\x0c\0\0\0x\x01\0\x08\0\0\0\0", b"\x0b\0\0\0|\x01\0\x01\0\0",
        b"\x17\0\0\0t\x01\0\x01\0\0\0\0\0\0\0", b"\x13\0\0\0n\x01\0\x01\0\0\0\x02\0\0\0\xff\xff\xff\xff",
        b"\x0d\0\0\0d\xff\xff\0\0\x01\0\xff\xff", b"\x1b\0\0\0v\x01\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\x10\0\0abcd",
        b"\x1b\0\0\0v\x01\0\x02\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xffabcd",
    ];
}

const SIXTEEN: [&[u8]; 16] = [b".."; 16];
const SEVENTEEN: [&[u8]; 17] = [b".."; 17];

impl Script {
    /// The steps, without those that the guard would refuse.
    pub(in crate::input) fn render(&self) -> Vec<WireStep> {
        let mut judge = WireJudge::new(ROOT_FID, Reach::Confined);
        let steps = self.story.steps().into_iter().chain(self.rest.iter().map(WireMessage::step));
        steps.filter(|step| judge.judge(step).is_ok()).take(WIRE_STEPS).collect()
    }
}

impl WireMessage {
    fn step(&self) -> WireStep {
        let message = match self.what.message() {
            Ok(message) => message,
            Err(step) => return step,
        };
        WireStep::Send { tag: self.tag.value(), cut: self.cut.map(u16::from), message }
    }
}

impl WireWhat {
    /// The message, or a step that is none.
    fn message(self) -> Result<Tmsg, WireStep> {
        let bytes = Bytes::from_static;
        Ok(match self {
            WireWhat::Version { msize, version } => {
                Tmsg::Version { msize: msize.value(), version: bytes(version.value()) }
            }
            WireWhat::Auth { afid } => {
                Tmsg::Auth { afid: afid.value(), uname: bytes(b"none"), aname: bytes(b"") }
            }
            WireWhat::Attach { fid, afid } => Tmsg::Attach {
                fid: fid.value(),
                afid: afid.value(),
                uname: bytes(b"none"),
                aname: bytes(b""),
            },
            WireWhat::Flush { oldtag } => Tmsg::Flush { oldtag: oldtag.value().unwrap_or(9) },
            WireWhat::Walk { fid, newfid, path } => {
                let names = path.value().iter().map(|name| bytes(name)).collect();
                Tmsg::Walk { fid: fid.value(), newfid: newfid.value(), names }
            }
            WireWhat::Open { fid, mode } => Tmsg::Open { fid: fid.value(), mode: mode.value() },
            WireWhat::Create { fid, name } => Tmsg::Create {
                fid: fid.value(),
                name: bytes(name.value()),
                perm: crate::wire::msg::DMDIR | 0o777,
                mode: 0,
            },
            WireWhat::Read { fid, offset, count } => {
                Tmsg::Read { fid: fid.value(), offset: offset.value(), count: count.value() }
            }
            WireWhat::Write { fid, offset, data } => {
                Tmsg::Write { fid: fid.value(), offset: offset.value(), data: bytes(data.value()) }
            }
            WireWhat::Clunk(fid) => Tmsg::Clunk { fid: fid.value() },
            WireWhat::Remove(fid) => Tmsg::Remove { fid: fid.value() },
            WireWhat::Stat(fid) => Tmsg::Stat { fid: fid.value() },
            WireWhat::Wstat(fid) => Tmsg::Wstat { fid: fid.value(), stat: sync_stat() },
            WireWhat::Raw(raw) => return Err(WireStep::Raw { bytes: raw.value().into() }),
            WireWhat::Wait => return Err(WireStep::Wait),
            WireWhat::Hangup => return Err(WireStep::Hangup),
        })
    }
}
