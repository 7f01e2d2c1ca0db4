//! What a request is about, and what it may change.

use bytes::Bytes;

use crate::wire::limits::WALK_NAMES;
use crate::wire::msg::{Fid, Tmsg};

/// The fid that a request makes, if it makes one.
pub(super) fn made(request: &Tmsg) -> Option<Fid> {
    match request {
        Tmsg::Walk { newfid: fid, .. }
        | Tmsg::Auth { afid: fid, .. }
        | Tmsg::Attach { fid, .. } => Some(*fid),
        _ => None,
    }
}

/// The fids whose state a request may change.
pub(super) fn changes(request: &Tmsg) -> Vec<Fid> {
    match request {
        Tmsg::Open { fid, .. }
        | Tmsg::Create { fid, .. }
        | Tmsg::Clunk { fid }
        | Tmsg::Remove { fid } => vec![*fid],
        other => made(other).into_iter().collect(),
    }
}

/// Whether either may change a fid that the other names.
pub(super) fn collide(one: &Tmsg, two: &Tmsg) -> bool {
    let named = |request: &Tmsg| {
        let afid = match request {
            Tmsg::Attach { afid, .. } => Some(*afid),
            _ => None,
        };
        [request.fid(), made(request), afid]
    };
    let changed = |one: &Tmsg, two: &Tmsg| {
        changes(one).into_iter().any(|fid| named(two).contains(&Some(fid)))
    };
    changed(one, two) || changed(two, one)
}

/// Whether nobody may take a message for one that is none: its strings are text (intro(9P)), and
/// its names are as many as one may hold (walk(9P)).
pub(super) fn is_well_formed(request: &Tmsg) -> bool {
    let strings: Vec<&Bytes> = match request {
        Tmsg::Version { version, .. } => vec![version],
        Tmsg::Auth { uname, aname, .. } | Tmsg::Attach { uname, aname, .. } => vec![uname, aname],
        Tmsg::Walk { names, .. } if names.len() > WALK_NAMES => return false,
        Tmsg::Walk { names, .. } => names.iter().collect(),
        Tmsg::Create { name, .. } => vec![name],
        _ => Vec::new(),
    };
    strings.iter().all(|text| !text.contains(&0) && std::str::from_utf8(text).is_ok())
}
