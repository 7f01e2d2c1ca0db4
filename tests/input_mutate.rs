//! What mutation and crossover give: always inputs, within the limit, the same for the same, and in
//! time everything that there is.

use std::collections::BTreeSet;

use monkey9p::input::{ExactOp, Family, Generator, Input, Mutator, Step, Way};
use monkey9p::ops::{Chunks, Latin1, Op};
use proptest::prelude::*;

const ROOM: usize = 4096;
/// Enough calls for anything that is not very rare.
const MANY: u32 = 6000;

/// Stands for libFuzzer's own mutations: a byte changes, and one comes or goes.
fn own(data: &mut [u8], size: usize, max_size: usize) -> usize {
    if size > 0 {
        data[size / 2] ^= 0x55;
    }
    if size < max_size { size + 1 } else { size.min(max_size).saturating_sub(1) }
}

/// One call as libFuzzer makes it: with a buffer as long as the longer of both sizes.
fn mutate(mutator: &mut Mutator, bytes: &[u8], max_size: usize, seed: u32) -> Vec<u8> {
    let mut data = bytes.to_vec();
    data.resize(bytes.len().max(max_size), 0xaa);
    let size = mutator.mutate(&mut data, bytes.len(), max_size, seed, &mut own);
    data.truncate(size);
    data
}

fn generated(seed: u64, steps: usize) -> Input {
    let mut generator = Generator::new(seed);
    Input { follower: false, steps: (0..steps).map(|_| generator.next_step()).collect() }
}

/// Steps as logs hold them.
fn exact(seed: u64, steps: usize) -> Input {
    Input::from_ops(&generated(seed, steps).render())
}

/// An input's own bytes, or those of what is left of it in too little room.
fn assert_is_an_input(bytes: &[u8], max_size: usize) {
    assert!(bytes.len() <= max_size, "{} bytes of {max_size}", bytes.len());
    match (bytes, max_size) {
        (_, 0) => {}
        ([0 | 1], 1) => {}
        _ => assert_eq!(Input::decode(bytes).map(|input| input.encode()).as_deref(), Some(bytes)),
    }
}

/// A step's variant, by its name.
fn variant(step: &Step) -> String {
    let text = format!("{step:?}");
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

/// Any input, or bytes that are hardly one.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        (any::<u64>(), 0usize..30).prop_map(|(seed, steps)| generated(seed, steps).encode()),
        (any::<u64>(), 0usize..30).prop_map(|(seed, steps)| exact(seed, steps).encode()),
    ]
}

