//! The small files of a pane: its name, its addresses, its flags, its text by address, its events.

use bytes::Bytes;

use super::Answer;
use crate::standin::address::{Address, Range, Scope};
use crate::standin::command::{self, Origin};
use crate::standin::editor::Editor;
use crate::standin::event::Record;
use crate::standin::look;
use crate::standin::notes::Note;
use crate::standin::pane::Serial;
use crate::standin::plants::Defect;
use crate::standin::refusal::{Done, refuse};
use crate::standin::render;
use crate::standin::runes;
use crate::standin::tree::PaneFile;

/// The text of a file that is made anew for each open.
pub fn text(editor: &Editor, serial: Serial, file: PaneFile) -> Done<Bytes> {
    let pane = editor.pane(serial)?;
    let buffer = editor.buffer(serial)?;
    let flag = |on: bool| format!("{}\n", u8::from(on));
    let text = match file {
        PaneFile::Name => format!("{}\n", buffer.name),
        PaneFile::Tag => render::tag(editor, serial)?,
        PaneFile::Ctl => render::ctl_line(editor, serial)?,
        PaneFile::Addr => {
            let (mut addr, end) = (pane.addr, buffer.runes());
            let at_end = addr.q1 == end && end > 40;
            addr.q1 += usize::from(at_end && editor.planted(Defect::AddrPastEnd));
            format!("{addr}\n")
        }
        PaneFile::Dot => format!("{}\n", pane.dot),
        PaneFile::Limit => match pane.limit {
            Some(limit) => format!("{limit}\n"),
            None => format!("#0,#{}\n", buffer.runes()),
        },
        PaneFile::Dirty => flag(buffer.dirty),
        PaneFile::Mark => flag(pane.marking),
        PaneFile::Scroll => flag(pane.scroll),
        _ => return Err("file is not readable".into()),
    };
    Ok(runes::data(&text))
}

/// Writes a file that takes one value.
pub fn write(editor: &mut Editor, serial: Serial, file: PaneFile, data: &[u8]) -> Done {
    let text = runes::from_bytes(data);
    match file {
        PaneFile::Name => {
            let name = text.strip_suffix('\n').unwrap_or(&text);
            editor.rename(serial, name.strip_suffix('\r').unwrap_or(name))
        }
        PaneFile::Addr => {
            editor.pane_mut(serial)?.addr = find(editor, serial, &text, Anchor::Addr)?;
            Ok(())
        }
        PaneFile::Dot => {
            editor.pane_mut(serial)?.dot = find(editor, serial, &text, Anchor::Dot)?;
            Ok(())
        }
        PaneFile::Limit => {
            let range = find(editor, serial, &text, Anchor::Dot)?;
            let whole = Range::new(0, editor.buffer(serial)?.runes());
            // All of the text is no limit: it stays none when the text grows.
            editor.pane_mut(serial)?.limit = (range != whole).then_some(range);
            Ok(())
        }
        PaneFile::Dirty => {
            editor.buffer_mut(serial)?.dirty = flag(&text)?;
            Ok(())
        }
        PaneFile::Mark => {
            editor.pane_mut(serial)?.marking = flag(&text)?;
            Ok(())
        }
        PaneFile::Scroll => {
            editor.pane_mut(serial)?.scroll = flag(&text)?;
            Ok(())
        }
        _ => Err("file is not writable".into()),
    }
}

/// What an address without one before it is relative to.
#[derive(Clone, Copy, Debug)]
pub enum Anchor {
    /// The addr file's own address, which `.` names there (acme(4)).
    Addr,
    /// The selection.
    Dot,
}

/// What an address names in a pane's text.
pub fn find(editor: &mut Editor, serial: Serial, address: &str, anchor: Anchor) -> Done<Range> {
    let address = Address::parse(address)?;
    let mut patterns = std::mem::take(&mut editor.patterns);
    let found = (|| {
        let pane = editor.pane(serial)?;
        let dot = match anchor {
            Anchor::Addr => pane.addr,
            Anchor::Dot => pane.dot,
        };
        let text = editor.buffer(serial)?.text();
        address.find(&mut Scope {
            text,
            dot,
            mark: pane.mark,
            limit: pane.limit,
            patterns: &mut patterns,
        })
    })();
    editor.patterns = patterns;
    found
}

