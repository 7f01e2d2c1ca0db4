//! A pane's event file: what happened, in acme(4)'s records, for one reader at a time; and the
//! records a reader writes back.

use std::collections::VecDeque;

use bytes::Bytes;

use super::limits::{EVENT_QUEUE_BYTES, EVENT_TEXT_RUNES};
use super::refusal::{Done, refuse};
use super::runes;

/// Names one open of one file, among all there ever were.
pub type OpenId = u64;

/// The events of one pane.
#[derive(Debug, Default)]
pub struct Events {
    reader: Option<OpenId>,
    queue: VecDeque<Bytes>,
    bytes: usize,
}

/// A record written back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// x X l or L.
    pub action: char,
    /// Where it happened, in runes.
    pub q0: usize,
    /// Where that ends.
    pub q1: usize,
    /// The text, if the record has it.
    pub text: Option<String>,
}

impl Events {
    /// Makes `reader` the one reader.
    pub fn open(&mut self, reader: OpenId) -> Done {
        if self.reader.is_some() {
            return Err("file in use".into());
        }
        self.reader = Some(reader);
        Ok(())
    }

    /// Lets the next reader in; what was not read is forgotten.
    pub fn close(&mut self, reader: OpenId) {
        if self.reader == Some(reader) {
            *self = Events::default();
        }
    }

    /// Records `action` on the runes from `q0` to `q1`, if anyone reads.
    pub fn record(
        &mut self,
        origin: char,
        action: char,
        range: (usize, usize),
        flag: u8,
        text: &str,
    ) {
        if self.reader.is_none() {
            return;
        }
        let mut runes = text.chars().count();
        let mut text = text;
        if runes >= EVENT_TEXT_RUNES {
            (runes, text) = (0, "");
        }
        let (q0, q1) = range;
        let mut record = format!("{origin}{action}{q0} {q1} {flag} {runes} ").into_bytes();
        runes::push_bytes(text, &mut record);
        record.push(b'\n');
        self.bytes += record.len();
        self.queue.push_back(Bytes::from(record));
        while self.bytes > EVENT_QUEUE_BYTES {
            let Some(oldest) = self.queue.pop_front() else { break };
            self.bytes -= oldest.len();
        }
    }

    /// Whether someone reads.
    pub fn is_read(&self) -> bool {
        self.reader.is_some()
    }

    /// Whether something was not read yet.
    pub fn has_unread(&self) -> bool {
        !self.queue.is_empty()
    }

    /// The oldest record not yet read.
    pub fn next(&mut self) -> Option<Bytes> {
        let record = self.queue.pop_front()?;
        self.bytes -= record.len();
        Some(record)
    }
}

impl Record {
    /// Parses what one write holds: whole records, each with its newline.
    pub fn parse_all(text: &str) -> Done<Vec<Record>> {
        let mut records = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (record, after) = Record::parse(rest)?;
            records.push(record);
            rest = after;
        }
        Ok(records)
    }

    /// One record: origin, action, two positions, then flag, count and text or none of the three.
    fn parse(text: &str) -> Done<(Record, &str)> {
        let mut runes = text.chars();
        let (Some('E' | 'F' | 'K' | 'M' | 'Z'), Some(action)) = (runes.next(), runes.next()) else {
            return Err("bad event record: no origin and action".into());
        };
        if !matches!(action, 'x' | 'X' | 'l' | 'L') {
            return refuse!("bad event record: no action {:?} to run", action);
        }
        let mut rest = runes.as_str();
        let q0 = number(&mut rest)?;
        let q1 = number(&mut rest)?;
        if let Some(after) = rest.strip_prefix('\n') {
            return Ok((Record { action, q0, q1, text: None }, after));
        }
        number(&mut rest)?;
        let count = number(&mut rest)?;
        let (text, after) = counted(rest, count).ok_or("bad event record: text not as counted")?;
        let text = (!text.is_empty()).then(|| text.to_string());
        Ok((Record { action, q0, q1, text }, after))
    }
}

/// A number, and the blank that ends it.
fn number(rest: &mut &str) -> Done<usize> {
    let text = rest.trim_start_matches([' ', '\t']);
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = text[..digits].parse().map_err(|_| "bad event record: a number is missing")?;
    // One blank ends the number; more of them are the text's own.
    *rest = text[digits..].strip_prefix(' ').unwrap_or(&text[digits..]);
    Ok(number)
}

/// The text of `count` runes, or of as many bytes, that a newline ends.
fn counted(rest: &str, count: usize) -> Option<(&str, &str)> {
    let by_runes = rest.char_indices().map(|(at, _)| at).nth(count);
    let by_bytes = rest.is_char_boundary(count).then_some(count);
    [by_runes, by_bytes].into_iter().flatten().find_map(|at| {
        let after = rest.get(at..)?.strip_prefix('\n')?;
        Some((&rest[..at], after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn records_written_back_are_read() {
        let records = Record::parse_all("ML0 5 0 5 alpha\nKX1 2 \nML0 0 0 2 日本\n").unwrap();
        assert_eq!(records[0].text.as_deref(), Some("alpha"));
        assert_eq!(records[1], Record { action: 'X', q0: 1, q1: 2, text: None });
        assert_eq!(records[2].text.as_deref(), Some("日本"));
        for bad in ["", "ML0 5", "MI0 1 0 1 a\n", "ML-1 2 0 0 \n", "QL0 0 0 0 \n", "ML0 5 0 9 a\n"]
        {
            assert!(Record::parse_all(bad).is_ok_and(|r| r.is_empty()) == bad.is_empty(), "{bad}");
        }
    }

    #[test]
    fn text_keeps_its_own_blanks() {
        let records = Record::parse_all("ML0 0 0 3  ab\n").unwrap();
        assert_eq!(records[0].text.as_deref(), Some(" ab"));
    }

    #[test]
    fn nobody_reads_nothing_is_kept() {
        let mut events = Events::default();
        events.record('E', 'I', (0, 1), 0, "a");
        assert!(events.next().is_none());
        events.open(1).unwrap();
        assert!(events.open(2).is_err());
        events.record('E', 'I', (0, 1), 0, "a");
        assert_eq!(events.next().unwrap(), "EI0 1 0 1 a\n");
        events.close(2);
        assert!(events.open(2).is_err());
        events.close(1);
        events.open(2).unwrap();
    }

    proptest! {
        #[test]
        fn no_record_panics(text in "[EFKMZxXlLiI0-9 日\n-]{0,30}") {
            let _ = Record::parse_all(&text);
        }
    }
}
