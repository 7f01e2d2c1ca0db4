//! The way to a socket with a path, without waiting.

use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;

use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, connect, socket};

/// Connects without waiting: a server that listens and never accepts gives EAGAIN once its queue is
/// full, where a connect that waits would wait for ever.
pub fn dial(path: &Path) -> nix::Result<OwnedFd> {
    let address = UnixAddr::new(path)?;
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    let stream = socket(AddressFamily::Unix, SockType::Stream, flags, None)?;
    connect(stream.as_raw_fd(), &address)?;
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
        let mut open = Vec::new();
        while let Ok(stream) = dial(&path) {
            open.push(stream);
            assert!(open.len() < 100_000, "its queue has no end");
        }
    }
}
