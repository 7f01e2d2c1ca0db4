//! Steps that only a sandbox which holds whatever happens may take: shells without restraint, Edit on
//! files and shells, every builtin, changes below the host's trees.

use bytes::Bytes;

use super::parts::{LineFile, Mode, NewName, Perm};
use super::path::{PaneRef, pane_file};
use super::payload::{OpenEdit, OpenLine, Out, Text};
use super::render::{render_new_name, write};
use super::words::Word;
use crate::ops::{Op, WireStep};
use crate::wire::ROOT_FID;
use crate::wire::msg::{OWRITE, Tmsg};

vocabulary! {
    /// A step that is refused at every other level.
    pub enum Open {
        /// A line for a shell.
        Shell {
            /// In which pane.
            pane: PaneRef,
            /// How it gets there.
            way: OpenWay,
            /// Whether the pane is made a terminal first.
            start: bool,
            /// The line.
            line: OpenLine,
        },
        /// An Edit command.
        Edit {
            /// Written to what.
            target: LineFile,
            /// The command.
            command: OpenEdit,
        },
        /// A builtin that is not told to others.
        Builtin {
            /// Written to what.
            target: LineFile,
            /// Which.
            builtin: OpenBuiltin,
            /// What follows it.
            argument: Option<Word>,
        },
        /// A change below a tree of the host's.
        Host {
            /// Of what.
            path: OpenPath,
            /// Which.
            act: HostAct,
        },
        /// A line for a shell, in a script of raw messages.
        Wire {
            /// In which pane.
            pane: PaneRef,
            /// By which file.
            file: OpenFile,
            /// The line.
            line: OpenLine,
            /// Whether all messages are sent at once.
            together: bool,
        },
    }

    /// What is done to a file of the host's.
    pub enum HostAct {
        /// It is written.
        Write {
            /// With what.
            text: Text,
            /// Opened how.
            mode: Mode,
        },
        /// It is removed.
        Remove,
        /// Another is made in it.
        Create {
            /// Called what.
            name: NewName,
            /// With which permissions.
            perm: Perm,
            /// Opened how.
            mode: Mode,
        },
    }
}

choices! {
    /// How a line gets to a shell.
    pub enum OpenWay: &'static str {
        Run = "pty/run",
        Type = "pty/data",
        Exec = "exec",
        Tagexec = "tagexec",
        Ctl = "ctl",
        Event = "event",
        RootExec = "/exec",
        RootTagexec = "/tagexec",
    }

    /// A file that a script of raw messages writes a line to, as names from the root on; a pane's own
    /// have its directory before them.
    pub enum OpenFile: (bool, &'static [&'static [u8]]) {
        PaneExec = (true, &[b"exec"]),
        PaneCtl = (true, &[b"ctl"]),
        PaneRun = (true, &[b"pty", b"run"]),
        PaneData = (true, &[b"pty", b"data"]),
        PaneBody = (true, &[b"body"]),
        Exec = (false, &[b"exec"]),
        HostFile = (false, &[b"os", b"etc", b"hosts"]),
        HostNew = (false, &[b"os", b"tmp", b"x"]),
    }
}

tables! {
    /// A builtin that leaves the session, reaches another program or opens what is not served.
    pub table OpenBuiltin: &'static [u8] = [
        b"Exit", b"Shell", b"Help", b"Tutor", b"Changelog", b"ThemeFile", b"EffectCode", b"Rename",
        b"Hover", b"CodeAction", b"SelectRefs", b"Symbols", b"Diagnostics", b"WsDiagnostics",
        b"Callers", b"Callees", b"Supertypes", b"Subtypes", b"WsSymbols", b"Lspinfo", b"Lspwhy",
        b"ClipYank", b"ClipYankMain", b"ClipPaste", b"ClipPasteBefore", b"ClipReplace", b"Attach",
        b"Detach", b"Mount", b"Unmount", b"Tty9p",
    ];

    /// A path in the host's trees that is not to be changed.
    pub table OpenPath: &'static str = [
        "/os/etc/hosts", "/os/etc/passwd", "/os/tmp", "/os/tmp/x", "/os", "/os/..", "/os/root",
        "/os/usr/bin/env", "/os/dev/null", "/os/dev/full", "/os/proc/self/comm",
        "/os/proc/self/cwd/alpha.txt", "/os/proc/sysrq-trigger", "/os/proc/1/oom_score_adj",
        "/os/home", "/os/no/such", "/src", "/src/x", "/src/Cargo.toml", "/os/run",
    ];
}

