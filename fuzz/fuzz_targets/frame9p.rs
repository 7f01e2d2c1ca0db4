//! Our own framing and decoder on hostile bytes, in process.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| monkey9p::wire::decode_anything(bytes));
