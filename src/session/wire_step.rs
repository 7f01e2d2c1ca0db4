//! Runs a script of raw messages on a connection of its own, within bounds whatever the server does.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use bytes::{Buf as _, Bytes, BytesMut};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, Shutdown, recv, send, shutdown};

use super::exchange::{Exchange, Ledger, Request, Sending, WireEvent};
use super::limits::{
    CONNECT_POLL_US, SCRIPT_CONNECT_MS, SCRIPT_DRAIN_MS, SCRIPT_FRAME_BYTES, SCRIPT_FRAMES,
    SCRIPT_LINGER_MS, SCRIPT_MS, SCRIPT_PAUSE_MS, SCRIPT_RECEIVED_BYTES,
};
use crate::ops::{WireStep, wire_frame, wire_tag};
use crate::sandbox::dial;
use crate::wire::frame::Frames;
use crate::wire::limits::{MSIZE_BYTES, RECEIVE_BYTES, REPLY_TIMEOUT_MS};
use crate::wire::msg::{Fid, NOFID, NOTAG, Tag, Tmsg};
use crate::wire::{ROOT_FID, WireError, codec};

/// Files whose reads may wait for something to say, by their last name.
const MAY_WAIT: [&[u8]; 4] = [b"log", b"event", b"data", b"run"];

/// Runs a script on a new connection to `socket` and gives what passed. The connection is gone
/// afterwards. Blocks for no longer than [`SCRIPT_MS`].
pub fn run_at(socket: &Path, steps: &[WireStep]) -> Result<Exchange, WireError> {
    run(|| Ok(dial(socket)?), steps)
}

/// The same on a connection that `dial` makes, which may be asked several times.
pub fn run(
    dial: impl FnMut() -> io::Result<OwnedFd>,
    steps: &[WireStep],
) -> Result<Exchange, WireError> {
    let mut line = Line::open(dial)?;
    let versions =
        |step: &WireStep| matches!(step, WireStep::Send { message: Tmsg::Version { .. }, .. });
    if !steps.first().is_some_and(versions) {
        line.shake_hands();
    }
    for (index, step) in steps.iter().enumerate() {
        if line.ended {
            break;
        }
        match step {
            WireStep::Send { tag, cut, message } => {
                line.send(wire_tag(index, *tag, message), message, *cut);
            }
            WireStep::Raw { bytes } => line.send_raw(bytes),
            WireStep::Wait => line.wait(),
            WireStep::Hangup => {
                line.push_out(Instant::now() + Duration::from_millis(SCRIPT_DRAIN_MS));
                return Ok(Exchange { events: line.events });
            }
        }
    }
    if !line.ended {
        line.wait();
    }
    line.part();
    Ok(Exchange { events: line.events })
}

/// One connection of a script's.
struct Line {
    socket: OwnedFd,
    out: BytesMut,
    frames: Frames,
    ledger: Ledger,
    events: Vec<WireEvent>,
    received_bytes: usize,
    received_frames: usize,
    /// Fids that may stand for a file whose reads may wait.
    waiting_fids: BTreeSet<Fid>,
    deadline: Instant,
    /// Nothing more is sent or read.
    ended: bool,
}

impl Line {
    fn open(mut dial: impl FnMut() -> io::Result<OwnedFd>) -> Result<Line, WireError> {
        let started = Instant::now();
        let socket = loop {
            match dial() {
                Ok(socket) => break socket,
                // Its queue is full: it may get to it yet.
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => {
                    if started.elapsed() > Duration::from_millis(SCRIPT_CONNECT_MS) {
                        return Err(WireError::Hang("another connection is not accepted".into()));
                    }
                    std::thread::sleep(Duration::from_micros(CONNECT_POLL_US));
                }
                Err(why) => {
                    return Err(WireError::Dropped(format!("another connection: {why}")));
                }
            }
        };
        Ok(Line {
            socket,
            out: BytesMut::new(),
            frames: Frames::new(SCRIPT_FRAME_BYTES),
            ledger: Ledger::default(),
            events: Vec::new(),
            received_bytes: 0,
            received_frames: 0,
            waiting_fids: BTreeSet::new(),
            deadline: Instant::now() + Duration::from_millis(SCRIPT_MS),
            ended: false,
        })
    }

    /// As every other connection begins.
    fn shake_hands(&mut self) {
        let version = Bytes::from_static(b"9P2000");
        self.send(NOTAG, &Tmsg::Version { msize: MSIZE_BYTES, version }, None);
        self.wait();
        let (uname, aname) = (Bytes::from_static(b"none"), Bytes::new());
        self.send(0, &Tmsg::Attach { fid: ROOT_FID, afid: NOFID, uname, aname }, None);
        self.wait();
    }

    fn send(&mut self, tag: Tag, message: &Tmsg, cut: Option<u16>) {
        // The guard has seen that it fits.
        let Ok(frame) = wire_frame(tag, message) else { return };
        let may_wait = self.may_wait(message);
        let request = Request::Message(message.clone());
        self.note(Sending { tag: Some(tag), bytes: frame.len(), request, may_wait });
        let cut = usize::from(cut.unwrap_or(0)).min(frame.len());
        self.out.extend_from_slice(&frame[..cut]);
        if cut > 0 {
            // The server has the time to read the first piece by itself.
            self.push_out(self.deadline);
            std::thread::sleep(Duration::from_millis(SCRIPT_PAUSE_MS));
        }
        self.out.extend_from_slice(&frame[cut..]);
        self.send_some();
    }

    fn send_raw(&mut self, bytes: &[u8]) {
        let bytes = Bytes::copy_from_slice(bytes);
        let tag = codec::header(&bytes).map(|(_, tag)| tag);
        self.out.extend_from_slice(&bytes);
        let length = bytes.len();
        self.note(Sending { tag, bytes: length, request: Request::Raw(bytes), may_wait: true });
        self.send_some();
    }

