//! What each request does: the protocol's own rules first, then the file's.

use bytes::{Bytes, BytesMut};

use crate::wire::msg::{DMDIR, Fid, NOFID, OREAD, OTRUNC, Rmsg, Tag, Tmsg};
use crate::wire::stat::Stat;

use super::buffer::Buffer;
use super::builtins::remove_column;
use super::conn::{Conn, Entry, Held};
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
        if self.held.iter().any(|held| held.tag == tag) {
            return self.reply(tag, Err("tag is in use".into()));
        }
        let reply = match message {
            Tmsg::Version { .. } | Tmsg::Flush { .. } => return,
            Tmsg::Auth { .. } => Err("no authentication is needed".into()),
            Tmsg::Attach { fid, afid, .. } => self.attach(fid, afid),
            Tmsg::Walk { fid, newfid, names } => self.walk(editor, fid, newfid, &names),
            Tmsg::Open { fid, mode } => self.open(editor, fid, mode),
            Tmsg::Create { fid, name, perm, mode } => self.create(editor, fid, &name, perm, mode),
            Tmsg::Read { fid, offset, count } => match self.read(editor, tag, fid, offset, count) {
                Ok(Some(data)) => Ok(Rmsg::Read { data }),
                Ok(None) => return,
                Err(why) => Err(why),
            },
            Tmsg::Write { fid, data, .. } => self.write(editor, fid, &data),
            Tmsg::Clunk { fid } => self.clunk(editor, fid),
            Tmsg::Remove { fid } => self.remove(editor, fid),
            Tmsg::Stat { fid } => self.stat(editor, fid),
            Tmsg::Wstat { fid, stat } => self.wstat(fid, stat),
        };
        self.reply(tag, reply);
    }

    fn version(&mut self, editor: &mut Editor, msize: u32, version: &[u8]) -> Done<Rmsg> {
        if msize < MSIZE_MIN_BYTES {
            return refuse!("msize below {MSIZE_MIN_BYTES}");
        }
        self.close(editor);
        let msize = msize.min(MSIZE_MAX_BYTES);
        let known = version == b"9P2000" || version.starts_with(b"9P2000.");
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
        if editor.plant == Some(Defect::HangOnFlush) && self.held.len() < waited {
            return;
        }
        self.reply(tag, Ok(Rmsg::Flush));
    }

    fn attach(&mut self, fid: Fid, afid: Fid) -> Done<Rmsg> {
        if afid != NOFID {
            return Err("no authentication is needed".into());
        }
        self.bind(fid, Node::Root)?;
        Ok(Rmsg::Attach { qid: Node::Root.qid() })
    }

    fn walk(&mut self, editor: &Editor, fid: Fid, newfid: Fid, names: &[Bytes]) -> Done<Rmsg> {
        if names.len() > WALK_NAMES {
            return refuse!("more than {WALK_NAMES} names in a walk");
        }
        let entry = self.fids.get(&fid).ok_or("fid is not in use")?;
        if entry.open.is_some() {
            return Err("fid is open".into());
        }
        if newfid != fid && self.fids.contains_key(&newfid) {
            return Err("new fid is in use".into());
        }
        let mut node = entry.node.clone();
        let mut qids = Vec::with_capacity(names.len());
        for name in names {
            match node.walk(editor, name) {
                Ok(next) => node = next,
                Err(why) if qids.is_empty() => return Err(why),
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
        if entry.open.is_some() {
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
        let most = self.msize.unwrap_or(MSIZE_MIN_BYTES) - READ_OVERHEAD_BYTES;
        let count = count.min(most) as usize;
        let entry = self.entry(fid)?;
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
        if !open.writes() {
            return Err("fid is not open for writing".into());
        }
        // From here on a refusal is the tree's, and the log tells of it.
        let done = files::write(editor, &entry.node, open, data);
        editor.settle(&done, entry.node.serial(), &entry.node.log_name());
        done?;
        Ok(Rmsg::Write { count: data.len() as u32 })
    }

    fn clunk(&mut self, editor: &mut Editor, fid: Fid) -> Done<Rmsg> {
        self.free(editor, fid)?;
        Ok(Rmsg::Clunk)
    }

    fn remove(&mut self, editor: &mut Editor, fid: Fid) -> Done<Rmsg> {
        // The fid is freed whether or not the file goes.
        match self.free(editor, fid)? {
            Node::Pane(serial) => editor.close_pane(serial)?,
            Node::Column(id) => remove_column(editor, id)?,
            _ => return Err("permission denied".into()),
        }
        Ok(Rmsg::Remove)
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

    fn take_held(&mut self, fid: Fid) -> Vec<Tag> {
        let tags = self.held.iter().filter(|held| held.fid == fid).map(|held| held.tag).collect();
        self.held.retain(|held| held.fid != fid);
        tags
    }

    fn iounit(&self) -> u32 {
        self.msize.unwrap_or(MSIZE_MIN_BYTES) - WRITE_OVERHEAD_BYTES
    }
}
