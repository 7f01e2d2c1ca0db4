//! What each request does: the protocol's own rules first, then the file's.

use bytes::{Bytes, BytesMut};

use crate::wire::msg::{DMDIR, Fid, NOFID, OREAD, OTRUNC, Rmsg, Tag, Tmsg};
use crate::wire::stat::Stat;

use super::buffer::Buffer;
use super::builtins::remove_column;
use super::conn::{Conn, Entry, Held};
use super::ctl;
use super::editor::{Editor, Place};
use super::files::{self, Answer, Open, State};
use super::limits::{
    FIDS, MSIZE_MAX_BYTES, MSIZE_MIN_BYTES, READ_OVERHEAD_BYTES, WALK_NAMES, WRITE_OVERHEAD_BYTES,
};
use super::plants::Defect;
use super::refusal::{Done, refuse};
use super::tree::Node;

impl Conn {
    /// Deals with one request; a read with nothing to say yet is answered later, or never.
    pub(super) fn request(&mut self, editor: &mut Editor, tag: Tag, message: Tmsg) {
        if let Tmsg::Version { msize, version } = message {
            let reply = self.version(editor, msize, &version);
            return self.reply(tag, reply);
        }
        if self.msize.is_none() {
            return self.reply(tag, Err("Tversion comes first".into()));
        }
        if let Tmsg::Flush { oldtag } = message {
            return self.flush(editor, tag, oldtag);
        }
        let in_use = self.held.iter().any(|held| held.tag == tag);
        if in_use && !editor.planted(Defect::TagTwice) {
            return self.reply(tag, Err("tag is in use".into()));
        }
        let reply = match message {
            Tmsg::Version { .. } | Tmsg::Flush { .. } => return,
            Tmsg::Auth { .. } => Err("no authentication is needed".into()),
            Tmsg::Attach { fid, afid, .. } => self.attach(fid, afid),
            Tmsg::Walk { fid, newfid, names } => {
                let long = names.iter().any(|name| name.len() > 255);
                if long && editor.planted(Defect::DropOnLongName) {
                    self.broken = true;
                    return;
                }
                self.walk(editor, fid, newfid, &names)
            }
            Tmsg::Open { fid, mode } => self.open(editor, fid, mode),
            Tmsg::Create { fid, name, perm, mode } => self.create(editor, fid, &name, perm, mode),
            Tmsg::Read { fid, offset, count } => match self.read(editor, tag, fid, offset, count) {
                Ok(Some(data)) => Ok(Rmsg::Read { data }),
                Ok(None) => return,
                Err(why) => Err(why),
            },
            Tmsg::Write { fid, data, .. } => {
                let done = self.write(editor, fid, &data);
                if done.as_ref().is_err_and(|why| *why == ctl::LOCKED.into())
                    && editor.planted(Defect::HangOnLock)
                {
                    return;
                }
                done
            }
            Tmsg::Clunk { fid } => self.clunk(editor, fid),
            Tmsg::Remove { fid } => {
                if self.is_watched(editor, fid) && editor.planted(Defect::HangOnWatched) {
                    return;
                }
                self.remove(editor, fid)
            }
            Tmsg::Stat { fid } => self.stat(editor, fid),
            Tmsg::Wstat { fid, stat } => self.wstat(fid, stat),
        };
        self.reply(tag, reply);
    }

    fn version(&mut self, editor: &mut Editor, msize: u32, version: &[u8]) -> Done<Rmsg> {
        if msize < MSIZE_MIN_BYTES {
            return refuse!("msize below {MSIZE_MIN_BYTES}");
        }
        if !editor.planted(Defect::VersionKeepsFids) {
            self.close(editor);
        }
        let msize = msize.min(MSIZE_MAX_BYTES);
        let known = version == b"9P2000"
            || version.starts_with(b"9P2000.")
            || editor.planted(Defect::UnknownVersion);
        self.msize = known.then_some(msize);
        if known {
            self.frames.set_msize(msize);
        }
        let version = Bytes::from_static(if known { b"9P2000" } else { b"unknown" });
        Ok(Rmsg::Version { msize, version })
    }

    fn flush(&mut self, editor: &Editor, tag: Tag, oldtag: Tag) {
        let waited = self.held.len();
        self.held.retain(|held| held.tag != oldtag);
        let found = self.held.len() < waited;
        let hangs = match found {
            true => editor.planted(Defect::HangOnFlush),
            false => editor.planted(Defect::HangFlushUnknown),
        };
        if hangs {
            return;
        }
        self.reply(tag, Ok(Rmsg::Flush));
        if found && editor.planted(Defect::FlushAlsoErrors) {
            self.reply(oldtag, Err("flushed".into()));
        }
    }

    fn attach(&mut self, fid: Fid, afid: Fid) -> Done<Rmsg> {
        if afid != NOFID {
            return Err("no authentication is needed".into());
        }
        self.bind(fid, Node::Root)?;
        Ok(Rmsg::Attach { qid: Node::Root.qid() })
    }

