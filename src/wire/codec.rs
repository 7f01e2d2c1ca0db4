//! Messages to bytes and back; a decoder that takes nothing of a peer's on trust.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use thiserror::Error;

use super::limits::HEADER_BYTES;
use super::msg::{Qid, Rmsg, Tag, Tmsg, kind_name};

/// Why bytes are no message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The frame ends inside a field.
    #[error("{message} ends inside its {field}")]
    Short {
        /// The message's name.
        message: String,
        /// The field's name.
        field: &'static str,
    },
    /// The frame goes on after the last field.
    #[error("{message} has {extra} bytes after its last field")]
    Trailing {
        /// The message's name.
        message: String,
        /// How many.
        extra: usize,
    },
    /// The type byte is none of the wanted direction.
    #[error("{0} is not a message of this direction")]
    Kind(String),
}

/// Why a message has no bytes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// A string or list is longer than its count field can say.
    #[error("{field} of {length} does not fit its count field")]
    TooLong {
        /// The field's name.
        field: &'static str,
        /// Its length in bytes or items.
        length: usize,
    },
}

/// A message of one direction, to and from the body of a frame.
pub trait Message: Sized {
    /// The message's type byte.
    fn type_byte(&self) -> u8;
    /// Appends the fields after the header.
    fn put_body(&self, out: &mut BytesMut) -> Result<(), EncodeError>;
    /// Reads the fields after the header; `body` must be used up exactly.
    fn take_body(kind: u8, body: Bytes) -> Result<Self, DecodeError>;
}

/// Appends `message` as one whole frame; `out` is as it was if that fails.
pub fn encode<M: Message>(message: &M, tag: Tag, out: &mut BytesMut) -> Result<(), EncodeError> {
    let start = out.len();
    out.put_u32_le(0);
    out.put_u8(message.type_byte());
    out.put_u16_le(tag);
    if let Err(why) = message.put_body(out) {
        out.truncate(start);
        return Err(why);
    }
    let size = u32::try_from(out.len() - start).map_err(|_| {
        let length = out.len() - start;
        EncodeError::TooLong { field: "message", length }
    })?;
    out[start..start + 4].copy_from_slice(&size.to_le_bytes());
    Ok(())
}

/// Reads one whole frame, its size field included. The frame's length is the framing's affair
/// (`frame::Frames`): here only what lies inside it is judged.
pub fn decode<M: Message>(frame: Bytes) -> Result<(Tag, M), DecodeError> {
    let (kind, tag) = header(&frame)
        .ok_or_else(|| DecodeError::Short { message: "message".into(), field: "header" })?;
    Ok((tag, M::take_body(kind, frame.slice(HEADER_BYTES..))?))
}

/// A frame's type byte and tag, or nothing if it is too short to have them.
pub fn header(frame: &[u8]) -> Option<(u8, Tag)> {
    let head = frame.get(..HEADER_BYTES)?;
    Some((head[4], u16::from_le_bytes([head[5], head[6]])))
}

/// Appends a string with its 2-byte count.
pub fn put_string(out: &mut BytesMut, field: &'static str, text: &[u8]) -> Result<(), EncodeError> {
    let length = text.len();
    let count = u16::try_from(length).map_err(|_| EncodeError::TooLong { field, length })?;
    out.put_u16_le(count);
    out.put_slice(text);
    Ok(())
}

fn put_qid(out: &mut BytesMut, qid: &Qid) {
    out.put_u8(qid.kind);
    out.put_u32_le(qid.version);
    out.put_u64_le(qid.path);
}

/// Takes fields off the front of a body, each bounded by what is there.
pub(super) struct Fields {
    kind: u8,
    body: Bytes,
}

impl Fields {
    pub(super) fn new(kind: u8, body: Bytes) -> Self {
        Fields { kind, body }
    }

    fn need(&self, bytes: usize, field: &'static str) -> Result<(), DecodeError> {
        if self.body.len() >= bytes {
            return Ok(());
        }
        Err(DecodeError::Short { message: kind_name(self.kind), field })
    }

    pub(super) fn u8(&mut self, field: &'static str) -> Result<u8, DecodeError> {
        self.need(1, field)?;
        Ok(self.body.get_u8())
    }

    pub(super) fn u16(&mut self, field: &'static str) -> Result<u16, DecodeError> {
        self.need(2, field)?;
        Ok(self.body.get_u16_le())
    }

