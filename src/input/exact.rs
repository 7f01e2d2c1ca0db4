//! Ops that stand in an input literally, so that every sequence of ops has an encoding.

use super::bytes::Bytes;
use super::wire::LiteralWire;
use crate::ops::{Chunks, HostAction, Op};

vocabulary! {
    /// An op, as it stands.
    pub enum ExactOp {
        /// One op.
        One(op: Literal),
        /// Several as one step. A `seq` within a `seq` has no form here: its ops take its place.
        Seq(ops: Vec<Literal>),
        /// Several on the second connection.
        Second(ops: Vec<Literal>),
        /// Several as one step, some of them on the second connection.
        Both(ops: Vec<Sided>),
    }

    /// An op and its connection.
    pub struct Sided {
        /// Whether it is the second one.
        pub second: bool,
        /// The op.
        pub op: Literal,
    }

    /// The mirror of every op kind but `seq` and `second`; the fields are those of [`Op`].
    #[allow(missing_docs, reason = "the variants and fields are those of `Op`")]
    pub enum Literal {
        Write {
            path: Bytes,
            data: Bytes,
            mode: u8,
            chunks: LiteralChunks,
            offset: Option<u64>,
            stop_on_error: bool,
        },
        Read { path: Bytes, count: u32, offset: u64, mode: u8, reads: u32 },
        Stat { path: Bytes },
        Remove { path: Bytes },
        Create { path: Bytes, name: Bytes, perm: u32, mode: u8 },
        Hold { h: Bytes, path: Bytes, mode: u8 },
        Hwrite { h: Bytes, data: Bytes },
        Hread { h: Bytes, count: u32, offset: Option<u64> },
        Clunk { h: Bytes },
        Restore { data: Bytes },
        Host { remove: bool, name: Bytes, data: Option<Bytes> },
        Fresh { follower: bool },
        Reset { follower: bool },
        Wire { steps: Vec<LiteralWire> },
    }

    /// The mirror of [`Chunks`].
    #[allow(missing_docs, reason = "the variants are those of `Chunks`")]
    pub enum LiteralChunks {
        Whole,
        Bytes,
        Sizes(sizes: Vec<u32>),
    }
}

impl ExactOp {
    /// The form of `op`.
    pub fn of(op: &Op) -> ExactOp {
        if let Some(op) = Literal::of(op) {
            return ExactOp::One(op);
        }
        if let Op::Second { ops } = op {
            return ExactOp::Second(ops.iter().filter_map(Literal::of).collect());
        }
        let mut ops = Vec::new();
        flatten(op, false, &mut ops);
        match ops.iter().any(|sided| sided.second) {
            true => ExactOp::Both(ops),
            false => ExactOp::Seq(ops.into_iter().map(|sided| sided.op).collect()),
        }
    }

    /// The op.
    pub fn render(&self) -> Op {
        match self {
            ExactOp::One(op) => op.render(),
            ExactOp::Seq(ops) => Op::Seq { ops: ops.iter().map(Literal::render).collect() },
            ExactOp::Second(ops) => Op::Second { ops: on_files(ops.iter()) },
            ExactOp::Both(ops) => {
                let turns = ops.chunk_by(|one, next| one.second == next.second);
                Op::Seq { ops: turns.flat_map(render_turn).collect() }
            }
        }
    }
}

/// Ops in a row on one connection.
fn render_turn(turn: &[Sided]) -> Vec<Op> {
    let ops = turn.iter().map(|sided| &sided.op);
    match turn.first() {
        Some(Sided { second: true, .. }) => vec![Op::Second { ops: on_files(ops) }],
        _ => ops.map(Literal::render).collect(),
    }
}

/// What a second connection may be asked for.
fn on_files<'a>(ops: impl Iterator<Item = &'a Literal>) -> Vec<Op> {
    ops.map(Literal::render).filter(Op::is_on_a_file).collect()
}

/// Appends the ops of a `seq`, those of a `seq` within it in its place.
fn flatten(op: &Op, second: bool, out: &mut Vec<Sided>) {
    match op {
        Op::Seq { ops } => ops.iter().for_each(|op| flatten(op, second, out)),
        Op::Second { ops } => ops.iter().for_each(|op| flatten(op, true, out)),
        other => out.extend(Literal::of(other).map(|op| Sided { second, op })),
    }
}

