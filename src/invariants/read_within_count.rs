//! A read gives no more than it was asked for.

use super::traffic::first_breach;
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};
use crate::wire::msg::{Rmsg, Tmsg};

/// The count of an Rread is at most that of its Tread.
pub const INVARIANT: Invariant = Invariant {
    name: "read_within_count",
    cites: "read(9P): count bytes of data are asked for, and the number read is returned",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "none is known",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    first_breach(outcome, |one| match (one.request, one.reply) {
        (Tmsg::Read { count, .. }, Rmsg::Read { data }) if data.len() > *count as usize => {
            Some(Breach {
                why: "a read gave more than its count".into(),
                detail: format!("{:?}: {} bytes", one.request, data.len()),
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
    fn as_much_as_asked_is_fine_and_more_is_not() {
        let read = |data: &'static str| {
            let request = Tmsg::Read { fid: 1, offset: 0, count: 3 };
            check(&outcome(&[], vec![(request, Rmsg::Read { data: data.into() })]))
        };
        assert_eq!(read(""), None);
        assert_eq!(read("abc"), None);
        assert!(read("abcd").is_some());
    }
}
