//! A script of raw messages on a connection of its own: what a `wire` op holds.

use bytes::{Bytes, BytesMut};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::Latin1;
use crate::wire::codec::{self, EncodeError};
use crate::wire::msg::{NOTAG, Tag, Tmsg};
use crate::wire::stat::Stat;

/// Steps of one script at the most.
pub const WIRE_STEPS: usize = 64;
/// What one message of a script may take, in bytes.
pub const WIRE_MESSAGE_BYTES: usize = 16 << 10;
/// Where the tags begin that no script chooses: each message has its own there.
const OWN_TAGS: Tag = 0x1000;

/// One step of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WireStep {
    /// Send a message.
    Send {
        /// Its tag; one that no other message of the script has, if absent.
        tag: Option<Tag>,
        /// After how many bytes the message pauses, if it does, so that it arrives in two pieces.
        cut: Option<u16>,
        /// The message.
        message: Tmsg,
    },
    /// Send bytes as they stand.
    Raw {
        /// The bytes.
        bytes: Latin1,
    },
    /// Wait for the answers that are due.
    Wait,
    /// Hang up; nothing comes after it.
    Hangup,
}

impl WireStep {
    /// A message with a tag of its own.
    pub fn send(message: Tmsg) -> WireStep {
        WireStep::Send { tag: None, cut: None, message }
    }

    /// A message with that tag.
    pub fn tagged(tag: Tag, message: Tmsg) -> WireStep {
        WireStep::Send { tag: Some(tag), cut: None, message }
    }
}

/// The tag of the message at `index` of a script.
pub fn wire_tag(index: usize, tag: Option<Tag>, message: &Tmsg) -> Tag {
    match (tag, message) {
        (Some(tag), _) => tag,
        (None, Tmsg::Version { .. }) => NOTAG,
        (None, _) => OWN_TAGS + index as Tag,
    }
}

/// A message as one frame.
pub fn wire_frame(tag: Tag, message: &Tmsg) -> Result<Bytes, EncodeError> {
    let mut out = BytesMut::new();
    codec::encode(message, tag, &mut out)?;
    Ok(out.freeze())
}

/// A wstat's entry that asks for no change (stat(9P): it may stand for a sync).
pub fn sync_stat() -> Bytes {
    let mut out = BytesMut::new();
    let untouched = Stat {
        kind: u16::MAX,
        dev: u32::MAX,
        qid: crate::wire::msg::Qid { kind: u8::MAX, version: u32::MAX, path: u64::MAX },
        mode: u32::MAX,
        atime: u32::MAX,
        mtime: u32::MAX,
        length: u64::MAX,
        ..Stat::default()
    };
    // It has no string that could be too long.
    let _ = untouched.encode(&mut out);
    out.freeze()
}

impl Serialize for WireStep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            WireStep::Send { tag, cut, message } => {
                put_message(&mut map, message)?;
                if let Some(tag) = tag {
                    map.serialize_entry("tag", tag)?;
                }
                if let Some(cut) = cut {
                    map.serialize_entry("cut", cut)?;
                }
            }
            WireStep::Raw { bytes } => {
                map.serialize_entry("do", "raw")?;
                map.serialize_entry("bytes", bytes)?;
            }
            WireStep::Wait => map.serialize_entry("do", "wait")?,
            WireStep::Hangup => map.serialize_entry("do", "hangup")?,
        }
        map.end()
    }
}

/// The fields by the manual pages' names, strings as everywhere in a log.
fn put_message<M: SerializeMap>(map: &mut M, message: &Tmsg) -> Result<(), M::Error> {
    map.serialize_entry("do", wire_verb(message))?;
    let text = |bytes: &Bytes| Latin1(bytes.to_vec());
    match message {
        Tmsg::Version { msize, version } => {
            map.serialize_entry("msize", msize)?;
            map.serialize_entry("version", &text(version))
        }
        Tmsg::Auth { afid, uname, aname } => {
            map.serialize_entry("afid", afid)?;
            map.serialize_entry("uname", &text(uname))?;
            map.serialize_entry("aname", &text(aname))
        }
        Tmsg::Attach { fid, afid, uname, aname } => {
            map.serialize_entry("fid", fid)?;
            map.serialize_entry("afid", afid)?;
            map.serialize_entry("uname", &text(uname))?;
            map.serialize_entry("aname", &text(aname))
        }
        Tmsg::Flush { oldtag } => map.serialize_entry("oldtag", oldtag),
        Tmsg::Walk { fid, newfid, names } => {
            map.serialize_entry("fid", fid)?;
            map.serialize_entry("newfid", newfid)?;
            map.serialize_entry("names", &names.iter().map(text).collect::<Vec<_>>())
        }
        Tmsg::Open { fid, mode } => {
            map.serialize_entry("fid", fid)?;
            map.serialize_entry("mode", mode)
        }
        Tmsg::Create { fid, name, perm, mode } => {
            map.serialize_entry("fid", fid)?;
            map.serialize_entry("name", &text(name))?;
            map.serialize_entry("perm", perm)?;
            map.serialize_entry("mode", mode)
        }
        Tmsg::Read { fid, offset, count } => {
            map.serialize_entry("fid", fid)?;
            map.serialize_entry("offset", offset)?;
            map.serialize_entry("count", count)
        }
        Tmsg::Write { fid, offset, data } => {
            map.serialize_entry("fid", fid)?;
            map.serialize_entry("offset", offset)?;
            map.serialize_entry("data", &text(data))
        }
        Tmsg::Clunk { fid } | Tmsg::Remove { fid } | Tmsg::Stat { fid } => {
            map.serialize_entry("fid", fid)
        }
        Tmsg::Wstat { fid, stat } => {
            map.serialize_entry("fid", fid)?;
            if *stat != sync_stat() {
                map.serialize_entry("stat", &text(stat))?;
            }
            Ok(())
        }
    }
}

/// What a message is called in a script.
pub fn wire_verb(message: &Tmsg) -> &'static str {
    match message {
        Tmsg::Version { .. } => "version",
        Tmsg::Auth { .. } => "auth",
        Tmsg::Attach { .. } => "attach",
        Tmsg::Flush { .. } => "flush",
        Tmsg::Walk { .. } => "walk",
        Tmsg::Open { .. } => "open",
        Tmsg::Create { .. } => "create",
        Tmsg::Read { .. } => "read",
        Tmsg::Write { .. } => "write",
        Tmsg::Clunk { .. } => "clunk",
        Tmsg::Remove { .. } => "remove",
        Tmsg::Stat { .. } => "stat",
        Tmsg::Wstat { .. } => "wstat",
    }
}
