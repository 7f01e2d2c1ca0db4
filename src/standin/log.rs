//! The log: a ring of records, each said again counted in place, and what followers see of it.

use std::collections::VecDeque;

use bytes::Bytes;

use super::limits::{LOG_LINE_RUNES, LOG_RING_LINES, LOG_TOLD_BYTES};
use super::plants::Defect;
use super::runes::printable;

/// The records, and the lines that followers are told: the same, but each count a line of its own.
#[derive(Debug, Default)]
pub struct Log {
    ring: VecDeque<Record>,
    told: VecDeque<Bytes>,
    told_bytes: usize,
    /// How many lines are gone from the front of those told.
    told_before: u64,
    plant: Option<Defect>,
}

#[derive(Debug)]
struct Record {
    text: String,
    count: u64,
}

impl Log {
    /// An empty log.
    pub fn new(plant: Option<Defect>) -> Self {
        Log { plant, ..Log::default() }
    }

    /// Appends a record, or counts it if it is the last one said again.
    pub fn say(&mut self, text: &str) {
        let text = printable(text, LOG_LINE_RUNES);
        let again = self.ring.back_mut().filter(|last| last.text == text);
        let count = match again {
            Some(last) => {
                last.count += 1;
                last.count
            }
            None => {
                self.ring.push_back(Record { text: text.clone(), count: 1 });
                1
            }
        };
        if self.ring.len() > LOG_RING_LINES {
            self.ring.pop_front();
        }
        let count = count - u64::from(self.plant == Some(Defect::FollowerCountShort) && count > 1);
        self.tell(line(&text, count));
    }

    /// Logs why something was refused: the one record that the rule asks for.
    pub fn err(&mut self, serial: Option<u32>, file: &str, why: &str) {
        let serial = serial.map_or_else(|| "-".into(), |n| n.to_string());
        self.say(&format!("err {serial} {file}: {why}"));
    }

    /// Logs a message to the user.
    pub fn msg(&mut self, serial: Option<u32>, text: &str) {
        let serial = serial.map_or_else(|| "-".into(), |n| n.to_string());
        self.say(&format!("msg {serial} {text}"));
    }

    /// The whole ring, a line a record.
    pub fn text(&self) -> String {
        let over = u64::from(self.plant == Some(Defect::CountOffByOne));
        let count = |record: &Record| record.count + if record.count > 1 { over } else { 0 };
        self.ring.iter().map(|record| line(&record.text, count(record))).collect()
    }

    /// Where a follower that wants everything remembered begins.
    pub fn oldest(&self) -> u64 {
        self.told_before
    }

    /// Where a follower that wants only what is new begins.
    pub fn newest(&self) -> u64 {
        self.told_before + self.told.len() as u64
    }

    /// The next line for a follower at `position`, which moves on; a follower that fell behind
    /// the ring goes on with the oldest line there is.
    pub fn next(&self, position: &mut u64) -> Option<Bytes> {
        let at = (*position).max(self.told_before);
        let line = self.told.get((at - self.told_before) as usize)?;
        *position = at + 1;
        Some(line.clone())
    }

    fn tell(&mut self, mut line: String) {
        if self.plant == Some(Defect::FollowerMisses) && self.newest() % 32 == 31 {
            line.clear();
        }
        self.told_bytes += line.len();
        self.told.push_back(Bytes::from(line));
        while self.told_bytes > LOG_TOLD_BYTES {
            let Some(oldest) = self.told.pop_front() else { break };
            self.told_bytes -= oldest.len();
            self.told_before += 1;
        }
    }
}

fn line(text: &str, count: u64) -> String {
    if count == 1 { format!("{text}\n") } else { format!("{text} (x{count})\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(log: &Log, mut at: u64) -> Vec<String> {
        std::iter::from_fn(|| log.next(&mut at))
            .map(|line| String::from_utf8(line.to_vec()).unwrap())
            .collect()
    }

    #[test]
    fn a_record_said_again_is_counted_in_place() {
        let mut log = Log::new(None);
        let start = log.newest();
        log.say("a");
        log.say("a");
        log.say("b");
        log.say("a");
        assert_eq!(log.text(), "a (x2)\nb\na\n");
        assert_eq!(followed(&log, start), ["a\n", "a (x2)\n", "b\n", "a\n"]);
    }

    #[test]
    fn old_records_go_and_a_late_follower_goes_on() {
        let mut log = Log::new(None);
        (0..LOG_RING_LINES + 10).for_each(|n| log.say(&format!("n {n}")));
        assert_eq!(log.text().lines().count(), LOG_RING_LINES);
        assert_eq!(followed(&log, 0).len(), LOG_RING_LINES + 10);
        (0..20_000).for_each(|n| log.say(&format!("{n} {}", "x".repeat(350))));
        let late = followed(&log, 0);
        assert!(late.len() < 20_000 && late.last().unwrap().starts_with("19999 "));
    }

    #[test]
    fn a_record_is_one_line_whatever_it_quotes() {
        let mut log = Log::new(None);
        log.err(None, "ctl", "unknown \"a\nb\u{2028}\"");
        assert_eq!(log.text(), "err - ctl: unknown \"a\\nb\\u{2028}\"\n");
    }
}
