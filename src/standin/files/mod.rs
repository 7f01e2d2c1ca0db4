//! Opening, reading, writing and closing the tree's files; each family in a file of its own.

pub mod body;
pub mod column;
pub mod lines;
pub mod listing;
pub mod log;
pub mod pane;
pub mod pty;
pub mod tag;
pub mod top;

use std::fs::File;
use std::os::unix::fs::FileExt;

use bytes::Bytes;

use crate::wire::msg::{OEXEC, ORDWR, OREAD, OTRUNC, OWRITE};

use self::body::BodyReader;
use self::lines::Lines;
use self::listing::Listing;
use self::log::LogReader;
use super::buffer::Buffer;
use super::editor::Editor;
use super::event::OpenId;
use super::host::open_plain;
use super::output::Output;
use super::pane::Serial;
use super::plants::Defect;
use super::refusal::{Done, refuse};
use super::runes::Partial;
use super::tree::{ColumnFile, Node, PaneFile, PtyFile, TopFile};

/// An open file: what one fid knows besides the file itself.
#[derive(Debug)]
pub struct Open {
    /// Unique among all opens.
    pub id: OpenId,
    /// How it was opened.
    pub mode: u8,
    /// Whether what was written last has no newline at its end.
    pub unended: bool,
    /// What the file keeps from one request to the next.
    pub state: State,
}

/// What a file keeps while it is open, by family.
#[derive(Debug)]
pub enum State {
    /// Text made at the first read; that of a listing is the same until the close.
    Text(Option<Bytes>),
    /// A tag: its text as at the first read, and a rune not yet whole that was written.
    Tag(Option<Bytes>, Partial),
    /// Entries listed at the first read, the same until the close.
    Directory(Option<Listing>),
    /// A body: the text being read, and a rune not yet whole that was written.
    Body(Option<BodyReader>, Partial),
    /// `data`, `xdata` and the like: a rune not yet whole that was written.
    Runes(Partial),
    /// Command lines, run when whole.
    Lines(Lines, Option<Bytes>),
    /// The log.
    Log(LogReader),
    /// Events: what a short read left of a record.
    Event(Bytes),
    /// A terminal's output, from a position on; none if no shell runs.
    Output(Option<Output>, u64),
    /// A host file.
    Host(File),
    /// A pane that the open made.
    New(Serial, Partial),
}

/// A read's answer.
#[derive(Debug)]
pub enum Answer {
    /// Data, none being the file's end.
    Data(Bytes),
    /// Nothing to say yet: the request waits.
    Wait,
}

impl Open {
    /// Whether reads are allowed.
    pub fn reads(&self) -> bool {
        matches!(self.mode & 3, OREAD | ORDWR | OEXEC)
    }

    /// Whether writes are allowed.
    pub fn writes(&self) -> bool {
        matches!(self.mode & 3, OWRITE | ORDWR)
    }
}

/// Opens a file.
pub fn open(editor: &mut Editor, node: &Node, mode: u8) -> Done<Open> {
    permitted(node, mode)?;
    if !node.exists(editor) {
        return Err("file does not exist".into());
    }
    let id = editor.open_id();
    let state = match node {
        _ if node.is_dir() => State::Directory(None),
        Node::Host(_, path) => State::Host(open_plain(path)?),
        Node::New => {
            let place = editor.usual_place();
            let buffer = Buffer::new("", "");
            State::New(editor.add_pane(buffer, place)?, Partial::default())
        }
        _ if tag::is_tag(node) => State::Tag(None, Partial::default()),
        Node::Top(TopFile::Log) => State::Log(LogReader::default()),
        Node::Top(file) if lines::is_line_file(file.name()) => State::Lines(Lines::default(), None),
        Node::PaneFile(_, PaneFile::Body) => State::Body(None, Partial::default()),
        Node::PaneFile(serial, PaneFile::Event) => {
            editor.pane_mut(*serial)?.events.open(id)?;
            State::Event(Bytes::new())
        }
        Node::PaneFile(_, file) if lines::is_line_file(file.name()) => {
            State::Lines(Lines::default(), None)
        }
        Node::PaneFile(_, PaneFile::Data | PaneFile::Xdata | PaneFile::Sel | PaneFile::Errors) => {
            State::Runes(Partial::default())
        }
        Node::PtyFile(serial, file) => pty::open(editor, *serial, *file)?,
        Node::ColumnFile(_, file) if lines::is_line_file(file.name()) => {
            State::Lines(Lines::default(), None)
        }
        _ => State::Text(None),
    };
    if mode & OTRUNC != 0 {
        truncate(editor, node)?;
    }
    Ok(Open { id, mode, unended: false, state })
}

