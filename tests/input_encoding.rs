//! What is decoded encodes to bytes that decode to it, whatever the bytes.

use arbitrary::{Arbitrary as _, Unstructured};
use monkey9p::input::{
    Base, Bytes, Chunking, ExactOp, Generator, Input, Literal, Mode, PaneFile, PaneRef, Path,
    Payload, Step, payload,
};
use monkey9p::ops::{Chunks, HostAction, Latin1, Op, WireStep};
use monkey9p::wire::msg::Tmsg;
use proptest::prelude::*;

/// Written out from the layout that `arbitrary` documents and derives; `encode` has no part in it.
#[test]
fn a_small_input_has_the_bytes_that_the_layout_says() {
    let input = Input {
        follower: true,
        steps: vec![
            Step::Write {
                path: Path::File { pane: PaneRef::Live(3), file: PaneFile::Body },
                payload: Payload::plain(Base::Text(payload::Text {
                    body: payload::TextBody::Raw(Bytes(b"hi".to_vec())),
                    end: payload::Ending::Nothing,
                })),
                mode: Mode::ReadWrite,
                chunks: Chunking::Sizes(vec![0x0102]),
                offset: None,
            },
            Step::Exact(ExactOp::One(Literal::Hread {
                h: Bytes(b"h1".to_vec()),
                count: 16,
                offset: Some(5),
            })),
        ],
    };
    #[rustfmt::skip]
    let layout: &[&[u8]] = &[
        &[1],                      // follower
        &[1],                      // a step follows:
        &[0x00, 0x00, 0x00, 0x00], // Write, 0 of 30
        &[0x00, 0x00, 0x00, 0x00], //   Path::File, 0 of 7
        &[0x00, 0x00, 0x00, 0x00], //     PaneRef::Live, 0 of 3
        &[3],                      //       its index
        &[0x2d, 0x64, 0x21, 0x0b], //     PaneFile::Body, 1 of 23: 186,737,709 is 2^32 / 23, up
        &[0x00, 0x00, 0x00, 0x00], //   Base::Text, 0 of 11
        &[0x00, 0x00, 0x00, 0x80], //     TextBody::Raw, 3 of 6
        &[2, b'h', b'i'],          //       a length, and so many bytes
        &[0x00, 0x00, 0x00, 0x40], //     Ending::Nothing, 1 of 4
        &[0],                      //   no edits
        &[0x56, 0x55, 0x55, 0x55], //   Mode::ReadWrite, 2 of 6
        &[0xab, 0xaa, 0xaa, 0xaa], //   Chunking::Sizes, 2 of 3
        &[1, 0x02, 0x01],          //     a size, low byte first
        &[0],                      //     no more sizes
        &[0],                      //   no offset
        &[1],                      // a step follows:
        &[0x78, 0x77, 0x77, 0xf7], // Exact, 29 of 30
        &[0x00, 0x00, 0x00, 0x00], //   ExactOp::One, 0 of 4
        &[0x00, 0x00, 0x00, 0x80], //     Literal::Hread, 7 of 14
        &[2, b'h', b'1'],          //       h
        &[16, 0, 0, 0],            //       count
        &[1, 5, 0, 0, 0, 0, 0, 0, 0], //    an offset
        &[0],                      // no more steps
    ];
    assert_eq!(input.encode(), layout.concat());
    assert_eq!(Input::decode(&layout.concat()), Some(input));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_decode_and_encode_back(bytes in prop::collection::vec(any::<u8>(), 1..2000)) {
        let input = Input::decode(&bytes).expect("only no bytes at all have no meaning");
        let encoded = input.encode();
        prop_assert_eq!(Input::decode(&encoded), Some(input.clone()));
        // Canonical: what decodes to the same input encodes to the same bytes.
        prop_assert_eq!(Input::decode(&encoded).map(|again| again.encode()), Some(encoded));
    }

    #[test]
    fn any_ops_are_an_input_and_come_back(ops in prop::collection::vec(op(), 0..12)) {
        let input = Input::from_ops(&ops);
        prop_assert_eq!(Input::decode(&input.encode()), Some(input.clone()));
        let mut want: Vec<Op> = ops.into_iter().map(flat).collect();
        if !matches!(want.first(), Some(Op::Fresh { .. })) {
            want.insert(0, Op::Fresh { follower: false });
        }
        prop_assert_eq!(input.render(), want);
    }

    #[test]
    fn a_damaged_encoding_still_decodes(
        seed in 0..500u64,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..20),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut generator = Generator::new(seed);
        let steps = (0..20).map(|_| generator.next_step()).collect();
        let mut bytes = Input { follower: true, steps }.encode();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(1 + cut.index(bytes.len()));
        let input = Input::decode(&bytes).expect("only no bytes at all have no meaning");
        prop_assert_eq!(Input::decode(&input.encode()), Some(input));
    }
}

