//! The line that a fid's writes began and did not end: what the next write adds to it belongs to one
//! command, and what is left of it runs at the close.

use bytes::Bytes;

/// The most of one unended line that is remembered, in bytes.
const LINE_BYTES: usize = 1 << 16;
/// How many lines it may be that are told apart.
const LINES: usize = 8;

/// What the line may be: one, as long as every write was taken. What a server keeps of a refused
/// write is not known: the end of it, what was there before it, or nothing.
#[derive(Clone, Debug)]
pub struct Begun(Vec<Vec<u8>>);

impl Default for Begun {
    /// Nothing is begun.
    fn default() -> Self {
        Begun(vec![Vec::new()])
    }
}

impl Begun {
    /// What the server has to run once `data` comes; where that is not known, each form it may have,
    /// on lines of its own.
    pub fn with(&self, data: &[u8]) -> Bytes {
        self.each_with(data).join(&b'\n').into()
    }

    /// Takes note of a write of `data`, and whether it was taken.
    pub fn follow(&mut self, data: &[u8], taken: bool) {
        let mut lines: Vec<Vec<u8>> = self.each_with(data).into_iter().map(unended).collect();
        if !taken {
            lines.append(&mut self.0);
            lines.push(Vec::new());
        }
        lines.sort();
        lines.dedup();
        lines.truncate(LINES);
        self.0 = lines;
    }

    /// Whether something may be left to run at the close.
    pub fn may_be_left(&self) -> bool {
        self.0.iter().any(|line| !line.is_empty())
    }

    fn each_with(&self, data: &[u8]) -> Vec<Vec<u8>> {
        self.0.iter().map(|line| [line, data].concat()).collect()
    }
}

/// What follows the last newline.
fn unended(mut text: Vec<u8>) -> Vec<u8> {
    if let Some(end) = text.iter().rposition(|&byte| byte == b'\n') {
        text.drain(..=end);
    }
    text.truncate(LINE_BYTES);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_is_known() {
        let mut begun = Begun::default();
        begun.follow(b"Lo", true);
        begun.follow(b"", true);
        assert!(begun.may_be_left());
        assert_eq!(&begun.with(b"ok\n")[..], b"Look\n");
        begun.follow(b"ok\nx", true);
        assert_eq!(&begun.with(b"y")[..], b"xy");
        begun.follow(b"\n", true);
        assert!(!begun.may_be_left());
        assert_eq!(&begun.with(b"a\n")[..], b"a\n");
    }

    #[test]
    fn what_was_refused_may_be_there_or_not() {
        let mut begun = Begun::default();
        begun.follow(b"x\ny", false);
        assert_eq!(&begun.with(b"Look\n")[..], b"Look\n\nyLook\n");
        let mut begun = Begun::default();
        begun.follow(b"n", true);
        begun.follow(b"\n", false);
        assert!(begun.may_be_left());
        begun.follow(b"\n", true);
        assert!(!begun.may_be_left());
    }

    #[test]
    fn it_never_grows_without_a_bound() {
        let mut begun = Begun::default();
        for n in 0..100u8 {
            begun.follow(&[n; 3], false);
        }
        assert!(begun.0.len() <= LINES);
        begun.follow(&vec![b'x'; 2 * LINE_BYTES], true);
        assert!(begun.0.iter().all(|line| line.len() <= LINE_BYTES));
    }
}
