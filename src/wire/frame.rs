//! Cuts a byte stream into frames, however it arrives, and bounds what a peer may announce.

use bytes::{Bytes, BytesMut};
use thiserror::Error;

use super::limits::HEADER_BYTES;

/// Why a stream cannot be cut any further; it is of no more use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FrameError {
    /// A size field below a header's length.
    #[error("a message announces {0} bytes, fewer than its header")]
    Small(u32),
    /// A size field above the connection's msize.
    #[error("a message announces {size} bytes, more than the msize of {msize}")]
    Large {
        /// What it announces.
        size: u32,
        /// What was agreed.
        msize: u32,
    },
}

/// Collects bytes and gives whole frames. Holds at most one message of `msize` bytes and what one
/// read brought besides: nothing is set aside for a size that was only announced.
#[derive(Debug)]
pub struct Frames {
    buffer: BytesMut,
    msize: u32,
}

impl Frames {
    /// A stream whose messages hold at most `msize` bytes.
    pub fn new(msize: u32) -> Self {
        Frames { buffer: BytesMut::new(), msize }
    }

    /// Changes the bound, once Tversion has agreed on one.
    pub fn set_msize(&mut self, msize: u32) {
        self.msize = msize;
    }

    /// Appends what the stream brought.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// How many bytes wait for the rest of their message.
    pub fn pending_bytes(&self) -> usize {
        self.buffer.len()
    }

    /// The next whole frame, size field included; nothing if its rest is still to come.
    pub fn next_frame(&mut self) -> Result<Option<Bytes>, FrameError> {
        let Some(head) = self.buffer.get(..4) else { return Ok(None) };
        let size = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        if (size as usize) < HEADER_BYTES {
            return Err(FrameError::Small(size));
        }
        if size > self.msize {
            return Err(FrameError::Large { size, msize: self.msize });
        }
        if self.buffer.len() < size as usize {
            return Ok(None);
        }
        Ok(Some(self.buffer.split_to(size as usize).freeze()))
    }
}
