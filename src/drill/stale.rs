//! Worlds that are not as they should be: each must be refused, with its reason, and nothing launched.

use std::fs;
use std::io;
use std::path::Path;

use super::{Verdict, failed};
use crate::ops::parse_ops;
use crate::sandbox::{LaunchPlan, Layout, SandboxError, limits};
use crate::session::Launcher;

/// Each way of spoiling a world must give a refusal; nothing is launched.
pub fn refused(launcher: &Launcher) -> (Verdict, Vec<String>) {
    let mut evidence = Vec::new();
    for (what, spoil) in SPOILERS {
        match attempt(launcher, spoil) {
            Ok(Err(refusal)) => evidence.push(format!("{what}: {refusal}")),
            Ok(Ok(())) => return failed(format!("{what}: was not refused")),
            Err(why) => return failed(format!("{what}: {why}")),
        }
    }
    evidence.push(format!("nothing was launched in any of these {} worlds", SPOILERS.len()));
    match parse_ops(Path::new("record.jsonl"), ANOTHER_VERSION.as_bytes()) {
        Err(why) => evidence.push(format!("a record of another version: {why}")),
        Ok(_) => return failed("a record with an op that this version has not was not refused"),
    }
    (Verdict::Pass, evidence)
}

/// The refusal; an error where it went otherwise.
fn attempt(launcher: &Launcher, spoil: Spoiler) -> Result<Result<(), String>, SandboxError> {
    let mut sandbox = launcher.sandbox()?;
    let mut plan = launcher.target.plan(sandbox.layout(), sandbox.token());
    spoil(&mut plan, sandbox.reached())?;
    let outcome = match sandbox.prove(plan) {
        Ok(_) => Ok(()),
        Err(SandboxError::Refused(refusal)) => Err(refusal.to_string()),
        Err(why) => return Err(why),
    };
    if let Some(pid) = sandbox.target() {
        return Err(SandboxError::Keeper(format!("launched process {pid}")));
    }
    sandbox.teardown()?;
    Ok(outcome)
}

/// Spoils a plan, or the directories as this process reaches them.
type Spoiler = fn(&mut LaunchPlan, &Layout) -> io::Result<()>;

const SPOILERS: [(&str, Spoiler); 9] = [
    ("a socket that is there already", |plan, here| {
        fs::write(here.runtime.join(plan.socket.file_name().unwrap_or_default()), "")
    }),
    ("a HOME outside", |plan, _| set(plan, "HOME", "/")),
    ("a relative HOME", |plan, _| set(plan, "HOME", "home")),
    ("no HOME at all", |plan, _| {
        plan.environment.retain(|(name, _)| name != "HOME");
        Ok(())
    }),
    ("a link that leads outside", |plan, here| {
        std::os::unix::fs::symlink("/", here.home.join("out"))?;
        let led = plan.directory.join("out/var");
        set(plan, "XDG_STATE_HOME", &led.to_string_lossy())
    }),
    ("a runtime directory of another run", |plan, _| {
        set(
            plan,
            "XDG_RUNTIME_DIR",
            &format!("{}/{}another/run", limits::PARENT, limits::ROOT_PREFIX),
        )
    }),
    ("a root that another run marked, or this one before the machine's last start", |_, here| {
        fs::write(here.root.join(limits::MARKER), "1-1-0123456789abcdef\n")
    }),
    ("a root without a marker", |_, here| fs::remove_file(here.root.join(limits::MARKER))),
    ("a variable of the person's", |plan, _| {
        plan.environment.push(("PARDES_SECRET".into(), "x".into()));
        Ok(())
    }),
];

/// A header, and an op that a later version may have.
const ANOTHER_VERSION: &str = "{\"version\":\"999.0.0\"}\n{\"op\":\"of another version\"}\n";

fn set(plan: &mut LaunchPlan, name: &str, value: &str) -> io::Result<()> {
    for (variable, there) in &mut plan.environment {
        if variable == name {
            *there = value.into();
        }
    }
    Ok(())
}
