//! What is decoded encodes to bytes that decode to it, whatever the bytes.

use monkey9p::input::{
    Base, ExactOp, Input, Literal, Mode, PaneFile, PaneRef, Path, Payload, Step,
};
use monkey9p::input::{Bytes, Chunking, payload};
use monkey9p::ops::{Reach, guard};
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
        &[0x00, 0x00, 0x00, 0x00], // Write, 0 of 22
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
        &[0x46, 0x17, 0x5d, 0xf4], // Exact, 21 of 22
        &[0x00, 0x00, 0x00, 0x00], //   ExactOp::One, 0 of 2
        &[0x56, 0x55, 0x55, 0x95], //     Literal::Hread, 7 of 12
        &[2, b'h', b'1'],          //       h
        &[16, 0, 0, 0],            //       count
        &[1, 5, 0, 0, 0, 0, 0, 0, 0], //    an offset
        &[0],                      // no more steps
    ];
    assert_eq!(input.encode(), layout.concat());
    assert_eq!(Input::decode(&layout.concat()), Some(input));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_decode_and_encode_back(bytes in prop::collection::vec(any::<u8>(), 1..2000)) {
        let input = Input::decode(&bytes).expect("only no bytes at all have no meaning");
        let encoded = input.encode();
        prop_assert_eq!(Input::decode(&encoded), Some(input.clone()));
        // Canonical: what decodes to the same input encodes to the same bytes.
        prop_assert_eq!(Input::decode(&encoded).map(|again| again.encode()), Some(encoded));
        for (step, op) in input.steps.iter().zip(&input.render()[1..]) {
            if !matches!(step, Step::Exact(_)) {
                prop_assert_eq!(guard(op, Reach::Confined), Ok(()), "{:?}", step);
            }
        }
    }
}
