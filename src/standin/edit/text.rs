//! The text that an Edit works on, as it is before any change: runes for addresses, bytes for the
//! engine of regular expressions.

use std::rc::Rc;

use ropey::Rope;

use crate::standin::address::Range;
use crate::standin::regexp::Regexp;

/// A text that regular expressions are matched in: whole for the engine, a rope to count runes.
#[derive(Clone)]
pub struct Text {
    /// All of it.
    pub whole: Rc<str>,
    /// The same, to count runes.
    pub rope: Rope,
}

impl Text {
    /// The text of a range of runes.
    pub fn slice(&self, range: Range) -> &str {
        &self.whole[self.rope.char_to_byte(range.q0)..self.rope.char_to_byte(range.q1)]
    }

    /// The runes from the byte `b0` to the byte `b1`.
    pub fn range(&self, b0: usize, b1: usize) -> Range {
        Range::new(self.rope.byte_to_char(b0), self.rope.byte_to_char(b1))
    }
}

/// The matches in a range from left to right, sam's way: a null one just behind another is none.
pub struct Matches<'a> {
    text: &'a str,
    start: usize,
    at: usize,
    after: Option<usize>,
}

impl<'a> Matches<'a> {
    /// The matches in `range`.
    pub fn new(text: &'a Text, range: Range) -> Self {
        let start = text.rope.char_to_byte(range.q0);
        let end = text.rope.char_to_byte(range.q1);
        Matches { text: &text.whole[..end], start, at: start, after: None }
    }

    /// The byte where the range begins.
    pub fn start(&self) -> usize {
        self.start
    }

    /// The byte where the range ends.
    pub fn end(&self) -> usize {
        self.text.len()
    }

    /// The next match, in bytes.
    pub fn next(&mut self, regexp: &Regexp) -> Option<(usize, usize)> {
        while self.at <= self.text.len() {
            let (b0, b1) = regexp.find_at(self.text, self.at)?;
            self.at = if b0 == b1 { self.behind(b1) } else { b1 };
            if b0 == b1 && self.after == Some(b0) {
                continue;
            }
            self.after = Some(b1);
            return Some((b0, b1));
        }
        None
    }

    fn behind(&self, at: usize) -> usize {
        at + self.text[at..].chars().next().map_or(1, char::len_utf8)
    }
}
