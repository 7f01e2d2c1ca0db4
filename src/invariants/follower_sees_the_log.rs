//! A follower of the log is told what the log says: every record once, in order, none lost.

use super::{Basis, Breach, Invariant};
use crate::session::log::expand;
use crate::session::{Needs, Outcome};

/// Between the same two markers, a follower's records and those of `/log` are the same sayings in
/// the same order: a count in place is so many lines to a follower.
pub const INVARIANT: Invariant = Invariant {
    name: "follower_sees_the_log",
    cites: "pardes fs.md, /log: a record said again is counted in place; a follower sees each count as a line of its own",
    basis: Basis::Documented,
    needs: Needs { log: true, both_logs: true, ..Needs::NOTHING },
    false_positive: "none is known",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    let (followed, logged) = (outcome.window.as_ref()?, outcome.logged.as_ref()?);
    let (told, said) = (expand(followed), expand(logged));
    if told == said {
        return None;
    }
    let why = match told.len().cmp(&said.len()) {
        std::cmp::Ordering::Less => "a follower was told less than the log says",
        std::cmp::Ordering::Greater => "a follower was told more than the log says",
        std::cmp::Ordering::Equal => "a follower was told other than what the log says",
    };
    Some(Breach { why: why.into(), detail: format!("told {followed:?}; the log: {logged:?}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_in_place_and_one_by_one_are_the_same() {
        let check = |told: &str, said: &str| {
            let lines = |text: &str| Some(text.lines().map(str::to_owned).collect());
            let outcome =
                Outcome { window: lines(told), logged: lines(said), ..Outcome::default() };
            super::check(&outcome).map(|breach| breach.why)
        };
        assert_eq!(check("a\na (x2)\na (x3)\nb", "a (x3)\nb"), None);
        assert_eq!(check("", ""), None);
        assert!(check("a\nb", "a (x2)\nb").unwrap().contains("less"));
        assert!(check("a\na (x2)", "a").unwrap().contains("more"));
        assert!(check("b\na", "a\nb").unwrap().contains("other"));
    }
}
