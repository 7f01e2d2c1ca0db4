//! What earlier inputs and answers held: runs of steps, and words.

use std::collections::{HashSet, VecDeque};

use crate::input::Step;
use crate::input::generate::Draw;
use crate::input::part::encoding;

/// The most runs that are kept.
const RUNS: usize = 1024;
/// The longest run, in steps.
const RUN_STEPS: usize = 4;
/// The longest step that is kept, encoded, in bytes.
const STEP_BYTES: usize = 2048;
/// How many steps are told from new ones before all are forgotten.
const SEEN_STEPS: usize = 1 << 17;
/// The most words that are kept.
const WORDS: usize = 512;
/// The shortest and the longest word, in bytes.
const WORD_BYTES: std::ops::RangeInclusive<usize> = 2..=48;

/// A bounded memory of steps and words, each kept once.
#[derive(Debug, Default)]
pub struct Dictionary {
    runs: Vec<Vec<Step>>,
    seen: HashSet<u64>,
    words: VecDeque<Vec<u8>>,
}

impl Dictionary {
    /// Remembers the steps that are new, each with those after it; gives them. When all room is
    /// taken, a new run takes the place of any.
    pub fn remember<'a>(&mut self, steps: &'a [Step], draw: &mut Draw) -> Vec<&'a Step> {
        let mut new = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let bytes = encoding(step);
            if self.seen.len() >= SEEN_STEPS {
                self.seen.clear();
            }
            if !self.seen.insert(hash(&bytes)) {
                continue;
            }
            new.push(step);
            if bytes.len() > STEP_BYTES {
                continue;
            }
            let rest = steps[at..].iter().take(RUN_STEPS);
            let run = rest.take_while(|step| encoding(*step).len() <= STEP_BYTES).cloned();
            match self.runs.len() < RUNS {
                true => self.runs.push(run.collect()),
                false => self.runs[draw.place(RUNS)] = run.collect(),
            }
        }
        new
    }

    /// A run, or the beginning of one; none if nothing was remembered.
    pub fn run(&self, draw: &mut Draw) -> Option<&[Step]> {
        let run = self.runs.get(draw.place(self.runs.len()))?;
        Some(&run[..run.len().min(1 + draw.place(RUN_STEPS))])
    }

    /// Keeps a word, in the place of the oldest if there is no room.
    pub fn learn(&mut self, word: &[u8]) {
        if !WORD_BYTES.contains(&word.len()) || self.words.iter().any(|known| known == word) {
            return;
        }
        if self.words.len() == WORDS {
            self.words.pop_front();
        }
        self.words.push_back(word.to_vec());
    }

    /// A word; none if none was learned.
    pub fn word(&self, draw: &mut Draw) -> Option<&[u8]> {
        self.words.get(draw.place(self.words.len())).map(Vec::as_slice)
    }
}

/// FNV-1a: the same for the same bytes in every run.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Generator;

    fn steps(seed: u64, count: usize) -> Vec<Step> {
        let mut generator = Generator::new(seed);
        (0..count).map(|_| generator.next_step()).collect()
    }

    #[test]
    fn a_step_is_new_once_and_comes_back_with_what_followed() {
        let mut dictionary = Dictionary::default();
        let mut draw = Draw::new(1);
        assert!(dictionary.run(&mut draw).is_none() && dictionary.word(&mut draw).is_none());
        let steps = steps(1, 3);
        assert_eq!(dictionary.remember(&steps, &mut draw).len(), 3);
        assert!(dictionary.remember(&steps, &mut draw).is_empty());
        for _ in 0..100 {
            let run = dictionary.run(&mut draw).unwrap();
            assert!(steps.windows(run.len()).any(|part| part == run));
        }
        let whole = |draw: &mut Draw| dictionary.run(draw) == Some(&steps[..]);
        assert!((0..1000).any(|_| whole(&mut draw)));
    }

    #[test]
    fn it_is_bounded() {
        let mut dictionary = Dictionary::default();
        let mut draw = Draw::new(1);
        for seed in 0..20 {
            dictionary.remember(&steps(seed, 200), &mut draw);
        }
        assert_eq!(dictionary.runs.len(), RUNS);
        assert!(dictionary.runs.iter().all(|run| (1..=RUN_STEPS).contains(&run.len())));
        for number in 0..10_000 {
            dictionary.learn(format!("word{number}").as_bytes());
            dictionary.learn(b"again");
        }
        dictionary.learn(b"");
        dictionary.learn(&[b'x'; 1000]);
        assert_eq!(dictionary.words.len(), WORDS);
        assert!(dictionary.words.iter().all(|word| WORD_BYTES.contains(&word.len())));
    }
}
