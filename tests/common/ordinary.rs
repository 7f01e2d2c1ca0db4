//! A test's whole file once more, by a user who may do nothing special.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::unistd::geteuid;

use super::{EXECUTABLE_VARIABLE, executable, skip};

/// The user, and the group.
const ORDINARY: u32 = 65_534;

/// What the user's HOME is.
pub enum Home {
    /// The variable is not set.
    None,
    /// An empty directory of its own.
    Empty,
}

/// Runs all of the running test's file as that user; what is skipped there is heard here. Where this
/// is no root already, the file is run by an ordinary user as it is.
pub fn as_ordinary_user(test: &str, home: Home) {
    if !geteuid().is_root() {
        if std::env::var_os(EXECUTABLE_VARIABLE).is_none() {
            skip(test, "this is an ordinary user, who cannot become another");
        }
        return;
    }
    // Where anybody can get at it.
    let folder = tempfile::Builder::new().prefix("ordinary").tempdir_in("/tmp").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let own = copy(&std::env::current_exe().unwrap(), &folder.path().join("tests"));
    let executable = copy(&executable(), &folder.path().join("monkey9p"));
    let mut again = Command::new(own);
    match home {
        Home::None => again.env_remove("HOME"),
        Home::Empty => {
            let home = folder.path().join("home");
            fs::create_dir(&home).unwrap();
            chown(&home, Some(ORDINARY), Some(ORDINARY)).unwrap();
            again.env("HOME", home)
        }
    };
    again.current_dir("/").env(EXECUTABLE_VARIABLE, executable).env_remove("UPDATE_DOCS");
    let again = match again.uid(ORDINARY).gid(ORDINARY).output() {
        Ok(again) => again,
        Err(why) => return skip(test, &why.to_string()),
    };
    let heard = String::from_utf8_lossy(&again.stderr).into_owned();
    heard.lines().filter(|line| line.starts_with("SKIP ")).for_each(|line| skip(test, line));
    assert!(again.status.success(), "{}\n{heard}", String::from_utf8_lossy(&again.stdout));
}

/// By another process: a child forked meanwhile would hold it open for writing, and it would be too
/// busy to run.
fn copy(from: &Path, to: &Path) -> PathBuf {
    let done = Command::new("install").args(["-m", "755"]).args([from, to]).status().unwrap();
    assert!(done.success());
    to.into()
}
