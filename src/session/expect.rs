//! What a path and a mode say of a request before it is sent: how long it may take, whether it may be
//! held, what it does.

use std::time::Duration;

use super::outcome::What;
use crate::wire::limits::{REPLY_TIMEOUT_MS, SLOW_REPLY_TIMEOUT_MS, SLOW_WRITE_BYTES};
use crate::wire::msg::{ORDWR, OREAD, OTRUNC, OWRITE};

/// Whether the two low bits of `mode` let a fid be written to.
pub(super) fn writes(mode: u8) -> bool {
    matches!(mode & 3, OWRITE | ORDWR)
}

/// Files whose reads may be held until there is something to say.
pub(super) fn is_held(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    path == "/log" || ["/event", "/pty/data", "/pty/run"].iter().any(|end| path.ends_with(end))
}

/// What a reply to a write of `data` may take: some words are documented to be slow.
pub(super) fn write_timeout(data: &[u8]) -> Duration {
    const SLOW: [&[u8]; 6] = [b"Grep", b"Find", b"Dump", b"Restore", b"Tty", b"Edit"];
    let slow = data.len() > SLOW_WRITE_BYTES
        || SLOW.iter().any(|word| data.windows(word.len()).any(|part| part == *word));
    Duration::from_millis(if slow { SLOW_REPLY_TIMEOUT_MS } else { REPLY_TIMEOUT_MS })
}

pub(super) fn reply_timeout() -> Duration {
    Duration::from_millis(REPLY_TIMEOUT_MS)
}

/// The opens that the failure rule names are told apart.
pub(super) fn open_kind(path: &str, mode: u8) -> What {
    match (path.trim_end_matches('/'), writes(mode)) {
        // A mode that no open(9P) has is misuse of the protocol, whatever the file.
        ("/pane/new", false) if mode & !OTRUNC == OREAD => What::OpenNew,
        (_, true) if mode & OTRUNC != 0 => What::Truncate,
        _ => What::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_open_that_may_be_makes_a_pane() {
        for (path, mode, want) in [
            ("/pane/new", 0, What::OpenNew),
            ("/pane/new/", 16, What::OpenNew),
            ("/pane/new", 1, What::Open),
            ("/pane/new", 3, What::Open),
            ("/pane/new", 0x63, What::Open),
            ("/pane/new", 17, What::Truncate),
            ("/index", 0, What::Open),
            ("/pane/3/body", 18, What::Truncate),
        ] {
            assert_eq!(open_kind(path, mode), want, "{path} {mode:#x}");
        }
    }
}
