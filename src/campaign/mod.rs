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
mod supervisor;
mod totals;
mod words;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::fcntl::{Flock, FlockArg};
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

pub use manifest::{Fuzzed, Hashed, Machine, Manifest};
pub use merge::bring_in;
pub use process::Identity;
pub use record::{Event, Kind, Sample};
pub use report::Report;
pub use state::{Phase, State};
pub use status::Status;
pub use supervisor::supervise;
pub use totals::Totals;
pub use words::{local, now, plain};

use crate::ops::write_whole;
use crate::sandbox::{remove_roots, sweep, tokened};
use limits::{POLL_MS, RESERVE_BYTES, STOP_MS};
use lines::{last_line, read_lines};
use totals::read_json;

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

/// Why a campaign cannot be started, read or gone on with.
#[derive(Debug, Error)]
pub enum CampaignError {
    /// A name that cannot be a directory's.
    #[error(
        "{0:?}: expected a name of letters, digits, \"-\", \"_\" and \".\", not beginning with \".\""
    )]
    Name(String),
    /// One of this name is there.
    #[error("{}: there is a campaign of this name", .0.display())]
    Exists(PathBuf),
    /// None of this name is.
    #[error("{}: no such campaign", .0.display())]
    Missing(PathBuf),
    /// Somebody is at it.
    #[error("{}: it is running", .0.display())]
    Busy(PathBuf),
    /// It cannot be gone on with.
    #[error("{}: {why}", directory.display())]
    Over {
        /// Its directory.
        directory: PathBuf,
        /// Why not.
        why: String,
    },
    /// The system's reason, or a file that is not as it should be.
    #[error("{}: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: io::Error,
    },
}

/// A campaign's directory.
#[derive(Clone, Debug)]
pub struct Campaign {
    directory: PathBuf,
}

impl Campaign {
    /// Makes the directory for a new one below `folder`.
    pub fn create(folder: &Path, name: &str) -> Result<Campaign, CampaignError> {
        let campaign = Campaign::named(folder, name)?;
        let fail = |why| CampaignError::File { path: folder.into(), why };
        fs::create_dir_all(folder).map_err(fail)?;
        match fs::create_dir(&campaign.directory) {
            Ok(()) => Ok(campaign),
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {
                Err(CampaignError::Exists(campaign.directory))
            }
            Err(why) => Err(CampaignError::File { path: campaign.directory, why }),
        }
    }

    /// One that is there.
    pub fn open(folder: &Path, name: &str) -> Result<Campaign, CampaignError> {
        let campaign = Campaign::named(folder, name)?;
        match campaign.directory.join(MANIFEST).is_file() {
            true => Ok(campaign),
            false => Err(CampaignError::Missing(campaign.directory)),
        }
    }

