//! Smaller inputs of one that fails, in an order that ends with each step left out by itself.

use std::any::Any;

use super::fit::{EMPTY_BYTES, put};
use crate::input::bytes::Bytes;
use crate::input::generate::Draw;
use crate::input::part::{self, List};
use crate::input::{Input, Step};

/// How often a simpler form is looked for that takes less room, before a step is dropped for it.
const TRIES: usize = 16;
/// Of the attempts after the orderly ones, those that make a step simpler, in percent; the rest drop
/// two steps.
const SIMPLER: u32 = 80;

/// What is made smaller. libFuzzer stacks mutations, but what did not fail is no base for smaller
/// ones: each attempt begins with the input that it was first given.
#[derive(Debug, Default)]
pub struct Shrink {
    base: Vec<u8>,
    /// How many attempts there were with this base.
    attempts: usize,
}

impl Shrink {
    /// Another base, unless it is the same.
    pub fn begin(&mut self, base: &[u8]) {
        if self.base != base {
            *self = Shrink { base: base.to_vec(), attempts: 0 };
        }
    }

    /// Whether there is a base of that size.
    pub fn has(&self, size: usize) -> bool {
        !self.base.is_empty() && self.base.len() == size
    }

    /// Puts the next smaller input into `data`, and gives its length.
    pub fn next(&mut self, data: &mut [u8], max_size: usize, draw: &mut Draw) -> usize {
        let Some(mut input) = Input::decode(&self.base) else { return 0 };
        match chunk(input.steps.len(), self.attempts) {
            Some((begin, end)) => drop(input.steps.drain(begin..end)),
            None if draw.percent(SIMPLER) => simplify_until(&mut input, max_size, draw),
            None => (0..2).for_each(|_| drop_one(&mut input, draw)),
        }
        self.attempts += 1;
        while input.encode().len() > max_size.max(EMPTY_BYTES) {
            drop_one(&mut input, draw);
        }
        put(&input, data, max_size)
    }
}

/// Which steps go in an attempt: halves, then quarters, down to single ones, each time from the end
/// on, since the last ones that are needed end the run. Nothing when all were tried.
fn chunk(steps: usize, attempt: usize) -> Option<(usize, usize)> {
    let (mut attempt, mut length) = (attempt, steps.div_ceil(2));
    while length > 0 {
        let chunks = steps.div_ceil(length);
        if attempt < chunks {
            let end = steps - attempt * length;
            return Some((end.saturating_sub(length), end));
        }
        attempt -= chunks;
        length = if length == 1 { 0 } else { length.div_ceil(2) };
    }
    None
}

fn drop_one(input: &mut Input, draw: &mut Draw) {
    if !input.steps.is_empty() {
        input.steps.remove(draw.place(input.steps.len()));
    }
}

/// Makes steps simpler until the whole fits, within reason.
fn simplify_until(input: &mut Input, max_size: usize, draw: &mut Draw) {
    for _ in 0..TRIES {
        let place = draw.place(input.steps.len() + 1);
        match input.steps.get_mut(place) {
            Some(step) => simplify(step, draw),
            None => input.follower = false,
        }
        if input.encode().len() <= max_size {
            break;
        }
    }
}

/// Makes one part of the step shorter, or its type's plainest. A plainest form may be a long one:
/// then the step stays.
fn simplify(step: &mut Step, draw: &mut Draw) {
    let before = step.clone();
    let at = 1 + draw.place(part::count(step).saturating_sub(1));
    part::at(step, at, &mut |part| {
        if let Some(list) = part.list() {
            return shorten(list, draw);
        }
        let any: &mut dyn Any = part;
        match any.downcast_mut::<Bytes>() {
            Some(Bytes(bytes)) => {
                let (one, other) = (draw.place(bytes.len() + 1), draw.place(bytes.len() + 1));
                bytes.drain(one.min(other)..one.max(other));
            }
            None => part.redraw(&[]),
        }
    });
    if part::encoding(step).len() > part::encoding(&before).len() {
        *step = before;
    }
}

fn shorten(list: &mut dyn List, draw: &mut Draw) {
    let (one, other) = (draw.place(list.count()), draw.place(list.count()));
    list.remove(one.min(other)..one.max(other) + 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_orderly_attempts_end_with_each_step_alone() {
        for steps in 0..70 {
            let all: Vec<_> = (0..).map_while(|attempt| chunk(steps, attempt)).collect();
            assert!(all.len() <= 3 * steps + 8, "{steps}: {}", all.len());
            assert!(all.iter().all(|(begin, end)| begin < end && *end <= steps));
            let single = |at: usize| all.contains(&(at, at + 1));
            assert!((0..steps).all(single), "{steps}: {all:?}");
        }
        assert_eq!(chunk(5, 0), Some((2, 5)));
        assert_eq!(chunk(5, 1), Some((0, 2)));
        assert_eq!(chunk(1, 0), Some((0, 1)));
        assert_eq!(chunk(1, 1), None);
    }
}
