//! Every reply is well formed, answers one request that is outstanding, and is of its type.

use super::wire_model::{Answer, Ended, Stray, replay};
use super::{Basis, Breach, Invariant};
use crate::session::{Exchange, Needs, Outcome};
use crate::wire::msg::{RERROR, kind_name};

/// Messages that this connection was sent, whatever was asked.
pub const INVARIANT: Invariant = Invariant {
    name: "wire_replies",
    cites: "intro(9P): the reply has the request's tag, and is one greater than its type or an Rerror",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "a reply to bytes that are no message, whose tag only the server could guess",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    outcome.wire.iter().find_map(look)
}

fn look(exchange: &Exchange) -> Option<Breach> {
    let told = replay(exchange);
    if let Some(why) = told.unframed {
        return Some(Breach { why: "what the server sent is no message".into(), detail: why });
    }
    let bad = told.answers.iter().find_map(answer);
    bad.or_else(|| told.strays.iter().find_map(stray))
}

fn answer(answer: &Answer) -> Option<Breach> {
    let (asked, got) = (kind_name(answer.asked), kind_name(answer.kind));
    if let Err(why) = &answer.reply {
        let detail = format!("{why}: \"{}\"", answer.frame.escape_ascii());
        return Some(Breach { why: format!("{got} to {asked} is not well formed"), detail });
    }
    let fits = answer.asked.checked_add(1) == Some(answer.kind);
    // An R-message is no request, whatever stands in it.
    let request = answer.asked.is_multiple_of(2);
    (answer.kind != RERROR && !(fits && request)).then(|| Breach {
        why: format!("{asked} was answered with {got}"),
        detail: format!("{:?}", answer.reply),
    })
}

fn stray(stray: &Stray) -> Option<Breach> {
    let got = kind_name(stray.kind);
    let why = match stray.after {
        Ended::Answered => format!("{got} answers a request a second time"),
        Ended::Never => format!("{got} has a tag that no request carries"),
        // Another rule's.
        Ended::Flushed | Ended::Either => return None,
    };
    Some(Breach { why, detail: format!("tag {}", stray.tag) })
}
