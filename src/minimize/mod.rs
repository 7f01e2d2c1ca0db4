//! The smallest sequence of ops that still fails: whoever runs them.

mod ddmin;
mod simpler;

use crate::ops::Op;
use ddmin::ddmin;
use simpler::simpler;

/// Runs candidates.
pub trait Oracle {
    /// The first of the candidates that still fails as it should; none if none does, or if nothing
    /// more may be tried.
    fn first_failing(&mut self, candidates: &[Vec<Op>]) -> Option<usize>;

    /// Told of each sequence that is smaller than the one before, and fails.
    fn smaller(&mut self, _ops: &[Op]) {}

    /// Whether what a round reached fails as surely as it should: an oracle may look once at each
    /// candidate, and closely at what they come to. If it says no, it has to look closely from then
    /// on, and the round is made again; where even that does not hold, nothing of it is taken.
    fn holds(&mut self, _ops: &[Op]) -> bool {
        true
    }
}

/// How many candidates are made at a time: each is a copy of all ops.
const BATCH: usize = 16;

/// The smallest sequence that `oracle` says fails: 1-minimal in its ops (Zeller's ddmin: nothing more
/// can be left out one by one), then each op as simple as it can be. `ops` begin with a `fresh`, which
/// stays, and fail. Where the oracle stops answering (a budget spent), what was reached is given.
pub fn minimize(ops: &[Op], oracle: &mut impl Oracle) -> Vec<Op> {
    let mut best = surely(ops, oracle, last_ops);
    loop {
        best = surely(&best, oracle, fewer);
        let simpler = surely(&best, oracle, each_simpler);
        if simpler == best {
            return best;
        }
        best = simpler;
    }
}

/// One round, made again if what it came to does not hold, and given up if it still does not.
fn surely<O: Oracle>(
    before: &[Op],
    oracle: &mut O,
    round: impl Fn(&[Op], &mut O) -> Vec<Op>,
) -> Vec<Op> {
    for _ in 0..2 {
        let after = round(before, oracle);
        if after == before || oracle.holds(&after) {
            return after;
        }
    }
    before.to_vec()
}

/// Failures are mostly of the last few ops: the shortest end that fails, by doubling.
fn last_ops(ops: &[Op], oracle: &mut impl Oracle) -> Vec<Op> {
    let Some((first, rest)) = ops.split_first() else { return Vec::new() };
    let lengths: Vec<usize> =
        std::iter::successors(Some(1), |n| Some(n * 2)).take_while(|n| *n < rest.len()).collect();
    let ends: Vec<Vec<Op>> = lengths
        .iter()
        .map(|length| {
            let end = rest[rest.len() - length..].iter();
            [first].into_iter().chain(end).cloned().collect()
        })
        .collect();
    take_first(ends, oracle).unwrap_or_else(|| ops.to_vec())
}

fn fewer(ops: &[Op], oracle: &mut impl Oracle) -> Vec<Op> {
    let Some((first, rest)) = ops.split_first() else { return Vec::new() };
    let whole = |rest: &[Op]| [first].into_iter().chain(rest).cloned().collect::<Vec<Op>>();
    let rest = ddmin(rest, BATCH, |candidates| {
        let candidates: Vec<Vec<Op>> = candidates.iter().map(|rest| whole(rest)).collect();
        let found = oracle.first_failing(&candidates)?;
        oracle.smaller(&candidates[found]);
        Some(found)
    });
    whole(&rest)
}

/// Each op in turn replaced by a simpler one for as long as one fails.
fn each_simpler(ops: &[Op], oracle: &mut impl Oracle) -> Vec<Op> {
    let (mut ops, mut at) = (ops.to_vec(), 0);
    while at < ops.len() {
        let with = |op: Op| {
            let mut ops = ops.clone();
            ops[at] = op;
            ops
        };
        let candidates: Vec<Vec<Op>> = simpler(&ops[at]).into_iter().map(with).collect();
        match take_first(candidates, oracle) {
            Some(simpler) => ops = simpler,
            None => at += 1,
        }
    }
    ops
}

