//! The stand-in's planted defects: each is found by the right name, and what is recorded replays.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use monkey9p::ops::{Op, read_ops};
use monkey9p::runner::{End, Runner, replay};

/// A defect, the kind of failure it must give, and ops that show it.
type Case = (&'static str, &'static str, fn() -> Vec<Op>);

const CASES: [Case; 8] = [
    ("crash-file-lives", "alive", || vec![common::write("/pane/{p0}/mark", "perhaps\n")]),
    ("err-twice", "one_failure_rule", || vec![common::write("/pane/{p0}/dot", "#99999")]),
    ("err-missing", "one_failure_rule", failed_write),
    ("close-fails-body", "close_runs_only_line_files", || {
        vec![common::write("/pane/{p0}/body", "no newline")]
    }),
    ("index-misses-pane", "index_matches_pane_dirs", new_panes),
    ("chunk-skips-byte", "chunked_equals_whole", || {
        // Which listing is read follows from the op.
        (0..60).map(|n| Op::Stat { path: format!("/nothing{n}").as_str().into() }).collect()
    }),
    ("hang-on-flush", "hang", || vec![read("/pane/{p0}/event")]),
    ("crash-on-regex", "crash", || vec![common::write("/pane/{p0}/addr", "/[/")]),
];

fn failed_write() -> Vec<Op> {
    vec![common::write("/pane/{p0}/addr", "#99999")]
}

fn new_panes() -> Vec<Op> {
    (0..14).map(|_| read("/pane/new")).collect()
}

fn read(path: &str) -> Op {
    Op::Read { path: path.into(), count: 64, offset: 0, mode: 0, reads: 1 }
}

#[test]
fn each_is_found_by_its_name_and_not_without_it() {
    // In both log modes: a follower that saw nothing would find nothing.
    for (plant, kind, ops) in CASES {
        for follower in [false, true] {
            let ops: Vec<Op> = [Op::Fresh { follower }].into_iter().chain(ops()).collect();
            let found = common::replay_on(Some(plant), &ops).found;
            let found = found.unwrap_or_else(|| panic!("{plant}, {follower}: not found"));
            assert_eq!(found.1.kind, kind, "{plant}, {follower}: {found:?}");
            let sound = common::replay_on(None, &ops).found;
            assert!(sound.is_none(), "without {plant}, {follower}: {sound:?}");
        }
    }
}

/// A step's records are seen, in both modes, from the first step on.
#[test]
fn no_step_goes_without_a_window() {
    for follower in [false, true] {
        let ops = [Op::Fresh { follower }, common::write("/ctl", "bogus\n"), read("/index")];
        let mut runner = Runner::new(common::launcher(None), true);
        let mut windows = Vec::new();
        replay(&mut runner, &ops, |_, _, end| {
            let End::Done(outcome) = end else { panic!("{end:?}") };
            windows.push(outcome.window.clone());
        })
        .unwrap();
        let err = "err - ctl: unknown control message \"bogus\"".to_owned();
        assert_eq!(windows[1..], [Some(vec![err]), Some(vec![])], "{follower}");
    }
}

fn monkey9p(plant: &str, arguments: &[&str], here: &Path) -> Output {
    let mut command = Command::new(common::executable());
    command.args(arguments).current_dir(here).env_remove("PARDES").env("STANDIN_PLANT", plant);
    command.output().unwrap()
}

fn records(here: &Path) -> Vec<PathBuf> {
    let bugs = fs::read_dir(here.join("bugs")).into_iter().flatten().flatten();
    bugs.map(|entry| entry.path().join("record.jsonl")).collect()
}

#[test]
fn run_finds_them_and_its_records_replay_and_minimize() {
    for (plant, kind) in
        [("err-twice", "one_failure_rule"), ("close-fails-body", "close_runs_only_line_files")]
    {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let done = monkey9p(plant, &["run", "--seed", "3", "--steps", "600"], here);
        let out = String::from_utf8_lossy(&done.stdout).into_owned();
        assert_eq!(done.status.code(), Some(1), "{plant}: {out}");
        let record = records(here)
            .into_iter()
            .find(|record| record.to_string_lossy().contains(&format!("bugs/{kind}-")))
            .unwrap_or_else(|| panic!("{plant}: no record of {kind}: {out}"));
        let header = read_ops(&record).unwrap().header;
        assert_eq!(header["kind"], kind);
        assert_eq!(header["seed"], 3);
        let record = record.to_str().unwrap();
        let replayed = monkey9p(plant, &["replay", "--json", record], here);
        assert_eq!(replayed.status.code(), Some(1), "{plant}");
        let json: serde_json::Value = serde_json::from_slice(&replayed.stdout).unwrap();
        assert_eq!(json["failure"]["signature"], header["signature"]);
        assert_eq!(
            json["failure"]["step"].as_u64().unwrap() + 1,
            read_ops(Path::new(record)).unwrap().ops.len() as u64
        );
        let sound = monkey9p("", &["replay", record], here);
        assert_eq!(sound.status.code(), Some(0), "{plant}: {sound:?}");
        let small = here.join("small.jsonl");
        let minimized =
            monkey9p(plant, &["minimize", record, "--output", small.to_str().unwrap()], here);
        assert_eq!(minimized.status.code(), Some(1), "{minimized:?}");
        let ops = read_ops(&small).unwrap().ops;
        assert!(ops.len() <= 3, "{plant}: {ops:?}");
        assert_eq!(
            monkey9p(plant, &["replay", small.to_str().unwrap()], here).status.code(),
            Some(1)
        );
    }
}
