//! Bytes of a file to text and back: what is no UTF-8 becomes runes of a private range.
//!
//! A byte `b` that is part of no valid sequence becomes the rune U+10FE00 + b. Should a file hold
//! such a rune itself, its four bytes are taken as four invalid ones, so that `to_bytes` is the
//! inverse of `from_bytes` for every input.

use bytes::Bytes;

const ESCAPE: u32 = 0x10_fe00;

/// Text with every byte of `bytes` in it.
pub fn from_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        push_valid(&mut text, chunk.valid());
        chunk.invalid().iter().for_each(|&b| text.push(escape(b)));
    }
    text
}

/// The bytes that `text` stands for.
pub fn to_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    push_bytes(text, &mut bytes);
    bytes
}

/// Appends the bytes that `text` stands for.
pub fn push_bytes(text: &str, out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = rest.find(is_escape) {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        let mut runes = rest[at..].chars();
        out.extend(runes.next().and_then(escaped));
        rest = runes.as_str();
    }
    out.extend_from_slice(rest.as_bytes());
}

/// How many runes of `text` stand for a byte each.
pub fn escapes(text: &str) -> usize {
    if !may_hold_escapes(text) {
        return 0;
    }
    text.chars().filter(|&c| is_escape(c)).count()
}

/// The bytes one rune stands for: one if it is an escape, else its UTF-8 length.
pub fn rune_bytes(rune: char) -> usize {
    if is_escape(rune) { 1 } else { rune.len_utf8() }
}

/// One line of printable text: control characters and line separators are written as escapes, and
/// what is longer than `runes` is cut.
pub fn printable(text: &str, runes: usize) -> String {
    let mut line = String::new();
    for (n, rune) in text.chars().enumerate() {
        if n == runes {
            line.push('…');
            break;
        }
        match rune {
            '\u{2028}' | '\u{2029}' => line.extend(rune.escape_default()),
            c if is_escape(c) => {
                let byte = escaped(c).unwrap_or(b'?');
                line.push_str(&format!("\\x{byte:02x}"));
            }
            c if c.is_control() => line.extend(c.escape_default()),
            c => line.push(c),
        }
    }
    line
}

/// Bytes that wait for the rest of their rune: a client may split one over two writes.
#[derive(Debug, Default)]
pub struct Partial(Vec<u8>);

impl Partial {
    /// What can be told by now of the bytes so far; an unfinished rune at the end waits.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.0.extend_from_slice(bytes);
        let keep = unfinished(&self.0);
        let rest = self.0.split_off(self.0.len() - keep);
        from_bytes(&std::mem::replace(&mut self.0, rest))
    }

    /// What still waits, as the bytes it is.
    pub fn finish(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.0);
        (!rest.is_empty()).then(|| from_bytes(&rest))
    }
}

/// Text as reply data.
pub fn data(text: &str) -> Bytes {
    Bytes::from(to_bytes(text))
}

fn push_valid(text: &mut String, valid: &str) {
    if !may_hold_escapes(valid) {
        text.push_str(valid);
        return;
    }
    for rune in valid.chars() {
        if is_escape(rune) {
            let mut buffer = [0; 4];
            rune.encode_utf8(&mut buffer).bytes().for_each(|b| text.push(escape(b)));
        } else {
            text.push(rune);
        }
    }
}

/// Every escape begins with this byte of UTF-8, and hardly any other rune does.
fn may_hold_escapes(text: &str) -> bool {
    text.as_bytes().contains(&0xf4)
}

fn escape(byte: u8) -> char {
    char::from_u32(ESCAPE + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn is_escape(rune: char) -> bool {
    escaped(rune).is_some()
}

fn escaped(rune: char) -> Option<u8> {
    u32::from(rune).checked_sub(ESCAPE).and_then(|b| u8::try_from(b).ok()).filter(|b| *b >= 0x80)
}

/// How many bytes at the end may be the start of a rune.
fn unfinished(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let byte = bytes[bytes.len() - back];
        let length = match byte {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        // Only a beginning that is valid so far may still become a rune.
        let tail = &bytes[bytes.len() - back..];
        let possible = match std::str::from_utf8(tail) {
            Ok(_) => false,
            Err(why) => why.valid_up_to() == 0 && why.error_len().is_none(),
        };
        return if length > back && possible { back } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn invalid_bytes_survive_as_one_rune_each() {
        let bytes = b"caf\xe9 \xff\xfe \xe6\x97 end";
        assert_eq!(to_bytes(&from_bytes(bytes)), bytes);
        assert_eq!(from_bytes(b"\xff").chars().count(), 1);
        assert_eq!(escapes(&from_bytes(bytes)), 5);
    }

    #[test]
    fn a_rune_split_over_writes_is_one_rune() {
        let mut partial = Partial::default();
        assert_eq!(partial.push(b"a\xe6\x97"), "a");
        assert_eq!(partial.push(b"\xa5"), "日");
        assert_eq!(partial.finish(), None);
        assert_eq!(partial.push(b"\xe6\x97"), "");
        assert_eq!(to_bytes(&partial.finish().unwrap()), b"\xe6\x97");
    }

    #[test]
    fn printable_is_one_line() {
        assert_eq!(printable("a\n\u{85}\u{2028}b", 9), "a\\n\\u{85}\\u{2028}b");
        assert_eq!(printable("abcdef", 3), "abc…");
    }

    proptest! {
        #[test]
        fn bytes_come_back_exactly(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(to_bytes(&from_bytes(&bytes)), bytes);
        }

        #[test]
        fn the_private_range_itself_comes_back(low in 0u32..256) {
            let rune = char::from_u32(ESCAPE + low).unwrap().to_string();
            prop_assert_eq!(to_bytes(&from_bytes(rune.as_bytes())), rune.as_bytes());
        }

        #[test]
        fn split_writes_lose_nothing(
            bytes in prop::collection::vec(any::<u8>(), 0..60),
            at in 0usize..60,
        ) {
            let at = at.min(bytes.len());
            let mut partial = Partial::default();
            let mut text = partial.push(&bytes[..at]);
            text.push_str(&partial.push(&bytes[at..]));
            text.push_str(&partial.finish().unwrap_or_default());
            prop_assert_eq!(to_bytes(&text), bytes);
        }
    }
}
