//! What is simpler than an op: each candidate is smaller in some way and larger in none, so that
//! replacing comes to an end.

use once_cell::sync::Lazy;
use regex::bytes::{Captures, Regex};

use crate::ops::{Chunks, Latin1, Op};
use crate::wire::msg::{ORDWR, OREAD, OWRITE};

/// Data up to this many bytes loses them one by one.
const BYTE_BY_BYTE: usize = 64;
/// A read's plain count, in bytes.
const PLAIN_COUNT_BYTES: u32 = 8_192;
/// A later reference is replaced by one up to this: panes are three at the start.
const PLAIN_REFERENCES: u32 = 3;
/// What stands for a word.
const PLAIN_WORD: &[u8] = b"x";

static REFERENCE: Lazy<Regex> =
    Lazy::new(|| Regex::new(r"\{([pcg])([0-9]{1,9})\}").expect("a constant"));
static WORD: Lazy<Regex> = Lazy::new(|| Regex::new(r"[A-Za-z0-9]{2,}").expect("a constant"));

/// Simpler forms of `op`, the boldest first.
pub fn simpler(op: &Op) -> Vec<Op> {
    let mut out = Vec::new();
    match op {
        Op::Seq { ops } => {
            // What stands alone needs no wrapping; several may have to be one step.
            out.extend(ops.first().filter(|_| ops.len() == 1).cloned());
            out.extend(simpler_lists(ops).into_iter().map(|ops| Op::Seq { ops }));
        }
        Op::Second { ops } => {
            out.extend(ops.first().filter(|_| ops.len() == 1).cloned());
            out.push(Op::Seq { ops: ops.clone() });
            out.extend(simpler_lists(ops).into_iter().map(|ops| Op::Second { ops }));
        }
        Op::Wire { steps } => {
            out.extend(without_one(steps).into_iter().map(|steps| Op::Wire { steps }))
        }
        Op::Fresh { follower: true } => out.push(Op::Fresh { follower: false }),
        Op::Reset { follower: true } => out.push(Op::Reset { follower: false }),
        _ => {
            out.extend(plain_fields(op));
            out.extend((0..=PLAIN_REFERENCES).filter_map(|to| plain_reference(op, to)));
            out.extend(simpler_data(op));
        }
    }
    out
}

/// A list's halves, then without each of its parts, and with each of them simpler.
fn simpler_lists(ops: &[Op]) -> Vec<Vec<Op>> {
    let parts = parts(ops);
    let mut out = Vec::new();
    if parts.len() > 3 {
        let (first, last) = parts.split_at(parts.len() / 2);
        out.extend([first.concat(), last.concat()]);
    }
    out.extend(without_one(&parts).iter().map(|parts| parts.concat()));
    for (at, part) in parts.iter().enumerate() {
        for op in simpler(&part[0]) {
            let instead = vec![op; part.len()];
            let (before, after) = (parts[..at].concat(), parts[at + 1..].concat());
            out.push([before, instead, after].concat());
        }
    }
    out
}

/// What goes together: the same read of a handle again and again is how a shell is listened to, and
/// how many of those it takes is for the machine to say, not for one lucky replay.
fn parts(ops: &[Op]) -> Vec<&[Op]> {
    ops.chunk_by(|one, next| matches!(one, Op::Hread { .. }) && one == next).collect()
}

fn without_one<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    let without = |at: usize| {
        let mut items = items.to_vec();
        items.remove(at);
        items
    };
    (0..items.len()).map(without).collect()
}

/// One field after the other as it mostly is.
fn plain_fields(op: &Op) -> Vec<Op> {
    let mut out = Vec::new();
    let mut with = |change: &dyn Fn(&mut Op)| {
        let mut plain = op.clone();
        change(&mut plain);
        if plain != *op {
            out.push(plain);
        }
    };
    with(&|op| {
        if let Op::Write { chunks, .. } = op {
            *chunks = Chunks::Whole;
        }
    });
    with(&|op| match op {
        Op::Write { offset, .. } | Op::Hread { offset, .. } => *offset = None,
        Op::Read { offset, .. } => *offset = 0,
        _ => {}
    });
    with(&|op| match op {
        Op::Write { mode, .. } => *mode = OWRITE,
        Op::Read { mode, .. } | Op::Create { mode, .. } => *mode = OREAD,
        // One that is written to needs it; the other way round it would never end.
        Op::Hold { mode, .. } if *mode != OREAD => {
            *mode = if *mode == ORDWR { OREAD } else { ORDWR };
        }
        _ => {}
    });
    with(&|op| match op {
        Op::Write { stop_on_error, .. } => *stop_on_error = true,
        Op::Read { reads, .. } => *reads = 1,
        Op::Create { perm, .. } => *perm = 0o666,
        _ => {}
    });
    with(&|op| match op {
        Op::Read { count, .. } | Op::Hread { count, .. } => *count = PLAIN_COUNT_BYTES,
        Op::Create { name, .. } => *name = PLAIN_WORD.into(),
        _ => {}
    });
    out
}

