//! `drill`: shows that isolation holds and that failures are seen.

use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;

use super::common::TargetArguments;
use super::{CLEAN, FOUND};
use crate::drill::{Report, STEPS, Step, Verdict, run};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Which steps, apart by commas; all of them otherwise
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    steps: Vec<u32>,
    /// Print the reports as a JSON array
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: TargetArguments,
}

pub fn main(arguments: &Arguments) -> Result<i32> {
    let steps = chosen(&arguments.steps)?;
    let launcher = arguments.target.launcher()?;
    let mut reports: Vec<Report> = Vec::new();
    for step in steps {
        let report = run(&step, &launcher);
        if !arguments.json {
            print(&report);
        }
        // Without isolation nothing may be launched.
        let stop = report.step == 0 && report.verdict == Verdict::Fail;
        reports.push(report);
        if stop {
            break;
        }
    }
    if arguments.json {
        say!("{}", json!(reports));
    }
    let failed = reports.iter().any(|report| report.verdict == Verdict::Fail);
    Ok(if failed { FOUND } else { CLEAN })
}

/// Isolation goes first, whatever was asked for.
fn chosen(asked: &[u32]) -> Result<Vec<Step>> {
    for number in asked {
        if !STEPS.iter().any(|step| step.number == *number) {
            let list: Vec<String> =
                STEPS.iter().map(|step| format!("  {}  {}", step.number, step.shows)).collect();
            bail!("no step {number}: the steps are\n{}", list.join("\n"));
        }
    }
    let wanted = |step: &Step| asked.is_empty() || step.number == 0 || asked.contains(&step.number);
    Ok(STEPS.into_iter().filter(wanted).collect())
}

fn print(report: &Report) {
    let verdict = match report.verdict {
        Verdict::Pass => "PASS",
        Verdict::Fail => "FAIL",
        Verdict::Skip => "SKIP",
    };
    say!("{verdict}  {}  {}", report.step, report.shows);
    for line in &report.evidence {
        say!("        {line}");
    }
}
