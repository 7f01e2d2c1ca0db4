//! Whole exchanges on a connection: the handshake, walks, and files read and written by path.

use std::time::Duration;

use bytes::Bytes;

use super::conn::{Conn, ROOT_FID, WireError};
use super::limits::{
    MSIZE_MIN_BYTES, READ_ALL_BYTES, READ_OVERHEAD_BYTES, REPLY_TIMEOUT_MS, WALK_NAMES,
};
use super::msg::{Fid, NOFID, OREAD, OWRITE, Rmsg, Tmsg};

/// Either what was asked for, or the server's refusal in its own words.
pub type Answer<T> = Result<Result<T, String>, WireError>;

const VERSION: &[u8] = b"9P2000";

fn reply_timeout() -> Duration {
    Duration::from_millis(REPLY_TIMEOUT_MS)
}

/// A path's elements: what lies between its slashes, empty ones left out.
pub fn split(path: &[u8]) -> Vec<Bytes> {
    path.split(|&byte| byte == b'/')
        .filter(|name| !name.is_empty())
        .map(Bytes::copy_from_slice)
        .collect()
}

impl Conn {
    /// Agrees on a version and an msize (version(9P)) and attaches the root to [`ROOT_FID`].
    pub async fn handshake(&self) -> Result<(), WireError> {
        let offered = self.msize();
        let version = Tmsg::Version { msize: offered, version: Bytes::from_static(VERSION) };
        match self.call(&version, reply_timeout()).await? {
            Ok(Rmsg::Version { msize, version }) if version == VERSION => {
                if !(MSIZE_MIN_BYTES..=offered).contains(&msize) {
                    return Err(WireError::Dropped(format!(
                        "Rversion with msize {msize}: offered {offered}"
                    )));
                }
                self.set_msize(msize);
            }
            other => return Err(WireError::Dropped(format!("Tversion answered {other:?}"))),
        }
        let (uname, aname) = (Bytes::from_static(b"none"), Bytes::new());
        let attach = Tmsg::Attach { fid: ROOT_FID, afid: NOFID, uname, aname };
        match self.call(&attach, reply_timeout()).await? {
            Ok(_) => Ok(()),
            Err(why) => Err(WireError::Dropped(format!("Tattach answered Rerror: {why}"))),
        }
    }

    /// Walks from the root; a walk that stops short is a refusal and binds nothing (walk(9P)).
    pub async fn walk(&self, names: &[Bytes]) -> Answer<Fid> {
        let fid = self.new_fid();
        let mut from = ROOT_FID;
        let mut rest = names;
        loop {
            let (part, after) = rest.split_at(rest.len().min(WALK_NAMES));
            let message = Tmsg::Walk { fid: from, newfid: fid, names: part.to_vec() };
            let refused = match self.call(&message, reply_timeout()).await {
                Ok(Ok(Rmsg::Walk { qids })) if qids.len() == part.len() => None,
                Ok(Ok(_)) => Some("walk stopped short".to_owned()),
                Ok(Err(why)) => Some(why),
                Err(WireError::Unsendable(why)) => Some(why),
                Err(why) => return Err(why),
            };
            if let Some(why) = refused {
                if from == fid {
                    self.clunk(fid).await?.ok();
                }
                return Ok(Err(why));
            }
            if after.is_empty() {
                return Ok(Ok(fid));
            }
            (from, rest) = (fid, after);
        }
    }

    /// Opens a fid.
    pub async fn open(&self, fid: Fid, mode: u8, timeout: Duration) -> Answer<()> {
        Ok(self.call(&Tmsg::Open { fid, mode }, timeout).await?.map(drop))
    }

    /// Gives a fid back.
    pub async fn clunk(&self, fid: Fid) -> Answer<()> {
        self.clunk_within(fid, reply_timeout()).await
    }

    /// Gives a fid back whose close may run what was written to it.
    pub async fn clunk_within(&self, fid: Fid, timeout: Duration) -> Answer<()> {
        Ok(self.call(&Tmsg::Clunk { fid }, timeout).await?.map(drop))
    }

    /// One read; `count` is bounded by the msize.
    pub async fn read(&self, fid: Fid, offset: u64, count: u32) -> Answer<Bytes> {
        let message = self.read_message(fid, offset, count);
        Ok(match self.call(&message, reply_timeout()).await? {
            Ok(Rmsg::Read { data }) => Ok(data),
            Ok(_) => Ok(Bytes::new()),
            Err(why) => Err(why),
        })
    }

    /// A Tread whose reply fits the msize.
    pub fn read_message(&self, fid: Fid, offset: u64, count: u32) -> Tmsg {
        let count = count.min(self.msize().saturating_sub(READ_OVERHEAD_BYTES));
        Tmsg::Read { fid, offset, count }
    }

    /// Reads from offset 0 until an empty read or [`READ_ALL_BYTES`].
    pub async fn read_all(&self, fid: Fid, count: u32) -> Answer<Bytes> {
        let mut data = Vec::new();
        while data.len() < READ_ALL_BYTES {
            match self.read(fid, data.len() as u64, count).await? {
                Ok(piece) if piece.is_empty() => break,
                Ok(piece) => data.extend_from_slice(&piece),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(data.into()))
    }

    /// Walks, opens for reading, reads all, clunks.
    pub async fn read_path(&self, path: &[u8]) -> Answer<Bytes> {
        let fid = match self.walk(&split(path)).await? {
            Ok(fid) => fid,
            Err(why) => return Ok(Err(why)),
        };
        let data = match self.open(fid, OREAD, reply_timeout()).await? {
            Ok(()) => self.read_all(fid, u32::MAX).await?,
            Err(why) => Err(why),
        };
        self.clunk(fid).await?.ok();
        Ok(data)
    }

    /// Walks, opens for writing, writes once, clunks.
    pub async fn write_path(&self, path: &[u8], data: &[u8]) -> Answer<()> {
        self.write_path_within(path, data, reply_timeout()).await
    }

    /// The same, where the reply to the write may take its time.
    pub async fn write_path_within(
        &self,
        path: &[u8],
        data: &[u8],
        timeout: Duration,
    ) -> Answer<()> {
        let fid = match self.walk(&split(path)).await? {
            Ok(fid) => fid,
            Err(why) => return Ok(Err(why)),
        };
        let done = match self.open(fid, OWRITE, reply_timeout()).await? {
            Ok(()) => {
                let data = Bytes::copy_from_slice(data);
                let message = Tmsg::Write { fid, offset: 0, data };
                self.call(&message, timeout).await?.map(drop)
            }
            Err(why) => Err(why),
        };
        self.clunk_within(fid, timeout).await?.ok();
        Ok(done)
    }
}
