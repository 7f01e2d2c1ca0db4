//! Bytes that JSON holds as a string of the characters U+0000 to U+00FF.

use std::fmt;

use serde::ser::{Serialize, Serializer};

/// A byte string: each byte is one Latin-1 character of a JSON string, so that odd bytes survive a
/// text file and stay readable where they are text.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Latin1(pub Vec<u8>);

impl Latin1 {
    /// The characters as a string.
    pub fn to_text(&self) -> String {
        self.0.iter().map(|&byte| char::from(byte)).collect()
    }

    /// The bytes of `text`, or its first character above U+00FF.
    pub fn parse(text: &str) -> Result<Latin1, char> {
        text.chars().map(|c| u8::try_from(c).map_err(|_| c)).collect::<Result<_, _>>().map(Latin1)
    }
}

impl std::ops::Deref for Latin1 {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<&str> for Latin1 {
    /// The text's UTF-8 bytes.
    fn from(text: &str) -> Self {
        Latin1(text.as_bytes().to_vec())
    }
}

impl From<&[u8]> for Latin1 {
    fn from(bytes: &[u8]) -> Self {
        Latin1(bytes.to_vec())
    }
}

impl From<Vec<u8>> for Latin1 {
    fn from(bytes: Vec<u8>) -> Self {
        Latin1(bytes)
    }
}

impl fmt::Debug for Latin1 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

impl Serialize for Latin1 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_text())
    }
}
