//! No reply holds more than was asked for, or than a message may.

use super::wire_model::{Answer, State, replay};
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};
use crate::wire::msg::{Rmsg, Tmsg, kind_name};
use crate::wire::stat;

/// Counts at their extremes among them: the sum with a header is no 32-bit number.
pub const INVARIANT: Invariant = Invariant {
    name: "wire_counts",
    cites: "version(9P): both sides must honor this limit; read(9P): may be less than the requested amount; an integral number of directory entries; the number of bytes actually written",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "none that is known",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    outcome.wire.iter().find_map(|exchange| replay(exchange).answers.iter().find_map(look))
}

fn look(answer: &Answer) -> Option<Breach> {
    let (asked, got) = (kind_name(answer.asked), kind_name(answer.kind));
    let size = answer.frame.len();
    let version = matches!(answer.request, Some(Tmsg::Version { .. }));
    if let Some(msize) = answer.msize.filter(|msize| size > *msize as usize && !version) {
        return Some(Breach {
            why: format!("{got} is longer than the msize that was agreed on"),
            detail: format!("{size} bytes, {msize} at the most"),
        });
    }
    let why = match (answer.request.as_ref()?, answer.done()?) {
        (Tmsg::Read { count, .. }, Rmsg::Read { data }) if data.len() > *count as usize => {
            format!("{got} has more data than {asked} asked for")
        }
        (Tmsg::Read { offset: 0, .. }, Rmsg::Read { data })
            if answer.clear && is_directory(answer) && stat::entries(data.clone()).is_err() =>
        {
            "a read of a directory gave an entry in part".into()
        }
        (Tmsg::Write { data, .. }, Rmsg::Write { count }) if *count as usize > data.len() => {
            format!("{got} counts more data than {asked} sent")
        }
        _ => return None,
    };
    Some(Breach { why, detail: format!("{:?}: {:?}", answer.request, answer.reply) })
}

fn is_directory(answer: &Answer) -> bool {
    matches!(answer.fid, State::Bound { directory: Some(true), .. })
}
