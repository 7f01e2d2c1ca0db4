//! What the harness and a sandbox's first process say to each other: a JSON value a line.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::os::fd::{AsFd as _, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use super::gate::{LaunchPlan, Refusal};
use super::level::Level;
use super::limits::CONTROL_BYTES;
use super::system::receive_with_descriptors;

/// What a sandbox is to be.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct World {
    /// What is to hold the target.
    pub level: Level,
    /// The person's directories.
    pub homes: Vec<PathBuf>,
    /// Files that stay reachable wherever they are.
    pub reachable: Vec<PathBuf>,
    /// The harness's process.
    pub harness: i32,
    /// How long it may live.
    pub life_ms: u64,
}

/// Which launch is to be proven, of what sandbox.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Asked {
    /// All that it will use.
    pub plan: LaunchPlan,
    /// The sandbox's root.
    pub root: PathBuf,
    /// Its token.
    pub token: String,
}

/// What the harness asks for. The end of the stream is an order too: end everything.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Make the sandbox; the first order, given once.
    Make(World),
    /// Show that a launch is isolated.
    Prove(Asked),
    /// Start the target, as it was proven last.
    Launch,
    /// Connect to the socket of that path.
    Connect(PathBuf),
    /// End everything and say what that took.
    Stop,
}

/// What the first process says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Report {
    /// The sandbox is made.
    Ready {
        /// Its root.
        root: PathBuf,
        /// What was shown of its level, a sentence each.
        shown: Vec<String>,
        /// The first process's number outside its pid namespace, if it has one.
        first: Option<i32>,
    },
    /// The level cannot be had.
    Unavailable(String),
    /// It is isolated; what that was read from.
    Proven(Vec<String>),
    /// It is not.
    Refused(Refusal),
    /// The target runs, as this process; of the pid namespace, if there is one.
    Started(i32),
    /// What was ordered could not be done.
    Failed(String),
    /// A connection, which comes with this.
    Connected,
    /// There is none, for this reason of the system's.
    Unconnected(i32),
    /// The target ended.
    Exited(Exit),
    /// Its time is over: everything in it ends.
    Expired,
    /// Nothing is left but these processes.
    Stopped(Vec<i32>),
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exit {code}"),
            Exit::Signal(signal) => match nix::sys::signal::Signal::try_from(*signal) {
                Ok(name) => write!(f, "{name}"),
                Err(_) => f.write_str("a realtime signal"),
            },
        }
    }
}

/// One end of the control socket.
#[derive(Debug)]
pub struct Control {
    socket: UnixStream,
    buffer: Vec<u8>,
    descriptors: VecDeque<OwnedFd>,
    ended: bool,
}

impl Control {
    /// Takes over a connected socket.
    pub fn new(socket: UnixStream) -> Self {
        Control { socket, buffer: Vec::new(), descriptors: VecDeque::new(), ended: false }
    }

    /// Sends one message whole.
    pub fn say(&self, message: &impl Serialize) -> io::Result<()> {
        self.send(message, None)
    }

    /// Sends one message whole, and a descriptor with it.
    pub fn hand_over(&self, message: &impl Serialize, descriptor: &OwnedFd) -> io::Result<()> {
        self.send(message, Some(descriptor))
    }

    fn send(&self, message: &impl Serialize, descriptor: Option<&OwnedFd>) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let handed = descriptor.map(AsRawFd::as_raw_fd);
        let mut rights = handed.as_slice();
        let mut rest = &line[..];
        while !rest.is_empty() {
            let with = [ControlMessage::ScmRights(rights)];
            let with = if rights.is_empty() { &[][..] } else { &with[..] };
            let (fd, flags) = (self.socket.as_raw_fd(), MsgFlags::MSG_NOSIGNAL);
            match sendmsg::<()>(fd, &[IoSlice::new(rest)], with, flags, None) {
                Ok(sent) => {
                    // It goes with the first byte, once.
                    (rest, rights) = (&rest[sent..], &[]);
                }
                Err(Errno::EINTR) => {}
                Err(why) => return Err(why.into()),
            }
        }
        Ok(())
    }

    /// The descriptor that came with a message, the oldest first.
    pub fn descriptor(&mut self) -> Option<OwnedFd> {
        self.descriptors.pop_front()
    }

    /// The next message, waiting up to `wait` for it; nothing if none came or none can.
    pub fn hear<T: DeserializeOwned>(&mut self, wait: Duration) -> io::Result<Option<T>> {
        let deadline = Instant::now() + wait;
        loop {
            if let Some(end) = self.buffer.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                return Ok(Some(serde_json::from_slice(&line)?));
            }
            if self.ended || !self.wait_readable(deadline)? {
                return Ok(None);
            }
            self.receive()?;
        }
    }

    /// Whether the other end is gone, and everything it said was heard.
    pub fn ended(&self) -> bool {
        self.ended && !self.buffer.contains(&b'\n')
    }

    /// The socket, to be waited on.
    pub fn socket(&self) -> &UnixStream {
        &self.socket
    }

    fn wait_readable(&self, deadline: Instant) -> io::Result<bool> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let ms = left.as_micros().div_ceil(1000);
            let timeout = PollTimeout::try_from(ms).unwrap_or(PollTimeout::MAX);
            let mut fds = [PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)];
            match poll(&mut fds, timeout) {
                Ok(0) if left.is_zero() => return Ok(false),
                Ok(0) | Err(Errno::EINTR) => {}
                Ok(_) => return Ok(true),
                Err(why) => return Err(why.into()),
            }
        }
    }

    fn receive(&mut self) -> io::Result<()> {
        let mut piece = [0; 4096];
        match receive_with_descriptors(&self.socket, &mut piece, &mut self.descriptors) {
            Ok(0) | Err(Errno::ECONNRESET) => self.ended = true,
            Ok(count) if self.buffer.len() + count > CONTROL_BYTES => {
                return Err(io::Error::other("a control message is too long"));
            }
            Ok(count) => self.buffer.extend_from_slice(&piece[..count]),
            Err(Errno::EAGAIN | Errno::EINTR) => {}
            Err(why) => return Err(why.into()),
        }
        Ok(())
    }
}
