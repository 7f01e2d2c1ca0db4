//! One command line: where it came from, and who takes it.

use super::builtins;
use super::ctl;
use super::editor::Editor;
use super::event::OpenId;
use super::limits::QUOTED_RUNES;
use super::look;
use super::notes::Note;
use super::pane::{ColumnId, Serial};
use super::pipe;
use super::plants::Defect;
use super::refusal::{Done, refuse};
use super::runes::printable;
use super::tree::{ColumnFile, Node, PaneFile, TopFile};

/// Where a command line came from.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The pane that records of it name.
    pub owner: Option<Serial>,
    /// The pane that it applies to.
    pub serial: Option<Serial>,
    /// The column that it applies to.
    pub column: Option<ColumnId>,
    /// The file it was written to.
    pub file: &'static str,
    /// The open it was written through.
    pub open: OpenId,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Look,
    Exec,
    RootCtl,
    PaneCtl,
    ColumnCtl,
}

impl Origin {
    /// Where lines written to `node` come from.
    pub fn of(editor: &Editor, node: &Node, open: OpenId) -> Done<Origin> {
        let focus = editor.panes.contains_key(&editor.focus).then_some(editor.focus);
        let (owner, serial, column, file, kind) = match *node {
            Node::Top(file) => {
                let kind = match file {
                    TopFile::Look => Kind::Look,
                    TopFile::Ctl => Kind::RootCtl,
                    _ => Kind::Exec,
                };
                (None, focus, None, file.name(), kind)
            }
            Node::PaneFile(serial, file) => {
                let column = editor.pane(serial)?.column;
                let kind = match file {
                    PaneFile::Look => Kind::Look,
                    PaneFile::Ctl => Kind::PaneCtl,
                    _ => Kind::Exec,
                };
                (Some(serial), Some(serial), Some(column), file.name(), kind)
            }
            Node::ColumnFile(id, file) => {
                let column = editor.columns.get(id).ok_or("no such column")?;
                let serial = focus.filter(|serial| column.panes.contains(serial));
                let serial = serial.or_else(|| column.panes.first().copied());
                let kind = if file == ColumnFile::Ctl { Kind::ColumnCtl } else { Kind::Exec };
                (None, serial, Some(id), file.name(), kind)
            }
            _ => return Err("file takes no command lines".into()),
        };
        Ok(Origin { owner, serial, column, file, open, kind })
    }

    /// As if written to a pane's `exec`, told of as `file`.
    pub fn exec(serial: Option<Serial>, file: &'static str) -> Origin {
        Origin { owner: serial, serial, column: None, file, open: 0, kind: Kind::Exec }
    }

    /// Whether `Edit` is a command there.
    pub fn takes_edits(&self) -> bool {
        self.kind != Kind::Look
    }

    /// The pane that the command applies to.
    pub fn pane(&self) -> Done<Serial> {
        self.serial.ok_or_else(|| "there is no pane to apply it to".into())
    }
}

/// Runs one line. A blank one asks for nothing.
pub fn run(editor: &mut Editor, origin: &Origin, line: &str) -> Done {
    let line = line.trim_matches(BLANKS);
    if line.is_empty() {
        return Ok(());
    }
    if let Some(serial) = origin.owner
        && origin.file != "event"
        && let Ok(pane) = editor.pane_mut(serial)
    {
        let action = if origin.kind == Kind::Look { 'L' } else { 'X' };
        // The flag of acme(4) that says that the command is one of the session's own.
        let own = action == 'X' && builtins::find(word(line).0).is_some();
        pane.events.record('F', action, (0, 0), u8::from(own), line);
    }
    let (name, args) = word(line);
    match origin.kind {
        Kind::Look => {
            // Finding nothing is no failure: the write succeeds, and one record tells of it.
            if let Err(why) = look::look(editor, origin.serial, line) {
                let note = Note::Nothing(origin.owner, origin.file, why.to_string());
                if editor.planted(Defect::LookTwice) && origin.owner.is_some() {
                    editor.notes.push(note.clone());
                }
                editor.notes.push(note);
            }
            return Ok(());
        }
        Kind::RootCtl => {
            if let Some(done) = ctl::root(editor, name, args) {
                return done;
            }
        }
        Kind::PaneCtl => {
            if let Some(done) = ctl::pane(editor, origin, name, args) {
                return done;
            }
        }
        Kind::ColumnCtl | Kind::Exec => {}
    }
    if let Some(builtin) = builtins::find(name) {
        return builtin.run(editor, origin, args);
    }
    if origin.kind == Kind::Exec {
        return pipe::run(editor, origin.serial, line);
    }
    refuse!("unknown control message \"{}\"", printable(name, QUOTED_RUNES))
}

/// The first word of a line and the rest of it.
pub fn word(line: &str) -> (&str, &str) {
    let line = line.trim_matches(BLANKS);
    match line.split_once(BLANKS) {
        Some((name, args)) => (name, args.trim_matches(BLANKS)),
        None => (line, ""),
    }
}

/// What separates words; a line of nothing else is blank.
const BLANKS: [char; 6] = [' ', '\t', '\r', '\n', '\x0b', '\x0c'];
