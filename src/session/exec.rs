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

use super::expect::{is_held, open_kind, reply_timeout, write_timeout, writes};
use super::handles::Handle;
use super::outcome::{Answered, Asked, Outcome, Sent, What};
use super::wild::Wild;
use super::wire_step;
use crate::ops::{Chunks, HostAction, Latin1, Op, Reach, guard, is_wild};
use crate::sandbox::Sandbox;
use crate::wire::limits::{SLOW_REPLY_TIMEOUT_MS, WRITE_OVERHEAD_BYTES};
use crate::wire::msg::{Fid, Rmsg, Tmsg};
use crate::wire::{Conn, Held, WireError, split};

/// What an op needs besides its own fields.
pub struct Context<'a> {
    /// The connection that ops use now.
    pub conn: Conn,
    /// The second one, if there is one.
    pub second: Option<Conn>,
    /// How many opens the session made so far.
    pub opens: &'a mut u64,
    /// The fids kept open.
    pub handles: &'a mut HashMap<Latin1, Handle>,
    /// What the target is in.
    pub sandbox: &'a mut Sandbox,
    /// The target's socket.
    pub socket: &'a Path,
    /// How far payloads may reach.
    pub reach: Reach,
    /// Whether some may have reached a shell.
    pub wild: &'a mut Wild,
}

/// A file that is open.
#[derive(Clone, Debug)]
pub struct File {
    pub fid: Fid,
    /// Where it was found, tokens resolved.
    pub path: String,
    pub mode: u8,
    /// Its number among the session's opens, from 1 on.
    pub open: u64,
}

