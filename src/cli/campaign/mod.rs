//! `campaign`: detached timed runs.

mod show;
mod start;

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};

use super::CLEAN;
use super::common::project;
use crate::campaign::{Campaign, Phase, now, supervise};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start one; it goes on when the terminal is closed
    Start(start::Start),
    /// List those there are
    List {
        /// Print a JSON object for each
        #[arg(long)]
        json: bool,
    },
    /// Say what one is doing
    Status {
        /// Which; the one that was started last otherwise
        name: Option<String>,
        /// Say it again and again until it is over
        #[arg(long)]
        watch: bool,
        /// Print a JSON object, with --watch one a second
        #[arg(long)]
        json: bool,
    },
    /// Wait until one is over, and exit as it did
    Wait {
        name: String,
        /// Print nothing
        #[arg(long)]
        quiet: bool,
    },
    /// Stop one, and everything it started
    Stop { name: String },
    /// Go on with one that was stopped, killed or could not go on, for what is left of its time
    Resume {
        name: String,
        /// Wait until it is over, and exit as it did
        #[arg(long)]
        wait: bool,
        /// Print nothing
        #[arg(long)]
        quiet: bool,
    },
    /// Write the report of one, as it is now, and print it
    Report {
        name: String,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// The detached process itself
    #[command(hide = true)]
    Supervise { name: String },
}

pub fn main(arguments: &Arguments) -> Result<i32> {
    let folder = project()?.join("campaigns");
    match &arguments.command {
        Command::Start(start) => start::start(&folder, start),
        Command::List { json } => show::list(&folder, *json),
        Command::Status { name, watch, json } => {
            let campaign = named_or_last(&folder, name.as_deref())?;
            show::status(&campaign, *watch, *json)
        }
        Command::Wait { name, quiet } => show::wait(&Campaign::open(&folder, name)?, *quiet),
        Command::Stop { name } => stop(&Campaign::open(&folder, name)?),
        Command::Resume { name, wait, quiet } => {
            let campaign = Campaign::open(&folder, name)?;
            start::resume(&folder, &campaign, *wait, *quiet)
        }
        Command::Report { name, json } => show::report(&Campaign::open(&folder, name)?, *json),
        Command::Supervise { name } => {
            nix::unistd::setsid().context("a session of its own")?;
            Ok(supervise(&folder, name)?)
        }
    }
}

/// The campaign of that name; of none, the one that was started last.
fn named_or_last(folder: &Path, name: Option<&str>) -> Result<Campaign> {
    if let Some(name) = name {
        return Ok(Campaign::open(folder, name)?);
    }
    let started =
        |campaign: &Campaign| campaign.manifest().map(|it| it.started).unwrap_or_default();
    match Campaign::all(folder)?.into_iter().max_by_key(started) {
        Some(campaign) => Ok(campaign),
        None => bail!("{}: no campaign has been started", folder.display()),
    }
}

fn stop(campaign: &Campaign) -> Result<i32> {
    let name = campaign.name();
    match campaign.stop(&now())? {
        Some(state) if state.phase == Phase::Killed => {
            let why = state.reason.unwrap_or_default();
            say!("{name}: {why}; nothing of it is left; monkey9p campaign resume {name} goes on");
        }
        Some(state) => say!("{name}: {}", state.phase.name()),
        None => say!("{name}: it has not begun"),
    }
    Ok(CLEAN)
}
