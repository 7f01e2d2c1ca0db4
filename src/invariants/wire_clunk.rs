//! A clunk and a remove free their fid, even when they are refused.

use super::wire_model::{State, Why, replay};
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};
use crate::wire::msg::kind_name;

/// What is asked of a fid after its clunk or remove was answered.
pub const INVARIANT: Invariant = Invariant {
    name: "wire_clunk",
    cites: "clunk(9P): even if the clunk returns an error, the fid is no longer valid; remove(9P): and to clunk the fid, even if the remove fails",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "a fid that requests in flight together bound again",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    outcome.wire.iter().find_map(|exchange| {
        replay(exchange).answers.iter().filter(|answer| answer.was_taken()).find_map(|answer| {
            let after = match answer.fid {
                State::Free(Why::Clunked) => "clunk",
                State::Free(Why::Removed) => "remove",
                _ => return None,
            };
            Some(Breach {
                why: format!("{} of a fid was done after its {after}", kind_name(answer.asked)),
                detail: format!("{:?}: {:?}", answer.request, answer.reply),
            })
        })
    })
}
