//! libFuzzer's extra counters. Apart from the rest because naming a link section is unsafe: the
//! section's one object is this array of bytes, which is what libFuzzer takes it for.
#![allow(unsafe_code)]

use std::ops::Deref;
use std::sync::atomic::AtomicU8;

/// How many behaviours can be told apart, but for collisions.
const BEHAVIOURS: usize = 8_192;

/// The counters, one byte each.
#[repr(C, align(8))]
pub struct Counters(pub [AtomicU8; BEHAVIOURS]);

impl Deref for Counters {
    type Target = [AtomicU8];

    fn deref(&self) -> &[AtomicU8] {
        &self.0
    }
}

/// Written by the code under it, zeroed and read by libFuzzer.
#[used]
#[unsafe(link_section = "__libfuzzer_extra_counters")]
pub static COUNTERS: Counters = Counters([const { AtomicU8::new(0) }; BEHAVIOURS]);
