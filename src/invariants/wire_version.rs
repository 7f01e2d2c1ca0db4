//! A Tversion begins a session or none, says which, and leaves no fid of the one before.

use super::wire_model::{Answer, State, USEFUL_BYTES, Why, replay};
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};
use crate::wire::msg::{RERROR, Rmsg, Tmsg, kind_name};

/// A server may refuse a message size that is of no use, or a session altogether.
pub const INVARIANT: Invariant = Invariant {
    name: "wire_version",
    cites: "version(9P): the version string unknown, not Rerror; msize less than or equal to the client's; nnnn less than or equal to the digits sent; all active fids are freed",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "a Tversion sent while other requests were outstanding",
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
    if answer.fid == State::Free(Why::Version) && answer.was_taken() {
        let asked = kind_name(answer.asked);
        return broke(&format!("{asked} of a fid was done after a Tversion freed it"));
    }
    let Some(Tmsg::Version { msize, version }) = answer.request.as_ref().filter(|_| answer.clear)
    else {
        return None;
    };
    let Some(Rmsg::Version { msize: agreed, version: answered }) = answer.done() else {
        let useful = *msize >= USEFUL_BYTES;
        return match answer.kind == RERROR && useful {
            true => broke("Tversion was answered with Rerror"),
            false => None,
        };
    };
    if agreed > msize {
        return broke("Rversion has a larger msize than Tversion");
    }
    match (digits(version), digits(answered)) {
        _ if answered.as_ref() == b"unknown" => None,
        (None, _) if !version.starts_with(b"9P") => {
            broke("an unknown version was answered as known")
        }
        _ if !answered.starts_with(b"9P") => broke("Rversion has a version that is none"),
        (Some(asked), Some(answered)) if answered > asked => {
            broke("Rversion has a later version than Tversion")
        }
        _ => None,
    }
}

/// The number in a version of the form 9Pnnnn, whatever suffix it has.
fn digits(version: &[u8]) -> Option<u64> {
    let digits = version.strip_prefix(b"9P")?.split(|&byte| byte == b'.').next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}
