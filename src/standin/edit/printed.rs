//! What the commands of an Edit print, within a bound.

use crate::standin::limits::EDIT_PRINTED_BYTES;

/// The text printed so far.
#[derive(Debug, Default)]
pub struct Printed(String);

impl Printed {
    /// Appends as much of `text` as there is room for.
    pub fn push(&mut self, text: &str) {
        let room = EDIT_PRINTED_BYTES.saturating_sub(self.0.len());
        let end = (0..=room.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
        self.0.push_str(&text[..end.unwrap_or(0)]);
    }

    /// All of it.
    pub fn into_string(self) -> String {
        self.0
    }
}
