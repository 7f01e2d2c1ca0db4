//! No server hangs up on a client whose messages are all well formed.

use super::wire_model::replay;
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};

/// What is refused is answered with an Rerror; only a stream that cannot be read on is of no use.
pub const INVARIANT: Invariant = Invariant {
    name: "wire_hang_up",
    cites: "intro(9P): an Rerror says that the request failed",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "a server that ends, or hangs everyone up, for a reason that the script did not give",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    outcome.wire.iter().find(|exchange| replay(exchange).hung_up).map(|exchange| Breach {
        why: "the server hung up although every message was well formed".into(),
        detail: format!("after {} events", exchange.events.len()),
    })
}