    fn walk(&mut self, editor: &Editor, fid: Fid, newfid: Fid, names: &[Bytes]) -> Done<Rmsg> {
        if names.len() > WALK_NAMES && !editor.planted(Defect::WalkSeventeen) {
            return refuse!("more than {WALK_NAMES} names in a walk");
        }
        let entry = self.fids.get(&fid).ok_or("fid is not in use")?;
        if entry.open.is_some() && !editor.planted(Defect::WalkFromOpen) {
            return Err("fid is open".into());
        }
        let mut node = entry.node.clone();
        if newfid != fid && self.fids.contains_key(&newfid) {
            if !editor.planted(Defect::NewFidInUse) {
                return Err("new fid is in use".into());
            }
            self.fids.remove(&newfid);
        }
        let mut qids = Vec::with_capacity(names.len());
        for name in names {
            match node.walk(editor, name) {
                Ok(next) => node = next,
                Err(_) if qids.is_empty() && editor.planted(Defect::WalkEmptyDone) => break,
                Err(why) if qids.is_empty() => return Err(why),
                Err(_) if editor.planted(Defect::WalkBindsPartial) => break,
                Err(_) => return Ok(Rmsg::Walk { qids }),
            }
            qids.push(node.qid());
        }
        if newfid == fid {
            self.fids.insert(fid, Entry { node, open: None });
        } else {
            self.bind(newfid, node)?;
        }
        Ok(Rmsg::Walk { qids })
    }

    fn open(&mut self, editor: &mut Editor, fid: Fid, mode: u8) -> Done<Rmsg> {
        let iounit = self.iounit();
        let entry = self.entry(fid)?;
        if entry.open.is_some() && !editor.planted(Defect::OpenTwice) {
            return Err("fid is open already".into());
        }
        let opened = files::open(editor, &entry.node, mode);
        // The two kinds of open that the one rule for failures names.
        let makes_pane = entry.node == Node::New && mode & 3 == OREAD;
        let truncates = mode & OTRUNC != 0 && mode & 3 != OREAD;
        if opened.is_err() && (makes_pane || truncates) {
            let done = opened.as_ref().map(drop).map_err(Clone::clone);
            editor.settle(&done, entry.node.serial(), &entry.node.log_name());
        }
        entry.open = Some(opened?);
        Ok(Rmsg::Open { qid: entry.node.qid(), iounit })
    }

    fn create(
        &mut self,
        editor: &mut Editor,
        fid: Fid,
        name: &[u8],
        perm: u32,
        mode: u8,
    ) -> Done<Rmsg> {
        let iounit = self.iounit();
        let entry = self.entry(fid)?;
        if entry.open.is_some() {
            return Err("fid is open already".into());
        }
        if !matches!(entry.node, Node::Panes | Node::Columns) {
            return Err("permission denied".into());
        }
        if name != b"new" {
            return Err("only \"new\" is created: its number is the session's to give".into());
        }
        if perm & DMDIR == 0 || mode != OREAD {
            return Err("panes and columns are directories, opened for reading".into());
        }
        entry.node = match entry.node {
            Node::Columns => Node::Column(editor.columns.add(None)?),
            _ => Node::Pane(editor.add_pane(Buffer::new("", ""), Place::Anywhere)?),
        };
        let id = editor.open_id();
        entry.open = Some(Open { id, mode, unended: false, state: State::Directory(None) });
        Ok(Rmsg::Create { qid: entry.node.qid(), iounit })
    }

    fn read(
        &mut self,
        editor: &mut Editor,
        tag: Tag,
        fid: Fid,
        offset: u64,
        count: u32,
    ) -> Done<Option<Bytes>> {
        let overflows = count.checked_add(16).is_none();
        assert!(!overflows || !editor.planted(Defect::CrashCountOverflow), "count overflows");
        let mut most = self.msize.unwrap_or(MSIZE_MIN_BYTES) - READ_OVERHEAD_BYTES;
        if editor.planted(Defect::MsizeExceeded) {
            most *= 2;
        }
        let count = count.min(most) as usize;
        let entry = self.entry(fid)?;
        if entry.open.is_none() && editor.planted(Defect::ReadUnopened) {
            entry.open = Some(files::open(editor, &entry.node, OREAD)?);
        }
        let open = entry.open.as_mut().ok_or("fid is not open")?;
        if !open.reads() {
            return Err("fid is not open for reading".into());
        }
        match files::read(editor, &entry.node, open, offset, count)? {
            Answer::Data(data) => Ok(Some(data)),
            Answer::Wait => {
                self.hold(Held { tag, fid, count })?;
                Ok(None)
            }
        }
    }

