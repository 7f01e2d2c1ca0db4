//! Verdicts: what fails alone, what needs its history, what fails by chance; and what becomes of each.

mod common;

use std::fs;

use common::write;
use monkey9p::input::Input;
use monkey9p::ops::{Op, read_ops};
use monkey9p::record::Verdict;
use monkey9p::runner::{End, Found, Recorded, Runner, Spending, input_ops, record, replay};
use monkey9p::session::{Launcher, Session};
use monkey9p::target::standin;

const SPENDING: Spending = Spending { replays: 2_000, seconds: 300 };

/// Runs inputs in one living target until one fails, and records that.
fn found(plant: &str, inputs: &[Vec<Op>]) -> (tempfile::TempDir, Recorded) {
    let folder = tempfile::tempdir().unwrap();
    let mut runner = Runner::new(common::launcher(Some(plant)), true);
    for input in inputs {
        let mut finding = runner.next_input(false).unwrap().map(|finding| (0, finding));
        for (step, op) in input[1..].iter().enumerate() {
            if finding.is_some() {
                break;
            }
            match runner.step(op).unwrap() {
                End::Found(found) => finding = Some((step + 1, found)),
                End::Quit => break,
                End::Done(_) => {}
            }
        }
        if let Some((step, finding)) = finding {
            assert!(runner.session().map(Session::journal).is_some());
            let found = Found { finding: &finding, seed: None, step, input: Some(input) };
            let recorded = record(&mut runner, folder.path(), &found, Some(SPENDING)).unwrap();
            return (folder, recorded);
        }
    }
    panic!("{plant}: nothing found");
}

fn fresh() -> Op {
    Op::Fresh { follower: false }
}

fn failures(plant: &str, ops: &[Op]) -> usize {
    let fails = |_: &u8| common::replay_on(Some(plant), ops).found.is_some();
    [0u8; 3].iter().filter(|n| fails(n)).count()
}

#[test]
fn what_fails_alone_is_minimized_told_and_kept_as_an_input() {
    let mut input = vec![fresh()];
    input.extend((0..20).map(|n| Op::Stat { path: format!("/nothing{n}").as_str().into() }));
    input.push(write("/pane/{p2}/dot", "#99999"));
    let (_folder, recorded) = found("err-twice", &[input.clone()]);
    let judged = recorded.judged.unwrap();
    assert_eq!(judged.verdict, Verdict::Alone);
    assert_eq!(judged.ops, input);
    let small = judged.minimized.unwrap();
    assert_eq!(small.len(), 2, "{small:?}");
    assert_eq!(failures("err-twice", &small), 3);
    let artifact = Input::decode(&recorded.artifact.unwrap()).unwrap();
    assert_eq!(input_ops(&artifact), small);
    let story = fs::read_to_string(recorded.path.with_file_name("story.md")).unwrap();
    for want in ["(documented)", "1. start a target", "2. write", "Rerror: ", "log: `err ", "9p -a"]
    {
        assert!(story.contains(want), "{want}: {story}");
    }
    assert_eq!(read_ops(&recorded.path.with_file_name("record.min.jsonl")).unwrap().ops, small);
}

/// The fortieth pane closed ends the server; no input here closes more than a few.
#[test]
fn what_needs_its_history_gets_an_input_that_needs_none() {
    let close = vec![
        fresh(),
        Op::Read { path: "/pane/new".into(), count: 64, offset: 0, mode: 0, reads: 1 },
        Op::Remove { path: "/pane/{p0}".into() },
    ];
    let (_folder, recorded) = found("crash-long-life", &vec![close; 40]);
    let judged = recorded.judged.unwrap();
    assert_eq!(judged.verdict, Verdict::WithHistory, "{}", judged.evidence);
    let small = judged.minimized.unwrap();
    assert_eq!(failures("crash-long-life", &small), 3, "{small:?}");
    let artifact = Input::decode(&recorded.artifact.unwrap()).unwrap();
    let mut runner = Runner::new(common::launcher(Some("crash-long-life")), true);
    let replayed = replay(&mut runner, &input_ops(&artifact), |_, _, _| {}).unwrap();
    assert_eq!(replayed.found.unwrap().1.kind, "crash");
}

/// One time in three, by chance: twelve replays give a rate that is neither never nor always.
#[test]
fn what_fails_by_chance_is_flaky_with_a_rate() {
    let input = vec![fresh(), write("/pane/{p0}/scroll", "no number\n")];
    let (_folder, recorded) = found("err-flaky", &vec![input; 60]);
    let judged = recorded.judged.unwrap();
    let Verdict::Flaky { failed, tried } = judged.verdict else { panic!("{judged:?}") };
    assert!(failed < tried && tried >= 9, "{failed} of {tried}: {}", judged.evidence);
}

/// A target that cannot be started once more is no verdict, and the finding stands all the same.
#[test]
fn what_cannot_be_judged_is_recorded_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("monkey9p");
    fs::copy(common::executable(), &executable).unwrap();
    let target = standin(executable.clone()).with_plant(Some("err-twice"));
    let launcher = Launcher { target, executable: executable.clone(), level: None };
    let mut runner = Runner::new(launcher, true);
    runner.fresh(false).unwrap();
    let op = write("/pane/{p0}/dot", "#99999");
    let End::Found(finding) = runner.step(&op).unwrap() else { panic!("nothing found") };
    fs::remove_file(&executable).unwrap();
    let found = Found { finding: &finding, seed: None, step: 1, input: None };
    let recorded = record(&mut runner, folder.path(), &found, Some(SPENDING)).unwrap();
    assert!(recorded.judged.is_none());
    let there = read_ops(&recorded.path).unwrap();
    assert_eq!(there.ops[1..], [op]);
    assert_eq!(there.header["verdict"], serde_json::Value::Null);
}