    pub(super) fn u32(&mut self, field: &'static str) -> Result<u32, DecodeError> {
        self.need(4, field)?;
        Ok(self.body.get_u32_le())
    }

    pub(super) fn u64(&mut self, field: &'static str) -> Result<u64, DecodeError> {
        self.need(8, field)?;
        Ok(self.body.get_u64_le())
    }

    pub(super) fn bytes(
        &mut self,
        count: usize,
        field: &'static str,
    ) -> Result<Bytes, DecodeError> {
        self.need(count, field)?;
        Ok(self.body.split_to(count))
    }

    pub(super) fn string(&mut self, field: &'static str) -> Result<Bytes, DecodeError> {
        let count = self.u16(field)?;
        self.bytes(usize::from(count), field)
    }

    pub(super) fn qid(&mut self, field: &'static str) -> Result<Qid, DecodeError> {
        Ok(Qid { kind: self.u8(field)?, version: self.u32(field)?, path: self.u64(field)? })
    }

    /// A counted list. The count is a peer's claim: nothing is set aside for it beforehand.
    fn list<T>(
        &mut self,
        field: &'static str,
        mut item: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let count = self.u16(field)?;
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }

    pub(super) fn end<T>(self, value: T) -> Result<T, DecodeError> {
        if self.body.is_empty() {
            return Ok(value);
        }
        let extra = self.body.len();
        Err(DecodeError::Trailing { message: kind_name(self.kind), extra })
    }
}

fn count_u16(field: &'static str, length: usize) -> Result<u16, EncodeError> {
    u16::try_from(length).map_err(|_| EncodeError::TooLong { field, length })
}

fn put_data(out: &mut BytesMut, data: &[u8]) -> Result<(), EncodeError> {
    let length = data.len();
    let count =
        u32::try_from(length).map_err(|_| EncodeError::TooLong { field: "data", length })?;
    out.put_u32_le(count);
    out.put_slice(data);
    Ok(())
}

impl Message for Tmsg {
    fn type_byte(&self) -> u8 {
        self.kind()
    }

    fn put_body(&self, out: &mut BytesMut) -> Result<(), EncodeError> {
        match self {
            Tmsg::Version { msize, version } => {
                out.put_u32_le(*msize);
                put_string(out, "version", version)?;
            }
            Tmsg::Auth { afid, uname, aname } => {
                out.put_u32_le(*afid);
                put_string(out, "uname", uname)?;
                put_string(out, "aname", aname)?;
            }
            Tmsg::Attach { fid, afid, uname, aname } => {
                out.put_u32_le(*fid);
                out.put_u32_le(*afid);
                put_string(out, "uname", uname)?;
                put_string(out, "aname", aname)?;
            }
            Tmsg::Flush { oldtag } => out.put_u16_le(*oldtag),
            Tmsg::Walk { fid, newfid, names } => {
                out.put_u32_le(*fid);
                out.put_u32_le(*newfid);
                out.put_u16_le(count_u16("wname", names.len())?);
                for name in names {
                    put_string(out, "wname", name)?;
                }
            }
            Tmsg::Open { fid, mode } => {
                out.put_u32_le(*fid);
                out.put_u8(*mode);
            }
            Tmsg::Create { fid, name, perm, mode } => {
                out.put_u32_le(*fid);
                put_string(out, "name", name)?;
                out.put_u32_le(*perm);
                out.put_u8(*mode);
            }
            Tmsg::Read { fid, offset, count } => {
                out.put_u32_le(*fid);
                out.put_u64_le(*offset);
                out.put_u32_le(*count);
            }
            Tmsg::Write { fid, offset, data } => {
                out.put_u32_le(*fid);
                out.put_u64_le(*offset);
                put_data(out, data)?;
            }
            Tmsg::Clunk { fid } | Tmsg::Remove { fid } | Tmsg::Stat { fid } => out.put_u32_le(*fid),
            Tmsg::Wstat { fid, stat } => {
                out.put_u32_le(*fid);
                put_string(out, "stat", stat)?;
            }
        }
        Ok(())
    }

