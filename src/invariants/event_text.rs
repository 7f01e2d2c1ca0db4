//! Records of an event file, and the text that they make of another.

use bytes::Bytes;

/// One record, as acme(4) has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What was done.
    pub action: u8,
    /// Where it began, in runes.
    pub q0: usize,
    /// Where it ended, in runes.
    pub q1: usize,
    /// Its text; nothing where it was left out, or holds more than ASCII.
    pub text: Option<Bytes>,
}

/// The most of an unknown rune, in bytes.
const RUNE_BYTES: usize = 4;

/// A text of which some runes are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// ASCII, and runes that are not known.
    head: Vec<Option<u8>>,
    /// From the first rune on that is known and not of ASCII. How many runes these bytes are is the
    /// server's affair, where they may not all be UTF-8.
    tail: Bytes,
}

/// What a record did to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// Its change.
    Done,
    /// What cannot be known.
    Unknown,
    /// Nothing: the text has no such runes.
    Outside,
}

/// All records in `bytes`; nothing if they are anything else.
pub fn records(mut bytes: &[u8]) -> Option<Vec<Record>> {
    let mut records = Vec::new();
    while !bytes.is_empty() {
        records.push(record(&mut bytes)?);
    }
    Some(records)
}

fn record(bytes: &mut &[u8]) -> Option<Record> {
    let [b'E' | b'F' | b'K' | b'M' | b'Z', action, rest @ ..] = *bytes else { return None };
    *bytes = rest;
    if !b"xXlLiIdDZ".contains(action) {
        return None;
    }
    let (q0, q1, _flag, length) = (number(bytes)?, number(bytes)?, number(bytes)?, number(bytes)?);
    let end = runes_end(bytes, length)?;
    let (text, rest) = bytes.split_at(end);
    *bytes = rest.strip_prefix(b"\n")?;
    let known = length > 0 && text.is_ascii();
    let text = known.then(|| Bytes::copy_from_slice(text));
    (q0 <= q1).then_some(Record { action: *action, q0, q1, text })
}

/// A number and the blank behind it.
fn number(bytes: &mut &[u8]) -> Option<usize> {
    let end = bytes.iter().position(|byte| !byte.is_ascii_digit())?;
    let number = std::str::from_utf8(&bytes[..end]).ok()?.parse().ok()?;
    *bytes = bytes[end..].strip_prefix(b" ")?;
    Some(number)
}

/// Where so many runes end; a byte that is no UTF-8 is one of its own.
fn runes_end(bytes: &[u8], runes: usize) -> Option<usize> {
    let ends = bytes.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid().chars().map(char::len_utf8);
        valid.chain(chunk.invalid().iter().map(|_| 1))
    });
    let (mut end, mut left) = (0, runes);
    for length in ends {
        if left == 0 {
            break;
        }
        (end, left) = (end + length, left - 1);
    }
    (left == 0).then_some(end)
}

impl Text {
    /// A body as it was read.
    pub fn new(body: &Bytes) -> Text {
        let ascii = body.iter().position(|byte| !byte.is_ascii()).unwrap_or(body.len());
        let head = body[..ascii].iter().copied().map(Some).collect();
        Text { head, tail: body.slice(ascii..) }
    }

    /// Makes the change that a record tells of; one of the tag, or none, changes nothing.
    pub fn apply(&mut self, record: &Record) -> Applied {
        let Record { action, q0, q1, ref text } = *record;
        let end = match action {
            b'I' => q0,
            b'D' => q1,
            _ => return Applied::Done,
        };
        if end > self.head.len() {
            return if self.tail.is_empty() { Applied::Outside } else { Applied::Unknown };
        }
        if action == b'D' {
            self.head.drain(q0..q1);
            return Applied::Done;
        }
        let length = q1 - q0;
        if length > TEXT_RUNES {
            return Applied::Unknown;
        }
        let runes: Vec<Option<u8>> = match text {
            Some(text) if text.len() == length => text.iter().copied().map(Some).collect(),
            // It contradicts itself, which is not the affair of the text.
            Some(_) => return Applied::Unknown,
            None => vec![None; length],
        };
        self.head.splice(q0..q0, runes);
        Applied::Done
    }

    /// Whether `body` can be this text; nothing where that takes too long to say.
    pub fn may_be(&self, body: &[u8]) -> Option<bool> {
        let Some(body) = body.strip_suffix(&self.tail[..]) else { return Some(false) };
        if self.head.iter().filter(|rune| rune.is_none()).count() > UNKNOWN_RUNES {
            return None;
        }
        // Where in the body the text so far may end: in order, each once.
        let mut ends = vec![0];
        for run in self.head.chunk_by(|a, b| a.is_some() == b.is_some()) {
            let known: Option<Vec<u8>> = run.iter().copied().collect();
            ends = match known {
                Some(known) => {
                    let there = |end: &usize| body[*end..].starts_with(&known);
                    ends.into_iter().filter(there).map(|end| end + known.len()).collect()
                }
                None => spread(&ends, run.len(), body.len()),
            };
        }
        Some(ends.last() == Some(&body.len()))
    }
}

