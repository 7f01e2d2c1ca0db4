//! Whose machine it is: the directories of the person who runs the harness.

use std::env;
use std::path::PathBuf;

use nix::unistd::{User, geteuid, getuid};
use once_cell::sync::Lazy;

/// The home directories that the environment and the user table tell, as they tell them.
pub fn homes() -> Vec<PathBuf> {
    HOMES.clone()
}

static HOMES: Lazy<Vec<PathBuf>> = Lazy::new(|| {
    let users = [getuid(), geteuid()].map(|uid| User::from_uid(uid).ok().flatten());
    let told = users.into_iter().flatten().map(|user| user.dir);
    let mut homes: Vec<PathBuf> =
        env::var_os("HOME").map(PathBuf::from).into_iter().chain(told).collect();
    homes.retain(|home| home.is_absolute());
    homes.sort();
    homes.dedup();
    homes
});
