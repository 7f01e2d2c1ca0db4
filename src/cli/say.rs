//! Standard output that may be closed: `monkey9p explain LOG | head` is no failure.

use std::fmt::Arguments;
use std::io::{Write as _, stdout};

/// `println!` by way of [`out`].
macro_rules! say {
    ($($text:tt)*) => { $crate::cli::say::out(format_args!($($text)*), "\n") };
}

/// `print!` by way of [`out`].
macro_rules! say_on {
    ($($text:tt)*) => { $crate::cli::say::out(format_args!($($text)*), "") };
}

/// Writes to standard output; once nobody reads it, ends the process in silence. Sandboxes clear
/// themselves away when it is gone.
pub fn out(text: Arguments<'_>, end: &str) {
    let written = stdout().write_fmt(text).and_then(|()| stdout().write_all(end.as_bytes()));
    if written.is_err() {
        std::process::exit(super::REFUSED);
    }
}
