//! The escape suite at each level, as root and as an ordinary user: what was tried is as the table in
//! `docs/sandbox.md` has it, read from outside.

mod common;

use std::fs;

use common::ordinary::{Home, as_ordinary_user};
use common::{executable, skip};
use monkey9p::escapes::{EscapeError, Fate, Machine, attempts, page};
use monkey9p::sandbox::{Level, SandboxError};
use nix::unistd::geteuid;

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
    as_ordinary_user("an_ordinary_user_has_the_same", Home::Empty);
}
