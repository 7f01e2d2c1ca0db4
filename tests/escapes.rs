//! The escape suite at each level, as root and as an ordinary user: what was tried is as the table in
//! `docs/sandbox.md` has it, read from outside.

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use common::{EXECUTABLE_VARIABLE, executable, skip};
use monkey9p::escapes::{EscapeError, Fate, Machine, attempts, page};
use monkey9p::sandbox::{Level, SandboxError};
use nix::unistd::geteuid;

/// Nobody in particular.
const ORDINARY: u32 = 65_534;

/// Every attempt at that level: how each went is how it was to go, whichever way that is.
fn hold(test: &str, level: Level) {
    let machine = Machine::look(&executable()).unwrap();
    let mut wrong = Vec::new();
    for one in attempts() {
        match one.make(&executable(), level) {
            Ok(Fate::Untried(why)) => skip(test, &format!("{}: {why}", one.name)),
            Ok(fate) => {
                let open = one.expected(level).is_open(&machine);
                if (fate != Fate::Blocked) != open {
                    let want = if open { "to be open" } else { "to be blocked" };
                    wrong.push(format!("{} was {want}: {fate:?}", one.name));
                }
            }
            Err(EscapeError::Sandbox(SandboxError::Refused(why))) => {
                return skip(test, &why.to_string());
            }
            Err(why) => wrong.push(format!("{}: {why}", one.name)),
        }
    }
    assert!(wrong.is_empty(), "at the level {level}, of {machine:?}:\n{}", wrong.join("\n"));
}

#[test]
fn the_kernel_level_blocks_every_attempt() {
    hold("the_kernel_level_blocks_every_attempt", Level::Kernel);
}

#[test]
fn the_landlock_level_is_as_the_table_has_it() {
    hold("the_landlock_level_is_as_the_table_has_it", Level::Landlock);
}

#[test]
fn the_environment_level_is_as_the_table_has_it() {
    hold("the_environment_level_is_as_the_table_has_it", Level::Environment);
}

#[test]
fn the_page_of_the_sandbox_is_current() {
    let path = common::project().join("docs/sandbox.md");
    // A copy that an ordinary user runs has no project.
    if !geteuid().is_root() && !path.exists() {
        return skip("the_page_of_the_sandbox_is_current", "the project cannot be read");
    }
    let page = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(there == page, "docs/sandbox.md is stale: UPDATE_DOCS=1 cargo test --test escapes");
}

/// All of this file once more, by a user who may do nothing special, and has a HOME.
#[test]
fn an_ordinary_user_has_the_same() {
    let test = "an_ordinary_user_has_the_same";
    if !geteuid().is_root() {
        return;
    }
    // Where anybody can get at them.
    let folder = tempfile::Builder::new().prefix("escapes").tempdir_in("/tmp").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    chown(&home, Some(ORDINARY), Some(ORDINARY)).unwrap();
    let copy = |from: &Path, name: &str| {
        let to = folder.path().join(name);
        // By another process: a child forked meanwhile would hold it open for writing.
        let done = Command::new("install").args(["-m", "755"]).args([from, &to]).status().unwrap();
        assert!(done.success());
        to
    };
    let own = copy(&std::env::current_exe().unwrap(), "tests");
    let executable = copy(&common::executable(), "monkey9p");
    let again = Command::new(own)
        .current_dir("/")
        .env(EXECUTABLE_VARIABLE, executable)
        .env_remove("UPDATE_DOCS")
        .env("HOME", &home)
        .uid(ORDINARY)
        .gid(ORDINARY)
        .output();
    let again = match again {
        Ok(again) => again,
        Err(why) => return skip(test, &why.to_string()),
    };
    // What was skipped there is heard here.
    let heard = String::from_utf8_lossy(&again.stderr).into_owned();
    heard.lines().filter(|line| line.starts_with("SKIP ")).for_each(|line| skip(test, line));
    assert!(again.status.success(), "{}\n{heard}", String::from_utf8_lossy(&again.stdout));
}
