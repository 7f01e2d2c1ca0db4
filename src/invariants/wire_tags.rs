//! A request with the tag of one that waits is refused.

use super::wire_model::replay;
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};
use crate::wire::msg::kind_name;

/// The manual binds the client alone; that the server holds it to that is this project's reading.
pub const INVARIANT: Invariant = Invariant {
    name: "wire_tags",
    cites: "intro(9P): clients must arrange that no two outstanding messages on the same connection have the same tag",
    basis: Basis::Inferred,
    needs: Needs::NOTHING,
    false_positive: "any server that takes tags as they come",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    outcome.wire.iter().find_map(|exchange| {
        let told = replay(exchange);
        let taken = told.answers.iter().find(|answer| answer.tag_in_use)?;
        let asked = kind_name(taken.asked);
        Some(Breach {
            why: format!("{asked} with the tag of a request that waits was done"),
            detail: format!("{:?}: {:?}", taken.request, taken.reply),
        })
    })
}
