//! The end of a shell's output is told last.

use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};

/// Once a read of a shell's output that had given some gave none, no later one on that open gives
/// any, unless something was typed in between and taken.
pub const INVARIANT: Invariant = Invariant {
    name: "shell_output_ends",
    cites: "read(5): a count of zero is the end of the file; pardes's tree: a read of pty/data or pty/run is held until there is something to say",
    basis: Basis::Inferred,
    needs: Needs { undisturbed: true, ..Needs::NOTHING },
    false_positive: "a server whose file goes on with the next shell of the pane",
    check,
};

/// How much of the output is shown, in bytes.
const SHOWN_BYTES: usize = 200;

fn check(outcome: &Outcome) -> Option<Breach> {
    let heard = outcome.heard.iter().find(|heard| !heard.after_end.is_empty())?;
    let shown = &heard.after_end[..heard.after_end.len().min(SHOWN_BYTES)];
    let (open, path) = (heard.open, &heard.path);
    Some(Breach {
        why: "a shell's output went on after its end".into(),
        detail: format!("open {open} of {path}: \"{}\"", shown.escape_ascii()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Heard;
    use bytes::Bytes;

    #[test]
    fn only_what_comes_after_the_end_breaks_it() {
        let check = |after_end: &'static str| {
            let (path, data) = ("/pane/3/pty/run".into(), Bytes::from_static(b"a\r\n"));
            let after_end = after_end.into();
            let heard = Heard { path, open: 1, data, after_end, alone: false, typed: None };
            check(&Outcome { heard: vec![heard], ..Outcome::default() })
        };
        assert_eq!(check(""), None);
        assert!(check("it\r\n").is_some());
    }
}