/// One of the first of what is alive, instead of a later one.
fn plain_reference(op: &Op, to: u32) -> Option<Op> {
    let mut op = op.clone();
    let path = match &mut op {
        Op::Write { path, .. }
        | Op::Read { path, .. }
        | Op::Stat { path }
        | Op::Remove { path }
        | Op::Create { path, .. }
        | Op::Hold { path, .. } => path,
        _ => return None,
    };
    let later = |found: &Captures<'_>| {
        let number = std::str::from_utf8(&found[2]).ok().and_then(|digits| digits.parse().ok());
        match number.is_some_and(|number: u32| number > to) {
            true => [b"{", &found[1], to.to_string().as_bytes(), b"}"].concat(),
            false => found[0].to_vec(),
        }
    };
    let plain = REFERENCE.replace_all(path, later).into_owned();
    let changed = plain != path.0;
    path.0 = plain;
    changed.then_some(op)
}

/// Less data: none, halves, quarters, single bytes, plain words.
fn simpler_data(op: &Op) -> Vec<Op> {
    let data = match op {
        Op::Write { data, .. } | Op::Hwrite { data, .. } | Op::Restore { data } => data,
        Op::Host { data: Some(data), .. } => data,
        _ => return Vec::new(),
    };
    let with = |bytes: Vec<u8>| {
        let mut op = op.clone();
        match &mut op {
            Op::Write { data, .. } | Op::Hwrite { data, .. } | Op::Restore { data } => {
                data.0 = bytes;
            }
            Op::Host { data, .. } => *data = Some(Latin1(bytes)),
            _ => {}
        }
        op
    };
    less(data).into_iter().map(with).collect()
}

fn less(data: &[u8]) -> Vec<Vec<u8>> {
    let length = data.len();
    if length == 0 {
        return Vec::new();
    }
    let mut out: Vec<Vec<u8>> = vec![Vec::new()];
    let mut without = |from: usize, to: usize| out.push([&data[..from], &data[to..]].concat());
    if length > 1 {
        without(length / 2, length);
        without(0, length / 2);
    }
    if length > 4 {
        let part = length / 4;
        (0..4).for_each(|at| without(at * part, (at + 1) * part));
    }
    if length <= BYTE_BY_BYTE {
        (0..length).for_each(|at| without(at, at + 1));
    }
    for word in WORD.find_iter(data) {
        let (before, after) = (&data[..word.start()], &data[word.end()..]);
        out.push([before, PLAIN_WORD, after].concat());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However it is simplified, it comes to an end.
    #[test]
    fn what_is_simpler_ends() {
        let mut op = Op::Seq {
            ops: vec![
                Op::Hold { h: "h".into(), path: "/pane/{p12}/{c3}".into(), mode: 17 },
                Op::Write {
                    path: "/pane/{g4}/ctl".into(),
                    data: "Edit s/aa/bb/\nmore words 12\n".into(),
                    mode: 3,
                    chunks: Chunks::Sizes(vec![1]),
                    offset: Some(1),
                    stop_on_error: false,
                },
                Op::Read { path: "/".into(), count: 1, offset: 9, mode: 2, reads: 5 },
                Op::Second { ops: vec![Op::Hread { h: "h".into(), count: 7, offset: Some(4) }] },
            ],
        };
        for round in 0.. {
            assert!(round < 500, "{op:?}");
            // The last is the least bold: the longest way down.
            match simpler(&op).pop() {
                Some(next) => op = next,
                None => break,
            }
        }
        assert_eq!(op, Op::Seq { ops: vec![] });
    }

    /// However lucky a replay is, a shell is listened to for as long as it was, or not at all.
    #[test]
    fn equal_reads_of_a_handle_go_and_change_together() {
        let read = |h: &str, count| Op::Hread { h: h.into(), count, offset: None };
        let mut ops = vec![Op::Hold { h: "a".into(), path: "/pane/{p0}/pty/data".into(), mode: 0 }];
        ops.extend(vec![read("a", 5); 9]);
        ops.push(read("b", 5));
        for op in simpler(&Op::Seq { ops }) {
            let Op::Seq { ops } = op else { panic!("{op:?}") };
            let reads: Vec<&Op> =
                ops.iter().filter(|op| matches!(op, Op::Hread { h, .. } if h.0 == b"a")).collect();
            assert!(reads.is_empty() || reads.len() == 9, "{ops:?}");
            assert!(reads.windows(2).all(|two| two[0] == two[1]), "{ops:?}");
        }
    }

    #[test]
    fn references_become_the_first() {
        let plain = |path: &str, to| {
            plain_reference(&Op::Stat { path: path.into() }, to)
                .map(|op| op.path().unwrap().to_text())
        };
        assert_eq!(plain("/pane/{p12}/x{c3}", 0).as_deref(), Some("/pane/{p0}/x{c0}"));
        assert_eq!(plain("/pane/{p12}/x{c1}", 2).as_deref(), Some("/pane/{p2}/x{c1}"));
        assert_eq!(plain("/pane/{p0}/{q3}", 0), None);
    }
}
