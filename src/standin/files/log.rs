//! `/log`: read as a whole, or followed once `follow` is written to the open file.

use bytes::Bytes;

use super::{Answer, part};
use crate::standin::editor::Editor;
use crate::standin::refusal::{Done, refuse};
use crate::standin::runes;

/// What one open of the log has read.
#[derive(Debug, Default)]
pub struct LogReader {
    /// The log as it was at the first read.
    whole: Option<Bytes>,
    /// Where a follower is.
    position: Option<u64>,
    /// What a short read left of a line.
    rest: Bytes,
}

impl LogReader {
    /// The whole log, or for a follower what is new, waiting for it if need be.
    pub fn read(&mut self, editor: &Editor, offset: u64, count: usize) -> Answer {
        let Some(position) = &mut self.position else {
            let whole = self.whole.get_or_insert_with(|| runes::data(&editor.log.text()));
            return Answer::Data(part(whole, offset, count));
        };
        let mut data = Vec::new();
        while data.len() < count {
            if self.rest.is_empty() {
                match editor.log.next(position) {
                    Some(line) => self.rest = line,
                    None => break,
                }
            }
            let room = count - data.len();
            data.extend_from_slice(&self.rest.split_to(room.min(self.rest.len())));
        }
        if data.is_empty() && count > 0 { Answer::Wait } else { Answer::Data(data.into()) }
    }

    /// Takes `follow` or `follow new`.
    pub fn write(&mut self, editor: &Editor, data: &[u8]) -> Done {
        let text = runes::from_bytes(data);
        let words: Vec<&str> = text.split_whitespace().collect();
        self.position = Some(match words[..] {
            ["follow"] => editor.log.oldest(),
            ["follow", "new"] => editor.log.newest(),
            _ => return refuse!("log takes \"follow\" or \"follow new\""),
        });
        self.rest = Bytes::new();
        Ok(())
    }
}
