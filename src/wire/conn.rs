//! One connection to a server: requests out, replies in, each with its deadline.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::task::Poll;
use std::time::{Duration, Instant};

use bytes::{Buf, BytesMut};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::socket::{MsgFlags, recv, send};
use thiserror::Error;

use super::codec::{self, EncodeError};
use super::frame::Frames;
use super::limits::{IN_FLIGHT, LATE_TAGS, RECEIVE_BYTES, TRACED};
use super::msg::{Fid, NOTAG, RERROR, Rmsg, Tag, Tmsg, kind_name};
use super::pending::Pending;

/// Why a connection gave no reply.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WireError {
    /// A reply did not come within its deadline.
    #[error("{0}")]
    Hang(String),
    /// The server hung up, or said what no server may say: the connection is of no more use.
    #[error("{0}")]
    Dropped(String),
    /// The request itself has no bytes within the msize; nothing was sent.
    #[error("{0}")]
    Unsendable(String),
}

/// A server's answer: a reply of the request's own type, or the text of an Rerror.
pub type Reply = Result<Rmsg, String>;

/// A 9P connection over a stream socket. Nothing blocks here: [`super::drive`] waits for all
/// connections at once while futures of this type wait for their replies.
/// A clone is another handle on the same connection.
#[derive(Clone, Debug)]
pub struct Conn {
    pub(super) inner: Rc<RefCell<Inner>>,
}

#[derive(Debug)]
pub(super) struct Inner {
    socket: OwnedFd,
    frames: Frames,
    out: BytesMut,
    msize: u32,
    next_tag: Tag,
    next_fid: Fid,
    waiting: HashMap<Tag, Waiting>,
    /// Tags whose requests nobody waits for any more: a reply that comes late is dropped.
    late: HashSet<Tag>,
    late_order: VecDeque<Tag>,
    broken: Option<WireError>,
    requests: u64,
    trace: Vec<Traced>,
    /// When the earliest of the futures polled last wants to be polled again.
    wake: Option<Instant>,
}

/// A request and what answered it, as they were on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// What was asked.
    pub request: Tmsg,
    /// What was answered; nothing as yet, or for ever.
    pub reply: Option<Reply>,
}

#[derive(Debug)]
struct Waiting {
    /// Where in the trace the request is.
    traced: Option<usize>,
    kind: u8,
    /// What a Tflush flushes.
    flushes: Option<Tag>,
    reply: Option<Reply>,
}

