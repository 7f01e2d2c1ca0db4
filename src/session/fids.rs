//! Which file each fid stands for, followed through a trace.

use std::collections::BTreeMap;

use crate::wire::Traced;
use crate::wire::msg::{Fid, Qid, Rmsg, Tmsg};

/// The fids that are bound, and the qids of their files.
pub type Bound = BTreeMap<Fid, Qid>;

/// What `exchange` did to the fids: attach, walk and create bind one, clunk and remove free it even
/// when refused (clunk(9P), remove(9P)), a new version frees all.
pub fn follow(bound: &mut Bound, exchange: &Traced) {
    match (&exchange.request, &exchange.reply) {
        (Tmsg::Clunk { fid } | Tmsg::Remove { fid }, _) => {
            bound.remove(fid);
        }
        (Tmsg::Version { .. }, Some(Ok(_))) => bound.clear(),
        (Tmsg::Attach { fid, .. }, Some(Ok(Rmsg::Attach { qid })))
        | (Tmsg::Create { fid, .. }, Some(Ok(Rmsg::Create { qid, .. }))) => {
            bound.insert(*fid, *qid);
        }
        (Tmsg::Walk { fid, newfid, names }, Some(Ok(Rmsg::Walk { qids })))
            if qids.len() == names.len() =>
        {
            if let Some(qid) = qids.last().or(bound.get(fid)).copied() {
                bound.insert(*newfid, qid);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_walk_binds_and_even_a_refused_clunk_frees() {
        let qid = |path| Qid { path, ..Qid::default() };
        let mut bound = Bound::from([(1, qid(1))]);
        let mut then = |request, reply| {
            follow(&mut bound, &Traced { request, reply: Some(reply) });
            bound.keys().copied().collect::<Vec<_>>()
        };
        let walk = |newfid, names: &[&'static str]| Tmsg::Walk {
            fid: 1,
            newfid,
            names: names.iter().map(|name| (*name).into()).collect(),
        };
        let partly = Rmsg::Walk { qids: vec![qid(2)] };
        assert_eq!(then(walk(7, &["a", "b"]), Ok(partly.clone())), [1]);
        assert_eq!(then(walk(7, &["a"]), Ok(partly)), [1, 7]);
        assert_eq!(then(walk(8, &[]), Ok(Rmsg::Walk { qids: vec![] })), [1, 7, 8]);
        assert_eq!(then(walk(9, &["a"]), Err("no".into())), [1, 7, 8]);
        assert_eq!(then(Tmsg::Clunk { fid: 7 }, Err("no".into())), [1, 8]);
        assert_eq!(then(Tmsg::Remove { fid: 8 }, Err("no".into())), [1]);
    }
}
