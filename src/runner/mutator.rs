//! libFuzzer's calls for mutations: the state that lives across them, and what it learns from answers.

use std::cell::RefCell;

use crate::input::{Mutator, Way};
use crate::session::{Answered, Outcome, What};
use crate::target::file_kind;

/// Which way inputs are mutated, if not by steps.
pub const WAY_VARIABLE: &str = "M9P_MUTATOR";
/// The most of one answer that is searched for words, in bytes.
const ANSWER_BYTES: usize = 4096;
/// The most words that wait to be learned.
const WAITING_WORDS: usize = 256;
/// The shortest word that is worth learning, in bytes.
const WORD_BYTES: usize = 3;
/// Files whose text names commands, files and panes.
const TELLING: [&str; 5] = ["/", "/pane/N", "/commands", "/index", "/recent"];

thread_local! {
    /// libFuzzer calls from one thread.
    static MUTATOR: RefCell<Mutator> = RefCell::new(Mutator::new(way().unwrap_or_default()));
    /// What was heard while an input ran. It is learned between inputs: libFuzzer counts what runs
    /// during one, and what was known before is no feature of it.
    static HEARD: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Which way the environment asks for, or why it asks for none.
pub(super) fn way() -> Result<Way, String> {
    let Some(asked) = std::env::var_os(WAY_VARIABLE) else { return Ok(Way::default()) };
    let known = Way::ALL.into_iter().find(|way| asked == *way.name());
    known.ok_or_else(|| {
        let names = Way::ALL.map(Way::name).join(", ");
        format!("{WAY_VARIABLE}={}: it is one of {names}", asked.display())
    })
}

/// The body of libFuzzer's custom mutator; `own` are libFuzzer's own mutations.
pub fn mutate(
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
    own: fn(&mut [u8], usize, usize) -> usize,
) -> usize {
    MUTATOR.with_borrow_mut(|mutator| {
        for word in HEARD.take() {
            mutator.learn(&word);
        }
        mutator.mutate(data, size, max_size, seed, &mut |data, size, max| own(data, size, max))
    })
}

/// The body of libFuzzer's custom crossover.
pub fn crossover(one: &[u8], other: &[u8], out: &mut [u8], seed: u32) -> usize {
    MUTATOR.with_borrow_mut(|mutator| mutator.crossover(one, other, out, seed))
}

/// Listens to what the target said: why it refused, and the names it lists.
pub(super) fn listen(outcome: &Outcome) {
    HEARD.with_borrow_mut(|heard| {
        for asked in &outcome.requests {
            let said = match &asked.answer {
                Answered::Refused(why) => why.as_bytes(),
                Answered::Done
                    if asked.what == What::Read && TELLING.contains(&&*file_kind(&asked.path)) =>
                {
                    &asked.data
                }
                _ => continue,
            };
            let room = WAITING_WORDS.saturating_sub(heard.len());
            heard.extend(words(said).take(room).map(<[u8]>::to_vec));
        }
    });
}

fn words(said: &[u8]) -> impl Iterator<Item = &[u8]> {
    let said = &said[..said.len().min(ANSWER_BYTES)];
    said.split(|byte| !(byte.is_ascii_alphanumeric() || b"-_.".contains(byte)))
        .filter(|word| word.len() >= WORD_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_is_between_others() {
        let all: Vec<&[u8]> = words(b"no such pane: 'alpha.txt'\0\0of 7\xff").collect();
        assert_eq!(all, [&b"such"[..], b"pane", b"alpha.txt"]);
        assert_eq!(words(&[b'x'; 100_000]).map(<[u8]>::len).collect::<Vec<_>>(), [ANSWER_BYTES]);
    }
}