    /// Every one below `folder`, by name.
    pub fn all(folder: &Path) -> Result<Vec<Campaign>, CampaignError> {
        let mut all = Vec::new();
        let entries = match fs::read_dir(folder) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(all),
            entries => entries.map_err(|why| CampaignError::File { path: folder.into(), why })?,
        };
        for entry in entries.flatten() {
            let directory = entry.path();
            if directory.join(MANIFEST).is_file() {
                all.push(Campaign { directory });
            }
        }
        all.sort_by(|a, b| a.directory.cmp(&b.directory));
        Ok(all)
    }

    fn named(folder: &Path, name: &str) -> Result<Campaign, CampaignError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
            return Err(CampaignError::Name(name.into()));
        }
        Ok(Campaign { directory: folder.join(name) })
    }

    /// Where its files are.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.directory.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Lays out what a new one needs: its manifest last, since without it there is no campaign.
    /// `seeds` are the files that its corpus begins with.
    pub fn lay_out(&self, manifest: &Manifest, seeds: &[PathBuf]) -> Result<(), CampaignError> {
        let at = |name: &str| self.directory.join(name);
        for name in [CORPUS, ARTIFACTS, JOBS, BUGS] {
            self.io(name, fs::create_dir(at(name)))?;
        }
        let fuzzer = &manifest.fuzzer.path;
        let fail = |why| CampaignError::File { path: fuzzer.clone(), why };
        fs::copy(fuzzer, at(FUZZER)).map_err(fail)?;
        copy_seeds(seeds, &at(SEEDS)).map_err(|(path, why)| CampaignError::File { path, why })?;
        self.seed_corpus()?;
        self.reserve()?;
        self.put(MANIFEST, manifest)
    }

    /// Holds space back, if none is.
    fn reserve(&self) -> Result<(), CampaignError> {
        let path = self.directory.join(RESERVE);
        let held = fs::metadata(&path).is_ok_and(|meta| meta.len() == RESERVE_BYTES as u64);
        match held {
            true => Ok(()),
            false => self.io(RESERVE, fs::write(&path, vec![b'.'; RESERVE_BYTES])),
        }
    }

    /// Fills the corpus with the seeds that the campaign began with, and makes it if need be.
    fn seed_corpus(&self) -> Result<(), CampaignError> {
        let seeds: Vec<PathBuf> = files(&self.directory.join(SEEDS));
        copy_seeds(&seeds, &self.directory.join(CORPUS))
            .map_err(|(path, why)| CampaignError::File { path, why })
    }

    /// Removes a directory in which no campaign came to be.
    pub fn discard(&self) {
        let _ = fs::remove_dir_all(&self.directory);
    }

    /// Takes hold of it, so that nobody else does; whoever is killed lets go.
    fn lock(&self) -> Result<Flock<File>, CampaignError> {
        let path = self.directory.join(LOCK);
        let opened = OpenOptions::new().create(true).append(true).open(&path);
        let file = opened.map_err(|why| CampaignError::File { path, why })?;
        Flock::lock(file, FlockArg::LockExclusiveNonblock)
            .map_err(|_| CampaignError::Busy(self.directory.clone()))
    }

    /// What it was started as.
    pub fn manifest(&self) -> Result<Manifest, CampaignError> {
        self.get(MANIFEST)
    }

    /// What it is doing now; nothing if no supervisor has taken it up yet.
    pub fn state(&self) -> Result<Option<State>, CampaignError> {
        match self.get::<State>(STATE) {
            Ok(state) if state.phase.active() => {
                let seen = state.seen();
                // It may have ended in between, and said so.
                let again = if seen.phase == Phase::Killed { self.get(STATE)? } else { seen };
                Ok(Some(if again.phase.active() { again.seen() } else { again }))
            }
            Ok(state) => Ok(Some(state)),
            Err(CampaignError::File { why, .. }) if why.kind() == io::ErrorKind::NotFound => {
                Ok(None)
            }
            Err(why) => Err(why),
        }
    }

    /// How far it was last.
    pub fn last_sample(&self) -> Option<Sample> {
        last_line(&self.directory.join(STATS))
    }

    /// How far it was all along, and how many lines were torn.
    pub fn samples(&self) -> Result<(Vec<Sample>, usize), CampaignError> {
        self.io(STATS, read_lines(&self.directory.join(STATS)))
    }

    /// What happened.
    pub fn events(&self) -> Result<Vec<Event>, CampaignError> {
        Ok(self.io(EVENTS, read_lines(&self.directory.join(EVENTS)))?.0)
    }

    /// The sums over its processes.
    pub fn totals(&self) -> Totals {
        Totals::read(&self.directory.join(JOBS))
    }

    /// Asks its supervisor to stop, waits, then kills it; never a stranger's process that has its
    /// number now. What it started ends with it, and what is left of that is ended. Gives the state
    /// afterwards; `now` is the time, in ISO 8601.
    pub fn stop(&self, now: &str) -> Result<Option<State>, CampaignError> {
        let Some(state) = self.state()? else { return Ok(None) };
        state.process.ask_to_stop();
        if !wait_for(|| !state.process.alive()) {
            state.process.kill();
            wait_for(|| !state.process.alive());
            if let Some(left) = self.state()?.filter(|left| left.phase == Phase::Killed) {
                let reason = "it did not stop when it was asked to, and was killed".to_owned();
                let until = Some(now.to_owned());
                let elapsed_ms =
                    self.last_sample().map_or(left.elapsed_ms, |sample| sample.elapsed_ms);
                let reason = Some(reason);
                let stopped = State { phase: Phase::Stopped, reason, until, elapsed_ms, ..left };
                self.put(STATE, &stopped)?;
            }
        }
        // Its warden is at it too, unless that was killed.
        wait_for(|| tokened(&state.token).is_empty());
        let swept = sweep(&state.token).and_then(|()| remove_roots(&state.token));
        swept.map_err(|why| CampaignError::File {
            path: self.directory.clone(),
            why: io::Error::other(why.to_string()),
        })?;
        self.state()
    }

    fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T, CampaignError> {
        self.io(name, read_json(&self.directory.join(name)))
    }

    fn put(&self, name: &str, value: &impl Serialize) -> Result<(), CampaignError> {
        let written = serde_json::to_vec_pretty(value).map_err(io::Error::from);
        self.io(name, written.and_then(|text| write_whole(&self.directory.join(name), &text)))
    }

    /// Names the file that something failed of.
    fn io<T>(&self, name: &str, done: io::Result<T>) -> Result<T, CampaignError> {
        done.map_err(|why| CampaignError::File { path: self.directory.join(name), why })
    }
}

/// The seeds that a campaign began with, as they were.
const SEEDS: &str = "seeds";

