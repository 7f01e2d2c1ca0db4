//! A directory's entries as reads give them: whole ones, at the offsets where the last read ended.

use bytes::{Bytes, BytesMut};

use crate::standin::editor::Editor;
use crate::standin::refusal::{Done, refuse};
use crate::standin::tree::Node;

/// The entries of one open of a directory.
#[derive(Debug)]
pub struct Listing {
    entries: Bytes,
    /// Where each entry ends.
    ends: Vec<usize>,
    /// Bytes that a planted defect has passed over.
    lost: usize,
}

impl Listing {
    /// The entries of `node` as they are now.
    pub fn of(editor: &Editor, node: &Node) -> Self {
        let mut entries = BytesMut::new();
        let mut ends = Vec::new();
        for child in node.children(editor) {
            // A name that no entry can hold is left out: a host's may be that long.
            if child.stat(editor).encode(&mut entries).is_ok() {
                ends.push(entries.len());
            }
        }
        Listing { entries: entries.freeze(), ends, lost: 0 }
    }

    /// As many whole entries from `offset` on as fit in `count` bytes.
    pub fn read(&mut self, offset: u64, count: usize, loses: bool) -> Done<Bytes> {
        let mut from = usize::try_from(offset).unwrap_or(usize::MAX);
        if loses {
            from = self.lose(from);
        }
        if from >= self.entries.len() {
            return Ok(Bytes::new());
        }
        let first = match from {
            0 => 0,
            _ => self.ends.binary_search(&from).map_err(|_| "offset inside a directory entry")? + 1,
        };
        let fitting = self.ends[first..].partition_point(|end| end - from <= count);
        if fitting == 0 {
            return refuse!("count {count} is smaller than the next directory entry");
        }
        Ok(self.entries.slice(from..self.ends[first + fitting - 1]))
    }

    /// All entries one behind the other.
    pub fn entries(&self) -> &Bytes {
        &self.entries
    }

    /// Turns the order around.
    pub fn reverse(&mut self) {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let spans: Vec<(usize, usize)> = starts.zip(self.ends.iter().copied()).collect();
        let mut entries = BytesMut::with_capacity(self.entries.len());
        self.ends.clear();
        for (start, end) in spans.into_iter().rev() {
            entries.extend_from_slice(&self.entries[start..end]);
            self.ends.push(entries.len());
        }
        self.entries = entries.freeze();
    }

    /// Passes over one entry more at each piece behind the first.
    fn lose(&mut self, offset: usize) -> usize {
        if offset == 0 {
            self.lost = 0;
            return 0;
        }
        let from = offset + self.lost;
        let end = self.ends.iter().copied().find(|end| *end > from).unwrap_or(from);
        self.lost += end - from;
        end
    }
}
