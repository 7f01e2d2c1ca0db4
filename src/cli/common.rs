//! What several subcommands share: the target's options, and files that hold ops.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;

use crate::input::Input;
use crate::ops::{Op, OpsFile, parse_ops};
use crate::runner::{Runner, input_ops};
use crate::sandbox::{LEVEL_VARIABLE, Level, own_executable};
use crate::session::Launcher;
use crate::target::{Target, TargetError, from_environment, pardes, standin};

/// Which target, and what is asserted of it.
#[derive(Clone, Debug, Args)]
pub struct TargetArguments {
    /// What to fuzz: standin (the default) or pardes (the default if PARDES is set)
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    /// The real pardes, instead of the PARDES variable
    #[arg(long, value_name = "PATH")]
    pardes: Option<PathBuf>,
    /// Assert inferred rules of a real pardes too
    #[arg(long)]
    inferred: bool,
    /// Assert of the stand-in too only what is documented or the protocol's
    #[arg(long, conflicts_with = "inferred")]
    no_inferred: bool,
    /// What is to hold the target: kernel, landlock or environment; the strongest that can be had otherwise
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,
}

impl TargetArguments {
    /// The target that the options and the environment name.
    pub fn target(&self) -> Result<Target, TargetError> {
        let mut target = self.named()?;
        target.inferred = (target.inferred || self.inferred) && !self.no_inferred;
        Ok(target)
    }

    fn named(&self) -> Result<Target, TargetError> {
        match (self.target.as_deref(), &self.pardes) {
            (None | Some("pardes"), Some(path)) => pardes(path, "--pardes"),
            (None, None) => from_environment(own_executable()),
            (Some("standin"), None) => Ok(standin(own_executable())),
            (Some("standin"), Some(_)) => Err(TargetError::Contradiction),
            (Some("pardes"), None) => match from_environment(own_executable())? {
                target if target.name == "pardes" => Ok(target),
                _ => Err(TargetError::NoPardes),
            },
            (Some(other), _) => Err(TargetError::Unknown(other.into())),
        }
    }

    /// The level that the option or the environment asks for.
    pub fn level(&self) -> Result<Option<Level>> {
        match self.level {
            Some(level) => Ok(Some(level)),
            None => Level::from_environment().context(LEVEL_VARIABLE),
        }
    }

    /// What it takes to launch it.
    pub fn launcher(&self) -> Result<Launcher> {
        let (target, level) = (self.target()?, self.level()?);
        Ok(Launcher { target, executable: own_executable(), level })
    }

    /// A runner for it; nothing is launched yet.
    pub fn runner(&self) -> Result<Runner> {
        Ok(Runner::new(self.launcher()?, self.inferred))
    }
}

/// Reads an ops log or a bug record (JSON lines), or else a libFuzzer artifact or corpus entry.
pub fn read_any(path: &Path) -> Result<OpsFile> {
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    if bytes.is_empty() {
        bail!("{}: empty: expected an ops log, a bug record or an artifact", path.display());
    }
    let named = path.extension().is_some_and(|end| end == "jsonl" || end == "json");
    if named || (bytes.starts_with(b"{\"") && std::str::from_utf8(&bytes).is_ok()) {
        return Ok(parse_ops(path, &bytes)?);
    }
    // Artifacts and corpus entries have none; a log by another name would decode to nonsense.
    if let Some(end) = path.extension() {
        bail!("{}: expected .jsonl or an artifact, not .{}", path.display(), end.display());
    }
    match Input::decode(&bytes) {
        Some(input) => Ok(OpsFile { header: Default::default(), ops: input_ops(&input) }),
        None => bail!("{}: {} bytes that decode to no input", path.display(), bytes.len()),
    }
}

/// The ops, with the `fresh` in front that a session begins with.
pub fn with_fresh(mut ops: Vec<Op>) -> Vec<Op> {
    if !matches!(ops.first(), Some(Op::Fresh { .. })) {
        ops.insert(0, Op::Fresh { follower: false });
    }
    ops
}

/// The project's directory: this one or the nearest above it that holds both `seeds/` and `fuzz/`.
pub fn project() -> Result<PathBuf> {
    let here = std::env::current_dir().context("the working directory")?;
    let found = here
        .ancestors()
        .find(|folder| folder.join("seeds").is_dir() && folder.join("fuzz/Cargo.toml").is_file());
    match found {
        Some(folder) => Ok(folder.into()),
        None => bail!(
            "{}: neither it nor a directory above holds seeds/ and fuzz/Cargo.toml: run this inside a checkout of monkey9p",
            here.display()
        ),
    }
}
