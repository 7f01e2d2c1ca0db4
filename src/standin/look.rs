//! Look, as acme(1)'s button 3: an address, a file with or without one, or text to search for.

use super::address::Range;
use super::content;
use super::editor::{Editor, Place};
use super::files::pane::{Anchor, find};
use super::limits::QUOTED_RUNES;
use super::pane::Serial;
use super::refusal::{Done, refuse};
use super::runes::printable;

/// Looks for `text` as seen from a pane; refused if nothing is found.
pub fn look(editor: &mut Editor, serial: Option<Serial>, text: &str) -> Done {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    if let (Some(address), Some(serial)) = (text.strip_prefix(':'), serial) {
        let found = find(editor, serial, address, Anchor::Dot)?;
        editor.leave();
        return editor.show(serial, found);
    }
    let directory = serial.map_or_else(String::new, |serial| editor.directory(serial));
    let (name, address) = split(text);
    for (name, address) in [(text, ""), (name, address)] {
        let name = if name.starts_with('/') { name.into() } else { format!("{directory}{name}") };
        if is_known(editor, &name) {
            return open(editor, serial, &name, address);
        }
    }
    search(editor, serial, text)
}

/// Selects the next place where `text` stands in a pane, from its selection on.
pub fn search(editor: &mut Editor, serial: Option<Serial>, text: &str) -> Done {
    let nothing = || refuse!("no match for \"{}\"", printable(text, QUOTED_RUNES));
    let Some(serial) = serial else { return nothing() };
    if text.is_empty() {
        return Err("nothing to look for".into());
    }
    let body = editor.buffer(serial)?.text();
    let from = body.char_to_byte(editor.pane(serial)?.dot.q1);
    let whole = body.to_string();
    let next = whole[from..].find(text).map(|at| from + at);
    let Some(at) = next.or_else(|| whole.find(text)) else { return nothing() };
    let q0 = body.byte_to_char(at);
    let found = Range::new(q0, q0 + text.chars().count());
    editor.leave();
    editor.show(serial, found)
}

fn open(editor: &mut Editor, near: Option<Serial>, name: &str, address: &str) -> Done {
    editor.leave();
    let place =
        if near.is_some() { near.map_or(Place::Anywhere, Place::Below) } else { Place::Anywhere };
    let serial = content::open(editor, name, place)?;
    let dot = editor.pane(serial)?.dot;
    editor.show(serial, dot)?;
    if !address.is_empty() {
        let found = find(editor, serial, address, Anchor::Dot)?;
        editor.show(serial, found)?;
    }
    Ok(())
}

fn is_known(editor: &Editor, name: &str) -> bool {
    !name.is_empty()
        && !name.chars().any(char::is_control)
        && (editor.find_name(name).is_some() || content::is_there(editor, name))
}

/// A name and the address behind its first colon.
fn split(text: &str) -> (&str, &str) {
    text.split_once(':').unwrap_or((text, ""))
}
