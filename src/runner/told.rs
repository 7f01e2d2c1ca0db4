//! What a fuzzing process of a campaign tells of itself while it runs, in a file of its own.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{AskedOf, Coverage};
use crate::ops::{Op, write_whole};
use crate::session::{Outcome, describe};

/// Where a process of a campaign tells of itself. It goes on after a finding, whose input libFuzzer
/// is told to forget.
pub const TOLD_VARIABLE: &str = "M9P_TOLD";
/// How often it does, in milliseconds.
const TELL_MS: u64 = 1_000;
/// How many of the slowest ops are told.
const SLOWEST: usize = 10;
/// How often one process judges a finding that does not fail each time.
const JUDGED_TIMES: u32 = 2;
/// Signatures that one process judges; a target that makes up more has shown enough.
const SIGNATURES: usize = 1_000;

/// What a process did so far, or several did together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Told {
    /// Inputs run.
    pub executions: u64,
    /// Findings, however often the same one.
    pub hits: u64,
    /// Whether a finding is being judged.
    pub judging: bool,
    /// What holds the target.
    pub level: String,
    /// What is read of the target's coverage, or why nothing is.
    pub coverage: String,
    /// What was asked of which kind of file, and how it was answered.
    pub asked: Vec<AskedOf>,
    /// The time that each kind of op took, with the checks after it.
    pub ops: BTreeMap<String, Spent>,
    /// The ops that took longest, the longest first.
    pub slowest: Vec<Slow>,
}

/// The time that ops of one kind took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// How many there were.
    pub count: u64,
    /// All together, in microseconds.
    pub total_us: u64,
    /// The longest, in microseconds.
    pub longest_us: u64,
}

/// One op that took long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slow {
    /// The op in a few words.
    pub op: String,
    /// How long it took, in microseconds.
    pub us: u64,
}

impl Told {
    /// Adds what another process did; of what is so or not so at a time, the other's holds.
    pub fn add(&mut self, other: &Told) {
        self.executions = self.executions.saturating_add(other.executions);
        self.hits = self.hits.saturating_add(other.hits);
        self.judging |= other.judging;
        for (mine, theirs) in
            [(&mut self.level, &other.level), (&mut self.coverage, &other.coverage)]
        {
            if !theirs.is_empty() {
                mine.clone_from(theirs);
            }
        }
        let mut asked = Coverage::of(&self.asked);
        asked.merge(&other.asked);
        self.asked = asked.counts();
        for (kind, theirs) in &other.ops {
            self.ops.entry(kind.clone()).or_default().add(*theirs);
        }
        for slow in &other.slowest {
            self.note_slow(slow.us, || slow.op.clone());
        }
    }

    fn note_slow(&mut self, us: u64, op: impl FnOnce() -> String) {
        let at = self.slowest.partition_point(|slow| slow.us >= us);
        if at < SLOWEST {
            self.slowest.insert(at, Slow { op: op(), us });
            self.slowest.truncate(SLOWEST);
        }
    }
}

impl Spent {
    fn add(&mut self, other: Spent) {
        self.count = self.count.saturating_add(other.count);
        self.total_us = self.total_us.saturating_add(other.total_us);
        self.longest_us = self.longest_us.max(other.longest_us);
    }
}

/// Tells of this process, where it was asked to.
#[derive(Debug)]
pub(super) struct Teller {
    path: PathBuf,
    told: Told,
    asked: Coverage,
    last: Option<Instant>,
    judged: HashMap<String, u32>,
}

impl Teller {
    /// None, unless the environment names a place.
    pub fn from_environment() -> Option<Teller> {
        let path = PathBuf::from(std::env::var_os(TOLD_VARIABLE).filter(|path| !path.is_empty())?);
        Some(Teller {
            path,
            told: Told::default(),
            asked: Coverage::default(),
            last: None,
            judged: HashMap::new(),
        })
    }

    /// A step was run, and took so long; it has an outcome unless it was a finding or the end.
    pub fn step(&mut self, op: &Op, outcome: Option<&Outcome>, took: Duration) {
        if let Some(outcome) = outcome {
            self.asked.add(outcome);
        }
        let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let spent = Spent { count: 1, total_us: us, longest_us: us };
        match self.told.ops.get_mut(op.kind()) {
            Some(so_far) => so_far.add(spent),
            None => {
                self.told.ops.insert(op.kind().to_owned(), spent);
            }
        }
        self.told.note_slow(us, || in_words(op));
    }

