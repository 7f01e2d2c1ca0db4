//! What all fuzzing processes of a campaign did together, those that are gone too.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::libfuzzer::Ending;
use super::limits::FILE_BYTES;
use crate::ops::write_whole;
use crate::runner::Told;

/// Where it is kept, in the directory of the jobs.
const TOTALS: &str = "total.json";

/// The sums, and which processes are in them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// What they told.
    pub told: Told,
    /// Those that ended for want of memory.
    pub ooms: u64,
    /// Those that took too long at one input.
    pub timeouts: u64,
    /// Those that died in another way.
    pub deaths: u64,
    /// Those that took another's place.
    pub restarts: u64,
    /// Findings without a record.
    pub unrecorded: u64,
    /// Of each job, the last of its processes that is in the sums.
    pub folded: BTreeMap<u32, u32>,
}

/// Where the process `run` of `job` tells of itself.
pub fn told_path(jobs: &Path, job: u32, run: u32) -> PathBuf {
    jobs.join(format!("{job}-{run}.json"))
}

/// A JSON file, if it is there and one. Files that no campaign would write are not read to their end.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> io::Result<T> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes)?)
}

impl Totals {
    /// What is known of those in `jobs`: the sums, and what was told since they were made.
    pub fn read(jobs: &Path) -> Totals {
        let mut totals: Totals = read_json(&jobs.join(TOTALS)).unwrap_or_default();
        for (job, run) in told_files(jobs) {
            totals.fold(job, run, &read_json(&told_path(jobs, job, run)).unwrap_or_default());
        }
        totals
    }

    /// Adds what a process told, unless it is in the sums already.
    pub fn fold(&mut self, job: u32, run: u32, told: &Told) {
        let last = self.folded.entry(job).or_default();
        if run > *last {
            *last = run;
            self.told.add(told);
            self.told.judging = false;
        }
    }

    /// Counts how a process ended.
    pub fn ended(&mut self, ending: &Ending) {
        match ending {
            Ending::OutOfMemory => self.ooms += 1,
            Ending::Timeout => self.timeouts += 1,
            Ending::Crash | Ending::Refused | Ending::Died(_) => self.deaths += 1,
        }
    }

    /// Writes the sums, and removes what is in them.
    pub fn write(&self, jobs: &Path) -> io::Result<()> {
        write_whole(&jobs.join(TOTALS), &serde_json::to_vec(self)?)?;
        for (job, run) in told_files(jobs) {
            if self.folded.get(&job).is_some_and(|last| run <= *last) {
                let _ = fs::remove_file(told_path(jobs, job, run));
            }
        }
        Ok(())
    }
}

/// The jobs and runs that have such a file, in order.
fn told_files(jobs: &Path) -> Vec<(u32, u32)> {
    let name = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let (job, run) = name.strip_suffix(".json")?.split_once('-')?;
        Some((job.parse().ok()?, run.parse().ok()?))
    };
    let mut all: Vec<_> =
        fs::read_dir(jobs).into_iter().flatten().flatten().filter_map(name).collect();
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_is_counted_once_whoever_was_killed_in_between() {
        let folder = tempfile::tempdir().unwrap();
        let jobs = folder.path();
        let told = Told { executions: 5, ..Told::default() };
        let put = |job, run| {
            fs::write(told_path(jobs, job, run), serde_json::to_vec(&told).unwrap()).unwrap();
        };
        put(1, 1);
        put(1, 2);
        put(2, 1);
        fs::write(jobs.join("3-1.json"), "{\"executions\": 7, \"asked\": [{").unwrap();
        fs::write(jobs.join("x-1.json"), "{}").unwrap();
        let totals = Totals::read(jobs);
        assert_eq!(totals.told.executions, 15);
        // Killed between the writing of the sums and the removing of what is in them.
        write_whole(&jobs.join(TOTALS), &serde_json::to_vec(&totals).unwrap()).unwrap();
        assert_eq!(Totals::read(jobs), totals);
        totals.write(jobs).unwrap();
        assert_eq!(told_files(jobs), []);
        assert_eq!(Totals::read(jobs), totals);
        put(1, 3);
        assert_eq!(Totals::read(jobs).told.executions, 20);
        fs::write(jobs.join(TOTALS), "{\"told\"").unwrap();
        assert_eq!(Totals::read(jobs).told.executions, 5);
    }
}