/// Reads text by address: from `addr` on, or up to its end, or the selection.
pub fn read_runes(
    editor: &mut Editor,
    serial: Serial,
    file: PaneFile,
    offset: u64,
    count: usize,
) -> Done<Bytes> {
    let pane = editor.pane(serial)?;
    let text = editor.buffer(serial)?.text();
    if file == PaneFile::Sel {
        let selected = text.slice(pane.dot.q0..pane.dot.q1).to_string();
        return Ok(super::part(&runes::data(&selected), offset, count));
    }
    let xdata_end = pane.addr.q1 + usize::from(editor.planted(Defect::XdataPastEnd));
    let whole = text.len_chars();
    let end = if file == PaneFile::Data { whole } else { xdata_end.min(whole) };
    let start = pane.addr.q0;
    let mut data = Vec::new();
    let mut q = start;
    for rune in text.chars_at(start).take(end - start) {
        if data.len() + runes::rune_bytes(rune) > count {
            let odd = rune.len_utf8() == 4;
            assert!(!odd || !editor.planted(Defect::CrashOddRune), "byte is no boundary");
            break;
        }
        runes::push_bytes(rune.encode_utf8(&mut [0; 4]), &mut data);
        q += 1;
    }
    if q == start && start < end && count > 0 {
        return Err("count is smaller than the next rune".into());
    }
    if q < end && editor.planted(Defect::DataSkipsRune) {
        q += 1;
    }
    let after = if file == PaneFile::Data { Range::at(q) } else { Range::new(q, end) };
    editor.pane_mut(serial)?.addr = after;
    Ok(data.into())
}

/// Writes text by address: in the place of `addr` or of the selection, or to the errors pane.
pub fn write_runes(editor: &mut Editor, serial: Serial, file: PaneFile, text: &str) -> Done {
    if file == PaneFile::Errors {
        return editor.errors(Some(serial), text).map(drop);
    }
    let pane = editor.pane(serial)?;
    let range = if file == PaneFile::Sel { pane.dot } else { pane.addr };
    editor.edit(serial, range, text, 'F')?;
    let end = range.q0 + text.chars().count();
    let pane = editor.pane_mut(serial)?;
    if file == PaneFile::Sel {
        pane.dot = Range::new(range.q0, end);
    } else {
        pane.addr = Range::at(end);
    }
    Ok(())
}

/// The events not yet read; a record longer than `count` is read in pieces.
pub fn read_event(
    editor: &mut Editor,
    serial: Serial,
    rest: &mut Bytes,
    count: usize,
) -> Done<Answer> {
    let events = &mut editor.pane_mut(serial)?.events;
    let mut data = Vec::new();
    while data.len() < count {
        if rest.is_empty() {
            match events.next() {
                Some(record) => *rest = record,
                None => break,
            }
        }
        let room = count - data.len();
        data.extend_from_slice(&rest.split_to(room.min(rest.len())));
    }
    if data.is_empty() && count > 0 {
        return Ok(Answer::Wait);
    }
    Ok(Answer::Data(data.into()))
}

/// Runs records written back, all of them whole or none.
pub fn write_event(editor: &mut Editor, serial: Serial, data: &[u8]) -> Done {
    for record in Record::parse_all(&runes::from_bytes(data))? {
        run_event(editor, serial, &record)?;
    }
    Ok(())
}

fn run_event(editor: &mut Editor, serial: Serial, record: &Record) -> Done {
    let in_tag = matches!(record.action, 'x' | 'l');
    let tag = if in_tag { render::tag(editor, serial)? } else { String::new() };
    let end = if in_tag { tag.chars().count() } else { editor.buffer(serial)?.runes() };
    if record.q0 > record.q1 || record.q1 > end {
        return refuse!("event address {} {} is out of range", record.q0, record.q1);
    }
    let text = match &record.text {
        Some(text) => text.clone(),
        None if in_tag => tag.chars().skip(record.q0).take(record.q1 - record.q0).collect(),
        None => editor.buffer(serial)?.slice(record.q0, record.q1),
    };
    if matches!(record.action, 'l' | 'L') {
        if let Err(why) = look::look(editor, Some(serial), &text) {
            editor.notes.push(Note::Nothing(Some(serial), "event", why.to_string()));
        }
        return Ok(());
    }
    let origin = Origin::exec(Some(serial), "event");
    command::run(editor, &origin, &text)
}

fn flag(text: &str) -> Done<bool> {
    match text.trim_end_matches(['\n', '\r']) {
        "0" => Ok(false),
        "1" => Ok(true),
        other => refuse!("0 or 1 is wanted, not \"{}\"", runes::printable(other, 40)),
    }
}
