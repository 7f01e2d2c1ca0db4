//! What the kernel level alone is told: shells that kill, remove, print and start others without end
//! give no false alarm on a sound server, and hide no defect of another; weaker levels refuse it all.

mod common;

use std::time::Duration;

use common::{launcher, skip, wait_until, write};
use monkey9p::input::{Family, Generator, Input, Step, Weights};
use monkey9p::ops::{Latin1, Op, parse_op, put_line};
use monkey9p::runner::{End, Replayed, Runner, replay};
use monkey9p::sandbox::{Level, SandboxError};
use monkey9p::session::{Launcher, StartError};
use monkey9p::wire::msg::{OREAD, OTRUNC, OWRITE, Tmsg};
use serde_json::json;

/// How long a test waits for what a shell does, at most.
const SOON: Duration = Duration::from_secs(60);

/// A launcher of that level; nothing, said aloud, where it cannot be had.
fn at(test: &str, level: Level, plant: Option<&str>) -> Option<Launcher> {
    let launcher = Launcher { level: Some(level), ..launcher(plant) };
    match launcher.sandbox() {
        Ok(sandbox) => sandbox.teardown().unwrap(),
        Err(SandboxError::Refused(why)) => {
            skip(test, &why.to_string());
            return None;
        }
        Err(why) => panic!("{why}"),
    }
    Some(launcher)
}

/// What `ops` come to at the kernel level.
fn kernel(test: &str, plant: Option<&str>, ops: &[Op]) -> Option<Replayed> {
    let launcher = at(test, Level::Kernel, plant)?;
    Some(replay(&mut Runner::new(launcher, true), ops, |_, _, _| {}).unwrap())
}

fn tty() -> Op {
    write("/pane/{p0}/ctl", "Tty\n")
}

/// A terminal, and a line for its shell; then whatever, until the shell has had the time.
fn told(line: &str) -> Vec<Op> {
    told_for(line, 40)
}

/// The same, with so many reads that wait for what the shell prints.
fn told_for(line: &str, reads: usize) -> Vec<Op> {
    let stats = (0..reads).map(|_| Op::Read {
        path: "/pane/{p0}/pty/data".into(),
        count: 64,
        offset: 0,
        mode: OREAD,
        reads: 2,
    });
    let told = [tty(), write("/pane/{p0}/pty/run", &format!("{line}\n"))];
    told.into_iter().chain(stats).collect()
}

#[test]
fn a_target_that_a_shell_kills_has_quit() {
    for line in ["kill -9 -1", "kill -9 $PPID", "kill -TERM -1; :", "(sleep 0; kill -1 $PPID) &"] {
        // On a busy machine a shell takes long; once the target has quit, no read waits any more.
        let ops = told_for(line, 1_000);
        let test = "a_target_that_a_shell_kills_has_quit";
        let Some(replayed) = kernel(test, None, &ops) else { return };
        assert!(replayed.found.is_none(), "{line}: {:?}", replayed.found);
        assert_eq!((replayed.quits, replayed.not_run), (1, 0), "{line}");
    }
}

/// The same line where the sandbox holds less is not sent: nothing dies of it.
#[test]
fn weaker_levels_send_none_of_it() {
    for level in [Level::Landlock, Level::Environment] {
        let Some(launcher) = at("weaker_levels_send_none_of_it", level, None) else { continue };
        let mut runner = Runner::new(launcher, true);
        let weights = Family::ALL.iter().fold(Weights::default(), |weights, &family| {
            weights.with(family, u32::from(family == Family::Open || family == Family::Wire))
        });
        let mut generator = Generator::with_weights(11, weights);
        let steps: Vec<Step> = std::iter::repeat_with(|| generator.next_step())
            .filter(|step| step.family() == Family::Open)
            .take(300)
            .collect();
        let input = Input { follower: false, steps };
        let input = Input::decode(&input.encode()).unwrap();
        runner.next_input(false).unwrap();
        for op in &input.render()[1..] {
            let End::Done(outcome) = runner.step(op).unwrap() else { panic!("{op:?}") };
            let note = outcome.note.unwrap_or_default();
            assert!(note.starts_with("refused by guard"), "{level}: {op:?}: {note}");
            assert!(outcome.requests.is_empty() && outcome.wire.is_empty() && !outcome.wild);
        }
        let session = runner.session().unwrap();
        assert!(!session.is_wild());
        runner.end().unwrap();
    }
}

