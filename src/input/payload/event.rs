//! Event records, whose numbers may lie.

use super::Out;
use crate::input::bytes::Bytes;
use crate::input::words::{Builtin, Word};

vocabulary! {
    /// A record as a client writes it back.
    pub struct EventRecord {
        /// Where it says it came from.
        pub origin: Origin,
        /// What it says was done.
        pub action: Action,
        /// Where it begins.
        pub start: Offset,
        /// Where it ends.
        pub end: Offset,
        /// Its flag.
        pub flag: EventFlag,
        /// Its text.
        pub text: EventText,
        /// How far the text's length is from what the record says.
        pub lie: Option<Offset>,
        /// Whether the record is ended.
        pub ended: bool,
    }

    /// A record's text.
    pub enum EventText {
        /// None: the text lies in the body.
        Empty,
        /// A word.
        Word(word: Word),
        /// A command.
        Builtin(builtin: Builtin),
        /// Any bytes.
        Raw(bytes: Bytes),
    }
}

tables! {
    /// Who caused the event.
    pub table Origin: u8 = [b'E', b'F', b'K', b'M', b'Z', b'e', b'0'];

    /// What was done, where.
    pub table Action: u8 = [b'x', b'X', b'l', b'L', b'i', b'I', b'd', b'D', b'Z', b'q'];

    /// A place in the text, or far out of it.
    pub table Offset: i64 = [0, 1, 2, 5, 7, 10, 1 << 40, -1, 1 << 31, i64::MAX];

    /// A record's flag.
    pub table EventFlag: i64 = [0, 1, 2, 8, 3, 255, -1];
}

impl EventRecord {
    pub(in crate::input) fn put(&self, out: &mut Out) {
        let text: Vec<u8> = match &self.text {
            EventText::Empty => Vec::new(),
            EventText::Word(word) => word.value().to_vec(),
            EventText::Builtin(builtin) => builtin.value().to_vec(),
            EventText::Raw(Bytes(bytes)) => bytes.clone(),
        };
        let said = self.lie.map_or(text.len() as i64, |lie| lie.value());
        out.put(&[self.origin.value(), self.action.value()]);
        for number in [self.start.value(), self.end.value(), self.flag.value(), said] {
            out.number(number);
            out.put(b" ");
        }
        out.put(&text);
        out.put(if self.ended { b"\n" } else { b"" });
    }
}
