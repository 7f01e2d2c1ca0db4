//! Reads the steps of a `wire` op.

use bytes::Bytes;
use serde_json::Value;

use super::{Fields, LATIN1, OpError, describe, parse_text};
use crate::ops::wire::{WIRE_MESSAGE_BYTES, WIRE_STEPS, WireStep, sync_stat, wire_frame};
use crate::wire::msg::{NOFID, OREAD, Tmsg};

const VERBS: &str = "version, auth, attach, flush, walk, open, create, read, write, clunk, remove, stat, wstat, raw, wait or hangup";
const STEPS: &str = "a list of at most 64 steps";
const NAMES: &str = "a list of strings of characters up to U+00FF";
const SMALL: &str = "a message of at most 16 KiB";

/// The steps, in order; an error names the step's verb and the field.
pub(super) fn parse_steps(f: &mut Fields) -> Result<Vec<WireStep>, OpError> {
    let steps = f.required("steps", STEPS, |value| {
        value.as_array().filter(|steps| steps.len() <= WIRE_STEPS).cloned()
    })?;
    steps.into_iter().map(parse_step).collect()
}

fn parse_step(value: Value) -> Result<WireStep, OpError> {
    let Value::Object(map) = value else {
        return Err(OpError::Field {
            kind: "wire".into(),
            field: "steps".into(),
            expected: "objects with a \"do\"",
            found: describe(&value),
        });
    };
    let mut f = Fields { kind: "wire".into(), map };
    let verb = f.required("do", VERBS, |value| value.as_str().map(str::to_owned))?;
    f.kind = format!("wire {verb}");
    let step = match verb.as_str() {
        "raw" => WireStep::Raw { bytes: f.text("bytes")? },
        "wait" => WireStep::Wait,
        "hangup" => WireStep::Hangup,
        _ => WireStep::Send {
            tag: f.number("tag")?,
            cut: f.number("cut")?,
            message: parse_message(&verb, &mut f)?,
        },
    };
    let size = match &step {
        WireStep::Send { message, .. } => wire_frame(0, message).map_or(usize::MAX, |f| f.len()),
        WireStep::Raw { bytes } => bytes.len(),
        WireStep::Wait | WireStep::Hangup => 0,
    };
    if size > WIRE_MESSAGE_BYTES {
        return Err(f.wrong("do", SMALL, format!("one of {size}")));
    }
    match f.map.into_iter().next() {
        None => Ok(step),
        Some((field, _)) => Err(OpError::UnknownField { kind: f.kind, field }),
    }
}

fn parse_message(verb: &str, f: &mut Fields) -> Result<Tmsg, OpError> {
    Ok(match verb {
        "version" => Tmsg::Version { msize: needed(f, "msize")?, version: text(f, "version")? },
        "auth" => Tmsg::Auth {
            afid: needed(f, "afid")?,
            uname: text_or_none(f, "uname")?,
            aname: text_or_none(f, "aname")?,
        },
        "attach" => Tmsg::Attach {
            fid: needed(f, "fid")?,
            afid: f.number("afid")?.unwrap_or(NOFID),
            uname: text_or_none(f, "uname")?,
            aname: text_or_none(f, "aname")?,
        },
        "flush" => Tmsg::Flush { oldtag: needed(f, "oldtag")? },
        "walk" => Tmsg::Walk {
            fid: needed(f, "fid")?,
            newfid: needed(f, "newfid")?,
            names: f.required("names", NAMES, parse_names)?,
        },
        "open" => Tmsg::Open { fid: needed(f, "fid")?, mode: f.number("mode")?.unwrap_or(OREAD) },
        "create" => Tmsg::Create {
            fid: needed(f, "fid")?,
            name: text(f, "name")?,
            perm: needed(f, "perm")?,
            mode: f.number("mode")?.unwrap_or(OREAD),
        },
        "read" => Tmsg::Read {
            fid: needed(f, "fid")?,
            offset: f.number("offset")?.unwrap_or(0),
            count: needed(f, "count")?,
        },
        "write" => Tmsg::Write {
            fid: needed(f, "fid")?,
            offset: f.number("offset")?.unwrap_or(0),
            data: text(f, "data")?,
        },
        "clunk" => Tmsg::Clunk { fid: needed(f, "fid")? },
        "remove" => Tmsg::Remove { fid: needed(f, "fid")? },
        "stat" => Tmsg::Stat { fid: needed(f, "fid")? },
        "wstat" => {
            let stat = f.optional("stat", LATIN1, parse_text)?;
            let stat = stat.map_or_else(sync_stat, |stat| Bytes::from(stat.0));
            Tmsg::Wstat { fid: needed(f, "fid")?, stat }
        }
        other => return Err(f.wrong("do", VERBS, format!("{other:?}"))),
    })
}

fn needed<N: TryFrom<u64>>(f: &mut Fields, field: &str) -> Result<N, OpError> {
    match f.number(field)? {
        Some(number) => Ok(number),
        None => Err(f.wrong(field, "a whole number in range", "nothing".into())),
    }
}

fn text(f: &mut Fields, field: &str) -> Result<Bytes, OpError> {
    Ok(f.text(field)?.0.into())
}

fn text_or_none(f: &mut Fields, field: &str) -> Result<Bytes, OpError> {
    let text = f.optional(field, LATIN1, parse_text)?;
    Ok(text.map_or_else(Bytes::new, |text| text.0.into()))
}

fn parse_names(value: &Value) -> Option<Vec<Bytes>> {
    let names = value.as_array()?;
    names.iter().map(|name| Some(Bytes::from(parse_text(name)?.0))).collect()
}
