//! Whether a failure happens again, and from what.

use super::{RunError, Runner, replay};
use crate::ops::Op;
use crate::record::{Finding, Verdict};

/// Replays of an input alone before its history is asked.
const ALONE_REPLAYS: u32 = 2;

/// Replays `input` alone, then `journal`, each in fresh sessions, until one fails as `finding` did.
pub fn verdict(
    runner: &mut Runner,
    finding: &Finding,
    input: &[Op],
    journal: &[Op],
) -> Result<Verdict, RunError> {
    let signature = finding.signature();
    let mut again = |ops: &[Op]| -> Result<bool, RunError> {
        let replayed = replay(runner, ops, |_, _, _| {})?;
        Ok(replayed.found.is_some_and(|(_, found)| found.signature() == signature))
    };
    for _ in 0..ALONE_REPLAYS {
        if again(input)? {
            return Ok(Verdict::Alone);
        }
    }
    if input != journal && again(journal)? {
        return Ok(Verdict::WithHistory);
    }
    Ok(Verdict::Flaky { failed: 0, tried: ALONE_REPLAYS + u32::from(input != journal) })
}
