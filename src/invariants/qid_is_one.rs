//! A file has one qid, whoever asks for it.

use std::collections::BTreeSet;

use super::traffic::first_breach;
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};
use crate::wire::msg::{Qid, Rmsg, Tmsg};
use crate::wire::stat::Stat;

/// Walk, open and stat tell the same qid of one fid, but for its version; and the qid's type is the
/// top of the mode. `new` is left out: opening it makes another file.
pub const INVARIANT: Invariant = Invariant {
    name: "qid_is_one",
    cites: "intro(9P): the path is unique among all files of the hierarchy; stat(9P): the qid's type is the high 8 bits of the mode",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "a file that is another one once opened, under a name other than new",
    check,
};

/// A name whose open makes another file.
const MAKER: &[u8] = b"new";

fn check(outcome: &Outcome) -> Option<Breach> {
    let mut makers: BTreeSet<u32> = BTreeSet::new();
    first_breach(outcome, |one| {
        let breach = |what: &str, detail: String| Some(Breach { why: what.into(), detail });
        match (one.request, one.reply) {
            (Tmsg::Walk { newfid, names, .. }, _) => {
                match names.last().is_some_and(|name| name == MAKER) {
                    true => makers.insert(*newfid),
                    false => makers.remove(newfid),
                };
                None
            }
            (Tmsg::Open { fid, .. }, Rmsg::Open { qid, .. }) if !makers.contains(fid) => {
                let walked = one.file.filter(|walked| differ(walked, qid))?;
                breach("an open told another qid than the walk", format!("{walked:?}, {qid:?}"))
            }
            (Tmsg::Stat { fid }, Rmsg::Stat { stat }) => {
                let entry = match Stat::decode(stat.clone()) {
                    Ok(entry) => entry,
                    Err(why) => return breach("a stat is no directory entry", why.to_string()),
                };
                if entry.qid.kind != (entry.mode >> 24) as u8 {
                    return breach("a qid's type is not the top of the mode", format!("{entry:?}"));
                }
                let walked = one.file.filter(|walked| differ(walked, &entry.qid))?;
                match makers.contains(fid) {
                    true => None,
                    false => breach(
                        "a stat told another qid than the walk",
                        format!("{walked:?}, {entry:?}"),
                    ),
                }
            }
            _ => None,
        }
    })
}

/// The version may change at any time; the rest may not.
fn differ(one: &Qid, other: &Qid) -> bool {
    (one.kind, one.path) != (other.kind, other.path)
}

#[cfg(test)]
mod tests {
    use super::super::traffic::{outcome, qid};
    use super::*;
    use bytes::BytesMut;

    fn stat(qid: Qid, mode: u32) -> Rmsg {
        let mut out = BytesMut::new();
        Stat { qid, mode, name: "x".into(), ..Stat::default() }.encode(&mut out).unwrap();
        Rmsg::Stat { stat: out.freeze() }
    }

    #[test]
    fn the_same_file_has_the_same_qid() {
        let one = |request, reply| check(&outcome(&[(7, qid(3, false))], vec![(request, reply)]));
        let open = |qid| one(Tmsg::Open { fid: 7, mode: 0 }, Rmsg::Open { qid, iounit: 0 });
        assert_eq!(open(qid(3, false)), None);
        assert_eq!(open(Qid { version: 9, ..qid(3, false) }), None);
        assert!(open(qid(4, false)).is_some());
        assert!(open(qid(3, true)).is_some());
        let stat = |qid, mode| one(Tmsg::Stat { fid: 7 }, stat(qid, mode));
        assert_eq!(stat(qid(3, false), 0o644), None);
        assert!(stat(qid(4, false), 0o644).is_some());
        assert!(stat(qid(3, false), 0x8000_01ff).is_some());
        assert!(one(Tmsg::Stat { fid: 7 }, Rmsg::Stat { stat: "junk".into() }).is_some());
    }

    #[test]
    fn new_may_become_another_file() {
        let walk = Tmsg::Walk { fid: 1, newfid: 7, names: vec!["pane".into(), "new".into()] };
        let walked = Rmsg::Walk { qids: vec![qid(2, true), qid(3, false)] };
        let open = Rmsg::Open { qid: qid(9, false), iounit: 0 };
        let steps = vec![(walk, walked), (Tmsg::Open { fid: 7, mode: 0 }, open)];
        assert_eq!(check(&outcome(&[], steps)), None);
    }
}
