//! At the kernel level, the process around a sandbox's first one: makes the namespaces, and waits for
//! the first process's end, which is the end of all.

use std::fs;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getegid, geteuid, pipe2};

use super::keeper::{Keeper, Place, Within};
use super::mounts::{self, View, machine_sockets};
use super::protocol::{Control, Report, World};
use super::system::{fork_single_threaded, loopback_up};

/// How the first process ends when the level cannot be had, and it has said so.
const UNAVAILABLE: i32 = 3;

/// Makes the namespaces and lives until everything in them is gone.
pub fn run(control: Control, place: Place, world: World) -> io::Result<()> {
    let sockets = machine_sockets();
    let forked = own_namespaces().and_then(|()| {
        // Before there is a child, so that its end is not missed.
        let mut mask = SigSet::empty();
        mask.add(Signal::SIGCHLD);
        mask.thread_block()?;
        let (alive, life) = pipe2(OFlag::O_CLOEXEC)?;
        Ok((fork_single_threaded()?, alive, life))
    });
    match forked {
        Ok((None, alive, life)) => {
            drop(life);
            std::process::exit(first(control, place, world, &sockets, &alive));
        }
        Ok((Some(first), alive, life)) => {
            drop(alive);
            let status = watch(&control, first)?;
            drop(life);
            // All that was in the namespace is gone: the kernel lets its first process go last.
            let report = match status {
                WaitStatus::Exited(_, 0) => Report::Stopped(Vec::new()),
                WaitStatus::Exited(_, UNAVAILABLE) => return Ok(()),
                status => Report::Failed(format!("ended: {status:?}")),
            };
            let _ = control.say(&report);
            Ok(())
        }
        Err(why) => control.say(&Report::Unavailable(why.to_string())),
    }
}

/// All but the mount namespace, which is the first process's own.
fn own_namespaces() -> io::Result<()> {
    let (user, group) = (geteuid(), getegid());
    let flags = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    unshare(flags).map_err(|why| io::Error::other(format!("no namespaces: {why}")))?;
    let write = |name: &str, text: &str| {
        fs::write(format!("/proc/self/{name}"), text)
            .map_err(|why| io::Error::other(format!("{name}: {why}")))
    };
    write("uid_map", &format!("{user} {user} 1"))?;
    write("setgroups", "deny")?;
    write("gid_map", &format!("{group} {group} 1"))
}

/// The life of the first process.
fn first(
    control: Control,
    place: Place,
    world: World,
    sockets: &[PathBuf],
    alive: &OwnedFd,
) -> i32 {
    // From here on it ends with the process around it; which may have ended before.
    let bound = prctl::set_pdeathsig(Signal::SIGKILL);
    let mut fds = [PollFd::new(alive.as_fd(), PollFlags::POLLIN)];
    if bound.is_err() || !matches!(poll(&mut fds, PollTimeout::ZERO), Ok(0)) {
        return UNAVAILABLE;
    }
    let number = fs::read_link("/proc/self").ok().and_then(|name| name.to_str()?.parse().ok());
    let entered = enter(&place, &world, sockets);
    let started = match entered {
        Ok(root) => Keeper::start(control, place, world, sockets, Some(Within { number, root })),
        Err(why) => {
            let _ = control.say(&Report::Unavailable(why.to_string()));
            return UNAVAILABLE;
        }
    };
    match started {
        Ok(Some(keeper)) => i32::from(keeper.serve().is_err()),
        Ok(None) | Err(_) => UNAVAILABLE,
    }
}

fn enter(place: &Place, world: &World, sockets: &[PathBuf]) -> io::Result<OwnedFd> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    loopback_up().map_err(|why| io::Error::other(format!("the loopback interface: {why}")))?;
    let Place { layout, token } = place;
    let (homes, reachable) = (&world.homes, &world.reachable);
    let view = View { layout, token, homes, reachable, sockets };
    mounts::make(&view).map_err(|why| io::Error::other(format!("mounts: {why}")))
}

/// Waits for the first process's end, and hastens it when the harness is gone.
fn watch(control: &Control, first: Pid) -> io::Result<WaitStatus> {
    let mut mask = SigSet::empty();
    mask.add(Signal::SIGCHLD);
    let children = SignalFd::with_flags(&mask, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
    loop {
        match waitpid(first, Some(WaitPidFlag::WNOHANG))? {
            WaitStatus::StillAlive => {}
            status => return Ok(status),
        }
        let mut fds = [
            // No event of its own: what is said there is for the first process.
            PollFd::new(control.socket().as_fd(), PollFlags::empty()),
            PollFd::new(children.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut fds, PollTimeout::NONE) {
            Ok(_) => {}
            Err(Errno::EINTR) => continue,
            Err(why) => return Err(why.into()),
        }
        let gone = fds[0].revents().is_some_and(|events| events.contains(PollFlags::POLLHUP));
        while let Ok(Some(_)) = children.read_signal() {}
        if gone {
            let _ = kill(first, Signal::SIGKILL);
            return Ok(waitpid(first, None)?);
        }
    }
}
