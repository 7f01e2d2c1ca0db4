//! What is left of sandboxes whose first processes are gone: found by the token, and cleared away.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::unistd::geteuid;

use super::SandboxError;
use super::limits::{KILL_MS, MARKER, PARENT, POLL_MS, ROOT_PREFIX};
use super::procs::{kill_all, tokened};
use super::reach::remove_tree;

/// Kills every process whose token begins with `prefix`, until there is none.
pub fn sweep(prefix: &str) -> Result<(), SandboxError> {
    let deadline = Instant::now() + Duration::from_millis(KILL_MS);
    loop {
        let alive = tokened(prefix);
        if alive.is_empty() {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(SandboxError::Survived(format!("processes {alive:?}")));
        }
        kill_all(&alive);
        std::thread::sleep(Duration::from_millis(POLL_MS));
    }
}

/// Where the sandbox of that token is. Whoever has the token finds the root before it is marked, too.
pub(super) fn root_of(token: &str) -> PathBuf {
    let drawn = token.rsplit('-').next().unwrap_or_default();
    Path::new(PARENT).join(format!("{ROOT_PREFIX}{drawn}"))
}

/// Removes the root of the sandbox of that token, and those of the ones made within, however far
/// their making came.
pub(super) fn clear(token: &str) -> Result<(), SandboxError> {
    sweep(token)?;
    remove_roots(token)?;
    let root = root_of(token);
    let ours = |meta: fs::Metadata| meta.is_dir() && meta.uid() == geteuid().as_raw();
    match fs::symlink_metadata(&root).is_ok_and(ours) {
        true => Ok(remove_tree(&root)?),
        false => Ok(()),
    }
}

/// Removes the roots of sandboxes whose tokens begin with `prefix`; their processes are gone.
pub fn remove_roots(prefix: &str) -> Result<(), SandboxError> {
    for root in roots(prefix)? {
        remove_tree(&root)?;
    }
    Ok(())
}

/// The roots of sandboxes whose tokens begin with `prefix`.
pub fn roots(prefix: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(PARENT)?.flatten() {
        let named = entry.file_name().to_string_lossy().starts_with(ROOT_PREFIX);
        // Another user's marker cannot be trusted, and its directory not removed.
        let ours =
            entry.metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == geteuid().as_raw());
        let marker = || fs::read_to_string(entry.path().join(MARKER));
        if named && ours && marker().is_ok_and(|token| token.starts_with(prefix)) {
            found.push(entry.path());
        }
    }
    Ok(found)
}