fn limit() -> impl Strategy<Value = usize> {
    prop_oneof![0usize..8, 0usize..300, Just(ROOM)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_comes_out_is_an_input_that_fits(
        bytes in bytes(), calls in prop::collection::vec((limit(), any::<u32>()), 1..12),
    ) {
        let mut mutator = Mutator::new(Way::Ops);
        let mut bytes = bytes;
        for (limit, seed) in calls {
            bytes = mutate(&mut mutator, &bytes, limit, seed);
            assert_is_an_input(&bytes, limit);
        }
    }

    #[test]
    fn a_smaller_limit_only_makes_smaller(
        bytes in bytes(), less in 1usize..400, seeds in prop::collection::vec(any::<u32>(), 1..40),
    ) {
        prop_assume!(!bytes.is_empty());
        let limit = bytes.len().saturating_sub(less);
        let steps = Input::decode(&bytes).map_or(0, |input| input.steps.len());
        // Stacked, as libFuzzer does it: the size stays, and behind the result is what was there.
        let (mut mutator, mut data) = (Mutator::new(Way::Ops), bytes.clone());
        for seed in seeds {
            let size = data.len();
            let new_size = mutator.mutate(&mut data, size, limit, seed, &mut own);
            assert_is_an_input(&data[..new_size], limit);
            let left = Input::decode(&data[..new_size]).map_or(0, |input| input.steps.len());
            prop_assert!(left <= steps, "{left} steps of {steps}");
        }
    }

    #[test]
    fn the_same_calls_give_the_same(
        bytes in bytes(), calls in prop::collection::vec((limit(), any::<u32>()), 1..12),
    ) {
        let run = || {
            let mut mutator = Mutator::new(Way::Ops);
            mutator.learn(b"word");
            let mut all = vec![bytes.clone()];
            for (limit, seed) in &calls {
                let last = all.last().unwrap();
                let out = mutate(&mut mutator, last, *limit, *seed);
                all.push(out);
            }
            all
        };
        prop_assert_eq!(run(), run());
    }

    #[test]
    fn a_crossover_has_steps_of_both_and_no_others(
        one in bytes(), other in bytes(), room in limit(), seed in any::<u32>(),
    ) {
        let mut mutator = Mutator::new(Way::Ops);
        let mut out = vec![0xaa; room];
        let size = mutator.crossover(&one, &other, &mut out, seed);
        out.truncate(size);
        if !out.is_empty() {
            assert_is_an_input(&out, room);
            let steps = |bytes: &[u8]| Input::decode(bytes).map_or(vec![], |input| input.steps);
            let known = [steps(&one), steps(&other)].concat();
            prop_assert!(steps(&out).iter().all(|step| known.contains(step)));
        }
    }
}

#[test]
fn crossovers_happen_and_take_from_both() {
    let (one, other) = (generated(1, 10), generated(2, 10));
    let mut mutator = Mutator::new(Way::Ops);
    let mixed = |input: &Input| {
        let has = |from: &Input| input.steps.iter().any(|step| from.steps.contains(step));
        has(&one) && has(&other)
    };
    let count = (0..200)
        .filter(|&seed| {
            let mut out = vec![0; ROOM];
            let size = mutator.crossover(&one.encode(), &other.encode(), &mut out, seed);
            Input::decode(&out[..size]).is_some_and(|input| mixed(&input))
        })
        .count();
    assert!((20..180).contains(&count), "{count} of 200");
}

#[test]
fn everything_is_reached_from_nothing() {
    let mut mutator = Mutator::new(Way::Ops);
    let (mut families, mut variants) = (BTreeSet::new(), BTreeSet::new());
    let mut bytes = Vec::new();
    for seed in 0..MANY {
        if seed % 50 == 0 {
            bytes.clear();
        }
        bytes = mutate(&mut mutator, &bytes, ROOM, seed);
        for step in Input::decode(&bytes).unwrap().steps {
            families.insert(step.family());
            variants.insert(variant(&step));
        }
    }
    let missing: Vec<&Family> =
        Family::ALL.iter().filter(|family| !families.contains(family)).collect();
    assert!(missing.is_empty(), "families that never occurred: {missing:?}");
    // All but the families' own: Hold, HandleWrite and so on.
    assert_eq!(variants.len(), 30, "{variants:?}");
}

#[test]
fn every_change_to_a_sequence_occurs() {
    let base = generated(3, 6);
    let mut mutator = Mutator::new(Way::FixedOps);
    let (mut longer, mut shorter, mut moved, mut within, mut follower) = (0, 0, 0, 0, 0);
    for seed in 0..400 {
        let out = Input::decode(&mutate(&mut mutator, &base.encode(), ROOM, seed)).unwrap();
        let kept = out.steps.iter().filter(|step| base.steps.contains(step)).count();
        match out.steps.len() {
            length if length > base.steps.len() => longer += 1,
            length if length < base.steps.len() => shorter += 1,
            _ if out.steps == base.steps => follower += 1,
            length if kept == length => moved += 1,
            _ => within += 1,
        }
    }
    let all = [longer, shorter, moved, within, follower];
    assert!(all.iter().all(|&count| count > 0), "{all:?}");
}

/// What is kept of an input may be all of it, some or nothing; what follows is new, and at times long.
#[test]
fn inputs_get_another_end() {
    const LONG: usize = 20;
    let base = generated(4, 12);
    let mut mutator = Mutator::new(Way::Ops);
    let mut kept = [false; 3];
    for seed in 0..2_000 {
        let out = Input::decode(&mutate(&mut mutator, &base.encode(), ROOM, seed)).unwrap();
        let same = out.steps.iter().zip(&base.steps).take_while(|(one, other)| one == other);
        let same = same.count();
        let new = out.steps[same..].iter().filter(|step| !base.steps.contains(step));
        if new.count() >= LONG {
            kept[usize::from(same > 0) + usize::from(same == base.steps.len())] = true;
        }
    }
    assert_eq!(kept, [true; 3]);
}

#[test]
fn what_was_seen_and_what_was_heard_come_again() {
    let mut mutator = Mutator::new(Way::Ops);
    mutator.learn(b"zanzibar9");
    let data = Latin1(b"quagga8".to_vec());
    let seen = Input::from_ops(&[Op::Hwrite { h: "h0".into(), data }]);
    mutate(&mut mutator, &seen.encode(), ROOM, 1);
    let other = generated(1, 10).encode();
    let holds = |word: &[u8], out: &[u8]| out.windows(word.len()).any(|part| part == word);
    let all: Vec<Vec<u8>> =
        (0..1000).map(|seed| mutate(&mut mutator, &other, ROOM, seed)).collect();
    assert!(all.iter().any(|out| holds(b"quagga8", out)), "the step was forgotten");
    assert!(all.iter().any(|out| holds(b"zanzibar9", out)), "the word was forgotten");
}

#[test]
fn bytes_alone_are_left_to_libfuzzer() {
    let bytes = generated(1, 5).encode();
    let mut mutator = Mutator::new(Way::Bytes);
    let mut data = bytes.clone();
    data.push(0);
    let want = own(&mut data.clone(), bytes.len(), bytes.len() + 1);
    let size = data.len();
    assert_eq!(mutator.mutate(&mut data, size - 1, size, 7, &mut own), want);
    assert_eq!(mutator.crossover(&bytes, &bytes, &mut [0; 100], 7), 0);
}

/// What `tmin` does: attempts are made of one that fails until none of so many does.
fn minimized(mut failing: Vec<u8>, attempts: usize, fails: impl Fn(&Input) -> bool) -> Input {
    loop {
        let (mut mutator, mut data) = (Mutator::new(Way::Ops), failing.clone());
        let size = data.len();
        let smaller = (0..attempts).find_map(|seed| {
            if seed % 5 == 0 {
                data.copy_from_slice(&failing);
            }
            let new_size = mutator.mutate(&mut data, size, size - 1, seed as u32, &mut own);
            let input = Input::decode(&data[..new_size])?;
            fails(&input).then(|| data[..new_size].to_vec())
        });
        match smaller {
            Some(smaller) => failing = smaller,
            None => return Input::decode(&failing).unwrap(),
        }
    }
}

#[test]
fn an_exact_sequence_is_minimized_op_by_op() {
    let needed = |number: usize| Op::Write {
        path: "/pane/{p0}/body".into(),
        data: format!("needed {number}, and not this").as_str().into(),
        mode: 1,
        chunks: Chunks::Sizes(vec![1, 2, 3]),
        offset: Some(5),
        stop_on_error: true,
    };
    let mut ops = exact(5, 60).render();
    for (number, at) in [5, 20, 21, 40, 55].into_iter().enumerate() {
        ops[at] = needed(number);
    }
    let fails = |input: &Input| {
        let ops = input.render();
        let mut next = 0;
        for op in &ops {
            let want = format!("needed {next}");
            if matches!(op, Op::Write { data, .. } if data.0.starts_with(want.as_bytes())) {
                next += 1;
            }
        }
        next == 5
    };
    let least = minimized(Input::from_ops(&ops).encode(), 255, fails);
    assert_eq!(least.steps.len(), 5, "{least:?}");
    assert!(least.steps.iter().all(|step| matches!(step, Step::Exact(ExactOp::One(_)))));
    // And each is smaller for itself: most of what is not needed of its data is gone.
    let data: usize = least
        .render()
        .iter()
        .map(|op| match op {
            Op::Write { data, .. } => data.0.len(),
            _ => 0,
        })
        .sum();
    assert!(data < 5 * "needed 0, and".len(), "{data}: {least:?}");
}
