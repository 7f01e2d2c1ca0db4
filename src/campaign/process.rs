//! A process that is told from any other that has its number later.

use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

/// A process, by its number and the time it began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its number.
    pub pid: i32,
    /// When it began, in clock ticks since the machine did (proc(5), `starttime`).
    pub start: u64,
    /// Which start of the machine that was.
    pub boot: String,
}

impl Identity {
    /// The identity of a process that lives.
    pub fn of(pid: i32) -> Option<Identity> {
        Some(Identity { pid, start: start(pid)?, boot: boot()? })
    }

    /// Whether this very process lives; one that ended and was not reaped does not.
    pub fn alive(&self) -> bool {
        Identity::of(self.pid).as_ref() == Some(self)
    }

    /// Asks it to stop, if it lives.
    pub fn ask_to_stop(&self) {
        self.signal(Signal::SIGTERM);
    }

    /// Kills it, if it lives.
    pub fn kill(&self) {
        self.signal(Signal::SIGKILL);
    }

    fn signal(&self, signal: Signal) {
        if self.alive() {
            let _ = kill(Pid::from_raw(self.pid), signal);
        }
    }
}

/// Which start of the machine this is.
pub(super) fn boot() -> Option<String> {
    Some(fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned())
}

fn start(pid: i32) -> Option<u64> {
    crate::sandbox::process(pid).filter(|one| !one.ended).map(|one| one.started)
}
