//! Directory entries (stat(9P)) to bytes and back, and listings of them.

use bytes::{BufMut, Bytes, BytesMut};

use super::codec::{DecodeError, EncodeError, Fields, put_string};
use super::msg::Qid;

/// One directory entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are stat(9P)'s, by their names there")]
pub struct Stat {
    pub kind: u16,
    pub dev: u32,
    pub qid: Qid,
    pub mode: u32,
    pub atime: u32,
    pub mtime: u32,
    pub length: u64,
    pub name: Bytes,
    pub uid: Bytes,
    pub gid: Bytes,
    pub muid: Bytes,
}

impl Stat {
    /// Appends the entry with its size\[2\] in front; `out` is as it was if that fails.
    pub fn encode(&self, out: &mut BytesMut) -> Result<(), EncodeError> {
        let start = out.len();
        let done = self.put(out);
        let size = out.len() - start - 2;
        let fits =
            u16::try_from(size).map_err(|_| EncodeError::TooLong { field: "stat", length: size });
        match done.and(fits) {
            Ok(size) => {
                out[start..start + 2].copy_from_slice(&size.to_le_bytes());
                Ok(())
            }
            Err(why) => {
                out.truncate(start);
                Err(why)
            }
        }
    }

    fn put(&self, out: &mut BytesMut) -> Result<(), EncodeError> {
        out.put_u16_le(0);
        out.put_u16_le(self.kind);
        out.put_u32_le(self.dev);
        out.put_u8(self.qid.kind);
        out.put_u32_le(self.qid.version);
        out.put_u64_le(self.qid.path);
        out.put_u32_le(self.mode);
        out.put_u32_le(self.atime);
        out.put_u32_le(self.mtime);
        out.put_u64_le(self.length);
        put_string(out, "name", &self.name)?;
        put_string(out, "uid", &self.uid)?;
        put_string(out, "gid", &self.gid)?;
        put_string(out, "muid", &self.muid)
    }

    /// Reads one entry, its size\[2\] included; `entry` must be used up exactly.
    pub fn decode(entry: Bytes) -> Result<Stat, DecodeError> {
        let mut outer = Fields::new(125, entry);
        let size = outer.u16("size")?;
        let inner = outer.bytes(usize::from(size), "entry")?;
        outer.end(())?;
        let mut f = Fields::new(125, inner);
        let stat = Stat {
            kind: f.u16("type")?,
            dev: f.u32("dev")?,
            qid: f.qid("qid")?,
            mode: f.u32("mode")?,
            atime: f.u32("atime")?,
            mtime: f.u32("mtime")?,
            length: f.u64("length")?,
            name: f.string("name")?,
            uid: f.string("uid")?,
            gid: f.string("gid")?,
            muid: f.string("muid")?,
        };
        f.end(stat)
    }
}

/// Reads what a directory's reads gave, which must be a whole number of entries (read(9P)).
pub fn entries(mut listing: Bytes) -> Result<Vec<Stat>, DecodeError> {
    let mut all = Vec::new();
    while let Some(entry) = next(&mut listing)? {
        all.push(entry);
    }
    Ok(all)
}

/// Takes the next entry off the front of a listing; nothing at its end.
pub fn next(listing: &mut Bytes) -> Result<Option<Stat>, DecodeError> {
    if listing.is_empty() {
        return Ok(None);
    }
    let short = |field| DecodeError::Short { message: "directory entry".into(), field };
    let size = listing.get(..2).map(|b| u16::from_le_bytes([b[0], b[1]]));
    let whole = usize::from(size.ok_or_else(|| short("size"))?) + 2;
    if listing.len() < whole {
        return Err(short("entry"));
    }
    Stat::decode(listing.split_to(whole)).map(Some)
}