/// The file of a script that a line is written to.
const FILE_FID: u32 = 2;

impl Open {
    pub(super) fn render(&self, room: usize) -> Op {
        match self {
            Open::Shell { pane, way, start, line } => {
                let data = way.data(line, room);
                let typed = write(way.path(*pane), data, OWRITE);
                match start {
                    false => typed,
                    true => {
                        let tty = write(pane_file(*pane, "ctl"), b"Tty\n".to_vec(), OWRITE);
                        Op::Seq { ops: vec![tty, typed] }
                    }
                }
            }
            Open::Edit { target, command } => {
                write(target.render(), within(room, |out| command.put(out)), OWRITE)
            }
            Open::Builtin { target, builtin, argument } => {
                let argument = argument.map_or(&b""[..], |word| word.value());
                let space = if argument.is_empty() { &b""[..] } else { b" " };
                write(target.render(), [builtin.value(), space, argument, b"\n"].concat(), OWRITE)
            }
            Open::Host { path, act } => act.render(path.value().into(), room),
            Open::Wire { pane, file, line, together } => {
                Op::Wire { steps: script(*pane, *file, line, *together, room) }
            }
        }
    }
}

impl OpenWay {
    fn path(self, pane: PaneRef) -> Vec<u8> {
        match self.value() {
            root if root.starts_with('/') => root.into(),
            file => pane_file(pane, file),
        }
    }

    /// The line, ended as the file wants it; what is executed by an event tells its length.
    fn data(self, line: &OpenLine, room: usize) -> Vec<u8> {
        let line = within(room, |out| line.put(out));
        match self {
            OpenWay::Type => [&line[..], b"\r"].concat(),
            OpenWay::Event => {
                let head = format!("MX0 0 0 {} ", String::from_utf8_lossy(&line).chars().count());
                [head.as_bytes(), &line, b"\n"].concat()
            }
            _ => [&line[..], b"\n"].concat(),
        }
    }
}

impl HostAct {
    fn render(&self, path: Vec<u8>, room: usize) -> Op {
        match self {
            HostAct::Write { text, mode } => {
                write(path, within(room, |out| text.put(out)), mode.value())
            }
            HostAct::Remove => Op::Remove { path: path.into() },
            HostAct::Create { name, perm, mode } => Op::Create {
                path: path.into(),
                name: render_new_name(name).into(),
                perm: perm.value(),
                mode: mode.value(),
            },
        }
    }
}

/// A walk, an open for writing, a write and a clunk.
fn script(
    pane: PaneRef,
    file: OpenFile,
    line: &OpenLine,
    together: bool,
    room: usize,
) -> Vec<WireStep> {
    let (of_pane, names) = file.value();
    let directory = [Bytes::from_static(b"pane"), pane.render().into()];
    let directory = if of_pane { &directory[..] } else { &[] };
    let names = names.iter().map(|name| Bytes::from_static(name));
    let names = directory.iter().cloned().chain(names).collect();
    let mut data = within(room, |out| line.put(out));
    data.push(b'\n');
    let messages = [
        Tmsg::Walk { fid: ROOT_FID, newfid: FILE_FID, names },
        Tmsg::Open { fid: FILE_FID, mode: OWRITE },
        Tmsg::Write { fid: FILE_FID, offset: 0, data: data.into() },
        Tmsg::Clunk { fid: FILE_FID },
    ];
    let mut steps = Vec::new();
    for message in messages {
        steps.push(WireStep::send(message));
        if !together {
            steps.push(WireStep::Wait);
        }
    }
    steps
}

/// What `put` renders within `room`, as it is: no level but the one that holds everything is told.
fn within(room: usize, put: impl FnOnce(&mut Out)) -> Vec<u8> {
    let mut out = Out::new(room);
    put(&mut out);
    out.into_bytes()
}
