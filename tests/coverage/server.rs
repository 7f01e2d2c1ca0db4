//! The process of server.c once more, for where no compiler of C makes counters.

use std::io::BufRead as _;

/// Called before main with the counters, which nobody here wants: they are read from outside.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_8bit_counters_init(_start: *mut u8, _end: *mut u8) {}

fn answer(word: &[u8]) -> &'static str {
    if word[0] == b'9' {
        if word[1] == b'p' {
            if word[2] == b'f' {
                if word[3] == b's' {
                    return "found";
                }
            }
        }
    }
    "no"
}

fn main() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        println!("{}", if line.len() < 4 { "short" } else { answer(line.as_bytes()) });
    }
}
