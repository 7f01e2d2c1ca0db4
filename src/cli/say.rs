//! Standard output that may be closed: `monkey9p explain LOG | head` is no failure.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write as _, stdout};

/// `println!` by way of [`out`].
macro_rules! say {
    ($($text:tt)*) => { $crate::cli::say::out(format_args!($($text)*), "\n") };
}

/// `print!` by way of [`out`].
macro_rules! say_on {
    ($($text:tt)*) => { $crate::cli::say::out(format_args!($($text)*), "") };
}

/// Writes to standard output. A reader that has had enough changes nothing: what was begun is done,
/// and its exit code stays true. Any other failure is told of and ends the process.
pub fn out(text: Arguments<'_>, end: &str) {
    let written = stdout().write_fmt(text).and_then(|()| stdout().write_all(end.as_bytes()));
    match written {
        Err(why) if why.kind() != ErrorKind::BrokenPipe => {
            eprintln!("monkey9p: standard output: {why}");
            // Sandboxes clear themselves away when this process is gone.
            std::process::exit(super::REFUSED);
        }
        _ => {}
    }
}
