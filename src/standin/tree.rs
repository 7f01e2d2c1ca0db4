//! The tree's files: what is where, how it may be opened, and what it is called.

use std::path::PathBuf;

use bytes::Bytes;

use crate::wire::msg::{DMDIR, Qid};
use crate::wire::stat::Stat;

use super::editor::Editor;
use super::host_tree;
use super::pane::{ColumnId, Pane, Serial};
use super::plants::Defect;
use super::refusal::Done;

/// A file of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// `/`
    Root,
    /// A file of the root.
    Top(TopFile),
    /// `/pane`
    Panes,
    /// `/pane/new`
    New,
    /// `/pane/N`
    Pane(Serial),
    /// A file of a pane.
    PaneFile(Serial, PaneFile),
    /// `/pane/N/pty`
    Pty(Serial),
    /// A file of a pane's terminal.
    PtyFile(Serial, PtyFile),
    /// `/col`
    Columns,
    /// `/col/N`
    Column(ColumnId),
    /// A file of a column.
    ColumnFile(ColumnId, ColumnFile),
    /// Something of the host's, below `/os` or `/src`, whose own path the first is.
    Host(PathBuf, PathBuf),
}

/// Declares a directory's files: variant, name, permissions.
macro_rules! files {
    ($(#[$about:meta])* $kind:ident { $($variant:ident $name:literal $mode:literal),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "each is the file of its name in the tree")]
        pub enum $kind { $($variant),* }

        impl $kind {
            /// All of them, as listed.
            pub const ALL: &[$kind] = &[$($kind::$variant),*];

            /// The file's name.
            pub fn name(self) -> &'static str {
                match self { $($kind::$variant => $name),* }
            }

            /// The file's permissions.
            pub fn mode(self) -> u32 {
                match self { $($kind::$variant => $mode),* }
            }

            /// The file of that name.
            pub fn named(name: &[u8]) -> Option<$kind> {
                Self::ALL.iter().copied().find(|file| file.name().as_bytes() == name)
            }
        }
    };
}

files! {
    /// The root's files.
    TopFile {
        Readme "README" 0o444, Index "index" 0o444, Status "status" 0o444, Focus "focus" 0o666,
        Ctl "ctl" 0o666, Commands "commands" 0o444, Recent "recent" 0o444, Look "look" 0o222,
        Exec "exec" 0o222, Log "log" 0o666, Screen "screen" 0o444,
        Listeners "listeners" 0o444, Layout "layout" 0o444, Tag "tag" 0o666,
        Tagexec "tagexec" 0o222,
    }
}

files! {
    /// A pane's files.
    PaneFile {
        Name "name" 0o666, Body "body" 0o666, Tag "tag" 0o666, Ctl "ctl" 0o666,
        Addr "addr" 0o666, Dot "dot" 0o666, Limit "limit" 0o666, Data "data" 0o666,
        Xdata "xdata" 0o666, Sel "sel" 0o666, Dirty "dirty" 0o666, Mark "mark" 0o666,
        Scroll "scroll" 0o666, Errors "errors" 0o222, Event "event" 0o666, Look "look" 0o222,
        Exec "exec" 0o222, Tagexec "tagexec" 0o222,
    }
}

files! {
    /// The files of a pane's terminal.
    PtyFile {
        Run "run" 0o666, Data "data" 0o666, Ctl "ctl" 0o222, Status "status" 0o444,
    }
}

files! {
    /// A column's files.
    ColumnFile { Tag "tag" 0o666, Ctl "ctl" 0o666, Exec "exec" 0o222 }
}

impl Node {
    /// The file that `name` is in this directory.
    pub fn walk(&self, editor: &Editor, name: &[u8]) -> Done<Node> {
        if !self.is_dir() {
            return Err("not a directory".into());
        }
        if name == b".." {
            return Ok(self.parent());
        }
        let found = match self {
            Node::Root => match name {
                b"pane" => Some(Node::Panes),
                b"col" => Some(Node::Columns),
                b"os" => Some(host_tree::root(PathBuf::from("/"))),
                b"src" => Some(host_tree::root(editor.host.sources().into())),
                _ => TopFile::named(name).map(Node::Top),
            },
            Node::Panes if name == b"new" => Some(Node::New),
            Node::Panes => number(name).map(Node::Pane),
            Node::Pane(serial) if name == b"pty" => Some(Node::Pty(*serial)),
            Node::Pane(serial) => PaneFile::named(name).map(|file| Node::PaneFile(*serial, file)),
            Node::Pty(serial) => PtyFile::named(name).map(|file| Node::PtyFile(*serial, file)),
            Node::Columns => number(name).map(Node::Column),
            Node::Column(id) => ColumnFile::named(name).map(|file| Node::ColumnFile(*id, file)),
            Node::Host(root, path) => host_tree::walk(editor, root, path, name),
            _ => None,
        };
        found.filter(|node| node.exists(editor)).ok_or_else(|| "file does not exist".into())
    }

    /// Whether the file is there still: panes and columns close under a client's fids.
    pub fn exists(&self, editor: &Editor) -> bool {
        match (self.serial(), self) {
            (Some(serial), _) => editor.panes.contains_key(&serial),
            (None, Node::Column(id) | Node::ColumnFile(id, _)) => editor.columns.get(*id).is_some(),
            _ => true,
        }
    }

    /// The pane it belongs to.
    pub fn serial(&self) -> Option<Serial> {
        match self {
            Node::Pane(serial)
            | Node::PaneFile(serial, _)
            | Node::Pty(serial)
            | Node::PtyFile(serial, _) => Some(*serial),
            _ => None,
        }
    }

