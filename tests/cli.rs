//! The command line as a person meets it: what it refuses, how it says so, and with which code.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn monkey9p(arguments: &[&str], here: &Path) -> Output {
    let mut command = Command::new(common::executable());
    command.args(arguments).current_dir(here).env_remove("PARDES").env_remove("STANDIN_PLANT");
    command.output().unwrap()
}

fn refused(arguments: &[&str], here: &Path, wants: &[&str]) {
    let done = monkey9p(arguments, here);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(2), "{arguments:?}: {said}");
    assert!(!said.contains("panicked"), "{said}");
    for want in wants {
        assert!(said.contains(want), "{arguments:?}: wanted {want:?} in {said}");
    }
}

#[test]
fn replay_says_what_is_wrong_with_a_file_and_where() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, text) in [
        ("empty.jsonl", ""),
        ("blank.jsonl", "\n \n"),
        ("cut.jsonl", "{\"seed\": 1}\n{\"op\": \"stat\", \"path\": \"/ind"),
        ("unknown.jsonl", "{\"seed\": 1}\n\n{\"op\": \"frob\"}\n"),
        ("number.jsonl", "{\"seed\": 1}\n{\"op\": \"stat\", \"path\": 7}\n"),
        ("headless.jsonl", "{\"op\": \"stat\", \"path\": \"/\"}\n"),
        ("array.jsonl", "[1]\n"),
        ("bytes.jsonl", "{\"seed\": 1}\n\u{fffd}\n"),
        ("artifact", ""),
    ] {
        fs::write(here.join(name), text).unwrap();
    }
    fs::create_dir(here.join("folder")).unwrap();
    fs::create_dir(here.join("folder.jsonl")).unwrap();
    for command in ["replay", "explain", "minimize"] {
        refused(&[command, "gone.jsonl"], here, &["gone.jsonl", "No such file"]);
        refused(&[command, "folder"], here, &["folder", "directory"]);
        refused(&[command, "folder.jsonl"], here, &["folder.jsonl", "directory"]);
        refused(&[command, "empty.jsonl"], here, &["empty.jsonl", "empty"]);
        refused(&[command, "blank.jsonl"], here, &["blank.jsonl", "empty"]);
        refused(&[command, "artifact"], here, &["artifact", "empty"]);
        refused(&[command, "cut.jsonl"], here, &["cut.jsonl:2:", "ends inside"]);
        refused(
            &[command, "unknown.jsonl"],
            here,
            &["unknown.jsonl:3:", "\"frob\"", "write, read"],
        );
        refused(
            &[command, "number.jsonl"],
            here,
            &["number.jsonl:2:", "\"path\"", "a string", "number 7"],
        );
        refused(&[command, "headless.jsonl"], here, &["headless.jsonl:1:", "header"]);
        refused(&[command, "array.jsonl"], here, &["array.jsonl:1:", "header"]);
        refused(&[command, "bytes.jsonl"], here, &["bytes.jsonl:2:", "JSON"]);
    }
}

#[test]
fn a_reader_that_has_had_enough_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let stat = "{\"op\": \"stat\", \"path\": \"/index\"}\n";
    fs::write(folder.path().join("long.jsonl"), format!("{{}}\n{}", stat.repeat(20_000))).unwrap();
    let mut command = Command::new(common::executable());
    command.args(["explain", "long.jsonl"]).current_dir(folder.path());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
}

#[test]
fn what_the_guard_refuses_is_counted_and_what_does_not_fail_is_not_minimized() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let lines = [
        "{}",
        "{\"op\": \"write\", \"path\": \"/os/tmp/x\", \"data\": \"x\"}",
        "{\"op\": \"write\", \"path\": \"/pane/{p0}/ctl\", \"data\": \"Edit w x\\n\"}",
        "{\"op\": \"hread\", \"h\": \"none\"}",
        "{\"op\": \"stat\", \"path\": \"/os/etc\"}",
    ];
    fs::write(here.join("guarded.jsonl"), lines.join("\n")).unwrap();
    // Where the target is held, what could reach a file or a shell is sent.
    for (level, not_run) in [("environment", "3 not run"), ("kernel", "1 not run")] {
        let done = monkey9p(&["replay", "--level", level, "guarded.jsonl"], here);
        let out = String::from_utf8(done.stdout).unwrap();
        let why = String::from_utf8_lossy(&done.stderr).into_owned();
        if why.contains("the level kernel cannot be had: ") {
            common::skip("what_the_guard_refuses_is_counted", &why);
            continue;
        }
        assert!(out.contains("4 ops") && out.contains(not_run), "{level}: {out}{why}");
    }
    refused(&["minimize", "guarded.jsonl"], here, &["it does not fail here"]);
}

