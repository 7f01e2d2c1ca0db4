//! A write takes no more than it was given.

use super::traffic::first_breach;
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};
use crate::wire::msg::{Rmsg, Tmsg};

/// The count of an Rwrite is at most the length of its Twrite's data.
pub const INVARIANT: Invariant = Invariant {
    name: "write_within_sent",
    cites: "read(9P), write: the number of bytes actually written is returned",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "none is known",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    first_breach(outcome, |one| match (one.request, one.reply) {
        (Tmsg::Write { data, .. }, Rmsg::Write { count }) if *count as usize > data.len() => {
            Some(Breach {
                why: "a write took more than it was given".into(),
                detail: format!("{count} of {} bytes", data.len()),
            })
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::traffic::outcome;
    use super::*;

    #[test]
    fn a_short_write_is_fine_and_a_long_one_is_not() {
        let write = |data: &'static str, count| {
            let request = Tmsg::Write { fid: 1, offset: 0, data: data.into() };
            check(&outcome(&[], vec![(request, Rmsg::Write { count })]))
        };
        assert_eq!(write("abc", 3), None);
        assert_eq!(write("abc", 1), None);
        assert!(write("abc", 4).is_some());
        assert!(write("", 1).is_some());
    }
}
