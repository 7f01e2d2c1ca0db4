//! The words that only a `ctl` file knows: the root's and a pane's, as acme(4) has them.

use super::command::Origin;
use super::content;
use super::editor::Editor;
use super::limits::WINDOW_CELLS;
use super::refusal::{Done, refuse};

/// Obeys a word of the root's `ctl`, or nothing if it is none.
pub fn root(editor: &mut Editor, word: &str, args: &str) -> Option<Done> {
    Some(match word {
        "size" => size(editor, args),
        "put" => content::put_all(editor),
        "delete" | "del" if args.is_empty() => {
            let focus = editor.focus;
            close(editor, focus, word == "delete")
        }
        _ => return None,
    })
}

/// Obeys a word of a pane's `ctl`, or nothing if it is none.
pub fn pane(editor: &mut Editor, origin: &Origin, word: &str, args: &str) -> Option<Done> {
    let takes_argument = matches!(word, "name" | "font" | "dump" | "dumpdir");
    let known = takes_argument || BARE.contains(&word);
    if !known {
        return None;
    }
    if !takes_argument && !args.is_empty() {
        return Some(refuse!("{word} takes no argument"));
    }
    Some(obey(editor, origin, word, args))
}

/// Why a word is refused while another fid has the pane locked.
pub const LOCKED: &str = "pane is locked";

const BARE: &[&str] = &[
    "addr=dot",
    "clean",
    "dirty",
    "cleartag",
    "del",
    "delete",
    "dot=addr",
    "get",
    "limit=addr",
    "mark",
    "nomark",
    "put",
    "show",
    "lock",
    "unlock",
];

fn obey(editor: &mut Editor, origin: &Origin, word: &str, args: &str) -> Done {
    let serial = origin.pane()?;
    let pane = editor.pane_mut(serial)?;
    if pane.lock.is_some_and(|lock| lock != origin.open) {
        return Err(LOCKED.into());
    }
    match word {
        "addr=dot" => pane.addr = pane.dot,
        "dot=addr" => pane.dot = pane.addr,
        "limit=addr" => pane.limit = Some(pane.addr),
        "mark" => pane.marking = true,
        "nomark" => pane.marking = false,
        "cleartag" => editor.clear_tag(serial, 'F')?,
        "lock" => pane.lock = Some(origin.open),
        "unlock" if pane.lock.is_none() => return Err("pane is not locked".into()),
        "unlock" => pane.lock = None,
        "show" => {
            let dot = pane.dot;
            editor.show(serial, dot)?;
        }
        "clean" => editor.buffer_mut(serial)?.dirty = false,
        "dirty" => editor.buffer_mut(serial)?.dirty = true,
        "name" => editor.rename(serial, args)?,
        "get" => content::get(editor, serial, "")?,
        "put" => content::put(editor, serial, "", None)?,
        "del" | "delete" => close(editor, serial, word == "delete")?,
        "font" => return Err("there is one font".into()),
        other => return refuse!("{other} is not served: dumps hold the pane itself"),
    }
    Ok(())
}

/// Closes a pane; one with changes only when asked again, or when told to `anyway`.
pub fn close(editor: &mut Editor, serial: super::pane::Serial, anyway: bool) -> Done {
    let buffer = editor.buffer(serial)?;
    let id = editor.pane(serial)?.buffer;
    let views = editor.panes.values().filter(|pane| pane.buffer == id).count();
    let unsaved = buffer.dirty && !buffer.is_dir && !buffer.name.is_empty() && views == 1;
    let unsaved = unsaved && editor.pane(serial)?.terminal.is_none();
    let pane = editor.pane_mut(serial)?;
    if unsaved && !anyway && !pane.warned {
        pane.warned = true;
        return Err("pane has changes: put it, or close it again".into());
    }
    editor.close_pane(serial)
}

fn size(editor: &mut Editor, args: &str) -> Done {
    let words: Vec<&str> = args.split_whitespace().collect();
    let [columns, rows] = words[..] else { return Err("size takes columns and rows".into()) };
    let cells = |word: &str| word.parse().ok().filter(|n| (1..=WINDOW_CELLS).contains(n));
    let (Some(columns), Some(rows)) = (cells(columns), cells(rows)) else {
        return refuse!("the window has 1 to {WINDOW_CELLS} columns and rows");
    };
    editor.settings.size = (columns, rows);
    Ok(())
}
