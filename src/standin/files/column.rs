//! The files of a column: its tag, and what it holds.

use bytes::Bytes;

use crate::standin::column::Column;
use crate::standin::editor::Editor;
use crate::standin::limits::TAG_BYTES;
use crate::standin::pane::ColumnId;
use crate::standin::refusal::{Done, refuse};
use crate::standin::runes;
use crate::standin::tree::ColumnFile;

/// The tag, or for `ctl` the column and its panes.
pub fn text(editor: &Editor, id: ColumnId, file: ColumnFile) -> Done<Bytes> {
    let column = editor.columns.get(id).ok_or("no such column")?;
    match file {
        ColumnFile::Tag => Ok(runes::data(&column.tag)),
        ColumnFile::Ctl => {
            let panes: Vec<String> = column.panes.iter().map(u32::to_string).collect();
            Ok(Bytes::from(format!("{id} {}\n", panes.join(" "))))
        }
        ColumnFile::Exec => Err("file is not readable".into()),
    }
}

/// Appends to the tag.
pub fn append_tag(editor: &mut Editor, id: ColumnId, data: &[u8]) -> Done {
    let text = runes::from_bytes(data);
    let column = column(editor, id)?;
    if column.tag.len() + text.len() > TAG_BYTES {
        return refuse!("tag would be longer than {TAG_BYTES} bytes");
    }
    column.tag.push_str(&text);
    Ok(())
}

/// Empties the tag.
pub fn clear_tag(editor: &mut Editor, id: ColumnId) -> Done {
    column(editor, id)?.tag.clear();
    Ok(())
}

fn column(editor: &mut Editor, id: ColumnId) -> Done<&mut Column> {
    editor.columns.get_mut(id).ok_or_else(|| "no such column".into())
}
