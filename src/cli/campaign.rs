//! `campaign`: detached timed runs.

use std::fs::File;
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::time::SystemTime;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use serde_json::json;

use super::common::{TargetArguments, project};
use super::{CLEAN, fuzz};
use crate::campaign::{Campaign, Identity, LOG, Manifest, Outcome, State};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start one; it goes on when the terminal is closed
    Start(Start),
    /// List those there are
    List,
    /// Say what one is doing
    Status {
        name: String,
        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Stop one, and everything it started
    Stop { name: String },
    /// The detached process itself
    #[command(hide = true)]
    Work(Start),
}

#[derive(Clone, Debug, Args)]
struct Start {
    /// How long it runs
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    minutes: u64,
    /// Fuzzing processes at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    jobs: u32,
    /// Its name, and its directory's below campaigns/; made from the time otherwise
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    target: TargetArguments,
}

const SECONDS_A_MINUTE: u64 = 60;

pub fn main(arguments: &Arguments) -> Result<i32> {
    let folder = project()?.join("campaigns");
    match &arguments.command {
        Command::Start(start) => begin(&folder, start),
        Command::Work(start) => work(&folder, start),
        Command::List => {
            for campaign in Campaign::all(&folder)? {
                say!("{}  {}", campaign.manifest()?.name, told(&campaign.state()?));
            }
            Ok(CLEAN)
        }
        Command::Status { name, json } => {
            let campaign = Campaign::open(&folder, name)?;
            let (manifest, state) = (campaign.manifest()?, campaign.state()?);
            match json {
                true => say!("{}", json!({"manifest": manifest, "state": state})),
                false => say!(
                    "{name}: {}; {} for {} minutes, {} jobs, since {}",
                    told(&state),
                    manifest.target,
                    manifest.minutes,
                    manifest.jobs,
                    manifest.started
                ),
            }
            Ok(CLEAN)
        }
        Command::Stop { name } => {
            let state = Campaign::open(&folder, name)?.stop(&now())?;
            say!("{name}: {}", told(&state));
            Ok(CLEAN)
        }
    }
}

fn told(state: &State) -> String {
    match state {
        State::Running => "running".into(),
        State::Ended(Outcome { exit: Some(exit), ended }) => format!("ended {ended} with {exit}"),
        State::Ended(Outcome { exit: None, ended }) => format!("stopped {ended}"),
        State::Killed => "its process is gone and left no result: it was killed".into(),
    }
}

/// Starts this very program again, detached, as the campaign's process.
fn begin(folder: &Path, start: &Start) -> Result<i32> {
    // Whatever would make it fail at once should fail here, where it is seen.
    let target = start.target.target()?;
    fuzz::prove_isolation(&start.target)?;
    fuzz::install_cargo_fuzz()?;
    let name = start.name.clone().unwrap_or_else(|| now().replace(':', "").to_lowercase());
    let campaign = Campaign::create(folder, &name)?;
    let log = File::create(campaign.directory().join(LOG))?;
    let child = Process::new(std::env::current_exe()?)
        .args(["campaign", "work", "--name", &name])
        .args(["--minutes", &start.minutes.to_string(), "--jobs", &start.jobs.to_string()])
        .args(start.target.as_options())
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()?;
    let process =
        Identity::of(child.id().cast_signed()).context("the campaign's process is gone")?;
    campaign.begin(&Manifest {
        name: name.clone(),
        version: env!("CARGO_PKG_VERSION").into(),
        target: target.name.clone(),
        binary: target.binary(),
        minutes: start.minutes,
        jobs: start.jobs,
        started: now(),
        process,
    })?;
    say!("campaign {name} runs for {} minutes: {}", start.minutes, campaign.directory().display());
    Ok(CLEAN)
}

fn work(folder: &Path, start: &Start) -> Result<i32> {
    nix::unistd::setsid().context("a session of its own")?;
    let Some(name) = &start.name else { bail!("expected --name") };
    let directory = folder.join(name);
    let seconds = start.minutes * SECONDS_A_MINUTE;
    let exit = fuzz::fuzz(&start.target, Some(seconds), start.jobs, &[]).unwrap_or_else(|why| {
        eprintln!("monkey9p: {why:#}");
        super::REFUSED
    });
    let campaign = Campaign::open(folder, name).with_context(|| directory.display().to_string())?;
    campaign.end(&Outcome { exit: Some(exit), ended: now() })?;
    Ok(exit)
}

/// The time in ISO 8601, in UTC, by the second.
fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