#[test]
fn bad_arguments_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for arguments in [
        &[][..],
        &["frob"],
        &["run", "--steps", "-1"],
        &["run", "--steps", "many"],
        &["run", "--seed"],
        &["replay"],
        &["corpus"],
        &["drill", "--steps", "zero"],
    ] {
        refused(arguments, here, &["elp"]);
    }
    refused(&["run", "--target", "frob"], here, &["unknown target \"frob\"", "standin"]);
    refused(&["run", "--target", "pardes"], here, &["PARDES=/path"]);
    refused(
        &["run", "--pardes", "/nowhere/pardes"],
        here,
        &["--pardes=/nowhere/pardes", "No such file"],
    );
    refused(&["run", "--pardes", "/etc/passwd"], here, &["/etc/passwd", "an executable file"]);
    refused(&["run", "--pardes", "/tmp"], here, &["an executable file"]);
    refused(&["drill", "--steps", "99"], here, &["no step 99", "isolation"]);
    refused(&["corpus", "check"], here, &["inside a checkout"]);
    refused(&["fuzz", "--seconds", "1"], here, &["inside a checkout"]);
}

#[test]
fn a_target_that_does_not_answer_is_refused_with_what_it_said() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("server");
    for (script, want) in [
        ("echo no such display >&2; exit 3", "no such display"),
        ("exit 0", "ended (exit 0) before its socket answered"),
        ("kill -SEGV $$", "ended (SIGSEGV)"),
    ] {
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&program, mode).unwrap();
        refused(&["run", "--pardes", program.to_str().unwrap()], folder.path(), &[want]);
    }
}

#[test]
fn run_is_quiet_in_a_pipe_and_its_log_replays() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let done = monkey9p(&["run", "--seed", "5", "--steps", "60"], here);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
    let out = String::from_utf8(done.stdout).unwrap();
    assert_eq!(out.lines().count(), 1, "{out}");
    assert!(out.contains("60 steps") && out.contains("steps/s"), "{out}");
    let log = "runs/seed-5/ops.jsonl";
    assert_eq!(monkey9p(&["replay", log], here).status.code(), Some(0));
    let first = fs::read(here.join(log)).unwrap();
    let done = monkey9p(&["run", "--seed", "5", "--steps", "60", "--json"], here);
    let json: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&json["seed"], &json["steps"]), (&5.into(), &60.into()));
    assert!(json["requests"].as_u64().unwrap() > 60);
    assert_eq!(fs::read(here.join(log)).unwrap(), first, "the same seed, the same ops");
    let told = monkey9p(&["explain", log], here);
    let lines = String::from_utf8(told.stdout).unwrap();
    assert!(lines.contains("start a target") && lines.lines().count() > 60, "{lines}");
    let tally =
        lines.lines().filter(|line| line.starts_with("ops: ") || line.starts_with("files: "));
    assert_eq!(tally.count(), 2, "{lines}");
    let replayed = monkey9p(&["replay", "-v", log], here);
    assert!(String::from_utf8_lossy(&replayed.stdout).contains("passed"));
}

#[test]
fn run_says_what_it_covered_and_how_it_weighed() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let log = |weights: &str, seed: &str| {
        let arguments =
            ["run", "--seed", seed, "--steps", "50", "--weights", weights, "--coverage", "--json"];
        let done = monkey9p(&arguments, here);
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        let out = String::from_utf8(done.stdout).unwrap();
        let lines: Vec<serde_json::Value> =
            out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let [run, coverage] = &lines[..] else { panic!("{out}") };
        assert_eq!(run["weights"], weights);
        let coverage = &coverage["coverage"];
        assert!(coverage["files"]["/pane/N/body"]["asked"].is_object(), "{coverage}");
        let untried = coverage["untried"].as_array().unwrap().len() as f64;
        let share = untried / coverage["pairs"].as_f64().unwrap();
        let told = coverage["untried_share"].as_f64().unwrap();
        assert!((told - share).abs() < 1e-9, "{told} {share}");
        fs::read(here.join(format!("runs/seed-{seed}/ops.jsonl"))).unwrap()
    };
    assert_eq!(log("swarm", "4"), log("swarm", "4"));
    assert_ne!(log("swarm", "4"), log("fixed", "4"));
    let arguments = ["run", "--seed", "6", "--seed", "7", "--steps", "20", "--coverage"];
    let done = monkey9p(&arguments, here);
    let out = String::from_utf8(done.stdout).unwrap();
    assert_eq!(out.matches("opens by mode:").count(), 1, "{out}");
    assert!(out.contains("never opened: ") && out.contains("swarm weights"), "{out}");
    refused(&["run", "--weights", "heavy"], here, &["heavy", "swarm, fixed"]);
}

