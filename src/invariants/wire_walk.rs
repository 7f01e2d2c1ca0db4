//! A walk goes name by name, and makes its new fid only if it goes all the way.

use super::wire_model::{Answer, State, Why, replay};
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};
use crate::wire::limits::WALK_NAMES;
use crate::wire::msg::{Rmsg, Tmsg};

/// How far a walk gets is the server's to say; how it says so is not.
pub const INVARIANT: Invariant = Invariant {
    name: "wire_walk",
    cites: "walk(9P): if the full sequence is not walked, newfid will be unaffected; nwqid cannot be zero unless nwname is; a maximum of sixteen name elements",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "a fid that something besides the walk made",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    outcome.wire.iter().find_map(|exchange| replay(exchange).answers.iter().find_map(look))
}

fn look(answer: &Answer) -> Option<Breach> {
    let broke = |why: &str| {
        let detail = format!("{:?}: {:?}", answer.request, answer.reply);
        Some(Breach { why: why.into(), detail })
    };
    if answer.fid == State::Free(Why::Walked) && answer.was_taken() {
        return broke("a fid that a walk did not reach is in use");
    }
    let (Some(Tmsg::Walk { names, .. }), Some(Rmsg::Walk { qids })) =
        (&answer.request, answer.done())
    else {
        return None;
    };
    if qids.len() > names.len() {
        return broke("Rwalk has more qids than there were names");
    }
    if qids.is_empty() && !names.is_empty() {
        return broke("Rwalk of no qids, although there were names");
    }
    if names.len() > WALK_NAMES {
        return broke("a walk of more than sixteen names was accepted");
    }
    let from_file = matches!(answer.fid, State::Bound { directory: Some(false), .. });
    if answer.clear && from_file && !names.is_empty() {
        return broke("a walk by name from what is no directory was accepted");
    }
    None
}
