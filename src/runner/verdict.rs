//! Whether a failure happens again, and from what.

use super::{Runner, replay};
use crate::ops::Op;
use crate::record::{Finding, Verdict};

/// Replays of an input alone; all of them must fail for it to reproduce alone.
const ALONE_REPLAYS: u32 = 3;

/// Replays `input` alone in fresh sessions, then, if it never failed, `journal`. A replay that cannot
/// be made counts as one that did not fail.
pub fn verdict(runner: &mut Runner, finding: &Finding, input: &[Op], journal: &[Op]) -> Verdict {
    let signature = finding.signature();
    let mut again = |ops: &[Op]| match replay(runner, ops, |_, _, _| {}) {
        Ok(replayed) => replayed.found.is_some_and(|(_, found)| found.signature() == signature),
        Err(why) => {
            eprintln!("monkey9p: a replay for the verdict: {why}");
            false
        }
    };
    let failed = (0..ALONE_REPLAYS).filter(|_| again(input)).count() as u32;
    match failed {
        ALONE_REPLAYS => Verdict::Alone,
        0 if input != journal && again(journal) => Verdict::WithHistory,
        0 if input != journal => Verdict::Flaky { failed, tried: ALONE_REPLAYS + 1 },
        _ => Verdict::Flaky { failed, tried: ALONE_REPLAYS },
    }
}
