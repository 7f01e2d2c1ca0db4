//! Back to the baseline between two inputs, in the same target.

use super::exec::write_in_home;
use super::limits::{BASELINE_PANES, RESET_REMOVALS};
use super::observe;
use super::{Failure, FailureKind, Session};
use crate::ops::Op;
use crate::target::FIXTURES;
use crate::wire::limits::SLOW_REPLY_TIMEOUT_MS;
use crate::wire::msg::Tmsg;
use crate::wire::{Answer, Conn, drive, split};
use std::time::Duration;

impl Session {
    /// Drops every connection, writes the fixtures anew, and replaces every pane and column: what
    /// an input changed in them goes with them. What this cannot see stays, and is why there is a
    /// journal. An error of the kind `Checker` says why the
    /// baseline cannot be reached. After any error the session is of no more use.
    pub fn reset(&mut self, follow: bool) -> Result<(), Failure> {
        self.journal.push(Op::Reset);
        self.follow = follow;
        for (name, bytes) in FIXTURES {
            let path = self.sandbox.layout().home.join(name);
            write_in_home(&path, bytes)
                .map_err(|why| unreachable_baseline(format!("{name}: {why}")))?;
        }
        self.reconnect().map_err(|why| Failure::new(FailureKind::Hang, format!("reset: {why}")))?;
        let files = self.baseline_files();
        let panes = drive(&self.conns(), rebuild(&self.conn, &files))
            .map_err(|why| Failure::wire("reset", why))?
            .map_err(unreachable_baseline)?;
        if panes.len() != BASELINE_PANES {
            let why = format!("{} panes after a reset, not {BASELINE_PANES}", panes.len());
            return Err(unreachable_baseline(why));
        }
        self.refs = Default::default();
        self.look_around()
    }

    /// What the command line and the start opened.
    fn baseline_files(&self) -> Vec<String> {
        let named = self.target.arguments.iter().filter(|argument| !argument.starts_with('-'));
        named.chain(&self.target.opened).cloned().collect()
    }
}

/// No fault of the target's: this input's leavings are beyond a reset.
fn unreachable_baseline(why: String) -> Failure {
    Failure::new(FailureKind::Checker, format!("reset: {why}"))
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
