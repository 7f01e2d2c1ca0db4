//! The three tags, of a pane, a column and the window: what is written is appended.

use crate::standin::editor::Editor;
use crate::standin::limits::TAG_BYTES;
use crate::standin::refusal::{Done, refuse};
use crate::standin::render;
use crate::standin::tree::{ColumnFile, Node, PaneFile, TopFile};

/// Whether the file is one of the tags.
pub fn is_tag(node: &Node) -> bool {
    matches!(
        node,
        Node::Top(TopFile::Tag)
            | Node::PaneFile(_, PaneFile::Tag)
            | Node::ColumnFile(_, ColumnFile::Tag)
    )
}

/// Appends to a tag; to a pane's behind its bar.
pub fn append(editor: &mut Editor, node: &Node, text: &str) -> Done {
    let end = match node {
        Node::PaneFile(serial, _) => render::tag(editor, *serial)?.chars().count(),
        _ => 0,
    };
    let tag = tag(editor, node)?;
    if tag.len() + text.len() > TAG_BYTES {
        return refuse!("tag would be longer than {TAG_BYTES} bytes");
    }
    tag.push_str(text);
    if let Node::PaneFile(serial, _) = node {
        let inserted = (end, end + text.chars().count());
        editor.pane_mut(*serial)?.events.record('E', 'i', inserted, 0, text);
    }
    Ok(())
}

/// Empties a tag, or what is the user's of it.
pub fn clear(editor: &mut Editor, node: &Node) -> Done {
    if let Node::PaneFile(serial, _) = node {
        return editor.clear_tag(*serial, 'E');
    }
    tag(editor, node)?.clear();
    Ok(())
}

fn tag<'a>(editor: &'a mut Editor, node: &Node) -> Done<&'a mut String> {
    match node {
        Node::Top(TopFile::Tag) => Ok(&mut editor.tag),
        Node::PaneFile(serial, _) => Ok(&mut editor.pane_mut(*serial)?.tag),
        Node::ColumnFile(id, _) => {
            let column = editor.columns.get_mut(*id).ok_or("no such column")?;
            Ok(&mut column.tag)
        }
        _ => Err("file is no tag".into()),
    }
}
