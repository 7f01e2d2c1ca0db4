//! A fid that is not in use is refused, and one that is in use is not made again.

use super::wire_model::{Answer, State, Why, replay};
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};
use crate::wire::msg::{Tmsg, kind_name};

/// Fids that the client never bound, and fids that it has bound already.
pub const INVARIANT: Invariant = Invariant {
    name: "wire_fids",
    cites: "walk(9P): the fid must be valid in the current session, and newfid must not be in use; attach(9P): an error is returned if fid is already in use",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "a fid that requests in flight together bound in another order",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    outcome.wire.iter().find_map(|exchange| replay(exchange).answers.iter().find_map(look))
}

fn look(answer: &Answer) -> Option<Breach> {
    let request = answer.request.as_ref().filter(|_| answer.was_taken())?;
    let asked = kind_name(answer.asked);
    let why = match (request, answer.fid, answer.newfid) {
        (_, State::Free(Why::Never), _) => format!("{asked} of a fid that was never made was done"),
        (Tmsg::Walk { fid, newfid, .. }, _, State::Bound { .. }) if fid != newfid => {
            format!("{asked} to a fid that is in use was accepted")
        }
        (Tmsg::Attach { .. } | Tmsg::Auth { .. }, _, State::Bound { .. }) => {
            format!("{asked} of a fid that is in use was accepted")
        }
        _ => return None,
    };
    Some(Breach { why, detail: format!("{request:?}: {:?}", answer.reply) })
}