fn take_first(candidates: Vec<Vec<Op>>, oracle: &mut impl Oracle) -> Option<Vec<Op>> {
    let found = oracle.first_failing(&candidates)?;
    let found = candidates.into_iter().nth(found)?;
    oracle.smaller(&found);
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::Chunks;

    /// Asks a function, and counts.
    struct Asked<F>(F, usize);

    impl<F: Fn(&[Op]) -> bool> Oracle for Asked<F> {
        fn first_failing(&mut self, candidates: &[Vec<Op>]) -> Option<usize> {
            self.1 += candidates.len();
            candidates.iter().position(|ops| (self.0)(ops))
        }
    }

    fn smallest(ops: &[Op], fails: impl Fn(&[Op]) -> bool) -> Vec<Op> {
        assert!(fails(ops));
        let small = minimize(ops, &mut Asked(&fails, 0));
        assert!(fails(&small), "{small:?}");
        small
    }

    fn write(path: &str, data: &str, chunks: Chunks) -> Op {
        Op::Write {
            path: path.into(),
            data: data.into(),
            mode: 17,
            chunks,
            offset: Some(5),
            stop_on_error: false,
        }
    }

    fn fresh() -> Op {
        Op::Fresh { follower: true }
    }

    #[test]
    fn one_write_is_as_plain_as_can_be() {
        let big = write(
            "/pane/{p7}/body",
            &format!("{}x{}", "y".repeat(90), "z".repeat(500)),
            Chunks::Bytes,
        );
        let mut ops = vec![fresh()];
        ops.extend((0..100).map(|n| Op::Stat { path: format!("/{n}").as_str().into() }));
        ops.push(big);
        ops.push(Op::Stat { path: "/".into() });
        let small = smallest(&ops, |ops| {
            ops.iter().any(|op| matches!(op, Op::Write { data, .. } if data.contains(&b'x')))
        });
        let plain = Op::Write {
            path: "/pane/{p0}/body".into(),
            data: "x".into(),
            mode: 1,
            chunks: Chunks::Whole,
            offset: None,
            stop_on_error: true,
        };
        assert_eq!(small, [Op::Fresh { follower: false }, plain]);
    }

    #[test]
    fn of_several_ops_only_what_is_needed_stays() {
        let seq = Op::Seq {
            ops: vec![
                Op::Stat { path: "/a".into() },
                Op::Second {
                    ops: vec![Op::Remove { path: "/b".into() }, Op::Clunk { h: "h".into() }],
                },
            ],
        };
        let removes = |op: &Op| matches!(op, Op::Remove { .. });
        let small = smallest(&[fresh(), seq.clone()], |ops| {
            ops.iter().any(|op| match op {
                Op::Seq { ops } => {
                    ops.iter().any(|op| matches!(op, Op::Second { ops } if ops.iter().any(removes)))
                }
                Op::Second { ops } => ops.iter().any(removes),
                op => removes(op),
            })
        });
        assert_eq!(small[1..], [Op::Remove { path: "/b".into() }]);
        // Where both are needed in one step, they stay in one.
        let small = smallest(&[fresh(), seq], |ops| {
            ops.iter().any(|op| matches!(op, Op::Seq { ops } if ops.len() == 2))
        });
        assert!(matches!(&small[1..], [Op::Seq { ops }] if ops.len() == 2), "{small:?}");
    }

    /// Fails by chance without one op: a first look may be wrong, a close one is not.
    struct Chance {
        closely: bool,
        looks: usize,
    }

    impl Chance {
        fn needed(ops: &[Op]) -> bool {
            ops.contains(&Op::Stat { path: "/7".into() })
        }
    }

    impl Oracle for Chance {
        fn first_failing(&mut self, candidates: &[Vec<Op>]) -> Option<usize> {
            candidates.iter().position(|ops| {
                self.looks += 1;
                Chance::needed(ops) || (!self.closely && self.looks.is_multiple_of(3))
            })
        }

        fn holds(&mut self, ops: &[Op]) -> bool {
            let holds = self.closely || Chance::needed(ops);
            self.closely |= !holds;
            holds
        }
    }

    #[test]
    fn what_failed_by_chance_is_gone_back_from() {
        let mut ops = vec![fresh()];
        ops.extend((0..20).map(|n| Op::Stat { path: format!("/{n}").as_str().into() }));
        let mut chance = Chance { closely: false, looks: 0 };
        let small = minimize(&ops, &mut chance);
        assert!(chance.closely);
        assert_eq!(small[1..], [Op::Stat { path: "/7".into() }]);
    }

    /// Says that everything fails, and then that nothing of it holds.
    struct Wrong;

    impl Oracle for Wrong {
        fn first_failing(&mut self, candidates: &[Vec<Op>]) -> Option<usize> {
            (!candidates.is_empty()).then_some(0)
        }

        fn holds(&mut self, _ops: &[Op]) -> bool {
            false
        }
    }

    #[test]
    fn what_never_holds_is_not_taken() {
        let ops = [fresh(), Op::Stat { path: "/a".into() }, write("/b", "c", Chunks::Whole)];
        assert_eq!(minimize(&ops, &mut Wrong), ops);
    }

    #[test]
    fn the_last_ops_are_tried_first() {
        let ops: Vec<Op> = [fresh()]
            .into_iter()
            .chain((0..1000).map(|n| Op::Stat { path: format!("/{n}").as_str().into() }))
            .collect();
        let last = |ops: &[Op]| ops.last() == Some(&Op::Stat { path: "/999".into() });
        let mut asked = Asked(last, 0);
        assert_eq!(minimize(&ops, &mut asked).len(), 2);
        assert!(asked.1 < 40, "{}", asked.1);
    }
}
