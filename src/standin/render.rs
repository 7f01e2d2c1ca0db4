//! The session told in lines: the index, the layout, tags, and numbers.

use std::fmt::Write;

use super::buffer::Buffer;
use super::editor::Editor;
use super::limits::NAME_BYTES;
use super::pane::Serial;
use super::plants::Defect;
use super::refusal::Done;
use super::runes::printable;

/// What `/README` says.
pub const README: &str = include_str!("readme.txt");

/// A line a pane: its serial and numbers, then its name.
pub fn index(editor: &Editor) -> Done<String> {
    let mut text = String::new();
    let newest = editor.panes.keys().next_back().copied();
    for serial in editor.panes.keys().copied() {
        if editor.planted(Defect::IndexMissesPane)
            && editor.panes.len() > 4
            && Some(serial) == newest
        {
            continue;
        }
        text.push_str(&index_line(editor, serial)?);
    }
    Ok(text)
}

/// The numbers that acme(4)'s ctl begins with, and whether there is something to undo and redo.
pub fn ctl_line(editor: &Editor, serial: Serial) -> Done<String> {
    let (undo, redo) = editor.buffer(serial)?.history();
    let numbers = numbers(editor, serial)?;
    Ok(format!("{numbers}{:>11} {:>11} \n", u8::from(undo), u8::from(redo)))
}

/// A pane's tag: its name, the commands that make sense, and behind the bar the user's own part.
pub fn tag(editor: &Editor, serial: Serial) -> Done<String> {
    let pane = editor.pane(serial)?;
    let buffer = editor.buffer(serial)?;
    let (undo, redo) = buffer.history();
    let mut text = format!("{} Del Snarf", buffer.name);
    let commands = [
        (undo, " Undo"),
        (redo, " Redo"),
        (buffer.dirty && !buffer.name.is_empty() && !buffer.is_dir, " Put"),
        (buffer.is_dir, " Get"),
    ];
    commands.iter().filter(|(on, _)| *on).for_each(|(_, word)| text.push_str(word));
    text.push_str(" |");
    text.push_str(&pane.tag);
    Ok(text)
}

/// The columns from left to right, each with its panes from top to bottom.
pub fn layout(editor: &Editor) -> String {
    let mut text = String::new();
    for column in editor.columns.iter() {
        let _ = writeln!(text, "col {}", column.id);
        for serial in &column.panes {
            let collapsed = editor.pane(*serial).is_ok_and(|pane| pane.collapsed);
            let _ = writeln!(text, "\tpane {serial}{}", if collapsed { " collapsed" } else { "" });
        }
    }
    text
}

/// The session in numbers, a line each.
pub fn status(editor: &Editor) -> String {
    let shells = editor.panes.values().filter(|pane| pane.terminal.is_some()).count();
    let dirty = editor.buffers.values().filter(|buffer| buffer.dirty).count();
    let bytes: usize = editor.buffers.values().map(Buffer::bytes).sum();
    let (columns, rows) = editor.settings.size;
    let mut text = String::new();
    let _ = writeln!(text, "panes {}", editor.panes.len());
    let _ = writeln!(text, "columns {}", editor.columns.len());
    let _ = writeln!(text, "focus {}", editor.focus);
    let _ = writeln!(text, "dirty {dirty}\nbytes {bytes}\nshells {shells}");
    let _ = writeln!(text, "size {columns} {rows}");
    let _ = writeln!(text, "theme {}", editor.settings.theme);
    let _ = writeln!(text, "placement {}", editor.settings.placement);
    for (word, on) in editor.settings.switches() {
        let _ = writeln!(text, "{word} {}", if *on { "on" } else { "off" });
    }
    let jobs: Vec<String> = editor.jobs.names().map(|name| printable(name, 40)).collect();
    let _ = writeln!(text, "jobs {}", jobs.join(" "));
    text
}

/// The socket that is served.
pub fn listeners(editor: &Editor) -> String {
    format!("{}\n", editor.settings.address)
}

fn index_line(editor: &Editor, serial: Serial) -> Done<String> {
    let name = printable(&editor.buffer(serial)?.name, NAME_BYTES);
    Ok(format!("{}{name}\n", numbers(editor, serial)?))
}

fn numbers(editor: &Editor, serial: Serial) -> Done<String> {
    let buffer = editor.buffer(serial)?;
    Ok(format!(
        "{serial:>11} {:>11} {:>11} {:>11} {:>11} {:>11} ",
        tag(editor, serial)?.chars().count(),
        buffer.runes(),
        u8::from(buffer.is_dir),
        u8::from(buffer.dirty),
        editor.pane(serial)?.column,
    ))
}
