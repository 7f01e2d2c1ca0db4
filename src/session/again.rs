//! When the target hangs up or ends: what that was, and new connections.

use std::time::Duration;

use super::connect::connect;
use super::follower::Follower;
use super::held::Held;
use super::limits::{DEATH_MS, LOOK_MS, QUIT_MS, RECONNECT_MS, WILD_RECONNECT_MS};
use super::{Failure, FailureKind, Needs, Outcome, Session, Step, crash};
use crate::sandbox::Exit;
use crate::wire::{WireError, drive};

impl Session {
    /// A failure of an ending target is no failure of its own: gives `Quit` for a clean quit, and
    /// the crash for a crash. `Quit` too where a shell that may do anything has killed the target, or
    /// may have made it fail.
    pub fn or_ended(&mut self, what: &str, failure: Failure) -> Result<Step, Failure> {
        let wait = if failure.kind == FailureKind::Dropped { DEATH_MS } else { QUIT_MS };
        match self.ended(what, Duration::from_millis(wait))? || self.is_excused(&failure) {
            true => Ok(Step::Quit),
            false => Err(failure),
        }
    }

    /// Whether the target has quit; an error if it crashed. Waits up to `wait` for its end.
    pub(super) fn ended(&mut self, what: &str, wait: Duration) -> Result<bool, Failure> {
        let Some(exit) = self.sandbox.exit(wait)? else { return Ok(false) };
        let crash_file = crash::crash_file(self.sandbox.reached());
        if (exit == Exit::Code(0) && crash_file.is_none()) || self.was_killed(exit) {
            return Ok(true);
        }
        let text = crash::crash_text(&self.sandbox);
        // Where it happened says more than what was asked: one bug is met by many requests.
        let why = match crash::headline(&text) {
            said if said.is_empty() => format!("{what}: target {exit}"),
            said => format!("target {exit}: {said}"),
        };
        Err(Failure::new(FailureKind::Crash, why))
    }

    /// New connections, as after a launch or a hang-up; every fid is gone with the old ones.
    pub(super) fn reconnect(&mut self) -> Result<(), String> {
        let again = self.connect_again();
        if again.is_err() {
            self.wild.lose_reach();
        }
        again
    }

    fn connect_again(&mut self) -> Result<(), String> {
        self.requests = self.requests();
        self.follower = None;
        self.second = None;
        self.handles.clear();
        self.held = Held::default();
        self.shells.forget();
        self.bound = Default::default();
        self.marker = None;
        let wait = self.reconnect_wait();
        self.conn = connect(&mut self.sandbox, &self.socket, wait)?;
        self.follow_log()
    }

    /// How long a new connection may take.
    pub(super) fn reconnect_wait(&self) -> Duration {
        Duration::from_millis(if self.is_wild() { WILD_RECONNECT_MS } else { RECONNECT_MS })
    }

    fn follow_log(&mut self) -> Result<(), String> {
        if !self.follow {
            return Ok(());
        }
        let wait = self.reconnect_wait();
        let conn = connect(&mut self.sandbox, &self.socket, wait)?;
        let limit = Duration::from_millis(LOOK_MS);
        let start = Follower::start(conn.clone());
        match drive(std::slice::from_ref(&conn), limit, start).flatten() {
            Ok(Ok(follower)) => self.follower = Some(follower),
            Ok(Err(why)) => return Err(format!("following /log: {why}")),
            Err(why) => return Err(format!("following /log: {why}")),
        }
        Ok(())
    }

    /// The rest of a start: what the target opens besides, and what is alive then.
    pub(super) fn settle(&mut self) -> Result<(), String> {
        self.follow_log()?;
        let Session { conn, target, .. } = self;
        let limit = Duration::from_millis(LOOK_MS);
        let opened = drive(std::slice::from_ref(conn), limit, async {
            for line in &target.opened {
                if let Err(why) = conn.write_path(b"/look", format!("{line}\n").as_bytes()).await? {
                    return Ok(Err(format!("/look {line}: {why}")));
                }
            }
            Ok(Ok(()))
        });
        opened.flatten().map_err(|why: WireError| why.to_string())??;
        self.look_around().map_err(|failure| failure.why)?;
        self.baseline_columns = self.refs.columns.len();
        Ok(())
    }

    /// A first marker, so that the first step's records can be told, and what is alive.
    pub(super) fn look_around(&mut self) -> Result<(), Failure> {
        self.look(Needs { log: true, ..Needs::NOTHING }, 0, &mut Outcome::default())
    }
}
