//! A campaign's directory: how it comes to be, and what is read of it and written to it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::limits::RESERVE_BYTES;
use super::lines::{last_line, read_lines};
use super::totals::read_json;
use super::{
    ARTIFACTS, BUGS, CORPUS, EVENTS, Event, FUZZER, JOBS, LOCK, MANIFEST, Manifest, Phase, RESERVE,
    SEEDS, STATE, STATS, Sample, State, Totals, files,
};
use crate::ops::write_whole;

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
    pub(super) directory: PathBuf,
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
    pub(super) fn reserve(&self) -> Result<(), CampaignError> {
        let path = self.directory.join(RESERVE);
        let held = fs::metadata(&path).is_ok_and(|meta| meta.len() == RESERVE_BYTES as u64);
        match held {
            true => Ok(()),
            false => self.io(RESERVE, fs::write(&path, vec![b'.'; RESERVE_BYTES])),
        }
    }

    /// Fills the corpus with the seeds that the campaign began with, and makes it if need be.
    pub(super) fn seed_corpus(&self) -> Result<(), CampaignError> {
        let seeds: Vec<PathBuf> = files(&self.directory.join(SEEDS));
        copy_seeds(&seeds, &self.directory.join(CORPUS))
            .map_err(|(path, why)| CampaignError::File { path, why })
    }

    /// Removes a directory in which no campaign came to be.
    pub fn discard(&self) {
        let _ = fs::remove_dir_all(&self.directory);
    }

    /// Takes hold of it, so that nobody else does; whoever is killed lets go.
    pub(super) fn lock(&self) -> Result<Flock<File>, CampaignError> {
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

    pub(super) fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T, CampaignError> {
        self.io(name, read_json(&self.directory.join(name)))
    }

    pub(super) fn put(&self, name: &str, value: &impl Serialize) -> Result<(), CampaignError> {
        let written = serde_json::to_vec_pretty(value).map_err(io::Error::from);
        self.io(name, written.and_then(|text| write_whole(&self.directory.join(name), &text)))
    }

    /// Names the file that something failed of.
    pub(super) fn io<T>(&self, name: &str, done: io::Result<T>) -> Result<T, CampaignError> {
        done.map_err(|why| CampaignError::File { path: self.directory.join(name), why })
    }
}

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
