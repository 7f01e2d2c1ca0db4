//! A refused Edit changes nothing.

use super::{Basis, Breach, Invariant};
use crate::session::{Edited, Needs, Outcome, What};

/// The body after a step that was one Edit of one pane, refused, is the body before. One that has
/// only grown at its end is left alone: a shell may have printed there.
pub const INVARIANT: Invariant = Invariant {
    name: "edit_is_atomic",
    cites: "sam(1): a command's changes are made once all of them are known, or not at all",
    basis: Basis::Inferred,
    needs: Needs { edits: true, undisturbed: true, ..Needs::NOTHING },
    false_positive: "a shell's pane that lost the beginning of its text in between",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    let Edited { before, after } = outcome.edited.as_ref()?;
    let refused =
        outcome.requests.iter().any(|asked| asked.what == What::Write && asked.refused().is_some());
    (refused && !after.starts_with(before)).then(|| Breach {
        why: "a refused Edit changed the body".into(),
        detail: format!("from {} to {}", shown(before), shown(after)),
    })
}

/// How much of a body is shown, in bytes.
const SHOWN_BYTES: usize = 200;

fn shown(text: &[u8]) -> String {
    format!("\"{}\"", text[..text.len().min(SHOWN_BYTES)].escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Answered, Asked};

    #[test]
    fn only_a_refused_one_that_changed_something_breaks_it() {
        let check = |refused, before: &'static str, after: &'static str| {
            let answer = if refused { Answered::Refused("no".into()) } else { Answered::Done };
            let asked = Asked::new(What::Write, "/pane/3/ctl", answer);
            let edited = Some(Edited { before: before.into(), after: after.into() });
            check(&Outcome { requests: vec![asked], edited, ..Outcome::default() })
        };
        assert_eq!(check(true, "abc", "abc"), None);
        assert_eq!(check(false, "abc", "x"), None);
        assert_eq!(check(true, "abc", "abc$ "), None);
        assert!(check(true, "abc", "ab").is_some());
        assert!(check(true, "abc", "xbc").is_some());
    }
}
