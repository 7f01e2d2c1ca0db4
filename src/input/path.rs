//! Typed paths into the tree: live, stale and impossible references, and names that are odd.

use super::bytes::Bytes;
use super::words::Rune;

/// How many live panes, and how many gone ones, a reference tells apart.
const PANES: u8 = 64;
/// How many columns a reference tells apart.
const COLUMNS: u8 = 16;
/// The longest name that is sent, in bytes.
const NAME_BYTES: usize = 1024;
/// The most names that a lost path holds: a walk takes 16.
const LOST_NAMES: usize = 20;

vocabulary! {
    /// Which pane.
    #[derive(Copy, Hash)]
    pub enum PaneRef {
        /// One that is alive when the op runs.
        Live(index: u8),
        /// One that was seen and is closed since.
        Gone(index: u8),
        /// One that cannot be.
        Impossible(which: ImpossiblePane),
    }

    /// Which column.
    #[derive(Copy, Hash)]
    pub enum ColRef {
        /// One that is alive when the op runs.
        Live(index: u8),
        /// One that cannot be.
        Impossible(which: ImpossibleColumn),
    }

    /// A file of the served tree; never one of the host's.
    pub enum Path {
        /// A file of a pane.
        File {
            /// The pane.
            pane: PaneRef,
            /// The file.
            file: PaneFile,
        },
        /// A pane's directory.
        Dir(pane: PaneRef),
        /// A file of the root.
        Root(file: RootFile),
        /// A file of a column.
        ColumnFile {
            /// The column.
            column: ColRef,
            /// The file.
            file: ColumnFile,
        },
        /// A column's directory.
        ColumnDir(column: ColRef),
        /// A name in a pane that no file has.
        Weird {
            /// The pane.
            pane: PaneRef,
            /// The name.
            name: Name,
        },
        /// Names from the root on that lead nowhere.
        Lost(names: Vec<Name>),
    }

    /// A file that is only looked at.
    pub enum Place {
        /// In the served tree.
        Tree(path: Path),
        /// In the host's.
        Host(path: HostPath),
    }

    /// One element of a path.
    pub enum Name {
        /// One letter, over and over.
        Long(length: NameLength),
        /// Dots, blanks, numbers that are almost a serial.
        Odd(name: OddName),
        /// A rune.
        Rune(rune: Rune),
        /// Any bytes.
        Raw(bytes: Bytes),
    }
}

choices! {
    /// A serial that no pane has.
    pub enum ImpossiblePane: &'static str {
        Zero = "0",
        One = "1",
        Large = "999",
        Max32 = "4294967295",
        Past32 = "4294967296",
        Negative = "-1",
    }

    /// A number that no column has.
    pub enum ImpossibleColumn: &'static str {
        Zero = "0",
        Large = "99",
        Max32 = "4294967295",
        Past32 = "4294967296",
        Negative = "-1",
    }

    /// A file of a pane's directory.
    pub enum PaneFile: &'static str {
        Name = "name",
        Body = "body",
        Tag = "tag",
        Ctl = "ctl",
        Addr = "addr",
        Dot = "dot",
        Limit = "limit",
        Data = "data",
        Xdata = "xdata",
        Sel = "sel",
        Dirty = "dirty",
        Mark = "mark",
        Scroll = "scroll",
        Errors = "errors",
        Event = "event",
        Look = "look",
        Exec = "exec",
        Tagexec = "tagexec",
        Pty = "pty",
        PtyRun = "pty/run",
        PtyData = "pty/data",
        PtyCtl = "pty/ctl",
        PtyStatus = "pty/status",
    }

    /// A file of the root.
    pub enum RootFile: &'static str {
        Readme = "README",
        Index = "index",
        Status = "status",
        Focus = "focus",
        Ctl = "ctl",
        Commands = "commands",
        Recent = "recent",
        Look = "look",
        Exec = "exec",
        Log = "log",
        Screen = "screen",
        Listeners = "listeners",
        Layout = "layout",
        Tag = "tag",
        Tagexec = "tagexec",
        Pane = "pane",
        PaneNew = "pane/new",
        Col = "col",
        Root = "",
    }

    /// A file of a column's directory.
    pub enum ColumnFile: &'static str {
        Tag = "tag",
        Ctl = "ctl",
        Exec = "exec",
    }
}

tables! {
    /// A path in the host's trees: stat and read only.
    pub table HostPath: &'static str = [
        "/os/etc", "/os/etc/hosts", "/os/nonexistent", "/os", "/src", "/src/nonexistent", "/os/..",
    ];

    /// A length about a limit that a name may have, in bytes.
    pub table NameLength: usize = [255, 256, 300, 1000, 254, 1];

    /// A name that is almost something.
    pub table OddName: &'static [u8] = [
        b"..", b".", b"", b" ", b"new", b"NEW", b"01", b"1 ", b"\n", b"a\0b", b"-0", b"{p", b"ctl ",
    ];
}

impl PaneRef {
    /// The serial, or the token that stands for it until the op runs.
    pub fn render(self) -> String {
        match self {
            PaneRef::Live(index) => format!("{{p{}}}", index % PANES),
            PaneRef::Gone(index) => format!("{{g{}}}", index % PANES),
            PaneRef::Impossible(which) => which.value().into(),
        }
    }
}

impl ColRef {
    /// The number, or the token that stands for it until the op runs.
    pub fn render(self) -> String {
        match self {
            ColRef::Live(index) => format!("{{c{}}}", index % COLUMNS),
            ColRef::Impossible(which) => which.value().into(),
        }
    }
}

impl Path {
    /// The path as an op holds it.
    pub fn render(&self) -> Vec<u8> {
        match self {
            Path::File { pane, file } => pane_file(*pane, file.value()),
            Path::Dir(pane) => format!("/pane/{}", pane.render()).into_bytes(),
            Path::Root(file) => format!("/{}", file.value()).into_bytes(),
            Path::ColumnFile { column, file } => {
                format!("/col/{}/{}", column.render(), file.value()).into_bytes()
            }
            Path::ColumnDir(column) => format!("/col/{}", column.render()).into_bytes(),
            Path::Weird { pane, name } => {
                [format!("/pane/{}/", pane.render()).into_bytes(), name.render()].concat()
            }
            Path::Lost(names) => {
                let names = names.iter().take(LOST_NAMES);
                names.flat_map(|name| [b"/".to_vec(), name.render()]).flatten().collect()
            }
        }
    }
}

impl Place {
    /// The path as an op holds it.
    pub fn render(&self) -> Vec<u8> {
        match self {
            Place::Tree(path) => path.render(),
            Place::Host(path) => path.value().into(),
        }
    }
}

impl Name {
    /// The name: one element, and never that of a tree which serves the host's files, so that no
    /// path made of names leads there.
    pub fn render(&self) -> Vec<u8> {
        let mut name = match self {
            Name::Long(length) => vec![b'x'; length.value()],
            Name::Odd(name) => name.value().to_vec(),
            Name::Rune(rune) => rune.value().into(),
            Name::Raw(Bytes(raw)) => raw.iter().take(NAME_BYTES).copied().collect(),
        };
        name.iter_mut().filter(|byte| **byte == b'/').for_each(|byte| *byte = b'_');
        if name == b"os" || name == b"src" {
            name.push(b'_');
        }
        name
    }
}

/// The path of a pane's file.
pub fn pane_file(pane: PaneRef, file: &str) -> Vec<u8> {
    format!("/pane/{}/{file}", pane.render()).into_bytes()
}
