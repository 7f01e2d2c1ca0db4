//! Starts a process that dies with its parent. Apart from the rest because what runs between fork
//! and exec is unsafe by nature.
#![allow(unsafe_code)]

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};

use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::{Pid, getppid, setsid};

use super::confine::Confinement;

/// Spawns `command` in a session of its own, confined, to be killed when the thread that called this
/// ends. That must be the only one of its process.
pub fn spawn_bound(command: &mut Command, confinement: Confinement) -> io::Result<Child> {
    let parent = Pid::this();
    // SAFETY: with one thread, no lock is held by another when the child begins.
    unsafe {
        command.pre_exec(move || {
            setsid()?;
            // The standard library hands the parent's blocked signals on; the target's are its own.
            SigSet::empty().thread_set_mask()?;
            prctl::set_pdeathsig(Signal::SIGKILL)?;
            confinement.apply()?;
            // The parent may have died before it could be watched.
            if getppid() != parent {
                return Err(io::Error::other("the parent is gone"));
            }
            Ok(())
        });
    }
    command.spawn()
}
