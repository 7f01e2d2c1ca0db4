//! `fuzz`: the main job, `cargo fuzz run` with everything it needs.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use anyhow::{Context as _, Result, bail};
use clap::Args;

use super::common::{TargetArguments, project};
use super::{CLEAN, FOUND, REFUSED};
use crate::sandbox::{LEVEL_VARIABLE, Warden};
use crate::target::{INFERRED_VARIABLE, PARDES_VARIABLE, PLANT_VARIABLE, Program, Target};

/// The fuzz target in `fuzz/`.
const FUZZ_TARGET: &str = "monkey9p";
/// The libFuzzer flag that would send artifacts where nobody looks.
const ARTIFACT_PREFIX: &str = "-artifact_prefix=";

#[derive(Debug, Args)]
pub struct Arguments {
    /// Stop after so many seconds, once the corpus has been run; go on until stopped otherwise
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    seconds: Option<u64>,
    /// Fuzz in so many processes at once: libFuzzer's fork mode, which tells of a job when it ends
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    jobs: u32,
    #[command(flatten)]
    target: TargetArguments,
    /// Flags for libFuzzer
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<OsString>,
}

pub fn main(arguments: &Arguments) -> Result<i32> {
    fuzz(&arguments.target, arguments.seconds, arguments.jobs, &arguments.flags)
}

/// Proves isolation, sees to cargo-fuzz, and fuzzes; gives the exit code.
pub fn fuzz(
    which: &TargetArguments,
    seconds: Option<u64>,
    jobs: u32,
    flags: &[OsString],
) -> Result<i32> {
    let prefix = |flag: &&OsString| flag.to_string_lossy().starts_with(ARTIFACT_PREFIX);
    if let Some(flag) = flags.iter().find(prefix) {
        bail!("{}: artifacts go to fuzz/artifacts, where they are looked for", flag.display());
    }
    let project = project()?;
    prove_isolation(which, false)?;
    install_cargo_fuzz()?;
    let artifacts = project.join("fuzz/artifacts").join(FUZZ_TARGET);
    let before = files(&artifacts);
    let grown = files(&project.join("corpus").join(FUZZ_TARGET)).len();
    say!("the corpus holds {grown} inputs, which are run first");
    let warden = Warden::start().context("the warden")?;
    let target = which.target()?;
    let mut command = cargo_fuzz(&project, &target, &warden);
    if let Some(level) = which.level()? {
        command.env(LEVEL_VARIABLE, level.name());
    }
    command.args(seconds.map(|seconds| format!("-max_total_time={seconds}")));
    command.args((jobs > 1).then(|| format!("-fork={jobs}")));
    let status = command.args(flags).status().context("cargo fuzz")?;
    warden.end()?;
    let after = files(&artifacts);
    let new: Vec<&(PathBuf, SystemTime)> = after.difference(&before).collect();
    for (artifact, _) in &new {
        say!("found: {}", artifact.display());
        let plant =
            target.plant().map_or(String::new(), |plant| format!("{PLANT_VARIABLE}={plant} "));
        say!("  run it again with: {plant}monkey9p replay {}", artifact.display());
    }
    Ok(match (status.success(), new.is_empty()) {
        (_, false) => FOUND,
        (true, true) => CLEAN,
        (false, true) => {
            eprintln!("monkey9p: cargo fuzz ended with {status} and left no artifact");
            REFUSED
        }
    })
}

/// Starts a session and ends it: what the fuzzer will do over and over is shown to be possible.
pub fn prove_isolation(which: &TargetArguments, quiet: bool) -> Result<()> {
    let mut runner = which.runner()?;
    runner.fresh(false)?;
    let evidence = runner.session().map(|session| session.evidence()).unwrap_or_default();
    for line in evidence.iter().filter(|_| !quiet) {
        say!("isolation: {line}");
    }
    runner.end()?;
    if !quiet {
        say!("isolation: proven; the target answered and is gone again");
    }
    Ok(())
}

/// Installs cargo-fuzz if there is none, and says so.
pub fn install_cargo_fuzz() -> Result<()> {
    let there = Command::new("cargo")
        .args(["fuzz", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("cargo, which fuzzing needs (rustup brings it)")?;
    if there.success() {
        return Ok(());
    }
    say!("cargo-fuzz is not installed: installing it (cargo install cargo-fuzz --locked)");
    let installed = Command::new("cargo")
        .args(["install", "cargo-fuzz", "--locked"])
        .status()
        .context("cargo install")?;
    if !installed.success() {
        bail!("cargo-fuzz could not be installed: {installed}");
    }
    Ok(())
}

/// Builds the fuzz target, and gives its executable.
pub fn build(project: &Path) -> Result<PathBuf> {
    install_cargo_fuzz()?;
    let built = Command::new("cargo")
        .args(["fuzz", "build", "-s", "none", FUZZ_TARGET])
        .current_dir(project)
        .status()
        .context("cargo fuzz build")?;
    if !built.success() {
        bail!("cargo fuzz build ended with {built}");
    }
    let triples = fs::read_dir(project.join("fuzz/target")).into_iter().flatten().flatten();
    triples
        .map(|entry| entry.path().join("release").join(FUZZ_TARGET))
        .find(|path| path.is_file())
        .context("cargo fuzz build made no fuzz/target/*/release/monkey9p")
}

/// `cargo fuzz run` up to its `--`, with the target in its environment.
fn cargo_fuzz(project: &Path, target: &Target, warden: &Warden) -> Command {
    let (variable, token) = warden.token();
    let mut command = Command::new("cargo");
    command
        // Without a sanitizer: the target is another process, and stable Rust will do.
        .args(["fuzz", "run", "-s", "none", FUZZ_TARGET, "--"])
        .current_dir(project)
        .env(variable, token)
        .env_remove(PLANT_VARIABLE)
        .env_remove(PARDES_VARIABLE);
    if let Program::Path(path) = &target.program {
        command.env(PARDES_VARIABLE, path);
    }
    command.env(INFERRED_VARIABLE, if target.inferred { "1" } else { "0" });
    if let Some(plant) = target.plant() {
        command.env(PLANT_VARIABLE, plant);
    }
    command
}

/// What is there, with when it was written: the same bug gives a file of the same name again.
fn files(folder: &Path) -> BTreeSet<(PathBuf, SystemTime)> {
    let written =
        |entry: fs::DirEntry| Some((entry.path(), entry.metadata().ok()?.modified().ok()?));
    fs::read_dir(folder).into_iter().flatten().flatten().filter_map(written).collect()
}
