//! Where payloads are rendered to: bytes up to a limit, so that no input asks for more.

/// The most data that one op writes, in bytes.
pub const MAX_DATA_BYTES: usize = 256 << 10;
/// What is rendered leaves room for what the sanitizer may add: a newline at either end.
pub const RENDERED_BYTES: usize = MAX_DATA_BYTES - 2;

/// Bytes, of which those past the limit are dropped.
#[derive(Clone, Debug, Default)]
pub struct Out(Vec<u8>);

impl Out {
    /// Appends what there is room for.
    pub fn put(&mut self, bytes: &[u8]) {
        let room = RENDERED_BYTES - self.0.len();
        self.0.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Appends `bytes` several times.
    pub fn repeat(&mut self, bytes: &[u8], times: usize) {
        for _ in 0..times {
            if self.0.len() == RENDERED_BYTES {
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
        self.0
    }
}
