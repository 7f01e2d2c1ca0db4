//! The root's files that are made anew for each open, and those that take one value.

use bytes::Bytes;

use crate::standin::editor::Editor;
use crate::standin::refusal::{Done, refuse};
use crate::standin::runes;
use crate::standin::tree::TopFile;
use crate::standin::{builtins, render, screen};

/// The file's text.
pub fn text(editor: &Editor, file: TopFile) -> Done<Bytes> {
    let text = match file {
        TopFile::Readme => render::README.to_string(),
        TopFile::Index => render::index(editor)?,
        TopFile::Status | TopFile::Ctl => render::status(editor),
        TopFile::Focus => format!("{}\n", editor.focus),
        TopFile::Commands => builtins::listed(),
        TopFile::Recent => editor.recent.iter().map(|name| format!("{name}\n")).collect(),
        TopFile::Screen => screen::draw(editor),
        TopFile::Listeners => render::listeners(editor),
        TopFile::Layout => render::layout(editor),
        TopFile::Tag => editor.tag.clone(),
        TopFile::Log | TopFile::Look | TopFile::Exec | TopFile::Tagexec => {
            return Err("file is not readable".into());
        }
    };
    Ok(runes::data(&text))
}

/// Sets the focus.
pub fn write(editor: &mut Editor, file: TopFile, data: &[u8]) -> Done {
    let text = runes::from_bytes(data);
    match file {
        TopFile::Focus => {
            let word = text.trim();
            let Ok(serial) = word.parse() else {
                return refuse!("\"{}\" is no serial", runes::printable(word, 40));
            };
            editor.pane(serial)?;
            editor.leave();
            editor.focus = serial;
            Ok(())
        }
        _ => Err("file is not writable".into()),
    }
}
