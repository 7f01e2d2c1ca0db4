//! A second connection that follows `/log`.

use std::task::Poll;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::limits::FOLLOWED_BYTES;
use crate::wire::limits::REPLY_TIMEOUT_MS;
use crate::wire::msg::{Fid, ORDWR, Rmsg, Tmsg};
use crate::wire::{Answer, Conn, Pending, WireError, split};

/// What one read of a followed log asks for, in bytes.
const READ_BYTES: u32 = 8192;

/// The follower: always one read under way, and what the reads have brought.
#[derive(Debug)]
pub struct Follower {
    conn: Conn,
    fid: Fid,
    offset: u64,
    read: Pending,
    partial: Vec<u8>,
    lines: Vec<String>,
    /// Bytes of `partial` and `lines`, about.
    held: usize,
    ended: Option<String>,
}

impl Follower {
    /// Opens `/log` for both on `conn` and follows it from now on; or the server's refusal.
    pub async fn start(conn: Conn) -> Answer<Follower> {
        let timeout = Duration::from_millis(REPLY_TIMEOUT_MS);
        let fid = match conn.walk(&split(b"/log")).await? {
            Ok(fid) => fid,
            Err(why) => return Ok(Err(why)),
        };
        if let Err(why) = conn.open(fid, ORDWR, timeout).await? {
            return Ok(Err(why));
        }
        let data = Bytes::from_static(b"follow new\n");
        if let Err(why) = conn.call(&Tmsg::Write { fid, offset: 0, data }, timeout).await? {
            return Ok(Err(why));
        }
        let read = conn.submit_held(&conn.read_message(fid, 0, READ_BYTES))?;
        let (partial, lines) = (Vec::new(), Vec::new());
        Ok(Ok(Follower { conn, fid, offset: 0, read, partial, lines, held: 0, ended: None }))
    }

    /// The connection, to be driven with the others.
    pub fn conn(&self) -> &Conn {
        &self.conn
    }

    /// Waits until a line holds `needle`; then gives every line up to and with it. That line stays,
    /// for it is where the next window begins.
    pub async fn take_until(&mut self, needle: &str) -> Result<Vec<String>, WireError> {
        let deadline = Instant::now() + Duration::from_millis(REPLY_TIMEOUT_MS);
        let mut looked_at = 0;
        std::future::poll_fn(|_| {
            if let Err(why) = self.pump() {
                return Poll::Ready(Err(why));
            }
            let found = self.lines[looked_at..].iter().position(|line| line.contains(needle));
            if let Some(found) = found {
                let found = looked_at + found;
                let taken = self.lines[..=found].to_vec();
                self.lines.drain(..found);
                self.held = self.partial.len() + self.lines.iter().map(String::len).sum::<usize>();
                return Poll::Ready(Ok(taken));
            }
            looked_at = self.lines.len();
            if let Some(why) = &self.ended {
                return Poll::Ready(Err(WireError::Dropped(format!("the followed log: {why}"))));
            }
            if Instant::now() >= deadline {
                let why = format!("no record with {needle} within {REPLY_TIMEOUT_MS} ms");
                return Poll::Ready(Err(WireError::Hang(why)));
            }
            self.conn.wake_at(deadline);
            Poll::Pending
        })
        .await
    }

    /// Takes in what has come, and asks for more.
    fn pump(&mut self) -> Result<(), WireError> {
        while self.ended.is_none() {
            let data = match self.read.now() {
                None => return Ok(()),
                Some(Ok(Ok(Rmsg::Read { data }))) => data,
                Some(Ok(Ok(_))) => Bytes::new(),
                Some(Ok(Err(why))) => {
                    self.ended = Some(why);
                    continue;
                }
                Some(Err(why)) => {
                    self.ended = Some(why.to_string());
                    continue;
                }
            };
            if data.is_empty() {
                self.ended = Some("it ended".into());
                continue;
            }
            self.held += data.len();
            if self.held > FOLLOWED_BYTES {
                self.ended = Some(format!("more than {FOLLOWED_BYTES} bytes in one step"));
                continue;
            }
            self.offset += data.len() as u64;
            self.take_lines(&data);
            let next = self.conn.read_message(self.fid, self.offset, READ_BYTES);
            self.read = self.conn.submit_held(&next)?;
        }
        Ok(())
    }

    fn take_lines(&mut self, data: &[u8]) {
        let mut pieces = data.split(|&byte| byte == b'\n');
        self.partial.extend_from_slice(pieces.next().unwrap_or_default());
        for piece in pieces {
            let line = std::mem::replace(&mut self.partial, piece.to_vec());
            self.lines.push(String::from_utf8_lossy(&line).into_owned());
        }
    }
}
