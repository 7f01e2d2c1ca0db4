//! What a fid may be used for follows from whether and how it was opened.

use super::wire_model::{Answer, State, replay};
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};
use crate::wire::msg::{ORCLOSE, ORDWR, OREAD, OTRUNC, OWRITE, Tmsg};

/// Which files may be opened how is the server's to say.
pub const INVARIANT: Invariant = Invariant {
    name: "wire_open",
    cites: "walk(9P): the fid must not have been opened; open(9P): an error if the fid is already the product of an open, and illegal to write a directory; read(9P): which must be opened for reading, for writing",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "a fid that requests in flight together opened in another order",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    outcome.wire.iter().find_map(|exchange| replay(exchange).answers.iter().find_map(look))
}

fn look(answer: &Answer) -> Option<Breach> {
    let request = answer.request.as_ref().filter(|_| answer.was_taken())?;
    let State::Bound { directory, mode, .. } = answer.fid else { return None };
    let reads = mode.is_some_and(|mode| mode & 3 != OWRITE);
    let writes = mode.is_some_and(|mode| matches!(mode & 3, OWRITE | ORDWR));
    let why = match (request, mode) {
        (Tmsg::Walk { .. }, Some(_)) => "a walk from a fid that is open was accepted",
        (Tmsg::Open { .. } | Tmsg::Create { .. }, Some(_)) => "a fid that is open was opened again",
        (Tmsg::Open { mode, .. }, None) if directory == Some(true) && changes(*mode) => {
            "a directory was opened to be written, truncated or removed"
        }
        (Tmsg::Create { name, .. }, _) if matches!(name.as_ref(), b"." | b"..") => {
            "a file named . or .. was created"
        }
        (Tmsg::Read { .. }, None) => "a fid that was never opened was read",
        (Tmsg::Read { .. }, Some(_)) if !reads => "a fid opened for writing was read",
        (Tmsg::Write { .. }, None) => "a fid that was never opened was written",
        (Tmsg::Write { .. }, Some(_)) if !writes => "a fid opened for reading was written",
        _ => return None,
    };
    Some(Breach { why: why.into(), detail: format!("{request:?}: {:?}", answer.reply) })
}

fn changes(mode: u8) -> bool {
    mode & (OTRUNC | ORCLOSE) != 0 || !matches!(mode & 3, OREAD | 3)
}
