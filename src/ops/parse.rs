//! Reads an op out of a JSON object, naming the field that is not as it should be.

mod wire;

use serde_json::{Map, Value};
use thiserror::Error;

use super::op::WILD;
use super::{Chunks, HostAction, Latin1, Op};
use crate::wire::msg::{OREAD, OWRITE};

/// Ops inside a `seq`, and how deep those may nest.
const SEQ_DEPTH: usize = 4;
/// A read's count where a log gives none, in bytes.
const READ_COUNT_BYTES: u32 = 8192;
/// How many reads a read op makes where a log does not say.
const READS: u32 = 4;
/// A created file's permissions where a log gives none.
const CREATE_PERM: u32 = 0o666;

/// Why a JSON value is no op.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpError {
    /// Not an object at all.
    #[error("expected an object with an \"op\", found {0}")]
    NotAnObject(String),
    /// An op kind that this version does not know.
    #[error(
        "unknown op {0:?}: expected one of write, read, stat, remove, create, hold, hwrite, hread, clunk, restore, host, seq, second, wire, reset, fresh, wild"
    )]
    UnknownKind(String),
    /// A field that is missing or not what it should be.
    #[error("{field:?} of {kind:?}: expected {expected}, found {found}")]
    Field {
        /// The op's kind.
        kind: String,
        /// The field's name.
        field: String,
        /// What would be right.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A field that the op does not have.
    #[error("{kind:?} has no field {field:?}")]
    UnknownField {
        /// The op's kind.
        kind: String,
        /// The field's name.
        field: String,
    },
    /// Something in a `second` that no second connection has.
    #[error("\"second\" holds ops on files alone, no {0:?}")]
    NotOnAFile(&'static str),
    /// A `seq` in a `seq`, too deep.
    #[error("\"seq\" nests deeper than {SEQ_DEPTH}")]
    TooDeep,
}

/// Reads one op.
pub fn parse_op(value: Value) -> Result<Op, OpError> {
    parse_at(value, 0)
}

fn parse_at(value: Value, depth: usize) -> Result<Op, OpError> {
    let Value::Object(map) = value else {
        return Err(OpError::NotAnObject(describe(&value)));
    };
    let mut f = Fields { kind: "op".into(), map };
    f.kind = f.required("op", "a string", |v| v.as_str().map(str::to_owned))?;
    let op = match f.kind.as_str() {
        "write" => Op::Write {
            path: f.text("path")?,
            data: f.text("data")?,
            mode: f.number("mode")?.unwrap_or(OWRITE),
            chunks: f.optional("chunks", CHUNKS, parse_chunks)?.unwrap_or_default(),
            offset: f.number("offset")?,
            stop_on_error: f.flag("stop_on_error")?.unwrap_or(true),
        },
        "read" => Op::Read {
            path: f.text("path")?,
            count: f.number("count")?.unwrap_or(READ_COUNT_BYTES),
            offset: f.number("offset")?.unwrap_or(0),
            mode: f.number("mode")?.unwrap_or(OREAD),
            reads: f.number("reads")?.unwrap_or(READS),
        },
        "stat" => Op::Stat { path: f.text("path")? },
        "remove" => Op::Remove { path: f.text("path")? },
        "create" => Op::Create {
            path: f.text("path")?,
            name: f.text("name")?,
            perm: f.number("perm")?.unwrap_or(CREATE_PERM),
            mode: f.number("mode")?.unwrap_or(OREAD),
        },
        "hold" => Op::Hold {
            h: f.text("h")?,
            path: f.text("path")?,
            mode: f.number("mode")?.unwrap_or(OREAD),
        },
        "hwrite" => Op::Hwrite { h: f.text("h")?, data: f.text("data")? },
        "hread" => Op::Hread {
            h: f.text("h")?,
            count: f.number("count")?.unwrap_or(READ_COUNT_BYTES),
            offset: f.number("offset")?,
        },
        "clunk" => Op::Clunk { h: f.text("h")? },
        "restore" => Op::Restore { data: f.text("data")? },
        "host" => parse_host(&mut f)?,
        "seq" => Op::Seq { ops: parse_seq(&mut f, depth)? },
        "second" => Op::Second { ops: parse_second(&mut f, depth)? },
        "wire" => Op::Wire { steps: wire::parse_steps(&mut f)? },
        WILD => parse_wild(&mut f, depth)?,
        "reset" => Op::Reset { follower: f.flag("follower")?.unwrap_or(false) },
        "fresh" => Op::Fresh { follower: f.flag("follower")?.unwrap_or(false) },
        other => return Err(OpError::UnknownKind(other.to_owned())),
    };
    f.end(op)
}

const CHUNKS: &str = "\"whole\", \"bytes\" or a list of sizes";

fn parse_chunks(value: &Value) -> Option<Chunks> {
    match value {
        Value::String(word) if word == "whole" => Some(Chunks::Whole),
        Value::String(word) if word == "bytes" => Some(Chunks::Bytes),
        Value::Array(sizes) => sizes
            .iter()
            .map(|size| size.as_u64().and_then(|size| u32::try_from(size).ok()))
            .collect::<Option<_>>()
            .map(Chunks::Sizes),
        _ => None,
    }
}

/// A host op's name is joined to the target's HOME, so it must be one plain element of a path.
fn parse_host(f: &mut Fields) -> Result<Op, OpError> {
    let action = f.required("action", "\"write\" or \"rm\"", |v| match v.as_str() {
        Some("write") => Some(HostAction::Write),
        Some("rm") => Some(HostAction::Rm),
        _ => None,
    })?;
    let name = f.required("name", "a file name without \"/\", not \".\" or \"..\"", |v| {
        v.as_str().and_then(|s| Latin1::parse(s).ok()).filter(|name| is_file_name(name))
    })?;
    let data = match action {
        HostAction::Write => Some(f.text("data")?),
        HostAction::Rm => f.optional("data", LATIN1, parse_text)?,
    };
    Ok(Op::Host { action, name, data })
}

/// Whether `name` is one element of a path that a file can have.
pub fn is_file_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name != b"."
        && name != b".."
        && !name.iter().any(|&byte| byte == b'/' || byte == 0)
}