impl Literal {
    /// The form of `op`; none for a `seq` or a `second`.
    fn of(op: &Op) -> Option<Literal> {
        Some(match op {
            Op::Write { path, data, mode, chunks, offset, stop_on_error } => Literal::Write {
                path: path.into(),
                data: data.into(),
                mode: *mode,
                chunks: chunks.into(),
                offset: *offset,
                stop_on_error: *stop_on_error,
            },
            Op::Read { path, count, offset, mode, reads } => Literal::Read {
                path: path.into(),
                count: *count,
                offset: *offset,
                mode: *mode,
                reads: *reads,
            },
            Op::Stat { path } => Literal::Stat { path: path.into() },
            Op::Remove { path } => Literal::Remove { path: path.into() },
            Op::Create { path, name, perm, mode } => {
                Literal::Create { path: path.into(), name: name.into(), perm: *perm, mode: *mode }
            }
            Op::Hold { h, path, mode } => {
                Literal::Hold { h: h.into(), path: path.into(), mode: *mode }
            }
            Op::Hwrite { h, data } => Literal::Hwrite { h: h.into(), data: data.into() },
            Op::Hread { h, count, offset } => {
                Literal::Hread { h: h.into(), count: *count, offset: *offset }
            }
            Op::Clunk { h } => Literal::Clunk { h: h.into() },
            Op::Restore { data } => Literal::Restore { data: data.into() },
            Op::Host { action, name, data } => Literal::Host {
                remove: *action == HostAction::Rm,
                name: name.into(),
                data: data.as_ref().map(Bytes::from),
            },
            Op::Fresh { follower } => Literal::Fresh { follower: *follower },
            Op::Reset { follower } => Literal::Reset { follower: *follower },
            Op::Wire { steps } => {
                Literal::Wire { steps: steps.iter().map(LiteralWire::of).collect() }
            }
            Op::Seq { .. } | Op::Second { .. } => return None,
        })
    }

    /// The op.
    fn render(&self) -> Op {
        match self {
            Literal::Write { path, data, mode, chunks, offset, stop_on_error } => Op::Write {
                path: path.into(),
                data: data.into(),
                mode: *mode,
                chunks: chunks.into(),
                offset: *offset,
                stop_on_error: *stop_on_error,
            },
            Literal::Read { path, count, offset, mode, reads } => Op::Read {
                path: path.into(),
                count: *count,
                offset: *offset,
                mode: *mode,
                reads: *reads,
            },
            Literal::Stat { path } => Op::Stat { path: path.into() },
            Literal::Remove { path } => Op::Remove { path: path.into() },
            Literal::Create { path, name, perm, mode } => {
                Op::Create { path: path.into(), name: name.into(), perm: *perm, mode: *mode }
            }
            Literal::Hold { h, path, mode } => {
                Op::Hold { h: h.into(), path: path.into(), mode: *mode }
            }
            Literal::Hwrite { h, data } => Op::Hwrite { h: h.into(), data: data.into() },
            Literal::Hread { h, count, offset } => {
                Op::Hread { h: h.into(), count: *count, offset: *offset }
            }
            Literal::Clunk { h } => Op::Clunk { h: h.into() },
            Literal::Restore { data } => Op::Restore { data: data.into() },
            Literal::Host { remove, name, data } => Op::Host {
                action: if *remove { HostAction::Rm } else { HostAction::Write },
                name: name.into(),
                data: data.as_ref().map(Into::into),
            },
            Literal::Fresh { follower } => Op::Fresh { follower: *follower },
            Literal::Reset { follower } => Op::Reset { follower: *follower },
            Literal::Wire { steps } => {
                Op::Wire { steps: steps.iter().map(LiteralWire::render).collect() }
            }
        }
    }
}

impl From<&Chunks> for LiteralChunks {
    fn from(chunks: &Chunks) -> Self {
        match chunks {
            Chunks::Whole => LiteralChunks::Whole,
            Chunks::Bytes => LiteralChunks::Bytes,
            Chunks::Sizes(sizes) => LiteralChunks::Sizes(sizes.clone()),
        }
    }
}

impl From<&LiteralChunks> for Chunks {
    fn from(chunks: &LiteralChunks) -> Self {
        match chunks {
            LiteralChunks::Whole => Chunks::Whole,
            LiteralChunks::Bytes => Chunks::Bytes,
            LiteralChunks::Sizes(sizes) => Chunks::Sizes(sizes.clone()),
        }
    }
}
