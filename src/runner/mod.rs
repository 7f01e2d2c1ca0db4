//! Joins the rooms: runs ops in a session, checks each outcome, and says what was found.

mod bugs;
mod coverage;
mod fuzz;
mod mutator;
mod random;
mod replay;
mod retell;
mod told;
mod trial;
mod verdict;

use std::collections::BTreeMap;

use thiserror::Error;

pub use bugs::{Found, Recorded, record, rule};
pub use coverage::{Answers, AskedOf, Coverage, Operation, mode_name};
pub use fuzz::{OUT_VARIABLE, VERDICT_VARIABLE, fuzz_one, input_ops, prepare};
pub use mutator::WAY_VARIABLE;
pub use mutator::{crossover, mutate};
pub use random::{Progress, RandomRun, Summary, random_run};
pub use replay::{Replayed, replay};
pub use retell::{Retold, retell};
pub use told::{Slow, Spent, TOLD_VARIABLE, Told};
pub use trial::{Budget, Majority, Trials};
pub use verdict::{Judged, Spending, VERDICT_SPENDING, judge};

use crate::feedback;
use crate::invariants::{Set, Violation};
use crate::ops::Op;
use crate::record::{Finding, blur};
use crate::sandbox::{Level, SandboxError};
use crate::session::log::occurrences;
use crate::session::{
    Answered, Exchange, Failure, FailureKind, Launcher, Outcome, ResetError, Session, StartError,
    Step,
};
use crate::target::file_kind;

/// Inputs that one target lives through before it is replaced.
pub const RECYCLE_INPUTS: u32 = 200;

/// Why a run could not go on; no finding, but no result either.
#[derive(Debug, Error)]
pub enum RunError {
    /// There is no session to be had.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A session could not be ended without a trace.
    #[error(transparent)]
    Teardown(#[from] SandboxError),
    /// A record or log could not be written.
    #[error("{what}: {why}")]
    Write {
        /// Which.
        what: String,
        /// The system's reason.
        why: std::io::Error,
    },
}

/// One step's end.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "nearly every step is Done")]
pub enum End {
    /// Every rule held.
    Done(Outcome),
    /// The target quit cleanly; the next step needs a fresh one.
    Quit,
    /// A rule broke, or worse.
    Found(Finding),
}

/// Sessions of one target, one after the other, and the rules they are held to.
#[derive(Debug)]
pub struct Runner {
    launcher: Launcher,
    invariants: Set,
    inferred: bool,
    session: Option<Session>,
    inputs: u32,
    requests: u64,
    /// What held the last session's target.
    level: Option<Level>,
    /// What the step showed that broke a rule last.
    broke: Option<Outcome>,
    unreachable: BTreeMap<String, u32>,
}

impl Runner {
    /// Nothing is launched yet.
    pub fn new(launcher: Launcher, inferred: bool) -> Runner {
        let invariants = Set::of(&launcher.target, inferred);
        Runner {
            launcher,
            invariants,
            inferred,
            session: None,
            inputs: 0,
            requests: 0,
            level: None,
            broke: None,
            unreachable: BTreeMap::new(),
        }
    }

    /// What is launched.
    pub fn launcher(&self) -> &Launcher {
        &self.launcher
    }

    /// Whether inferred rules were asked for.
    pub fn inferred(&self) -> bool {
        self.inferred
    }

    /// The running session, if there is one.
    pub fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// What held the target of the last session that there was.
    pub fn level(&self) -> Option<Level> {
        self.level
    }

    /// How many requests all sessions sent so far.
    pub fn requests(&self) -> u64 {
        self.requests + self.session.as_ref().map_or(0, Session::requests)
    }

    /// Ends the session, if there is one, and starts another.
    pub fn fresh(&mut self, follower: bool) -> Result<(), RunError> {
        self.end()?;
        let session = Session::start(&self.launcher, follower)?;
        self.level = Some(session.level());
        self.session = Some(session);
        self.inputs = 0;
        Ok(())
    }

    /// Ends the session, and makes sure that nothing is left of it.
    pub fn end(&mut self) -> Result<(), RunError> {
        self.requests = self.requests();
        match self.session.take() {
            Some(session) => Ok(session.teardown()?),
            None => Ok(()),
        }
    }

    /// A target at its baseline for the next input: the same one reset, or a fresh one. What is
    /// found here was caused by an input before.
    pub fn next_input(&mut self, follower: bool) -> Result<Option<Finding>, RunError> {
        self.inputs += 1;
        let used_up = self.inputs > RECYCLE_INPUTS;
        match &mut self.session {
            Some(session) if !used_up && !session.is_old() => match self.reset(follower)? {
                Some(found) => Ok(Some(found)),
                None if self.session.is_some() => Ok(None),
                None => self.fresh(follower).map(|()| None),
            },
            _ => self.fresh(follower).map(|()| None),
        }
    }

