//! A fid's file has one qid, whichever message tells it.

use super::wire_model::{Answer, State, replay};
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};
use crate::wire::msg::{Qid, Rmsg, Tmsg};
use crate::wire::stat::Stat;

/// The version may change at any time, and an open may make another file of it.
pub const INVARIANT: Invariant = Invariant {
    name: "wire_qids",
    cites: "intro(9P): two files are the same if and only if their qids are the same",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "a file replaced by another of its name between the walk and the stat",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    outcome.wire.iter().find_map(|exchange| replay(exchange).answers.iter().find_map(look))
}

fn look(answer: &Answer) -> Option<Breach> {
    let State::Bound { qid: Some(walked), mode: None, .. } = answer.fid else { return None };
    let (Some(Tmsg::Stat { .. }), Some(Rmsg::Stat { stat })) = (&answer.request, answer.done())
    else {
        return None;
    };
    let broke = |why: &str, detail: String| Some(Breach { why: why.into(), detail });
    let Ok(entry) = Stat::decode(stat.clone()) else {
        return broke("Rstat holds no entry", format!("\"{}\"", stat.escape_ascii()));
    };
    let same = |one: Qid, two: Qid| (one.path, one.kind) == (two.path, two.kind);
    if answer.clear && !same(walked, entry.qid) {
        return broke("stat gives another qid than walk", format!("{walked:?}, {:?}", entry.qid));
    }
    let high = (entry.mode >> 24) as u8;
    if high != entry.qid.kind {
        let detail = format!("mode {:#x}, qid {:?}", entry.mode, entry.qid);
        return broke("a qid's type is not the high byte of the mode", detail);
    }
    None
}
