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
        Listing { entries: entries.freeze(), ends }
    }

    /// As many whole entries from `offset` on as fit in `count` bytes.
    pub fn read(&self, offset: u64, count: usize) -> Done<Bytes> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
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
}
