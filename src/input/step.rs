//! The families of steps, each typed after what it does to the tree.

use super::exact::ExactOp;
use super::open::Open;
use super::parts::{
    AfterAddr, Chunking, Count, DumpLine, LineFile, Mode, NewName, NewPane, Parent, Perm,
    ReadOffset, Reads, RestoreLine, ShellWay, Slot, TagFile, WriteOffset,
};
use super::path::{PaneRef, Path, Place};
use super::payload::{Address, CommandLine, EditCommand, LookSuffix, Payload, ShellLine, Text};
use super::scene::{ClientStep, History, Kept, Talk, Watch};
use super::wire::Script;
use super::words::FileName;

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
        /// A script of raw messages on a connection of its own.
        Wire(script: Script),
        /// A client on the second connection.
        Second(steps: Vec<ClientStep>),
        /// A text is written and read back.
        Kept(scene: Kept),
        /// Changes, with the text after each.
        History(scene: History),
        /// Changes, with their events.
        Watch(scene: Watch),
        /// The session is written to a file and read back, in one step.
        Reload {
            /// Whether the file has a name of its own.
            named: bool,
        },
        /// A shell prints what is known.
        Talk(scene: Talk),
        /// What any other level than the kernel's refuses.
        Open(what: Open),
        /// An op as it stands.
        Exact(op: ExactOp),
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
        Wire = "wire",
        Second = "second client",
        History = "history",
        Open = "open",
        Exact = "exact",
    }
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
            Step::Shell { .. } | Step::Talk(_) => Family::Shell,
            Step::Edit { .. } => Family::Edit,
            Step::Addr { .. } => Family::Addr,
            Step::Tag { .. } => Family::Tag,
            Step::Event { .. } | Step::Watch(_) => Family::Event,
            Step::Dump(_) | Step::Restore(_) | Step::Reload { .. } => Family::Dump,
            Step::Host { .. } => Family::Host,
            Step::Look { .. } => Family::Look,
            Step::Split { .. } => Family::Split,
            Step::Wire(_) => Family::Wire,
            Step::Second(_) => Family::Second,
            Step::Kept(_) | Step::History(_) => Family::History,
            Step::Open(_) => Family::Open,
            Step::Exact(_) => Family::Exact,
        }
    }
}
