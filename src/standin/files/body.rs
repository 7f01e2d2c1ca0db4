//! `body`: the text in bytes, read as it was when the reading began, and appended to.

use bytes::Bytes;
use ropey::Rope;

use crate::standin::address::Range;
use crate::standin::buffer::Buffer;
use crate::standin::editor::Editor;
use crate::standin::pane::Serial;
use crate::standin::plants::Defect;
use crate::standin::refusal::Done;
use crate::standin::runes::{self, Partial};

/// A text being read. It keeps where the last read ended, so that reading on is cheap even where
/// bytes of the file and bytes of the rope are not the same.
#[derive(Debug)]
pub struct BodyReader {
    text: Rope,
    plain: bool,
    rune: usize,
    byte: u64,
}

impl BodyReader {
    /// The text as it is now; a rope's copy shares what both hold.
    pub fn new(buffer: &Buffer) -> Self {
        BodyReader { text: buffer.text().clone(), plain: buffer.is_plain(), rune: 0, byte: 0 }
    }

    /// At most `count` bytes at the byte `offset`.
    pub fn read(&mut self, offset: u64, count: usize) -> Bytes {
        if self.plain { self.read_plain(offset, count) } else { self.read_escaped(offset, count) }
    }

    fn read_plain(&self, offset: u64, count: usize) -> Bytes {
        let end = self.text.len_bytes();
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(end);
        let to = from.saturating_add(count).min(end);
        let mut data = Vec::with_capacity(to - from);
        let (chunks, mut at, _, _) = self.text.chunks_at_byte(from);
        for chunk in chunks {
            if at >= to {
                break;
            }
            let first = from.saturating_sub(at);
            data.extend_from_slice(&chunk.as_bytes()[first..chunk.len().min(to - at)]);
            at += chunk.len();
        }
        data.into()
    }

    fn read_escaped(&mut self, offset: u64, count: usize) -> Bytes {
        if offset < self.byte {
            (self.rune, self.byte) = (0, 0);
        }
        let mut data = Vec::new();
        for rune in self.text.chars_at(self.rune) {
            let length = runes::rune_bytes(rune) as u64;
            if self.byte + length > offset {
                let start = data.len();
                runes::push_bytes(rune.encode_utf8(&mut [0; 4]), &mut data);
                let before = offset.saturating_sub(self.byte) as usize;
                data.drain(start..start + before);
                if data.len() >= count {
                    // The next read may begin inside this rune: it stays the current one.
                    break;
                }
            }
            self.rune += 1;
            self.byte += length;
        }
        data.truncate(count);
        data.into()
    }
}

/// Appends what is whole of `data`; a rune split over two writes waits in `partial`.
pub fn append(editor: &mut Editor, serial: Serial, partial: &mut Partial, data: &[u8]) -> Done {
    let end = editor.buffer(serial)?.runes();
    let mut text = partial.push(data);
    if editor.planted(Defect::RuneSplit) && partial.finish().is_some() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    editor.edit(serial, Range::at(end), &text, 'E')
}

/// Appends what never became a whole rune, as the bytes it is.
pub fn finish(editor: &mut Editor, serial: Serial, partial: &mut Partial) {
    let Ok(end) = editor.buffer(serial).map(Buffer::runes) else { return };
    if let Some(text) = partial.finish() {
        let _ = editor.edit(serial, Range::at(end), &text, 'E');
    }
}

/// Takes all text out.
pub fn empty(editor: &mut Editor, serial: Serial) -> Done {
    let end = editor.buffer(serial)?.runes();
    editor.edit(serial, Range::new(0, end), "", 'E')
}
