//! The concrete operation, as logs and records hold it, and its reader and writer.

mod file;
mod guard;
mod latin1;
mod op;
mod parse;
mod wire;

pub use file::{
    OpsFile, OpsFileError, create_whole, parse_ops, put_line, read_ops, write_ops, write_whole,
};
pub use guard::{
    DataRule, EDIT, EDIT_BANNED, EditShape, Fault, Joined, Reach, Refusal, WireJudge, check_data,
    data_rule, data_words, edit_shape, guard, guard_data, is_denied_command, is_denied_program,
    is_safe, is_wild, leads_to_host,
};
pub use latin1::Latin1;
pub use op::{Chunks, HostAction, Op};
pub use parse::{OpError, is_file_name, parse_op};
pub use wire::{
    WIRE_MESSAGE_BYTES, WIRE_STEPS, WireStep, sync_stat, wire_frame, wire_tag, wire_verb,
};
