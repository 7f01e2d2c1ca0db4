//! A walk's answer is the beginning of the way it was asked to go.

use super::traffic::first_breach;
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};
use crate::wire::msg::{QTDIR, Qid, Rmsg, Tmsg};

/// At most one qid a name; a first name that cannot be walked is an Rerror; all that was walked
/// through is a directory.
pub const INVARIANT: Invariant = Invariant {
    name: "walk_is_a_prefix",
    cites: "walk(9P): nwqid is at most nwname; if the first element cannot be walked Rerror is returned; the others must be directories",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "none is known",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    first_breach(outcome, |one| {
        let (Tmsg::Walk { names, .. }, Rmsg::Walk { qids }) = (one.request, one.reply) else {
            return None;
        };
        let through = &qids[..qids.len().saturating_sub(1)];
        let why = if qids.len() > names.len() {
            "a walk gave more qids than it had names"
        } else if qids.is_empty() && !names.is_empty() {
            "a walk whose first name failed was answered by no qids, not by an error"
        } else if through.iter().any(|qid: &Qid| qid.kind & QTDIR == 0) {
            "a walk went through what is no directory"
        } else {
            return None;
        };
        Some(Breach { why: why.into(), detail: format!("{names:?}: {qids:?}") })
    })
}

#[cfg(test)]
mod tests {
    use super::super::traffic::{outcome, qid};
    use super::*;

    #[test]
    fn beginnings_are_fine_and_nothing_else_is() {
        let walk = |names: &[&'static str], qids: &[(u64, bool)]| {
            let names = names.iter().map(|name| (*name).into()).collect();
            let request = Tmsg::Walk { fid: 1, newfid: 2, names };
            let qids = qids.iter().map(|&(path, directory)| qid(path, directory)).collect();
            check(&outcome(&[], vec![(request, Rmsg::Walk { qids })]))
        };
        assert_eq!(walk(&[], &[]), None);
        assert_eq!(walk(&["a", "b"], &[(1, true), (2, false)]), None);
        assert_eq!(walk(&["a", "b"], &[(1, true)]), None);
        assert!(walk(&["a"], &[]).is_some());
        assert!(walk(&["a"], &[(1, true), (2, true)]).is_some());
        assert!(walk(&["a", "b"], &[(1, false), (2, false)]).is_some());
    }
}
