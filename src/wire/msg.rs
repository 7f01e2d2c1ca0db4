//! The 9P2000 messages as values (intro(9P)).

use bytes::Bytes;

/// Names a file to the server; chosen by the client.
pub type Fid = u32;
/// Names an outstanding request; chosen by the client.
pub type Tag = u16;

/// The tag of a Tversion.
pub const NOTAG: Tag = 0xffff;
/// The afid of a Tattach without authentication.
pub const NOFID: Fid = 0xffff_ffff;

/// Open for reading (open(9P)).
pub const OREAD: u8 = 0;
/// Open for writing.
pub const OWRITE: u8 = 1;
/// Open for both.
pub const ORDWR: u8 = 2;
/// Open for execution: as reading, checked against the execute bit.
pub const OEXEC: u8 = 3;
/// Truncate on open.
pub const OTRUNC: u8 = 0x10;
/// Remove when the fid is clunked.
pub const ORCLOSE: u8 = 0x40;

/// A mode's bit for a directory (stat(9P)).
pub const DMDIR: u32 = 0x8000_0000;
/// A mode's bit for an append-only file.
pub const DMAPPEND: u32 = 0x4000_0000;
/// A qid's type bit for a directory.
pub const QTDIR: u8 = 0x80;
/// A qid's type bit for an append-only file.
pub const QTAPPEND: u8 = 0x40;
/// A qid's type for a plain file.
pub const QTFILE: u8 = 0;

/// The server's own name for a file: two equal paths are one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Qid {
    /// The high 8 bits of the file's mode.
    pub kind: u8,
    /// Changes when the file does.
    pub version: u32,
    /// Unique to the file among all of the server's.
    pub path: u64,
}

/// A request. Strings are bytes: a peer's may be no UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the manual pages, by their names there")]
pub enum Tmsg {
    Version { msize: u32, version: Bytes },
    Auth { afid: Fid, uname: Bytes, aname: Bytes },
    Attach { fid: Fid, afid: Fid, uname: Bytes, aname: Bytes },
    Flush { oldtag: Tag },
    Walk { fid: Fid, newfid: Fid, names: Vec<Bytes> },
    Open { fid: Fid, mode: u8 },
    Create { fid: Fid, name: Bytes, perm: u32, mode: u8 },
    Read { fid: Fid, offset: u64, count: u32 },
    Write { fid: Fid, offset: u64, data: Bytes },
    Clunk { fid: Fid },
    Remove { fid: Fid },
    Stat { fid: Fid },
    Wstat { fid: Fid, stat: Bytes },
}

/// A reply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the manual pages, by their names there")]
pub enum Rmsg {
    Version {
        msize: u32,
        version: Bytes,
    },
    Auth {
        aqid: Qid,
    },
    Attach {
        qid: Qid,
    },
    Error {
        ename: Bytes,
    },
    Flush,
    Walk {
        qids: Vec<Qid>,
    },
    Open {
        qid: Qid,
        iounit: u32,
    },
    Create {
        qid: Qid,
        iounit: u32,
    },
    Read {
        data: Bytes,
    },
    Write {
        count: u32,
    },
    Clunk,
    Remove,
    /// The entry as it stands in the message, its own size field included.
    Stat {
        stat: Bytes,
    },
    Wstat,
}

impl Tmsg {
    /// The fid that the request is about; not one that it makes.
    pub fn fid(&self) -> Option<Fid> {
        match self {
            Tmsg::Walk { fid, .. }
            | Tmsg::Open { fid, .. }
            | Tmsg::Create { fid, .. }
            | Tmsg::Read { fid, .. }
            | Tmsg::Write { fid, .. }
            | Tmsg::Clunk { fid }
            | Tmsg::Remove { fid }
            | Tmsg::Stat { fid }
            | Tmsg::Wstat { fid, .. } => Some(*fid),
            Tmsg::Version { .. } | Tmsg::Auth { .. } | Tmsg::Attach { .. } | Tmsg::Flush { .. } => {
                None
            }
        }
    }

    /// The message's type byte.
    pub fn kind(&self) -> u8 {
        match self {
            Tmsg::Version { .. } => 100,
            Tmsg::Auth { .. } => 102,
            Tmsg::Attach { .. } => 104,
            Tmsg::Flush { .. } => 108,
            Tmsg::Walk { .. } => 110,
            Tmsg::Open { .. } => 112,
            Tmsg::Create { .. } => 114,
            Tmsg::Read { .. } => 116,
            Tmsg::Write { .. } => 118,
            Tmsg::Clunk { .. } => 120,
            Tmsg::Remove { .. } => 122,
            Tmsg::Stat { .. } => 124,
            Tmsg::Wstat { .. } => 126,
        }
    }
}

impl Rmsg {
    /// The message's type byte.
    pub fn kind(&self) -> u8 {
        match self {
            Rmsg::Version { .. } => 101,
            Rmsg::Auth { .. } => 103,
            Rmsg::Attach { .. } => 105,
            Rmsg::Error { .. } => RERROR,
            Rmsg::Flush => 109,
            Rmsg::Walk { .. } => 111,
            Rmsg::Open { .. } => 113,
            Rmsg::Create { .. } => 115,
            Rmsg::Read { .. } => 117,
            Rmsg::Write { .. } => 119,
            Rmsg::Clunk => 121,
            Rmsg::Remove => 123,
            Rmsg::Stat { .. } => 125,
            Rmsg::Wstat => 127,
        }
    }
}

/// The type byte of an Rerror.
pub const RERROR: u8 = 107;

/// A type byte's name as the manual pages write it, or `type N`.
pub fn kind_name(kind: u8) -> String {
    const NAMES: [&str; 14] = [
        "version", "auth", "attach", "error", "flush", "walk", "open", "create", "read", "write",
        "clunk", "remove", "stat", "wstat",
    ];
    match kind {
        100..=127 => {
            let letter = if kind.is_multiple_of(2) { 'T' } else { 'R' };
            format!("{letter}{}", NAMES[usize::from((kind - 100) / 2)])
        }
        other => format!("type {other}"),
    }
}
