//! Inputs to bytes within a limit.

use crate::input::Input;
use crate::input::encode::Encode as _;

/// The least that an input is encoded in, in bytes.
pub const EMPTY_BYTES: usize = 2;

/// Puts the encoding into `data` within `max_size`, and gives its length. Steps are dropped from the
/// end until the rest fits; below [`EMPTY_BYTES`] the encoding itself is cut.
pub fn put(input: &Input, data: &mut [u8], max_size: usize) -> usize {
    let max_size = max_size.min(data.len());
    let mut bytes = encode_within(input, max_size.max(EMPTY_BYTES));
    bytes.truncate(max_size);
    data[..bytes.len()].copy_from_slice(&bytes);
    bytes.len()
}

/// As [`Input::encode`], up to the last step that fits.
fn encode_within(input: &Input, max_size: usize) -> Vec<u8> {
    let mut out = Vec::new();
    input.follower.encode_to(&mut out);
    for step in &input.steps {
        let before = out.len();
        true.encode_to(&mut out);
        step.encode_to(&mut out);
        if out.len() >= max_size {
            out.truncate(before);
            break;
        }
    }
    false.encode_to(&mut out);
    out
}
