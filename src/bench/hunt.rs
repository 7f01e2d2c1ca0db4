//! One hunt: the fuzz target on an empty corpus until it finds something or its time is up.

use std::io;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::Serialize;

use super::{Plan, Setting};
use crate::feedback::FEEDBACK_VARIABLE;
use crate::runner::{VERDICT_VARIABLE, WAY_VARIABLE};
use crate::target::{PARDES_VARIABLE, PLANT_VARIABLE};

/// What is hunted, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Hunt {
    /// With which help.
    pub setting: Setting,
    /// Which planted defect.
    pub plant: String,
    /// libFuzzer's seed.
    pub seed: u64,
}

/// What a hunt came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hunted {
    /// The signature of what was found.
    pub found: Option<String>,
    /// Executions made.
    pub executions: u64,
    /// How long it took.
    pub seconds: f64,
}

/// Runs the fuzz target in a directory of its own, which is gone afterwards.
pub fn hunt(plan: &Plan, hunt: &Hunt) -> io::Result<Hunted> {
    let folder = tempfile::tempdir()?;
    let corpus = folder.path().join("corpus");
    std::fs::create_dir(&corpus)?;
    let started = Instant::now();
    let done = Command::new(&plan.fuzzer)
        .arg(&corpus)
        .arg(format!("-max_total_time={}", plan.seconds))
        .arg(format!("-seed={}", hunt.seed))
        .arg("-print_final_stats=1")
        .arg(format!("-artifact_prefix={}/", folder.path().display()))
        .current_dir(folder.path())
        .env(FEEDBACK_VARIABLE, hunt.setting.feedback)
        .env(WAY_VARIABLE, hunt.setting.mutator)
        .env(VERDICT_VARIABLE, "0")
        .env(PLANT_VARIABLE, &hunt.plant)
        .env(plan.token.0, &plan.token.1)
        .env_remove(PARDES_VARIABLE)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()?;
    let seconds = started.elapsed().as_secs_f64();
    let said = String::from_utf8_lossy(&done.stderr);
    let found = said.lines().find_map(|line| line.strip_prefix("DEDUP_TOKEN: "));
    match executions(&said) {
        Some(executions) => Ok(Hunted { found: found.map(str::to_owned), executions, seconds }),
        None => {
            let last: Vec<&str> = said.lines().rev().take(3).collect();
            Err(io::Error::other(format!(
                "{}: no final statistics: {last:?}",
                plan.fuzzer.display()
            )))
        }
    }
}

/// libFuzzer's own count at its end.
fn executions(said: &str) -> Option<u64> {
    let line = said.lines().rfind(|line| line.starts_with("stat::number_of_executed_units:"))?;
    line.split_whitespace().last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::executions;

    #[test]
    fn the_last_count_counts() {
        let said = "stat::number_of_executed_units: 12\nx\nstat::number_of_executed_units: 345\n";
        assert_eq!(executions(said), Some(345));
        assert_eq!(executions("nothing"), None);
    }
}
