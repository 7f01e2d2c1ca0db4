//! One connection: its messages cut from the stream, its fids, its reads that wait, its replies.

use std::collections::{HashMap, VecDeque};

use bytes::{Bytes, BytesMut};

use crate::wire::codec::{DecodeError, decode, encode, header};
use crate::wire::frame::Frames;
use crate::wire::msg::{Fid, Rmsg, Tag, Tmsg};

use super::editor::Editor;
use super::files::{self, Answer, Open};
use super::limits::{ERROR_BYTES, HELD_READS, MSIZE_FIRST_BYTES, OUT_QUEUE_BYTES};
use super::plants::Defect;
use super::refusal::{Done, Refusal};
use super::tree::Node;

/// A client's side of the session.
#[derive(Debug)]
pub struct Conn {
    pub(super) frames: Frames,
    /// The message size agreed on; none before the first Tversion.
    pub(super) msize: Option<u32>,
    pub(super) fids: HashMap<Fid, Entry>,
    pub(super) held: VecDeque<Held>,
    pub(super) broken: bool,
    out: BytesMut,
    plant: Option<Defect>,
}

/// What a fid stands for.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) node: Node,
    pub(super) open: Option<Open>,
}

/// A read that waits for something to say.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) tag: Tag,
    pub(super) fid: Fid,
    pub(super) count: usize,
}

impl Conn {
    /// A connection on which nothing was said yet.
    pub fn new(plant: Option<Defect>) -> Self {
        Conn {
            frames: Frames::new(MSIZE_FIRST_BYTES),
            msize: None,
            fids: HashMap::new(),
            held: VecDeque::new(),
            broken: false,
            out: BytesMut::new(),
            plant,
        }
    }

    /// Takes what the client has sent, and answers what it can.
    pub fn push(&mut self, editor: &mut Editor, bytes: &[u8]) {
        if editor.planted(Defect::SegmentLost) && self.frames.pending_bytes() > 0 {
            self.frames = Frames::new(self.msize.unwrap_or(MSIZE_FIRST_BYTES));
        }
        self.frames.push(bytes);
        self.go_on(editor);
    }

    /// Answers the whole messages there are, until too many replies wait to be taken.
    pub fn go_on(&mut self, editor: &mut Editor) {
        while !self.broken && !self.is_full() && editor.ending.is_none() {
            match self.frames.next_frame() {
                Ok(Some(frame)) => self.message(editor, frame),
                Ok(None) => break,
                // Where the next message begins is lost: there is nothing left to say.
                Err(_) => self.broken = true,
            }
        }
    }

    /// Answers the reads that waited, as far as there is something to say by now.
    pub fn answer_held(&mut self, editor: &mut Editor) {
        for _ in 0..self.held.len() {
            let Some(held) = self.held.pop_front() else { break };
            if self.is_full() {
                self.held.push_back(held);
                continue;
            }
            match self.read_again(editor, &held) {
                Ok(Answer::Wait) => self.held.push_back(held),
                Ok(Answer::Data(data)) => self.reply(held.tag, Ok(Rmsg::Read { data })),
                Err(why) => self.reply(held.tag, Err(why)),
            }
        }
    }

    /// Closes everything, as if each fid had been clunked.
    pub fn close(&mut self, editor: &mut Editor) {
        self.held.clear();
        let mut fids: Vec<(Fid, Entry)> = self.fids.drain().collect();
        fids.sort_by_key(|(fid, _)| *fid);
        for (_, entry) in fids {
            if let Some(open) = entry.open {
                files::close(editor, &entry.node, open);
            }
        }
    }

    /// The replies that wait to be sent.
    pub fn out(&mut self) -> &mut BytesMut {
        &mut self.out
    }

    /// Whether so much waits that no more is to be read.
    pub fn is_full(&self) -> bool {
        self.out.len() >= OUT_QUEUE_BYTES
    }

    /// Whether the stream is of no more use.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Whether reads wait.
    pub fn has_held(&self) -> bool {
        !self.held.is_empty()
    }

    /// Makes a read wait.
    pub(super) fn hold(&mut self, held: Held) -> Done {
        if self.held.len() >= HELD_READS {
            return Err("too many reads wait already".into());
        }
        self.held.push_back(held);
        Ok(())
    }

    pub(super) fn reply(&mut self, tag: Tag, reply: Done<Rmsg>) {
        let start = self.out.len();
        let reply = reply.unwrap_or_else(|why| error(&why, self.msize));
        if encode(&reply, tag, &mut self.out).is_err() {
            let why = Refusal::from("reply does not fit a message");
            let _ = encode(&error(&why, self.msize), tag, &mut self.out);
        }
        if self.plant == Some(Defect::ErrorExtraBytes) && matches!(reply, Rmsg::Error { .. }) {
            self.add_bytes(start);
        }
    }

    /// Makes a long message from `start` on four bytes longer than its fields.
    fn add_bytes(&mut self, start: usize) {
        let size = self.out.len() - start + 4;
        if size > 50 {
            self.out.extend_from_slice(&[0; 4]);
            self.out[start..start + 4].copy_from_slice(&(size as u32).to_le_bytes());
        }
    }

    /// Refuses a message that could not be read, or that is no request.
    fn refuse_frame(&mut self, editor: &Editor, tag: Tag, frame: Bytes, why: &DecodeError) {
        let is_reply = decode::<Rmsg>(frame).is_ok();
        assert!(!is_reply || !editor.planted(Defect::CrashOnRmessage), "not a request");
        self.reply(tag, Err(why.to_string().into()));
    }

    fn message(&mut self, editor: &mut Editor, frame: Bytes) {
        let Some((_, tag)) = header(&frame) else {
            self.broken = true;
            return;
        };
        match decode::<Tmsg>(frame.clone()) {
            Ok((tag, message)) => self.request(editor, tag, message),
            Err(why) => self.refuse_frame(editor, tag, frame, &why),
        }
    }

    fn read_again(&mut self, editor: &mut Editor, held: &Held) -> Done<Answer> {
        let entry = self.fids.get_mut(&held.fid).ok_or("fid is not in use")?;
        let open = entry.open.as_mut().ok_or("fid is not open")?;
        files::read(editor, &entry.node, open, 0, held.count)
    }
}

fn error(why: &Refusal, msize: Option<u32>) -> Rmsg {
    let text = why.to_string();
    let most = ERROR_BYTES.min(msize.map_or(ERROR_BYTES, |msize| msize as usize / 2));
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    Rmsg::Error { ename: Bytes::copy_from_slice(&text.as_bytes()[..end]) }
}
