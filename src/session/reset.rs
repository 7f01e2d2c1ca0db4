//! Back to the baseline between two inputs, in the same target.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::exec::write_in_home;
use super::limits::{RESET_MS, RESET_REMOVALS};
use super::observe;
use super::{Failure, FailureKind, Session};
use crate::ops::Op;
use crate::sandbox::Layout;
use crate::target::FIXTURES;
use crate::wire::limits::SLOW_REPLY_TIMEOUT_MS;
use crate::wire::msg::Tmsg;
use crate::wire::{Answer, Conn, drive, split};

/// Why a reset did not end at the baseline. The session is of no more use.
#[derive(Debug)]
pub enum ResetError {
    /// What an input left is beyond a reset: no fault of the target's, and worth a fresh one.
    Baseline(String),
    /// The target failed at what any client may ask.
    Failed(Failure),
}

impl From<Failure> for ResetError {
    fn from(failure: Failure) -> Self {
        ResetError::Failed(failure)
    }
}

impl Session {
    /// Drops every connection, makes HOME as it was, and replaces every pane and column: what an
    /// input changed in them goes with them. What this cannot see stays, and is why there is a
    /// journal.
    pub fn reset(&mut self, follower: bool) -> Result<(), ResetError> {
        self.journal.push(Op::Reset { follower });
        self.follow = follower;
        restore_home(self.sandbox.reached())
            .map_err(|why| ResetError::Baseline(format!("HOME: {why}")))?;
        self.reconnect().map_err(|why| Failure::new(FailureKind::Hang, format!("reset: {why}")))?;
        let files = self.baseline_files();
        let limit = Duration::from_millis(RESET_MS);
        let rebuilt = drive(&self.conns(), limit, rebuild(&self.conn, &files))
            .flatten()
            .map_err(|why| Failure::wire("reset", why))?;
        let panes = rebuilt.map_err(ResetError::Baseline)?;
        self.refs = Default::default();
        self.look_around()?;
        let (columns, wanted) = (self.refs.columns.len(), self.baseline_columns);
        if panes.len() != files.len() || columns != wanted {
            let (panes, files) = (panes.len(), files.len());
            return Err(ResetError::Baseline(format!(
                "{panes} panes and {columns} columns, not {files} and {wanted}"
            )));
        }
        Ok(())
    }

    /// What the command line and the start opened.
    fn baseline_files(&self) -> Vec<String> {
        let named = self.target.arguments.iter().filter(|argument| !argument.starts_with('-'));
        named.chain(&self.target.opened).cloned().collect()
    }
}

/// Takes away what is neither a fixture nor a directory of the layout, and writes the fixtures anew. A
/// link in a directory's place is no directory: what it leads to is none of the target's.
fn restore_home(layout: &Layout) -> io::Result<()> {
    for entry in fs::read_dir(&layout.home)? {
        let entry = entry?;
        let ours = entry.file_type()?.is_dir() && layout.in_home().any(|path| path == entry.path());
        if !ours && !FIXTURES.iter().any(|(name, _)| entry.file_name() == *name) {
            remove_any(&entry.path(), entry.file_type()?.is_dir())?;
        }
    }
    for path in layout.in_home().filter(|path| fs::symlink_metadata(path).is_err()) {
        fs::create_dir(path)?;
    }
    for (name, bytes) in FIXTURES {
        let path = layout.home.join(name);
        if write_in_home(&path, bytes).is_err() {
            // Something that is no file has taken its place.
            remove_any(&path, fs::symlink_metadata(&path)?.is_dir())?;
            write_in_home(&path, bytes)?;
        }
    }
    Ok(())
}

fn remove_any(path: &Path, directory: bool) -> io::Result<()> {
    if directory { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

/// A pane of its own keeps the target from quitting while all the others go.
async fn rebuild(conn: &Conn, files: &[String]) -> Answer<Vec<u64>> {
    let keeper = match conn.read_path(b"/pane/new").await? {
        Ok(serial) => String::from_utf8_lossy(&serial).trim().to_owned(),
        Err(why) => return Ok(Err(format!("/pane/new: {why}"))),
    };
    let Ok(keeper) = keeper.parse::<u64>() else {
        return Ok(Err(format!("/pane/new told {keeper:?}, no serial")));
    };
    let panes = match observe::panes(conn).await? {
        Ok(panes) => panes,
        Err(why) => return Ok(Err(why)),
    };
    for serial in panes.into_iter().filter(|&serial| serial != keeper).take(RESET_REMOVALS) {
        if let Err(why) = remove(conn, &format!("/pane/{serial}")).await? {
            return Ok(Err(format!("/pane/{serial}: {why}")));
        }
    }
    if let Ok(columns) = observe::columns(conn).await {
        for column in columns.iter().skip(1).take(RESET_REMOVALS) {
            // One may be gone with its panes, and the one that holds the keeper may have to stay.
            remove(conn, &format!("/col/{column}")).await?.ok();
        }
    }
    for file in files {
        if let Err(why) = conn.write_path(b"/look", format!("{file}\n").as_bytes()).await? {
            return Ok(Err(format!("/look {file}: {why}")));
        }
    }
    // A column's end may have taken the keeper along.
    remove(conn, &format!("/pane/{keeper}")).await?.ok();
    observe::panes(conn).await
}

async fn remove(conn: &Conn, path: &str) -> Answer<()> {
    let fid = match conn.walk(&split(path.as_bytes())).await? {
        Ok(fid) => fid,
        Err(why) => return Ok(Err(why)),
    };
    let slow = Duration::from_millis(SLOW_REPLY_TIMEOUT_MS);
    Ok(conn.call(&Tmsg::Remove { fid }, slow).await?.map(drop))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_in_a_directorys_place_is_taken_away_and_not_followed() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("theirs"), "x").unwrap();
        let layout = Layout::new(folder.path());
        layout.make("a token").unwrap();
        fs::remove_dir(layout.config()).unwrap();
        symlink(outside.path(), layout.config()).unwrap();
        symlink(outside.path(), layout.home.join("another")).unwrap();
        fs::write(layout.home.join("stray"), "x").unwrap();
        restore_home(&layout).unwrap();
        assert!(fs::symlink_metadata(layout.config()).unwrap().is_dir());
        let there = fs::read_dir(&layout.home).unwrap().count();
        assert_eq!(there, layout.in_home().count() + FIXTURES.len());
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    }
}
