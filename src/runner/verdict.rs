//! Whether a failure happens again, and from what: so that every failure ends as something that can
//! be run again.

use std::time::{Duration, Instant};

use super::trial::{Budget, Majority, Trials};
use super::{RunError, Runner};
use crate::minimize::minimize;
use crate::ops::Op;
use crate::record::{Finding, Verdict};

/// Replays of an input alone; all of them must fail for it to reproduce alone.
const ALONE_REPLAYS: u32 = 3;
/// Replays that tell the rate of what fails now and then, and those of an input before its history
/// is suspected.
const RATE_REPLAYS: u32 = 12;
const DOUBT_REPLAYS: u32 = 9;

/// Replays of what a journal comes down to, all of which must fail.
const SURE_REPLAYS: u32 = 6;

/// What may be spent on a verdict, minimizing included.
#[derive(Clone, Copy, Debug)]
pub struct Spending {
    /// Replays.
    pub replays: u32,
    /// Seconds.
    pub seconds: u64,
}

/// What libFuzzer's targets spend.
pub const VERDICT_SPENDING: Spending = Spending { replays: 400, seconds: 60 };

/// A verdict and its grounds.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Whether it happens again.
    pub verdict: Verdict,
    /// What was replayed, and how often it failed.
    pub evidence: String,
    /// What to replay: the input, or what of the journal is needed.
    pub ops: Vec<Op>,
    /// The same, as small as it could be made within the budget; nothing if nothing was tried.
    pub minimized: Option<Vec<Op>>,
}

/// Replays `input` alone in fresh sessions, then, if it does not fail so, `journal`; what fails is
/// minimized with what is left of the budget. `runner` has no session meanwhile.
pub fn judge(
    runner: &mut Runner,
    finding: &Finding,
    input: &[Op],
    journal: &[Op],
    spending: Spending,
) -> Result<Judged, RunError> {
    runner.end()?;
    let deadline = Instant::now() + Duration::from_secs(spending.seconds);
    let budget = Budget { replays: spending.replays, deadline };
    let signature = finding.signature();
    let trials = |majority, budget| {
        Trials::new(runner, signature.clone(), majority, budget, |_: &[Op], _| {})
    };
    let mut first = trials(Majority::ONCE, budget);
    let mut judged = first_verdict(&mut first, input, journal);
    let budget = first.end()?;
    let majority = match judged.verdict {
        Verdict::Flaky { failed: 0, .. } => return Ok(judged),
        Verdict::Flaky { failed, tried } => Majority::of(failed, tried),
        _ => Majority::ALWAYS,
    };
    let mut second = trials(majority, budget);
    let small = minimize(&judged.ops, &mut second);
    if judged.verdict == Verdict::WithHistory {
        let (mut failed, mut tried) = second.rate(&small, SURE_REPLAYS);
        if failed < tried {
            // No matter of what came before: it fails by chance.
            let (again, retried) = second.rate(&small, RATE_REPLAYS - SURE_REPLAYS);
            (failed, tried) = (failed + again, tried + retried);
            judged.verdict = Verdict::Flaky { failed, tried };
        }
        judged.evidence += &format!(
            "; the {} ops that this comes down to, {failed} times of {tried}",
            small.len()
        );
    }
    second.end()?;
    judged.minimized = Some(small);
    Ok(judged)
}

fn first_verdict<F: FnMut(&[Op], u32)>(
    trials: &mut Trials<F>,
    input: &[Op],
    journal: &[Op],
) -> Judged {
    let judged = |verdict, evidence, ops: &[Op]| Judged {
        verdict,
        evidence,
        ops: ops.to_vec(),
        minimized: None,
    };
    let (failed, tried) = trials.rate(input, ALONE_REPLAYS);
    let alone = format!("the input alone failed {failed} times of {tried}");
    if failed == tried && tried == ALONE_REPLAYS {
        return judged(Verdict::Alone, alone, input);
    }
    let (mut failed, mut tried) = (failed, tried);
    let mut up_to = |replays: u32, failed: &mut u32, tried: &mut u32| {
        let (again, retried) = trials.rate(input, replays.saturating_sub(*tried));
        (*failed, *tried) = (*failed + again, *tried + retried);
    };
    if failed == 0 && input != journal {
        up_to(DOUBT_REPLAYS, &mut failed, &mut tried);
    }
    if failed > 0 || input == journal {
        up_to(RATE_REPLAYS, &mut failed, &mut tried);
    }
    let alone = format!("the input alone failed {failed} times of {tried}");
    if failed > 0 || input == journal {
        return judged(Verdict::Flaky { failed, tried }, alone, input);
    }
    let (with, of) = trials.rate(journal, ALONE_REPLAYS);
    let evidence = format!(
        "{alone}; all since the session began, {} ops, {with} times of {of}",
        journal.len()
    );
    let verdict = match with {
        0 => Verdict::Flaky { failed: 0, tried: tried + of },
        _ if with == of => Verdict::WithHistory,
        _ => Verdict::Flaky { failed: with, tried: of },
    };
    judged(verdict, evidence, journal)
}
