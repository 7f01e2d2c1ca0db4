//! A session in memory with two clients, for fuzzing: no host's files, no processes, no socket.

use bytes::Bytes;

use crate::wire::codec::encode;
use crate::wire::msg::{NOFID, NOTAG, Tmsg};

use super::buffer::Buffer;
use super::conn::Conn;
use super::editor::{Editor, Place};
use super::host::Host;

/// The session and its clients' connections.
#[derive(Debug)]
pub struct InProcess {
    editor: Editor,
    conns: [Conn; CLIENTS],
}

/// How many clients there are, numbered from 0.
pub const CLIENTS: usize = 2;

/// The fid that `attached` binds to the root.
pub const ROOT_FID: u32 = 1;

/// The message size that `attached` agrees on.
pub const MSIZE_BYTES: u32 = 8_192;
const TEXTS: [(&str, &str); 2] =
    [("alpha.txt", "alpha beta gamma\nsecond line\n\nlast\n"), ("utf8.txt", "naïve 日本\r\nend")];

impl InProcess {
    /// A session of two panes on whose connections nothing was said yet.
    pub fn new() -> Self {
        let mut editor = Editor::new(Host::none(), None);
        for (name, text) in TEXTS {
            let _ = editor.add_pane(Buffer::new(name, text), Place::Anywhere);
        }
        InProcess { editor, conns: std::array::from_fn(|_| Conn::new(None)) }
    }

    /// The same, with a version agreed on and the root at each client's `ROOT_FID`.
    pub fn attached() -> Self {
        let mut session = InProcess::new();
        (0..CLIENTS).for_each(|client| session.attach(client));
        session
    }

    /// Sends bytes as one of the clients; returns what that one is answered by now. Nothing is
    /// once the session has ended.
    pub fn push(&mut self, client: usize, bytes: &[u8]) -> Bytes {
        if self.editor.ending.is_none() {
            self.conns[client].push(&mut self.editor, bytes);
            self.conns.iter_mut().for_each(|conn| conn.answer_held(&mut self.editor));
        }
        self.conns[client].out().split().freeze()
    }

    /// Hangs a client up and connects it again, the root at `ROOT_FID`.
    pub fn reconnect(&mut self, client: usize) {
        self.conns[client].close(&mut self.editor);
        self.conns[client] = Conn::new(None);
        self.attach(client);
    }

    /// Hangs all up: what they had open is closed.
    pub fn hang_up(&mut self) {
        self.conns.iter_mut().for_each(|conn| conn.close(&mut self.editor));
    }

    fn attach(&mut self, client: usize) {
        let mut bytes = bytes::BytesMut::new();
        let empty = Bytes::new();
        let version = Tmsg::Version { msize: MSIZE_BYTES, version: Bytes::from_static(b"9P2000") };
        let attach =
            Tmsg::Attach { fid: ROOT_FID, afid: NOFID, uname: empty.clone(), aname: empty };
        let _ = encode(&version, NOTAG, &mut bytes);
        let _ = encode(&attach, 0, &mut bytes);
        self.push(client, &bytes);
    }
}

impl Default for InProcess {
    fn default() -> Self {
        InProcess::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::codec::decode;
    use crate::wire::frame::Frames;
    use crate::wire::msg::{Rmsg, Tag};
    use proptest::prelude::*;

    fn replies(bytes: &[u8]) -> Vec<(Tag, Rmsg)> {
        let mut frames = Frames::new(MSIZE_BYTES * 2);
        frames.push(bytes);
        std::iter::from_fn(|| frames.next_frame().unwrap()).map(|f| decode(f).unwrap()).collect()
    }

    fn message() -> impl Strategy<Value = Tmsg> {
        let fid = 0u32..6;
        let name = prop::sample::select(vec![
            "pane", "1", "2", "new", "body", "ctl", "addr", "data", "event", "log", "col", "index",
            "..", "x", "exec", "look", "tag", "dot", "sel", "name", "pty", "run", "screen", "os",
            "src",
        ]);
        let names = prop::collection::vec(name.prop_map(Bytes::from_static_str), 0..4);
        let text = prop::sample::select(vec![
            "Del\n",
            "Edit ,x/a/c/b/\n",
            "Edit {\n",
            "/a/",
            "#3",
            "Zerox\n",
            "Newcol\n",
            "Undo\n",
            "\u{85}",
            "follow\n",
            "Look a\n",
            "a\nb",
            "ML0 1 0 1 a\n",
            "Delcol\n",
            "lock\n",
            "Edit u\n",
            ",",
        ]);
        prop_oneof![
            (fid.clone(), fid.clone(), names).prop_map(|(fid, newfid, names)| Tmsg::Walk {
                fid,
                newfid,
                names
            }),
            (fid.clone(), prop::sample::select(vec![0u8, 1, 2, 3, 16, 17, 18, 64]))
                .prop_map(|(fid, mode)| Tmsg::Open { fid, mode }),
            (
                fid.clone(),
                prop::sample::select(vec![0u64, 1, 7, u64::MAX]),
                prop::sample::select(vec![0u32, 1, 90, u32::MAX])
            )
                .prop_map(|(fid, offset, count)| Tmsg::Read { fid, offset, count }),
            (fid.clone(), text).prop_map(|(fid, text)| Tmsg::Write {
                fid,
                offset: 0,
                data: Bytes::from_static(text.as_bytes())
            }),
            fid.clone().prop_map(|fid| Tmsg::Clunk { fid }),
            fid.clone().prop_map(|fid| Tmsg::Remove { fid }),
            fid.clone().prop_map(|fid| Tmsg::Stat { fid }),
            (0u16..20).prop_map(|oldtag| Tmsg::Flush { oldtag }),
        ]
    }

    /// `Bytes::from_static` for a `&'static str`.
    trait FromStaticStr {
        fn from_static_str(text: &'static str) -> Self;
    }

    impl FromStaticStr for Bytes {
        fn from_static_str(text: &'static str) -> Self {
            Bytes::from_static(text.as_bytes())
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..6),
        ) {
            let mut session = InProcess::attached();
            for chunk in chunks {
                session.push(0, &chunk);
            }
            session.hang_up();
        }

        #[test]
        fn every_request_has_at_most_one_reply(
            messages in prop::collection::vec(message(), 0..60),
        ) {
            let mut session = InProcess::attached();
            let mut answered = std::collections::BTreeSet::new();
            for (tag, message) in messages.iter().enumerate() {
                let mut bytes = bytes::BytesMut::new();
                encode(message, tag as Tag, &mut bytes).unwrap();
                for (tag, _) in replies(&session.push(0, &bytes)) {
                    prop_assert!(answered.insert(tag), "tag {} answered twice", tag);
                    prop_assert!(usize::from(tag) < messages.len());
                }
            }
            session.hang_up();
        }
    }
}
