//! A finding on its way to a record: noted at once, then judged, minimized, told and completed.

use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};

use super::fuzz::INPUT_STEPS;
use super::{Judged, RunError, Runner, Spending, judge, retell};
use crate::input::Input;
use crate::invariants;
use crate::ops::Op;
use crate::record::{Bug, Circumstances, Finding, Rule, Written, complete_bug, note_bug, report};
use crate::session::Session;
use crate::target::{FIXTURES, Target};

/// A finding, and from what it came.
#[derive(Debug)]
pub struct Found<'a> {
    /// What happened.
    pub finding: &'a Finding,
    /// The run's seed, where there is one.
    pub seed: Option<u64>,
    /// The step it happened at, counting from 0.
    pub step: usize,
    /// What is replayed first: a `fresh`, then the ops that alone may give it; all since the session
    /// began if nothing.
    pub input: Option<&'a [Op]>,
}

/// What became of it.
#[derive(Debug)]
pub struct Recorded {
    /// The record's path.
    pub path: PathBuf,
    /// What was done to it.
    pub written: Written,
    /// The verdict and what it rests on; nothing if none was asked for.
    pub judged: Option<Judged>,
    /// The smallest form as an input, if it fits one.
    pub artifact: Option<Vec<u8>>,
}

/// Records what was found below `folder`, before anything else can go wrong; then ends the session,
/// judges the finding and completes the record, if there is anything to spend.
pub fn record(
    runner: &mut Runner,
    folder: &Path,
    found: &Found<'_>,
    spending: Option<Spending>,
) -> Result<Recorded, RunError> {
    let journal = runner.session().map(Session::journal).unwrap_or_default().to_vec();
    let target = &runner.launcher().target;
    let circumstances = Circumstances {
        seed: found.seed,
        step: found.step,
        binary: target.binary(),
        launched: launched(target),
        target: target.name.clone(),
        level: runner.level().map_or(String::new(), |level| level.to_string()),
        ..Circumstances::default()
    };
    let failed = |why| RunError::Write { what: folder.display().to_string(), why };
    let (path, written) =
        note_bug(folder, found.finding, &circumstances, &journal).map_err(failed)?;
    let mut recorded = Recorded { path, written, judged: None, artifact: None };
    // What cannot be judged was found all the same.
    if let Some(spending) = spending
        && let Err(why) =
            complete(runner, folder, found, &journal, circumstances, spending, &mut recorded)
    {
        // Standard error may be closed; that is no reason to panic.
        let _ = writeln!(stderr(), "monkey9p: no verdict on {}: {why}", found.finding.kind);
    }
    Ok(recorded)
}

/// The second half: the verdict, and what goes with it.
fn complete(
    runner: &mut Runner,
    folder: &Path,
    found: &Found<'_>,
    journal: &[Op],
    mut circumstances: Circumstances,
    spending: Spending,
    recorded: &mut Recorded,
) -> Result<(), RunError> {
    let failed = |why| RunError::Write { what: folder.display().to_string(), why };
    let judged = judge(runner, found.finding, found.input.unwrap_or(journal), journal, spending)?;
    circumstances.verdict = Some(judged.verdict);
    circumstances.evidence.clone_from(&judged.evidence);
    let small = judged.minimized.as_ref().unwrap_or(&judged.ops);
    let told = retell(runner, small)?;
    let shown = told.found.as_ref().map(|(_, finding)| finding);
    let shown = shown.filter(|shown| shown.signature() == found.finding.signature());
    let name = if judged.minimized.is_some() { "record.min.jsonl" } else { "record.jsonl" };
    let story = report(
        shown.unwrap_or(found.finding),
        &circumstances,
        rule(found.finding),
        &told.told,
        name,
    );
    recorded.artifact = (small.len() <= INPUT_STEPS + 1).then(|| Input::from_ops(small).encode());
    let log = told.told.last().map(|told| told.log.clone()).unwrap_or_default();
    let bug = Bug {
        finding: found.finding,
        circumstances: &circumstances,
        ops: &judged.ops,
        minimized: judged.minimized.as_deref(),
        artifact: recorded.artifact.as_deref(),
        log: &log,
        story: Some(&story),
    };
    recorded.path = complete_bug(folder, &bug).map_err(failed)?.0;
    recorded.judged = Some(judged);
    Ok(())
}

fn launched(target: &Target) -> String {
    let fixtures: Vec<&str> = FIXTURES.iter().map(|(name, _)| *name).collect();
    format!("`{}`, in a HOME that holds {}", target.arguments.join(" "), fixtures.join(", "))
}

/// The rule that a finding is of; none for a crash and the like.
pub fn rule(finding: &Finding) -> Option<Rule> {
    let one = invariants::ALL.iter().find(|one| one.name == finding.kind)?;
    Some(Rule { cites: one.cites, basis: one.basis.name() })
}