/// A `seq` with what is nested in it opened up; what is next to one another on the second connection
/// becomes one, and nothing is left of an empty one.
fn flat(op: Op) -> Op {
    fn open(op: Op, second: bool, out: &mut Vec<(bool, Op)>) {
        match op {
            Op::Seq { ops } => ops.into_iter().for_each(|op| open(op, second, out)),
            Op::Second { ops } => ops.into_iter().for_each(|op| open(op, true, out)),
            other => out.push((second, other)),
        }
    }
    let mut all = Vec::new();
    match op {
        Op::Seq { .. } => open(op, false, &mut all),
        other => return other,
    }
    let mut ops = Vec::new();
    for (second, op) in all {
        match (second, ops.last_mut()) {
            (true, Some(Op::Second { ops })) => ops.push(op),
            (true, _) => ops.push(Op::Second { ops: vec![op] }),
            (false, _) => ops.push(op),
        }
    }
    Op::Seq { ops }
}

fn latin1() -> impl Strategy<Value = Latin1> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..20),
        // About the lengths where the encoding of a length changes.
        (250usize..260).prop_map(|length| vec![7; length]),
    ]
    .prop_map(Latin1)
}

fn chunks() -> impl Strategy<Value = Chunks> {
    prop_oneof![
        Just(Chunks::Whole),
        Just(Chunks::Bytes),
        prop::collection::vec(any::<u32>(), 0..4).prop_map(Chunks::Sizes),
    ]
}

fn plain_op() -> impl Strategy<Value = Op> {
    let number = prop::option::of(any::<u64>());
    prop_oneof![
        (latin1(), latin1(), any::<u8>(), chunks(), number.clone(), any::<bool>()).prop_map(
            |(path, data, mode, chunks, offset, stop_on_error)| Op::Write {
                path,
                data,
                mode,
                chunks,
                offset,
                stop_on_error
            }
        ),
        (latin1(), any::<u32>(), any::<u64>(), any::<u8>(), any::<u32>()).prop_map(
            |(path, count, offset, mode, reads)| Op::Read { path, count, offset, mode, reads }
        ),
        latin1().prop_map(|path| Op::Stat { path }),
        latin1().prop_map(|path| Op::Remove { path }),
        (latin1(), latin1(), any::<u32>(), any::<u8>())
            .prop_map(|(path, name, perm, mode)| Op::Create { path, name, perm, mode }),
        (latin1(), latin1(), any::<u8>()).prop_map(|(h, path, mode)| Op::Hold { h, path, mode }),
        (latin1(), latin1()).prop_map(|(h, data)| Op::Hwrite { h, data }),
        (latin1(), any::<u32>(), number).prop_map(|(h, count, offset)| Op::Hread {
            h,
            count,
            offset
        }),
        latin1().prop_map(|h| Op::Clunk { h }),
        latin1().prop_map(|data| Op::Restore { data }),
        (any::<bool>(), latin1(), prop::option::of(latin1())).prop_map(|(remove, name, data)| {
            let action = if remove { HostAction::Rm } else { HostAction::Write };
            Op::Host { action, name, data }
        }),
        any::<bool>().prop_map(|follower| Op::Fresh { follower }),
        prop::collection::vec(wire_step(), 0..5).prop_map(|steps| Op::Wire { steps }),
    ]
}

