//! Op sequences against a living, sandboxed target.
#![no_main]

use libfuzzer_sys::fuzz_target;
use monkey9p::input::Input;

fuzz_target!(
    init: {
        monkey9p::roles::dispatch();
        monkey9p::runner::prepare();
    },
    |input: Input| {
        monkey9p::runner::fuzz_one(&input);
    }
);