/// Runs `op` and gives what was asked and answered.
pub async fn run(op: &Op, context: &mut Context<'_>) -> Result<Outcome, WireError> {
    let mut outcome = Outcome::default();
    if let Err(why) = guard(op, context.reach) {
        outcome.note = Some(why.to_string());
        return Ok(outcome);
    }
    if context.reach == Reach::Open && is_wild(op) {
        context.wild.let_loose(context.sandbox.reached());
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
                self.create(path, name, *mode, message, out).await
            }
            Op::Hold { h, path, mode } => self.hold(h, path, *mode, out).await,
            Op::Hwrite { h, .. } | Op::Hread { h, .. } | Op::Clunk { h } => {
                let conn = self.handles.get(h).map(|handle| handle.conn().clone());
                let here = self.conn.clone();
                self.conn = conn.unwrap_or_else(|| here.clone());
                let done = self.use_handle(op, out).await;
                self.conn = here;
                done
            }
            Op::Second { ops } => {
                let Some(second) = self.second.clone() else {
                    out.note = Some("no second connection".into());
                    return Ok(());
                };
                let here = std::mem::replace(&mut self.conn, second);
                let done = self.run_all(ops, out).await;
                self.conn = here;
                done
            }
            Op::Restore { data } => self.restore(data, out).await,
            Op::Host { action, name, data } => {
                let data = data.as_ref().map_or(&b""[..], |data| data);
                out.note = self.host(*action, name, data).err().map(|why| why.to_string());
                Ok(())
            }
            Op::Seq { ops } => self.run_all(ops, out).await,
            Op::Wire { steps } => {
                let mut refused = false;
                let dial = || {
                    let dialled = self.sandbox.connect(self.socket);
                    refused = dialled.is_err();
                    dialled
                };
                let passed = wire_step::run(dial, steps);
                if refused {
                    self.wild.lose_reach();
                }
                out.wire.push(passed?);
                Ok(())
            }
            // The session's own affair.
            Op::Fresh { .. } | Op::Reset { .. } => Ok(()),
        }
    }

    async fn run_all(&mut self, ops: &[Op], out: &mut Outcome) -> Result<(), WireError> {
        for op in ops {
            // Events are there at once or not at all: what was held would be held again.
            if let Op::Hread { h, .. } = op
                && self.handles.get(h).is_some_and(|handle| out.ends_in_held_event(handle.open()))
            {
                continue;
            }
            let run: Pin<Box<dyn Future<Output = _>>> = Box::pin(self.run(op, out));
            run.await?;
        }
        Ok(())
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
                out.add(Asked::new(What::Walk, path, Answered::Refused(why)));
                Ok(None)
            }
        }
    }

    pub(super) async fn open(
        &mut self,
        fid: Fid,
        path: &str,
        mode: u8,
        timeout: Duration,
        out: &mut Outcome,
    ) -> Result<Option<File>, WireError> {
        let answer = self.conn.open(fid, mode, timeout).await?;
        *self.opens += 1;
        let open = *self.opens;
        let file = answer.is_ok().then(|| File { fid, path: path.to_owned(), mode, open });
        out.add(Asked::new(open_kind(path, mode), path, answer.into()).of(open).mode(mode));
        Ok(file)
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
        if let Some(file) = &opened {
            let cap = self.conn.msize().saturating_sub(WRITE_OVERHEAD_BYTES) as usize;
            for size in write.chunks.sizes(data.len(), cap) {
                let offset = write.offset.unwrap_or(sent as u64);
                let piece = data.slice(sent..sent + size);
                sent += size;
                if !self.write_once(file, offset, piece, timeout, out).await? && write.stop {
                    break;
                }
            }
        }
        let answer = self.conn.clunk_within(fid, timeout).await?;
        let (what, left) = match writes(write.mode) {
            true => (What::ClunkWrite, sent > 0 && data[sent - 1] != b'\n'),
            false => (What::Clunk, false),
        };
        let open = opened.map_or(0, |file| file.open);
        out.add(Asked::new(what, &path, answer.into()).of(open));
        out.sent.push(Sent { path, open, data, left_at_close: left });
        Ok(())
    }

    pub(super) async fn write_once(
        &self,
        file: &File,
        offset: u64,
        data: Bytes,
        timeout: Duration,
        out: &mut Outcome,
    ) -> Result<bool, WireError> {
        let message = Tmsg::Write { fid: file.fid, offset, data: data.clone() };
        let answer = self.conn.call(&message, timeout).await?.map(drop);
        let done = answer.is_ok();
        let what = if writes(file.mode) { What::Write } else { What::WriteUnopened };
        out.add(Asked::new(what, &file.path, answer.into()).of(file.open).at(offset, data));
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
        let opened = self.open(fid, &path, read.mode, reply_timeout(), out).await?;
        if let Some(file) = &opened {
            let mut offset = read.offset;
            for _ in 0..read.reads.min(READS) {
                match self.read_once(file, offset, read.count, out).await? {
                    Some(count) if count > 0 => offset = offset.saturating_add(count),
                    _ => break,
                }
            }
        }
        let answer = self.conn.clunk(fid).await?;
        let open = opened.map_or(0, |file| file.open);
        out.add(Asked::new(What::Clunk, &path, answer.into()).of(open));
        Ok(())
    }

    /// One read, flushed if the server may hold it and does; how many bytes it gave.
    pub(super) async fn read_once(
        &self,
        file: &File,
        offset: u64,
        count: u32,
        out: &mut Outcome,
    ) -> Result<Option<u64>, WireError> {
        let File { fid, path, open, .. } = file;
        // As it is: a count beyond the msize is no fault, and the answer is within it all the same.
        let message = Tmsg::Read { fid: *fid, offset, count };
        let reply = match is_held(path) {
            true => match self.conn.call_held(&message).await? {
                Held::Answered(reply) => reply,
                Held::Flushed => {
                    let held = Asked::new(What::Read, path, Answered::Held);
                    out.add(held.of(*open).at(offset, Bytes::new()).asking(count));
                    return Ok(None);
                }
            },
            false => self.conn.call(&message, reply_timeout()).await?,
        };
        let (answer, data) = match reply {
            Ok(Rmsg::Read { data }) => (Answered::Done, data),
            Ok(_) => (Answered::Done, Bytes::new()),
            Err(why) => (Answered::Refused(why), Bytes::new()),
        };
        let got = (answer == Answered::Done).then_some(data.len() as u64);
        out.add(Asked::new(What::Read, path, answer).of(*open).at(offset, data).asking(count));
        Ok(got)
    }

    async fn stat(&mut self, raw: &Latin1, out: &mut Outcome) -> Result<(), WireError> {
        let path = raw.to_text();
        let Some(fid) = self.walk(&path, raw, out).await? else { return Ok(()) };
        let answer = self.conn.call(&Tmsg::Stat { fid }, reply_timeout()).await?.map(drop);
        out.add(Asked::new(What::Stat, &path, answer.into()));
        self.conn.clunk(fid).await?.ok();
        Ok(())
    }

    async fn remove(&mut self, raw: &Latin1, out: &mut Outcome) -> Result<(), WireError> {
        let path = raw.to_text();
        let Some(fid) = self.walk(&path, raw, out).await? else { return Ok(()) };
        let slow = Duration::from_millis(SLOW_REPLY_TIMEOUT_MS);
        let answer = self.conn.call(&Tmsg::Remove { fid }, slow).await?.map(drop);
        out.add(Asked::new(What::Remove, &path, answer.into()));
        Ok(())
    }

    async fn create(
        &mut self,
        raw: &Latin1,
        name: &Latin1,
        mode: u8,
        message: impl FnOnce(Fid) -> Tmsg,
        out: &mut Outcome,
    ) -> Result<(), WireError> {
        let path = raw.to_text();
        let Some(fid) = self.walk(&path, raw, out).await? else { return Ok(()) };
        let answer = self.conn.call(&message(fid), reply_timeout()).await?.map(drop);
        let path = format!("{path}/{}", name.to_text());
        out.add(Asked::new(What::Create, &path, answer.into()).mode(mode));
        self.conn.clunk(fid).await?.ok();
        Ok(())
    }

    /// A Restore that is taken hangs every connection up, this one too.
    async fn restore(&mut self, data: &[u8], out: &mut Outcome) -> Result<(), WireError> {
        match self.conn.write_path_within(b"/ctl", data, write_timeout(data)).await {
            Ok(Err(why)) => {
                out.add(Asked::new(What::Write, "/ctl", Answered::Refused(why)));
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
        let data = Bytes::copy_from_slice(data);
        out.add(Asked::new(What::Write, "/ctl", Answered::Done).at(0, data.clone()));
        let left_at_close = !out.hung_up && data.last().is_some_and(|&byte| byte != b'\n');
        out.sent.push(Sent { path: "/ctl".into(), open: 0, data, left_at_close });
        Ok(())
    }

    fn host(&self, action: HostAction, name: &[u8], data: &[u8]) -> std::io::Result<()> {
        let path = self.sandbox.reached().home.join(OsStr::from_bytes(name));
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
