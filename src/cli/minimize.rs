//! `minimize`: the smallest sequence that still fails the same way.

use std::cell::RefCell;
use std::io::{IsTerminal as _, stderr};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::{Map, Value, json};

use super::FOUND;
use super::common::{TargetArguments, read_any, with_fresh};
use crate::minimize::minimize;
use crate::ops::{Op, read_ops, write_ops};
use crate::runner::{Budget, Majority, Runner, Trials, replay};

#[derive(Debug, Args)]
pub struct Arguments {
    /// A bug record, an ops log or a libFuzzer artifact
    file: PathBuf,
    /// Where the smaller one goes; FILE with .min.jsonl at its end otherwise. One that is there
    /// already, and fails the same way, is gone on with
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replays that may be spent
    #[arg(long, value_name = "N", default_value_t = 1000)]
    replays: u32,
    /// Seconds that may be spent
    #[arg(long, value_name = "N", default_value_t = 600)]
    seconds: u64,
    /// Print the result as a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: TargetArguments,
}

/// Replays that show how often it fails.
const RATE_REPLAYS: u32 = 12;

pub fn main(arguments: &Arguments) -> Result<i32> {
    let mut file = read_any(&arguments.file)?;
    let ops = with_fresh(std::mem::take(&mut file.ops));
    let mut runner = arguments.target.runner()?;
    let shown = arguments.file.display();
    let failing = failing(&mut runner, &ops, &file.header, &shown.to_string())?;
    let output = arguments.output.clone().unwrap_or_else(|| smaller_name(&arguments.file));
    for (key, value) in
        [("signature", &failing.signature), ("kind", &failing.kind), ("why", &failing.why)]
    {
        file.header.insert(key.into(), value.clone().into());
    }
    let deadline = Instant::now() + Duration::from_secs(arguments.seconds);
    let budget = Budget { replays: arguments.replays, deadline };
    let mut rates =
        Trials::new(&runner, failing.signature.clone(), Majority::ONCE, budget, |_: &[Op], _| {});
    let begun = begun(&output, &mut rates, &failing.ops);
    let start = begun.as_ref().unwrap_or(&failing.ops);
    let (failed, tried) = rates.rate(start, if failing.first_time { 3 } else { RATE_REPLAYS });
    let budget = rates.end()?;
    let majority = Majority::of(failed, tried);
    let keep = Keep { output: &output, header: &file.header, failed: RefCell::new(None) };
    let progress = |ops: &[Op], replays| keep.smaller(ops, replays);
    let mut trials = Trials::new(&runner, failing.signature.clone(), majority, budget, progress);
    let small = minimize(start, &mut trials);
    let left = trials.end()?;
    if let Some(why) = keep.failed.borrow_mut().take() {
        return Err(why);
    }
    let done = format!("{} to {} ops", ops.len() - 1, small.len() - 1);
    file.header.insert("shrink".into(), done.clone().into());
    file.header.insert("minimized".into(), small.len().into());
    write_ops(&output, &file.header, &small).with_context(|| output.display().to_string())?;
    let replays = arguments.replays - left.replays;
    let spent = left.replays == 0 || Instant::now() > left.deadline;
    match arguments.json {
        true => say!(
            "{}",
            json!({
                "file": arguments.file, "output": output, "signature": failing.signature,
                "ops_before": ops.len() - 1, "ops": small.len() - 1, "replays": replays,
                "failed": failed, "tried": tried, "budget_spent": spent,
            })
        ),
        false => {
            let rate = if failed < tried {
                format!(", which fails {failed} of {tried} times")
            } else {
                String::new()
            };
            let more = if spent { "; the budget is spent, run it again to go on" } else { "" };
            say!("minimize {shown}: {done}, {replays} replays{rate}: {}{more}", output.display());
        }
    }
    Ok(FOUND)
}

/// What is to be minimized.
struct Failing {
    ops: Vec<Op>,
    signature: String,
    kind: String,
    why: String,
    /// Whether it failed at the first try: then it probably always does.
    first_time: bool,
}

/// Replays the ops until they fail, a few times at the most; what comes after the failure never
/// matters.
fn failing(
    runner: &mut Runner,
    ops: &[Op],
    header: &Map<String, Value>,
    shown: &str,
) -> Result<Failing> {
    for attempt in 0..RATE_REPLAYS {
        let Some((step, finding)) = replay(runner, ops, |_, _, _| {})?.found else {
            // Only what is known to fail now and then is worth more than one more try.
            let flaky = header
                .get("verdict")
                .and_then(Value::as_str)
                .is_some_and(|v| v.starts_with("flaky"));
            if attempt > 0 && !flaky { break } else { continue }
        };
        let signature = finding.signature();
        // The reason's words may be another version's, but the kind of failure may not be another.
        if let Some(Value::String(kind)) = header.get("kind")
            && *kind != finding.kind
        {
            bail!("{shown}: it fails, but not as recorded: {signature}, not {kind}");
        }
        return Ok(Failing {
            ops: ops[..=step].to_vec(),
            signature,
            kind: finding.kind,
            why: finding.why,
            first_time: attempt == 0,
        });
    }
    bail!("{shown}: it does not fail here, so there is nothing to minimize")
}

/// What an earlier run left at `output`, if it is smaller and still fails.
fn begun<F: FnMut(&[Op], u32)>(
    output: &Path,
    trials: &mut Trials<F>,
    ops: &[Op],
) -> Option<Vec<Op>> {
    let there = with_fresh(read_ops(output).ok()?.ops);
    let smaller = there.len() <= ops.len() && there != ops;
    (smaller && trials.rate(&there, 3).0 > 0).then_some(there)
}

fn smaller_name(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    match name.ends_with(".min.jsonl") {
        true => file.into(),
        false => file.with_extension("min.jsonl"),
    }
}

/// Keeps the best so far on disk: an interruption loses nothing.
struct Keep<'a> {
    output: &'a Path,
    header: &'a Map<String, Value>,
    failed: RefCell<Option<anyhow::Error>>,
}

impl Keep<'_> {
    fn smaller(&self, ops: &[Op], replays: u32) {
        if let Err(why) = write_ops(self.output, self.header, ops) {
            let why = anyhow::Error::from(why).context(self.output.display().to_string());
            self.failed.borrow_mut().get_or_insert(why);
        }
        if stderr().is_terminal() {
            eprint!("\r{} ops, {replays} replays left  ", ops.len() - 1);
        }
    }
}
