//! The files of a column: its tag, and what it holds.

use bytes::Bytes;

use crate::standin::editor::Editor;
use crate::standin::pane::ColumnId;
use crate::standin::refusal::Done;
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
