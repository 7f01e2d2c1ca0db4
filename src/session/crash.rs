//! What a target leaves behind when it crashes: its crash file and its standard error.

use std::fs::{self, File};
use std::io::Read as _;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use nix::fcntl::OFlag;
use once_cell::sync::Lazy;
use regex::Regex;

use crate::sandbox::{Layout, Sandbox};

/// The name of a crash file, wherever below the configuration directory it lies.
const CRASH_FILE: &str = "crashes";
/// What libFuzzer's runtime says at the start of every process of a build without a sanitizer.
const RUNTIME_NOISE: &str = "WARNING: Failed to find function \"__sanitizer_";
/// How much of each text is kept from its beginning and its end, in bytes.
const HEAD_BYTES: usize = 3_000;
const TAIL_BYTES: usize = 2_000;
/// The most that is read of a file that the target made, in bytes.
const READ_BYTES: u64 = 4 << 20;
/// How deep below the configuration directory a crash file is looked for, and among how many.
const DEPTH: usize = 4;
const ENTRIES: usize = 1_000;

/// The crash file's bytes, if there is one; none of what is no plain file.
pub fn crash_file(layout: &Layout) -> Option<Vec<u8>> {
    find(&layout.config(), DEPTH, &mut ENTRIES.clone())
}

/// The crash file's text and standard error's, each shortened in its middle.
pub fn crash_text(sandbox: &Sandbox) -> String {
    let layout = sandbox.reached();
    let mut parts = Vec::new();
    if let Some(text) = crash_file(layout).and_then(text) {
        parts.push(text);
    }
    if let Some(text) = file(&layout.stderr).and_then(text) {
        parts.push(format!("stderr: {text}"));
    }
    // A root's name is drawn anew for each sandbox, and would make each failure one of its own.
    parts.join("\n").replace(&*sandbox.layout().root.to_string_lossy(), "SANDBOX")
}

/// How much the target has printed, in bytes.
pub fn printed_bytes(layout: &Layout) -> u64 {
    fs::symlink_metadata(&layout.stderr).map_or(0, |found| found.len())
}

/// What a crash text says happened, without where: its lines before the first frame, few of them;
/// the last line after a traceback, which ends with it.
pub fn headline(text: &str) -> String {
    const LINES: usize = 4;
    let text = text.strip_prefix("stderr: ").unwrap_or(text).trim();
    if let Some((_, after)) = text.split_once("Traceback (most recent call last):") {
        return after.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().into();
    }
    let before = text.lines().take_while(|line| !FRAME.is_match(line));
    before.take(LINES).collect::<Vec<_>>().join("\n")
}

/// A line of a trace: numbered, or a place with an address.
static FRAME: Lazy<Regex> = Lazy::new(|| {
    Regex::new(r"^\s*(\d+: |#\d+ |stack backtrace:|\S+:\d+:\d+: 0x)").expect("a constant")
});

/// `left` is how many more entries are looked at, in all directories together.
fn find(directory: &Path, depth: usize, left: &mut usize) -> Option<Vec<u8>> {
    let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let held = File::options().read(true).custom_flags(flags.bits()).open(directory).ok()?;
    // By what is held: a link may be put in its place meanwhile.
    for entry in fs::read_dir(format!("/proc/self/fd/{}", held.as_raw_fd())).ok()?.flatten() {
        *left = left.checked_sub(1)?;
        if entry.file_name() == CRASH_FILE {
            return Some(file(&entry.path()).unwrap_or_default());
        }
        if depth > 0
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
            && let Some(found) = find(&entry.path(), depth - 1, left)
        {
            return Some(found);
        }
    }
    None
}

/// The bytes of a file that the target may have made, as far as they are read; nothing where it is
/// no plain file.
pub fn file(path: &Path) -> Option<Vec<u8>> {
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    let file = File::options().read(true).custom_flags(flags.bits()).open(path).ok()?;
    let mut bytes = Vec::new();
    if file.metadata().ok()?.is_file() {
        file.take(READ_BYTES).read_to_end(&mut bytes).ok()?;
        return Some(bytes);
    }
    None
}

fn text(mut bytes: Vec<u8>) -> Option<String> {
    if bytes.len() > HEAD_BYTES + TAIL_BYTES {
        let tail = bytes.split_off(bytes.len() - TAIL_BYTES);
        bytes.truncate(HEAD_BYTES);
        bytes.extend_from_slice(b"\n...\n");
        bytes.extend_from_slice(&tail);
    }
    let text = String::from_utf8_lossy(&bytes);
    let told: Vec<&str> = text.lines().filter(|line| !line.starts_with(RUNTIME_NOISE)).collect();
    let text = told.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::headline;

    #[test]
    fn a_headline_is_what_happened_without_where() {
        for (text, want) in [
            (
                "panic: at a.rs:1:2:\nno\n   0: record\n   1: x\nstderr: panic",
                "panic: at a.rs:1:2:\nno",
            ),
            ("stderr: thread 1 panic: bad\n/x/a.zig:1:2: 0x12 in f (p)", "thread 1 panic: bad"),
            (
                "stderr: Traceback (most recent call last):\n  File \"s\", line 1, in f\nKeyError: 1",
                "KeyError: 1",
            ),
            (
                "==1==ERROR: AddressSanitizer: SEGV\n    #0 0x1 in f",
                "==1==ERROR: AddressSanitizer: SEGV",
            ),
            ("", ""),
        ] {
            assert_eq!(headline(text), want, "{text}");
        }
    }
}