    fn take_body(kind: u8, body: Bytes) -> Result<Self, DecodeError> {
        let mut f = Fields::new(kind, body);
        let message = match kind {
            100 => Tmsg::Version { msize: f.u32("msize")?, version: f.string("version")? },
            102 => Tmsg::Auth {
                afid: f.u32("afid")?,
                uname: f.string("uname")?,
                aname: f.string("aname")?,
            },
            104 => Tmsg::Attach {
                fid: f.u32("fid")?,
                afid: f.u32("afid")?,
                uname: f.string("uname")?,
                aname: f.string("aname")?,
            },
            108 => Tmsg::Flush { oldtag: f.u16("oldtag")? },
            110 => Tmsg::Walk {
                fid: f.u32("fid")?,
                newfid: f.u32("newfid")?,
                names: f.list("wname", |f| f.string("wname"))?,
            },
            112 => Tmsg::Open { fid: f.u32("fid")?, mode: f.u8("mode")? },
            114 => Tmsg::Create {
                fid: f.u32("fid")?,
                name: f.string("name")?,
                perm: f.u32("perm")?,
                mode: f.u8("mode")?,
            },
            116 => {
                Tmsg::Read { fid: f.u32("fid")?, offset: f.u64("offset")?, count: f.u32("count")? }
            }
            118 => {
                let (fid, offset, count) = (f.u32("fid")?, f.u64("offset")?, f.u32("count")?);
                Tmsg::Write { fid, offset, data: f.bytes(count as usize, "data")? }
            }
            120 => Tmsg::Clunk { fid: f.u32("fid")? },
            122 => Tmsg::Remove { fid: f.u32("fid")? },
            124 => Tmsg::Stat { fid: f.u32("fid")? },
            126 => Tmsg::Wstat { fid: f.u32("fid")?, stat: f.string("stat")? },
            other => return Err(DecodeError::Kind(kind_name(other))),
        };
        f.end(message)
    }
}

impl Message for Rmsg {
    fn type_byte(&self) -> u8 {
        self.kind()
    }

    fn put_body(&self, out: &mut BytesMut) -> Result<(), EncodeError> {
        match self {
            Rmsg::Version { msize, version } => {
                out.put_u32_le(*msize);
                put_string(out, "version", version)?;
            }
            Rmsg::Auth { aqid } => put_qid(out, aqid),
            Rmsg::Attach { qid } => put_qid(out, qid),
            Rmsg::Error { ename } => put_string(out, "ename", ename)?,
            Rmsg::Walk { qids } => {
                out.put_u16_le(count_u16("wqid", qids.len())?);
                for qid in qids {
                    put_qid(out, qid);
                }
            }
            Rmsg::Open { qid, iounit } | Rmsg::Create { qid, iounit } => {
                put_qid(out, qid);
                out.put_u32_le(*iounit);
            }
            Rmsg::Read { data } => put_data(out, data)?,
            Rmsg::Write { count } => out.put_u32_le(*count),
            Rmsg::Stat { stat } => put_string(out, "stat", stat)?,
            Rmsg::Flush | Rmsg::Clunk | Rmsg::Remove | Rmsg::Wstat => {}
        }
        Ok(())
    }

    fn take_body(kind: u8, body: Bytes) -> Result<Self, DecodeError> {
        let mut f = Fields::new(kind, body);
        let message = match kind {
            101 => Rmsg::Version { msize: f.u32("msize")?, version: f.string("version")? },
            103 => Rmsg::Auth { aqid: f.qid("aqid")? },
            105 => Rmsg::Attach { qid: f.qid("qid")? },
            107 => Rmsg::Error { ename: f.string("ename")? },
            109 => Rmsg::Flush,
            111 => Rmsg::Walk { qids: f.list("wqid", |f| f.qid("wqid"))? },
            113 => Rmsg::Open { qid: f.qid("qid")?, iounit: f.u32("iounit")? },
            115 => Rmsg::Create { qid: f.qid("qid")?, iounit: f.u32("iounit")? },
            117 => {
                let count = f.u32("count")?;
                Rmsg::Read { data: f.bytes(count as usize, "data")? }
            }
            119 => Rmsg::Write { count: f.u32("count")? },
            121 => Rmsg::Clunk,
            123 => Rmsg::Remove,
            125 => Rmsg::Stat { stat: f.string("stat")? },
            127 => Rmsg::Wstat,
            other => return Err(DecodeError::Kind(kind_name(other))),
        };
        f.end(message)
    }
}
