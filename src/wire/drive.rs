//! Runs a future to its end while waiting for its connections: the only place that blocks.

use std::future::Future;
use std::os::fd::AsFd as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::conn::{Conn, WireError};

/// Drives `future`, whose waits are all for replies on `conns`, for at most `limit`: each reply has a
/// deadline of its own, but a server that meets every one of them just in time must not hold us for
/// ever either. A signal (libFuzzer's SIGALRM) only makes it look again.
pub fn drive<T>(
    conns: &[Conn],
    limit: Duration,
    future: impl Future<Output = T>,
) -> Result<T, WireError> {
    let deadline = Instant::now() + limit;
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return Ok(value);
        }
        if Instant::now() >= deadline {
            let why = format!("not done within {} s", limit.as_secs_f64());
            return Err(WireError::Hang(why));
        }
        for conn in conns {
            let mut inner = conn.inner.borrow_mut();
            if let Err(why) = inner.send_some() {
                inner.fail(why);
            }
        }
        wait(conns, deadline);
        for conn in conns {
            conn.inner.borrow_mut().pump();
        }
    }
}

fn wait(conns: &[Conn], deadline: Instant) {
    let wakes = conns.iter().filter_map(|conn| conn.inner.borrow_mut().take_wake());
    let wake = wakes.fold(deadline, Instant::min);
    let inners: Vec<_> = conns.iter().map(|conn| conn.inner.borrow()).collect();
    // A broken connection is readable for ever: it has nothing more to say.
    let mut fds: Vec<PollFd<'_>> = inners
        .iter()
        .filter(|inner| !inner.is_broken())
        .map(|inner| {
            let out = if inner.drained() { PollFlags::empty() } else { PollFlags::POLLOUT };
            PollFd::new(inner.as_fd(), PollFlags::POLLIN | out)
        })
        .collect();
    match poll(&mut fds, timeout(wake)) {
        Ok(_) | Err(Errno::EINTR) => {}
        Err(why) => unreachable!("poll of open descriptors failed: {why}"),
    }
}

/// Rounded up, so that a deadline has passed when the poll comes back.
fn timeout(when: Instant) -> PollTimeout {
    let left = when.saturating_duration_since(Instant::now());
    let ms = left.as_nanos().div_ceil(1_000_000);
    PollTimeout::try_from(ms).unwrap_or(PollTimeout::MAX)
}
