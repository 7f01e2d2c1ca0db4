//! Logs both ways with the script that this program grew from, where a path to it is given.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Names the script; it is no part of this project.
const SCRIPT_VARIABLE: &str = "MONKEY9P_SCRIPT";

fn script(test: &str) -> Option<PathBuf> {
    let path = std::env::var_os(SCRIPT_VARIABLE).map(PathBuf::from);
    if path.is_none() {
        common::skip(test, &format!("{SCRIPT_VARIABLE} does not name the script"));
    }
    path
}

fn python(script: &Path, arguments: &[&str], out: &Path) -> Output {
    Command::new("python3")
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_pardes-standin"))
        .args(arguments)
        .arg("--out")
        .arg(out)
        .env_remove("STANDIN_PLANT")
        .output()
        .unwrap()
}

fn ours(arguments: &[&str], here: &Path) -> Output {
    let mut command = Command::new(common::executable());
    command.args(arguments).current_dir(here).env_remove("PARDES").env_remove("STANDIN_PLANT");
    command.output().unwrap()
}

#[test]
fn the_script_finds_nothing_and_its_logs_replay_here() {
    let Some(script) = script("the_script_finds_nothing_and_its_logs_replay_here") else { return };
    let folder = tempfile::tempdir().unwrap();
    let smoke = python(&script, &["--smoke"], folder.path());
    assert!(smoke.status.success(), "{}", String::from_utf8_lossy(&smoke.stdout));
    let arguments = ["--seed", "1", "--seed", "2", "--seed", "3", "--steps", "500"];
    let done = python(&script, &arguments, folder.path());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    for seed in 1..=3 {
        let log = folder.path().join(format!("runs/seed-{seed}/ops.jsonl"));
        let replayed = ours(&["replay", log.to_str().unwrap()], folder.path());
        assert_eq!(
            replayed.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&replayed.stdout)
        );
    }
}

#[test]
fn our_logs_replay_there() {
    let Some(script) = script("our_logs_replay_there") else { return };
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        ours(&["run", "--seed", "1", "--steps", "500"], folder.path()).status.code(),
        Some(0)
    );
    let log = folder.path().join("runs/seed-1/ops.jsonl");
    let done = python(&script, &["--replay", log.to_str().unwrap()], folder.path());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}
