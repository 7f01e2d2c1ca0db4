//! The vocabulary: what bytes decode to, how it is encoded again, and which ops it means.

#[macro_use]
mod vocabulary;

mod bytes;
mod encode;
mod exact;
pub mod generate;
pub mod mutate;
mod open;
mod part;
mod parts;
mod path;
pub mod payload;
mod render;
mod scene;
mod step;
mod swarm;
mod weights;
mod wire;
mod words;

use arbitrary::{Arbitrary as _, Unstructured};

use crate::ops::Op;
use encode::Encode as _;

pub use bytes::Bytes;
pub use exact::{ExactOp, Literal, LiteralChunks, Sided};
pub use generate::Generator;
pub use mutate::{Mutator, Way};
pub use open::{HostAct, Open, OpenBuiltin, OpenFile, OpenPath, OpenWay};
pub use parts::{
    AddrFile, AfterAddr, Chunking, Count, DataFile, DumpLine, LineFile, Mode, NewName, NewPane,
    Parent, Perm, ReadOffset, Reads, RestoreLine, SLOTS, ShellWay, Slot, TagFile, WriteOffset,
};
pub use path::{
    ColRef, ColumnFile, HostPath, ImpossibleColumn, ImpossiblePane, Name, NameLength, OddName,
    PaneFile, PaneRef, Path, Place, RootFile,
};
pub use payload::{Base, Payload, PayloadKind};
pub use render::Renderer;
pub use scene::{Act, ClientStep, History, Kept, Talk, TalkEnd, TalkLine, Watch};
pub use step::{Family, Step};
pub use swarm::{STRETCH_STEPS, Weighing};
pub use weights::Weights;
pub use wire::{
    LiteralWire, Script, WireCount, WireData, WireFid, WireMessage, WireMode, WireMsize, WireName,
    WireOffset, WirePath, WireRaw, WireStory, WireTag, WireVersion, WireWhat,
};
pub use words::{Builtin, FileName, Odd, Rune, ShellWords, Word};

/// The most data that all typed steps of one input write, in bytes.
pub const INPUT_DATA_BYTES: usize = 64 << 20;

vocabulary! {
    /// What one run of the fuzz target does, as typed steps.
    pub struct Input {
        /// Whether the log is followed on a second connection, instead of being read.
        pub follower: bool,
        /// The steps, in order.
        pub steps: Vec<Step>,
    }
}

impl Input {
    /// What libFuzzer's bytes mean, exactly as the fuzz target takes them. Only an input that is too
    /// short to say anything has no meaning.
    pub fn decode(bytes: &[u8]) -> Option<Input> {
        if bytes.len() < Input::size_hint(0).0 {
            return None;
        }
        Input::arbitrary_take_rest(Unstructured::new(bytes)).ok()
    }

    /// The bytes that decode to this: one spelling, the same on every machine.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.encode_to(&mut out);
        out
    }

    /// The ops: a fresh session, then one op a step. Typed steps share [`INPUT_DATA_BYTES`]: a few
    /// bytes of one can ask for a great deal of data. Exact steps hold theirs.
    pub fn render(&self) -> Vec<Op> {
        let mut renderer = Renderer::default();
        let mut room = INPUT_DATA_BYTES;
        let mut ops = Vec::with_capacity(self.steps.len() + 1);
        ops.push(Op::Fresh { follower: self.follower });
        for step in &self.steps {
            let op = renderer.step_within(step, room);
            if step.family() != Family::Exact {
                room = room.saturating_sub(data_bytes(&op));
            }
            ops.push(op);
        }
        ops
    }

    /// An input that renders to these ops: with a fresh session before them if they lack it, and a
    /// `seq` within a `seq` opened up.
    pub fn from_ops(ops: &[Op]) -> Input {
        let (follower, rest) = match ops {
            [Op::Fresh { follower }, rest @ ..] => (*follower, rest),
            all => (false, all),
        };
        let steps = rest.iter().map(|op| Step::Exact(ExactOp::of(op))).collect();
        Input { follower, steps }
    }
}

fn data_bytes(op: &Op) -> usize {
    match op {
        Op::Write { data, .. } | Op::Hwrite { data, .. } => data.len(),
        Op::Host { data: Some(data), .. } => data.len(),
        Op::Seq { ops } | Op::Second { ops } => ops.iter().map(data_bytes).sum(),
        _ => 0,
    }
}
