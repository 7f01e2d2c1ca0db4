//! Changes to the order and number of steps.

use super::shares;
use crate::input::Step;
use crate::input::generate::Draw;

/// The longest run that goes, moves or comes twice, in steps.
const RUN_STEPS: usize = 6;

/// Puts a run in, often at the end: what came before makes the state that it meets.
pub fn insert(steps: &mut Vec<Step>, at: usize, run: Vec<Step>) {
    let at = at.min(steps.len());
    steps.splice(at..at, run);
}

/// Where a run may come.
pub fn place(steps: &[Step], draw: &mut Draw) -> usize {
    if draw.percent(shares::AT_END) { steps.len() } else { draw.place(steps.len() + 1) }
}

/// Takes a run out.
pub fn remove(steps: &mut Vec<Step>, draw: &mut Draw) {
    drop(take(steps, draw));
}

/// Puts a run in once more, anywhere.
pub fn double(steps: &mut Vec<Step>, draw: &mut Draw) {
    let (begin, end) = run(steps, draw);
    let copy = steps[begin..end].to_vec();
    insert(steps, place(steps, draw), copy);
}

/// Lets two steps change places.
pub fn swap(steps: &mut [Step], draw: &mut Draw) {
    let (one, other) = (draw.place(steps.len()), draw.place(steps.len()));
    if one != other {
        steps.swap(one, other);
    }
}

/// Moves a run to anywhere.
pub fn shift(steps: &mut Vec<Step>, draw: &mut Draw) {
    let run = take(steps, draw);
    insert(steps, draw.place(steps.len() + 1), run);
}

fn take(steps: &mut Vec<Step>, draw: &mut Draw) -> Vec<Step> {
    let (begin, end) = run(steps, draw);
    steps.drain(begin..end).collect()
}

/// A run, mostly short: where it begins and ends.
fn run(steps: &[Step], draw: &mut Draw) -> (usize, usize) {
    let begin = draw.place(steps.len());
    let length = 1 + draw.place(RUN_STEPS);
    let length = 1 + draw.place(length);
    (begin, steps.len().min(begin + length))
}