/// The way of the real pardes: a program by its path, told so by an option or by PARDES.
#[test]
fn a_program_by_its_path_is_fuzzed_like_pardes() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let program = env!("CARGO_BIN_EXE_pardes-standin");
    let done = monkey9p(&["run", "--steps", "30", "--pardes", program], here);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let log = here.join("runs/seed-1/ops.jsonl");
    let header = monkey9p::ops::read_ops(&log).unwrap().header;
    assert_eq!(header["binary"], program);
    let mut command = Command::new(common::executable());
    command.args(["replay", "--target", "pardes"]).arg(&log).env("PARDES", program);
    assert_eq!(command.output().unwrap().status.code(), Some(0));
    let done = monkey9p(&["drill", "--pardes", program], here);
    let out = String::from_utf8(done.stdout).unwrap();
    assert_eq!(done.status.code(), Some(0), "{out}");
    assert!(out.contains("SKIP  2") && out.contains("only the stand-in does"), "{out}");
}

#[test]
fn launches_are_measured_at_each_level_that_can_be_had() {
    let folder = tempfile::tempdir().unwrap();
    let done = monkey9p(&["bench", "--launches", "2", "--json"], folder.path());
    let out = String::from_utf8(done.stdout).unwrap();
    assert_eq!(done.status.code(), Some(0), "{out}");
    let rows: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.last().unwrap()["level"], "environment", "{out}");
    for row in rows {
        assert_eq!(row["launches"], 2);
        assert!(row["median_ms"].as_f64().unwrap() > 0.0, "{out}");
    }
}

/// Before anything is built or launched.
#[test]
fn a_campaign_that_cannot_be_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    refused(&["campaign", "list"], here, &["neither it nor a directory above holds seeds/"]);
    fs::create_dir_all(here.join("seeds")).unwrap();
    fs::create_dir_all(here.join("fuzz")).unwrap();
    fs::write(here.join("fuzz/Cargo.toml"), "").unwrap();
    refused(&["campaign", "status"], here, &["no campaign has been started"]);
    for command in ["status", "stop", "wait", "resume", "report"] {
        refused(&["campaign", command, "gone"], here, &["campaigns/gone: no such campaign"]);
        refused(&["campaign", command, "../x"], here, &["\"../x\": expected a name of letters"]);
    }
    refused(&["corpus", "merge", "gone"], here, &["campaigns/gone: no such campaign"]);
    let start = ["campaign", "start", "--name"];
    refused(&[&start[..], &["a/b"]].concat(), here, &["\"a/b\": expected a name"]);
    for flag in ["-runs=5", "-fork=2", "-merge", "corpus"] {
        let arguments = [&start[..], &["x", "--", flag]].concat();
        refused(&arguments, here, &[flag, "expected a flag of libFuzzer's"]);
    }
    refused(&[&start[..], &["x", "--jobs", "0"]].concat(), here, &["--jobs"]);
    let both = [&start[..], &["x", "--minutes", "1", "--seconds", "1"]].concat();
    refused(&both, here, &["cannot be used with"]);
    fs::create_dir_all(here.join("campaigns/torn")).unwrap();
    fs::write(here.join("campaigns/torn/manifest.json"), "{\"name\": ").unwrap();
    refused(&["campaign", "status", "torn"], here, &["torn/manifest.json: ", "EOF"]);
    // It hides no other.
    let listed = monkey9p(&["campaign", "list"], here);
    assert!(listed.status.success());
    assert!(String::from_utf8_lossy(&listed.stdout).contains("torn/manifest.json: "));
    assert!(!here.join("campaigns/x").exists());
}
