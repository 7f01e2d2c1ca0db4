//! Runs one op's requests; tokens are resolved already.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use nix::fcntl::OFlag;

use super::handles::Handle;
use super::outcome::{Answered, Outcome, Sent, What};
use super::wire_step;
use crate::ops::{Chunks, HostAction, Latin1, Op, Reach, guard};
use crate::wire::limits::{
    REPLY_TIMEOUT_MS, SLOW_REPLY_TIMEOUT_MS, SLOW_WRITE_BYTES, WRITE_OVERHEAD_BYTES,
};
use crate::wire::msg::{Fid, ORDWR, OTRUNC, OWRITE, Rmsg, Tmsg};
use crate::wire::{Conn, Held, WireError, split};

/// What an op needs besides its own fields.
pub struct Context<'a> {
    /// The connection.
    pub conn: &'a Conn,
    /// The fids kept open.
    pub handles: &'a mut HashMap<Latin1, Handle>,
    /// The target's HOME.
    pub home: &'a Path,
    /// The target's socket.
    pub socket: &'a Path,
    /// How far payloads may reach.
    pub reach: Reach,
}

/// Whether the two low bits of `mode` let a fid be written to.
pub(super) fn writes(mode: u8) -> bool {
    matches!(mode & 3, OWRITE | ORDWR)
}

/// Files whose reads may be held until there is something to say.
fn is_held(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    path == "/log" || ["/event", "/pty/data", "/pty/run"].iter().any(|end| path.ends_with(end))
}

/// What a reply to a write of `data` may take: some words are documented to be slow.
pub(super) fn write_timeout(data: &[u8]) -> Duration {
    const SLOW: [&[u8]; 6] = [b"Grep", b"Find", b"Dump", b"Restore", b"Tty", b"Edit"];
    let slow = data.len() > SLOW_WRITE_BYTES
        || SLOW.iter().any(|word| data.windows(word.len()).any(|part| part == *word));
    Duration::from_millis(if slow { SLOW_REPLY_TIMEOUT_MS } else { REPLY_TIMEOUT_MS })
}

pub(super) fn reply_timeout() -> Duration {
    Duration::from_millis(REPLY_TIMEOUT_MS)
}

/// The opens that the failure rule names are told apart.
fn open_kind(path: &str, mode: u8) -> What {
    match (path.trim_end_matches('/'), writes(mode)) {
        ("/pane/new", false) => What::OpenNew,
        (_, true) if mode & OTRUNC != 0 => What::Truncate,
        _ => What::Open,
    }
}

/// Runs `op` and gives what was asked and answered.
pub async fn run(op: &Op, context: &mut Context<'_>) -> Result<Outcome, WireError> {
    let mut outcome = Outcome::default();
    if let Err(why) = guard(op, context.reach) {
        outcome.note = Some(why.to_string());
        return Ok(outcome);
    }
    match context.run(op, &mut outcome).await {
        Err(WireError::Unsendable(why)) => {
            outcome.note = Some(why);
            Ok(outcome)
        }
        done => done.map(|()| outcome),
    }
}

