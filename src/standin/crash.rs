//! What a panic leaves: a record in the crash file and on standard error, and a dead server.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fs::OpenOptions;
use std::io::Write;
use std::panic::PanicHookInfo;
use std::path::PathBuf;

use super::sys::exit_now;

const CRASHED: i32 = 101;

/// Makes every panic end the server at once, its record written.
pub fn on_panic() {
    std::panic::set_hook(Box::new(|info| {
        let record = record(info);
        eprint!("{record}");
        if let Some(path) = path() {
            let _ = append(&path, &record);
        }
        exit_now(CRASHED);
    }));
}

/// Writes a crash file although the server goes on: what a planted defect does.
pub fn leave(why: &str) {
    if let Some(path) = path() {
        let _ = append(&path, &format!("panic: {why}\n"));
    }
}

fn record(info: &PanicHookInfo<'_>) -> String {
    let backtrace = Backtrace::capture();
    let mut record = format!("panic: {info}\n");
    if backtrace.status() == BacktraceStatus::Captured {
        record.push_str(&format!("{backtrace}\n"));
    }
    record
}

fn path() -> Option<PathBuf> {
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config"));
    Some(config.or_else(home)?.join("pardes").join("crashes"))
}

fn append(path: &std::path::Path, record: &str) -> std::io::Result<()> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    OpenOptions::new().create(true).append(true).open(path)?.write_all(record.as_bytes())
}
