//! The few calls into the system that have no safe form, and what keeps each of them sound.
#![allow(unsafe_code, reason = "pre_exec, ioctl and _exit have no safe form")]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::libc;
use nix::pty::{OpenptyResult, Winsize, openpty};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{SigHandler, SigSet, Signal, signal};
use nix::unistd::setsid;

/// Starts `command` in a session of its own, so that it ends with all that it starts; returns its
/// process id. It ends with the server too, however that ends.
pub fn spawn_in_session(command: &mut Command) -> io::Result<u32> {
    // SAFETY: between fork and exec only system calls are made, none of which allocates or locks.
    unsafe {
        command.pre_exec(start_session);
    }
    command.spawn().map(|child| child.id())
}

/// Starts `command` in a session of its own on a new terminal; returns its process id and the
/// terminal's other side.
pub fn spawn_on_terminal(command: &mut Command, size: (u16, u16)) -> io::Result<(u32, OwnedFd)> {
    let OpenptyResult { master, slave } = openpty(Some(&winsize(size)), None)?;
    close_on_exec(&master)?;
    close_on_exec(&slave)?;
    command.stdin(slave.try_clone()?).stdout(slave.try_clone()?).stderr(slave);
    // SAFETY: as above; the descriptor 0 is the terminal by then.
    unsafe {
        command.pre_exec(|| {
            start_session()?;
            if libc::ioctl(0, libc::TIOCSCTTY, 0) < 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(())
        });
    }
    let child = command.spawn()?;
    // The command holds the terminal's inner side: only without it does the shell's end show.
    command.stdin(std::process::Stdio::null());
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    Ok((child.id(), master))
}

/// Makes a child the first of a session that ends with the server, no signal blocked or ignored
/// in it as they are here.
fn start_session() -> io::Result<()> {
    setsid()?;
    set_pdeathsig(Signal::SIGKILL)?;
    SigSet::empty().thread_set_mask()?;
    // SAFETY: no handler is installed that could run.
    unsafe { signal(Signal::SIGPIPE, SigHandler::SigDfl) }?;
    Ok(())
}

/// Tells a terminal its size.
pub fn set_size(terminal: &OwnedFd, size: (u16, u16)) -> io::Result<()> {
    let size = winsize(size);
    // SAFETY: the pointer is to a live winsize, which is what this request reads.
    let done = unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCSWINSZ, &size) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Makes writing to a pipe that nobody reads an error, wherever this process was started from.
pub fn ignore_broken_pipes() {
    // SAFETY: no handler is installed that could run.
    let _ = unsafe { signal(Signal::SIGPIPE, SigHandler::SigIgn) };
}

/// Ends the process at once: no handlers run, since a leak checker's would find what still lives.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: _exit only ends the process; nothing is buffered that still had to be written.
    unsafe { libc::_exit(code) }
}

fn winsize((columns, rows): (u16, u16)) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

fn close_on_exec(fd: &OwnedFd) -> io::Result<()> {
    use nix::fcntl::{FcntlArg, FdFlag, fcntl};
    fcntl(fd, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    Ok(())
}
