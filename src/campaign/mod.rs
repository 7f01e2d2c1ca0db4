//! Detached timed runs: what is on disk of each, its supervisor, and what is told of it.

mod job;
mod journal;
mod libfuzzer;
pub mod limits;
mod lines;
mod manifest;
mod merge;
mod process;
mod record;
mod report;
mod slot;
mod state;
mod status;
mod stop;
mod store;
mod supervisor;
mod totals;
mod words;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

pub use manifest::{Fuzzed, Hashed, Machine, Manifest};
pub use merge::bring_in;
pub use process::Identity;
pub use record::{Event, Kind, Sample};
pub use report::Report;
pub use state::{Phase, State};
pub use status::Status;
pub use store::{Campaign, CampaignError};
pub use supervisor::supervise;
pub use totals::Totals;
pub use words::{local, now, plain};

const MANIFEST: &str = "manifest.json";
const STATE: &str = "state.json";
const STATS: &str = "stats.jsonl";
const EVENTS: &str = "events.jsonl";
/// Held by whoever is at the campaign.
const LOCK: &str = ".lock";
/// Space that is let go of when there is no more.
const RESERVE: &str = ".reserve";
/// The fuzz target's executable.
const FUZZER: &str = "fuzzer";
/// The inputs that grow.
pub const CORPUS: &str = "corpus";
/// What of them is needed for all that they reach.
pub const MERGED: &str = "merged";
/// libFuzzer's artifacts.
pub const ARTIFACTS: &str = "artifacts";
/// What the jobs tell of themselves.
const JOBS: &str = "jobs";
/// The records of what was found.
pub const BUGS: &str = "bugs";
/// The output of the supervisor.
pub const LOG: &str = "log";

/// The seeds that a campaign began with, as they were.
const SEEDS: &str = "seeds";

/// The plain files in a directory, by name; none of one that is not there.
pub fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
}

/// Standard error may be closed; that is no reason to stop.
fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
