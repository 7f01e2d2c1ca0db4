//! Text: words, odd bytes, runes, any bytes, and very many of them.

use super::{Out, PayloadKind};
use crate::input::bytes::Bytes;
use crate::input::words::{Odd, Rune, Word};

/// The most repetitions of a word.
const MAX_TIMES: usize = 20_000;

vocabulary! {
    /// Text with its end.
    pub struct Text {
        /// What it says.
        pub body: TextBody,
        /// How it ends.
        pub end: Ending,
    }

    /// What a text says.
    pub enum TextBody {
        /// One word.
        Word(word: Word),
        /// Words, runes and odd bytes.
        Odd(pieces: Vec<Piece>),
        /// Runes alone.
        Runes(runes: Vec<Rune>),
        /// Any bytes.
        Raw(bytes: Bytes),
        /// A word and a space, up to 20,000 times.
        Repeat {
            /// The word.
            word: Word,
            /// How often.
            times: u16,
        },
        /// Exactly so many bytes.
        Sized {
            /// Of what.
            fill: Fill,
            /// How many.
            size: Size,
        },
    }

    /// A part of a text.
    #[derive(Copy)]
    pub enum Piece {
        /// A word.
        Word(word: Word),
        /// A rune.
        Rune(rune: Rune),
        /// Odd bytes.
        Odd(bytes: Odd),
        /// One byte.
        Byte(byte: u8),
        /// A space.
        Space,
    }

    /// What fills a text of an exact size.
    #[derive(Copy)]
    pub enum Fill {
        /// One letter.
        Letter,
        /// Short lines.
        Lines,
        /// A rune, cut where the size is reached.
        Rune(rune: Rune),
    }
}

choices! {
    /// How a text ends.
    pub enum Ending: &'static [u8] {
        Newline = b"\n",
        Nothing = b"",
        CrLf = b"\r\n",
        BlankLine = b"\n\n",
    }
}

tables! {
    /// A size about a power of two, in bytes: of a buffer, a count or a message.
    pub table Size: usize = [
        255, 256, 1023, 1024, 1025, 65535, 65536, 70000, 4095, 4096, 8192, 65512, 65513, 131072,
    ];
}

impl Text {
    pub(super) fn kind(&self) -> PayloadKind {
        match self.body {
            TextBody::Word(_) => PayloadKind::Word,
            TextBody::Odd(_) => PayloadKind::Odd,
            TextBody::Runes(_) => PayloadKind::Runes,
            TextBody::Raw(_) => PayloadKind::Raw,
            TextBody::Repeat { .. } => PayloadKind::Repeat,
            TextBody::Sized { .. } => PayloadKind::Sized,
        }
    }

    pub(in crate::input) fn put(&self, out: &mut Out) {
        match &self.body {
            TextBody::Word(word) => out.put(word.value()),
            TextBody::Odd(pieces) => pieces.iter().for_each(|piece| piece.put(out)),
            TextBody::Runes(runes) => {
                runes.iter().for_each(|rune| out.put(rune.value().as_bytes()));
            }
            TextBody::Raw(Bytes(bytes)) => out.put(bytes),
            TextBody::Repeat { word, times } => {
                let unit = [word.value(), b" "].concat();
                out.repeat(&unit, usize::from(*times) % (MAX_TIMES + 1));
            }
            TextBody::Sized { fill, size } => fill.put(size.value(), out),
        }
        out.put(self.end.value());
    }
}

impl Piece {
    fn put(self, out: &mut Out) {
        match self {
            Piece::Word(word) => out.put(word.value()),
            Piece::Rune(rune) => out.put(rune.value().as_bytes()),
            Piece::Odd(bytes) => out.put(bytes.value()),
            Piece::Byte(byte) => out.put(&[byte]),
            Piece::Space => out.put(b" "),
        }
    }
}

impl Fill {
    fn put(self, size: usize, out: &mut Out) {
        let unit = match self {
            Fill::Letter => "x",
            Fill::Lines => "line of text\n",
            // The table holds an empty one.
            Fill::Rune(rune) if rune.value().is_empty() => "x",
            Fill::Rune(rune) => rune.value(),
        };
        out.repeat(unit.as_bytes(), size / unit.len());
        out.put(&unit.as_bytes()[..size % unit.len()]);
    }
}
