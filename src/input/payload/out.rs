//! Where payloads are rendered to: bytes up to a limit, so that no input asks for more.

/// The most data that one op writes, in bytes.
pub const MAX_DATA_BYTES: usize = 256 << 10;
/// What the sanitizer may add to it: a newline at either end.
const ADDED_BYTES: usize = 2;

/// Bytes, of which those past the limit are dropped.
#[derive(Clone, Debug)]
pub struct Out {
    bytes: Vec<u8>,
    limit: usize,
}

impl Out {
    /// Room for so many bytes, and never for more than one op writes.
    pub fn new(room: usize) -> Out {
        Out { bytes: Vec::new(), limit: room.min(MAX_DATA_BYTES - ADDED_BYTES) }
    }

    /// How many bytes there may be in all.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Appends what there is room for.
    pub fn put(&mut self, bytes: &[u8]) {
        let room = self.limit - self.bytes.len();
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Appends `bytes` several times.
    pub fn repeat(&mut self, bytes: &[u8], times: usize) {
        for _ in 0..times {
            if self.bytes.len() == self.limit {
                break;
            }
            self.put(bytes);
        }
    }

    /// Appends a number in decimal.
    pub fn number(&mut self, number: i64) {
        self.put(number.to_string().as_bytes());
    }

    /// What was put.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
