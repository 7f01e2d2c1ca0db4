//! The codec both ways: every message survives, and no bytes do more than give an error.

use bytes::{Bytes, BytesMut};
use monkey9p::wire::codec::{self, Message};
use monkey9p::wire::frame::Frames;
use monkey9p::wire::msg::{Qid, Rmsg, Tmsg};
use monkey9p::wire::stat::{self, Stat};
use proptest::prelude::*;

fn text() -> impl Strategy<Value = Bytes> {
    proptest::collection::vec(any::<u8>(), 0..40).prop_map(Bytes::from)
}

fn qid() -> impl Strategy<Value = Qid> {
    any::<(u8, u32, u64)>().prop_map(|(kind, version, path)| Qid { kind, version, path })
}

fn tmsg() -> impl Strategy<Value = Tmsg> {
    prop_oneof![
        (any::<u32>(), text()).prop_map(|(msize, version)| Tmsg::Version { msize, version }),
        (any::<u32>(), text(), text()).prop_map(|(afid, uname, aname)| Tmsg::Auth {
            afid,
            uname,
            aname
        }),
        (any::<u32>(), any::<u32>(), text(), text())
            .prop_map(|(fid, afid, uname, aname)| Tmsg::Attach { fid, afid, uname, aname }),
        any::<u16>().prop_map(|oldtag| Tmsg::Flush { oldtag }),
        (any::<u32>(), any::<u32>(), proptest::collection::vec(text(), 0..20))
            .prop_map(|(fid, newfid, names)| Tmsg::Walk { fid, newfid, names }),
        any::<(u32, u8)>().prop_map(|(fid, mode)| Tmsg::Open { fid, mode }),
        (any::<u32>(), text(), any::<u32>(), any::<u8>())
            .prop_map(|(fid, name, perm, mode)| Tmsg::Create { fid, name, perm, mode }),
        any::<(u32, u64, u32)>().prop_map(|(fid, offset, count)| Tmsg::Read { fid, offset, count }),
        (any::<u32>(), any::<u64>(), text()).prop_map(|(fid, offset, data)| Tmsg::Write {
            fid,
            offset,
            data
        }),
        any::<u32>().prop_map(|fid| Tmsg::Clunk { fid }),
        any::<u32>().prop_map(|fid| Tmsg::Remove { fid }),
        any::<u32>().prop_map(|fid| Tmsg::Stat { fid }),
        (any::<u32>(), text()).prop_map(|(fid, stat)| Tmsg::Wstat { fid, stat }),
    ]
}

fn rmsg() -> impl Strategy<Value = Rmsg> {
    prop_oneof![
        (any::<u32>(), text()).prop_map(|(msize, version)| Rmsg::Version { msize, version }),
        qid().prop_map(|aqid| Rmsg::Auth { aqid }),
        qid().prop_map(|qid| Rmsg::Attach { qid }),
        text().prop_map(|ename| Rmsg::Error { ename }),
        Just(Rmsg::Flush),
        proptest::collection::vec(qid(), 0..20).prop_map(|qids| Rmsg::Walk { qids }),
        (qid(), any::<u32>()).prop_map(|(qid, iounit)| Rmsg::Open { qid, iounit }),
        (qid(), any::<u32>()).prop_map(|(qid, iounit)| Rmsg::Create { qid, iounit }),
        text().prop_map(|data| Rmsg::Read { data }),
        any::<u32>().prop_map(|count| Rmsg::Write { count }),
        Just(Rmsg::Clunk),
        Just(Rmsg::Remove),
        text().prop_map(|stat| Rmsg::Stat { stat }),
        Just(Rmsg::Wstat),
    ]
}

fn entry() -> impl Strategy<Value = Stat> {
    (any::<(u16, u32, u32, u32, u32, u64)>(), qid(), text(), text(), text(), text()).prop_map(
        |((kind, dev, mode, atime, mtime, length), qid, name, uid, gid, muid)| Stat {
            kind,
            dev,
            qid,
            mode,
            atime,
            mtime,
            length,
            name,
            uid,
            gid,
            muid,
        },
    )
}

fn both_ways<M: Message + PartialEq + std::fmt::Debug>(message: &M, tag: u16) {
    let mut out = BytesMut::new();
    codec::encode(message, tag, &mut out).unwrap();
    let whole = out.freeze();
    assert_eq!(u32::from_le_bytes(whole[..4].try_into().unwrap()) as usize, whole.len());
    assert_eq!(codec::decode::<M>(whole.clone()).unwrap(), (tag, message_again::<M>(&whole)));
    assert_eq!(&message_again::<M>(&whole), message);
    // No prefix is a message, and nothing may follow one.
    for cut in 0..whole.len() {
        assert!(codec::decode::<M>(whole.slice(..cut)).is_err(), "cut at {cut}");
    }
    let mut longer = whole.to_vec();
    longer.push(0);
    assert!(codec::decode::<M>(longer.into()).is_err());
}

fn message_again<M: Message>(whole: &Bytes) -> M {
    codec::decode(whole.clone()).unwrap().1
}

proptest! {
    #[test]
    fn requests_survive(message in tmsg(), tag in any::<u16>()) {
        both_ways(&message, tag);
    }

    #[test]
    fn replies_survive(message in rmsg(), tag in any::<u16>()) {
        both_ways(&message, tag);
    }

    #[test]
    fn listings_survive_and_are_whole(all in proptest::collection::vec(entry(), 0..6)) {
        let mut out = BytesMut::new();
        let mut ends = vec![0];
        for one in &all {
            one.encode(&mut out).unwrap();
            ends.push(out.len());
        }
        let listing = out.freeze();
        prop_assert_eq!(&stat::entries(listing.clone()).unwrap(), &all);
        for cut in 0..listing.len() {
            prop_assert_eq!(stat::entries(listing.slice(..cut)).is_ok(), ends.contains(&cut));
        }
    }

    #[test]
    fn hostile_bytes_give_errors_and_no_more(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let bytes = Bytes::from(bytes);
        let _ = codec::decode::<Tmsg>(bytes.clone());
        let _ = codec::decode::<Rmsg>(bytes.clone());
        let _ = stat::entries(bytes.clone());
        let mut frames = Frames::new(128);
        frames.push(&bytes);
        while let Ok(Some(frame)) = frames.next_frame() {
            prop_assert!((7..=128).contains(&frame.len()));
        }
    }

    #[test]
    fn framing_does_not_depend_on_how_bytes_arrive(
        messages in proptest::collection::vec((rmsg(), any::<u16>()), 1..6),
        pieces in proptest::collection::vec(1usize..30, 1..40),
    ) {
        let mut stream = BytesMut::new();
        for (message, tag) in &messages {
            codec::encode(message, *tag, &mut stream).unwrap();
        }
        let mut frames = Frames::new(1 << 16);
        let mut got = Vec::new();
        let mut rest = &stream[..];
        let mut pieces = pieces.iter().cycle();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.len().min(*pieces.next().unwrap()));
            frames.push(piece);
            rest = after;
            while let Some(frame) = frames.next_frame().unwrap() {
                let (tag, message) = codec::decode::<Rmsg>(frame).unwrap();
                got.push((message, tag));
            }
        }
        prop_assert_eq!(got, messages);
        prop_assert_eq!(frames.pending_bytes(), 0);
    }
}
