//! The way to a target's socket.

use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::socket::{self, AddressFamily, SockFlag, SockType, UnixAddr};

use super::limits::CONNECT_POLL_US;
use crate::sandbox::Sandbox;
use crate::wire::limits::MSIZE_BYTES;
use crate::wire::{Conn, drive};

/// Connects to the target's socket as soon as it answers, and shakes hands.
pub fn connect(sandbox: &mut Sandbox, socket: &Path, wait: Duration) -> Result<Conn, String> {
    let deadline = Instant::now() + wait;
    let address = UnixAddr::new(socket).map_err(|why| format!("{}: {why}", socket.display()))?;
    loop {
        if let Some(exit) = sandbox.exit(Duration::ZERO).map_err(|why| why.to_string())? {
            return Err(format!("it ended ({exit}) before its socket answered"));
        }
        let last = match dial(&address) {
            Ok(stream) => {
                let conn = Conn::new(stream, MSIZE_BYTES)
                    .map_err(|why| format!("{}: {why}", socket.display()))?;
                match drive(std::slice::from_ref(&conn), wait, conn.handshake()).flatten() {
                    Ok(()) => return Ok(conn),
                    // One that is just closing down accepts, and hangs up.
                    Err(why) => why.to_string(),
                }
            }
            Err(why) => why.to_string(),
        };
        if Instant::now() > deadline {
            return Err(format!("its socket did not answer within {} s: {last}", wait.as_secs()));
        }
        std::thread::sleep(Duration::from_micros(CONNECT_POLL_US));
    }
}

/// Connects without waiting: a server that listens and never accepts gives EAGAIN once its queue is
/// full, where a connect that waits would wait for ever.
pub(super) fn dial(address: &UnixAddr) -> nix::Result<OwnedFd> {
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    let stream = socket::socket(AddressFamily::Unix, SockType::Stream, flags, None)?;
    socket::connect(stream.as_raw_fd(), address)?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_never_accepts_does_not_hold_us() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let address = UnixAddr::new(&path).unwrap();
        let mut open = Vec::new();
        while let Ok(stream) = dial(&address) {
            open.push(stream);
            assert!(open.len() < 100_000, "its queue has no end");
        }
    }
}
