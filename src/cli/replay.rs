//! `replay`: runs a log, a record or an artifact exactly.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::common::{TargetArguments, read_any};
use super::{CLEAN, FOUND};
use crate::ops::Op;
use crate::record::tell;
use crate::runner::{End, replay};
use crate::session::{Answered, Outcome};

#[derive(Debug, Args)]
pub struct Arguments {
    /// An ops log, a bug record or a libFuzzer artifact
    file: PathBuf,
    /// Print each step, its answers and the log records it caused
    #[arg(short, long)]
    verbose: bool,
    /// Print the result as a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: TargetArguments,
}

pub fn main(arguments: &Arguments) -> Result<i32> {
    let ops = read_any(&arguments.file)?.ops;
    let mut runner = arguments.target.runner()?;
    let replayed = replay(&mut runner, &ops, |step, op, end| {
        if arguments.verbose {
            print_step(step, op, end);
        }
    })?;
    let shown = arguments.file.display();
    if arguments.json {
        let failure = replayed.found.as_ref().map(|(step, finding)| {
            json!({
                "step": step,
                "kind": finding.kind,
                "why": finding.why,
                "detail": finding.detail,
                "signature": finding.signature(),
                "crash": finding.crash,
            })
        });
        let steps = ops.len();
        say!(
            "{}",
            json!({"file": arguments.file, "steps": steps, "clean_quits": replayed.quits, "not_run": replayed.not_run, "failure": failure})
        );
    } else if let Some((step, finding)) = &replayed.found {
        say!("replay {shown}: FAIL at op {step}: {}: {}", finding.kind, finding.why);
        if !finding.detail.is_empty() {
            say!("  {}", finding.detail);
        }
    } else {
        let (quits, not_run) = (replayed.quits, replayed.not_run);
        say!("replay {shown}: passed, {} ops, {quits} clean quits, {not_run} not run", ops.len());
    }
    Ok(if replayed.found.is_some() { FOUND } else { CLEAN })
}

fn print_step(step: usize, op: &Op, end: &End) {
    say!("{step:>4}  {}", tell(op));
    match end {
        End::Done(outcome) => print_outcome(outcome),
        End::Quit => say!("        the target quit"),
        End::Found(finding) => say!("        FAIL {}: {}", finding.kind, finding.why),
    }
}

fn print_outcome(outcome: &Outcome) {
    if let Some(note) = &outcome.note {
        say!("        not run: {note}");
    }
    for asked in &outcome.requests {
        let answer = match &asked.answer {
            Answered::Done => "ok".to_owned(),
            Answered::Refused(why) => format!("Rerror: {why}"),
            Answered::Held => "held, then flushed".to_owned(),
        };
        say!("        {:?} {}: {answer}", asked.what, asked.path.escape_debug());
    }
    for line in outcome.window.iter().flatten() {
        say!("        log: {line}");
    }
}
