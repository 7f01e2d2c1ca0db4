//! Delta debugging: the smallest sequence of ops that still fails, whoever runs them.

use crate::ops::{Chunks, Op, WireStep};

/// A 1-minimal subsequence of `items` for which `fails` holds, by Zeller's ddmin: nothing more can
/// be left out one by one. `fails` must hold of `items` itself; if it stops answering true (a budget
/// spent), what was reached so far is given.
pub fn minimize<T: Clone>(items: &[T], mut fails: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let mut items = items.to_vec();
    let mut parts = 2;
    while items.len() >= 2 {
        let size = items.len().div_ceil(parts);
        let smaller = (0..items.len()).step_by(size).find_map(|start| {
            let rest = items.iter().take(start).chain(items.iter().skip(start + size));
            let rest: Vec<T> = rest.cloned().collect();
            fails(&rest).then_some(rest)
        });
        match smaller {
            Some(rest) => {
                items = rest;
                parts = (parts - 1).max(2);
            }
            None if size == 1 => break,
            None => parts = (parts * 2).min(items.len()),
        }
    }
    items
}

/// Payloads up to this stay as they are, in bytes.
const PLAIN_BYTES: usize = 8;

/// Halves payloads, straightens chunkings and shortens scripts while the sequence still fails.
pub fn simplify(ops: &[Op], mut fails: impl FnMut(&[Op]) -> bool) -> Vec<Op> {
    let mut ops = ops.to_vec();
    for index in 0..ops.len() {
        if let Op::Wire { steps } = &ops[index] {
            let with = |steps: &[WireStep]| {
                let mut ops = ops.clone();
                ops[index] = Op::Wire { steps: steps.to_vec() };
                ops
            };
            let steps = minimize(steps, |steps| fails(&with(steps)));
            ops[index] = Op::Wire { steps };
        }
        while let Some(smaller) = halved(&ops[index]).or_else(|| whole(&ops[index])) {
            let before = std::mem::replace(&mut ops[index], smaller);
            if !fails(&ops) {
                ops[index] = before;
                break;
            }
        }
        if let Some(whole) = whole(&ops[index]) {
            let before = std::mem::replace(&mut ops[index], whole);
            if !fails(&ops) {
                ops[index] = before;
            }
        }
    }
    ops
}

fn halved(op: &Op) -> Option<Op> {
    let mut op = op.clone();
    let data = match &mut op {
        Op::Write { data, .. } | Op::Hwrite { data, .. } | Op::Restore { data } => data,
        Op::Host { data: Some(data), .. } => data,
        _ => return None,
    };
    if data.len() <= PLAIN_BYTES {
        return None;
    }
    data.0.truncate(data.len() / 2);
    Some(op)
}

fn whole(op: &Op) -> Option<Op> {
    match op {
        Op::Write { chunks, .. } if !chunks.is_whole() => {
            let mut op = op.clone();
            if let Op::Write { chunks, .. } = &mut op {
                *chunks = Chunks::Whole;
            }
            Some(op)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exactly_what_is_needed_remains(
            needed in proptest::collection::btree_set(0usize..60, 1..6),
            length in 60usize..80,
        ) {
            let items: Vec<usize> = (0..length).collect();
            let small = minimize(&items, |some| needed.iter().all(|one| some.contains(one)));
            prop_assert_eq!(small, needed.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn payloads_shrink_and_chunks_go() {
        let write = |data: &str, chunks| Op::Write {
            path: "/pane/{p0}/body".into(),
            data: data.into(),
            mode: 1,
            chunks,
            offset: None,
            stop_on_error: true,
        };
        let holds_x =
            |ops: &[Op]| matches!(&ops[0], Op::Write { data, .. } if data.contains(&b'x'));
        let big = write(&format!("x{}", "y".repeat(500)), Chunks::Bytes);
        assert_eq!(simplify(&[big], holds_x), [write("xyyyyyy", Chunks::Whole)]);
    }

    #[test]
    fn scripts_lose_steps() {
        let script = Op::Wire { steps: vec![WireStep::Wait, WireStep::Hangup, WireStep::Wait] };
        let hangs_up =
            |ops: &[Op]| matches!(&ops[0], Op::Wire { steps } if steps.contains(&WireStep::Hangup));
        let small = Op::Wire { steps: vec![WireStep::Hangup] };
        assert_eq!(simplify(&[script], hangs_up), [small]);
    }
}
