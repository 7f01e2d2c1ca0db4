//! The self-check: steps that pass, fail or are skipped, each with the evidence it was read from.

mod escape;
mod outside;
mod stale;
mod steps;
mod untouched;

use serde::Serialize;

use crate::session::Launcher;

pub use steps::STEPS;

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// What it shows holds.
    Pass,
    /// It does not.
    Fail,
    /// It cannot be tried here, and the evidence says why.
    Skip,
}

/// A step's report.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Its number.
    pub step: u32,
    /// What it shows.
    pub shows: &'static str,
    /// How it ended.
    pub verdict: Verdict,
    /// What that was read from.
    pub evidence: Vec<String>,
}

/// A step of the drill.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Its number.
    pub number: u32,
    /// What it shows.
    pub shows: &'static str,
    run: fn(&Launcher) -> (Verdict, Vec<String>),
}

/// Runs one step against the target that `launcher` starts.
pub fn run(step: &Step, launcher: &Launcher) -> Report {
    let (verdict, evidence) = (step.run)(launcher);
    Report { step: step.number, shows: step.shows, verdict, evidence }
}

fn failed(why: impl ToString) -> (Verdict, Vec<String>) {
    (Verdict::Fail, vec![why.to_string()])
}
