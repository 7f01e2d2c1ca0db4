//! Seeded random runs without libFuzzer: the way of the script that came before.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;

use super::{End, Found, Recorded, RunError, Runner, Spending, record};
use crate::input::{Family, Generator, Renderer, STRETCH_STEPS, Weighing, Weights};
use crate::ops::{Op, create_whole, put_line};
use crate::record::Finding;
use crate::session::Outcome;

/// What a run is asked to do.
#[derive(Clone, Debug)]
pub struct RandomRun {
    /// Everything random comes from it.
    pub seed: u64,
    /// How many steps.
    pub steps: usize,
    /// Whether scripts of raw messages and a second client are among them: the script that came
    /// before cannot replay a log that has some.
    pub wire: bool,
    /// Whether what only the kernel level takes is left out.
    pub confined: bool,
    /// What may be spent on the verdict on each new bug, and on minimizing it; nothing for neither.
    pub spending: Option<Spending>,
    /// How the families are weighed.
    pub weighing: Weighing,
    /// Whether the first failure ends it.
    pub first: bool,
    /// Where `runs/` and `bugs/` go.
    pub out: PathBuf,
}

/// What is told while a run goes on.
#[derive(Debug)]
pub enum Progress<'a> {
    /// A step ended.
    Step(usize),
    /// The first failure with its signature, and its record, or why it could not be written.
    Found(usize, &'a Finding, &'a Result<Recorded, RunError>),
    /// What a step that broke no rule showed.
    Done(&'a Outcome),
}

/// What a run came to.
#[derive(Debug, Default)]
pub struct Summary {
    /// Steps run.
    pub steps: usize,
    /// 9P requests sent, the checks' own included.
    pub requests: u64,
    /// Steps that asked for nothing, or not for all: the guard refused them, or there was no such
    /// handle.
    pub not_run: usize,
    /// Steps whose log records could not be told from others', so that two rules made no claim.
    pub unclaimed: usize,
    /// Clean quits, each followed by a fresh session.
    pub quits: usize,
    /// How long it took.
    pub took: Duration,
    /// The ops log.
    pub log: PathBuf,
    /// Signatures, with how often and at which step first.
    pub found: BTreeMap<String, (usize, usize)>,
}

/// Runs random steps, each written to `runs/seed-N/ops.jsonl` before it runs; after a failure or
/// a clean quit goes on in a fresh session.
pub fn random_run(
    runner: &mut Runner,
    run: &RandomRun,
    mut tell: impl FnMut(Progress<'_>),
) -> Result<Summary, RunError> {
    let started = Instant::now();
    let requests = runner.requests();
    let mut log = Log::create(run, runner)?;
    let mut source = Source::of(run);
    let mut summary = Summary { steps: run.steps, log: log.path.clone(), ..Summary::default() };
    let mut followers = StdRng::seed_from_u64(run.seed);
    let (mut fresh, mut wild) = (true, 0);
    for step in 0..run.steps {
        if std::mem::take(&mut fresh) {
            let op = Op::Fresh { follower: followers.random_bool(FOLLOWED) };
            log.put(&op)?;
            runner.step(&op)?;
            wild = 0;
        }
        let op = source.op(step);
        log.put(&op)?;
        match runner.step(&op)? {
            End::Done(outcome) => {
                summary.not_run += usize::from(outcome.note.is_some());
                summary.unclaimed += usize::from(outcome.window.is_none());
                tell(Progress::Done(&outcome));
                wild += usize::from(outcome.wild);
                if wild == WILD_STEPS {
                    fresh = true;
                }
            }
            End::Quit => {
                summary.quits += 1;
                fresh = true;
            }
            End::Found(finding) => {
                // Before the session's end, which may fail.
                let (times, _) = summary.found.entry(finding.signature()).or_insert((0, step));
                *times += 1;
                let found = Found { finding: &finding, seed: Some(run.seed), step, input: None };
                let spending = run.spending.filter(|_| *times == 1);
                let record = record(runner, &run.out.join("bugs"), &found, spending);
                runner.end()?;
                fresh = true;
                if *times == 1 {
                    tell(Progress::Found(step, &finding, &record));
                }
            }
        }
        tell(Progress::Step(step + 1));
        if run.first && !summary.found.is_empty() {
            summary.steps = step + 1;
            break;
        }
    }
    runner.end()?;
    log.end()?;
    summary.requests = runner.requests() - requests;
    summary.took = started.elapsed();
    Ok(summary)
}

/// Where a run's ops come from.
struct Source<'a> {
    run: &'a RandomRun,
    /// What may be drawn from.
    weights: Weights,
    generator: Generator,
    renderer: Renderer,
}

impl Source<'_> {
    fn of(run: &RandomRun) -> Source<'_> {
        let weights = match run.wire {
            true => Weights::default(),
            false => Weights::default().with(Family::Wire, 0).with(Family::Second, 0),
        };
        let weights = if run.confined { weights.with(Family::Open, 0) } else { weights };
        let generator = Generator::with_weights(run.seed, weights.clone());
        Source { run, weights, generator, renderer: Renderer::default() }
    }

    /// The op of a step; they are asked for one after the other, from 0 on.
    fn op(&mut self, step: usize) -> Op {
        if self.run.weighing == Weighing::Swarm && step.is_multiple_of(STRETCH_STEPS) {
            let stretch = (step / STRETCH_STEPS) as u64;
            self.generator.weigh(self.weights.swarm(self.run.seed, stretch));
        }
        self.renderer.step(&self.generator.next_step())
    }
}

/// Steps that a session goes on for in which a shell may do anything: rules then claim less.
const WILD_STEPS: usize = 30;

/// How often a session's log is followed on a second connection, as a probability.
const FOLLOWED: f64 = 0.5;

/// The ops log, a line at a time, so that a run that dies leaves what it did.
struct Log {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Log {
    fn create(run: &RandomRun, runner: &Runner) -> Result<Log, RunError> {
        let folder = run.out.join("runs").join(format!("seed-{}", run.seed));
        let path = folder.join("ops.jsonl");
        let fail = |why| RunError::Write { what: path.display().to_string(), why };
        let binary = runner.launcher().target.binary();
        let header = json!({"seed": run.seed, "steps": run.steps, "weights": run.weighing.name(), "binary": binary});
        let mut line = Vec::new();
        let file = put_line(&mut line, &header)
            .and_then(|()| fs::create_dir_all(&folder))
            // Where there is no room, what an earlier run left stays.
            .and_then(|()| create_whole(&path, &line))
            .map_err(fail)?;
        Ok(Log { file: BufWriter::new(file), path })
    }

    fn put(&mut self, value: &impl serde::Serialize) -> Result<(), RunError> {
        let mut line = Vec::new();
        let written = put_line(&mut line, value)
            .and_then(|()| self.file.write_all(&line))
            .and_then(|()| self.file.flush());
        written.map_err(|why| RunError::Write { what: self.path.display().to_string(), why })
    }

    fn end(mut self) -> Result<(), RunError> {
        let what = self.path.display().to_string();
        self.file.flush().map_err(|why| RunError::Write { what, why })
    }
}
