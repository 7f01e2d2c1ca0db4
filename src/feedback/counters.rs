//! libFuzzer's extra counters. Apart from the rest because naming a link section is unsafe: the
//! section's one object is this array of bytes, which is what libFuzzer takes it for.
#![allow(unsafe_code)]

use std::sync::atomic::AtomicU8;

/// How many behaviours can be told apart, but for collisions.
const BEHAVIOURS: usize = 8_192;
/// How many of a target's counters can be told apart; where it has more, they share. As many as
/// the stand-in has in a fuzz build, with room to grow, and the executable's own and all of these
/// together stay below what libFuzzer tells apart: 262,144. libFuzzer goes over all of them at
/// each input, which takes it some 12 microseconds.
const COVERED: usize = 114_688;

/// The counters, one byte each.
#[repr(C, align(8))]
pub(super) struct Counters(pub(super) [AtomicU8; BEHAVIOURS + COVERED]);

/// Written by the code under it, zeroed and read by libFuzzer. Not kept where nothing writes it:
/// the other fuzz targets run a thousand times as often.
#[unsafe(link_section = "__libfuzzer_extra_counters")]
pub(super) static COUNTERS: Counters = Counters([const { AtomicU8::new(0) }; BEHAVIOURS + COVERED]);

/// Those of behaviours.
pub(super) fn behaviour() -> &'static [AtomicU8] {
    COUNTERS.0.split_at(BEHAVIOURS).0
}

/// Those of the target's coverage.
pub fn coverage() -> &'static [AtomicU8] {
    COUNTERS.0.split_at(BEHAVIOURS).1
}