#[test]
fn a_crash_is_one_whatever_a_shell_may_do() {
    let test = "a_crash_is_one_whatever_a_shell_may_do";
    let after = [tty(), write("/pane/{p0}/pty/run", "sleep 99 & :\n")];
    for (plant, op, kind) in [
        ("crash-on-regex", write("/pane/{p0}/addr", "/[/"), "crash"),
        ("crash-file-lives", write("/pane/{p0}/mark", "perhaps\n"), "alive"),
        ("err-missing", write("/pane/{p0}/addr", "#9999999"), "one_failure_rule"),
        (
            "drop-on-long-name",
            Op::Stat { path: format!("/{}", "x".repeat(300)).as_str().into() },
            "dropped",
        ),
        (
            "hang-on-flush",
            Op::Read {
                path: "/pane/{p0}/event".into(),
                count: 64,
                offset: 0,
                mode: OREAD,
                reads: 1,
            },
            "hang",
        ),
    ] {
        let ops: Vec<Op> = after.iter().cloned().chain([op]).collect();
        let Some(replayed) = kernel(test, Some(plant), &ops) else { return };
        assert_eq!(replayed.not_run, 0, "{plant}");
        let (step, found) = replayed.found.unwrap_or_else(|| panic!("{plant} was not found"));
        assert_eq!((step, &*found.kind), (2, kind), "{plant}: {}", found.why);
    }
}