impl Conn {
    /// Takes over a connected stream socket; messages hold at most `msize` bytes.
    pub fn new(socket: OwnedFd, msize: u32) -> io::Result<Conn> {
        let flags = OFlag::from_bits_retain(fcntl(&socket, FcntlArg::F_GETFL)?);
        fcntl(&socket, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
        let inner = Inner {
            socket,
            frames: Frames::new(msize),
            out: BytesMut::new(),
            msize,
            next_tag: 0,
            next_fid: FIRST_FID,
            waiting: HashMap::new(),
            late: HashSet::new(),
            late_order: VecDeque::new(),
            broken: None,
            requests: 0,
            trace: Vec::new(),
            wake: None,
        };
        Ok(Conn { inner: Rc::new(RefCell::new(inner)) })
    }

    /// Queues a request; its reply is due within `timeout` of now.
    pub fn submit(&self, message: &Tmsg, timeout: Duration) -> Result<Pending, WireError> {
        let tag = self.inner.borrow_mut().submit(message)?;
        Ok(Pending::new(self.clone(), tag, Some(timeout)))
    }

    /// Queues a request that the server may rightly hold for ever. Whoever polls it sees to it that
    /// something else on this connection or in the same future has a deadline.
    pub fn submit_held(&self, message: &Tmsg) -> Result<Pending, WireError> {
        let tag = self.inner.borrow_mut().submit(message)?;
        Ok(Pending::new(self.clone(), tag, None))
    }

    /// A request and its reply.
    pub async fn call(&self, message: &Tmsg, timeout: Duration) -> Result<Reply, WireError> {
        self.submit(message, timeout)?.await
    }

    /// A fid that this connection has not used yet.
    pub fn new_fid(&self) -> Fid {
        let mut inner = self.inner.borrow_mut();
        inner.next_fid += 1;
        inner.next_fid
    }

    /// The agreed bound on a message, in bytes.
    pub fn msize(&self) -> u32 {
        self.inner.borrow().msize
    }

    /// How many requests were sent so far.
    pub fn requests(&self) -> u64 {
        self.inner.borrow().requests
    }

    /// Has the future that is being driven polled again by `when` at the latest.
    pub fn wake_at(&self, when: Instant) {
        self.inner.borrow_mut().wake_at(when);
    }

    /// What was exchanged since the last call, in the order of the requests. Replies that come later
    /// are not told of.
    pub fn take_trace(&self) -> Vec<Traced> {
        let mut inner = self.inner.borrow_mut();
        inner.waiting.values_mut().for_each(|waiting| waiting.traced = None);
        std::mem::take(&mut inner.trace)
    }

    /// Waits for the server to hang up; whether it did.
    pub async fn hung_up_within(&self, wait: Duration) -> bool {
        let deadline = Instant::now() + wait;
        std::future::poll_fn(|_| {
            let mut inner = self.inner.borrow_mut();
            if inner.is_broken() || Instant::now() >= deadline {
                return Poll::Ready(inner.is_broken());
            }
            inner.wake_at(deadline);
            Poll::Pending
        })
        .await
    }

    /// Why the connection is of no more use, if it is not.
    pub fn broken(&self) -> Option<WireError> {
        self.inner.borrow().broken.clone()
    }

    pub(super) fn set_msize(&self, msize: u32) {
        let mut inner = self.inner.borrow_mut();
        inner.msize = msize;
        inner.frames.set_msize(msize);
    }
}

/// The fid of the root, made by the attach; others come from [`Conn::new_fid`].
pub const ROOT_FID: Fid = 1;
const FIRST_FID: Fid = 100;

impl Inner {
    fn submit(&mut self, message: &Tmsg) -> Result<Tag, WireError> {
        if let Some(why) = &self.broken {
            return Err(why.clone());
        }
        let tag = match message {
            Tmsg::Version { .. } => NOTAG,
            _ => self.free_tag()?,
        };
        let start = self.out.len();
        codec::encode(message, tag, &mut self.out)
            .map_err(|why: EncodeError| WireError::Unsendable(why.to_string()))?;
        let size = self.out.len() - start;
        if size > self.msize as usize {
            self.out.truncate(start);
            let name = kind_name(message.kind());
            return Err(WireError::Unsendable(format!(
                "a {name} of {size} bytes exceeds the msize of {}",
                self.msize
            )));
        }
        self.requests += 1;
        let flushes = match message {
            Tmsg::Flush { oldtag } => Some(*oldtag),
            _ => None,
        };
        // A connection that nobody takes the trace of must not grow by it.
        let traced = (self.trace.len() < TRACED).then_some(self.trace.len());
        if traced.is_some() {
            self.trace.push(Traced { request: message.clone(), reply: None });
        }
        let kind = message.kind();
        self.waiting.insert(tag, Waiting { traced, kind, flushes, reply: None });
        Ok(tag)
    }

    fn free_tag(&mut self) -> Result<Tag, WireError> {
        if self.waiting.len() >= IN_FLIGHT {
            return Err(WireError::Unsendable(format!("more than {IN_FLIGHT} requests in flight")));
        }
        loop {
            self.next_tag = (self.next_tag + 1) % NOTAG;
            if !self.waiting.contains_key(&self.next_tag) && !self.late.contains(&self.next_tag) {
                return Ok(self.next_tag);
            }
        }
    }

    /// The reply to `tag`, once; or why there will be none.
    pub(super) fn take(&mut self, tag: Tag) -> Option<Result<Reply, WireError>> {
        if let Some(waiting) = self.waiting.get_mut(&tag)
            && let Some(reply) = waiting.reply.take()
        {
            self.waiting.remove(&tag);
            return Some(Ok(reply));
        }
        self.broken.clone().map(Err)
    }

    /// Nobody waits for `tag` any more.
    pub(super) fn abandon(&mut self, tag: Tag) {
        let Some(waiting) = self.waiting.remove(&tag) else { return };
        if waiting.reply.is_some() || !self.late.insert(tag) {
            return;
        }
        self.late_order.push_back(tag);
        if self.late_order.len() > LATE_TAGS
            && let Some(oldest) = self.late_order.pop_front()
        {
            self.late.remove(&oldest);
        }
    }

