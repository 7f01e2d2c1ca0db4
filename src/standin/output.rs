//! What a shell has printed, kept for those who read it: a ring, read on even when the shell and
//! its pane are gone.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use bytes::Bytes;

use super::limits::TERMINAL_RING_BYTES;

/// The output, shared by the terminal and its readers.
#[derive(Clone, Debug, Default)]
pub struct Output(Rc<RefCell<Ring>>);

#[derive(Debug, Default)]
struct Ring {
    bytes: VecDeque<u8>,
    /// How many bytes are gone from the front.
    before: u64,
    ended: bool,
}

/// What there is for a reader.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// Output.
    Data(Bytes),
    /// Nothing yet.
    Wait,
    /// Nothing, ever again.
    End,
}

impl Output {
    /// Appends; the oldest goes when it is too much.
    pub fn push(&self, bytes: &[u8]) {
        let mut ring = self.0.borrow_mut();
        ring.bytes.extend(bytes);
        let over = ring.bytes.len().saturating_sub(TERMINAL_RING_BYTES);
        ring.bytes.drain(..over);
        ring.before += over as u64;
    }

    /// Tells readers that no more will come.
    pub fn end(&self) {
        self.0.borrow_mut().ended = true;
    }

    /// Where a reader that wants only what is new begins.
    pub fn newest(&self) -> u64 {
        let ring = self.0.borrow();
        ring.before + ring.bytes.len() as u64
    }

    /// At most `count` bytes from `position` on, which moves; a slow reader misses what is gone.
    pub fn read(&self, position: &mut u64, count: usize) -> Next {
        let ring = self.0.borrow();
        let at = (*position).max(ring.before);
        let from = (at - ring.before) as usize;
        if from >= ring.bytes.len() && count > 0 {
            return if ring.ended { Next::End } else { Next::Wait };
        }
        let data: Bytes = ring.bytes.iter().skip(from).take(count).copied().collect();
        *position = at + data.len() as u64;
        Next::Data(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_read_in_order_and_then_ends() {
        let output = Output::default();
        let mut position = output.newest();
        assert_eq!(output.read(&mut position, 9), Next::Wait);
        output.push(b"abc");
        assert_eq!(output.read(&mut position, 2), Next::Data(Bytes::from_static(b"ab")));
        output.end();
        assert_eq!(output.read(&mut position, 2), Next::Data(Bytes::from_static(b"c")));
        assert_eq!(output.read(&mut position, 2), Next::End);
    }

    #[test]
    fn a_slow_reader_misses_the_oldest() {
        let output = Output::default();
        let mut position = 0;
        output.push(&vec![b'x'; TERMINAL_RING_BYTES]);
        output.push(b"end");
        let Next::Data(data) = output.read(&mut position, usize::MAX) else { panic!("no data") };
        assert_eq!(data.len(), TERMINAL_RING_BYTES);
        assert!(data.ends_with(b"end"));
    }
}
