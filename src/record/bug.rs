//! A bug's directory: its record, what the record was reduced to, and what goes with it.

use std::cmp::Reverse;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use nix::fcntl::{Flock, FlockArg};
use serde_json::{Map, Value, json};

use super::index::write_index;
use super::{Circumstances, Finding, Verdict};
use crate::ops::{Op, read_ops, write_ops, write_whole};

/// The record's file in its directory.
pub const RECORD_FILE: &str = "record.jsonl";
/// The same, as small as it could be made.
const MINIMIZED_FILE: &str = "record.min.jsonl";
/// What libFuzzer takes.
const ARTIFACT_FILE: &str = "artifact";
/// What the target left, its standard error among it.
const CRASH_FILE: &str = "crash.txt";
/// The records of the failing step.
const LOG_FILE: &str = "log.txt";
/// The whole in words.
pub const STORY_FILE: &str = "story.md";
/// Held while a directory of bugs is changed: several processes may find the same one.
const LOCK_FILE: &str = ".lock";

/// What became of a record that was to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The bug had none.
    New,
    /// The bug had a worse one: a verdict that says less, or more ops.
    Replaced,
    /// The bug has one as good; it was only counted.
    Seen,
}

/// A bug, as far as it is known.
#[derive(Clone, Debug)]
pub struct Bug<'a> {
    /// What happened.
    pub finding: &'a Finding,
    /// And when.
    pub circumstances: &'a Circumstances,
    /// What to replay; a `fresh` first.
    pub ops: &'a [Op],
    /// The same, made smaller.
    pub minimized: Option<&'a [Op]>,
    /// The same as an input.
    pub artifact: Option<&'a [u8]>,
    /// The log records of the failing step.
    pub log: &'a [String],
    /// The whole in words.
    pub story: Option<&'a str>,
}

/// Counts a bug as found once more, and writes its record below `folder` unless there is one as good:
/// gives the record's path, and what was done. `ops` begin with a `fresh`.
pub fn note_bug(
    folder: &Path,
    finding: &Finding,
    circumstances: &Circumstances,
    ops: &[Op],
) -> io::Result<(PathBuf, Written)> {
    let bug =
        Bug { finding, circumstances, ops, minimized: None, artifact: None, log: &[], story: None };
    write_bug(folder, &bug, 1)
}

/// Adds what is known of a bug that was noted before: replaces its record if this one is better, and
/// then all that goes with it.
pub fn complete_bug(folder: &Path, bug: &Bug<'_>) -> io::Result<(PathBuf, Written)> {
    write_bug(folder, bug, 0)
}

/// The verdict on a bug that has a record below `folder`.
pub fn recorded_verdict(folder: &Path, finding: &Finding) -> Option<String> {
    let record = read_ops(&folder.join(finding.directory()).join(RECORD_FILE)).ok()?;
    record.header.get("verdict")?.as_str().map(str::to_owned)
}

fn write_bug(folder: &Path, bug: &Bug<'_>, times: u64) -> io::Result<(PathBuf, Written)> {
    let directory = folder.join(bug.finding.directory());
    let path = directory.join(RECORD_FILE);
    fs::create_dir_all(&directory)?;
    let _lock = lock(folder)?;
    let there = read_ops(&path);
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let before = there.as_ref().ok().map(|record| &record.header);
    let mut header = header(bug);
    count(&mut header, before, times, &now);
    let verdict = header.get("verdict").cloned();
    let done = match there {
        Ok(there)
            if worth(there.header.get("verdict"), there.header.get("minimized"), &there.ops)
                >= worth(verdict.as_ref(), header.get("minimized"), bug.ops) =>
        {
            let mut kept = there.header;
            for key in ["seen", "first", "last"] {
                kept.insert(key.into(), header[key].clone());
            }
            write_ops(&path, &kept, &there.ops)?;
            Written::Seen
        }
        there => {
            write_parts(&directory, bug)?;
            if let Some(minimized) = bug.minimized {
                write_ops(&directory.join(MINIMIZED_FILE), &header, minimized)?;
            } else {
                remove(&directory.join(MINIMIZED_FILE))?;
            }
            // Last: where there is a record, there is the rest.
            write_ops(&path, &header, bug.ops)?;
            // One that was torn counts as none.
            if there.is_ok() { Written::Replaced } else { Written::New }
        }
    };
    write_index(folder)?;
    Ok((path, done))
}

