//! Runs a given sequence of ops exactly, up to the first failure.

use super::{End, RunError, Runner};
use crate::ops::Op;
use crate::record::Finding;

/// What a replay came to.
#[derive(Debug)]
pub struct Replayed {
    /// The failure and the step it happened at, counting from 0.
    pub found: Option<(usize, Finding)>,
    /// Clean quits on the way.
    pub quits: usize,
    /// Steps that asked for nothing, or not for all: the guard refused them, or there was no such
    /// handle.
    pub not_run: usize,
}

/// Runs `ops` in fresh sessions and ends them. `watch` is told of every step.
pub fn replay(
    runner: &mut Runner,
    ops: &[Op],
    mut watch: impl FnMut(usize, &Op, &End),
) -> Result<Replayed, RunError> {
    runner.end()?;
    let mut replayed = Replayed { found: None, quits: 0, not_run: 0 };
    for (step, op) in ops.iter().enumerate() {
        let end = runner.step(op)?;
        watch(step, op, &end);
        match end {
            End::Done(outcome) => replayed.not_run += usize::from(outcome.note.is_some()),
            End::Quit => replayed.quits += 1,
            End::Found(finding) => {
                replayed.found = Some((step, finding));
                break;
            }
        }
    }
    runner.end()?;
    Ok(replayed)
}