/// Copies files by their names into a directory that is made if need be; what is there stays. An
/// error is of the file that it is about.
fn copy_seeds(seeds: &[PathBuf], into: &Path) -> Result<(), (PathBuf, io::Error)> {
    fs::create_dir_all(into).map_err(|why| (into.to_owned(), why))?;
    for seed in seeds {
        let place = into.join(seed.file_name().unwrap_or_default());
        if !place.exists() {
            fs::copy(seed, &place).map_err(|why| (place.clone(), why))?;
        }
    }
    Ok(())
}

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

/// Waits up to [`STOP_MS`] until `done`, and says whether it is.
fn wait_for(done: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_millis(STOP_MS);
    while !done() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(POLL_MS));
    }
    done()
}

/// Standard error may be closed; that is no reason to stop.
fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn manifest(folder: &Path) -> Manifest {
        let fuzzer = folder.join("fuzz-target");
        fs::write(&fuzzer, "x").unwrap();
        let target = Fuzzed {
            name: "standin".into(),
            binary: "x".into(),
            program: None,
            inferred: true,
            plant: None,
            level: None,
        };
        Manifest {
            name: "one".into(),
            version: "0".into(),
            target,
            fuzzer: Hashed::of(&fuzzer).unwrap(),
            flags: vec![],
            environment: BTreeMap::new(),
            seconds: 60,
            jobs: 1,
            started: "2026-01-01T00:00:00Z".into(),
            machine: Machine::this(),
        }
    }

    fn state(process: &Identity) -> State {
        State {
            phase: Phase::Running,
            reason: None,
            exit: None,
            process: process.clone(),
            token: format!("no process has this token {}", std::process::id()),
            since: "2026-01-01T00:00:00Z".into(),
            until: None,
            elapsed_ms: 0,
        }
    }

    #[test]
    fn a_state_stays_true_whatever_became_of_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let campaign = Campaign::create(folder.path(), "one").unwrap();
        assert!(matches!(Campaign::open(folder.path(), "one"), Err(CampaignError::Missing(_))));
        campaign.lay_out(&manifest(folder.path()), &[]).unwrap();
        assert_eq!(campaign.state().unwrap(), None);
        assert_eq!(campaign.stop("now").unwrap(), None);
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let process = Identity::of(child.id().cast_signed()).unwrap();
        campaign.put(STATE, &state(&process)).unwrap();
        assert_eq!(campaign.state().unwrap().unwrap().phase, Phase::Running);
        assert!(matches!(Campaign::create(folder.path(), "one"), Err(CampaignError::Exists(_))));
        // A stranger that has the number now: alive, but begun at another time.
        let stranger = Identity { start: process.start + 1, ..process.clone() };
        campaign.put(STATE, &state(&stranger)).unwrap();
        assert_eq!(campaign.stop("now").unwrap().unwrap().phase, Phase::Killed);
        assert!(process.alive());
        campaign.put(STATE, &state(&process)).unwrap();
        let reaper = std::thread::spawn(move || child.wait());
        let stopped = campaign.stop("2026-01-01T00:01:00Z").unwrap().unwrap();
        reaper.join().unwrap().unwrap();
        // It ended when asked, and as no supervisor does: without a word.
        assert_eq!(stopped.phase, Phase::Killed);
        assert_eq!(Campaign::all(folder.path()).unwrap().len(), 1);
    }

    #[test]
    fn a_torn_state_is_an_error_that_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let campaign = Campaign::create(folder.path(), "one").unwrap();
        campaign.lay_out(&manifest(folder.path()), &[]).unwrap();
        for text in ["", "{\"phase\": \"runn", "[]", "{\"phase\": \"dreaming\"}"] {
            fs::write(campaign.directory().join(STATE), text).unwrap();
            let why = campaign.state().unwrap_err().to_string();
            assert!(why.contains("state.json: "), "{text}: {why}");
            assert!(Status::of(&campaign).is_err());
        }
    }

    #[test]
    fn only_one_is_at_a_campaign() {
        let folder = tempfile::tempdir().unwrap();
        let campaign = Campaign::create(folder.path(), "one").unwrap();
        let held = campaign.lock().unwrap();
        assert!(matches!(campaign.lock(), Err(CampaignError::Busy(_))));
        drop(held);
        assert!(campaign.lock().is_ok());
    }

    #[test]
    fn a_name_is_one_plain_directory() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["", ".", "..", "a/b", ".hidden", "a b", "é"] {
            assert!(
                matches!(Campaign::create(folder.path(), name), Err(CampaignError::Name(_))),
                "{name}"
            );
        }
        assert!(Campaign::create(folder.path(), "nightly-3.x_y").is_ok());
        assert!(Campaign::all(&folder.path().join("gone")).unwrap().is_empty());
    }
}
