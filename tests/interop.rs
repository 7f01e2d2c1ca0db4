//! Logs both ways with the script that this program grew from, where a path to it is given.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use monkey9p::ops::{Op, read_ops, write_ops};

/// Names the script; it is no part of this project.
const SCRIPT_VARIABLE: &str = "MONKEY9P_SCRIPT";

fn script(test: &str) -> Option<PathBuf> {
    let path = std::env::var_os(SCRIPT_VARIABLE).map(PathBuf::from);
    if path.is_none() {
        common::skip(test, &format!("{SCRIPT_VARIABLE} does not name the script"));
    }
    path
}

fn python(script: &Path, plant: &str, arguments: &[&str], out: &Path) -> Output {
    Command::new("python3")
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_pardes-standin"))
        .args(arguments)
        .arg("--out")
        .arg(out)
        .env("STANDIN_PLANT", plant)
        .output()
        .unwrap()
}

fn ours(plant: &str, arguments: &[&str], here: &Path) -> Output {
    let mut command = Command::new(common::executable());
    command.args(arguments).current_dir(here).env_remove("PARDES").env("STANDIN_PLANT", plant);
    command.output().unwrap()
}

/// The records below `bugs/`.
fn records(here: &Path) -> Vec<PathBuf> {
    let bugs = fs::read_dir(here.join("bugs")).into_iter().flatten().flatten();
    let mut records: Vec<PathBuf> = bugs
        .map(|bug| bug.path())
        .flat_map(|bug| [bug.join("record.jsonl"), bug])
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .filter(|path| path.is_file() && !path.to_string_lossy().ends_with(".min.jsonl"))
        .collect();
    records.sort();
    records
}

/// Defects that the script finds, and whose records fail here as they did there: each is shown by one
/// op, as those of the other way.
const THEIRS: [&str; 5] =
    ["err-twice", "err-missing", "close-fails-body", "chunk-skips-byte", "crash-on-regex"];
/// Defects found here, whose records fail there: what either looks at after a step differs a little.
/// Each is shown by one op, whatever else goes on: a defect that wants a fifth pane is met by chance
/// where a command's output makes it.
const OURS: [&str; 5] =
    ["dir-order-changes", "err-missing", "close-fails-body", "err-answered-done", "crash-on-regex"];

#[test]
fn its_records_replay_minimize_and_explain_here() {
    let Some(script) = script("its_records_replay_minimize_and_explain_here") else { return };
    for plant in THEIRS {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let seeds = ["--seed", "1", "--steps", "400", "--no-shrink"];
        let done = python(&script, plant, &seeds, here);
        assert_eq!(done.status.code(), Some(1), "{plant}: the script found nothing: {done:?}");
        let record =
            records(here).into_iter().next().unwrap_or_else(|| panic!("{plant}: no record"));
        let (record, small) = (record.to_str().unwrap(), here.join("small.jsonl"));
        let small = small.to_str().unwrap();
        assert_eq!(ours(plant, &["replay", record], here).status.code(), Some(1), "{plant}");
        let minimized = ours(plant, &["minimize", record, "--output", small], here);
        assert_eq!(minimized.status.code(), Some(1), "{plant}: {minimized:?}");
        assert!(read_ops(Path::new(small)).unwrap().ops.len() <= 8, "{plant}");
        assert_eq!(ours(plant, &["replay", small], here).status.code(), Some(1), "{plant}");
        let told = ours(plant, &["explain", record], here);
        assert_eq!(told.status.code(), Some(0), "{plant}");
        assert!(String::from_utf8_lossy(&told.stdout).contains("signature: "), "{plant}");
    }
}

#[test]
fn our_records_replay_there() {
    let Some(script) = script("our_records_replay_there") else { return };
    for plant in OURS {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let run = ["run", "--confined", "--seed", "1", "--seed", "2", "--steps", "500", "--first"];
        assert_eq!(ours(plant, &run, here).status.code(), Some(1), "{plant}: nothing found");
        let record =
            records(here).into_iter().next().unwrap_or_else(|| panic!("{plant}: no record"));
        let done = python(&script, plant, &["--replay", record.to_str().unwrap()], here);
        assert_eq!(done.status.code(), Some(1), "{plant}: {}: {done:?}", record.display());
    }
}

#[test]
fn the_script_finds_nothing_and_its_logs_replay_here() {
    let Some(script) = script("the_script_finds_nothing_and_its_logs_replay_here") else { return };
    let folder = tempfile::tempdir().unwrap();
    let smoke = python(&script, "", &["--smoke"], folder.path());
    assert!(smoke.status.success(), "{}", String::from_utf8_lossy(&smoke.stdout));
    let arguments = ["--seed", "1", "--seed", "2", "--seed", "3", "--steps", "500"];
    let done = python(&script, "", &arguments, folder.path());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    for seed in 1..=3 {
        let log = folder.path().join(format!("runs/seed-{seed}/ops.jsonl"));
        let replayed = ours("", &["replay", log.to_str().unwrap()], folder.path());
        assert_eq!(
            replayed.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&replayed.stdout)
        );
    }
}

/// Nothing holds what the script runs: it must not run what only our kernel level is told.
#[test]
fn what_the_kernel_level_alone_is_told_does_not_replay_there() {
    let test = "what_the_kernel_level_alone_is_told_does_not_replay_there";
    let Some(script) = script(test) else { return };
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let line = format!("echo x >{}\n", seen.display());
    for ops in [
        vec![common::write("/exec", &line)],
        vec![Op::Seq {
            ops: vec![common::write("/exec", "true\n"), common::write("/exec", &line)],
        }],
    ] {
        let log = folder.path().join("ops.jsonl");
        let all: Vec<Op> = [Op::Fresh { follower: false }].into_iter().chain(ops).collect();
        write_ops(&log, &serde_json::Map::new(), &all).unwrap();
        let done = python(&script, "", &["--replay", log.to_str().unwrap()], folder.path());
        assert!(!done.status.success() && !seen.exists(), "{done:?}");
    }
}

#[test]
fn our_logs_replay_there() {
    let Some(script) = script("our_logs_replay_there") else { return };
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        ours("", &["run", "--confined", "--seed", "1", "--steps", "500"], folder.path())
            .status
            .code(),
        Some(0)
    );
    let log = folder.path().join("runs/seed-1/ops.jsonl");
    let done = python(&script, "", &["--replay", log.to_str().unwrap()], folder.path());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}
