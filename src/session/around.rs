//! What is looked at before a step because of its op, and again after it.

use std::time::Duration;

use bytes::Bytes;

use super::limits::LOOK_MS;
use super::outcome::{Edited, Opened, Outcome};
use super::reload::{Reloaded, reloads};
use super::shape::{edited_pane, looked_at};
use super::shells::{Shell, may_close};
use super::{Failure, Needs, Session, crash};
use crate::ops::Op;
use crate::wire::{Conn, WireError, drive};

/// What was seen before a step.
#[derive(Debug, Default)]
pub struct Before {
    /// The panes alive.
    panes: Vec<u64>,
    /// The pane whose body the op edits, and the body.
    edited: Option<(String, Bytes)>,
    /// The shells in panes that the op may close.
    shells: Vec<Shell>,
    /// The panes that the op dumps and restores.
    reloaded: Option<Reloaded>,
}

impl Session {
    /// Looks at what the op, its tokens not resolved, may change.
    pub(super) fn before(&self, op: &Op, needs: Needs) -> Result<Before, Failure> {
        let op = self.refs.resolve(op);
        let mut before = Before { panes: self.refs.panes.clone(), ..Before::default() };
        if self.is_wild() {
            // No rule claims anything of the rest, and what a shell left may take long to end.
            return Ok(before);
        }
        if let Some(pane) = edited_pane(&op).filter(|_| needs.edits) {
            before.edited = self.body(&pane)?.map(|body| (pane, body));
        }
        if needs.shells {
            before.shells = self.shells(&may_close(&op, &before.panes))?;
        }
        if needs.reload && reloads(&op) {
            before.reloaded = self.before_reload()?;
        }
        Ok(before)
    }

    /// Looks at the same again, before anything else is looked at.
    pub(super) fn right_after(
        &self,
        before: &mut Before,
        outcome: &mut Outcome,
    ) -> Result<(), Failure> {
        if let Some((pane, before)) = before.edited.take().filter(|_| !outcome.hung_up) {
            outcome.edited = self.body(&pane)?.map(|after| Edited { before, after });
        }
        if let Some(reloaded) = before.reloaded.take() {
            outcome.reloaded = self.after_reload(reloaded, outcome)?;
        }
        Ok(())
    }

    /// Looks at what needs to know which panes there are now, and at what the step's closes must
    /// have freed.
    pub(super) fn after(
        &mut self,
        op: &Op,
        before: &Before,
        needs: Needs,
        outcome: &mut Outcome,
    ) -> Result<(), Failure> {
        if let Some(name) = looked_at(op).filter(|_| needs.opened) {
            outcome.opened = self.opened(name, &before.panes)?;
        }
        if outcome.hung_up {
            // Everything was closed, and every shell with it.
            return Ok(());
        }
        outcome.ended_shells = self.ended_shells(&before.shells);
        let closed = self.held.follow(&outcome.requests);
        if needs.held {
            outcome.freed = self.ask_again(&closed, needs)?;
        }
        Ok(())
    }

    /// The file `name` and the body of the one pane that was not among `panes`, if there is just one
    /// and it is the file's: what a command of before prints opens panes too.
    fn opened(&self, name: &str, panes: &[u64]) -> Result<Option<Opened>, Failure> {
        let new: Vec<&u64> = self.refs.panes.iter().filter(|pane| !panes.contains(pane)).collect();
        let [pane] = new[..] else { return Ok(None) };
        let Some(file) = crash::file(&self.sandbox.reached().home.join(name)) else {
            return Ok(None);
        };
        let path = format!("/pane/{pane}/name");
        let called = self.reading(async |conn| conn.read_path(path.as_bytes()).await)?;
        if !called.is_ok_and(|called| is_called(&called, name)) {
            return Ok(None);
        }
        let body = self.body(&format!("/pane/{pane}"))?;
        Ok(body.map(|body| Opened { name: name.into(), file: file.into(), body }))
    }

    /// A look of its own, with its time.
    pub(super) fn reading<T>(
        &self,
        read: impl AsyncFnOnce(&Conn) -> Result<T, WireError>,
    ) -> Result<T, Failure> {
        drive(&self.conns(), Duration::from_millis(LOOK_MS), read(&self.conn))
            .flatten()
            .map_err(|why| Failure::wire("a look of its own", why))
    }
}

/// Whether a pane's name, as its file says it, is that of the file `name`, in whatever directory.
fn is_called(called: &[u8], name: &str) -> bool {
    let called = called.strip_suffix(b"\n").unwrap_or(called);
    called.rsplit(|&byte| byte == b'/').next() == Some(name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pane_of_another_name_is_not_the_files() {
        assert!(is_called(b"alpha.txt\n", "alpha.txt"));
        assert!(is_called(b"/home/x/alpha.txt", "alpha.txt"));
        assert!(!is_called(b"+Errors\n", "alpha.txt"));
        assert!(!is_called(b"", "alpha.txt"));
    }
}
