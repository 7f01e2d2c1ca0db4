//! Whether candidates fail as a finding did: replays in fresh sessions, several at once, within a
//! budget.

use std::time::Instant;

use super::{RunError, Runner, replay};
use crate::minimize::Oracle;
use crate::ops::Op;
use crate::session::Launcher;

/// What may be spent.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Replays.
    pub replays: u32,
    /// Until when.
    pub deadline: Instant,
}

/// How often a candidate is replayed, and how many of those must fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Majority {
    /// Replays of one candidate at the most.
    pub tries: u32,
    /// Of which so many must fail.
    pub needed: u32,
}

impl Majority {
    /// For a first look.
    pub const ONCE: Majority = Majority { tries: 1, needed: 1 };
    /// For what fails each time: what does so only now and then is no smaller form of it.
    pub const ALWAYS: Majority = Majority { tries: 3, needed: 3 };
    /// Replays of one candidate of a rare failure at the most.
    const TRIES: u32 = 15;

    /// For what failed `failed` times of `tried`: about five failures are expected, and half of
    /// those must be seen.
    pub fn of(failed: u32, tried: u32) -> Majority {
        if failed >= tried || failed == 0 {
            return Majority::ALWAYS;
        }
        let tries = (5 * tried).div_ceil(failed).min(Majority::TRIES);
        Majority { tries, needed: (tries * failed / tried / 2).max(1) }
    }
}

/// Replays of candidates, as far as the budget goes.
#[derive(Debug)]
pub struct Trials<F> {
    launcher: Launcher,
    inferred: bool,
    signature: String,
    majority: Majority,
    /// Whether one replay will do, until one of those was misleading: a hang takes its whole timeout
    /// each time that it is seen.
    hasty: bool,
    budget: Budget,
    jobs: usize,
    failed: Option<RunError>,
    progress: F,
}

impl<F: FnMut(&[Op], u32)> Trials<F> {
    /// Replays for failures with that signature; `progress` is told of each smaller sequence, and how
    /// many replays are left.
    pub fn new(
        runner: &Runner,
        signature: String,
        majority: Majority,
        budget: Budget,
        progress: F,
    ) -> Trials<F> {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from).min(JOBS);
        let (launcher, inferred) = (runner.launcher().clone(), runner.inferred());
        let (hasty, failed) = (majority == Majority::ALWAYS, None);
        Trials { launcher, inferred, signature, majority, hasty, budget, jobs, failed, progress }
    }

    /// What is left of the budget; an error if a replay could not be made.
    pub fn end(self) -> Result<Budget, RunError> {
        match self.failed {
            Some(why) => Err(why),
            None => Ok(self.budget),
        }
    }

    /// How often `ops` fail in `tries` replays; fewer are made if the budget is spent.
    pub fn rate(&mut self, ops: &[Op], tries: u32) -> (u32, u32) {
        let (mut failed, mut tried) = (0, 0);
        while tried < tries && self.may_go_on() {
            let round = (self.jobs as u32).min(tries - tried).min(self.budget.replays);
            let same = vec![ops.to_vec(); round as usize];
            let Some(found) = self.round(&same, Majority::ONCE) else { break };
            failed += found.iter().filter(|found| **found).count() as u32;
            tried += round;
        }
        (failed, tried)
    }

    fn may_go_on(&self) -> bool {
        let Budget { replays, deadline } = self.budget;
        replays > 0 && Instant::now() < deadline && self.failed.is_none()
    }

    /// Which of the candidates fail, each in sessions and a thread of its own; nothing if one could
    /// not be run.
    fn round(&mut self, candidates: &[Vec<Op>], majority: Majority) -> Option<Vec<bool>> {
        let (launcher, inferred, signature) = (&self.launcher, self.inferred, &*self.signature);
        let results: Vec<Result<(bool, u32), RunError>> = std::thread::scope(|scope| {
            let threads: Vec<_> = candidates
                .iter()
                .map(|ops| {
                    scope.spawn(move || {
                        let mut runner = Runner::new(launcher.clone(), inferred);
                        tried(&mut runner, ops, signature, majority)
                    })
                })
                .collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            joined.map(|done| done.unwrap_or_else(|why| std::panic::resume_unwind(why))).collect()
        });
        let mut found = Vec::with_capacity(results.len());
        for result in results {
            match result {
                Ok((fails, replays)) => {
                    self.budget.replays = self.budget.replays.saturating_sub(replays);
                    found.push(fails);
                }
                Err(why) => self.failed = Some(why),
            }
        }
        self.failed.is_none().then_some(found)
    }
}

/// Replays one by one that what always fails has to fail, each of them, before it is given; and
/// rounds of as many replays at once as there may be.
const SURE_REPLAYS: u32 = 5;
const SURE_ROUNDS: u32 = 2;
/// Sessions at once, at the most: each is a server, a harness and what they start.
const JOBS: usize = 4;

impl<F: FnMut(&[Op], u32)> Oracle for Trials<F> {
    fn first_failing(&mut self, candidates: &[Vec<Op>]) -> Option<usize> {
        for (at, some) in candidates.chunks(self.jobs).enumerate() {
            if !self.may_go_on() {
                return None;
            }
            let majority = if self.hasty { Majority::ONCE } else { self.majority };
            if let Some(first) = self.round(some, majority)?.iter().position(|fails| *fails) {
                return Some(at * self.jobs + first);
            }
        }
        None
    }

    /// Asked whatever is left of the budget, since what is given must have been seen to fail; one
    /// replay after the other, as whoever gets it will replay it, and several at once: what has the
    /// machine for itself may be faster than what it races with, or slower.
    fn holds(&mut self, ops: &[Op]) -> bool {
        if self.majority != Majority::ALWAYS {
            return true;
        }
        let one_by_one = (0..SURE_REPLAYS).map(|_| 1);
        let at_once = (0..SURE_ROUNDS).map(|_| self.jobs).filter(|&jobs| jobs > 1);
        let rounds: Vec<usize> = one_by_one.chain(at_once).collect();
        let holds = rounds.into_iter().all(|replays| {
            let found = self.round(&vec![ops.to_vec(); replays], Majority::ONCE);
            found.is_some_and(|found| found.iter().all(|found| *found))
        });
        self.hasty &= holds;
        holds
    }

    fn smaller(&mut self, ops: &[Op]) {
        (self.progress)(ops, self.budget.replays);
    }
}

/// Whether enough replays of `ops` fail, and how many were made.
fn tried(
    runner: &mut Runner,
    ops: &[Op],
    signature: &str,
    majority: Majority,
) -> Result<(bool, u32), RunError> {
    let mut failed = 0;
    for tried in 1..=majority.tries {
        let found = replay(runner, ops, |_, _, _| {})?.found;
        failed += u32::from(found.is_some_and(|(_, found)| found.signature() == signature));
        if failed >= majority.needed {
            return Ok((true, tried));
        }
        if failed + (majority.tries - tried) < majority.needed {
            return Ok((false, tried));
        }
    }
    Ok((false, majority.tries))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_failure_is_tried_more_often() {
        assert_eq!(Majority::of(3, 3), Majority::ALWAYS);
        assert_eq!(Majority::of(0, 3), Majority::ALWAYS);
        assert_eq!(Majority::of(1, 3), Majority { tries: 15, needed: 2 });
        assert_eq!(Majority::of(1, 2), Majority { tries: 10, needed: 2 });
        assert_eq!(Majority::of(9, 10), Majority { tries: 6, needed: 2 });
        assert_eq!(Majority::of(1, 100), Majority { tries: 15, needed: 1 });
    }
}