/// Released when the file is closed, by a kill too.
fn lock(folder: &Path) -> io::Result<Flock<File>> {
    let file = OpenOptions::new().create(true).append(true).open(folder.join(LOCK_FILE))?;
    Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, why)| why.into())
}

fn write_parts(directory: &Path, bug: &Bug<'_>) -> io::Result<()> {
    let log = bug.log.join("\n");
    let texts = [
        (CRASH_FILE, Some(bug.finding.crash.as_bytes()).filter(|text| !text.is_empty())),
        (LOG_FILE, Some(log.as_bytes()).filter(|text| !text.is_empty())),
        (ARTIFACT_FILE, bug.artifact),
        (STORY_FILE, bug.story.map(str::as_bytes)),
    ];
    for (name, bytes) in texts {
        let path = directory.join(name);
        match bytes {
            Some(bytes) => write_whole(&path, bytes)?,
            // What an earlier record left would be another one's.
            None => remove(&path)?,
        }
    }
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(why) if why.kind() != io::ErrorKind::NotFound => Err(why),
        _ => Ok(()),
    }
}

/// How often the bug was found, when first and when last.
fn count(
    header: &mut Map<String, Value>,
    before: Option<&Map<String, Value>>,
    times: u64,
    now: &str,
) {
    let of = |key: &str| before.and_then(|before| before.get(key)).cloned();
    let seen = of("seen").and_then(|seen| seen.as_u64()).unwrap_or(u64::from(before.is_some()));
    header.insert("seen".into(), (seen + times).max(1).into());
    header.insert("first".into(), of("first").unwrap_or(now.into()));
    let last = if times > 0 { None } else { of("last") };
    header.insert("last".into(), last.unwrap_or(now.into()));
}

/// What makes one record of a bug better than another: first the verdict, then the fewer ops it
/// comes down to, then having fewer itself.
fn worth(
    verdict: Option<&Value>,
    minimized: Option<&Value>,
    ops: &[Op],
) -> (u8, Reverse<u64>, Reverse<usize>) {
    let rank = match verdict.and_then(Value::as_str) {
        Some("alone") => 3,
        Some("with history") => 2,
        Some(_) => 1,
        None => 0,
    };
    let least = minimized.and_then(Value::as_u64).unwrap_or(u64::MAX);
    (rank, Reverse(least), Reverse(ops.len()))
}

