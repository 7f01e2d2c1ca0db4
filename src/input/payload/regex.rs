//! Regular expressions: valid, almost valid, deep and long.

use super::Out;
use crate::input::bytes::Bytes;

/// The most alternatives, and the deepest nesting.
const MAX_REPEATS: usize = 2_000;

vocabulary! {
    /// A regular expression between delimiters.
    pub struct Regex {
        /// Its parts, one after the other.
        pub parts: Vec<RegexPart>,
    }

    /// A part of a regular expression.
    pub enum RegexPart {
        /// Text, most of which stands for itself.
        Text(text: Bytes),
        /// An operator, a class, or half of one.
        Special(part: Special),
        /// `a|a|…|b`.
        Alternatives(count: u16),
        /// `(((a)))`.
        Nested(depth: u16),
    }
}

tables! {
    /// An operator or a class, whole, empty, reversed or unended.
    pub table Special: &'static [u8] = [
        b"(a|b)", b"^", b"$", b"[a-z]", b"[^ ]", b".*", b"\\n", "[é日]".as_bytes(), b"x+", b"(",
        b"[", b"\\", b"a**", b"(((a)))", b"[z-a]", b".", b"a?", b")", b"[]", b"(a*)*b", b"|", b"\n",
    ];
}

impl Regex {
    /// The expression; a slash within would end it, and is left out.
    pub(in crate::input) fn put(&self, out: &mut Out) {
        for part in &self.parts {
            match part {
                RegexPart::Text(Bytes(text)) => {
                    let text: Vec<u8> = text.iter().copied().filter(|&b| b != b'/').collect();
                    out.put(&text);
                }
                RegexPart::Special(part) => out.put(part.value()),
                RegexPart::Alternatives(count) => {
                    out.repeat(b"a|", repeats(*count));
                    out.put(b"b");
                }
                RegexPart::Nested(depth) => {
                    out.repeat(b"(", repeats(*depth));
                    out.put(b"a");
                    out.repeat(b")", repeats(*depth));
                }
            }
        }
    }
}

fn repeats(count: u16) -> usize {
    usize::from(count) % (MAX_REPEATS + 1)
}
