//! A byte string that carries its length in front, so that a local change to an input stays local.

use std::fmt;

use arbitrary::{Arbitrary, Result, Unstructured};

use super::encode::Encode;
use crate::ops::Latin1;

/// A first byte below this is the length itself.
const SHORT_LIMIT: u8 = 0xfc;
/// The length follows as a 16-bit number.
const MEDIUM: u8 = 0xfc;
/// The length follows as a 32-bit number.
const LONG: u8 = 0xfd;

/// A byte string. The derived decoders of `arbitrary` take a length from the end of all data, where
/// any edit moves it; this one reads it first, and never takes more than there is.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Bytes(pub Vec<u8>);

impl<'a> Arbitrary<'a> for Bytes {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let length = match u8::arbitrary(u)? {
            short @ 0..SHORT_LIMIT => usize::from(short),
            MEDIUM => usize::from(u16::arbitrary(u)?),
            LONG => usize::try_from(u32::arbitrary(u)?).unwrap_or(usize::MAX),
            _ => 0,
        };
        Ok(Bytes(u.bytes(length.min(u.len()))?.to_vec()))
    }

    fn size_hint(_depth: usize) -> (usize, Option<usize>) {
        (1, None)
    }
}

impl Encode for Bytes {
    fn encode_to(&self, out: &mut Vec<u8>) {
        // Past 4 GiB, which no input's decoder can have seen, the rest is dropped.
        let length = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        match (u8::try_from(length), u16::try_from(length)) {
            (Ok(short), _) if short < SHORT_LIMIT => out.push(short),
            (_, Ok(medium)) => {
                out.push(MEDIUM);
                medium.encode_to(out);
            }
            _ => {
                out.push(LONG);
                length.encode_to(out);
            }
        }
        out.extend_from_slice(&self.0[..length as usize]);
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

impl From<&Latin1> for Bytes {
    fn from(text: &Latin1) -> Self {
        Bytes(text.0.clone())
    }
}

impl From<&Bytes> for Latin1 {
    fn from(bytes: &Bytes) -> Self {
        Latin1(bytes.0.clone())
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Bytes(bytes.to_vec())
    }
}
