//! Scripts of raw messages: the sound stand-in breaks no rule, and each planted defect of the
//! protocol is found by the rule that it breaks.

mod common;

use monkey9p::input::{Family, Generator, Renderer, Weights};
use monkey9p::ops::{Op, Reach, guard, parse_op, read_ops};
use monkey9p::runner::{End, Runner, replay};
use serde_json::json;

/// A script in the JSON of logs.
fn wire(steps: serde_json::Value) -> Op {
    parse_op(json!({"op": "wire", "steps": steps})).unwrap()
}

fn seeds() -> Vec<(String, Vec<Op>)> {
    let all = std::fs::read_dir(common::project().join("seeds")).unwrap();
    let all = all.map(|entry| entry.unwrap().path());
    let wire = all.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("wire-"));
    wire.map(|path| (path.display().to_string(), read_ops(&path).unwrap().ops)).collect()
}

#[test]
fn the_seeds_break_no_rule_and_are_run() {
    let seeds = seeds();
    assert!(seeds.len() >= 4);
    for (name, ops) in seeds {
        assert!(ops.iter().all(|op| guard(op, Reach::Confined).is_ok()), "{name}");
        for follower in [false, true] {
            let ops: Vec<Op> =
                [Op::Fresh { follower }].into_iter().chain(ops[1..].to_vec()).collect();
            let replayed = common::replay_on(None, &ops);
            assert!(replayed.found.is_none(), "{name}, {follower}: {:?}", replayed.found);
            assert_eq!(replayed.not_run, 0, "{name}");
        }
    }
}

/// A generator that makes scripts alone, with now and then a pane.
fn scripts(seed: u64, count: usize) -> Vec<Op> {
    let off = Family::ALL.iter().filter(|&&family| family != Family::Wire);
    let weights = off.fold(Weights::default(), |weights, &family| weights.with(family, 0));
    let weights = weights.with(Family::NewPane, 1);
    let mut generator = Generator::with_weights(seed, weights);
    let mut renderer = Renderer::default();
    (0..count).map(|_| renderer.step(&generator.next_step())).collect()
}

#[test]
fn generated_scripts_break_no_rule() {
    for follower in [false, true] {
        let mut runner = Runner::new(common::launcher(None), true);
        let ops: Vec<Op> = [Op::Fresh { follower }]
            .into_iter()
            .chain(scripts(u64::from(follower) + 1, 500))
            .collect();
        let mut answers = 0;
        let replayed = replay(&mut runner, &ops, |_, _, end| {
            if let End::Done(outcome) = end {
                answers += outcome.wire.iter().map(|one| one.answers().len()).sum::<usize>();
            }
        })
        .unwrap();
        let at = replayed.found.as_ref().map(|(step, _)| &ops[*step]);
        assert!(replayed.found.is_none(), "{:?} at {at:?}", replayed.found);
        assert_eq!(replayed.not_run, 0);
        assert!(answers > 2000, "{answers} answers");
    }
}
