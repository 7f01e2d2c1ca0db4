//! Fids kept open across steps: the ops that open, write, read and close them.

use bytes::Bytes;

use super::exec::{Context, reply_timeout, write_timeout, writes};
use super::outcome::{Outcome, Sent, What};
use crate::ops::{Latin1, guard_data};
use crate::wire::WireError;
use crate::wire::limits::WRITE_OVERHEAD_BYTES;
use crate::wire::msg::Fid;

/// A fid kept open across steps.
#[derive(Clone, Debug)]
pub struct Handle {
    fid: Fid,
    path: String,
    mode: u8,
    offset: u64,
    last: Bytes,
    /// The line begun and not yet ended: what a next write adds to it belongs to one command.
    begun: Vec<u8>,
    /// What was written from an Edit on: a block of it may still be open, and run at the close.
    block: Vec<u8>,
}

/// The most of an unended line or block that is remembered, in bytes.
const BEGUN_BYTES: usize = 1 << 16;

impl Context<'_> {
    pub(super) async fn hold(
        &mut self,
        h: &Latin1,
        raw: &Latin1,
        mode: u8,
        out: &mut Outcome,
    ) -> Result<(), WireError> {
        let path = raw.to_text();
        let Some(fid) = self.walk(&path, raw, out).await? else { return Ok(()) };
        if self.open(fid, &path, mode, reply_timeout(), out).await? {
            let handle = Handle {
                fid,
                path,
                mode,
                offset: 0,
                last: Bytes::new(),
                begun: Vec::new(),
                block: Vec::new(),
            };
            self.handles.insert(h.clone(), handle);
        } else {
            self.conn.clunk(fid).await?.ok();
        }
        Ok(())
    }

    pub(super) async fn hwrite(
        &mut self,
        h: &Latin1,
        data: &[u8],
        out: &mut Outcome,
    ) -> Result<(), WireError> {
        let Some(mut handle) = self.handles.get(h).cloned() else {
            out.note = Some("no such handle".into());
            return Ok(());
        };
        if let Err(why) = guard_data(handle.path.as_bytes(), data, self.reach) {
            out.note = Some(why.to_string());
            return Ok(());
        }
        let cap = self.conn.msize().saturating_sub(WRITE_OVERHEAD_BYTES) as usize;
        let data = Bytes::copy_from_slice(&data[..data.len().min(cap)]);
        let Handle { fid, mode, offset, .. } = handle;
        handle.begun.extend_from_slice(&data);
        let whole = Bytes::copy_from_slice(&handle.begun);
        if !handle.block.is_empty() {
            handle.block.extend_from_slice(&data);
        } else if whole.windows(4).any(|part| part == b"Edit") {
            handle.block.extend_from_slice(&whole);
        }
        handle.block.truncate(BEGUN_BYTES);
        out.sent.push(Sent { path: handle.path.clone(), data: whole, left_at_close: false });
        if let Some(end) = handle.begun.iter().rposition(|&byte| byte == b'\n') {
            handle.begun.drain(..=end);
        }
        handle.begun.truncate(BEGUN_BYTES);
        handle.last = data.clone();
        let count = data.len() as u64;
        let timeout = write_timeout(&data);
        if self.write_once(fid, &handle.path, mode, offset, data, timeout, out).await? {
            handle.offset = offset.saturating_add(count);
        }
        self.handles.insert(h.clone(), handle);
        Ok(())
    }

    pub(super) async fn hread(
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
        if let Some(got) = self.read_once(handle.fid, &handle.path, offset, count, out).await? {
            handle.offset = offset.saturating_add(got);
            self.handles.insert(h.clone(), handle);
        }
        Ok(())
    }

    pub(super) async fn clunk(&mut self, h: &Latin1, out: &mut Outcome) -> Result<(), WireError> {
        let Some(handle) = self.handles.remove(h) else {
            out.note = Some("no such handle".into());
            return Ok(());
        };
        let answer = self.conn.clunk_within(handle.fid, write_timeout(&handle.last)).await?;
        let Handle { path, mode, last, block, .. } = handle;
        let what = if writes(mode) { What::ClunkWrite } else { What::Clunk };
        out.add(what, &path, answer.into());
        let left = writes(mode) && last.last().is_some_and(|&byte| byte != b'\n');
        out.sent.push(Sent { path, data: block.into(), left_at_close: left });
        Ok(())
    }
}