    /// Its name as a record of the log has it: without the pane, which stands before it.
    pub fn log_name(&self) -> String {
        match self {
            Node::New => "pane/new".into(),
            Node::PtyFile(_, file) => format!("pty/{}", file.name()),
            other => other.name(),
        }
    }

    /// Its own name.
    pub fn name(&self) -> String {
        match self {
            Node::Root => "/".into(),
            Node::Top(file) => file.name().into(),
            Node::Panes => "pane".into(),
            Node::New => "new".into(),
            Node::Pane(number) | Node::Column(number) => number.to_string(),
            Node::PaneFile(_, file) => file.name().into(),
            Node::Pty(_) => "pty".into(),
            Node::PtyFile(_, file) => file.name().into(),
            Node::Columns => "col".into(),
            Node::ColumnFile(_, file) => file.name().into(),
            Node::Host(..) => "host".into(),
        }
    }

    /// Whether it is a directory.
    pub fn is_dir(&self) -> bool {
        match self {
            Node::Host(_, path) => host_tree::is_dir(path),
            Node::Root | Node::Panes | Node::Pane(_) | Node::Pty(_) => true,
            Node::Columns | Node::Column(_) => true,
            _ => false,
        }
    }

    /// Its mode: the directory and append bits, and permissions.
    pub fn mode(&self) -> u32 {
        match self {
            Node::Root | Node::Pane(_) | Node::Pty(_) | Node::Column(_) => DMDIR | 0o555,
            Node::Panes | Node::Columns => DMDIR | 0o777,
            Node::New => 0o666,
            Node::Top(file) => file.mode(),
            Node::PaneFile(_, file) => file.mode(),
            Node::PtyFile(_, file) => file.mode(),
            Node::ColumnFile(_, file) => file.mode(),
            Node::Host(_, path) => host_tree::mode(path),
        }
    }

    /// Its qid: the kind of file in the low byte, the pane or column above it.
    pub fn qid(&self) -> Qid {
        let (family, number, file) = match self {
            Node::Root => (0, 0, 0),
            Node::Top(file) => (1, 0, *file as u64),
            Node::Panes => (2, 0, 0),
            Node::New => (2, 0, 1),
            Node::Columns => (2, 0, 2),
            Node::Pane(serial) => (3, *serial, 0),
            Node::PaneFile(serial, file) => (4, *serial, *file as u64),
            Node::Pty(serial) => (5, *serial, 0),
            Node::PtyFile(serial, file) => (6, *serial, *file as u64),
            Node::Column(id) => (7, *id, 0),
            Node::ColumnFile(id, file) => (8, *id, *file as u64),
            Node::Host(_, path) => return host_tree::qid(path),
        };
        let path = u64::from(number) << 16 | family << 8 | file;
        Qid { kind: (self.mode() >> 24) as u8, version: 0, path }
    }

    /// Its directory entry.
    pub fn stat(&self, editor: &Editor) -> Stat {
        if let Node::Host(root, path) = self {
            return host_tree::stat(root, path);
        }
        let length = match self {
            Node::PaneFile(serial, PaneFile::Body) => {
                editor.buffer(*serial).map_or(0, |buffer| buffer.bytes() as u64)
            }
            _ => 0,
        };
        let user = Bytes::from_static(b"standin");
        let mut qid = self.qid();
        if editor.planted(Defect::QidDiffers) && matches!(self, Node::PaneFile(_, PaneFile::Body)) {
            qid.path |= 1 << 60;
        }
        Stat {
            qid,
            mode: self.mode(),
            length,
            name: self.name().into_bytes().into(),
            uid: user.clone(),
            gid: user.clone(),
            muid: user,
            ..Stat::default()
        }
    }

    /// What is in this directory.
    pub fn children(&self, editor: &Editor) -> Vec<Node> {
        match self {
            Node::Root => {
                let files = TopFile::ALL.iter().map(|file| Node::Top(*file));
                let host = host_tree::roots(editor).into_iter();
                files.chain([Node::Panes, Node::Columns]).chain(host).collect()
            }
            Node::Panes => {
                let all = editor.panes.values();
                let is_second = |pane: &&Pane| {
                    let mut others = editor.panes.range(..pane.serial);
                    others.any(|(_, other)| other.buffer == pane.buffer)
                };
                let misses = editor.planted(Defect::PaneDirMissesView);
                let panes = all.filter(|pane| !(misses && is_second(pane)));
                let panes = panes.map(|pane| Node::Pane(pane.serial));
                std::iter::once(Node::New).chain(panes).collect()
            }
            Node::Pane(serial) => {
                let files = PaneFile::ALL.iter().map(|file| Node::PaneFile(*serial, *file));
                files.chain([Node::Pty(*serial)]).collect()
            }
            Node::Pty(serial) => {
                PtyFile::ALL.iter().map(|file| Node::PtyFile(*serial, *file)).collect()
            }
            Node::Columns => editor.columns.iter().map(|c| Node::Column(c.id)).collect(),
            Node::Column(id) => {
                ColumnFile::ALL.iter().map(|file| Node::ColumnFile(*id, *file)).collect()
            }
            Node::Host(root, path) => host_tree::children(editor, root, path),
            _ => Vec::new(),
        }
    }

    fn parent(&self) -> Node {
        match self {
            Node::Pane(_) => Node::Panes,
            Node::Pty(serial) => Node::Pane(*serial),
            Node::Column(_) => Node::Columns,
            Node::Host(root, path) => host_tree::parent(root, path),
            _ => Node::Root,
        }
    }
}

/// A number as its directory lists it: no sign, no leading zero, nothing beside.
fn number(name: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(name).ok()?;
    let number: u32 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}
