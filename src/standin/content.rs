//! What panes and files have to do with each other: opening, getting, putting.

use super::address::Range;
use super::buffer::Buffer;
use super::editor::{Editor, Place};
use super::limits::NAME_BYTES;
use super::pane::Serial;
use super::plants::Defect;
use super::refusal::{Done, refuse};
use super::runes;

/// Whether a file or directory of that name can be read into a pane.
pub fn is_there(editor: &Editor, name: &str) -> bool {
    let found = editor.host.metadata(name);
    found.is_ok_and(|found| found.is_file() || found.is_dir())
}

/// The pane of that name, made from its file if there is none yet. A file that is not there gives
/// an empty pane of its name.
pub fn open(editor: &mut Editor, name: &str, place: Place) -> Done<Serial> {
    if name.len() > NAME_BYTES || name.chars().any(char::is_control) {
        return Err("no name for a file".into());
    }
    if let Some(serial) = editor.find_name(name) {
        return Ok(serial);
    }
    let name = editor.host.name(&editor.host.path(name));
    let buffer = match load(editor, &name) {
        Ok(buffer) => buffer,
        Err(why) if is_there(editor, &name) => return Err(why),
        Err(_) => Buffer::new(&name, ""),
    };
    let serial = editor.add_pane(buffer, place)?;
    editor.opened(&name);
    Ok(serial)
}

/// Reads a pane's text anew from its file, or from another.
pub fn get(editor: &mut Editor, serial: Serial, from: &str) -> Done {
    let own = editor.buffer(serial)?.name.clone();
    let name = if from.is_empty() { own.as_str() } else { from };
    if name.is_empty() {
        return Err("pane has no name".into());
    }
    let fresh = load(editor, name)?;
    let text = fresh.text().to_string();
    let end = editor.buffer(serial)?.runes();
    editor.edit(serial, Range::new(0, end), &text, 'F')?;
    let buffer = editor.buffer_mut(serial)?;
    buffer.is_dir = fresh.is_dir;
    buffer.dirty = name != own;
    Ok(())
}

/// Writes a pane's text, or a part of it, to its file or to another.
pub fn put(editor: &mut Editor, serial: Serial, to: &str, part: Option<Range>) -> Done {
    let buffer = editor.buffer(serial)?;
    let own = buffer.name.clone();
    let name = if to.is_empty() { own.as_str() } else { to };
    if name.is_empty() {
        return Err("pane has no name".into());
    }
    if buffer.is_dir && to.is_empty() {
        return Err("is a directory".into());
    }
    if is_errors(name) {
        return Err("an errors pane has no file".into());
    }
    let whole = Range::new(0, buffer.runes());
    let part = part.unwrap_or(whole);
    let content = runes::to_bytes(&buffer.slice(part.q0, part.q1));
    editor.host.write(name, &content)?;
    if part == whole && name == own {
        editor.buffer_mut(serial)?.dirty = false;
    }
    Ok(())
}

/// Puts every pane that has changes and whose file is there.
pub fn put_all(editor: &mut Editor) -> Done {
    let unsaved = |serial: &Serial| {
        editor.buffer(*serial).is_ok_and(|b| b.dirty && !b.is_dir && is_there(editor, &b.name))
    };
    let serials: Vec<Serial> = editor.panes.keys().copied().filter(unsaved).collect();
    serials.into_iter().try_for_each(|serial| put(editor, serial, "", None))
}

/// A name as meant in a pane: a relative one from the directory of the pane's own name.
pub fn beside(editor: &Editor, serial: Serial, name: &str) -> String {
    if name.starts_with('/') { name.into() } else { format!("{}{name}", editor.directory(serial)) }
}

/// Whether a pane of that name holds output rather than a file.
pub fn is_errors(name: &str) -> bool {
    name.ends_with("+Errors")
}

fn load(editor: &Editor, name: &str) -> Done<Buffer> {
    let found = editor.host.metadata(name)?;
    if found.is_dir() {
        let slash = if name.ends_with('/') { "" } else { "/" };
        let mut buffer = Buffer::new(&format!("{name}{slash}"), &editor.host.list(name)?);
        buffer.is_dir = true;
        return Ok(buffer);
    }
    if !found.is_file() {
        return refuse!("{name} is no plain file");
    }
    let content = editor.host.read(name)?;
    let mut text = match editor.planted(Defect::BadUtf8Replaced) {
        true => String::from_utf8_lossy(&content).into_owned(),
        false => runes::from_bytes(&content),
    };
    if editor.planted(Defect::CrlfEaten) {
        text = text.replace("\r\n", "\n");
    }
    Ok(Buffer::new(name, &text))
}
