//! A walk over a step's traffic, with the file of each fid at hand: what the protocol's rules share.

use super::Breach;
use crate::session::{Bound, Outcome, Traffic, follow};
use crate::wire::msg::{Qid, Rmsg, Tmsg};

/// One request that was answered, and the file that its fid stood for when it was sent, if that is
/// known.
pub struct Answered<'a> {
    /// The request.
    pub request: &'a Tmsg,
    /// The answer.
    pub reply: &'a Rmsg,
    /// The file of the request's fid.
    pub file: Option<Qid>,
}

/// The first breach that `check` finds among the requests that were done.
pub fn first_breach(
    outcome: &Outcome,
    mut check: impl FnMut(&Answered<'_>) -> Option<Breach>,
) -> Option<Breach> {
    outcome.traffic.iter().find_map(|traffic| first_on(traffic, &mut check))
}

fn first_on(
    traffic: &Traffic,
    check: &mut impl FnMut(&Answered<'_>) -> Option<Breach>,
) -> Option<Breach> {
    let mut bound: Bound = traffic.bound.clone();
    traffic.trace.iter().find_map(|exchange| {
        let file = exchange.request.fid().and_then(|fid| bound.get(&fid).copied());
        let request = &exchange.request;
        let breach = match &exchange.reply {
            Some(Ok(reply)) => check(&Answered { request, reply, file }),
            _ => None,
        };
        follow(&mut bound, exchange);
        breach
    })
}

/// An outcome that is nothing but this traffic: what the rules' own tests are made of.
#[cfg(test)]
pub fn outcome(bound: &[(u32, Qid)], exchanges: Vec<(Tmsg, Rmsg)>) -> Outcome {
    use crate::wire::Traced;
    let trace = exchanges
        .into_iter()
        .map(|(request, reply)| Traced { request, reply: Some(Ok(reply)) })
        .collect();
    let traffic = Traffic { bound: bound.iter().copied().collect(), trace };
    Outcome { traffic: vec![traffic], ..Outcome::default() }
}

/// A directory's qid, or a file's.
#[cfg(test)]
pub fn qid(path: u64, directory: bool) -> Qid {
    let kind = if directory { crate::wire::msg::QTDIR } else { 0 };
    Qid { kind, version: 0, path }
}