    pub(super) fn drained(&self) -> bool {
        self.out.is_empty()
    }

    pub(super) fn wake_at(&mut self, when: Instant) {
        self.wake = Some(self.wake.map_or(when, |earlier| earlier.min(when)));
    }

    pub(super) fn take_wake(&mut self) -> Option<Instant> {
        self.wake.take()
    }

    pub(super) fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    pub(super) fn fail(&mut self, why: WireError) {
        self.broken.get_or_insert(why);
    }

    /// Sends what the socket takes and reads what it has; failures end up in `broken`.
    pub(super) fn pump(&mut self) {
        if self.broken.is_none()
            && let Err(why) = self.send_some().and_then(|()| self.receive_some())
        {
            self.broken = Some(why);
        }
    }

    pub(super) fn send_some(&mut self) -> Result<(), WireError> {
        while !self.out.is_empty() {
            match send(self.socket.as_raw_fd(), &self.out, MsgFlags::MSG_NOSIGNAL) {
                Ok(sent) => self.out.advance(sent),
                Err(Errno::EAGAIN) => break,
                Err(Errno::EINTR) => {}
                // What the server said before it hung up is still to be read.
                Err(Errno::EPIPE | Errno::ECONNRESET) => self.out.clear(),
                Err(why) => return Err(WireError::Dropped(format!("send: {why}"))),
            }
        }
        Ok(())
    }

    fn receive_some(&mut self) -> Result<(), WireError> {
        let mut buffer = [0; RECEIVE_BYTES];
        loop {
            let count = match recv(self.socket.as_raw_fd(), &mut buffer, MsgFlags::empty()) {
                Ok(0) => return Err(self.hung_up("connection closed")),
                Ok(count) => count,
                Err(Errno::EAGAIN) => return Ok(()),
                Err(Errno::EINTR) => continue,
                Err(why) => return Err(self.hung_up(&format!("receive: {why}"))),
            };
            self.frames.push(&buffer[..count]);
            self.take_frames()?;
            if count < RECEIVE_BYTES {
                return Ok(());
            }
        }
    }

    fn hung_up(&self, how: &str) -> WireError {
        match self.frames.pending_bytes() {
            0 => WireError::Dropped(how.into()),
            bytes => WireError::Dropped(format!("{how} after {bytes} bytes of a message")),
        }
    }

    fn take_frames(&mut self) -> Result<(), WireError> {
        let dropped = |why: String| WireError::Dropped(why);
        while let Some(frame) = self.frames.next_frame().map_err(|why| dropped(why.to_string()))? {
            let Some((kind, tag)) = codec::header(&frame) else { continue };
            if self.late.contains(&tag) && !self.waiting.contains_key(&tag) {
                continue;
            }
            let Some(waiting) = self.waiting.get_mut(&tag) else {
                let name = kind_name(kind);
                return Err(dropped(format!("{name} with tag {tag}, which no request carries")));
            };
            if waiting.reply.is_some() {
                return Err(dropped(format!("a second reply with tag {tag}")));
            }
            if kind != waiting.kind + 1 && kind != RERROR {
                let (want, got) = (kind_name(waiting.kind + 1), kind_name(kind));
                return Err(dropped(format!("expected {want}, received {got}")));
            }
            let (_, message) =
                codec::decode::<Rmsg>(frame).map_err(|why| dropped(why.to_string()))?;
            let reply = match message {
                Rmsg::Error { ename } => Err(String::from_utf8_lossy(&ename).into_owned()),
                reply => Ok(reply),
            };
            if let Some(exchange) = waiting.traced.and_then(|at| self.trace.get_mut(at)) {
                exchange.reply = Some(reply.clone());
            }
            waiting.reply = Some(reply);
            // The order on the wire decides: what comes after the Rflush is no answer any more.
            if let Some(flushed) = waiting.flushes
                && self.waiting.get(&flushed).is_some_and(|flushed| flushed.reply.is_none())
            {
                self.abandon(flushed);
            }
        }
        Ok(())
    }
}

impl AsFd for Inner {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
