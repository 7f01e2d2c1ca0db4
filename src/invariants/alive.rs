//! The target never crashes.

use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};

/// A target that has died is a `crash` by itself; this one tells of a crash file that a target left
/// while it goes on answering.
pub const INVARIANT: Invariant = Invariant {
    name: "alive",
    cites: "pardes writes a crash file when it panics, and never otherwise (the script's alive)",
    basis: Basis::Documented,
    needs: Needs::NOTHING,
    false_positive: "a file named crashes that something else put below the configuration directory",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    let text = outcome.crash.as_ref()?;
    Some(Breach { why: "a crash file was written".into(), detail: text.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_crash_file_breaks_it() {
        assert_eq!(check(&Outcome::default()), None);
        let crashed = Outcome { crash: Some("panic: x".into()), ..Outcome::default() };
        assert_eq!(check(&crashed).unwrap().detail, "panic: x");
    }
}
