//! Where a crash happened, by the names in its text.

use once_cell::sync::Lazy;
use regex::Regex;

/// How many frames a signature holds.
const TOP: usize = 3;
/// The longest name that is kept of a frame, in characters.
const NAME_CHARS: usize = 80;

fn constant(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant")
}

/// Rust: `   8: name`.
static RUST: Lazy<Regex> = Lazy::new(|| constant(r"(?m)^ +\d+: (?:0x[0-9a-f]+ - )?(\S.*)$"));
/// Zig: `/src/file.zig:12:34: 0x1234 in name (program)`.
static ZIG: Lazy<Regex> = Lazy::new(|| constant(r"(?m)^\S+:\d+:\d+: 0x[0-9a-f]+ in (\S+)"));
/// A sanitizer or a debugger: `#0 0x55d0 in name file.c:12`, `#0  name (x=1) at file.c:12`.
static NUMBERED: Lazy<Regex> =
    Lazy::new(|| constant(r"(?m)^\s*#\d+\s+(?:0x[0-9a-f]+ in )?([^\s(]+)"));
/// Python, the innermost last: `  File "x.py", line 12, in name`.
static PYTHON: Lazy<Regex> = Lazy::new(|| constant(r#"(?m)^  File "[^"]*", line \d+, in (\S+)"#));

/// What a runtime puts between the fault and those who hear of it.
const RUNTIME: [&str; 10] = [
    "std::",
    "core::",
    "alloc::",
    "<alloc::",
    "<core::",
    "<std::",
    "__rustc",
    "rust_begin_unwind",
    "__libc_start",
    "__asan",
];

/// The innermost frames of the code at fault, the nearest first; none if the text has none.
pub fn top(crash: &str) -> Vec<String> {
    let names = |pattern: &Regex| -> Vec<String> {
        pattern.captures_iter(crash).map(|found| found[1].trim().to_owned()).collect()
    };
    let rust = names(&RUST);
    // What a panic runs through comes first: the code at fault begins after the last of it.
    let panicked = rust.iter().position(|name| name.contains("panicking::panic"));
    let fault = panicked.map_or(0, |first| {
        let runtime = rust[first..].iter().position(|name| !is_runtime(name));
        first + runtime.unwrap_or(0)
    });
    let found = [rust[fault.min(rust.len())..].to_vec(), names(&ZIG), names(&NUMBERED), {
        let mut python = names(&PYTHON);
        python.reverse();
        python
    }];
    let first = found.into_iter().find(|frames| !frames.is_empty()).unwrap_or_default();
    first
        .into_iter()
        .filter(|name| !is_runtime(name))
        .take(TOP)
        .map(|name| name.chars().take(NAME_CHARS).collect())
        .collect()
}

/// Whether a frame is a runtime's own.
fn is_runtime(name: &str) -> bool {
    RUNTIME.iter().any(|runtime| name.starts_with(runtime))
}

#[cfg(test)]
mod tests {
    use super::top;

    #[test]
    fn each_kind_of_trace_is_read() {
        let rust = "panic: panicked at src/a.rs:1:2:\nno\n   0: record\n             at src/crash.rs:33:21\n   1: {closure#0}\n   2: <alloc::boxed::Box<dyn F> as core::ops::Fn>::call\n   3: std::panicking::panic_with_hook\n   6: __rustc::rust_begin_unwind\n   7: core::panicking::panic_fmt\n   8: read\n             at src/files.rs:186:13\n   9: request\n  10: message\n  11: main\n";
        assert_eq!(top(rust), ["read", "request", "message"]);
        let zig = "thread 1 panic: index out of bounds\n/p/src/text.zig:10:5: 0x104 in slice (pardes)\n    return a[b];\n/p/src/fs.zig:1:2: 0x105 in write (pardes)\n";
        assert_eq!(top(zig), ["slice", "write"]);
        let asan = "ERROR: AddressSanitizer: SEGV\n    #0 0x55d0 in parse /x/p.c:12:3\n    #1 0x55d1 in main /x/m.c:1:1\n";
        assert_eq!(top(asan), ["parse", "main"]);
        assert_eq!(top("#0  walk (fid=1) at w.c:3\n#1  serve () at s.c:9\n"), ["walk", "serve"]);
        let python = "Traceback (most recent call last):\n  File \"s.py\", line 9, in serve\n    walk()\n  File \"s.py\", line 3, in walk\nKeyError: 1\n";
        assert_eq!(top(python), ["walk", "serve"]);
        assert_eq!(top("killed, no text at all"), Vec::<String>::new());
        assert_eq!(top(""), Vec::<String>::new());
    }
}