fn parse_seq(f: &mut Fields, depth: usize) -> Result<Vec<Op>, OpError> {
    if depth >= SEQ_DEPTH {
        return Err(OpError::TooDeep);
    }
    let ops = f.required("ops", "a list of ops", |v| v.as_array().cloned())?;
    ops.into_iter().map(|op| parse_at(op, depth + 1)).collect()
}

/// One op, and that no list.
fn parse_wild(f: &mut Fields, depth: usize) -> Result<Op, OpError> {
    let one = |v: &Value| v.as_array().filter(|ops| ops.len() == 1)?.first().cloned();
    let op = f.required("ops", "a list of one op", one)?;
    match op.get("op").and_then(Value::as_str) {
        Some(WILD | "seq" | "second") => Err(OpError::TooDeep),
        _ => parse_at(op, depth),
    }
}

fn parse_second(f: &mut Fields, depth: usize) -> Result<Vec<Op>, OpError> {
    let ops = parse_seq(f, depth)?;
    match ops.iter().find(|op| !op.is_on_a_file()) {
        None => Ok(ops),
        Some(op) => Err(OpError::NotOnAFile(op.kind())),
    }
}

const LATIN1: &str = "a string of characters up to U+00FF";

fn parse_text(value: &Value) -> Option<Latin1> {
    value.as_str().and_then(|text| Latin1::parse(text).ok())
}

/// An object's fields, taken out one by one, so that what is left at the end is unknown.
struct Fields {
    kind: String,
    map: Map<String, Value>,
}

impl Fields {
    fn optional<T>(
        &mut self,
        field: &str,
        expected: &'static str,
        parse: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, OpError> {
        match self.map.remove(field) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match parse(&value) {
                Some(parsed) => Ok(Some(parsed)),
                None => Err(self.wrong(field, expected, describe(&value))),
            },
        }
    }

    fn required<T>(
        &mut self,
        field: &str,
        expected: &'static str,
        parse: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<T, OpError> {
        self.optional(field, expected, parse)?
            .ok_or_else(|| self.wrong(field, expected, "nothing".into()))
    }

    fn text(&mut self, field: &str) -> Result<Latin1, OpError> {
        self.required(field, LATIN1, parse_text)
    }

    fn flag(&mut self, field: &str) -> Result<Option<bool>, OpError> {
        self.optional(field, "true or false", Value::as_bool)
    }

    fn number<N: TryFrom<u64>>(&mut self, field: &str) -> Result<Option<N>, OpError> {
        self.optional(field, "a whole number in range", |v| {
            v.as_u64().and_then(|number| N::try_from(number).ok())
        })
    }

    fn wrong(&self, field: &str, expected: &'static str, found: String) -> OpError {
        OpError::Field { kind: self.kind.clone(), field: field.into(), expected, found }
    }

    fn end(self, op: Op) -> Result<Op, OpError> {
        match self.map.into_iter().next() {
            None => Ok(op),
            Some((field, _)) => Err(OpError::UnknownField { kind: self.kind, field }),
        }
    }
}

/// How much of a wrong value an error shows, in characters.
const SHOWN_CHARS: usize = 60;

fn describe(value: &Value) -> String {
    let kind = match value {
        Value::Null => return "null".into(),
        Value::Bool(_) => "the truth value",
        Value::Number(_) => "the number",
        Value::String(_) => "the string",
        Value::Array(_) => "the list",
        Value::Object(_) => "the object",
    };
    let text = value.to_string();
    let shown: String = text.chars().take(SHOWN_CHARS).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("{kind} {shown}{more}")
}
