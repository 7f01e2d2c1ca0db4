//! Commands that go somewhere, and lists of where one could go.

use super::bare;
use crate::standin::address::Range;
use crate::standin::buffer::Buffer;
use crate::standin::command::Origin;
use crate::standin::editor::{Editor, Place};
use crate::standin::limits::{GREP_BYTES, GREP_FILE_BYTES, GREP_FILES, GREP_LINES, HOST_ENTRIES};
use crate::standin::pane::Serial;
use crate::standin::refusal::Done;
use crate::standin::regexp::Regexp;
use crate::standin::runes;

pub(super) fn left(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Left", args)?;
    beside(editor, origin, -1)
}

pub(super) fn right(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Right", args)?;
    beside(editor, origin, 1)
}

pub(super) fn up(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Up", args)?;
    along(editor, origin, -1)
}

pub(super) fn down(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Down", args)?;
    along(editor, origin, 1)
}

pub(super) fn back(editor: &mut Editor, _: &Origin, args: &str) -> Done {
    bare("Back", args)?;
    let (jumps, at) = &editor.jumps;
    if *at == jumps.len() {
        // The place being left is one to come forward to.
        editor.leave();
        editor.jumps.1 = editor.jumps.1.saturating_sub(1);
    }
    jump(editor, -1)
}

pub(super) fn forward(editor: &mut Editor, _: &Origin, args: &str) -> Done {
    bare("Forward", args)?;
    jump(editor, 1)
}

pub(super) fn last(editor: &mut Editor, _: &Origin, args: &str) -> Done {
    bare("Last", args)?;
    let focus = editor.focus;
    let there =
        |(serial, _): &&(Serial, Range)| *serial != focus && editor.panes.contains_key(serial);
    let Some((serial, dot)) = editor.jumps.0.iter().rev().find(there).copied() else {
        return Err("there was no other pane".into());
    };
    editor.leave();
    editor.show(serial, dot)
}

pub(super) fn jump_list(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Jumplist", args)?;
    let jumps = editor.jumps.0.iter();
    let list: String = jumps.map(|(serial, dot)| format!("{serial} {dot}\n")).collect();
    listed(editor, origin, "+Jumplist", &list)
}

pub(super) fn recent(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Recent", args)?;
    let list: String = editor.recent.iter().map(|name| format!("{name}\n")).collect();
    listed(editor, origin, "+Recent", &list)
}

pub(super) fn messages(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Messages", args)?;
    let list = editor.log.text();
    listed(editor, origin, "+Messages", &list)
}

pub(super) fn find(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    if args.is_empty() {
        return Err("Find wants a part of a file name".into());
    }
    let names = names(editor)?;
    let found = names.iter().filter(|name| name.contains(args)).take(GREP_LINES);
    let list: String = found.map(|name| format!("{name}\n")).collect();
    listed(editor, origin, "+Find", &list)
}

pub(super) fn grep(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    if args.is_empty() {
        return Err("Grep wants a regular expression".into());
    }
    let list = matching_lines(editor, &Regexp::new(args)?)?;
    listed(editor, origin, "+Grep", &list)
}

/// The lines that match in the files below the home directory, as far as the bounds go.
fn matching_lines(editor: &Editor, regexp: &Regexp) -> Done<String> {
    let mut list = String::new();
    let (mut lines, mut bytes) = (0, 0);
    for name in names(editor)? {
        let size = editor.host.metadata(&name).ok().filter(|f| f.is_file()).map(|f| f.len());
        let Some(size) = size.filter(|size| *size <= GREP_FILE_BYTES) else { continue };
        bytes += size;
        let Ok(content) = editor.host.read(&name) else { continue };
        let text = runes::from_bytes(&content);
        for (n, line) in text.lines().enumerate().filter(|(_, line)| regexp.is_match(line)) {
            list.push_str(&format!("{name}:{}: {}\n", n + 1, runes::printable(line, 200)));
            lines += 1;
            if lines == GREP_LINES {
                return Ok(list);
            }
        }
        if bytes > GREP_BYTES {
            break;
        }
    }
    Ok(list)
}

fn beside(editor: &mut Editor, origin: &Origin, by: isize) -> Done {
    let serial = origin.pane()?;
    let id = editor.pane(serial)?.column;
    let column = editor.columns.beside(id, by).ok_or("there is no column there")?;
    let to = *column.panes.first().ok_or("there is no pane in that column")?;
    go(editor, to)
}

fn along(editor: &mut Editor, origin: &Origin, by: isize) -> Done {
    let serial = origin.pane()?;
    let id = editor.pane(serial)?.column;
    let panes = &editor.columns.get(id).ok_or("no such column")?.panes;
    let at = panes.iter().position(|pane| *pane == serial).unwrap_or(0);
    let to = at.checked_add_signed(by).and_then(|at| panes.get(at)).copied();
    go(editor, to.ok_or("there is no pane there")?)
}

fn go(editor: &mut Editor, serial: Serial) -> Done {
    editor.leave();
    let dot = editor.pane(serial)?.dot;
    editor.show(serial, dot)
}

/// Goes along the jump list to the next pane there that still is.
fn jump(editor: &mut Editor, by: isize) -> Done {
    let (jumps, at) = &editor.jumps;
    let mut next = at.checked_add_signed(by);
    while let Some((serial, dot)) = next.and_then(|at| jumps.get(at)).copied() {
        if editor.panes.contains_key(&serial) {
            editor.jumps.1 = next.unwrap_or(0);
            return editor.show(serial, dot);
        }
        next = next.and_then(|at| at.checked_add_signed(by));
    }
    Err("there is nowhere to go".into())
}

/// Shows a list in the pane of that name.
fn listed(editor: &mut Editor, origin: &Origin, name: &str, list: &str) -> Done {
    let serial = match editor.find_name(name) {
        Some(serial) => serial,
        None => {
            let place = origin.serial.map_or(Place::Anywhere, Place::Below);
            editor.add_pane(Buffer::new(name, ""), place)?
        }
    };
    let end = editor.buffer(serial)?.runes();
    editor.edit(serial, Range::new(0, end), list, 'F')?;
    editor.buffer_mut(serial)?.dirty = false;
    Ok(())
}

/// The files below the home directory, as far as the bounds go.
fn names(editor: &Editor) -> Done<Vec<String>> {
    let mut names = Vec::new();
    let mut directories = vec![String::new()];
    let mut seen = 0;
    while let Some(directory) = directories.pop() {
        for name in editor.host.list(&directory).unwrap_or_default().lines() {
            seen += 1;
            if seen > HOST_ENTRIES || names.len() >= GREP_FILES {
                return Ok(names);
            }
            let path = format!("{directory}{name}");
            // A link may lead back up: only real directories are gone into.
            match name.ends_with('/') {
                true if !editor.host.is_link(path.trim_end_matches('/')) => directories.push(path),
                true => {}
                false => names.push(path),
            }
        }
    }
    names.sort();
    Ok(names)
}