/// Reads at most `count` bytes at `offset`.
pub fn read(
    editor: &mut Editor,
    node: &Node,
    open: &mut Open,
    offset: u64,
    count: usize,
) -> Done<Answer> {
    if let State::Output(output, position) = &mut open.state {
        // Read on to its end even when the shell's end has closed the pane.
        return pty::read(editor, output.as_ref(), position, count);
    }
    if !node.exists(editor) {
        return refuse!("{} is closed", node.log_name());
    }
    let data = match (&mut open.state, node) {
        (State::Directory(listing), _) => {
            let again = listing.is_some() && offset == 0;
            let listing = listing.get_or_insert_with(|| Listing::of(editor, node));
            if again && editor.planted(Defect::DirOrderChanges) {
                listing.reverse();
            }
            if editor.planted(Defect::DirEntrySplit) {
                part(listing.entries(), offset, count)
            } else {
                let loses = editor.planted(Defect::DirEntryLost);
                listing.read(offset, count, loses)?
            }
        }
        (State::Host(file), _) => read_host(file, offset, count)?,
        (State::New(serial, _), _) => part(&Bytes::from(format!("{serial}\n")), offset, count),
        (State::Log(log), _) => return Ok(log.read(editor, offset, count)),
        (State::Body(text, _), Node::PaneFile(serial, _)) => {
            if offset == 0 || text.is_none() {
                *text = Some(BodyReader::new(editor.buffer(*serial)?));
            }
            text.as_mut().map_or_else(Bytes::new, |text| text.read(offset, count))
        }
        (State::Event(rest), Node::PaneFile(serial, _)) => {
            return pane::read_event(editor, *serial, rest, count);
        }
        (State::Runes(_), Node::PaneFile(serial, file)) => {
            pane::read_runes(editor, *serial, *file, offset, count)?
        }
        (State::Text(text) | State::Lines(_, text) | State::Tag(text, _), _) => {
            if text.is_none() || offset == 0 && is_value(node) {
                *text = Some(whole_text(editor, node)?);
            }
            let far = i64::try_from(offset).is_err();
            assert!(!far || !editor.planted(Defect::CrashFarOffset), "negative offset");
            let skips = editor.planted(Defect::ChunkSkipsByte);
            let skips = skips && offset > 0 && offset.is_multiple_of(64);
            let offset = offset.saturating_add(u64::from(skips));
            part(text.as_ref().unwrap_or(&Bytes::new()), offset, count)
        }
        _ => return Err("file is not readable".into()),
    };
    Ok(Answer::Data(data))
}

/// Writes `data`; only bodies and the like could heed an offset, and they append.
pub fn write(editor: &mut Editor, node: &Node, open: &mut Open, data: &[u8]) -> Done {
    if !node.exists(editor) {
        return refuse!("{} is closed", node.log_name());
    }
    let Some(last) = data.last() else { return Ok(()) };
    open.unended = *last != b'\n';
    match (&mut open.state, node) {
        (State::Lines(lines, _), _) => lines.write(editor, node, open.id, data),
        (State::Log(log), _) => log.write(editor, data),
        (State::New(serial, partial), _) => body::append(editor, *serial, partial, data),
        (State::Body(_, partial), Node::PaneFile(serial, _)) => {
            body::append(editor, *serial, partial, data)
        }
        (State::Runes(partial), Node::PaneFile(serial, file)) => {
            let text = partial.push(data);
            pane::write_runes(editor, *serial, *file, &text)
        }
        (State::Tag(_, partial), _) => tag::append(editor, node, &partial.push(data)),
        (State::Event(_), Node::PaneFile(serial, _)) => pane::write_event(editor, *serial, data),
        (_, Node::PaneFile(serial, file)) => pane::write(editor, *serial, *file, data),
        (_, Node::PtyFile(serial, file)) => pty::write(editor, *serial, *file, data),
        (_, Node::Top(file)) => top::write(editor, *file, data),
        _ => Err("file is not writable".into()),
    }
}

