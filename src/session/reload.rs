//! The panes before a step that writes the session to a file and restores it, and after it.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use bytes::Bytes;

use super::limits::{PANES_LOOKED_AT, RELOADED_BYTES};
use super::shells::{shell_in, status};
use super::{Failure, Outcome, Session, crash, observe};
use crate::ops::Op;
use crate::sandbox::family;
use crate::wire::{Conn, WireError};

/// A session before and after it was restored from the dump that the same step had just written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reloaded {
    /// Its panes before.
    pub before: Vec<SeenPane>,
    /// Its panes after.
    pub after: Vec<SeenPane>,
    /// How many columns there were before, and how many after.
    pub columns: [usize; 2],
}

/// A pane as it was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenPane {
    /// What its name file says.
    pub name: Bytes,
    /// The part of its tag that is the user's, if it can be told.
    pub tag: Bytes,
    /// Its body.
    pub body: Bytes,
    /// Whether its body is known to differ from its file.
    pub dirty: bool,
    /// Whether a shell runs in it.
    pub shell: bool,
    /// Whether a client reads its events: to acme its window is that client's (acme(1), Dump).
    pub watched: bool,
    /// Whether a body that is read from its file again may be another: for panes before.
    pub file_differs: bool,
}

/// Whether `op` is one Dump and the Restore of the same file, and nothing else.
pub fn reloads(op: &Op) -> bool {
    let Op::Seq { ops } = op else { return false };
    let [Op::Write { path, data: dump, chunks, .. }, Op::Restore { data: restore }] = &ops[..]
    else {
        return false;
    };
    let dumped = dump.strip_suffix(b"\n").and_then(|line| line.strip_prefix(b"Dump"));
    let restored = restore.strip_suffix(b"\n").and_then(|line| line.strip_prefix(b"Restore"));
    path.0 == b"/ctl" && chunks.is_whole() && dumped.is_some() && dumped == restored
}

impl Session {
    /// The panes, before they are dumped; nothing where they may change by themselves meanwhile.
    pub(super) fn before_reload(&self) -> Result<Option<Reloaded>, Failure> {
        let Some(target) = self.sandbox.target() else { return Ok(None) };
        let told = self.reading(async |conn| told(conn).await)?;
        let Some((panes, told)) = told else { return Ok(None) };
        let shells: Vec<_> = told.iter().map(|told| shell_in(told, &self.sandbox)).collect();
        // A command that runs, or whose end is not taken in yet, may print into any pane; what a
        // shell started prints in its own.
        let leads = |session| shells.iter().flatten().any(|shell| shell.pid == session);
        if family(target).values().any(|one| !leads(one.session)) {
            return Ok(None);
        }
        let seen = self.reading(async |conn| match observe::panes(conn).await? {
            // What came while the processes were looked at may have been a command's last words.
            Ok(now) if now == panes => seen(conn, &panes).await,
            _ => Ok(None),
        })?;
        let Some((mut before, columns)) = seen else { return Ok(None) };
        for ((pane, shell), &serial) in before.iter_mut().zip(&shells).zip(&panes) {
            pane.shell = shell.is_some();
            pane.watched = self.held.reads_events(serial);
        }
        Ok(Some(Reloaded { before, after: Vec::new(), columns: [columns, 0] }))
    }

    /// The panes after a step in which everything was done; nothing where that cannot be told.
    pub(super) fn after_reload(
        &self,
        reloaded: Reloaded,
        outcome: &Outcome,
    ) -> Result<Option<Reloaded>, Failure> {
        let refused = outcome.requests.iter().any(|asked| asked.refused().is_some());
        if !outcome.hung_up || refused {
            return Ok(None);
        }
        let after = self.reading(async |conn| match observe::panes(conn).await? {
            Ok(panes) if panes.len() <= PANES_LOOKED_AT => seen(conn, &panes).await,
            _ => Ok(None),
        })?;
        let Some((after, columns)) = after else { return Ok(None) };
        let Reloaded { mut before, columns: [were, _], .. } = reloaded;
        let home = &self.sandbox.reached().home;
        before.iter_mut().for_each(|pane| pane.file_differs = file_differs(home, pane));
        Ok(Some(Reloaded { before, after, columns: [were, columns] }))
    }
}

