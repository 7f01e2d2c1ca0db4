//! The stand-in's planted defects: each is found by the right name, and what is recorded replays.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::write;
use monkey9p::ops::{Chunks, Op, read_ops};
use monkey9p::runner::{End, Runner, replay};
use monkey9p::wire::msg::{OTRUNC, OWRITE};

/// A defect, the kind of failure it must give, whether the log must be followed (either way where
/// it says nothing), and ops that show it.
type Case = (&'static str, &'static str, Option<bool>, fn() -> Vec<Op>);

const CASES: [Case; 52] = [
    ("crash-file-lives", "alive", None, || vec![write("/pane/{p0}/mark", "perhaps\n")]),
    ("crash-on-regex", "crash", None, || vec![write("/pane/{p0}/addr", "/[/")]),
    ("crash-far-offset", "crash", None, || vec![read_at("/README", 64, 1 << 63)]),
    ("hang-on-flush", "hang", None, || vec![read("/pane/{p0}/event")]),
    ("drop-on-long-name", "dropped", None, || vec![stat(&format!("/{}", "x".repeat(300)))]),
    ("error-extra-bytes", "dropped", None, || vec![write("/pane/{p0}/addr", "/[/")]),
    ("err-twice", "one_failure_rule", None, || vec![write("/pane/{p0}/dot", "#99999")]),
    ("err-missing", "one_failure_rule", None, failed_write),
    ("err-and-msg", "one_failure_rule", None, || vec![write("/pane/{p0}/tagexec", "Font\n")]),
    ("err-answered-done", "one_failure_rule", None, || {
        vec![write("/pane/{p0}/exec", &format!("Edit s/{}/y/\n", "z".repeat(60)))]
    }),
    ("look-twice", "one_failure_rule", None, || vec![write("/pane/{p0}/look", "zzz\n")]),
    ("msg-from-failed", "one_failure_rule", None, || vec![write("/ctl", "Msg a\nbogus\n")]),
    ("close-runs-twice", "one_failure_rule", None, || vec![write("/pane/{p0}/tagexec", "Font")]),
    ("count-off-by-one", "one_failure_rule", Some(false), || vec![write("/look", "zz\nzz\nzz\n")]),
    ("err-wrong-serial", "err_names_its_pane", None, || {
        vec![read("/pane/new"), write("/pane/{p0}/dirty", "yes\n")]
    }),
    ("follower-count-short", "follower_sees_the_log", Some(true), || {
        vec![write("/look", "zz\nzz\nzz\n")]
    }),
    ("follower-misses", "follower_sees_the_log", Some(true), || {
        let lines: String = (0..40).map(|n| format!("zz{n}\n")).collect();
        vec![write("/look", &lines)]
    }),
    ("close-fails-body", "close_runs_only_line_files", None, || {
        vec![write("/pane/{p0}/body", "no newline")]
    }),
    ("index-misses-pane", "index_matches_pane_dirs", None, || vec![read("/pane/new"); 4]),
    ("pane-dir-misses-view", "index_matches_pane_dirs", None, || {
        vec![write("/pane/{p0}/exec", "Zerox\n")]
    }),
    ("chunk-skips-byte", "chunked_equals_whole", None, many_stats),
    ("dir-order-changes", "chunked_equals_whole", None, many_stats),
    ("dir-entry-split", "directory_reads_are_whole", None, || vec![read_at("/", 200, 0)]),
    ("write-overcount", "write_within_sent", None, || vec![write("/pane/{p0}/body", "")]),
    ("walk-empty-done", "walk_is_a_prefix", None, || vec![stat("/nothing")]),
    ("qid-differs", "qid_is_one", None, || vec![stat("/pane/{p0}/body")]),
    ("crlf-eaten", "bytes_survive", None, || {
        vec![Op::Remove { path: "/pane/{p2}".into() }, write("/look", "crlf.txt\n")]
    }),
    ("bad-utf8-replaced", "bytes_survive", None, || vec![write("/look", "bad.txt\n")]),
    ("rune-split", "bytes_survive", None, || {
        let cut = Chunks::Sizes(vec![2]);
        vec![seq(vec![
            write_in("/pane/{p0}/body", "a日\n".as_bytes(), OWRITE | OTRUNC, cut),
            body(),
        ])]
    }),
    ("data-skips-rune", "data_equals_body", None, || vec![addressed("#0", "data", 3)]),
    ("xdata-past-end", "data_equals_body", None, || vec![addressed("#0,#5", "xdata", 64)]),
    ("undo-forgets", "undo_redo", None, || {
        vec![history(&[write("/pane/{p0}/exec", "Edit ,x/a/c/b/\n"), command("Undo")])]
    }),
    ("redo-survives", "undo_redo", None, || {
        let append = |text| write("/pane/{p0}/body", text);
        vec![history(&[append("one"), command("Undo"), append("two"), command("Redo")])]
    }),
    ("edit-not-atomic", "edit_is_atomic", None, || {
        vec![write("/pane/{p0}/exec", "Edit {\n1d\n99999d\n}\n")]
    }),
    ("shell-outlives", "shells_end_with_their_pane", None, || {
        vec![write("/pane/{p0}/ctl", "Tty\n"), Op::Remove { path: "/pane/{p0}".into() }]
    }),
    ("event-kept", "what_was_held_is_free", None, || {
        vec![
            hold("h0", "/pane/{p0}/event"),
            write("/pane/{p0}/body", "unread"),
            Op::Clunk { h: "h0".into() },
        ]
    }),
    ("lock-kept", "what_was_held_is_free", None, || vec![write("/pane/{p0}/ctl", "lock\n")]),
    ("dump-trims", "dump_restore", None, || vec![write("/pane/{p0}/body", "\n\n"), reload()]),
    ("restore-loses-pane", "dump_restore", None, || vec![read("/pane/new"), reload()]),
    ("output-skips", "shell_output_arrives", None, || talk("seq 1000 1200\n", 64)),
    ("output-after-end", "shell_output_ends", None, || talk("exit\n", 64)),
    ("typed-twice", "typed_once", None, || {
        talk(&format!("echo 9{}9\n", "typed".repeat(14)), 8_192)
    }),
    ("events-swapped", "events_tell_the_text", None, watch),
    ("crash-deep-undo", "crash", None, || {
        let changes = vec![write("/pane/{p0}/exec", "Edit $a/x/\n"); 5];
        changes.into_iter().chain(vec![command("Undo"); 5]).collect()
    }),
    ("crash-odd-rune", "crash", None, || {
        let wide = write_in("/pane/{p0}/body", "😀😀\n".as_bytes(), OWRITE | OTRUNC, Chunks::Whole);
        vec![wide, addressed("#0", "data", 6)]
    }),
    ("crash-redo-collapsed", "crash", None, || {
        let limit = write("/pane/{p0}/limit", "1");
        let first = write("/pane/{p0}/exec", "Edit 1d\n");
        vec![first, command("Undo"), limit, command("Collapse"), command("Redo")]
    }),
    ("crash-long-life", "crash", None, || {
        vec![[read("/pane/new"), Op::Remove { path: "/pane/{p0}".into() }]; 40].concat()
    }),
    ("crash-wide-tag", "crash", None, || {
        // One cell further on, the wide runes end where the row does, or the other way around.
        let tag = write_in("/pane/{p0}/tag", "日".repeat(60).as_bytes(), OWRITE, Chunks::Whole);
        vec![tag, read("/screen"), write("/pane/{p0}/name", "alpha.tx"), read("/screen")]
    }),
    ("hang-on-lock", "hang", None, || {
        let (h, data) = ("h".into(), "lock\n".into());
        vec![hold("h", "/pane/{p0}/ctl"), Op::Hwrite { h, data }, command("clean")]
    }),
    ("hang-on-watched", "hang", None, || {
        vec![hold("h", "/pane/{p1}/event"), Op::Remove { path: "/pane/{p1}".into() }]
    }),
    // One time in three: among so many it is there.
    ("err-flaky", "one_failure_rule", None, || vec![write("/pane/{p0}/scroll", "no\n"); 40]),
    ("dir-entry-lost", "chunked_equals_whole", None, many_stats),
];

