//! Op sequences against a living, sandboxed target.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_crossover, fuzz_mutator, fuzz_target, fuzzer_mutate};
use monkey9p::input::Input;

fuzz_target!(
    init: {
        monkey9p::roles::dispatch();
        monkey9p::runner::prepare();
    },
    |input: Input| -> Corpus {
        match monkey9p::runner::fuzz_one(&input) {
            true => Corpus::Keep,
            false => Corpus::Reject,
        }
    }
);

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    monkey9p::runner::mutate(data, size, max_size, seed, fuzzer_mutate)
});

fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
    monkey9p::runner::crossover(one, other, out, seed)
});
