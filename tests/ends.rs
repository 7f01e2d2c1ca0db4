//! What ends, is freed or comes back: what is no breach of those rules, end to end.

mod common;

use std::time::Duration;

use common::write;
use monkey9p::ops::{HostAction, Op};
use monkey9p::runner::{End, Runner, replay};
use monkey9p::sandbox::family;
use monkey9p::session::{Outcome, SeenPane};

fn hold(h: &str, path: &str) -> Op {
    Op::Hold { h: h.into(), path: path.into(), mode: 2 }
}

fn hwrite(h: &str, data: &str) -> Op {
    Op::Hwrite { h: h.into(), data: data.into() }
}

fn clunk(h: &str) -> Op {
    Op::Clunk { h: h.into() }
}

fn reload() -> Op {
    Op::Seq { ops: vec![write("/ctl", "Dump\n"), Op::Restore { data: "Restore\n".into() }] }
}

/// The outcomes of a sound target's steps, in both log modes alike; nothing may be found.
fn outcomes(ops: &[Op]) -> Vec<Vec<Outcome>> {
    let of = |follower| {
        let ops: Vec<Op> = [Op::Fresh { follower }].into_iter().chain(ops.to_vec()).collect();
        let mut seen = Vec::new();
        let mut runner = Runner::new(common::launcher(None), true);
        replay(&mut runner, &ops, |_, _, end| {
            let End::Done(outcome) = end else { panic!("{end:?}") };
            seen.push(outcome.clone());
        })
        .unwrap();
        seen.split_off(1)
    };
    vec![of(false), of(true)]
}

#[test]
fn what_another_open_holds_is_not_asked_for() {
    let event = "/pane/{p0}/event";
    let ops = [
        hold("h0", event),
        // The first fid is open still, though no handle knows it.
        hold("h0", "/pane/{p2}/body"),
        Op::Read { path: event.into(), count: 64, offset: 0, mode: 0, reads: 1 },
        clunk("h0"),
        Op::Second { ops: vec![hold("h1", "/pane/{p1}/event")] },
        hold("h2", "/pane/{p1}/ctl"),
        hwrite("h2", "lock\n"),
        clunk("h2"),
    ];
    for seen in outcomes(&ops) {
        assert!(seen.iter().all(|outcome| outcome.freed.is_empty()), "{seen:?}");
    }
}

/// And what was asked for is in no step's records.
#[test]
fn what_was_closed_is_asked_for() {
    let ops = [
        hold("h0", "/pane/{p0}/event"),
        write("/pane/{p0}/body", "unread"),
        Op::Second { ops: vec![clunk("h0")] },
        hold("h1", "/pane/{p0}/ctl"),
        hwrite("h1", "lock\n"),
        clunk("h1"),
        write("/pane/{p0}/ctl", "bogus\n"),
    ];
    for seen in outcomes(&ops) {
        let freed: Vec<usize> = seen.iter().map(|outcome| outcome.freed.len()).collect();
        assert_eq!(freed, [0, 0, 1, 0, 0, 1, 0]);
        let freed = seen.iter().flat_map(|outcome| &outcome.freed);
        assert!(freed.clone().all(|freed| freed.refused.is_none()), "{:?}", freed.last());
        let window = seen[6].window.as_ref().expect("a window");
        assert_eq!(window.len(), 1, "{window:?}");
    }
}

#[test]
fn a_shell_is_seen_to_end_with_its_pane() {
    let ops = [
        write("/pane/{p0}/ctl", "Tty\n"),
        write("/pane/{p0}/ctl", "Del\n"),
        write("/pane/{p0}/ctl", "Tty\n"),
        Op::Remove { path: "/pane/{p0}".into() },
    ];
    for seen in outcomes(&ops) {
        let ended: Vec<usize> = seen.iter().map(|outcome| outcome.ended_shells.len()).collect();
        assert_eq!(ended, [0, 1, 0, 1]);
    }
}

#[test]
fn a_shell_may_go_with_a_restore_and_a_file_may_have_changed() {
    let host = |name: &str, data: Option<&str>| Op::Host {
        action: if data.is_some() { HostAction::Write } else { HostAction::Rm },
        name: name.into(),
        data: data.map(Into::into),
    };
    let ops = [
        write("/pane/{p0}/ctl", "Tty\n"),
        host("utf8.txt", Some("other")),
        host("crlf.txt", None),
        write("/pane/{p1}/exec", "Zerox\n"),
        write("/exec", "New\n"),
        reload(),
    ];
    for seen in outcomes(&ops) {
        let reloaded = seen[5].reloaded.as_ref().expect("both looks");
        assert_eq!(reloaded.before.len(), reloaded.after.len());
        let shells = reloaded.before.iter().filter(|pane| pane.shell).count();
        assert_eq!(shells, 1, "{reloaded:?}");
        let differs = |pane: &&SeenPane| pane.file_differs && !pane.shell;
        let differ = reloaded.before.iter().filter(differs).count();
        assert_eq!(differ, 2, "utf8.txt, in two views: {reloaded:?}");
    }
}

/// What a command prints may come at any moment: nothing is said then.
#[test]
fn a_command_that_runs_makes_no_claim_of_a_dump() {
    let ops = [write("/exec", "sleep 30\n"), reload()];
    for seen in outcomes(&ops) {
        assert_eq!(seen[1].reloaded, None);
    }
}

/// What it printed last may have opened a pane since the last step was looked at.
#[test]
fn what_a_command_printed_since_the_last_step_is_in_its_dump() {
    let mut runner = Runner::new(common::launcher(None), true);
    for _ in 0..4 {
        runner.step(&Op::Fresh { follower: false }).unwrap();
        runner.step(&write("/exec", "date\n")).unwrap();
        let target = runner.session().unwrap().target_pid().unwrap();
        let within = Duration::from_secs(30);
        assert!(common::wait_until(within, || family(target).is_empty()), "date never ended");
        match runner.step(&reload()).unwrap() {
            End::Done(outcome) => assert_eq!(outcome.reloaded.expect("both looks").before.len(), 4),
            other => panic!("{other:?}"),
        }
    }
    runner.end().unwrap();
}