fn hold(h: &str, path: &str) -> Op {
    Op::Hold { h: h.into(), path: path.into(), mode: 2 }
}

fn reload() -> Op {
    Op::Seq { ops: vec![write("/ctl", "Dump\n"), Op::Restore { data: "Restore\n".into() }] }
}

/// A shell that is told a line, and listened to across two steps.
fn talk(line: &str, count: u32) -> Vec<Op> {
    let data = "/pane/{p0}/pty/data";
    let listen = || Op::Seq { ops: vec![hread(count); 75] };
    vec![
        write("/pane/{p0}/ctl", "Tty\n"),
        hold("h", data),
        Op::Hwrite { h: "h".into(), data: line.into() },
        listen(),
        listen(),
    ]
}

/// A replacement whose events are read in pieces, between two reads of the body.
fn watch() -> Vec<Op> {
    let body =
        || Op::Read { path: "/pane/{p0}/body".into(), count: 64, offset: 0, mode: 0, reads: 64 };
    let mut ops = vec![hold("h", "/pane/{p0}/event"), body(), hread(7)];
    ops.push(write("/pane/{p0}/exec", "Edit ,s/alpha/omega/\n"));
    ops.extend(vec![hread(7); 12]);
    ops.extend([body(), hread(7)]);
    vec![Op::Seq { ops }]
}

