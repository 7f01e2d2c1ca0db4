//! Small changes to a payload, after it was made.

use crate::input::words::{Odd, Rune};

/// The most changes that are made to one payload.
const MAX_EDITS: usize = 64;

vocabulary! {
    /// A change. A position counts modulo the length.
    #[derive(Copy)]
    pub enum Mutation {
        /// A byte goes.
        Delete {
            /// Which.
            at: u16,
        },
        /// Odd bytes come.
        InsertOdd {
            /// Where.
            at: u16,
            /// Which.
            odd: Odd,
        },
        /// A range is doubled.
        Duplicate {
            /// Where it begins.
            at: u16,
            /// How long it is.
            length: u16,
        },
        /// A rune comes.
        InsertRune {
            /// Where.
            at: u16,
            /// Which.
            rune: Rune,
        },
        /// A byte comes.
        InsertByte {
            /// Where.
            at: u16,
            /// Which.
            byte: u8,
        },
    }
}

/// The data with the changes made to it, cut at the limit.
pub(super) fn apply(mut data: Vec<u8>, edits: &[Mutation], limit: usize) -> Vec<u8> {
    for edit in edits.iter().take(MAX_EDITS) {
        edit.apply(&mut data);
        data.truncate(limit);
    }
    data
}

impl Mutation {
    fn apply(self, data: &mut Vec<u8>) {
        match self {
            Mutation::Delete { at } if !data.is_empty() => {
                data.remove(usize::from(at) % data.len());
            }
            Mutation::Delete { .. } => {}
            Mutation::InsertOdd { at, odd } => insert(data, at, odd.value()),
            Mutation::Duplicate { at, length } => {
                let start = position(data, at);
                let end = data.len().min(start + usize::from(length));
                let range = data[start..end].to_vec();
                insert(data, at, &range);
            }
            Mutation::InsertRune { at, rune } => insert(data, at, rune.value().as_bytes()),
            Mutation::InsertByte { at, byte } => insert(data, at, &[byte]),
        }
    }
}

fn position(data: &[u8], at: u16) -> usize {
    usize::from(at) % (data.len() + 1)
}

fn insert(data: &mut Vec<u8>, at: u16, bytes: &[u8]) {
    let at = position(data, at);
    data.splice(at..at, bytes.iter().copied());
}
