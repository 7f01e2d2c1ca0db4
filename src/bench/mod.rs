//! Measures of the harness itself: which planted defects the fuzz target finds, how soon, and by
//! what help; how long a launch takes.

mod hunt;
mod launch;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;

pub use hunt::{Hunt, Hunted, hunt};
pub use launch::{Launches, PARTS, launches};

/// A help that the fuzz target can do without, and the variables that say whether it has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What the harness tells libFuzzer of, in the fuzz target's variable.
    pub feedback: &'static str,
    /// Which mutator is used, in the other.
    pub mutator: &'static str,
}

/// Without any, with each alone, with all but one, with all.
pub const SETTINGS: [Setting; 8] = [
    Setting { name: "none", feedback: "none", mutator: "bytes" },
    Setting { name: "behaviour", feedback: "behaviour", mutator: "bytes" },
    Setting { name: "coverage", feedback: "coverage", mutator: "bytes" },
    Setting { name: "op mutator", feedback: "none", mutator: "ops" },
    Setting { name: "all but behaviour", feedback: "coverage", mutator: "ops" },
    Setting { name: "all but coverage", feedback: "behaviour", mutator: "ops" },
    Setting { name: "all, fixed weights", feedback: "behaviour,coverage", mutator: "fixed-ops" },
    Setting { name: "all", feedback: "behaviour,coverage", mutator: "ops" },
];

/// Planted defects that take the most executions, as docs/hunts.md measured them.
pub const SLOW: [&str; 12] = [
    "hang-on-lock",
    "edit-not-atomic",
    "dump-trims",
    "output-after-end",
    "crlf-eaten",
    "msg-from-failed",
    "crash-long-life",
    "bad-utf8-replaced",
    "redo-survives",
    "crash-odd-rune",
    "restore-loses-pane",
    "crash-wide-tag",
];

/// What is measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The fuzz target's executable.
    pub fuzzer: PathBuf,
    /// Which helps.
    pub settings: Vec<Setting>,
    /// Which planted defects.
    pub plants: Vec<String>,
    /// libFuzzer's seeds: each defect is hunted once with each.
    pub seeds: Vec<u64>,
    /// How long one hunt may take, in seconds.
    pub seconds: u64,
    /// Hunts at once.
    pub jobs: usize,
    /// The variable and value that have what is started ended with this program.
    pub token: (&'static str, String),
}

/// One row: a setting and a defect.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The setting's name.
    pub setting: &'static str,
    /// The defect.
    pub plant: String,
    /// How many of its hunts found it.
    pub found: usize,
    /// How many there were.
    pub hunts: usize,
    /// The median of those that found it, in executions.
    pub executions: Option<u64>,
    /// And in seconds.
    pub seconds: Option<f64>,
    /// What all of them took together, those that found nothing too, in executions.
    pub spent_executions: u64,
    /// And in seconds.
    pub spent_seconds: f64,
}

/// Hunts each defect in each setting with each seed, several at once; `tell` hears of each as it
/// ends. One setting comes after the other for each defect, so that a machine that slows down does
/// so for all of them. An error if the fuzz target cannot be run.
pub fn measure(plan: &Plan, tell: impl Fn(&Hunt, &Hunted) + Sync) -> std::io::Result<Vec<Row>> {
    let mut hunts = Vec::new();
    for seed in &plan.seeds {
        for plant in &plan.plants {
            let one =
                |setting: &Setting| Hunt { setting: *setting, plant: plant.clone(), seed: *seed };
            hunts.extend(plan.settings.iter().map(one));
        }
    }
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs.max(1) {
            scope.spawn(|| {
                while let Some(one) = hunts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let hunted = hunt(plan, one);
                    if let Ok(hunted) = &hunted {
                        tell(one, hunted);
                    }
                    let mut results = results.lock().unwrap_or_else(|held| held.into_inner());
                    results.push((one.clone(), hunted));
                }
            });
        }
    });
    let mut all = Vec::new();
    for (one, hunted) in results.into_inner().unwrap_or_else(|held| held.into_inner()) {
        all.push((one, hunted?));
    }
    Ok(rows(plan, &all))
}

fn rows(plan: &Plan, all: &[(Hunt, Hunted)]) -> Vec<Row> {
    let mut rows = Vec::new();
    for setting in &plan.settings {
        for plant in &plan.plants {
            let of = |(hunt, _): &&(Hunt, Hunted)| {
                hunt.setting.name == setting.name && hunt.plant == *plant
            };
            let hunted: Vec<&Hunted> = all.iter().filter(of).map(|(_, hunted)| hunted).collect();
            let found: Vec<&&Hunted> = hunted.iter().filter(|one| one.found.is_some()).collect();
            let executions = found.iter().map(|one| one.executions as f64).collect();
            let seconds = found.iter().map(|one| one.seconds).collect();
            rows.push(Row {
                setting: setting.name,
                plant: plant.clone(),
                found: found.len(),
                hunts: hunted.len(),
                executions: median(executions).map(|median| median as u64),
                seconds: median(seconds),
                spent_executions: hunted.iter().map(|one| one.executions).sum(),
                spent_seconds: hunted.iter().map(|one| one.seconds).sum(),
            });
        }
    }
    rows
}

/// The middle one; of an even number the lower of the two.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied()
}

/// The names of all planted defects.
pub fn all_plants() -> Vec<&'static str> {
    crate::standin::plants().iter().map(|plant| plant.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Setting = SETTINGS[0];
    const ALL: Setting = SETTINGS[7];

    #[test]
    fn rows_are_medians_of_what_was_found() {
        let plan = Plan {
            fuzzer: PathBuf::new(),
            settings: vec![NONE, ALL],
            plants: vec!["a".into()],
            seeds: vec![1, 2, 3],
            seconds: 1,
            jobs: 1,
            token: ("T", String::new()),
        };
        let one = |setting: Setting, seed, found: Option<&str>, executions| {
            let hunt = Hunt { setting, plant: "a".into(), seed };
            (hunt, Hunted { found: found.map(str::to_owned), executions, seconds: 0.5 })
        };
        let all = [
            one(NONE, 1, None, 900),
            one(ALL, 1, Some("crash:x"), 30),
            one(ALL, 2, Some("crash:x"), 10),
            one(ALL, 3, None, 500),
        ];
        let rows = rows(&plan, &all);
        assert_eq!((rows[0].found, rows[0].hunts, rows[0].executions), (0, 1, None));
        assert_eq!((rows[1].found, rows[1].hunts, rows[1].executions), (2, 3, Some(10)));
        assert_eq!((rows[1].spent_executions, rows[1].spent_seconds), (540, 1.5));
    }

    #[test]
    fn the_slow_ones_are_planted() {
        let all = all_plants();
        assert!(SLOW.iter().all(|slow| all.contains(slow)));
    }
}
