//! Two inputs' steps in one, cut between steps.

use super::shares;
use crate::input::generate::Draw;
use crate::input::{Input, Step};

/// The longest run that is taken from one input before the other's turn, when they interleave.
const TURN_STEPS: usize = 6;

/// One input of two.
pub fn cross(one: &Input, other: &Input, draw: &mut Draw) -> Input {
    let steps = match draw.share(&shares::CROSSOVERS) {
        0 => one_point(&one.steps, &other.steps, draw),
        1 => two_points(&one.steps, &other.steps, draw),
        _ => interleave(&one.steps, &other.steps, draw),
    };
    Input { follower: if draw.coin() { one.follower } else { other.follower }, steps }
}

/// One's beginning, the other's end.
fn one_point(one: &[Step], other: &[Step], draw: &mut Draw) -> Vec<Step> {
    let (head, tail) = (draw.place(one.len() + 1), draw.place(other.len() + 1));
    [&one[..head], &other[tail..]].concat()
}

/// One with a run of the other's in the place of a run of its own, which may be empty.
fn two_points(one: &[Step], other: &[Step], draw: &mut Draw) -> Vec<Step> {
    let (head, rest) = (draw.place(one.len() + 1), draw.place(one.len() + 1));
    let (begin, end) = (draw.place(other.len() + 1), draw.place(other.len() + 1));
    let run = &other[begin.min(end)..begin.max(end)];
    [&one[..head.min(rest)], run, &one[head.max(rest)..]].concat()
}

/// Runs of both in turn, each's in its own order.
fn interleave<'a>(mut one: &'a [Step], mut other: &'a [Step], draw: &mut Draw) -> Vec<Step> {
    let mut steps = Vec::with_capacity(one.len() + other.len());
    while !one.is_empty() {
        let (run, rest) = one.split_at(one.len().min(1 + draw.place(TURN_STEPS)));
        steps.extend_from_slice(run);
        (one, other) = (other, rest);
    }
    steps.extend_from_slice(other);
    steps
}