    fn note(&mut self, sending: Sending) {
        self.ledger.sent(&sending);
        self.events.push(WireEvent::Sent(sending));
    }

    /// Follows which fids may stand for a file that has nothing to say yet.
    fn may_wait(&mut self, message: &Tmsg) -> bool {
        match message {
            Tmsg::Walk { fid, newfid, names } => {
                let waits = names.iter().any(|name| MAY_WAIT.contains(&name.as_ref()));
                if waits || self.waiting_fids.contains(fid) {
                    self.waiting_fids.insert(*newfid);
                }
                false
            }
            Tmsg::Read { fid, .. } => self.waiting_fids.contains(fid),
            _ => false,
        }
    }

    /// Waits for what is due; a short while for what is not.
    fn wait(&mut self) {
        let started = Instant::now();
        let last = self.deadline.min(started + Duration::from_millis(REPLY_TIMEOUT_MS));
        let mut lingers = started + Duration::from_millis(SCRIPT_LINGER_MS);
        while !self.ended {
            self.send_some();
            if self.receive_some() {
                lingers = Instant::now() + Duration::from_millis(SCRIPT_LINGER_MS);
            }
            if self.ended || self.out.is_empty() && self.is_answered() {
                break;
            }
            let due = !self.out.is_empty() || self.ledger.due().next().is_some();
            let until = if due { last } else { lingers.min(last) };
            if Instant::now() >= until {
                // Its silence is told of once: what follows would only be silence too.
                self.ended = due;
                return self.waited(due);
            }
            self.poll(until);
        }
        self.waited(false);
    }

    fn is_answered(&self) -> bool {
        // What was sent without a tag, or broke the stream, may still bring a hang-up.
        self.ledger.open().is_empty() && !self.ledger.is_lost()
    }

    fn waited(&mut self, silent: bool) {
        self.ledger.waited();
        self.events.push(WireEvent::Waited { silent });
    }

    fn send_some(&mut self) {
        while !self.out.is_empty() && !self.ended {
            match send(self.socket.as_raw_fd(), &self.out, MsgFlags::MSG_NOSIGNAL) {
                Ok(sent) => self.out.advance(sent),
                Err(Errno::EAGAIN) => break,
                Err(Errno::EINTR) => {}
                // What it said before it hung up is still to be read.
                Err(_) => self.out.clear(),
            }
        }
    }

    /// Sends what waits to be sent, until a time.
    fn push_out(&mut self, until: Instant) {
        while !self.out.is_empty() && Instant::now() < until {
            self.send_some();
            if !self.out.is_empty() {
                self.poll_for(PollFlags::POLLOUT, until);
            }
        }
    }

    /// Whether anything came.
    fn receive_some(&mut self) -> bool {
        let mut buffer = [0; RECEIVE_BYTES];
        let mut some = false;
        while !self.ended {
            match recv(self.socket.as_raw_fd(), &mut buffer, MsgFlags::empty()) {
                Ok(0) => self.end(WireEvent::HungUp),
                Ok(count) => {
                    some = true;
                    self.received_bytes += count;
                    self.frames.push(&buffer[..count]);
                    self.take_frames();
                }
                Err(Errno::EAGAIN) => break,
                Err(Errno::EINTR) => {}
                Err(_) => self.end(WireEvent::HungUp),
            }
        }
        some
    }

    fn take_frames(&mut self) {
        while !self.ended {
            match self.frames.next_frame() {
                Ok(Some(frame)) => {
                    self.received_frames += 1;
                    if let Some((kind, tag)) = codec::header(&frame) {
                        self.ledger.received(kind, tag, &frame);
                    }
                    self.events.push(WireEvent::Received(frame));
                }
                Ok(None) => break,
                Err(why) => return self.end(WireEvent::Unframed(why.to_string())),
            }
            if self.received_frames > SCRIPT_FRAMES {
                self.end(WireEvent::Unframed(format!("more than {SCRIPT_FRAMES} messages")));
            }
        }
        if self.received_bytes > SCRIPT_RECEIVED_BYTES && !self.ended {
            self.end(WireEvent::Unframed(format!("more than {SCRIPT_RECEIVED_BYTES} bytes")));
        }
    }

    fn end(&mut self, event: WireEvent) {
        self.ended = true;
        self.events.push(event);
    }

    /// Hangs up, and gives the server the time to see it: what this connection held is free before
    /// the next step. What still comes is no answer that anyone waits for.
    fn part(&mut self) {
        let _ = shutdown(self.socket.as_raw_fd(), Shutdown::Write);
        let until = Instant::now() + Duration::from_millis(SCRIPT_DRAIN_MS);
        let mut buffer = [0; RECEIVE_BYTES];
        while Instant::now() < until {
            match recv(self.socket.as_raw_fd(), &mut buffer, MsgFlags::empty()) {
                Ok(0) => break,
                Ok(_) | Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => self.poll_for(PollFlags::POLLIN, until),
                Err(_) => break,
            }
        }
    }

    fn poll(&self, until: Instant) {
        let out = if self.out.is_empty() { PollFlags::empty() } else { PollFlags::POLLOUT };
        self.poll_for(PollFlags::POLLIN | out, until);
    }

    fn poll_for(&self, flags: PollFlags, until: Instant) {
        let left = until.saturating_duration_since(Instant::now());
        let ms = left.as_nanos().div_ceil(1_000_000);
        let timeout = PollTimeout::try_from(ms).unwrap_or(PollTimeout::MAX);
        // An interruption only makes it look again.
        let _ = poll(&mut [PollFd::new(self.socket.as_fd(), flags)], timeout);
    }
}

#[cfg(test)]
mod tests;
