//! What libFuzzer is told of a run besides the harness's own coverage: behaviour seen in the
//! replies, and the coverage of the target, read from outside.

mod changes;
mod choice;
mod counters;
mod coverage;
pub mod elf;
pub mod limits;
mod maps;

use std::sync::atomic::Ordering;

pub use choice::{Choice, FEEDBACK_VARIABLE, choice, wrong_choice};
pub use counters::coverage as coverage_counters;
pub use coverage::TargetCoverage;

/// Counts one behaviour, named by its parts: two behaviours differ if any part does. libFuzzer
/// zeroes the counters before each input and reads them after it.
pub fn note(parts: &[&str]) {
    if !choice().behaviour {
        return;
    }
    let counter = &counters::behaviour()[slot(parts)];
    let count = counter.load(Ordering::Relaxed);
    counter.store(count.saturating_add(1), Ordering::Relaxed);
}

/// The same parts give the same counter in every build: a corpus outlives them. So this is FNV-1a,
/// and not the standard library's hash, which may change; a byte no text holds ends each part.
fn slot(parts: &[&str]) -> usize {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0xff]));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash % counters::behaviour().len() as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaviours_are_told_apart_and_counted() {
        assert_ne!(slot(&["a", "b"]), slot(&["ab"]));
        let (one, other) = (slot(&["test", "one"]), slot(&["test", "other"]));
        assert_ne!(one, other);
        for _ in 0..300 {
            note(&["test", "one"]);
        }
        let counters = counters::behaviour();
        assert_eq!(counters[one].load(Ordering::Relaxed), u8::MAX);
        assert_eq!(counters[other].load(Ordering::Relaxed), 0);
    }

    #[test]
    fn the_array_is_as_libfuzzer_wants_it() {
        let all = &counters::COUNTERS.0;
        // Zeroed in words of 8 bytes; eight features a counter, and features wrap at 2^21.
        assert_eq!(all.as_ptr() as usize % 8, 0);
        assert_eq!(all.len() % 8, 0);
        assert!(all.len() < 262_144);
        assert_eq!(counters::behaviour().len() + coverage_counters().len(), all.len());
    }
}
