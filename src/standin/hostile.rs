//! A fuzzer's bytes as the clients of a session in memory: raw bytes, frames, and whole operations
//! on the tree's files; what is answered is checked to be well formed.

use std::collections::BTreeSet;

use bytes::{Bytes, BytesMut};

use crate::wire::codec::{decode, encode};
use crate::wire::frame::Frames;
use crate::wire::msg::{ORDWR, OREAD, OWRITE, Rmsg, Tag, Tmsg};

use super::in_process::{CLIENTS, InProcess, MSIZE_BYTES, ROOT_FID};

/// Plays `input` against a new session. Panics if the session does, or if a reply is no message,
/// is too long, or answers what was not asked.
pub fn hostile(input: &[u8]) {
    let mut player = Player { session: InProcess::attached(), rest: input, client: 0, tag: 0 };
    while let Some(what) = player.byte() {
        player.client = usize::from(what >> 3) % CLIENTS;
        match what % 8 {
            0 => player.raw(),
            1 => player.frame(),
            2 => player.write(),
            3 => player.read(),
            4 => player.keep(),
            5 => player.write_kept(),
            6 => player.clunk_kept(),
            _ => player.hang_up(),
        }
    }
    player.session.hang_up();
}

struct Player<'a> {
    session: InProcess,
    rest: &'a [u8],
    /// Whose turn it is.
    client: usize,
    tag: Tag,
}

const PATHS: &[&str] = &[
    "ctl",
    "exec",
    "look",
    "log",
    "tag",
    "focus",
    "index",
    "screen",
    "layout",
    "pane",
    "col/1/ctl",
    "pane/new",
    "pane/1/body",
    "pane/1/ctl",
    "pane/1/exec",
    "pane/1/addr",
    "pane/1/dot",
    "pane/1/data",
    "pane/1/xdata",
    "pane/1/limit",
    "pane/1/sel",
    "pane/1/tag",
    "pane/1/name",
    "pane/1/event",
    "pane/1/errors",
    "pane/2/body",
    "pane/2/exec",
    "pane/3/exec",
    "pane/3/body",
    "pane/1/pty/data",
    "pane/1/dirty",
    "col/2/exec",
];
/// Fids that operations keep open, above those that frames of the fuzzer's own likely name.
const KEPT: u32 = 1_000;
const ONCE: u32 = 2_000;

impl Player<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// Some of the fuzzer's bytes, their count in front of them.
    fn bytes(&mut self) -> Bytes {
        let count = usize::from(self.byte().unwrap_or(0)).min(self.rest.len());
        let (bytes, rest) = self.rest.split_at(count);
        self.rest = rest;
        Bytes::copy_from_slice(bytes)
    }

    /// Bytes as they are: they may be no messages at all, or parts of some.
    fn raw(&mut self) {
        let bytes = self.bytes();
        self.session.push(self.client, &bytes);
    }

    fn frame(&mut self) {
        let kind = self.byte().unwrap_or(0) % 32 + 98;
        let body = self.bytes();
        self.tag = self.tag.wrapping_add(1);
        let mut frame = (body.len() as u32 + 7).to_le_bytes().to_vec();
        frame.push(kind);
        frame.extend_from_slice(&self.tag.to_le_bytes());
        frame.extend_from_slice(&body);
        self.session.push(self.client, &frame);
    }

    fn write(&mut self) {
        if self.open(ONCE, OWRITE) {
            let data = self.bytes();
            self.send(Tmsg::Write { fid: ONCE, offset: 0, data });
        }
        self.send(Tmsg::Clunk { fid: ONCE });
    }

    fn read(&mut self) {
        if self.open(ONCE, OREAD) {
            let offset = u64::from(self.byte().unwrap_or(0)) << (self.byte().unwrap_or(0) % 64);
            let count = u32::from(self.byte().unwrap_or(0)) << (self.byte().unwrap_or(0) % 32);
            self.send(Tmsg::Read { fid: ONCE, offset, count });
        }
        self.send(Tmsg::Clunk { fid: ONCE });
    }

    fn keep(&mut self) {
        let fid = self.kept();
        self.open(fid, ORDWR);
    }

    fn write_kept(&mut self) {
        let fid = self.kept();
        let data = self.bytes();
        self.send(Tmsg::Write { fid, offset: 0, data });
        self.send(Tmsg::Read { fid, offset: 0, count: 100 });
    }

    fn clunk_kept(&mut self) {
        let fid = self.kept();
        self.send(Tmsg::Clunk { fid });
    }

    fn hang_up(&mut self) {
        self.session.reconnect(self.client);
    }

    fn kept(&mut self) -> u32 {
        KEPT + u32::from(self.byte().unwrap_or(0) % 4)
    }

    /// Opens a path of the table; whether it could be.
    fn open(&mut self, fid: u32, mode: u8) -> bool {
        let path = PATHS[usize::from(self.byte().unwrap_or(0)) % PATHS.len()];
        let names = path.split('/').map(|name| Bytes::from_static(name.as_bytes())).collect();
        self.send(Tmsg::Walk { fid: ROOT_FID, newfid: fid, names });
        self.send(Tmsg::Open { fid, mode })
    }

    /// Sends one request; whether it was done.
    fn send(&mut self, message: Tmsg) -> bool {
        self.tag = self.tag.wrapping_add(1);
        let mut bytes = BytesMut::new();
        if encode(&message, self.tag, &mut bytes).is_err() {
            return false;
        }
        let mut frames = Frames::new(MSIZE_BYTES);
        frames.push(&self.session.push(self.client, &bytes));
        let mut answered = BTreeSet::new();
        let mut done = false;
        while let Some(frame) = frames.next_frame().expect("a reply of legal size") {
            let (tag, reply) = decode::<Rmsg>(frame).expect("a reply that is a message");
            if matches!(reply, Rmsg::Error { .. }) {
                // Raw bytes may have used this tag already, which is then refused.
                continue;
            }
            assert!(answered.insert(tag), "tag {tag} is answered once");
            done |= tag == self.tag;
        }
        assert_eq!(frames.pending_bytes(), 0, "replies are whole");
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_input_breaks_the_session(input in prop::collection::vec(any::<u8>(), 0..400)) {
            hostile(&input);
        }
    }
}
