//! Commands on a pane's text and its file.

use super::bare;
use crate::standin::address::Range;
use crate::standin::command::Origin;
use crate::standin::content;
use crate::standin::edit as sam;
use crate::standin::editor::Editor;
use crate::standin::look::search;
use crate::standin::notes::Note;
use crate::standin::pipe;
use crate::standin::refusal::Done;

pub(super) fn look(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    let text = if args.is_empty() { selected(editor, origin)? } else { args.to_string() };
    look_for(editor, origin, &text);
    Ok(())
}

pub(super) fn look_word(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("LookWord", args)?;
    let serial = origin.pane()?;
    let q = editor.pane(serial)?.dot.q0;
    let text = editor.buffer(serial)?.text();
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let mut before = text.chars_at(q);
    let start = q - std::iter::from_fn(|| before.prev()).take_while(is_word).count();
    let end = q + text.chars_at(q).take_while(is_word).count();
    if start == end {
        return Err("there is no word at the selection".into());
    }
    let word = text.slice(start..end).to_string();
    editor.pane_mut(serial)?.dot = Range::at(end);
    search(editor, Some(serial), &word)
}

pub(super) fn edit(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    match sam::parse(args)? {
        Some(commands) => sam::run(editor, origin.serial, &commands),
        None => Err("Edit ends inside its text".into()),
    }
}

pub(super) fn undo(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Undo", args)?;
    editor.undo(origin.pane()?, false)
}

pub(super) fn redo(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Redo", args)?;
    editor.undo(origin.pane()?, true)
}

pub(super) fn cut(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Cut", args)?;
    editor.snarf = selected(editor, origin)?;
    let serial = origin.pane()?;
    let dot = editor.pane(serial)?.dot;
    editor.edit(serial, dot, "", 'F')
}

pub(super) fn snarf(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Snarf", args)?;
    editor.snarf = selected(editor, origin)?;
    Ok(())
}

pub(super) fn paste(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Paste", args)?;
    let serial = origin.pane()?;
    let dot = editor.pane(serial)?.dot;
    let text = editor.snarf.clone();
    editor.edit(serial, dot, &text, 'F')?;
    editor.pane_mut(serial)?.dot = Range::new(dot.q0, dot.q0 + text.chars().count());
    Ok(())
}

pub(super) fn get(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    let serial = origin.pane()?;
    let name = named(editor, origin, args)?;
    content::get(editor, serial, &name)
}

pub(super) fn put(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    let serial = origin.pane()?;
    let name = named(editor, origin, args)?;
    content::put(editor, serial, &name, None)
}

pub(super) fn put_all(editor: &mut Editor, _: &Origin, args: &str) -> Done {
    bare("Putall", args)?;
    content::put_all(editor)
}

pub(super) fn filter(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    let serial = origin.pane()?;
    let dot = editor.pane(serial)?.dot;
    pipe::on_range(editor, serial, dot, '|', args)
}

/// Searches; finding nothing is told of, but is no failure.
fn look_for(editor: &mut Editor, origin: &Origin, text: &str) {
    if let Err(why) = search(editor, origin.serial, text) {
        editor.notes.push(Note::Nothing(origin.owner, origin.file, why.to_string()));
    }
}

fn selected(editor: &Editor, origin: &Origin) -> Done<String> {
    let serial = origin.pane()?;
    let dot = editor.pane(serial)?.dot;
    Ok(editor.buffer(serial)?.slice(dot.q0, dot.q1))
}

fn named(editor: &Editor, origin: &Origin, args: &str) -> Done<String> {
    if args.is_empty() {
        return Ok(String::new());
    }
    Ok(content::beside(editor, origin.pane()?, args))
}