/// A target that dies with its last words said has crashed, though a shell could have killed it.
#[test]
fn what_a_dying_target_says_is_heard() {
    let script = "echo 'panic: no' >&2; kill -9 $$";
    let Some(launcher) = at("what_a_dying_target_says_is_heard", Level::Kernel, None) else {
        return;
    };
    let Launcher { executable, level, .. } = launcher;
    let launcher = Launcher { executable, level, ..common::shell_launcher(script) };
    match monkey9p::session::Session::start(&launcher, false) {
        Err(StartError::Target { why, .. }) => assert!(why.contains("panic: no"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_socket_that_a_shell_removes_is_not_the_targets_fault() {
    let test = "a_socket_that_a_shell_removes_is_not_the_targets_fault";
    let removed = || vec![write("/exec", "rm -rf \"$XDG_RUNTIME_DIR\"/*\n")];
    let stat = Op::Stat { path: "/index".into() };
    let ways: [Op; 3] = [
        Op::Second { ops: vec![stat.clone()] },
        Op::Wire { steps: vec![monkey9p::ops::WireStep::send(Tmsg::Stat { fid: 1 })] },
        Op::Seq { ops: vec![write("/ctl", "Dump\n"), Op::Restore { data: "Restore\n".into() }] },
    ];
    for way in &ways {
        // The command takes its time.
        let waits = (0..200).map(|_| stat.clone());
        let ops: Vec<Op> = removed().into_iter().chain(waits).chain([way.clone()]).collect();
        let Some(replayed) = kernel(test, None, &ops) else { return };
        assert!(replayed.found.is_none(), "{way:?}: {:?}", replayed.found);
        assert_eq!((replayed.quits, replayed.not_run), (1, 0), "{way:?}");
    }
    // Where no shell could have done it, it is.
    let Some(launcher) = at(test, Level::Kernel, None) else { return };
    let mut runner = Runner::new(launcher, true);
    runner.next_input(false).unwrap();
    let session = runner.session().unwrap();
    // The target's own root directory is another than this process's.
    let root = format!("/proc/{}/root{}", session.target_pid().unwrap(), session.root().display());
    std::fs::remove_file(format!("{root}/run/pardes-9p-m9p.sock")).unwrap();
    let End::Found(found) = runner.step(&ways[1]).unwrap() else { panic!("nothing was found") };
    assert_eq!(found.kind, "dropped");
    runner.end().unwrap();
}

#[test]
fn everything_removed_is_no_failure_and_the_next_input_has_it_all() {
    let test = "everything_removed_is_no_failure_and_the_next_input_has_it_all";
    let Some(launcher) = at(test, Level::Kernel, None) else { return };
    let mut runner = Runner::new(launcher, true);
    runner.next_input(false).unwrap();
    let root = runner.session().unwrap().root().to_owned();
    let mut ops = told("rm -rf $HOME/* $HOME/.[a-z]* /tmp/*; mkfifo alpha.txt; ln -s / config");
    ops.extend([write("/look", "utf8.txt\n"), write("/ctl", "Dump\n"), write("/ctl", "Put\n")]);
    for op in &ops {
        match runner.step(op).unwrap() {
            End::Done(_) => {}
            other => panic!("{op:?}: {other:?}"),
        }
    }
    assert!(runner.session().unwrap().is_wild());
    runner.next_input(false).unwrap();
    let session = runner.session().unwrap();
    assert!(!session.is_wild() && session.root() != root, "the same target was used again");
    let End::Done(outcome) = runner.step(&write("/look", "utf8.txt\n")).unwrap() else { panic!() };
    assert!(!outcome.wild && outcome.opened.is_none_or(|opened| !opened.file.is_empty()));
    runner.end().unwrap();
}

/// What a reset restores is not all that a shell may have changed: the next input has a target of its
/// own. What any level takes needs none.
#[test]
fn an_input_after_a_wild_one_begins_in_a_fresh_session() {
    let test = "an_input_after_a_wild_one_begins_in_a_fresh_session";
    let Some(launcher) = at(test, Level::Kernel, None) else { return };
    for follower in [false, true] {
        let mut runner = Runner::new(launcher.clone(), true);
        let mut roots = Vec::new();
        for line in ["true\n", "true\n", "true & true\n", "true\n"] {
            assert!(runner.next_input(follower).unwrap().is_none());
            roots.push(runner.session().unwrap().root().to_owned());
            let End::Done(outcome) = runner.step(&write("/exec", line)).unwrap() else { panic!() };
            assert_eq!(outcome.wild, line.contains('&'), "{line:?}");
        }
        assert_eq!(roots[0], roots[2]);
        assert_ne!(roots[2], roots[3]);
        runner.end().unwrap();
    }
}

/// An input that goes on in a sandbox full of processes would take for ever, and prove nothing.
#[test]
fn a_fork_bomb_ends_its_input() {
    let test = "a_fork_bomb_ends_its_input";
    // One whose processes do not stay may die of the limit before anybody looks.
    for bomb in ["f() { f | f & sleep 99; }; f", "while :; do sleep 99 & done"] {
        let Some(launcher) = at(test, Level::Kernel, None) else { return };
        let mut runner = Runner::new(launcher, true);
        let mut quits = |op: &Op| match runner.step(op).unwrap() {
            End::Done(_) => false,
            End::Quit => true,
            End::Found(finding) => panic!("{bomb}: {finding:?}"),
        };
        let at_once = told(bomb).iter().any(&mut quits);
        // How soon a bomb fills the sandbox is the machine's to say.
        let stat = Op::Stat { path: "/index".into() };
        assert!(at_once || wait_until(SOON, || quits(&stat)), "{bomb}");
        runner.end().unwrap();
    }
}

#[test]
fn a_target_that_a_shell_stops_does_not_hang() {
    let Some(replayed) = kernel(
        "a_target_that_a_shell_stops_does_not_hang",
        None,
        &told("kill -STOP $PPID; sleep 99"),
    ) else {
        return;
    };
    assert!(replayed.found.is_none() && replayed.quits == 1, "{replayed:?}");
}

/// Printers that never end, texts that are filtered while they are read, shells that never end.
#[test]
fn what_changes_by_itself_is_held_against_nobody() {
    let test = "what_changes_by_itself_is_held_against_nobody";
    let text = |data: &str| Op::Write {
        path: "/pane/{p1}/body".into(),
        data: data.into(),
        mode: OWRITE | OTRUNC,
        chunks: Default::default(),
        offset: None,
        stop_on_error: true,
    };
    let body = || Op::Read {
        path: "/pane/{p1}/body".into(),
        count: 8_192,
        offset: 0,
        mode: OREAD,
        reads: 4,
    };
    for first in [
        write("/exec", "while :; do echo m9p; done\n"),
        write("/pane/{p0}/pty/run", "(while :; do echo m9p; done) & cat\n"),
        write("/pane/{p1}/exec", "Edit ,|sleep 0; cat; echo more\n"),
        write("/pane/{p1}/exec", "Edit !while :; do echo m9p >>alpha.txt; done\n"),
        write("/pane/{p1}/exec", "Edit ,<sleep 0; date\n"),
    ] {
        let mut ops = vec![tty(), text("some\nlines\n"), first.clone()];
        for round in 0..5 {
            // So many that some end while the scenes are under way.
            let filter = |ms: u32| {
                let line = format!("Edit ,|sleep 0.0{ms:02}; cat; echo more\n");
                write("/pane/{p1}/exec", &line)
            };
            ops.extend((0..8).map(|n| filter(3 * n + round)));
            let reads = (0..8).map(|_| body());
            let text = text(&format!("round {round}\n"));
            let kept = Op::Seq { ops: [text].into_iter().chain(reads).collect() };
            let edit = write("/pane/{p1}/exec", "Edit ,x/o/c/oo/\n");
            let undo = write("/pane/{p1}/exec", "Undo\n");
            let scene = Op::Seq { ops: vec![body(), edit.clone(), body(), undo, body()] };
            let refused = write("/pane/{p1}/exec", "Edit {\n1d\n99999d\n}\n");
            ops.extend([kept.clone(), scene.clone(), kept, scene, edit, refused]);
        }
        let Some(replayed) = kernel(test, None, &ops) else { return };
        assert!(replayed.found.is_none(), "{first:?}: {:?}", replayed.found);
        assert_eq!((replayed.quits, replayed.not_run), (0, 0), "{first:?}");
    }
}

/// A line in pieces on one fid is what it is whole.
#[test]
fn pieces_join_into_no_line_that_is_refused() {
    let test = "pieces_join_into_no_line_that_is_refused";
    let pieces = |pieces: &[&str]| -> Vec<Op> {
        let hold = Op::Hold { h: "h0".into(), path: "/ctl".into(), mode: OWRITE };
        let piece = |&data: &&str| Op::Hwrite { h: "h0".into(), data: data.into() };
        [hold].into_iter().chain(pieces.iter().map(piece)).collect()
    };
    for (data, not_run) in
        [(["Res", "tore\n"], 1), (["echo $x; kill", " -11 -1\n"], 1), (["Ms", "g a/b\n"], 0)]
    {
        let Some(replayed) = kernel(test, None, &pieces(&data)) else { return };
        assert!(replayed.found.is_none(), "{data:?}: {:?}", replayed.found);
        assert_eq!(replayed.not_run, not_run, "{data:?}");
    }
}

/// They reach the target, which refuses them; and so do those in a script.
#[test]
fn changes_below_the_hosts_trees_are_sent_and_refused() {
    let test = "changes_below_the_hosts_trees_are_sent_and_refused";
    let Some(launcher) = at(test, Level::Kernel, None) else { return };
    let mut runner = Runner::new(launcher, true);
    let path = |path: &str| Latin1::from(path);
    for op in [
        write("/os/etc/hosts", "x"),
        write("/os/proc/self/cwd/alpha.txt", "x"),
        Op::Remove { path: path("/os/etc/hosts") },
        Op::Create { path: path("/os/tmp"), name: "x".into(), perm: 0o644, mode: OWRITE },
        Op::Hold { h: "h0".into(), path: path("/src"), mode: OWRITE },
    ] {
        let End::Done(outcome) = runner.step(&op).unwrap() else { panic!("{op:?}") };
        assert_eq!(outcome.note, None);
        let refused = outcome.requests.iter().any(|asked| asked.refused().is_some());
        assert!(refused && !outcome.wild, "{op:?}: {:?}", outcome.requests);
    }
    let names = json!(["os", "etc", "hosts"]);
    let script = json!({"op": "wire", "steps": [
        {"do": "walk", "fid": 1, "newfid": 2, "names": names}, {"do": "wait"},
        {"do": "open", "fid": 2, "mode": 1}, {"do": "wait"},
    ]});
    let End::Done(outcome) = runner.step(&parse_op(script).unwrap()).unwrap() else { panic!() };
    assert!(outcome.note.is_none() && outcome.wire.len() == 1 && outcome.wild);
    runner.end().unwrap();
}

/// A log says of each op that only the kernel level takes that it is one, in a way that the script which
/// came before cannot read: nothing holds what that runs.
#[test]
fn logs_mark_what_the_kernel_level_alone_takes() {
    let line = |op: &Op| {
        let mut line = Vec::new();
        put_line(&mut line, op).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(&parse_op(value.clone()).unwrap(), op);
        value
    };
    for op in [
        write("/pane/3/pty/run", "kill -9 -1\n"),
        write("/exec", "Edit w /x\n"),
        Op::Remove { path: "/os/x".into() },
        Op::Hold { h: "h0".into(), path: "/src/x".into(), mode: OWRITE },
    ] {
        let marked = line(&op);
        assert_eq!(marked["op"], "wild");
        assert!(marked["ops"][0]["path"].is_string());
        let plain = Op::Stat { path: "/index".into() };
        let nested = line(&Op::Seq { ops: vec![plain.clone(), op.clone()] });
        assert_eq!((&nested["op"], &nested["ops"][1]), (&json!("seq"), &marked));
        let second = line(&Op::Second { ops: vec![plain, op] });
        assert_eq!(second["ops"][1], marked);
    }
    for op in
        [write("/exec", "ls\n"), write("/ctl", "Restore x\n"), Op::Stat { path: "/os".into() }]
    {
        assert_ne!(line(&op)["op"], "wild", "{op:?}");
    }
    let read = |ops: serde_json::Value| parse_op(json!({"op": "wild", "ops": ops}));
    let stat = json!({"op": "stat", "path": "/"});
    assert!(read(json!([stat])).is_ok());
    let nested = json!({"op": "wild", "ops": [stat]});
    for wrong in [
        json!([]),
        json!([stat, stat]),
        json!([nested]),
        json!([{"op": "seq", "ops": []}]),
        json!(5),
    ] {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
}