fn hread(count: u32) -> Op {
    Op::Hread { h: "h".into(), count, offset: None }
}

/// What is read after an op follows from the op: enough of them, and each has been read.
fn many_stats() -> Vec<Op> {
    (0..60).map(|n| stat(&format!("/nothing{n}"))).collect()
}

fn seq(ops: Vec<Op>) -> Op {
    Op::Seq { ops }
}

fn write_in(path: &str, data: &[u8], mode: u8, chunks: Chunks) -> Op {
    let (path, data) = (path.into(), data.into());
    Op::Write { path, data, mode, chunks, offset: None, stop_on_error: true }
}

/// One of the pane's commands.
fn command(word: &str) -> Op {
    write("/pane/{p0}/ctl", &format!("{word}\n"))
}

/// The whole body.
fn body() -> Op {
    Op::Read { path: "/pane/{p0}/body".into(), count: 8192, offset: 0, mode: 0, reads: 9 }
}

/// Changes, with the body before and after each.
fn history(changes: &[Op]) -> Op {
    let changes = changes.iter().flat_map(|change| [change.clone(), body()]);
    seq([command("mark"), body()].into_iter().chain(changes).collect())
}

/// What a file gives by an address, and what to hold it against.
fn addressed(address: &str, file: &str, count: u32) -> Op {
    let read = |file: &str, count| Op::Read {
        path: format!("/pane/{{p0}}/{file}").as_str().into(),
        count,
        offset: 0,
        mode: 0,
        reads: 2,
    };
    seq(vec![write("/pane/{p0}/addr", address), read("addr", 64), read(file, count), body()])
}

fn stat(path: &str) -> Op {
    Op::Stat { path: path.into() }
}

fn read_at(path: &str, count: u32, offset: u64) -> Op {
    Op::Read { path: path.into(), count, offset, mode: 0, reads: 1 }
}

fn failed_write() -> Vec<Op> {
    vec![write("/pane/{p0}/addr", "#99999")]
}

fn read(path: &str) -> Op {
    read_at(path, 64, 0)
}

