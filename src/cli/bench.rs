//! `bench`: how soon planted defects are found, and by what help; how long a launch takes.

use std::io::{IsTerminal as _, stderr};
use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::json;

use super::CLEAN;
use super::common::project;
use super::fuzz::build;
use crate::bench::{
    Hunt, Hunted, Launches, PARTS, Plan, Row, SETTINGS, SLOW, Setting, all_plants, launches,
    measure,
};
use crate::sandbox::{Warden, own_executable};
use crate::session::Launcher;
use crate::target::standin;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Compare the fuzz target without help, with each help alone, with all but one, and with all
    #[arg(long)]
    ablation: bool,
    /// Which settings, by name; all of them for --ablation, "all" alone otherwise
    #[arg(long, value_name = "NAME")]
    setting: Vec<String>,
    /// Planted defects to hunt: names, "slow" (the dozen that take longest) or "all"
    #[arg(long, value_name = "NAME")]
    plants: Vec<String>,
    /// libFuzzer's seeds
    #[arg(long, value_name = "N", default_values_t = [1])]
    seed: Vec<u64>,
    /// Seconds that one hunt may take
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// Hunts at once; each keeps a processor busy
    #[arg(long, value_name = "N", default_value_t = 2)]
    jobs: usize,
    /// The fuzz target's executable, instead of building it
    #[arg(long, value_name = "PATH")]
    fuzzer: Option<PathBuf>,
    /// Measure so many launches at each level instead, up to the first answer over 9P
    #[arg(long, value_name = "N", conflicts_with_all = ["ablation", "setting", "plants"])]
    launches: Option<usize>,
    /// Print a JSON object for each row
    #[arg(long)]
    json: bool,
}

pub fn main(arguments: &Arguments) -> Result<i32> {
    if let Some(count) = arguments.launches {
        return measure_launches(count, arguments.json);
    }
    let (settings, plants) = (settings(arguments)?, wanted(arguments)?);
    let fuzzer = match &arguments.fuzzer {
        Some(path) => path.canonicalize().with_context(|| path.display().to_string())?,
        None => build(&project()?)?,
    };
    let warden = Warden::start().context("the warden")?;
    let (variable, token) = warden.token();
    let plan = Plan {
        fuzzer,
        settings,
        plants,
        seeds: arguments.seed.clone(),
        seconds: arguments.seconds,
        jobs: arguments.jobs,
        token: (variable, token.to_owned()),
    };
    let done = Mutex::new(0);
    let all = plan.settings.len() * plan.plants.len() * plan.seeds.len();
    let tell = |hunt: &Hunt, hunted: &Hunted| {
        if let Ok(mut done) = done.lock() {
            *done += 1;
            if stderr().is_terminal() {
                let what = hunted.found.as_deref().unwrap_or("nothing");
                let (setting, plant) = (hunt.setting.name, &hunt.plant);
                eprintln!("[{done}/{all}] {setting}, {plant}, {:.0} s: {what}", hunted.seconds);
            }
        }
    };
    let rows = measure(&plan, tell);
    warden.end()?;
    print(&plan, &rows?, arguments.json);
    Ok(CLEAN)
}

/// Of the stand-in, which is launched as pardes is.
fn measure_launches(count: usize, as_json: bool) -> Result<i32> {
    let executable = own_executable();
    let target = standin(executable.clone());
    let rows = launches(&Launcher { target, executable, level: None }, count)?;
    for row in &rows {
        if as_json {
            say!("{}", json!(row));
            continue;
        }
        let Launches { level, launches, median_ms, ninth_decile_ms, parts_ms } = row;
        let parts: Vec<String> =
            PARTS.iter().zip(parts_ms).map(|(part, ms)| format!("{part} {ms:.2}")).collect();
        say!(
            "{level:<12} {launches} launches, median {median_ms:.2} ms, nine of ten within {ninth_decile_ms:.2} ms ({})",
            parts.join(", ")
        );
    }
    Ok(CLEAN)
}

fn settings(arguments: &Arguments) -> Result<Vec<Setting>> {
    let names: Vec<&str> = arguments.setting.iter().map(String::as_str).collect();
    match (&names[..], arguments.ablation) {
        ([], true) => Ok(SETTINGS.to_vec()),
        ([], false) => Ok(SETTINGS.into_iter().filter(|setting| setting.name == "all").collect()),
        (names, _) => names
            .iter()
            .map(|name| {
                let known = SETTINGS.map(|setting| setting.name).join(", ");
                SETTINGS
                    .into_iter()
                    .find(|setting| setting.name == *name)
                    .with_context(|| format!("--setting {name}: expected one of {known}"))
            })
            .collect(),
    }
}

fn wanted(arguments: &Arguments) -> Result<Vec<String>> {
    let names: Vec<&str> = arguments.plants.iter().map(String::as_str).collect();
    let all = all_plants();
    match names[..] {
        [] | ["slow"] => Ok(SLOW.map(str::to_owned).to_vec()),
        ["all"] => Ok(all.into_iter().map(str::to_owned).collect()),
        _ => {
            if let Some(unknown) = names.iter().find(|name| !all.contains(name)) {
                bail!(
                    "--plants {unknown}: no such planted defect; pardes-standin --plants lists them"
                );
            }
            Ok(arguments.plants.clone())
        }
    }
}

fn print(plan: &Plan, rows: &[Row], as_json: bool) {
    if as_json {
        rows.iter().for_each(|row| say!("{}", json!(row)));
        return;
    }
    for Row { setting, plant, found, hunts, executions, seconds, .. } in rows {
        let executions = executions.map_or("-".into(), |count| count.to_string());
        let seconds = seconds.map_or("-".into(), |seconds| format!("{seconds:.1}"));
        say!("{setting:<18} {plant:<22} {found}/{hunts} {executions:>9} executions {seconds:>7} s");
    }
    say!("");
    for setting in &plan.settings {
        let of = |row: &&Row| row.setting == setting.name;
        let found: usize = rows.iter().filter(of).map(|row| row.found).sum();
        let hunts: usize = rows.iter().filter(of).map(|row| row.hunts).sum();
        let defects = rows.iter().filter(of).filter(|row| row.found > 0).count();
        let executions: u64 = rows.iter().filter(of).map(|row| row.spent_executions).sum();
        let seconds: f64 = rows.iter().filter(of).map(|row| row.spent_seconds).sum();
        let plants = plan.plants.len();
        say!(
            "{:<18} {defects} of {plants} defects, {found} of {hunts} hunts, {executions} executions and {seconds:.0} s spent",
            setting.name
        );
    }
}