/// The longest text of one record, in runes.
const TEXT_RUNES: usize = 1 << 20;
/// The most unknown runes in a text that is compared.
const UNKNOWN_RUNES: usize = 8_192;

/// Where so many unknown runes may end that begin at one of `starts`.
fn spread(starts: &[usize], runes: usize, length: usize) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut next = 0;
    for start in starts {
        let last = (start + runes * RUNE_BYTES).min(length);
        ends.extend((start + runes).max(next)..=last);
        next = next.max(last + 1);
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(body: &'static str, events: &str) -> Option<Text> {
        let mut text = Text::new(&Bytes::from_static(body.as_bytes()));
        let done = |record: &Record| text.apply(record) == Applied::Done;
        records(events.as_bytes()).expect("records").iter().all(done).then_some(text)
    }

    fn fits(body: &'static str, events: &str, other: &[u8]) -> bool {
        after(body, events).expect("a text").may_be(other).expect("a short text")
    }

    #[test]
    fn records_are_read_and_nothing_else_is() {
        let all = records(b"ED0 5 0 0 \nEI0 2 0 2 a\n\nMX3 4 0 1  \nKI0 1 0 1 \xff\n").unwrap();
        let text: Vec<Option<&[u8]>> = all.iter().map(|one| one.text.as_deref()).collect();
        assert_eq!(text, [None, Some(&b"a\n"[..]), Some(b" "), None]);
        assert_eq!((all[2].action, all[2].q0, all[2].q1), (b'X', 3, 4));
        assert_eq!(records("FI0 2 0 2 日\u{e9}\nFD0 1 0 0 \n".as_bytes()).unwrap().len(), 2);
        for bad in [
            "E",
            "EI",
            "EI0 1 0 1 a",
            "EI0 1 0 2 a\n",
            "EI0 1 0 0 a\n",
            "EI1 0 0 0 \n",
            "QI0 0 0 0 \n",
            "EI-1 0 0 0 \n",
            "EI0 1 0 1  a\n",
            "EQ0 0 0 0 \n",
            "\n",
            "EI0  1 0 0 \n",
            "EI99999999999999999999 1 0 0 \n",
        ] {
            assert_eq!(records(bad.as_bytes()), None, "{bad:?}");
        }
    }

    #[test]
    fn changes_are_made_where_they_are_told() {
        assert!(fits("one two", "ED0 3 0 0 \nEI0 1 0 1 1\n", b"1 two"));
        assert!(!fits("one two", "EI0 1 0 1 1\nED0 3 0 0 \n", b"1 two"));
        assert!(fits("one two", "Ei0 1 0 1 1\nMX0 3 0 0 \n", b"one two"));
        assert!(fits("", "EI0 3 0 3 abc\nFI3 3 0 0 \n", b"abc"));
        assert!(!fits("a", "ED0 1 0 0 \n", b"a"));
    }

    #[test]
    fn unknown_runes_are_any_of_so_many() {
        let two = "EI1 3 0 0 \n";
        assert!(fits("ab", two, b"axxb"));
        assert!(fits("ab", two, "a日😀b".as_bytes()));
        assert!(!fits("ab", two, b"axb"));
        assert!(!fits("ab", two, b"axxxxxxxxxb"));
        assert!(fits("ab", "EI1 3 0 0 \nEI0 1 0 0 \nED4 5 0 0 \n", b"xayy"));
        assert!(fits("ab", "EI1 2 0 1 \u{e9}\n", "a\u{e9}b".as_bytes()));
        assert_eq!(after("", "EI0 9999 0 0 \n").unwrap().may_be(b""), None);
    }

    #[test]
    fn runes_beyond_ascii_are_not_counted() {
        assert!(fits("ab\u{e9}c", "EI1 2 0 1 x\n", "axb\u{e9}c".as_bytes()));
        assert!(!fits("ab\u{e9}c", "EI1 2 0 1 x\n", "axbe9".as_bytes()));
        assert_eq!(after("ab\u{e9}c", "EI3 4 0 1 x\n"), None);
        let mut text = Text::new(&Bytes::from_static(b"ab"));
        let [outside] = &records(b"EI3 4 0 1 x\n").unwrap()[..] else { panic!() };
        assert_eq!(text.apply(outside), Applied::Outside);
    }
}
