//! The shells of panes that a step may close: whether they end when their panes do.

use std::time::{Duration, Instant};

use super::limits::{PANES_LOOKED_AT, PROBE_POLL_MS, SHELL_END_MS};
use super::{Failure, Session};
use crate::ops::Op;
use crate::sandbox::{Process, Sandbox, process, session_of};
use crate::wire::{Answer, Conn};

/// A pane's shell, seen before a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shell {
    /// The pane.
    pub pane: u64,
    process: Process,
}

/// A shell whose pane the step has closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedShell {
    /// The pane that was.
    pub pane: u64,
    /// The shell's process, which led a session.
    pub shell: i32,
    /// The processes of that session that are alive all the same, after as long a wait as any server
    /// may ask for.
    pub alive: Vec<i32>,
}

/// The panes among `alive` that `op`, its tokens resolved, may close.
pub fn may_close(op: &Op, alive: &[u64]) -> Vec<u64> {
    let mut panes = match op {
        Op::Seq { ops } | Op::Second { ops } => {
            ops.iter().flat_map(|op| may_close(op, alive)).collect()
        }
        Op::Remove { path } => {
            let path = path.to_text();
            let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
            match names[..] {
                ["pane", serial] => serial.parse().into_iter().collect(),
                ["col", _] => alive.to_vec(),
                _ => Vec::new(),
            }
        }
        // Del, Delete, Delcol, DelAbove and the like, wherever they are written.
        Op::Write { data, .. } | Op::Hwrite { data, .. }
            if data.windows(3).any(|word| word.eq_ignore_ascii_case(b"del")) =>
        {
            alive.to_vec()
        }
        _ => Vec::new(),
    };
    panes.retain(|pane| alive.contains(pane));
    panes.sort_unstable();
    panes.dedup();
    panes.truncate(PANES_LOOKED_AT);
    panes
}

/// A pane's `pty/status`; nothing if it is gone.
pub async fn status(conn: &Conn, pane: u64) -> Answer<bytes::Bytes> {
    conn.read_path(format!("/pane/{pane}/pty/status").as_bytes()).await
}

/// How many words of a status may be a process's number.
const STATUS_WORDS: usize = 16;

/// The shell that a status tells of: the first number in it that is a process of the sandbox and
/// leads a session. Whatever else it says, and whoever's number it is, is nothing to us.
pub fn shell_in(status: &[u8], sandbox: &Sandbox) -> Option<Process> {
    numbers(status).find_map(|pid| sandbox.process(pid).filter(|one| one.session == one.pid))
}

fn numbers(status: &[u8]) -> impl Iterator<Item = i32> {
    let text = String::from_utf8_lossy(status).into_owned();
    let words: Vec<i32> = text
        .split_whitespace()
        .take(STATUS_WORDS)
        .filter_map(|word| word.parse().ok())
        .filter(|&pid| pid > 1)
        .collect();
    words.into_iter()
}

impl Session {
    /// The shells of `panes`.
    pub(super) fn shells(&self, panes: &[u64]) -> Result<Vec<Shell>, Failure> {
        if panes.is_empty() {
            return Ok(Vec::new());
        }
        let told = self.reading(async |conn| {
            let mut told = Vec::new();
            for &pane in panes {
                told.extend(status(conn, pane).await?.ok().map(|status| (pane, status)));
            }
            Ok(told)
        })?;
        let shell = |(pane, status): (u64, bytes::Bytes)| {
            shell_in(&status, &self.sandbox).map(|process| Shell { pane, process })
        };
        Ok(told.into_iter().filter_map(shell).collect())
    }

    /// Those of `shells` whose panes are gone, and what is left of them once it has had its time.
    pub(super) fn ended_shells(&self, shells: &[Shell]) -> Vec<EndedShell> {
        let gone = shells.iter().filter(|shell| !self.refs.panes.contains(&shell.pane));
        let deadline = Instant::now() + Duration::from_millis(SHELL_END_MS);
        let ended = |shell: &Shell| {
            let mut alive = alive(&shell.process);
            while !alive.is_empty() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(PROBE_POLL_MS));
                alive = self::alive(&shell.process);
            }
            EndedShell { pane: shell.pane, shell: shell.process.pid, alive }
        };
        gone.map(ended).collect()
    }
}

/// The living processes of the session that `leader` led. While one of them lives, no new process is
/// given the number; one that has it and began at another time says that all of them are gone.
fn alive(leader: &Process) -> Vec<i32> {
    match process(leader.pid) {
        Some(now) if now.started != leader.started => Vec::new(),
        _ => session_of(leader.pid).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &str, data: &str) -> Op {
        Op::Write {
            path: path.into(),
            data: data.into(),
            mode: 1,
            chunks: Default::default(),
            offset: None,
            stop_on_error: true,
        }
    }

    #[test]
    fn what_may_close_panes() {
        let alive = [3, 5, 7];
        let panes = |op: &Op| may_close(op, &alive);
        let remove = |path: &str| Op::Remove { path: path.into() };
        assert_eq!(panes(&remove("/pane/5")), [5]);
        assert_eq!(panes(&remove("/pane/9")), [0; 0]);
        assert_eq!(panes(&remove("/pane/5/body")), [0; 0]);
        assert_eq!(panes(&remove("/col/1")), alive);
        assert_eq!(panes(&write("/pane/3/exec", "DelBelow\n")), alive);
        assert_eq!(panes(&write("/pane/3/ctl", "clean\ndelete\n")), alive);
        assert_eq!(panes(&write("/pane/3/exec", "Look\n")), [0; 0]);
        let seq = Op::Seq { ops: vec![remove("/pane/7"), remove("/pane/3"), remove("/pane/7")] };
        assert_eq!(panes(&seq), [3, 7]);
    }

    #[test]
    fn a_status_is_read_leniently() {
        let read = |status: &[u8]| numbers(status).collect::<Vec<_>>();
        assert_eq!(read(b"running 4711 80 24\n"), [4711, 80, 24]);
        assert_eq!(read(b"none\n"), [0; 0]);
        assert_eq!(read(b"-7 0 1 99999999999999999999 \xff 12x"), [0; 0]);
        assert_eq!(read("7 ".repeat(1_000).as_bytes()).len(), STATUS_WORDS);
    }

    #[test]
    fn a_number_given_anew_is_another_process() {
        let own = process(std::process::id() as i32).unwrap();
        let leader = process(own.session).unwrap_or(own);
        let before = Process { started: leader.started.wrapping_add(1), ..leader };
        assert_eq!(alive(&before), [0; 0]);
        assert_eq!(alive(&leader).is_empty(), leader.pid != leader.session);
    }
}
