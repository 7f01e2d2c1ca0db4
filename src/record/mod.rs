//! Bug records: what failed, how to run it again, and in one directory a bug.

mod signature;
mod story;

use std::cmp::Reverse;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::ops::{Op, read_ops, write_ops};

pub use signature::{blur, signature};
pub use story::{opened, story, tell};

/// A failure, as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// An invariant's name, or `crash`, `hang`, `dropped`, `log`, `checker`, `harness`.
    pub kind: String,
    /// What happened, in a sentence.
    pub why: String,
    /// What was seen.
    pub detail: String,
    /// The crash file's text and standard error's.
    pub crash: String,
}

/// What a record says besides the failure.
#[derive(Clone, Debug, Default)]
pub struct Circumstances {
    /// The seed of the run, where there is one.
    pub seed: Option<u64>,
    /// The step it happened at, counting from 0.
    pub step: usize,
    /// What was fuzzed.
    pub binary: String,
    /// The target's name.
    pub target: String,
    /// Whether it happens again, and from what.
    pub verdict: Option<Verdict>,
}

/// Whether a failure happens again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The input by itself gives the same failure in a fresh session.
    Alone,
    /// Everything since the session began gives it.
    WithHistory,
    /// Neither did, in so many tries.
    Flaky {
        /// How many replays gave the failure.
        failed: u32,
        /// Of how many.
        tried: u32,
    },
}

impl Finding {
    /// What makes two failures the same bug.
    pub fn signature(&self) -> String {
        signature(&self.kind, &self.why)
    }

    /// The record's directory name: the kind, and the signature's hash.
    pub fn directory(&self) -> String {
        format!("{}-{}", self.kind, signature::hash(&self.signature()))
    }
}

impl Verdict {
    /// As records have it.
    pub fn text(self) -> String {
        match self {
            Verdict::Alone => "alone".into(),
            Verdict::WithHistory => "with history".into(),
            Verdict::Flaky { failed, tried } => format!("flaky ({failed} of {tried} replays)"),
        }
    }
}

/// The record's file in its directory.
pub const RECORD_FILE: &str = "record.jsonl";

/// What became of a record that was to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The bug had none.
    New,
    /// The bug had a worse one: a verdict that says less, or more ops.
    Replaced,
    /// The bug has one as good; nothing was written.
    Seen,
}

/// Writes the record of `finding` below `folder`, unless the same bug has one that is as good: gives
/// its path, and what was done. `ops` begin with a `fresh`.
pub fn write_record(
    folder: &Path,
    finding: &Finding,
    circumstances: &Circumstances,
    ops: &[Op],
) -> io::Result<(PathBuf, Written)> {
    let directory = folder.join(finding.directory());
    let path = directory.join(RECORD_FILE);
    let verdict = circumstances.verdict.map(Verdict::text);
    let done = match read_ops(&path) {
        Ok(there)
            if worth(there.header.get("verdict"), &there.ops)
                >= worth(verdict.map(Value::from).as_ref(), ops) =>
        {
            return Ok((path, Written::Seen));
        }
        Ok(_) => Written::Replaced,
        // None, or one that was torn.
        Err(_) => Written::New,
    };
    fs::create_dir_all(&directory)?;
    write_ops(&path, &header(finding, circumstances), ops)?;
    Ok((path, done))
}

/// What makes one record of a bug better than another: first the verdict, then having fewer ops.
fn worth(verdict: Option<&Value>, ops: &[Op]) -> (u8, Reverse<usize>) {
    let rank = match verdict.and_then(Value::as_str) {
        Some("alone") => 3,
        Some("with history") => 2,
        Some(_) => 1,
        None => 0,
    };
    (rank, Reverse(ops.len()))
}

fn header(finding: &Finding, circumstances: &Circumstances) -> Map<String, Value> {
    let value = json!({
        "seed": circumstances.seed,
        "step": circumstances.step,
        "kind": finding.kind,
        "why": finding.why,
        "detail": finding.detail,
        "signature": finding.signature(),
        "crash": finding.crash,
        "binary": circumstances.binary,
        "target": circumstances.target,
        "verdict": circumstances.verdict.map(Verdict::text),
        "version": env!("CARGO_PKG_VERSION"),
    });
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_has_one_record_the_best() {
        let folder = tempfile::tempdir().unwrap();
        let finding = |why: &str| Finding {
            kind: "hang".into(),
            why: why.into(),
            detail: String::new(),
            crash: String::new(),
        };
        let ops = [Op::Fresh { follower: true }, Op::Stat { path: "/".into() }];
        let write = |finding: &Finding, step, verdict, ops: &[Op]| {
            let circumstances = Circumstances { step, verdict, ..Circumstances::default() };
            write_record(folder.path(), finding, &circumstances, ops).unwrap()
        };
        let again = finding("stat /pane/12: no reply within 5 s");
        let flaky = Some(Verdict::Flaky { failed: 1, tried: 3 });
        let (path, done) = write(&finding("stat /pane/3: no reply within 5 s"), 1, None, &ops);
        assert_eq!(done, Written::New);
        assert_eq!(write(&again, 2, None, &ops), (path.clone(), Written::Seen));
        assert_eq!(write(&again, 3, flaky, &ops).1, Written::Replaced);
        assert_eq!(
            write(&again, 4, Some(Verdict::Alone), &[ops.clone(), ops.clone()].concat()).1,
            Written::Replaced
        );
        assert_eq!(write(&again, 5, Some(Verdict::WithHistory), &ops).1, Written::Seen);
        assert_eq!(write(&again, 7, Some(Verdict::Alone), &ops).1, Written::Replaced);
        assert_eq!(
            write(&finding("stat /log: no reply within 5 s"), 1, None, &ops).1,
            Written::New
        );
        let record = read_ops(&path).unwrap();
        assert_eq!(record.header["step"], 7);
        assert_eq!(record.header["signature"], "hang:stat /pane/N: no reply within N s");
        assert_eq!(record.ops, ops);
        fs::write(&path, "{\"torn").unwrap();
        assert_eq!(write(&again, 8, None, &ops).1, Written::New);
    }
}
