//! Commands that make, close and arrange panes and columns.

use super::bare;
use crate::standin::buffer::Buffer;
use crate::standin::command::Origin;
use crate::standin::content;
use crate::standin::ctl::close;
use crate::standin::editor::{Editor, Place};
use crate::standin::pane::{ColumnId, Serial};
use crate::standin::refusal::Done;

pub(super) fn new(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    let place = match (origin.serial, origin.column) {
        (_, Some(column)) => Place::Column(column),
        (Some(serial), None) => Place::Below(serial),
        (None, None) => Place::Anywhere,
    };
    if args.is_empty() {
        return editor.add_pane(Buffer::new("", ""), place).map(drop);
    }
    for name in args.split_whitespace() {
        let name = match origin.serial {
            Some(serial) => content::beside(editor, serial, name),
            None => name.to_string(),
        };
        content::open(editor, &name, place)?;
    }
    Ok(())
}

pub(super) fn zerox(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Zerox", args)?;
    let serial = origin.pane()?;
    let pane = editor.pane(serial)?;
    if pane.terminal.is_some() {
        return Err("a terminal has one view".into());
    }
    let (buffer, tag, dot) = (pane.buffer, pane.tag.clone(), pane.dot);
    let view = editor.add_view(buffer, Place::Below(serial))?;
    let pane = editor.pane_mut(view)?;
    pane.tag = tag;
    pane.dot = dot;
    Ok(())
}

pub(super) fn del(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Del", args)?;
    close(editor, origin.pane()?, false)
}

pub(super) fn delete(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Delete", args)?;
    close(editor, origin.pane()?, true)
}

pub(super) fn del_above(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("DelAbove", args)?;
    let (panes, at) = neighbours(editor, origin)?;
    close_all(editor, &panes[..at])
}

pub(super) fn del_below(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("DelBelow", args)?;
    let (panes, at) = neighbours(editor, origin)?;
    close_all(editor, &panes[at + 1..])
}

pub(super) fn new_column(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Newcol", args)?;
    editor.columns.add(column(editor, origin).ok()).map(drop)
}

pub(super) fn del_column(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Delcol", args)?;
    let id = column(editor, origin)?;
    let panes = editor.columns.get(id).map(|c| c.panes.clone()).unwrap_or_default();
    close_all(editor, &panes)?;
    remove_column(editor, id)
}

/// Takes a column away with its panes; the last one only if that ends the session.
pub fn remove_column(editor: &mut Editor, id: ColumnId) -> Done {
    let column = editor.columns.get(id).ok_or("no such column")?;
    if editor.columns.len() == 1 && column.panes.is_empty() && !editor.panes.is_empty() {
        return Err("the last column stays".into());
    }
    for serial in column.panes.clone() {
        editor.close_pane(serial)?;
    }
    if editor.columns.len() > 1 {
        editor.columns.remove(id);
    } else if !editor.panes.is_empty() {
        return Err("the last column stays".into());
    }
    Ok(())
}

pub(super) fn join_column(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Joincol", args)?;
    let id = column(editor, origin)?;
    let left = editor.columns.beside(id, -1).ok_or("there is no column at the left")?.id;
    let panes = editor.columns.get(id).map(|c| c.panes.clone()).unwrap_or_default();
    for serial in &panes {
        editor.pane_mut(*serial)?.column = left;
    }
    if let Some(left) = editor.columns.get_mut(left) {
        left.panes.extend(panes);
    }
    editor.columns.remove(id);
    Ok(())
}

pub(super) fn sort(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Sort", args)?;
    let id = column(editor, origin)?;
    let mut panes = editor.columns.get(id).map(|c| c.panes.clone()).unwrap_or_default();
    panes.sort_by_key(|serial| editor.buffer(*serial).map(|b| b.name.clone()).unwrap_or_default());
    if let Some(column) = editor.columns.get_mut(id) {
        column.panes = panes;
    }
    Ok(())
}

pub(super) fn collapse(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Collapse", args)?;
    let pane = editor.pane_mut(origin.pane()?)?;
    pane.collapsed = !pane.collapsed;
    Ok(())
}

pub(super) fn tty(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Tty", args)?;
    editor.start_shell(origin.pane()?)
}

pub(super) fn tty_mode(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Togglettymode", args)?;
    let pane = editor.pane_mut(origin.pane()?)?;
    if pane.terminal.is_none() {
        return Err("no shell runs in this pane".into());
    }
    pane.scroll = !pane.scroll;
    Ok(())
}

fn close_all(editor: &mut Editor, panes: &[Serial]) -> Done {
    panes.iter().try_for_each(|serial| close(editor, *serial, false))
}

/// The panes of the pane's column, and its place among them.
fn neighbours(editor: &Editor, origin: &Origin) -> Done<(Vec<Serial>, usize)> {
    let serial = origin.pane()?;
    let id = editor.pane(serial)?.column;
    let panes = editor.columns.get(id).ok_or("no such column")?.panes.clone();
    let at = panes.iter().position(|pane| *pane == serial).ok_or("pane is in no column")?;
    Ok((panes, at))
}

fn column(editor: &Editor, origin: &Origin) -> Done<ColumnId> {
    match origin.column {
        Some(column) => Ok(column),
        None => Ok(editor.pane(origin.pane()?)?.column),
    }
}