fn header(bug: &Bug<'_>) -> Map<String, Value> {
    let Bug { finding, circumstances, .. } = bug;
    let value = json!({
        "seed": circumstances.seed,
        "step": circumstances.step,
        "kind": finding.kind,
        "why": finding.why,
        "detail": finding.detail,
        "signature": finding.signature(),
        "crash": finding.crash,
        "binary": circumstances.binary,
        "level": circumstances.level,
        "target": circumstances.target,
        "verdict": circumstances.verdict.map(Verdict::text),
        "evidence": circumstances.evidence,
        "minimized": bug.minimized.map(<[Op]>::len),
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

    fn finding(why: &str) -> Finding {
        let (kind, detail, crash) = ("hang".into(), String::new(), "stderr: x".into());
        Finding { kind, why: why.into(), detail, crash }
    }

    fn index(folder: &Path) -> Value {
        serde_json::from_slice(&fs::read(folder.join("index.json")).unwrap()).unwrap()
    }

    #[test]
    fn a_bug_has_one_record_the_best_and_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let ops = [Op::Fresh { follower: true }, Op::Stat { path: "/".into() }];
        let more = [ops.clone(), ops.clone()].concat();
        let note = |why: &str, step| {
            let circumstances = Circumstances { step, ..Circumstances::default() };
            note_bug(folder.path(), &finding(why), &circumstances, &more).unwrap()
        };
        let complete = |step, verdict, minimized: Option<&[Op]>, ops: &[Op]| {
            let circumstances =
                Circumstances { step, verdict: Some(verdict), ..Circumstances::default() };
            let finding = finding("stat /pane/3: no reply within 5 s");
            let (artifact, log) = (Some(&b"bytes"[..]), ["msg a".to_owned()]);
            let (circumstances, story) = (&circumstances, Some("words"));
            let bug = Bug {
                finding: &finding,
                circumstances,
                ops,
                minimized,
                artifact,
                log: &log,
                story,
            };
            complete_bug(folder.path(), &bug).unwrap().1
        };
        let (path, done) = note("stat /pane/3: no reply within 5 s", 1);
        assert_eq!(done, Written::New);
        assert_eq!(note("stat /pane/12: no reply within 5 s", 2), (path.clone(), Written::Seen));
        let directory = path.parent().unwrap();
        assert!(!directory.join("story.md").exists());
        let flaky = Verdict::Flaky { failed: 1, tried: 3 };
        assert_eq!(complete(3, flaky, None, &more), Written::Replaced);
        assert_eq!(complete(4, Verdict::Alone, None, &more), Written::Replaced);
        assert_eq!(complete(5, Verdict::WithHistory, None, &ops), Written::Seen);
        assert_eq!(complete(6, Verdict::Alone, Some(&ops), &more), Written::Replaced);
        assert_eq!(complete(7, Verdict::Alone, Some(&more), &ops), Written::Seen);
        assert_eq!(note("stat /log: no reply within 5 s", 1).1, Written::New);
        let verdict = |why| recorded_verdict(folder.path(), &finding(why));
        assert_eq!(verdict("stat /pane/9: no reply within 5 s").as_deref(), Some("alone"));
        assert_eq!((verdict("stat /log: no reply within 5 s"), verdict("none")), (None, None));
        let record = read_ops(&path).unwrap();
        assert_eq!(record.header["step"], 6);
        assert_eq!(record.header["seen"], 2);
        assert_eq!(record.header["signature"], "hang:stat /pane/N: no reply within N s");
        assert_eq!(record.ops, more);
        assert_eq!(read_ops(&directory.join("record.min.jsonl")).unwrap().ops, ops);
        for (name, text) in [
            ("artifact", "bytes"),
            ("log.txt", "msg a"),
            ("story.md", "words"),
            ("crash.txt", "stderr: x"),
        ] {
            assert_eq!(fs::read_to_string(directory.join(name)).unwrap(), text);
        }
        let bugs = index(folder.path())["bugs"].as_array().unwrap().clone();
        assert_eq!(bugs.len(), 2);
        assert!(bugs.iter().any(|bug| bug["seen"] == 2 && bug["verdict"] == "alone"));
    }

    #[test]
    fn a_torn_record_is_passed_over_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let ops = [Op::Fresh { follower: true }];
        let note =
            |why| note_bug(folder.path(), &finding(why), &Circumstances::default(), &ops).unwrap();
        let (torn, _) = note("a");
        fs::write(&torn, "{\"torn").unwrap();
        assert_eq!(note("b").1, Written::New);
        let told = index(folder.path());
        let told = told["bugs"].as_array().unwrap().iter().find(|bug| bug["torn"].is_string());
        assert!(told.unwrap()["torn"].as_str().unwrap().contains("record.jsonl:1"));
        assert_eq!(note("a").1, Written::New);
        assert_eq!(read_ops(&torn).unwrap().ops, ops);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_an_error_and_nothing_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let ops = [Op::Fresh { follower: true }];
        let note = |to: &Path| note_bug(to, &finding("a"), &Circumstances::default(), &ops);
        let file = folder.path().join("file");
        fs::write(&file, "kept").unwrap();
        assert!(note(&file).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
        // A record whose place is taken by a directory.
        let bugs = folder.path().join("bugs");
        let (path, _) = note(&bugs).unwrap();
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(note(&bugs).is_err());
    }

    #[test]
    fn many_at_once_are_counted_all() {
        let folder = tempfile::tempdir().unwrap();
        let ops = [Op::Fresh { follower: true }];
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let none = Circumstances::default();
                    note_bug(folder.path(), &finding("a"), &none, &ops).unwrap();
                });
            }
        });
        assert_eq!(index(folder.path())["bugs"][0]["seen"], 8);
    }
}
