//! What a campaign was started as: written once, and read again by whoever goes on with it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};
use sha1::{Digest as _, Sha1};

use crate::feedback::FEEDBACK_VARIABLE;
use crate::runner::{VERDICT_VARIABLE, WAY_VARIABLE};
use crate::sandbox::{LEVEL_VARIABLE, Level};
use crate::target::{INFERRED_VARIABLE, PARDES_VARIABLE, PLANT_VARIABLE, Program, Target};

/// A campaign's beginnings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Its name, and its directory's.
    pub name: String,
    /// The version of this program.
    pub version: String,
    /// What is fuzzed.
    pub target: Fuzzed,
    /// The fuzz target's executable, which is copied into the campaign's directory.
    pub fuzzer: Hashed,
    /// libFuzzer's flags besides those that a campaign gives itself.
    pub flags: Vec<String>,
    /// Variables that change what the fuzz target does, as they were set.
    pub environment: BTreeMap<String, String>,
    /// How long it is to run, in seconds.
    pub seconds: u64,
    /// Fuzzing processes at once.
    pub jobs: u32,
    /// When it began, in ISO 8601.
    pub started: String,
    /// Where.
    pub machine: Machine,
}

/// A file, and what it held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hashed {
    /// Where it was.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// The SHA-1 of its contents.
    pub sha1: String,
}

/// The target, as it can be named again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fuzzed {
    /// Its name.
    pub name: String,
    /// The program's path, or that it is embedded.
    pub binary: String,
    /// The program, unless it is embedded in the fuzz target.
    pub program: Option<Hashed>,
    /// Whether inferred rules are asserted.
    pub inferred: bool,
    /// The planted defect that is on.
    pub plant: Option<String>,
    /// What was asked to hold it; the strongest level that can be had, if nothing was.
    pub level: Option<String>,
}

/// A machine, as far as it explains figures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Its name.
    pub host: String,
    /// Its kernel's release.
    pub kernel: String,
    /// Processors that can be used.
    pub processors: usize,
}

/// Variables of the fuzz target's that a campaign hands on.
const HANDED_ON: [&str; 3] = [FEEDBACK_VARIABLE, WAY_VARIABLE, VERDICT_VARIABLE];

impl Hashed {
    /// Reads the whole file.
    pub fn of(path: &Path) -> io::Result<Hashed> {
        let mut hash = Sha1::new();
        let bytes = io::copy(&mut File::open(path)?, &mut hash)?;
        let sha1 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Hashed { path: path.into(), bytes, sha1 })
    }
}

impl Fuzzed {
    /// The target, held at `level`.
    pub fn of(target: &Target, level: Option<Level>) -> io::Result<Fuzzed> {
        let program = match &target.program {
            Program::Path(path) => Some(Hashed::of(path)?),
            Program::Role(..) => None,
        };
        Ok(Fuzzed {
            name: target.name.clone(),
            binary: target.binary(),
            program,
            inferred: target.inferred,
            plant: target.plant().map(str::to_owned),
            level: level.map(|level| level.name().to_owned()),
        })
    }
}

impl Machine {
    /// This one.
    pub fn this() -> Machine {
        let kernel = |name: &str| {
            let read = fs::read_to_string(format!("/proc/sys/kernel/{name}"));
            read.unwrap_or_default().trim().to_owned()
        };
        let processors = std::thread::available_parallelism().map_or(0, Into::into);
        Machine { host: kernel("hostname"), kernel: kernel("osrelease"), processors }
    }
}

impl Manifest {
    /// Those variables of this process's environment that a campaign hands on.
    pub fn handed_on() -> BTreeMap<String, String> {
        let set = |name: &&str| Some(((*name).to_owned(), std::env::var(name).ok()?));
        HANDED_ON.iter().filter_map(set).collect()
    }

    /// Gives a fuzzing process what it has in its environment, and takes what it must not have.
    pub(super) fn set_environment(&self, command: &mut Command) {
        for (name, value) in self.variables() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
    }

    fn variables(&self) -> Vec<(&str, Option<String>)> {
        let program = self.target.program.as_ref();
        let mut variables = vec![
            (PARDES_VARIABLE, program.map(|program| program.path.display().to_string())),
            (PLANT_VARIABLE, self.target.plant.clone()),
            (INFERRED_VARIABLE, Some(u8::from(self.target.inferred).to_string())),
            (LEVEL_VARIABLE, self.target.level.clone()),
        ];
        let handed_on = |name: &'static str| (name, self.environment.get(name).cloned());
        variables.extend(HANDED_ON.into_iter().map(handed_on));
        variables
    }
}
