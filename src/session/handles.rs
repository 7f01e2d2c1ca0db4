//! Fids kept open across steps: the ops that open, write, read and close them.

use bytes::Bytes;

use super::begun::Begun;
use super::exec::{Context, File};
use super::expect::{reply_timeout, write_timeout, writes};
use super::outcome::{Asked, Outcome, Sent, What};
use crate::ops::{Latin1, Op, Reach, guard_data};
use crate::wire::limits::WRITE_OVERHEAD_BYTES;
use crate::wire::{Conn, WireError};

/// A fid kept open across steps.
#[derive(Clone, Debug)]
pub struct Handle {
    conn: Conn,
    file: File,
    offset: u64,
    last: Bytes,
    begun: Begun,
    /// What was written from an Edit on: a block of it may still be open, and run at the close.
    block: Vec<u8>,
}

/// The most of an unended block that is remembered, in bytes.
const BLOCK_BYTES: usize = 1 << 16;

impl Handle {
    /// The connection that it was opened on.
    pub fn conn(&self) -> &Conn {
        &self.conn
    }

    /// The open's number among the session's.
    pub fn open(&self) -> u64 {
        self.file.open
    }
}

impl Context<'_> {
    /// Runs an op that names a handle; any other asks for nothing.
    pub(super) async fn use_handle(&mut self, op: &Op, out: &mut Outcome) -> Result<(), WireError> {
        match op {
            Op::Hwrite { h, data } => self.hwrite(h, data, out).await,
            Op::Hread { h, count, offset } => self.hread(h, *count, *offset, out).await,
            Op::Clunk { h } => self.clunk(h, out).await,
            _ => Ok(()),
        }
    }

    pub(super) async fn hold(
        &mut self,
        h: &Latin1,
        raw: &Latin1,
        mode: u8,
        out: &mut Outcome,
    ) -> Result<(), WireError> {
        let path = raw.to_text();
        let Some(fid) = self.walk(&path, raw, out).await? else { return Ok(()) };
        let Some(file) = self.open(fid, &path, mode, reply_timeout(), out).await? else {
            self.conn.clunk(fid).await?.ok();
            return Ok(());
        };
        let (conn, last) = (self.conn.clone(), Bytes::new());
        let (begun, block) = (Begun::default(), Vec::new());
        let handle = Handle { conn, file, offset: 0, last, begun, block };
        self.handles.insert(h.clone(), handle);
        Ok(())
    }

    async fn hwrite(
        &mut self,
        h: &Latin1,
        data: &[u8],
        out: &mut Outcome,
    ) -> Result<(), WireError> {
        let Some(mut handle) = self.handles.get(h).cloned() else {
            out.note = Some("no such handle".into());
            return Ok(());
        };
        let judge = |data: &[u8], reach| guard_data(handle.file.path.as_bytes(), data, reach);
        let judged = match self.reach {
            Reach::Confined => judge(data, Reach::Confined),
            // Pieces that are let through one by one may join into what is not.
            Reach::Open => judge(&handle.begun.with(data), Reach::Open),
        };
        if let Err(why) = judged {
            out.note = Some(why.to_string());
            return Ok(());
        }
        if self.reach == Reach::Open && judge(data, Reach::Confined).is_err() {
            self.wild.let_loose(self.sandbox.reached());
        }
        let cap = self.conn.msize().saturating_sub(WRITE_OVERHEAD_BYTES) as usize;
        let data = Bytes::copy_from_slice(&data[..data.len().min(cap)]);
        let offset = handle.offset;
        let whole = handle.begun.with(&data);
        if !handle.block.is_empty() {
            handle.block.extend_from_slice(&data);
        } else if whole.windows(4).any(|part| part == b"Edit") {
            handle.block.extend_from_slice(&whole);
        }
        handle.block.truncate(BLOCK_BYTES);
        let File { path, open, .. } = &handle.file;
        let (path, open) = (path.clone(), *open);
        out.sent.push(Sent { path, open, data: whole, left_at_close: false });
        handle.last = data.clone();
        let timeout = write_timeout(&data);
        let taken = self.write_once(&handle.file, offset, data.clone(), timeout, out).await?;
        if taken {
            handle.offset = offset.saturating_add(data.len() as u64);
        }
        handle.begun.follow(&data, taken);
        self.handles.insert(h.clone(), handle);
        Ok(())
    }

    async fn hread(
        &mut self,
        h: &Latin1,
        count: u32,
        offset: Option<u64>,
        out: &mut Outcome,
    ) -> Result<(), WireError> {
        let Some(mut handle) = self.handles.get(h).cloned() else {
            out.note = Some("no such handle".into());
            return Ok(());
        };
        let offset = offset.unwrap_or(handle.offset);
        if let Some(got) = self.read_once(&handle.file, offset, count, out).await? {
            handle.offset = offset.saturating_add(got);
            self.handles.insert(h.clone(), handle);
        }
        Ok(())
    }

    async fn clunk(&mut self, h: &Latin1, out: &mut Outcome) -> Result<(), WireError> {
        let Some(handle) = self.handles.remove(h) else {
            out.note = Some("no such handle".into());
            return Ok(());
        };
        let answer = self.conn.clunk_within(handle.file.fid, write_timeout(&handle.last)).await?;
        let Handle { file: File { path, mode, open, .. }, begun, block, .. } = handle;
        let what = if writes(mode) { What::ClunkWrite } else { What::Clunk };
        out.add(Asked::new(what, &path, answer.into()).of(open));
        let left = writes(mode) && begun.may_be_left();
        out.sent.push(Sent { path, open, data: block.into(), left_at_close: left });
        Ok(())
    }
}
