//! Starts a campaign's process, or another for one that has none.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::Args;

use super::super::common::{TargetArguments, project};
use super::super::{CLEAN, fuzz};
use super::show;
use crate::campaign::limits::{BEGIN_MS, POLL_MS};
use crate::campaign::{
    Campaign, CampaignError, Fuzzed, Hashed, Identity, LOG, Machine, Manifest, Phase, State, files,
    now,
};

#[derive(Debug, Args)]
pub struct Start {
    /// How long it runs
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    minutes: u64,
    /// The same in seconds
    #[arg(long, value_name = "N", conflicts_with = "minutes", value_parser = clap::value_parser!(u64).range(1..=60_000_000))]
    seconds: Option<u64>,
    /// Fuzzing processes at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    jobs: u32,
    /// Its name, and its directory's below campaigns/; made from the time otherwise
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Wait until it is over, and exit as it did: 0 with nothing found, 1 with findings
    #[arg(long)]
    wait: bool,
    /// Print nothing but errors
    #[arg(long)]
    quiet: bool,
    /// The fuzz target's executable, instead of building it
    #[arg(long, value_name = "PATH")]
    fuzzer: Option<PathBuf>,
    #[command(flatten)]
    target: TargetArguments,
    /// Flags for libFuzzer
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<String>,
}

const SECONDS_A_MINUTE: u64 = 60;

/// libFuzzer's flags that a campaign gives itself, or that would make it something else.
const OWN_FLAGS: [&str; 10] = [
    "-artifact_prefix",
    "-fork",
    "-jobs",
    "-max_total_time",
    "-merge",
    "-minimize_crash",
    "-mutation_graph_file",
    "-reload",
    "-runs",
    "-workers",
];

pub fn start(folder: &Path, start: &Start) -> Result<i32> {
    let project = project()?;
    let name = start.name.clone().unwrap_or_else(|| now().replace(':', "").to_lowercase());
    if let Some(flag) = start.flags.iter().find(|flag| !flag.starts_with('-') || is_own(flag)) {
        bail!("{flag}: expected a flag of libFuzzer's that a campaign does not give itself");
    }
    // Whatever would make it fail at once should fail here, where it is seen.
    free(folder, &name)?;
    let target = start.target.target()?;
    fuzz::prove_isolation(&start.target, start.quiet)?;
    let fuzzer = match &start.fuzzer {
        Some(path) => path.clone(),
        None => fuzz::build(&project)?,
    };
    let manifest = Manifest {
        name: name.clone(),
        version: env!("CARGO_PKG_VERSION").into(),
        target: Fuzzed::of(&target, start.target.level()?).context("the target's program")?,
        fuzzer: Hashed::of(&fuzzer).with_context(|| fuzzer.display().to_string())?,
        flags: start.flags.clone(),
        environment: Manifest::handed_on(),
        seconds: start.seconds.unwrap_or(start.minutes * SECONDS_A_MINUTE),
        jobs: start.jobs,
        started: now(),
        machine: Machine::this(),
    };
    let campaign = Campaign::create(folder, &name)?;
    if let Err(why) = campaign.lay_out(&manifest, &files(&project.join("corpus/monkey9p"))) {
        campaign.discard();
        return Err(why.into());
    }
    take_up(&campaign, &project)?;
    if !start.quiet {
        say!("campaign {name} runs for {} s: {}", manifest.seconds, campaign.directory().display());
        say!("monkey9p campaign status {name} says how it is; campaign stop {name} ends it");
    }
    if start.wait { show::wait(&campaign, start.quiet) } else { Ok(CLEAN) }
}

fn is_own(flag: &str) -> bool {
    OWN_FLAGS.contains(&flag.split('=').next().unwrap_or_default())
}

/// Refuses a name that is taken, or cannot be one, before anything is built.
fn free(folder: &Path, name: &str) -> Result<(), CampaignError> {
    match Campaign::open(folder, name) {
        Ok(campaign) => Err(CampaignError::Exists(campaign.directory().into())),
        Err(CampaignError::Missing(_)) => Ok(()),
        Err(why) => Err(why),
    }
}

/// Goes on with a campaign that nobody is at.
pub fn resume(folder: &Path, campaign: &Campaign, wait: bool, quiet: bool) -> Result<i32> {
    let over = |why: &str| {
        let directory = campaign.directory().into();
        CampaignError::Over { directory, why: why.into() }
    };
    let manifest = campaign.manifest()?;
    match campaign.state()?.map(|state| state.phase) {
        Some(Phase::Running | Phase::Merging) => {
            return Err(CampaignError::Busy(campaign.directory().into()).into());
        }
        Some(Phase::Ended) => return Err(over("its time is up; start another").into()),
        _ => {}
    }
    if let Some(program) = &manifest.target.program {
        let now = Hashed::of(&program.path).with_context(|| program.path.display().to_string())?;
        if now.sha1 != program.sha1 {
            bail!("{}: not the program that this campaign began with", program.path.display());
        }
    }
    // What a killed one may have left.
    campaign.stop(&now())?;
    take_up(campaign, folder.parent().unwrap_or(folder))?;
    if !quiet {
        let spent_ms = campaign.state()?.map_or(0, |state| state.elapsed_ms);
        let left = manifest.seconds.saturating_sub(spent_ms / 1_000);
        say!("campaign {} goes on for {left} s", manifest.name);
    }
    if wait { show::wait(campaign, quiet) } else { Ok(CLEAN) }
}

/// Starts this very program again, detached, as the campaign's process, and waits until it says that
/// it is one.
fn take_up(campaign: &Campaign, project: &Path) -> Result<()> {
    let log = campaign.directory().join(LOG);
    let open = || File::options().create(true).append(true).open(&log);
    let (out, err) = (open(), open());
    let mut child = Process::new(std::env::current_exe()?)
        .args(["campaign", "supervise", &campaign.name()])
        .current_dir(project)
        .stdin(Stdio::null())
        .stdout(out.with_context(|| log.display().to_string())?)
        .stderr(err.with_context(|| log.display().to_string())?)
        .spawn()?;
    let pid = child.id().cast_signed();
    let its_own = |state: State| state.process.pid == pid;
    let deadline = Instant::now() + Duration::from_millis(BEGIN_MS);
    let mut began = campaign.state()?.is_some_and(its_own);
    while !began && Instant::now() < deadline {
        if let Some(status) = child.try_wait()? {
            let said = fs::read_to_string(&log).unwrap_or_default();
            bail!("the supervisor ended ({status}): {}", said.lines().last().unwrap_or_default());
        }
        std::thread::sleep(Duration::from_millis(POLL_MS));
        began = campaign.state()?.is_some_and(its_own);
    }
    if !began {
        stop_late(&mut child);
        bail!("the supervisor did not begin within {} s", BEGIN_MS / 1_000);
    }
    Ok(())
}

fn stop_late(child: &mut Child) {
    if let Some(identity) = Identity::of(child.id().cast_signed()) {
        identity.kill();
    }
    let _ = child.wait();
}
