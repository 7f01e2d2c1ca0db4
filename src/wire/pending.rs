//! The wait for one reply, as a future.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use super::conn::{Conn, Reply, WireError};
use super::limits::{HELD_WAIT_MS, REPLY_TIMEOUT_MS};
use super::msg::{Tag, Tmsg};

/// A request under way. Dropped before its reply came, the reply is thrown away when it comes.
#[derive(Debug)]
pub struct Pending {
    conn: Conn,
    tag: Tag,
    started: Instant,
    timeout: Option<Duration>,
}

impl Pending {
    pub(super) fn new(conn: Conn, tag: Tag, timeout: Option<Duration>) -> Self {
        Pending { conn, tag, started: Instant::now(), timeout }
    }

    /// The request's tag.
    pub fn tag(&self) -> Tag {
        self.tag
    }

    /// The reply if it is there by `when`, else nothing; the request stays under way.
    pub async fn by(&mut self, when: Instant) -> Option<Result<Reply, WireError>> {
        std::future::poll_fn(|_| {
            let mut inner = self.conn.inner.borrow_mut();
            match inner.take(self.tag) {
                Some(reply) => Poll::Ready(Some(reply)),
                None if Instant::now() >= when => Poll::Ready(None),
                None => {
                    inner.wake_at(when);
                    Poll::Pending
                }
            }
        })
        .await
    }

    /// The reply if it is there already; never waits.
    pub fn now(&mut self) -> Option<Result<Reply, WireError>> {
        self.conn.inner.borrow_mut().take(self.tag)
    }
}

impl Future for Pending {
    type Output = Result<Reply, WireError>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        let mut inner = self.conn.inner.borrow_mut();
        if let Some(reply) = inner.take(self.tag) {
            return Poll::Ready(reply);
        }
        let Some(timeout) = self.timeout else { return Poll::Pending };
        let deadline = self.started + timeout;
        if Instant::now() < deadline {
            inner.wake_at(deadline);
            return Poll::Pending;
        }
        let what = if inner.drained() { "no reply" } else { "the request did not drain" };
        Poll::Ready(Err(WireError::Hang(format!("{what} within {} s", timeout.as_secs_f64()))))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.conn.inner.borrow_mut().abandon(self.tag);
    }
}

/// What became of a request that the server may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// It was answered, before the Tflush or before the Rflush.
    Answered(Reply),
    /// It was flushed: there is no answer.
    Flushed,
}

impl Conn {
    /// A request that the server may hold until there is something to say: after [`HELD_WAIT_MS`]
    /// it is flushed (flush(9P): an answer that comes before the Rflush counts).
    pub async fn call_held(&self, message: &Tmsg) -> Result<Held, WireError> {
        let timeout = Duration::from_millis(REPLY_TIMEOUT_MS);
        let mut request = self.submit(message, timeout)?;
        let wait = Instant::now() + Duration::from_millis(HELD_WAIT_MS);
        if let Some(reply) = request.by(wait).await {
            return Ok(Held::Answered(reply?));
        }
        match self.call(&Tmsg::Flush { oldtag: request.tag() }, timeout).await? {
            Ok(_) => {}
            Err(why) => return Err(WireError::Dropped(format!("Tflush answered Rerror: {why}"))),
        }
        match request.now() {
            Some(reply) => Ok(Held::Answered(reply?)),
            None => Ok(Held::Flushed),
        }
    }
}
