//! What steps are made of: handles, modes, offsets, and the files that families choose from.

use super::path::{ColRef, Name, PaneRef, Path, pane_file};
use super::payload::{PtyControl, Text};
use crate::wire::msg::{DMDIR, ORDWR, OREAD, OTRUNC, OWRITE};

/// How many handles an input tells apart: few, so that they collide.
pub const SLOTS: u8 = 8;

vocabulary! {
    /// A handle, modulo [`SLOTS`].
    #[derive(Copy, Hash)]
    pub struct Slot(pub u8);

    /// How data is cut into Twrites.
    pub enum Chunking {
        /// Not at all.
        Whole,
        /// Into single bytes, if there are few.
        Bytes,
        /// Into these sizes, then what is left.
        Sizes(sizes: Vec<u16>),
    }

    /// How a pane is made.
    pub enum NewPane {
        /// By reading pane/new.
        Read,
        /// By opening it, for whatever, and keeping it open.
        Hold {
            /// As which handle.
            slot: Slot,
            /// Opened how.
            mode: Mode,
        },
    }

    /// Where something is created.
    pub enum Parent {
        /// Among the columns.
        Columns,
        /// Among the panes.
        Panes,
        /// In the root.
        Root,
        /// In a pane.
        Pane(pane: PaneRef),
        /// Anywhere.
        Path(path: Path),
    }

    /// The name of what is created.
    pub enum NewName {
        /// The one that makes a pane or a column.
        New,
        /// Another.
        Name(name: Name),
    }

    /// A file of command lines.
    #[derive(Copy)]
    pub enum LineFile {
        /// The root's.
        Ctl,
        /// The root's.
        Exec,
        /// The root's.
        Tagexec,
        /// A pane's.
        PaneCtl(pane: PaneRef),
        /// A pane's.
        PaneExec(pane: PaneRef),
        /// A pane's.
        PaneTagexec(pane: PaneRef),
        /// A column's.
        ColumnCtl(column: ColRef),
        /// A column's.
        ColumnExec(column: ColRef),
    }

    /// How a shell or a program is reached.
    #[derive(Copy)]
    pub enum ShellWay {
        /// The pane becomes a terminal; nothing is typed.
        Start,
        /// The line runs in the pane's shell.
        Run,
        /// The line is typed to it.
        Type,
        /// A line for its pty's ctl instead.
        Control(line: PtyControl),
        /// The line runs in the pane.
        PaneExec,
        /// The line runs.
        RootExec,
    }

    /// A tag.
    #[derive(Copy)]
    pub enum TagFile {
        /// The root's.
        Root,
        /// A pane's.
        Pane(pane: PaneRef),
        /// A column's.
        Column(column: ColRef),
    }

    /// What follows a written address.
    pub enum AfterAddr {
        /// Nothing.
        Nothing,
        /// A read of what it selects, or of itself.
        Read {
            /// Which.
            file: AddrFile,
            /// How much at a time.
            count: Count,
        },
        /// A write there.
        Write {
            /// To data or xdata.
            file: DataFile,
            /// What.
            text: Text,
            /// Whether it is truncated first.
            truncate: bool,
        },
    }
}

choices! {
    /// How a file is opened.
    pub enum Mode: u8 {
        Write = OWRITE,
        Read = OREAD,
        ReadWrite = ORDWR,
        WriteTruncate = OWRITE | OTRUNC,
        ReadWriteTruncate = ORDWR | OTRUNC,
        ReadTruncate = OREAD | OTRUNC,
    }

    /// Permissions of what is created.
    pub enum Perm: u32 {
        File = 0o666,
        Directory = DMDIR | 0o777,
    }

    /// A file that reads what an address selects, or the selection itself.
    pub enum AddrFile: &'static str {
        Xdata = "xdata",
        Data = "data",
        Addr = "addr",
        Dot = "dot",
    }

    /// A file that writes at an address.
    pub enum DataFile: &'static str {
        Data = "data",
        Xdata = "xdata",
    }

    /// A line that dumps.
    pub enum DumpLine: &'static [u8] {
        Default = b"Dump\n",
        Unended = b"Dump",
        Named = b"Dump m9pdump\n",
    }

    /// A line that restores.
    pub enum RestoreLine: &'static [u8] {
        Default = b"Restore\n",
        Named = b"Restore m9pdump\n",
        Missing = b"Restore nothere\n",
        Unended = b"Restore",
    }
}

tables! {
    /// Where a write is said to go, in bytes.
    pub table WriteOffset: u64 = [1, 100, 1 << 40, 0, 65536, 1 << 32];

    /// Where a read begins, in bytes.
    pub table ReadOffset: u64 = [
        0, 1, 3, 5, 100, 1 << 33, (1 << 63) - 1, 1 << 63, u64::MAX - 16, u64::MAX,
    ];

    /// How much is read at a time, in bytes.
    pub table Count: u32 = [
        8192, 1, 2, 7, 16, 64, 200, 1 << 20, 0, 1 << 31, u32::MAX - 10, u32::MAX,
    ];

    /// How often is read.
    pub table Reads: u32 = [1, 2, 8];
}

impl Slot {
    /// The handle's name.
    pub fn render(&self) -> String {
        format!("h{}", self.0 % SLOTS)
    }
}

impl Parent {
    /// The directory's path.
    pub fn render(&self) -> Vec<u8> {
        match self {
            Parent::Columns => b"/col".to_vec(),
            Parent::Panes => b"/pane".to_vec(),
            Parent::Root => b"/".to_vec(),
            Parent::Pane(pane) => Path::Dir(*pane).render(),
            Parent::Path(path) => path.render(),
        }
    }
}

impl LineFile {
    /// The file's path.
    pub fn render(self) -> Vec<u8> {
        match self {
            LineFile::Ctl => b"/ctl".to_vec(),
            LineFile::Exec => b"/exec".to_vec(),
            LineFile::Tagexec => b"/tagexec".to_vec(),
            LineFile::PaneCtl(pane) => pane_file(pane, "ctl"),
            LineFile::PaneExec(pane) => pane_file(pane, "exec"),
            LineFile::PaneTagexec(pane) => pane_file(pane, "tagexec"),
            LineFile::ColumnCtl(column) => format!("/col/{}/ctl", column.render()).into_bytes(),
            LineFile::ColumnExec(column) => format!("/col/{}/exec", column.render()).into_bytes(),
        }
    }
}

impl TagFile {
    /// The file's path.
    pub fn render(self) -> Vec<u8> {
        match self {
            TagFile::Root => b"/tag".to_vec(),
            TagFile::Pane(pane) => pane_file(pane, "tag"),
            TagFile::Column(column) => format!("/col/{}/tag", column.render()).into_bytes(),
        }
    }
}