impl Context<'_> {
    async fn run(&mut self, op: &Op, out: &mut Outcome) -> Result<(), WireError> {
        match op {
            Op::Write { path, data, mode, chunks, offset, stop_on_error } => {
                let write =
                    Write { data, mode: *mode, chunks, offset: *offset, stop: *stop_on_error };
                self.write(path, &write, out).await
            }
            Op::Read { path, count, offset, mode, reads } => {
                let read = Read { mode: *mode, count: *count, offset: *offset, reads: *reads };
                self.read(path, &read, out).await
            }
            Op::Stat { path } => self.stat(path, out).await,
            Op::Remove { path } => self.remove(path, out).await,
            Op::Create { path, name, perm, mode } => {
                let message = |fid| Tmsg::Create {
                    fid,
                    name: Bytes::copy_from_slice(name),
                    perm: *perm,
                    mode: *mode,
                };
                self.create(path, name, message, out).await
            }
            Op::Hold { h, path, mode } => self.hold(h, path, *mode, out).await,
            Op::Hwrite { h, data } => self.hwrite(h, data, out).await,
            Op::Hread { h, count, offset } => self.hread(h, *count, *offset, out).await,
            Op::Clunk { h } => self.clunk(h, out).await,
            Op::Restore { data } => self.restore(data, out).await,
            Op::Host { action, name, data } => {
                let data = data.as_ref().map_or(&b""[..], |data| data);
                out.note = self.host(*action, name, data).err().map(|why| why.to_string());
                Ok(())
            }
            Op::Seq { ops } => {
                for op in ops {
                    let run: Pin<Box<dyn Future<Output = _>>> = Box::pin(self.run(op, out));
                    run.await?;
                }
                Ok(())
            }
            Op::Wire { steps } => {
                out.wire.push(wire_step::run(self.socket, steps)?);
                Ok(())
            }
            // The session's own affair.
            Op::Fresh { .. } | Op::Reset { .. } => Ok(()),
        }
    }

    pub(super) async fn walk(
        &self,
        path: &str,
        raw: &[u8],
        out: &mut Outcome,
    ) -> Result<Option<Fid>, WireError> {
        match self.conn.walk(&split(raw)).await? {
            Ok(fid) => Ok(Some(fid)),
            Err(why) => {
                out.add(What::Walk, path, Answered::Refused(why));
                Ok(None)
            }
        }
    }

    pub(super) async fn open(
        &self,
        fid: Fid,
        path: &str,
        mode: u8,
        timeout: Duration,
        out: &mut Outcome,
    ) -> Result<bool, WireError> {
        let answer = self.conn.open(fid, mode, timeout).await?;
        let opened = answer.is_ok();
        out.add(open_kind(path, mode), path, answer.into());
        Ok(opened)
    }

    async fn write(
        &mut self,
        raw: &Latin1,
        write: &Write<'_>,
        out: &mut Outcome,
    ) -> Result<(), WireError> {
        let path = raw.to_text();
        let Some(fid) = self.walk(&path, raw, out).await? else { return Ok(()) };
        let data = Bytes::copy_from_slice(write.data);
        let timeout = write_timeout(&data);
        let opened = self.open(fid, &path, write.mode, timeout, out).await?;
        let mut sent = 0;
        if opened {
            let cap = self.conn.msize().saturating_sub(WRITE_OVERHEAD_BYTES) as usize;
            for size in write.chunks.sizes(data.len(), cap) {
                let offset = write.offset.unwrap_or(sent as u64);
                let piece = data.slice(sent..sent + size);
                sent += size;
                if !self.write_once(fid, &path, write.mode, offset, piece, timeout, out).await?
                    && write.stop
                {
                    break;
                }
            }
        }
        let answer = self.conn.clunk_within(fid, timeout).await?;
        let (what, left) = match writes(write.mode) {
            true => (What::ClunkWrite, opened && sent > 0 && data[sent - 1] != b'\n'),
            false => (What::Clunk, false),
        };
        out.add(what, &path, answer.into());
        out.sent.push(Sent { path, data, left_at_close: left });
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "one Twrite, as it is")]
    pub(super) async fn write_once(
        &self,
        fid: Fid,
        path: &str,
        mode: u8,
        offset: u64,
        data: Bytes,
        timeout: Duration,
        out: &mut Outcome,
    ) -> Result<bool, WireError> {
        let answer = self.conn.call(&Tmsg::Write { fid, offset, data }, timeout).await?.map(drop);
        let done = answer.is_ok();
        let what = if writes(mode) { What::Write } else { What::WriteUnopened };
        out.add(what, path, answer.into());
        Ok(done)
    }

    async fn read(
        &mut self,
        raw: &Latin1,
        read: &Read,
        out: &mut Outcome,
    ) -> Result<(), WireError> {
        let path = raw.to_text();
        let Some(fid) = self.walk(&path, raw, out).await? else { return Ok(()) };
        if self.open(fid, &path, read.mode, reply_timeout(), out).await? {
            let mut offset = read.offset;
            for _ in 0..read.reads.min(READS) {
                match self.read_once(fid, &path, offset, read.count, out).await? {
                    Some(count) if count > 0 => offset = offset.saturating_add(count),
                    _ => break,
                }
            }
        }
        let answer = self.conn.clunk(fid).await?;
        out.add(What::Clunk, &path, answer.into());
        Ok(())
    }

    /// One read, flushed if the server may hold it and does; how many bytes it gave.
    pub(super) async fn read_once(
        &self,
        fid: Fid,
        path: &str,
        offset: u64,
        count: u32,
        out: &mut Outcome,
    ) -> Result<Option<u64>, WireError> {
        let message = self.conn.read_message(fid, offset, count);
        let reply = match is_held(path) {
            true => match self.conn.call_held(&message).await? {
                Held::Answered(reply) => reply,
                Held::Flushed => {
                    out.add(What::Read, path, Answered::Held);
                    return Ok(None);
                }
            },
            false => self.conn.call(&message, reply_timeout()).await?,
        };
        let (answer, count) = match reply {
            Ok(Rmsg::Read { data }) => (Answered::Done, Some(data.len() as u64)),
            Ok(_) => (Answered::Done, Some(0)),
            Err(why) => (Answered::Refused(why), None),
        };
        out.add(What::Read, path, answer);
        Ok(count)
    }

    async fn stat(&mut self, raw: &Latin1, out: &mut Outcome) -> Result<(), WireError> {
        let path = raw.to_text();
        let Some(fid) = self.walk(&path, raw, out).await? else { return Ok(()) };
        let answer = self.conn.call(&Tmsg::Stat { fid }, reply_timeout()).await?.map(drop);
        out.add(What::Stat, &path, answer.into());
        self.conn.clunk(fid).await?.ok();
        Ok(())
    }

    async fn remove(&mut self, raw: &Latin1, out: &mut Outcome) -> Result<(), WireError> {
        let path = raw.to_text();
        let Some(fid) = self.walk(&path, raw, out).await? else { return Ok(()) };
        let slow = Duration::from_millis(SLOW_REPLY_TIMEOUT_MS);
        let answer = self.conn.call(&Tmsg::Remove { fid }, slow).await?.map(drop);
        out.add(What::Remove, &path, answer.into());
        Ok(())
    }

    async fn create(
        &mut self,
        raw: &Latin1,
        name: &Latin1,
        message: impl FnOnce(Fid) -> Tmsg,
        out: &mut Outcome,
    ) -> Result<(), WireError> {
        let path = raw.to_text();
        let Some(fid) = self.walk(&path, raw, out).await? else { return Ok(()) };
        let answer = self.conn.call(&message(fid), reply_timeout()).await?.map(drop);
        out.add(What::Create, &format!("{path}/{}", name.to_text()), answer.into());
        self.conn.clunk(fid).await?.ok();
        Ok(())
    }

    /// A Restore that is taken hangs every connection up, this one too.
    async fn restore(&mut self, data: &[u8], out: &mut Outcome) -> Result<(), WireError> {
        match self.conn.write_path_within(b"/ctl", data, write_timeout(data)).await {
            Ok(Err(why)) => {
                out.add(What::Write, "/ctl", Answered::Refused(why));
                return Ok(());
            }
            Ok(Ok(())) => {
                // The hang-up follows the reply. A line without its end ran at the close, where
                // only the log tells whether it was taken.
                let whole = data.last() == Some(&b'\n');
                let wait = if whole { HANG_UP_MS } else { LATE_HANG_UP_MS };
                out.hung_up = self.conn.hung_up_within(Duration::from_millis(wait)).await;
            }
            Err(WireError::Dropped(_)) => out.hung_up = true,
            Err(why) => return Err(why),
        }
        out.add(What::Write, "/ctl", Answered::Done);
        let left_at_close = !out.hung_up && data.last().is_some_and(|&byte| byte != b'\n');
        out.sent.push(Sent {
            path: "/ctl".into(),
            data: Bytes::copy_from_slice(data),
            left_at_close,
        });
        Ok(())
    }

    fn host(&self, action: HostAction, name: &[u8], data: &[u8]) -> std::io::Result<()> {
        let path = self.home.join(OsStr::from_bytes(name));
        match action {
            HostAction::Write => write_in_home(&path, data),
            HostAction::Rm => fs::remove_file(path),
        }
    }
}

/// Writes a file of the target's, which may have put anything in its place: a link is not followed,
/// and a pipe is not waited for.
pub fn write_in_home(path: &Path, data: &[u8]) -> std::io::Result<()> {
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    let mut options = fs::File::options();
    options.write(true).create(true).truncate(true).custom_flags(flags.bits());
    options.open(path)?.write_all(data)
}

/// The most reads that one op makes, whatever it asks for.
const READS: u32 = 1_000;

/// How long a Restore that was taken may leave its connection up.
const HANG_UP_MS: u64 = 2_000;
/// How long one that may have been taken at its close is waited for.
const LATE_HANG_UP_MS: u64 = 100;

/// A write op's own fields.
struct Write<'a> {
    data: &'a [u8],
    mode: u8,
    chunks: &'a Chunks,
    offset: Option<u64>,
    stop: bool,
}

/// A read op's own fields.
struct Read {
    mode: u8,
    count: u32,
    offset: u64,
    reads: u32,
}
