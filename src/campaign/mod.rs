//! Detached timed runs: what is on disk of each, and whether its process is still the one that
//! began it.

mod process;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::sandbox::tokened;

pub use process::Identity;

/// How long a campaign that was asked to stop may take before it is killed.
pub const STOP_MS: u64 = 5_000;
/// How often a wait for its end looks again.
const POLL_MS: u64 = 20;

const MANIFEST: &str = "manifest.json";
const RESULT: &str = "result.json";
/// The output of the campaign's process.
pub const LOG: &str = "log";

/// What a campaign was started as; written once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Its name, and its directory's.
    pub name: String,
    /// The version of this program.
    pub version: String,
    /// What is fuzzed.
    pub target: String,
    /// The program's path, or that it is embedded.
    pub binary: String,
    /// How long it is to run, in minutes.
    pub minutes: u64,
    /// Fuzzing processes at once.
    pub jobs: u32,
    /// When it began, in ISO 8601.
    pub started: String,
    /// Its process.
    pub process: Identity,
}

/// How a campaign ended; written once, by its process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// 0 with nothing found, 1 with findings, 2 where it could not go on; nothing if it was stopped.
    pub exit: Option<i32>,
    /// When, in ISO 8601.
    pub ended: String,
}

/// What a campaign is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Its process lives.
    Running,
    /// It ended by itself, or was stopped.
    Ended(Outcome),
    /// Its process is gone and said nothing: it was killed, or the machine went down.
    Killed,
}

/// Why a campaign cannot be started or read.
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

    /// Writes the manifest.
    pub fn begin(&self, manifest: &Manifest) -> Result<(), CampaignError> {
        self.put(MANIFEST, manifest)
    }

    /// Writes how it ended.
    pub fn end(&self, outcome: &Outcome) -> Result<(), CampaignError> {
        self.put(RESULT, outcome)
    }

    /// What it was started as.
    pub fn manifest(&self) -> Result<Manifest, CampaignError> {
        let path = self.directory.join(MANIFEST);
        let fail = |why| CampaignError::File { path: path.clone(), why };
        let bytes = fs::read(&path).map_err(fail)?;
        serde_json::from_slice(&bytes).map_err(|why| fail(why.into()))
    }

    /// What it is doing now.
    pub fn state(&self) -> Result<State, CampaignError> {
        // The process first: if it ended in between, its result is there.
        let running = self.manifest()?.process.alive();
        let path = self.directory.join(RESULT);
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map(State::Ended)
                .map_err(|why| CampaignError::File { path, why: why.into() }),
            Err(_) if running => Ok(State::Running),
            Err(_) => Ok(State::Killed),
        }
    }

    /// Asks its process to stop, waits, then kills it; never a stranger's that has its number now.
    /// What the process started ends with it, and is waited for. Gives the state afterwards; `now`
    /// is the time, in ISO 8601.
    pub fn stop(&self, now: &str) -> Result<State, CampaignError> {
        let process = self.manifest()?.process;
        if !process.alive() {
            return self.state();
        }
        process.ask_to_stop();
        if !wait_for(|| !process.alive()) {
            process.kill();
        }
        let prefix = format!("{}-", process.pid);
        wait_for(|| !process.alive() && tokened(&prefix).is_empty());
        if !process.alive() && self.state()? == State::Killed {
            self.end(&Outcome { exit: None, ended: now.into() })?;
        }
        self.state()
    }

    fn put(&self, name: &str, value: &impl Serialize) -> Result<(), CampaignError> {
        let path = self.directory.join(name);
        let write = || -> io::Result<()> {
            let mut beside = tempfile::NamedTempFile::new_in(&self.directory)?;
            beside.write_all(&serde_json::to_vec_pretty(value)?)?;
            beside.persist(&path)?;
            Ok(())
        };
        write().map_err(|why| CampaignError::File { path: path.clone(), why })
    }
}

/// Waits up to [`STOP_MS`] until `done`, and says whether it is.
fn wait_for(done: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_millis(STOP_MS);
    while !done() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(POLL_MS));
    }
    done()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(name: &str, process: Identity) -> Manifest {
        Manifest {
            name: name.into(),
            version: "0".into(),
            target: "standin".into(),
            binary: "x".into(),
            minutes: 1,
            jobs: 1,
            started: "2026-01-01T00:00:00Z".into(),
            process,
        }
    }

    #[test]
    fn a_state_stays_true_whatever_became_of_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let campaign = Campaign::create(folder.path(), "one").unwrap();
        assert!(matches!(Campaign::open(folder.path(), "one"), Err(CampaignError::Missing(_))));
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let process = Identity::of(child.id().cast_signed()).unwrap();
        campaign.begin(&manifest("one", process.clone())).unwrap();
        assert_eq!(campaign.state().unwrap(), State::Running);
        assert!(matches!(Campaign::create(folder.path(), "one"), Err(CampaignError::Exists(_))));
        // A stranger that has the number now: alive, but begun at another time.
        let stranger = Identity { start: process.start + 1, ..process.clone() };
        assert!(!stranger.alive());
        stranger.kill();
        stranger.ask_to_stop();
        assert!(process.alive());
        let reaper = std::thread::spawn(move || child.wait());
        let stopped = Outcome { exit: None, ended: "2026-01-01T00:01:00Z".into() };
        assert_eq!(campaign.stop("2026-01-01T00:01:00Z").unwrap(), State::Ended(stopped.clone()));
        reaper.join().unwrap().unwrap();
        assert_eq!(campaign.stop("later").unwrap(), State::Ended(stopped));
        assert_eq!(Campaign::all(folder.path()).unwrap().len(), 1);
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