/// Closes a file: a command line that has no newline runs now, its failure in the log alone.
pub fn close(editor: &mut Editor, node: &Node, open: Open) {
    let id = open.id;
    if editor.planted(Defect::CloseFailsBody)
        && open.unended
        && matches!(node, Node::PaneFile(_, PaneFile::Body))
    {
        editor.log.err(node.serial(), "body", "line has no end");
    }
    match (open.state, node) {
        (State::Lines(lines, _), _) => lines.close(editor, node, id),
        (State::Body(_, mut partial), Node::PaneFile(serial, _)) => {
            body::finish(editor, *serial, &mut partial);
        }
        (State::New(serial, mut partial), _) => body::finish(editor, serial, &mut partial),
        (State::Runes(mut partial), Node::PaneFile(serial, file)) => {
            if let Some(text) = partial.finish() {
                let _ = pane::write_runes(editor, *serial, *file, &text);
            }
        }
        (State::Tag(_, mut partial), _) => {
            if let Some(text) = partial.finish() {
                let _ = tag::append(editor, node, &text);
            }
        }
        (State::Event(_), Node::PaneFile(serial, _)) => {
            let kept = editor.planted(Defect::EventKept);
            if let Ok(pane) = editor.pane_mut(*serial)
                && !(kept && pane.events.has_unread())
            {
                pane.events.close(id);
            }
        }
        _ => {}
    }
    if let Some(serial) = node.serial()
        && !editor.planted(Defect::LockKept)
        && let Ok(pane) = editor.pane_mut(serial)
        && pane.lock == Some(id)
    {
        pane.lock = None;
    }
}

/// The part of `text` that a read asks for.
pub fn part(text: &Bytes, offset: u64, count: usize) -> Bytes {
    let from = usize::try_from(offset).unwrap_or(usize::MAX).min(text.len());
    text.slice(from..from.saturating_add(count).min(text.len()))
}

/// Whether the file tells one value, as it is whenever it is read from its beginning.
fn is_value(node: &Node) -> bool {
    match node {
        Node::Top(file) => matches!(file, TopFile::Focus | TopFile::Ctl),
        Node::PaneFile(_, file) => *file != PaneFile::Tag,
        Node::PtyFile(_, file) => *file == PtyFile::Status,
        Node::ColumnFile(_, file) => *file == ColumnFile::Ctl,
        _ => false,
    }
}

fn read_host(file: &File, offset: u64, count: usize) -> Done<Bytes> {
    if i64::try_from(offset.saturating_add(count as u64)).is_err() {
        // The system takes no such offset; no file is as long.
        return Ok(Bytes::new());
    }
    let mut buffer = vec![0; count];
    let got = file.read_at(&mut buffer, offset)?;
    buffer.truncate(got);
    Ok(buffer.into())
}

fn whole_text(editor: &Editor, node: &Node) -> Done<Bytes> {
    match node {
        Node::Top(file) => top::text(editor, *file),
        Node::PaneFile(serial, file) => pane::text(editor, *serial, *file),
        Node::PtyFile(serial, _) => pty::status(editor, *serial),
        Node::ColumnFile(id, file) => column::text(editor, *id, *file),
        _ => Err("file is not readable".into()),
    }
}

fn permitted(node: &Node, mode: u8) -> Done {
    if mode & !(3 | OTRUNC) != 0 {
        return refuse!("open mode {mode:#x} is not served");
    }
    if node.is_dir() {
        let plain = matches!(mode, OREAD | OEXEC);
        return if plain { Ok(()) } else { Err("is a directory".into()) };
    }
    let wanted = match mode & 3 {
        OREAD => 0o444,
        OWRITE => 0o222,
        ORDWR => 0o666,
        _ => 0o111,
    };
    let wanted = if mode & OTRUNC != 0 { wanted | 0o222 } else { wanted };
    if node.mode() & wanted != wanted {
        return Err("permission denied".into());
    }
    if matches!(node, Node::New) && mode & 3 == OWRITE {
        return Err("open for reading to make a pane".into());
    }
    Ok(())
}

/// Empties what can be emptied; files that are told things have nothing to truncate.
fn truncate(editor: &mut Editor, node: &Node) -> Done {
    match node {
        Node::PaneFile(serial, PaneFile::Body) => body::empty(editor, *serial),
        _ if tag::is_tag(node) => tag::clear(editor, node),
        _ => Ok(()),
    }
}
