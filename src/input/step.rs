//! The families of steps, each typed after what it does to the tree.

use super::exact::ExactOp;
use super::path::{ColRef, Name, PaneRef, Path, Place, pane_file};
use super::payload::{
    Address, CommandLine, EditCommand, LookSuffix, Payload, PtyControl, ShellLine, Text,
};
use super::words::FileName;
use crate::wire::msg::{DMDIR, ORDWR, OREAD, OTRUNC, OWRITE};

/// How many handles an input tells apart: few, so that they collide.
pub const SLOTS: u8 = 8;

vocabulary! {
    /// One step of an input; it renders to one op.
    pub enum Step {
        /// Open, write, clunk.
        Write {
            /// To what.
            path: Path,
            /// What.
            payload: Payload,
            /// Opened how.
            mode: Mode,
            /// Cut how.
            chunks: Chunking,
            /// Where, if not from the start on.
            offset: Option<WriteOffset>,
        },
        /// Open, read, clunk.
        Read {
            /// From what.
            place: Place,
            /// How much at a time.
            count: Count,
            /// From where.
            offset: ReadOffset,
            /// How often.
            reads: Reads,
            /// Opened how; for reading alone in the host's trees.
            mode: Mode,
        },
        /// Walk and stat.
        Stat(place: Place),
        /// Make a pane.
        NewPane(how: NewPane),
        /// Remove a pane, a column, or what cannot be removed.
        Remove(path: Path),
        /// Create.
        Create {
            /// In what.
            parent: Parent,
            /// What.
            name: NewName,
            /// With which permissions.
            perm: Perm,
            /// Opened how.
            mode: Mode,
        },
        /// Close panes until few or none are left, perhaps columns, and perhaps make a pane.
        Clear {
            /// How many panes.
            panes: u8,
            /// Whether the first pane is spared for as long as there are others.
            spare: bool,
            /// How many columns.
            columns: u8,
            /// Whether a pane is made then.
            rebuild: bool,
        },
        /// Open and keep.
        Hold {
            /// As which handle.
            slot: Slot,
            /// What.
            path: Path,
            /// How.
            mode: Mode,
        },
        /// One write on a handle.
        HandleWrite {
            /// Which.
            slot: Slot,
            /// What.
            payload: Payload,
        },
        /// One read on a handle.
        HandleRead {
            /// Which.
            slot: Slot,
            /// How much.
            count: Count,
            /// Where, if not where the last one ended.
            offset: Option<ReadOffset>,
        },
        /// Close a handle.
        Clunk(slot: Slot),
        /// Start a shell, type to it, signal it, or run a program.
        Shell {
            /// In which pane.
            pane: PaneRef,
            /// What is typed, if it is.
            line: ShellLine,
            /// How.
            way: ShellWay,
            /// Opened for reading too.
            both: bool,
        },
        /// An Edit command, not mutated.
        Edit {
            /// Written to what.
            target: LineFile,
            /// The command.
            command: EditCommand,
        },
        /// Set the address, then use it.
        Addr {
            /// In which pane.
            pane: PaneRef,
            /// To what.
            address: Address,
            /// And then.
            then: AfterAddr,
        },
        /// Write a tag.
        Tag {
            /// Whose.
            target: TagFile,
            /// What.
            text: Text,
            /// Whether it is emptied first.
            truncate: bool,
        },
        /// Take a pane's events.
        Event {
            /// As which handle.
            slot: Slot,
            /// Whose.
            pane: PaneRef,
        },
        /// Write the session to a file.
        Dump(line: DumpLine),
        /// Read it back.
        Restore(line: RestoreLine),
        /// Change a file on disk.
        Host {
            /// Which.
            name: FileName,
            /// Its new text, or none to remove it.
            text: Option<Text>,
        },
        /// Open a file in HOME, or show it.
        Look {
            /// The pane that looks, or the root.
            pane: Option<PaneRef>,
            /// For which file.
            name: FileName,
            /// Where in it.
            suffix: LookSuffix,
        },
        /// A command line in two writes on one fid.
        Split {
            /// To what.
            target: LineFile,
            /// The line.
            line: CommandLine,
            /// Where it is cut, modulo its length.
            at: u8,
        },
        /// An op as it stands.
        Exact(op: ExactOp),
    }

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
        Read(file: AddrFile),
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
    /// What steps have in common, for weights and tables of what occurs.
    pub enum Family: &'static str {
        Write = "write",
        Read = "read",
        Stat = "stat",
        NewPane = "new pane",
        Remove = "remove",
        Create = "create",
        Clear = "clear",
        Handle = "handle",
        Shell = "shell",
        Edit = "edit",
        Addr = "address",
        Tag = "tag",
        Event = "event",
        Dump = "dump and restore",
        Host = "host",
        Look = "look",
        Split = "split line",
        Exact = "exact",
    }

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
    pub table ReadOffset: u64 = [0, 1, 3, 5, 100, 1 << 33];

    /// How much is read at a time, in bytes.
    pub table Count: u32 = [8192, 1, 2, 7, 16, 64, 200, 1 << 20, 0];

    /// How often is read.
    pub table Reads: u32 = [1, 2, 8];
}

impl Step {
    /// The family it belongs to.
    pub fn family(&self) -> Family {
        match self {
            Step::Write { .. } => Family::Write,
            Step::Read { .. } => Family::Read,
            Step::Stat(_) => Family::Stat,
            Step::NewPane(_) => Family::NewPane,
            Step::Remove(_) => Family::Remove,
            Step::Create { .. } => Family::Create,
            Step::Clear { .. } => Family::Clear,
            Step::Hold { .. }
            | Step::HandleWrite { .. }
            | Step::HandleRead { .. }
            | Step::Clunk(_) => Family::Handle,
            Step::Shell { .. } => Family::Shell,
            Step::Edit { .. } => Family::Edit,
            Step::Addr { .. } => Family::Addr,
            Step::Tag { .. } => Family::Tag,
            Step::Event { .. } => Family::Event,
            Step::Dump(_) | Step::Restore(_) => Family::Dump,
            Step::Host { .. } => Family::Host,
            Step::Look { .. } => Family::Look,
            Step::Split { .. } => Family::Split,
            Step::Exact(_) => Family::Exact,
        }
    }
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
