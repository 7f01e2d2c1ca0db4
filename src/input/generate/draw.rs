//! Draws from a seeded source.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

/// An odd number without a pattern in its bits (2^64 by the golden ratio).
const STRETCH_STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// A source of choices: the same seed makes the same ones. `StdRng` may be another generator in
/// another version of `rand`, so a seed means the same as long as `Cargo.lock` does.
#[derive(Debug)]
pub struct Draw(StdRng);

impl Draw {
    /// A source for `seed`.
    pub fn new(seed: u64) -> Draw {
        Draw(StdRng::seed_from_u64(seed))
    }

    /// A source for one stretch of what `seed` makes, apart from its own and from other stretches'.
    pub fn of_stretch(seed: u64, stretch: u64) -> Draw {
        Draw::new(seed ^ (stretch + 1).wrapping_mul(STRETCH_STRIDE))
    }

    /// A number below `limit`; 0 if there is none.
    pub fn below(&mut self, limit: u32) -> u32 {
        if limit == 0 { 0 } else { self.0.random_range(0..limit) }
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, share: u32) -> bool {
        self.below(100) < share
    }

    /// One way or the other.
    pub fn coin(&mut self) -> bool {
        self.percent(50)
    }

    /// Which of several shares, in percent, a draw falls into; their number if into none.
    pub fn share(&mut self, shares: &[u32]) -> usize {
        let mut point = self.below(100);
        for (index, share) in shares.iter().enumerate() {
            if point < *share {
                return index;
            }
            point -= share;
        }
        shares.len()
    }

    /// One of several; they are never none.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// Any byte.
    pub fn byte(&mut self) -> u8 {
        self.below(256) as u8
    }

    /// A place in a table of that length.
    pub fn index(&mut self, length: usize) -> u8 {
        self.below(length.min(256) as u32) as u8
    }

    /// A number below `limit`; 0 if there is none.
    pub fn place(&mut self, limit: usize) -> usize {
        self.below(u32::try_from(limit).unwrap_or(u32::MAX)) as usize
    }

    /// So many things, up to `most`.
    pub fn several<T>(&mut self, most: u32, mut one: impl FnMut(&mut Draw) -> T) -> Vec<T> {
        let count = self.below(most + 1);
        (0..count).map(|_| one(self)).collect()
    }
}

/// A pick from a table of the vocabulary.
macro_rules! from_table {
    ($draw:expr, $table:ident) => {
        $table($draw.index($table::TABLE.len()))
    };
}
pub(super) use from_table;
