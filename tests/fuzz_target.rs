//! The libFuzzer target itself, where cargo-fuzz and its build are to be had.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use monkey9p::sandbox::{roots, sweep, tokened};

const SOON: Duration = Duration::from_secs(120);

#[test]
fn a_planted_defect_is_an_artifact_a_record_and_a_token() {
    let Some(fuzzer) = common::fuzzer("a_planted_defect_is_an_artifact_a_record_and_a_token")
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let seed = common::project().join("corpus/monkey9p/seed-failed-write");
    let run = |plant: &str, file: &Path| {
        let mut command = Command::new(&fuzzer);
        command
            .arg(file)
            .current_dir(folder.path())
            .env_remove("PARDES")
            .env("STANDIN_PLANT", plant);
        command.output().unwrap()
    };
    let clean = run("", &seed);
    assert!(clean.status.success(), "{}", String::from_utf8_lossy(&clean.stderr));
    let found = run("err-missing", &seed);
    let said = String::from_utf8_lossy(&found.stderr).into_owned();
    assert!(!found.status.success(), "{said}");
    for want in [
        "DEDUP_TOKEN: one_failure_rule:",
        "one_failure_rule: ",
        "verdict: alone",
        "libFuzzer: deadly signal",
    ] {
        assert!(said.contains(want), "{want}: {said}");
    }
    let bugs = fs::read_dir(folder.path().join("bugs")).unwrap().flatten();
    let records: Vec<_> = bugs.filter(|entry| entry.path().is_dir()).collect();
    assert_eq!(records.len(), 1);
    let record = records[0].path().join("record.jsonl");
    let mut replay = Command::new(common::executable());
    replay.arg("replay").arg(&record).env_remove("PARDES").env("STANDIN_PLANT", "err-missing");
    assert_eq!(replay.output().unwrap().status.code(), Some(1));
}

/// No room, no right to write, no such directory: each fails as this one does.
#[test]
fn what_cannot_be_recorded_is_found_all_the_same() {
    let Some(fuzzer) = common::fuzzer("what_cannot_be_recorded_is_found_all_the_same") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bugs"), "a file, where a directory is to be").unwrap();
    let found = Command::new(&fuzzer)
        .arg(common::project().join("corpus/monkey9p/seed-failed-write"))
        .current_dir(folder.path())
        .env_remove("PARDES")
        .env("STANDIN_PLANT", "err-missing")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&found.stderr).into_owned();
    for want in [
        "DEDUP_TOKEN: one_failure_rule:",
        "one_failure_rule: ",
        "record: none, ",
        "bugs: ",
        "libFuzzer: deadly signal",
    ] {
        assert!(said.contains(want), "{want}: {said}");
    }
}

