//! A directory's read gives whole entries, each true to itself.

use super::traffic::first_breach;
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};
use crate::wire::msg::{QTDIR, Rmsg, Tmsg};
use crate::wire::stat;

/// Every Rread of a directory is a whole number of entries.
pub const INVARIANT: Invariant = Invariant {
    name: "directory_reads_are_whole",
    cites: "read(9P): for directories, read returns an integral number of directory entries",
    basis: Basis::Protocol,
    needs: Needs::NOTHING,
    false_positive: "none is known",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    first_breach(outcome, |one| {
        let (Tmsg::Read { count, .. }, Rmsg::Read { data }) = (one.request, one.reply) else {
            return None;
        };
        if one.file?.kind & QTDIR == 0 {
            return None;
        }
        let why = stat::entries(data.clone()).err()?;
        Some(Breach {
            why: "a read of a directory gave no whole number of entries".into(),
            detail: format!("{} bytes for a count of {count}: {why}", data.len()),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::traffic::{outcome, qid};
    use super::*;
    use bytes::{Bytes, BytesMut};

    #[test]
    fn a_split_entry_breaks_it_in_a_directory_alone() {
        let mut listing = BytesMut::new();
        stat::Stat { name: "x".into(), ..Default::default() }.encode(&mut listing).unwrap();
        let listing = listing.freeze();
        let read = |directory, data: Bytes| {
            let request = Tmsg::Read { fid: 7, offset: 0, count: 100 };
            check(&outcome(&[(7, qid(3, directory))], vec![(request, Rmsg::Read { data })]))
        };
        assert_eq!(read(true, listing.clone()), None);
        assert_eq!(read(true, Bytes::new()), None);
        assert_eq!(read(false, listing.slice(..20)), None);
        assert!(read(true, listing.slice(..20)).is_some());
    }
}
