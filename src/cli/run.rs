//! `run` and `smoke`: seeded random steps without libFuzzer.

use std::io::{IsTerminal as _, stderr};
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::common::TargetArguments;
use super::{CLEAN, FOUND, coverage};
use crate::input::{STRETCH_STEPS, Weighing};
use crate::record::Written;
use crate::runner::{
    Coverage, Progress, RandomRun, Recorded, Runner, Spending, Summary, random_run,
};
use crate::sandbox::Level;

/// The seed of `smoke`.
const SMOKE_SEED: u64 = 20_261_130;

/// Replays that the verdict on a new bug may take.
const REPLAYS: u32 = 1_000;

#[derive(Debug, Args)]
pub struct Arguments {
    /// A seed; may be given several times
    #[arg(long, value_name = "N", default_values_t = [1])]
    seed: Vec<u64>,
    /// Steps for each seed
    #[arg(long, value_name = "M", default_value_t = 1000)]
    steps: usize,
    #[arg(long, value_enum, default_value = "swarm", help = weights_help())]
    weights: WeightsArgument,
    /// Say at the end what was asked of which files, and which opens were never tried
    #[arg(long)]
    coverage: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum WeightsArgument {
    Swarm,
    Fixed,
}

fn weights_help() -> String {
    format!("How often which family of steps: drawn anew every {STRETCH_STEPS} steps, or fixed")
}

#[derive(Debug, Args)]
pub struct SmokeArguments {
    /// How many steps
    #[arg(long, value_name = "M", default_value_t = 800)]
    steps: usize,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct Common {
    /// Where runs/ and bugs/ go
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Send scripts of raw messages too, and let a second client in; the log is then none that the old script can replay
    #[arg(long)]
    wire: bool,
    /// Leave out what only the kernel level takes; the log is then one that the old script can replay
    #[arg(long)]
    confined: bool,
    /// Seconds that the verdict on each new bug may take, minimizing included; 0 for neither
    #[arg(long, value_name = "N", default_value_t = 30)]
    minimize_seconds: u64,
    /// Stop at the first failure
    #[arg(long)]
    first: bool,
    /// Print a JSON object for each seed
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: TargetArguments,
}

pub fn main(arguments: &Arguments) -> Result<i32> {
    let weighing = match arguments.weights {
        WeightsArgument::Swarm => Weighing::Swarm,
        WeightsArgument::Fixed => Weighing::Fixed,
    };
    let mut seen = arguments.coverage.then(Coverage::default);
    let Arguments { seed, steps, common, .. } = arguments;
    let code = run(seed, *steps, weighing, common, seen.as_mut())?;
    match seen {
        Some(seen) if common.json => say!("{}", coverage::as_json(&seen)),
        Some(seen) => say_on!("{}", coverage::tables(&seen)),
        None => {}
    }
    Ok(code)
}

pub fn smoke(arguments: &SmokeArguments) -> Result<i32> {
    run(&[SMOKE_SEED], arguments.steps, Weighing::Fixed, &arguments.common, None)
}

fn run(
    seeds: &[u64],
    steps: usize,
    weighing: Weighing,
    common: &Common,
    mut seen: Option<&mut Coverage>,
) -> Result<i32> {
    let mut runner = common.target.runner()?;
    let seconds = common.minimize_seconds;
    let spending = (seconds > 0).then_some(Spending { replays: REPLAYS, seconds });
    let mut found = false;
    for &seed in seeds {
        let Common { wire, confined, first, .. } = *common;
        let out = common.out.clone();
        let run = RandomRun { seed, steps, wire, confined, spending, weighing, first, out };
        let summary = watched(&mut runner, &run, common.json, seen.as_deref_mut())?;
        found |= !summary.found.is_empty();
        match common.json {
            true => say!("{}", as_json(&run, &summary, level(&runner))),
            false => print(&run, &summary, level(&runner)),
        }
        if found && common.first {
            break;
        }
    }
    Ok(if found { FOUND } else { CLEAN })
}

/// Runs with a progress bar on a terminal, and in silence but for failures elsewhere.
fn watched(
    runner: &mut Runner,
    run: &RandomRun,
    json: bool,
    mut seen: Option<&mut Coverage>,
) -> Result<Summary> {
    let bar = match stderr().is_terminal() {
        true => ProgressBar::new(run.steps as u64),
        false => ProgressBar::hidden(),
    };
    let style = "[seed {msg}] {bar:30} {pos}/{len} steps, {per_sec}, {eta} to go";
    bar.set_style(ProgressStyle::with_template(style)?);
    bar.set_message(run.seed.to_string());
    let summary = random_run(runner, run, |progress| match progress {
        Progress::Step(step) => bar.set_position(step as u64),
        Progress::Done(outcome) => {
            if let Some(seen) = &mut seen {
                seen.add(outcome);
            }
        }
        Progress::Found(step, finding, record) => bar.suspend(|| {
            if json {
                return;
            }
            say!("[seed {} step {step}] FAIL {}: {}", run.seed, finding.kind, finding.why);
            match record {
                Ok(Recorded { path, written: Written::Seen, .. }) => {
                    say!("  seen before: {}", path.display());
                }
                Ok(Recorded { path, judged, .. }) => {
                    say!("  bug record {}", path.display());
                    if let Some(judged) = judged {
                        let ops = judged.minimized.as_ref().unwrap_or(&judged.ops).len();
                        say!("  {}, {ops} ops: {}", judged.verdict.text(), judged.evidence);
                    }
                }
                Err(why) => say!("  no record: {why}"),
            }
        }),
    });
    bar.finish_and_clear();
    Ok(summary?)
}

/// What held the targets, by name.
fn level(runner: &Runner) -> &'static str {
    runner.level().map_or("none", Level::name)
}

fn print(run: &RandomRun, summary: &Summary, level: &str) {
    let seconds = summary.took.as_secs_f64().max(f64::MIN_POSITIVE);
    say!(
        "[seed {}] {} steps, {} weights, level {level}, in {seconds:.1} s ({:.0} steps/s, {:.0} requests/s), {} clean quits, {} not run, {} without a log window; ops log {}",
        run.seed,
        summary.steps,
        run.weighing.name(),
        summary.steps as f64 / seconds,
        summary.requests as f64 / seconds,
        summary.quits,
        summary.not_run,
        summary.unclaimed,
        summary.log.display()
    );
    for (signature, (times, first)) in &summary.found {
        say!("  {times}x {signature} (first at step {first})");
    }
}

fn as_json(run: &RandomRun, summary: &Summary, level: &str) -> serde_json::Value {
    let found: Vec<_> = summary
        .found
        .iter()
        .map(|(signature, (times, first))| {
            json!({"signature": signature, "times": times, "first_step": first})
        })
        .collect();
    json!({
        "seed": run.seed,
        "weights": run.weighing.name(),
        "level": level,
        "steps": summary.steps,
        "requests": summary.requests,
        "seconds": summary.took.as_secs_f64(),
        "clean_quits": summary.quits,
        "not_run": summary.not_run,
        "unclaimed": summary.unclaimed,
        "log": summary.log,
        "found": found,
    })
}
