//! Runs a future to its end while waiting for its connections: the only place that blocks.

use std::future::Future;
use std::os::fd::AsFd as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::conn::Conn;

/// Drives `future`, whose waits are all for replies on `conns`. Every such wait has a deadline, so
/// this ends. A signal (libFuzzer's SIGALRM) only makes it look again.
pub fn drive<T>(conns: &[Conn], future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        for conn in conns {
            let mut inner = conn.inner.borrow_mut();
            if let Err(why) = inner.send_some() {
                inner.fail(why);
            }
        }
        wait(conns);
        for conn in conns {
            conn.inner.borrow_mut().pump();
        }
    }
}

fn wait(conns: &[Conn]) {
    let mut wake: Option<Instant> = None;
    for conn in conns {
        if let Some(when) = conn.inner.borrow_mut().take_wake() {
            wake = Some(wake.map_or(when, |earlier| earlier.min(when)));
        }
    }
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
fn timeout(wake: Option<Instant>) -> PollTimeout {
    let Some(when) = wake else { return PollTimeout::ZERO };
    let left = when.saturating_duration_since(Instant::now());
    let ms = left.as_millis() + u128::from(left.subsec_nanos() % 1_000_000 != 0);
    PollTimeout::try_from(ms).unwrap_or(PollTimeout::MAX)
}
