//! The drill, by its command: it passes at each level, and fails where it is to fail.

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{EXECUTABLE_VARIABLE, skip};
use landlock::{AccessFs, Ruleset, RulesetAttr as _};
use monkey9p::sandbox::Level;
use nix::unistd::geteuid;
use serde_json::Value;

/// Nobody in particular.
const ORDINARY: u32 = 65_534;

fn drill(arguments: &[&str]) -> Output {
    let mut drill = Command::new(common::executable());
    drill.arg("drill").args(arguments).current_dir("/").output().unwrap()
}

/// Each step's number and verdict, and the whole as text.
fn told(done: &Output) -> (Vec<(u64, String)>, String) {
    let reports: Value = serde_json::from_slice(&done.stdout).unwrap();
    let verdict = |report: &Value| {
        assert!(!report["evidence"].as_array().unwrap().is_empty(), "{report:#}");
        (report["step"].as_u64().unwrap(), report["verdict"].as_str().unwrap().to_owned())
    };
    (reports.as_array().unwrap().iter().map(verdict).collect(), format!("{reports:#}"))
}

#[test]
fn it_passes_at_each_level() {
    for level in Level::ALL {
        let done = drill(&["--json", "--level", level.name()]);
        let (verdicts, text) = told(&done);
        if text.contains("cannot be had") {
            skip("it_passes_at_each_level", &text);
            continue;
        }
        assert_eq!(done.status.code(), Some(0), "{text}");
        // The stand-in of an ordinary build has no counters.
        let want = ["PASS", "PASS", "PASS", "PASS", "PASS", "PASS", "SKIP"];
        let want: Vec<(u64, String)> =
            (0..).zip(want).map(|(step, verdict)| (step, verdict.to_owned())).collect();
        assert_eq!(verdicts, want, "{text}");
        assert!(text.contains("docs/coverage.md"), "{text}");
        assert!(text.contains(&format!("at the level {level}, blocked, ")), "{text}");
        assert_eq!(text.contains("not held by this level: "), level < Level::Kernel, "{text}");
    }
}

#[test]
fn isolation_goes_first_whatever_is_asked_for() {
    let done = drill(&["--steps", "3,1"]);
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    let steps: Vec<&str> =
        out.lines().filter(|line| line.starts_with("PASS")).map(|line| &line[6..7]).collect();
    assert_eq!(steps, ["0", "1", "3"], "{out}");
}

/// Where what is asked for cannot be had, nothing is launched, and no other step runs.
#[test]
fn it_fails_before_a_launch_where_isolation_does() {
    // Landlock is a thread's, and its children's: nothing can be mounted under it.
    let done = std::thread::spawn(|| {
        let ruleset = Ruleset::default().handle_access(AccessFs::MakeBlock).unwrap();
        ruleset.create().unwrap().restrict_self().unwrap();
        drill(&["--json", "--level", "kernel"])
    });
    let (verdicts, text) = told(&done.join().unwrap());
    if !text.contains("cannot be had") {
        return skip("it_fails_before_a_launch", "this kernel has no Landlock to be in the way");
    }
    assert_eq!(verdicts, [(0, "FAIL".to_owned())], "{text}");
    assert!(text.contains("nothing was launched"), "{text}");
}

/// A server that writes outside, where that is not held: the step that looks there sees it.
#[test]
fn a_target_that_touches_what_is_outside_is_seen() {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let (program, touched) = (folder.path().join("server"), folder.path().join("touched"));
    let script = format!(
        "#!/bin/sh\necho x >> {}\nM9P_ROLE=standin exec {} \"$@\"\n",
        touched.display(),
        common::executable().display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.to_str().unwrap();
    let arguments = ["--json", "--steps", "4", "--level", "environment", "--pardes", program];
    let done = drill(&arguments);
    let (verdicts, text) = told(&done);
    assert_eq!(done.status.code(), Some(1), "{text}");
    assert_eq!(verdicts, [(0, "PASS".to_owned()), (4, "FAIL".to_owned())], "{text}");
    assert!(text.contains(&format!("{} changed", touched.display())), "{text}");
}

/// All of this file once more, by a user who may do nothing special.
#[test]
fn an_ordinary_user_has_the_same() {
    let test = "an_ordinary_user_has_the_same";
    if !geteuid().is_root() {
        return;
    }
    // Where anybody can get at them.
    let folder = tempfile::Builder::new().prefix("drill").tempdir_in("/tmp").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    chown(&home, Some(ORDINARY), Some(ORDINARY)).unwrap();
    let copy = |from: &Path, name: &str| -> PathBuf {
        let to = folder.path().join(name);
        // By another process: a child forked meanwhile would hold it open for writing.
        let done = Command::new("install").args(["-m", "755"]).args([from, &to]).status().unwrap();
        assert!(done.success());
        to
    };
    let own = copy(&std::env::current_exe().unwrap(), "tests");
    let executable = copy(&common::executable(), "monkey9p");
    let again = Command::new(own)
        .current_dir("/")
        .env(EXECUTABLE_VARIABLE, executable)
        .env("HOME", &home)
        .uid(ORDINARY)
        .gid(ORDINARY)
        .output();
    let again = match again {
        Ok(again) => again,
        Err(why) => return skip(test, &why.to_string()),
    };
    // What was skipped there is heard here.
    let heard = String::from_utf8_lossy(&again.stderr).into_owned();
    heard.lines().filter(|line| line.starts_with("SKIP ")).for_each(|line| skip(test, line));
    assert!(again.status.success(), "{}\n{heard}", String::from_utf8_lossy(&again.stdout));
}
