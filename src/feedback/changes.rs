//! What changed between two readings of a target's counters, as libFuzzer's counters have it.

use std::sync::atomic::{AtomicU8, Ordering};

/// Counters that are compared at once.
const STRIDE: usize = 8;

/// Adds to `into` how much each counter grew since `before`, in levels, and gives how many did. A
/// counter begins again after 255, and so does the difference; where there are more counters than
/// places, several share one.
pub fn feed(before: &[u8], now: &[u8], into: &[AtomicU8]) -> usize {
    let mut changed = 0;
    let strides = before.chunks(STRIDE).zip(now.chunks(STRIDE));
    // Most of a large program stays as it was.
    for (stride, (before, now)) in strides.enumerate().filter(|(_, (before, now))| before != now) {
        for (index, (before, now)) in before.iter().zip(now).enumerate() {
            let growth = now.wrapping_sub(*before);
            if growth > 0 {
                changed += 1;
                add(into, stride * STRIDE + index, level(growth));
            }
        }
    }
    changed
}

/// Once, a few times, or often. libFuzzer would tell eight levels apart and keeps accounts of each
/// that it has seldom seen: with all of them a run from the seeds was 15 % slower. Every step
/// asks many things, so finer levels would mostly tell how many steps there were.
fn level(growth: u8) -> u8 {
    match growth {
        0 | 1 => growth,
        2..=15 => 4,
        16.. => 32,
    }
}

fn add(into: &[AtomicU8], index: usize, growth: u8) {
    let Some(folded) = index.checked_rem(into.len()) else { return };
    let counter = &into[folded];
    let sum = counter.load(Ordering::Relaxed).saturating_add(growth);
    counter.store(sum, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(before: &[u8], now: &[u8], places: usize) -> (usize, Vec<u8>) {
        let into: Vec<AtomicU8> = (0..places).map(|_| AtomicU8::new(0)).collect();
        let changed = feed(before, now, &into);
        (changed, into.into_iter().map(AtomicU8::into_inner).collect())
    }

    #[test]
    fn what_grew_is_told_and_the_rest_is_not() {
        let before = [9; 19];
        let mut now = before;
        (now[0], now[7], now[8], now[18]) = (10, 11, 25, 255);
        let (changed, told) = fed(&before, &now, 32);
        let mut want = vec![0; 32];
        (want[0], want[7], want[8], want[18]) = (1, 4, 32, 32);
        assert_eq!((changed, told), (4, want));
        assert_eq!(fed(&before, &before, 32), (0, vec![0; 32]));
    }

    #[test]
    fn a_counter_that_began_again_grew() {
        assert_eq!(fed(&[250], &[4], 1), (1, vec![4]));
        assert_eq!(fed(&[255], &[0], 1), (1, vec![1]));
    }

    #[test]
    fn counters_beyond_the_places_share_them_and_stop_at_their_most() {
        assert_eq!(fed(&[0; 5], &[1, 2, 3, 200, 15], 2), (5, vec![9, 36]));
        assert_eq!(fed(&[0; 20], &[99; 20], 2), (20, vec![255, 255]));
        assert_eq!(fed(&[0], &[1], 0), (1, vec![]));
    }
}
