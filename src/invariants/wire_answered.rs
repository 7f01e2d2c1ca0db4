//! Every request is answered in time, unless it may wait.

use super::wire_model::replay;
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};
use crate::wire::msg::kind_name;

/// Reads of files that may have nothing to say are left out, and what the client made unclear itself.
pub const INVARIANT: Invariant = Invariant {
    name: "wire_answered",
    cites: "intro(9P): a transaction is a request and its reply; flush(9P): the server should answer the flush message immediately",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "a read of a file that may rightly wait and whose name does not say so",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    outcome.wire.iter().find_map(|exchange| {
        let missing = replay(exchange).missing?;
        let kind = kind_name(missing.kind);
        Some(Breach {
            why: format!("{kind} was not answered in time"),
            detail: format!("tag {}", missing.tag),
        })
    })
}