    /// Runs one op. `fresh` starts a session; a missing one is started for any other.
    pub fn step(&mut self, op: &Op) -> Result<End, RunError> {
        match op {
            Op::Fresh { follower } => {
                self.fresh(*follower)?;
                return Ok(End::Done(Outcome::default()));
            }
            Op::Reset { follower } => {
                return Ok(match self.reset(*follower)? {
                    Some(finding) => End::Found(finding),
                    None if self.session.is_some() => End::Done(Outcome::default()),
                    None => End::Quit,
                });
            }
            _ if self.session.is_none() => self.fresh(false)?,
            _ => {}
        }
        let end = match &mut self.session {
            Some(session) => run_and_check(session, &self.invariants, op, &mut self.broke),
            None => End::Quit,
        };
        if let End::Quit = end {
            self.end()?;
        }
        if let End::Done(outcome) = &end {
            note(op, outcome);
        }
        Ok(end)
    }

    /// What the last step showed, if it broke a rule.
    pub fn broke(&self) -> Option<&Outcome> {
        self.broke.as_ref()
    }

    /// Resets the session; it is gone afterwards if that could not be done, and another one where a
    /// shell may have done anything in it. Only what a reset could not have caused is a finding.
    fn reset(&mut self, follower: bool) -> Result<Option<Finding>, RunError> {
        let Some(session) = &mut self.session else { return Ok(None) };
        if session.is_wild() {
            return self.fresh(follower).map(|()| None);
        }
        let (failure, blameless) = match session.reset(follower) {
            Ok(()) => return Ok(None),
            Err(ResetError::Failed(failure)) => (failure, None),
            Err(ResetError::Baseline(why)) => {
                (Failure { kind: FailureKind::Checker, why: why.clone() }, Some(why))
            }
        };
        match (session.or_ended("reset", failure), blameless) {
            (Err(failure), None) => Ok(Some(finding(failure, session.crash_text()))),
            (Err(failure), Some(_)) if failure.kind == FailureKind::Crash => {
                Ok(Some(finding(failure, session.crash_text())))
            }
            (_, blameless) => {
                if let Some(why) = blameless {
                    *self.unreachable.entry(blur(&why)).or_default() += 1;
                }
                self.end().map(|()| None)
            }
        }
    }

    /// Why resets did not reach the baseline, and how often: each time cost a fresh target.
    pub fn unreachable_baselines(&self) -> &BTreeMap<String, u32> {
        &self.unreachable
    }
}

fn run_and_check(
    session: &mut Session,
    invariants: &Set,
    op: &Op,
    broke: &mut Option<Outcome>,
) -> End {
    *broke = None;
    let outcome = match session.run(op, invariants.needs()) {
        Ok(Step::Done(outcome)) => outcome,
        Ok(Step::Quit) => return End::Quit,
        Err(failure) => return End::Found(finding(failure, session.crash_text())),
    };
    let Some(violation) = invariants.check(&outcome) else {
        // Nothing is to be learned of it any more, and each step would take long.
        return if session.is_overrun() { End::Quit } else { End::Done(outcome) };
    };
    if outcome.crash.is_none() && session.is_overrun() {
        return End::Quit;
    }
    // A rule that broke because the target was ending did not break.
    let placeholder = Failure { kind: FailureKind::Checker, why: String::new() };
    match session.or_ended(&crate::session::describe(op), placeholder) {
        Ok(_) => End::Quit,
        Err(failure) if failure.kind == FailureKind::Checker => {
            *broke = Some(outcome);
            End::Found(broken(violation, session.crash_text()))
        }
        Err(failure) => End::Found(finding(failure, session.crash_text())),
    }
}

fn finding(failure: Failure, crash: String) -> Finding {
    let kind = failure.kind.name().to_owned();
    Finding { kind, why: failure.why, detail: String::new(), crash }
}

fn broken(violation: Violation, crash: String) -> Finding {
    let Violation { invariant, breach } = violation;
    Finding { kind: invariant.into(), why: breach.why, detail: breach.detail, crash }
}

/// Tells libFuzzer what an op's requests did, and what they did before on the same kind of file.
fn note(op: &Op, outcome: &Outcome) {
    let mut before = String::new();
    for asked in &outcome.requests {
        let what = format!("{:?}", asked.what);
        let kind = file_kind(&asked.path);
        let answer = match &asked.answer {
            Answered::Done => "done".to_owned(),
            Answered::Held => "held".to_owned(),
            Answered::Refused(why) => blur(why),
        };
        feedback::note(&["asked", op.kind(), &what, &kind, &answer]);
        feedback::note(&["then", &before, &what, &answer]);
        before = format!("{what} {answer}");
    }
    for (asked, answered, why) in outcome.wire.iter().flat_map(Exchange::answers) {
        feedback::note(&["wire", &asked.to_string(), &answered.to_string(), &blur(&why)]);
    }
    for kind in ["err", "msg"] {
        for line in occurrences(outcome.window.as_deref().unwrap_or_default(), kind) {
            feedback::note(&["log", op.kind(), &blur(&line)]);
        }
    }
}
