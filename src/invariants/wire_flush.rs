//! A Tflush is answered with an Rflush, and what it flushed is not answered after that.

use super::wire_model::{Ended, replay};
use super::{Basis, Breach, Invariant};
use crate::session::{Exchange, Needs, Outcome};
use crate::wire::msg::{RERROR, Tmsg, kind_name};

/// Whether there was anything to flush does not matter.
pub const INVARIANT: Invariant = Invariant {
    name: "wire_flush",
    cites: "flush(9P): a Tflush can never be responded to by an Rerror message; it should abort any pending response and discard that tag",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "a tag used again before its Rflush came",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    outcome.wire.iter().find_map(look)
}

fn look(exchange: &Exchange) -> Option<Breach> {
    let told = replay(exchange);
    let refused = told.answers.iter().find(|answer| {
        answer.clear && answer.kind == RERROR && matches!(answer.request, Some(Tmsg::Flush { .. }))
    });
    if let Some(answer) = refused {
        let why = "Tflush was answered with Rerror".into();
        return Some(Breach { why, detail: format!("{:?}", answer.reply) });
    }
    let late = told.strays.iter().find(|stray| stray.after == Ended::Flushed)?;
    Some(Breach {
        why: format!("{} came for a flushed request after its Rflush", kind_name(late.kind)),
        detail: format!("tag {}", late.tag),
    })
}
