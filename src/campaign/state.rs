//! What a campaign is doing, as its supervisor wrote it last and as its process shows it to be.

use serde::{Deserialize, Serialize};

use super::process::{Identity, boot};

/// How far a campaign is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// It fuzzes.
    Running,
    /// Its time is up, and its corpus is being merged.
    Merging,
    /// It ended by itself when its time was up.
    Ended,
    /// It was stopped.
    Stopped,
    /// It could not go on.
    Failed,
    /// Its process is gone and left no word. Never written, only seen.
    Killed,
}

impl Phase {
    /// As files have it.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Running => "running",
            Phase::Merging => "merging",
            Phase::Ended => "ended",
            Phase::Stopped => "stopped",
            Phase::Failed => "failed",
            Phase::Killed => "killed",
        }
    }

    /// Whether a process is at it.
    pub fn active(self) -> bool {
        matches!(self, Phase::Running | Phase::Merging)
    }
}

/// A campaign's state: its file is only ever written whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// How far it is.
    pub phase: Phase,
    /// Why it is there, where that needs to be said.
    pub reason: Option<String>,
    /// 0 with nothing found, 1 with findings, 2 where it could not go on; nothing before the end.
    pub exit: Option<i32>,
    /// The supervisor.
    pub process: Identity,
    /// What every process that the supervisor started carries in its environment.
    pub token: String,
    /// Since when the supervisor is at it, in ISO 8601.
    pub since: String,
    /// Until when it was.
    pub until: Option<String>,
    /// How long the campaign has run before this supervisor, and with it once it is over; in
    /// milliseconds.
    pub elapsed_ms: u64,
}

impl State {
    /// The same, if its process bears it out.
    pub fn seen(mut self) -> State {
        if self.phase.active() && !self.process.alive() {
            self.reason = Some(match boot() {
                Some(boot) if boot != self.process.boot => {
                    "the machine was started anew while it ran".into()
                }
                _ => format!(
                    "its supervisor, process {}, is gone and left no word: it was killed",
                    self.process.pid
                ),
            });
            self.phase = Phase::Killed;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_process_is_told_from_a_living_one() {
        let own = Identity::of(std::process::id().cast_signed()).unwrap();
        let state = |phase, process: &Identity| State {
            phase,
            reason: None,
            exit: None,
            process: process.clone(),
            token: "t".into(),
            since: "2026-01-01T00:00:00Z".into(),
            until: None,
            elapsed_ms: 0,
        };
        assert_eq!(state(Phase::Running, &own).seen().phase, Phase::Running);
        let stranger = Identity { start: own.start + 1, ..own.clone() };
        let seen = state(Phase::Merging, &stranger).seen();
        assert_eq!(seen.phase, Phase::Killed);
        assert!(seen.reason.unwrap().contains("left no word"));
        let before = Identity { boot: "another".into(), ..own.clone() };
        let seen = state(Phase::Running, &before).seen();
        assert_eq!(seen.phase, Phase::Killed);
        assert!(seen.reason.unwrap().contains("started anew"));
        assert_eq!(state(Phase::Ended, &before).seen().phase, Phase::Ended);
    }
}
