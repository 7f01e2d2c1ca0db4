//! The drill, by its command: it passes at each level, and fails where it is to fail.

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};

use common::ordinary::{Home, as_ordinary_user};
use common::skip;
use landlock::{AccessFs, Ruleset, RulesetAttr as _};
use monkey9p::sandbox::Level;
use serde_json::Value;

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
    as_ordinary_user("an_ordinary_user_has_the_same", Home::Empty);
}
