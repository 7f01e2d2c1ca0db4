//! Steps of scripts as they stand, for the ops that stand in an input literally.

use crate::input::bytes::Bytes;
use crate::ops::{WireStep, wire_frame};
use crate::wire::codec;
use crate::wire::msg::Tmsg;

vocabulary! {
    /// The mirror of [`WireStep`]; a message is the bytes of its frame.
    pub enum LiteralWire {
        /// A message.
        Send {
            /// Its tag, if it has one of the script's choice.
            tag: Option<u16>,
            /// Where it pauses, if it does.
            cut: Option<u16>,
            /// Its frame, with whatever tag.
            frame: Bytes,
        },
        /// Bytes as they stand.
        Raw(bytes: Bytes),
        /// Wait.
        Wait,
        /// Hang up.
        Hangup,
    }
}

impl LiteralWire {
    /// The form of `step`.
    pub(in crate::input) fn of(step: &WireStep) -> LiteralWire {
        match step {
            WireStep::Send { tag, cut, message } => {
                // One that has no frame is never sent, and so has no form either.
                let frame = wire_frame(0, message).unwrap_or_default();
                LiteralWire::Send { tag: *tag, cut: *cut, frame: Bytes(frame.to_vec()) }
            }
            WireStep::Raw { bytes } => LiteralWire::Raw(bytes.into()),
            WireStep::Wait => LiteralWire::Wait,
            WireStep::Hangup => LiteralWire::Hangup,
        }
    }

    /// The step. A frame that is no message stands for its bytes.
    pub(in crate::input) fn render(&self) -> WireStep {
        match self {
            LiteralWire::Send { tag, cut, frame } => {
                match codec::decode::<Tmsg>(frame.0.clone().into()) {
                    Ok((_, message)) => WireStep::Send { tag: *tag, cut: *cut, message },
                    Err(_) => WireStep::Raw { bytes: frame.into() },
                }
            }
            LiteralWire::Raw(bytes) => WireStep::Raw { bytes: bytes.into() },
            LiteralWire::Wait => WireStep::Wait,
            LiteralWire::Hangup => WireStep::Hangup,
        }
    }
}