fn wire_step() -> impl Strategy<Value = WireStep> {
    let fids = || 0u32..4;
    let names = prop::collection::vec(latin1(), 0..3);
    let message = prop_oneof![
        (fids(), fids(), names).prop_map(|(fid, newfid, names)| Tmsg::Walk {
            fid,
            newfid,
            names: names.into_iter().map(|name| name.0.into()).collect()
        }),
        (fids(), any::<u64>(), latin1()).prop_map(|(fid, offset, data)| Tmsg::Write {
            fid,
            offset,
            data: data.0.into()
        }),
        any::<u16>().prop_map(|oldtag| Tmsg::Flush { oldtag }),
    ];
    prop_oneof![
        (prop::option::of(any::<u16>()), prop::option::of(any::<u16>()), message)
            .prop_map(|(tag, cut, message)| WireStep::Send { tag, cut, message }),
        latin1().prop_map(|bytes| WireStep::Raw { bytes }),
        Just(WireStep::Wait),
        Just(WireStep::Hangup),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    plain_op().prop_recursive(3, 12, 4, |inner| {
        let on_files = |ops: Vec<Op>| ops.into_iter().filter(Op::is_on_a_file).collect();
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|ops| Op::Seq { ops }),
            prop::collection::vec(inner, 0..4)
                .prop_map(move |ops| Op::Second { ops: on_files(ops) }),
        ]
    })
}

#[test]
fn only_no_bytes_have_no_meaning() {
    assert_eq!(Input::decode(&[]), None);
    let empty = Input { follower: false, steps: vec![] };
    assert_eq!(Input::decode(&[0]), Some(empty.clone()));
    assert_eq!(empty.encode(), [0, 0]);
}

#[test]
fn a_length_never_asks_for_more_than_there_is() {
    let decode = |bytes: &[u8]| Bytes::arbitrary(&mut Unstructured::new(bytes)).unwrap().0;
    assert_eq!(decode(&[5, b'a', b'b']), b"ab");
    assert_eq!(decode(&[0xfc, 0xff, 0xff, b'a']), b"a");
    assert_eq!(decode(&[0xfd, 0xff, 0xff, 0xff, 0xff, b'a']), b"a");
    assert_eq!(decode(&[0xfd]), b"");
    assert_eq!(decode(&[0xfe, b'a']), b"");
    assert_eq!(decode(&[0xff, b'a']), b"");
    assert_eq!(decode(&[]), b"");
}

#[test]
fn every_length_of_length_comes_back() {
    for length in [0, 1, 251, 252, 253, 65_535, 65_536, 300_000] {
        let data = Latin1(vec![b'x'; length]);
        let ops = [Op::Fresh { follower: true }, Op::Hwrite { h: "h0".into(), data }];
        let bytes = Input::from_ops(&ops).encode();
        assert_eq!(Input::decode(&bytes).map(|input| input.render()).as_deref(), Some(&ops[..]));
    }
}

/// A change inside a payload moves nothing after it.
#[test]
fn a_local_change_stays_local() {
    let op = |data: &str| Op::Hwrite { h: "h0".into(), data: data.into() };
    let mut bytes = Input::from_ops(&[op("one"), op("two"), op("three")]).encode();
    let at = bytes.windows(3).position(|three| three == b"two").unwrap();
    bytes[at] = b'T';
    let ops = Input::decode(&bytes).unwrap().render();
    assert_eq!(ops[1..], [op("one"), op("Two"), op("three")]);
}
