//! What is shown of a campaign: on a terminal, in a pipe, and to programs.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, stderr, stdout};
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::super::{CLEAN, REFUSED};
use crate::campaign::{Campaign, CampaignError, Phase, Report, Sample, Status, local, plain};

/// How often a campaign is looked at while it is watched.
const WATCH: Duration = Duration::from_secs(1);

/// One line for each campaign.
pub fn list(folder: &Path, as_json: bool) -> Result<i32> {
    for campaign in Campaign::all(folder)? {
        match Status::of(&campaign) {
            Ok(status) if as_json => say!("{}", json!(status)),
            Ok(status) => say!("{:<24} {}", status.name, line(&status)),
            // One that is broken hides no other.
            Err(why) if as_json => {
                say!("{}", json!({"name": campaign.name(), "error": why.to_string()}))
            }
            Err(why) => say!("{:<24} {why}", campaign.name()),
        }
    }
    Ok(CLEAN)
}

/// Says what one is doing; with `watch` until it is over.
pub fn status(campaign: &Campaign, watch: bool, as_json: bool) -> Result<i32> {
    let terminal = stdout().is_terminal();
    let mut before = None;
    loop {
        let status = Status::of(campaign)?;
        if as_json {
            say!("{}", json!(status));
        } else if watch && terminal {
            // Back to the top, and clear what follows.
            say_on!("\x1b[H\x1b[J{}", text(&status));
        } else if watch && status.phase.active() {
            // In a pipe, only what changes.
            if before != Some(status.phase) {
                say!("{}: {}", status.name, line(&status));
            }
        } else {
            say_on!("{}", text(&status));
        }
        if !watch || !status.phase.active() {
            return Ok(CLEAN);
        }
        before = Some(status.phase);
        std::thread::sleep(WATCH);
    }
}

/// Writes the report anew, and prints it as a text or as JSON.
pub fn report(campaign: &Campaign, as_json: bool) -> Result<i32> {
    let report = Report::of(campaign)?;
    let written = report.write(campaign);
    match as_json {
        true => say!("{}", json!(report)),
        false => say_on!("{}", report.text()),
    }
    match written {
        Ok(()) if !as_json => say!("page         {}", campaign.page_path().display()),
        Ok(()) => {}
        // What was read is told all the same.
        Err(why @ CampaignError::File { .. }) => eprintln!("monkey9p: not written: {why}"),
        Err(why) => return Err(why.into()),
    }
    Ok(CLEAN)
}

/// Waits for the end, with progress on a terminal; gives the campaign's exit code.
pub fn wait(campaign: &Campaign, quiet: bool) -> Result<i32> {
    let progress = match quiet || !stderr().is_terminal() {
        true => ProgressBar::hidden(),
        false => ProgressBar::new(campaign.manifest()?.seconds),
    };
    progress.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} s  {msg}")?);
    let status = loop {
        let status = Status::of(campaign)?;
        if !status.phase.active() {
            break status;
        }
        progress.set_position(status.elapsed_s as u64);
        progress.set_message(counts(&status));
        std::thread::sleep(WATCH / 4);
    };
    progress.finish_and_clear();
    if !quiet {
        say_on!("{}", text(&status));
    }
    Ok(status.exit.unwrap_or(REFUSED))
}

/// A campaign in a line.
fn line(status: &Status) -> String {
    let mut line = match (status.phase, &status.until) {
        (Phase::Running | Phase::Merging, _) | (_, None) => status.phase.name().to_owned(),
        (phase, Some(until)) => format!("{} {}", phase.name(), local(until)),
    };
    if let Some(exit) = status.exit {
        let _ = write!(line, " with {exit}");
    }
    let _ =
        write!(line, ", {} of {} s, {}", status.elapsed_s as u64, status.seconds, counts(status));
    line
}

fn counts(status: &Status) -> String {
    let Sample { executions, features, signatures, .. } = status.sample;
    format!("{executions} executions, {features} features, {signatures} found")
}

/// A campaign in a few lines.
fn text(status: &Status) -> String {
    let sample = &status.sample;
    let mut out = String::new();
    let mut put = |what: &str, value: String| {
        let _ = writeln!(out, "{what:<12} {}", plain(&value));
    };
    put("campaign", status.name.clone());
    put("state", line(status));
    if let Some(reason) = &status.reason {
        put("why", reason.clone());
    }
    put("target", status.target.clone());
    put("started", local(&status.started));
    let rate = format!("{} ({:.1} a second)", sample.executions, sample.executions_per_s);
    put("executions", rate);
    put("features", format!("{} ({} edges of the harness's)", sample.features, sample.edges));
    put("corpus", format!("{} inputs", sample.corpus));
    let jobs = format!(
        "{} of {}; {} restarts, {} deaths",
        sample.jobs, status.jobs_wanted, sample.restarts, sample.deaths
    );
    put("jobs", jobs);
    let found = format!(
        "{} different, {} in all; {} out of memory, {} timeouts",
        sample.signatures, sample.crashes, sample.ooms, sample.timeouts
    );
    put("found", found);
    if sample.unrecorded > 0 {
        put("unrecorded", format!("{} findings had no room for a record", sample.unrecorded));
    }
    for (what, value) in [("sandbox", &status.level), ("coverage", &status.coverage)] {
        if !value.is_empty() {
            put(what, value.clone());
        }
    }
    put("directory", status.directory.clone());
    for event in &status.events {
        let _ =
            writeln!(out, "  {}  {}: {}", local(&event.at), event.kind.name(), plain(&event.what));
    }
    out
}