#[test]
fn each_is_found_by_its_name_and_not_without_it() {
    // Most of the time is spent waiting: for what hangs, and for what a shell does not say.
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let share = CASES.len().div_ceil(AT_ONCE);
        let threads: Vec<_> = CASES
            .chunks(share)
            .map(|cases| scope.spawn(move || cases.iter().flat_map(wrong_with).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const AT_ONCE: usize = 6;

/// What a case gives that it should not: with its defect, and without.
fn wrong_with(&(plant, kind, mode, ops): &Case) -> Vec<String> {
    let mut wrong = Vec::new();
    // In both log modes: a follower that saw nothing would find nothing.
    for follower in [false, true].into_iter().filter(|way| mode.is_none_or(|mode| mode == *way)) {
        let ops: Vec<Op> = [Op::Fresh { follower }].into_iter().chain(ops()).collect();
        match common::replay_on(Some(plant), &ops).found {
            Some((_, finding)) if finding.kind == kind => {}
            other => wrong.push(format!("{plant}, follower {follower}: wanted {kind}: {other:?}")),
        }
        let sound = common::replay_on(None, &ops).found;
        if sound.is_some() {
            wrong.push(format!("without {plant}, follower {follower}: {sound:?}"));
        }
    }
    wrong
}

/// A line that was taken logs what it likes, whatever is refused after it in the same step: in pieces
/// of one write, on two fids, by two clients.
#[test]
fn a_msg_of_a_taken_line_is_not_the_refused_ones() {
    let (said, bogus) = (write("/ctl", "Msg t\n"), write("/ctl", "p\n"));
    let pieces = write_in("/ctl", b"Msg t\np\n", OWRITE, Chunks::Bytes);
    let second = Op::Second { ops: vec![said.clone()] };
    let ops = [pieces, seq(vec![said, bogus.clone()]), seq(vec![second, bogus])];
    let sound = common::replay_on(None, &ops);
    assert!(sound.found.is_none() && sound.not_run == 0, "{:?}", sound.found);
    // Where nothing else ran, a refused write that logs one is found, in pieces too.
    let pieces = write_in("/pane/{p0}/tagexec", b"Font\n", OWRITE, Chunks::Bytes);
    let (_, found) = common::replay_on(Some("err-and-msg"), &[pieces]).found.expect("a failure");
    assert!(found.why.contains("a failed write logged a msg as well"), "{found:?}");
}

/// An address is looked at after some ops and not after others, as follows from them.
#[test]
fn an_address_beyond_the_body_is_found() {
    let start = [Op::Fresh { follower: false }, write("/pane/{p0}/addr", "$")];
    let ops: Vec<Op> = start.into_iter().chain(many_stats()).collect();
    let (_, found) = common::replay_on(Some("addr-past-end"), &ops).found.expect("a failure");
    assert_eq!(found.kind, "addresses_inside", "{found:?}");
    assert!(common::replay_on(None, &ops).found.is_none());
}

/// Bytes that were written one by one are a rune each to some, though they read as one.
#[test]
fn what_only_reads_as_one_rune_may_be_two() {
    let body = |data: &[u8], mode| Op::Write {
        path: "/pane/{p0}/body".into(),
        data: data.to_vec().into(),
        mode,
        chunks: Chunks::Whole,
        offset: None,
        stop_on_error: true,
    };
    let start = [body(b"\xe6\x97", 17), body(b"\xa7", 1)];
    let ops: Vec<Op> = start.into_iter().chain(many_stats()).collect();
    assert!(common::replay_on(None, &ops).found.is_none());
}

/// What a command prints opens a pane at its own time: that is none of a look's.
#[test]
fn a_pane_that_comes_by_itself_was_not_opened_by_a_look() {
    let output = write("/exec", "seq 1 20000\n");
    let looks = (0..20).map(|_| write("/pane/0/look", "alpha.txt\n"));
    let ops: Vec<Op> = [output].into_iter().chain(looks).collect();
    assert!(common::replay_on(None, &ops).found.is_none());
}

/// Bytes that were written one by one, each to an open of its own, are a rune each.
#[test]
fn an_address_counts_bytes_as_they_came() {
    let pieces: [&[u8]; 3] = [b"", b"\xe6", b"\x97\xa5"];
    let modes = [OWRITE | OTRUNC, OWRITE, OWRITE];
    let writes = pieces.into_iter().zip(modes);
    let writes =
        writes.map(|(piece, mode)| write_in("/pane/{p0}/body", piece, mode, Chunks::Whole));
    let address = [addressed("#2,#3", "xdata", 64), write("/pane/{p0}/addr", "$")];
    let start = [Op::Fresh { follower: false }];
    let ops: Vec<Op> = start.into_iter().chain(writes).chain(address).chain(many_stats()).collect();
    assert!(common::replay_on(None, &ops).found.is_none());
}

/// What a program prints makes a pane, perhaps just when a file is looked for that has one already.
#[test]
fn a_pane_of_output_is_taken_for_no_file() {
    let start = [Op::Fresh { follower: false }];
    let rounds = (0..12).flat_map(|_| {
        let print = write("/pane/{p0}/exec", "seq 1 2000\n");
        let looks = (0..4).map(|_| write("/look", "alpha.txt\n"));
        // The next output makes another pane.
        let rename = write("/pane/{p3}/name", "other\n");
        [print].into_iter().chain(looks).chain([rename])
    });
    let ops: Vec<Op> = start.into_iter().chain(rounds).collect();
    let found = common::replay_on(None, &ops).found;
    assert!(found.is_none(), "{found:?}");
}

/// A pane whose shell ends goes while it is looked at.
#[test]
fn a_pane_that_goes_by_itself_is_no_failure() {
    let end = |n: usize| {
        let tty = write("/pane/{p1}/ctl", "Tty\n");
        // What is looked at afterwards follows from the op.
        let typed = write("/pane/{p1}/pty/data", &format!("echo {n}\nexit\n"));
        [read("/pane/new"), Op::Seq { ops: vec![tty, typed] }]
    };
    let ops: Vec<Op> = (0..30).flat_map(end).collect();
    let replayed = common::replay_on(None, &ops);
    assert!(replayed.found.is_none(), "{:?}", replayed.found);
}

/// What the stand-in's table says of a defect is what is found.
#[test]
fn the_table_names_the_rule_that_tells() {
    for (name, kind, ..) in CASES {
        let plant = monkey9p::standin::plants().iter().find(|plant| plant.name == name).unwrap();
        assert_eq!(plant.invariant, kind, "{name}");
    }
}

/// Two runs that meet the same bug leave one directory, whose record says so; and its story can be
/// told anew.
#[test]
fn a_bug_met_again_is_counted_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for _ in 0..2 {
        let done = monkey9p("crash-far-offset", &["run", "--steps", "2000", "--first"], here);
        assert_eq!(done.status.code(), Some(1), "{done:?}");
    }
    let [record] = &records(here)[..] else { panic!("{:?}", records(here)) };
    assert_eq!(read_ops(record).unwrap().header["seen"], 2);
    let index = fs::read_to_string(here.join("bugs/index.json")).unwrap();
    assert!(index.contains("\"seen\": 2"), "{index}");
    let small = record.with_file_name("record.min.jsonl");
    let told = monkey9p("crash-far-offset", &["explain", "--run", small.to_str().unwrap()], here);
    let said = String::from_utf8_lossy(&told.stdout).into_owned();
    assert_eq!(told.status.code(), Some(1), "{said}");
    for want in ["1. start a target", "FAILED: target exit", "9p -a \"$S\" read", "--replay "] {
        assert!(said.contains(want), "{want}: {said}");
    }
}

/// Every planted defect is run through a session, here or as a script of raw messages.
#[test]
fn no_defect_goes_without_a_case() {
    let scripts = include_str!("wire_steps.rs");
    for plant in monkey9p::standin::plants() {
        let here = CASES.iter().any(|case| case.0 == plant.name);
        let there = scripts.contains(&format!("\"{}\"", plant.name));
        // An address is looked at after some ops alone, and has a test of its own.
        assert!(here || there || plant.name == "addr-past-end", "{}", plant.name);
    }
}

/// Every invariant has a defect here that makes it fail.
#[test]
fn no_invariant_goes_without_a_defect() {
    // The stand-in keeps these rules whatever is planted; each has made-up outcomes of its own.
    let unplanted = ["read_within_count", "directories_are_not_written"];
    // Those of wire steps have tests/wire_steps.rs.
    for one in monkey9p::invariants::ALL.iter().filter(|one| !one.name.starts_with("wire_")) {
        let planted = CASES.iter().any(|case| case.1 == one.name) || one.name == "addresses_inside";
        assert_eq!(planted, !unplanted.contains(&one.name), "{}", one.name);
    }
}

/// A step's records are seen, in both modes, from the first step on.
#[test]
fn no_step_goes_without_a_window() {
    for follower in [false, true] {
        let ops = [Op::Fresh { follower }, write("/ctl", "bogus\n"), read("/index")];
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
    bugs.map(|entry| entry.path().join("record.jsonl")).filter(|path| path.is_file()).collect()
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
        // Of several, the first that was found, in whatever order the directory lists them.
        let record = records(here)
            .into_iter()
            .filter(|record| record.to_string_lossy().contains(&format!("bugs/{kind}-")))
            .min_by_key(|record| read_ops(record).unwrap().header["step"].as_u64())
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

/// What no open may ask for is refused without a record, of the file that makes panes too.
#[test]
fn an_open_in_a_mode_that_there_is_not_is_no_failed_pane() {
    let odd = |mode| Op::Read { path: "/pane/new".into(), count: 64, offset: 0, mode, reads: 1 };
    let ops: Vec<Op> = [3, 0x63, 0x40, 0x80, 0xff].map(odd).into();
    let found = common::replay_on(None, &ops).found;
    assert!(found.is_none(), "{found:?}");
}

/// What writes to one fid left unended runs at its close, or with what comes next: an empty write
/// ends nothing, and what a server keeps of a refused one is its own affair.
#[test]
fn what_is_left_of_a_line_is_allowed_for() {
    let ctl = || hold("h", "/pane/{p0}/ctl");
    let piece = |data: &str| Op::Hwrite { h: "h".into(), data: data.into() };
    let close = || Op::Clunk { h: "h".into() };
    let remove = || Op::Remove { path: "/pane/{p0}".into() };
    for ops in [
        vec![ctl(), piece("n"), piece(""), close()],
        vec![ctl(), piece("n"), remove(), piece("\n"), close()],
        vec![ctl(), piece("x\ny"), piece("Look\n"), close()],
        vec![ctl(), piece("x\ny"), close()],
    ] {
        let found = common::replay_on(None, &ops).found;
        assert!(found.is_none(), "{ops:?}: {found:?}");
    }
}