/// The panes there are, and what each says of its shell.
async fn told(conn: &Conn) -> Result<Option<(Vec<u64>, Vec<Bytes>)>, WireError> {
    let Ok(panes) = observe::panes(conn).await? else { return Ok(None) };
    if panes.len() > PANES_LOOKED_AT {
        return Ok(None);
    }
    let mut told = Vec::new();
    for &pane in &panes {
        told.push(status(conn, pane).await?.unwrap_or_default());
    }
    Ok(Some((panes, told)))
}

/// The panes, and how many columns there are; nothing if one is gone, or if it is too much.
async fn seen(conn: &Conn, panes: &[u64]) -> Result<Option<(Vec<SeenPane>, usize)>, WireError> {
    let mut all = Vec::new();
    let mut bytes = 0;
    for pane in panes {
        let read =
            async |file: &str| conn.read_path(format!("/pane/{pane}/{file}").as_bytes()).await;
        let (Ok(name), Ok(body)) = (read("name").await?, read("body").await?) else {
            return Ok(None);
        };
        bytes += name.len() + body.len();
        if bytes > RELOADED_BYTES || body.len() >= observe::BODY_BYTES {
            return Ok(None);
        }
        let tag = read("tag").await?.map_or_else(|_| Bytes::new(), users_part);
        let dirty = read("dirty").await?.is_ok_and(|flag| flag.trim_ascii() == b"1");
        all.push(SeenPane { name, tag, body, dirty, ..SeenPane::default() });
    }
    let columns = observe::columns(conn).await.map_or(0, |columns| columns.len());
    Ok(Some((all, columns)))
}

/// What stands behind the bar: before it stands what the session makes of the pane's state.
fn users_part(tag: Bytes) -> Bytes {
    match tag.iter().position(|&byte| byte == b'|') {
        Some(bar) => tag.slice(bar..),
        None => Bytes::new(),
    }
}

/// Whether the pane's file may hold something else than its body. A name that no plain file in HOME
/// has may mean anything, unless there is no such file.
fn file_differs(home: &Path, pane: &SeenPane) -> bool {
    let Ok(name) = std::str::from_utf8(&pane.name) else { return true };
    let name = name.trim_end_matches('\n');
    if name.is_empty() {
        return false;
    }
    if name.contains(['/', '\0']) || name == "." || name == ".." {
        return true;
    }
    let path = home.join(name);
    match fs::symlink_metadata(&path) {
        Err(why) if why.kind() == ErrorKind::NotFound => false,
        _ => crash::file(&path).is_none_or(|held| held != pane.body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_dump_and_its_restore_reload() {
        let pair = |dump: &str, restore: &str| {
            let write = Op::Write {
                path: "/ctl".into(),
                data: dump.into(),
                mode: 1,
                chunks: Default::default(),
                offset: None,
                stop_on_error: true,
            };
            reloads(&Op::Seq { ops: vec![write, Op::Restore { data: restore.into() }] })
        };
        assert!(pair("Dump\n", "Restore\n"));
        assert!(pair("Dump x\n", "Restore x\n"));
        assert!(!pair("Dump x\n", "Restore\n"));
        assert!(!pair("Dump x", "Restore x\n"));
        assert!(!pair("Msg\n", "Restore\n"));
        assert!(!reloads(&Op::Restore { data: "Restore\n".into() }));
    }

    #[test]
    fn a_file_that_is_as_its_pane_changes_nothing() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("a"), "text").unwrap();
        fs::create_dir(home.path().join("d")).unwrap();
        let differs = |name: &'static str, body: &'static str| {
            let pane = SeenPane { name: name.into(), body: body.into(), ..SeenPane::default() };
            file_differs(home.path(), &pane)
        };
        assert!(!differs("a\n", "text") && !differs("\n", "text") && !differs("none\n", "text"));
        assert!(differs("a\n", "other") && differs("d\n", "text") && differs("d/\n", "text"));
        assert!(differs("../a\n", "text") && differs("..\n", "text"));
    }

    #[test]
    fn a_tag_is_told_from_its_bar_on() {
        assert_eq!(users_part("alpha Del Snarf | Look ".into()), "| Look ");
        assert_eq!(users_part("no bar".into()), "");
    }
}
