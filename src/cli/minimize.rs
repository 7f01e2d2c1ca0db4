//! `minimize`: the smallest sequence that still fails the same way.

use std::io::{IsTerminal as _, stderr};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::Value;

use super::FOUND;
use super::common::{TargetArguments, read_any, with_fresh};
use crate::minimize::{minimize, simplify};
use crate::ops::{Op, write_ops};
use crate::runner::{RunError, Runner, replay};

#[derive(Debug, Args)]
pub struct Arguments {
    /// A bug record, an ops log or a libFuzzer artifact
    file: PathBuf,
    /// Where the smaller one goes; FILE with .min.jsonl at its end otherwise
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replays that may be spent
    #[arg(long, value_name = "N", default_value_t = 300)]
    replays: u32,
    /// Seconds that may be spent
    #[arg(long, value_name = "N", default_value_t = 600)]
    seconds: u64,
    #[command(flatten)]
    target: TargetArguments,
}

pub fn main(arguments: &Arguments) -> Result<i32> {
    let mut file = read_any(&arguments.file)?;
    let ops = with_fresh(std::mem::take(&mut file.ops));
    let mut runner = arguments.target.runner()?;
    let shown = arguments.file.display();
    let Some((step, finding)) = replay(&mut runner, &ops, |_, _, _| {})?.found else {
        bail!("{shown}: it does not fail here, so there is nothing to minimize");
    };
    let signature = finding.signature();
    // The reason's words may be another version's, but the kind of failure may not be another.
    if let Some(Value::String(kind)) = file.header.get("kind")
        && *kind != finding.kind
    {
        bail!("{shown}: it fails, but not as recorded: {signature}, not {kind}");
    }
    // What comes after the failure never matters.
    let (start, body) = ops[..=step].split_first().context("no ops")?;
    let mut trial = Trial {
        runner,
        start: start.clone(),
        signature,
        replays: arguments.replays,
        deadline: Instant::now() + Duration::from_secs(arguments.seconds),
        failed: None,
    };
    let mut small = minimize(body, |ops| trial.fails(ops));
    small = simplify(&small, |ops| trial.fails(ops));
    if let Some(why) = trial.failed {
        return Err(why.into());
    }
    let output =
        arguments.output.clone().unwrap_or_else(|| arguments.file.with_extension("min.jsonl"));
    let done = format!("{} to {} ops", body.len(), small.len());
    file.header.insert("signature".into(), trial.signature.clone().into());
    file.header.insert("kind".into(), finding.kind.clone().into());
    file.header.insert("why".into(), finding.why.clone().into());
    file.header.insert("shrink".into(), done.clone().into());
    let whole: Vec<Op> = [trial.start].into_iter().chain(small).collect();
    write_ops(&output, &file.header, &whole).with_context(|| output.display().to_string())?;
    say!("minimize {shown}: {done}: {}", output.display());
    Ok(FOUND)
}

/// Replays of candidates, as far as the budget goes.
struct Trial {
    runner: Runner,
    start: Op,
    signature: String,
    replays: u32,
    deadline: Instant,
    failed: Option<RunError>,
}

impl Trial {
    fn fails(&mut self, body: &[Op]) -> bool {
        if self.replays == 0 || Instant::now() > self.deadline || self.failed.is_some() {
            return false;
        }
        self.replays -= 1;
        let ops: Vec<Op> = [&self.start].into_iter().chain(body).cloned().collect();
        match replay(&mut self.runner, &ops, |_, _, _| {}) {
            Ok(replayed) => {
                let same = replayed.found.is_some_and(|(_, f)| f.signature() == self.signature);
                if same && stderr().is_terminal() {
                    eprint!("\r{} ops, {} replays left  ", body.len(), self.replays);
                }
                same
            }
            Err(why) => {
                self.failed = Some(why);
                false
            }
        }
    }
}