    /// An input was run, in a target held at `level`; `coverage` says how many of its counters are
    /// read and in which program, or why none are.
    pub fn input(
        &mut self,
        level: Option<String>,
        coverage: impl FnOnce() -> Result<(usize, String), String>,
    ) {
        self.told.executions += 1;
        if self.last.is_some_and(|last| last.elapsed() < Duration::from_millis(TELL_MS)) {
            return;
        }
        if let Some(level) = level {
            self.told.level = level;
        }
        self.told.coverage = match coverage() {
            Ok((count, program)) => format!("{count} counters in {program}"),
            Err(why) => format!("none: {why}"),
        };
        self.tell();
    }

    /// Something was found: whether it should be judged, `verdict` being what its record says. Judged
    /// or not, it is over when [`Teller::judged`] is told.
    pub fn found(&mut self, signature: &str, verdict: Option<&str>) -> bool {
        self.told.hits += 1;
        let known = self.judged.len() < SIGNATURES || self.judged.contains_key(signature);
        self.told.judging = verdict != Some("alone") && known && {
            let times = self.judged.entry(signature.to_owned()).or_default();
            *times += 1;
            *times <= JUDGED_TIMES
        };
        self.tell();
        self.told.judging
    }

    /// The finding is judged, as far as it was.
    pub fn judged(&mut self) {
        if std::mem::take(&mut self.told.judging) {
            self.tell();
        }
    }

    /// A place that cannot be written is no reason to stop: who reads it sees what it needs to.
    fn tell(&mut self) {
        self.last = Some(Instant::now());
        self.told.asked = self.asked.counts();
        if let Ok(text) = serde_json::to_vec(&self.told) {
            let _ = write_whole(&self.path, &text);
        }
    }
}

/// The op in a few words, and how much there is of it.
fn in_words(op: &Op) -> String {
    let steps = match op {
        Op::Wire { steps, .. } => steps.len(),
        Op::Seq { ops } | Op::Second { ops } => ops.len(),
        _ => return describe(op),
    };
    format!("{} of {steps}", describe(op))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn teller(path: PathBuf) -> Teller {
        let (told, asked, judged) = (Told::default(), Coverage::default(), HashMap::new());
        Teller { path, told, asked, last: None, judged }
    }

    fn read(teller: &Teller) -> Told {
        serde_json::from_slice(&std::fs::read(&teller.path).unwrap()).unwrap()
    }

    #[test]
    fn what_is_told_reads_back_and_adds_up() {
        let folder = tempfile::tempdir().unwrap();
        let mut teller = teller(folder.path().join("told"));
        let stat = Op::Stat { path: "/index".into() };
        for ms in 1..=20 {
            teller.step(&stat, Some(&Outcome::default()), Duration::from_millis(ms));
        }
        teller.input(Some("kernel".into()), || Ok((3, "/x".into())));
        teller.input(None, || Err("gone".into()));
        let told = read(&teller);
        assert_eq!((told.executions, &*told.level), (1, "kernel"));
        assert_eq!(told.coverage, "3 counters in /x");
        let spent = Spent { count: 20, total_us: 210_000, longest_us: 20_000 };
        assert_eq!(told.ops["stat"], spent);
        let slowest: Vec<u64> = told.slowest.iter().map(|slow| slow.us / 1_000).collect();
        assert_eq!(slowest, (11..=20).rev().collect::<Vec<u64>>());
        let mut both = told.clone();
        both.add(&told);
        assert_eq!((both.executions, both.ops["stat"].count), (2, 40));
        assert_eq!((both.slowest.len(), both.slowest[1].us), (SLOWEST, 20_000));
    }

    #[test]
    fn a_finding_is_judged_until_the_verdict_is_sure() {
        let folder = tempfile::tempdir().unwrap();
        let mut teller = teller(folder.path().join("told"));
        assert!(!teller.found("a", Some("alone")));
        assert!(teller.found("b", None));
        assert!(read(&teller).judging);
        teller.judged();
        assert!(!read(&teller).judging);
        assert!(teller.found("b", Some("flaky (1 of 3 replays)")));
        assert!(!teller.found("b", Some("flaky (1 of 3 replays)")));
        assert_eq!(read(&teller).hits, 4);
        // A place that is gone stops nothing.
        drop(folder);
        assert!(teller.found("c", None));
    }
}
