//! A directory is opened for reading alone.

use super::traffic::first_breach;
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};
use crate::wire::msg::{ORCLOSE, ORDWR, OTRUNC, OWRITE, QTDIR, Rmsg, Tmsg};

/// An open of a directory for writing, truncating or removing at the close is refused.
pub const INVARIANT: Invariant = Invariant {
    name: "directories_are_not_written",
    cites: "open(9P): it is illegal to write a directory, truncate it, or attempt to remove it on close",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "none is known",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    first_breach(outcome, |one| {
        let (Tmsg::Open { mode, .. }, Rmsg::Open { qid, .. }) = (one.request, one.reply) else {
            return None;
        };
        let writes = matches!(mode & 3, OWRITE | ORDWR) || mode & (OTRUNC | ORCLOSE) != 0;
        (writes && qid.kind & QTDIR != 0).then(|| Breach {
            why: "a directory was opened for writing".into(),
            detail: format!("mode {mode:#04x}, {qid:?}"),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::traffic::{outcome, qid};
    use super::*;

    #[test]
    fn reading_is_fine() {
        let open = |mode, directory| {
            let reply = Rmsg::Open { qid: qid(3, directory), iounit: 0 };
            check(&outcome(&[], vec![(Tmsg::Open { fid: 7, mode }, reply)]))
        };
        assert_eq!(open(0, true), None);
        assert_eq!(open(OWRITE | OTRUNC, false), None);
        for mode in [OWRITE, ORDWR, OTRUNC, ORCLOSE] {
            assert!(open(mode, true).is_some(), "{mode}");
        }
    }
}