/// The fortieth pane closed in a server's life ends it, and no input here closes so many.
#[test]
fn what_needs_its_history_becomes_an_artifact_that_needs_none() {
    let Some(fuzzer) = common::fuzzer("what_needs_its_history_becomes_an_artifact_that_needs_none")
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (corpus, artifacts) = (folder.path().join("corpus"), folder.path().join("found"));
    fs::create_dir(&corpus).unwrap();
    fs::create_dir(&artifacts).unwrap();
    let seed = common::project().join("corpus/monkey9p/seed-stale-serial");
    fs::copy(seed, corpus.join("seed")).unwrap();
    let run = |arguments: &[String]| {
        let mut command = Command::new(&fuzzer);
        command.args(arguments).current_dir(folder.path()).env_remove("PARDES");
        let done = command.env("STANDIN_PLANT", "crash-long-life").output().unwrap();
        (done.status.success(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    let prefix = format!("-artifact_prefix={}/", artifacts.display());
    let (clean, said) =
        run(&[prefix, "-runs=2000".into(), "-seed=1".into(), corpus.display().to_string()]);
    assert!(!clean && said.contains("verdict: with history"), "{said}");
    let history = fs::read_dir(&artifacts)
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.file_name().unwrap().to_string_lossy().starts_with("history-crash-"))
        .unwrap_or_else(|| panic!("{said}"));
    let (clean, said) = run(&[history.display().to_string()]);
    assert!(!clean && said.contains("DEDUP_TOKEN: crash:"), "{said}");
}

/// The person's `kill -9` of the whole: cargo, cargo-fuzz, the fuzzer, its sandboxes, all of it.
#[test]
fn a_killed_fuzz_command_leaves_nothing_within_two_seconds() {
    let test = "a_killed_fuzz_command_leaves_nothing_within_two_seconds";
    if common::fuzzer(test).is_none() {
        return;
    }
    let installed = Command::new("cargo").args(["fuzz", "--version"]).output();
    if !installed.is_ok_and(|done| done.status.success()) {
        return common::skip(test, "cargo-fuzz is not installed");
    }
    let corpus = tempfile::tempdir().unwrap();
    let mut fuzz = Command::new(common::executable())
        .args(["fuzz", "--seconds", "600", "--"])
        .arg(corpus.path())
        .current_dir(common::project())
        .env_remove("PARDES")
        .env_remove("STANDIN_PLANT")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let prefix = format!("{}-", fuzz.id());
    // The fuzzer's own sandboxes carry its token and theirs.
    let nested = || carriers(&prefix).iter().any(|token| token.matches('.').count() == 1);
    let fuzzing = common::wait_until(SOON, nested);
    fuzz.kill().unwrap();
    fuzz.wait().unwrap();
    let gone = || tokened(&prefix).is_empty() && roots(&prefix).unwrap().is_empty();
    let cleared = common::wait_until(Duration::from_secs(2), gone);
    let (left, roots) = (tokened(&prefix), roots(&prefix).unwrap());
    sweep(&prefix).unwrap();
    assert!(fuzzing, "no sandbox of the fuzzer's was seen");
    assert!(cleared, "{left:?} {roots:?}");
}

fn carriers(prefix: &str) -> Vec<String> {
    tokened(prefix)
        .into_iter()
        .filter_map(|pid| fs::read(format!("/proc/{pid}/environ")).ok())
        .filter_map(|environ| {
            let entry = environ
                .split(|&byte| byte == 0)
                .find_map(|entry| entry.strip_prefix(b"M9P_TOKEN="))?;
            String::from_utf8(entry.to_vec()).ok()
        })
        .collect()
}

/// What libFuzzer tells apart: feature numbers wrap at 2^21, eight a counter.
const COUNTERS: usize = 262_144;

/// The stand-in is a role of the very executable that `cargo fuzz` gave counters.
#[test]
fn the_coverage_of_the_stand_in_is_found_and_all_counters_are_told_apart() {
    let test = "the_coverage_of_the_stand_in_is_found_and_all_counters_are_told_apart";
    let Some(fuzzer) = common::fuzzer(test) else { return };
    let folder = tempfile::tempdir().unwrap();
    let seed = common::project().join("corpus/monkey9p/seed-failed-write");
    let run = |feedback: &str| {
        let mut command = Command::new(&fuzzer);
        command.arg(&seed).current_dir(folder.path()).env("M9P_FEEDBACK", feedback);
        let done = command.env_remove("PARDES").env_remove("STANDIN_PLANT").output().unwrap();
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    let (code, said) = run("behaviour,coverage");
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(said.matches("coverage of the target: ").count(), 1, "{said}");
    let number = |pattern: &str| -> usize {
        let found = regex::Regex::new(pattern).unwrap().captures(&said);
        found.unwrap_or_else(|| panic!("{pattern}: {said}"))[1].parse().unwrap()
    };
    let own = number(r"\((\d+) inline 8-bit counters\)");
    assert_eq!(number(r"coverage of the target: (\d+) counters in "), own, "{said}");
    assert!(own + number(r"INFO: (\d+) Extra Counters") < COUNTERS, "{said}");
    let (code, said) = run("none");
    assert!(code == Some(0) && !said.contains("coverage of the target"), "{said}");
    let (code, said) = run("everything");
    assert!(code == Some(2) && said.contains("M9P_FEEDBACK=everything: expected"), "{said}");
}