    fn write(&mut self, editor: &mut Editor, fid: Fid, data: &[u8]) -> Done<Rmsg> {
        let entry = self.entry(fid)?;
        let open = entry.open.as_mut().ok_or("fid is not open")?;
        if !open.writes() && !editor.planted(Defect::WriteOnReadFid) {
            return Err("fid is not open for writing".into());
        }
        // From here on a refusal is the tree's, and the log tells of it.
        let done = files::write(editor, &entry.node, open, data);
        editor.settle(&done, entry.node.serial(), &entry.node.log_name());
        let long_edit = data.len() > 60 && data.starts_with(b"Edit ");
        if !(long_edit && editor.planted(Defect::ErrAnsweredDone)) {
            done?;
        }
        let over = u32::from(data.is_empty() && editor.planted(Defect::WriteOvercount));
        Ok(Rmsg::Write { count: data.len() as u32 + over })
    }

    fn clunk(&mut self, editor: &mut Editor, fid: Fid) -> Done<Rmsg> {
        let entry = self.fids.get(&fid);
        assert!(entry.is_some() || !editor.planted(Defect::CrashDoubleClunk), "no such fid");
        let unopened = entry.is_some_and(|entry| entry.open.is_none());
        if unopened && editor.planted(Defect::ClunkFreesNothing) {
            return Ok(Rmsg::Clunk);
        }
        self.free(editor, fid)?;
        Ok(Rmsg::Clunk)
    }

    fn remove(&mut self, editor: &mut Editor, fid: Fid) -> Done<Rmsg> {
        // The fid is freed whether or not the file goes.
        let node = self.free(editor, fid)?;
        let done = match node {
            Node::Pane(serial) => editor.close_pane(serial),
            Node::Column(id) => remove_column(editor, id),
            _ => Err("permission denied".into()),
        };
        if done.is_err() && editor.planted(Defect::FidKeptByRemove) {
            self.bind(fid, node)?;
        }
        done.map(|()| Rmsg::Remove)
    }

    fn stat(&mut self, editor: &Editor, fid: Fid) -> Done<Rmsg> {
        let node = &self.entry(fid)?.node;
        if !node.exists(editor) {
            return Err("file does not exist".into());
        }
        let mut stat = BytesMut::new();
        node.stat(editor).encode(&mut stat).map_err(|why| why.to_string())?;
        Ok(Rmsg::Stat { stat: stat.freeze() })
    }

    /// Changes nothing; a request that asks for no change is granted (stat(9P)).
    fn wstat(&mut self, fid: Fid, stat: Bytes) -> Done<Rmsg> {
        self.entry(fid)?;
        let stat = Stat::decode(stat).map_err(|why| why.to_string())?;
        let names = [&stat.name, &stat.uid, &stat.gid, &stat.muid];
        let untouched = stat.mode == u32::MAX
            && stat.atime == u32::MAX
            && stat.mtime == u32::MAX
            && stat.length == u64::MAX
            && names.iter().all(|name| name.is_empty());
        if untouched { Ok(Rmsg::Wstat) } else { Err("permission denied".into()) }
    }

    fn entry(&mut self, fid: Fid) -> Done<&mut Entry> {
        self.fids.get_mut(&fid).ok_or_else(|| "fid is not in use".into())
    }

    fn bind(&mut self, fid: Fid, node: Node) -> Done {
        if fid == NOFID {
            return Err("NOFID is no fid".into());
        }
        if self.fids.contains_key(&fid) {
            return Err("fid is in use".into());
        }
        if self.fids.len() >= FIDS {
            return refuse!("more than {FIDS} fids");
        }
        self.fids.insert(fid, Entry { node, open: None });
        Ok(())
    }

    /// Frees a fid: its reads that wait are answered first, then its file is closed.
    fn free(&mut self, editor: &mut Editor, fid: Fid) -> Done<Node> {
        let entry = self.fids.remove(&fid).ok_or("fid is not in use")?;
        for tag in self.take_held(fid) {
            self.reply(tag, Err("fid was clunked".into()));
        }
        if let Some(open) = entry.open {
            files::close(editor, &entry.node, open);
        }
        Ok(entry.node)
    }

    /// Whether the fid is a pane's whose events someone reads.
    fn is_watched(&self, editor: &Editor, fid: Fid) -> bool {
        let serial = self.fids.get(&fid).and_then(|entry| match entry.node {
            Node::Pane(serial) => Some(serial),
            _ => None,
        });
        serial.is_some_and(|serial| editor.pane(serial).is_ok_and(|pane| pane.events.is_read()))
    }

    fn take_held(&mut self, fid: Fid) -> Vec<Tag> {
        let tags = self.held.iter().filter(|held| held.fid == fid).map(|held| held.tag).collect();
        self.held.retain(|held| held.fid != fid);
        tags
    }

    fn iounit(&self) -> u32 {
        self.msize.unwrap_or(MSIZE_MIN_BYTES) - WRITE_OVERHEAD_BYTES
    }
}
