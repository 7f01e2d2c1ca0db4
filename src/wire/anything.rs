//! Everything that can be made of bytes, made: the body of the fuzz target `frame9p`.

use bytes::{Bytes, BytesMut};

use super::codec::{self, Message};
use super::frame::Frames;
use super::limits::HEADER_BYTES;
use super::msg::{Rmsg, Tmsg};
use super::stat;

/// The msize of the stream that the bytes are taken for: small, so that sizes on both sides of it
/// are common.
const MSIZE_BYTES: u32 = 4_096;

/// Cuts `bytes` into frames in two ways of arriving and decodes each in both directions; panics if
/// the two ways differ, if a frame is beyond its bounds, or if a message that was decoded does not
/// encode to the very bytes it came from.
pub fn decode_anything(bytes: &[u8]) {
    let whole = frames(bytes, bytes.len().max(1));
    assert_eq!(whole, frames(bytes, 1), "framing depends on how bytes arrive");
    for frame in whole {
        assert!((HEADER_BYTES..=MSIZE_BYTES as usize).contains(&frame.len()));
        both_ways::<Tmsg>(&frame);
        both_ways::<Rmsg>(&frame);
    }
    let listing = Bytes::copy_from_slice(bytes);
    if let Ok(entries) = stat::entries(listing.clone()) {
        let mut again = BytesMut::new();
        for entry in &entries {
            entry.encode(&mut again).expect("a decoded entry fits");
        }
        assert_eq!(again, listing, "a listing does not encode to itself");
    }
}

fn frames(bytes: &[u8], piece: usize) -> Vec<Bytes> {
    let mut stream = Frames::new(MSIZE_BYTES);
    let mut all = Vec::new();
    for piece in bytes.chunks(piece) {
        stream.push(piece);
        while let Ok(Some(frame)) = stream.next_frame() {
            all.push(frame);
        }
    }
    all
}

fn both_ways<M: Message>(frame: &Bytes) {
    let Ok((tag, message)) = codec::decode::<M>(frame.clone()) else { return };
    let mut again = BytesMut::new();
    codec::encode(&message, tag, &mut again).expect("a decoded message fits");
    assert_eq!(&again, frame, "a message does not encode to itself");
}
