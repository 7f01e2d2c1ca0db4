//! The stand-in under a hostile client, in process.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| monkey9p::standin::hostile(bytes));
