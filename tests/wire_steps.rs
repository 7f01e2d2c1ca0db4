//! Scripts of raw messages: the sound stand-in breaks no rule, and each planted defect of the
//! protocol is found by the rule that it breaks.

mod common;

use monkey9p::input::{Family, Generator, Renderer, Weights};
use monkey9p::ops::{Op, Reach, guard, parse_op, read_ops};
use monkey9p::runner::{End, Runner, replay};
use serde_json::json;

/// A script in the JSON of logs.
fn wire(steps: serde_json::Value) -> Op {
    parse_op(json!({"op": "wire", "steps": steps})).unwrap()
}

fn seeds() -> Vec<(String, Vec<Op>)> {
    let all = std::fs::read_dir(common::project().join("seeds")).unwrap();
    let all = all.map(|entry| entry.unwrap().path());
    let wire = all.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("wire-"));
    wire.map(|path| (path.display().to_string(), read_ops(&path).unwrap().ops)).collect()
}

#[test]
fn the_seeds_break_no_rule_and_are_run() {
    let seeds = seeds();
    assert!(seeds.len() >= 4);
    for (name, ops) in seeds {
        assert!(ops.iter().all(|op| guard(op, Reach::Confined).is_ok()), "{name}");
        for follower in [false, true] {
            let ops: Vec<Op> =
                [Op::Fresh { follower }].into_iter().chain(ops[1..].to_vec()).collect();
            let replayed = common::replay_on(None, &ops);
            assert!(replayed.found.is_none(), "{name}, {follower}: {:?}", replayed.found);
            assert_eq!(replayed.not_run, 0, "{name}");
        }
    }
}

/// A generator that makes scripts alone, with now and then a pane.
fn scripts(seed: u64, count: usize) -> Vec<Op> {
    let off = Family::ALL.iter().filter(|&&family| family != Family::Wire);
    let weights = off.fold(Weights::default(), |weights, &family| weights.with(family, 0));
    let weights = weights.with(Family::NewPane, 1);
    let mut generator = Generator::with_weights(seed, weights);
    let mut renderer = Renderer::default();
    (0..count).map(|_| renderer.step(&generator.next_step())).collect()
}

#[test]
fn generated_scripts_break_no_rule() {
    for follower in [false, true] {
        let mut runner = Runner::new(common::launcher(None), true);
        let ops: Vec<Op> = [Op::Fresh { follower }]
            .into_iter()
            .chain(scripts(u64::from(follower) + 1, 500))
            .collect();
        let mut answers = 0;
        let replayed = replay(&mut runner, &ops, |_, _, end| {
            if let End::Done(outcome) = end {
                answers += outcome.wire.iter().map(|one| one.answers().len()).sum::<usize>();
            }
        })
        .unwrap();
        let at = replayed.found.as_ref().map(|(step, _)| &ops[*step]);
        assert!(replayed.found.is_none(), "{:?} at {at:?}", replayed.found);
        assert_eq!(replayed.not_run, 0);
        assert!(answers > 2000, "{answers} answers");
    }
}

/// A defect, the rule that finds it, and a script that shows it.
type Case = (&'static str, &'static str, fn() -> serde_json::Value);

fn walk(newfid: u32, names: &[&str]) -> serde_json::Value {
    json!({"do": "walk", "fid": 1, "newfid": newfid, "names": names})
}

fn to_body() -> serde_json::Value {
    walk(2, &["pane", "{p0}", "body"])
}

fn of(verb: &str, fid: u32) -> serde_json::Value {
    json!({"do": verb, "fid": fid})
}

fn wait() -> serde_json::Value {
    json!({"do": "wait"})
}

/// An event file, opened and read: there is nothing to tell.
fn held_read_then(after: serde_json::Value) -> serde_json::Value {
    let read = json!({"do": "read", "fid": 2, "count": 64, "tag": 2});
    let event = walk(2, &["pane", "{p0}", "event"]);
    json!([event, wait(), of("open", 2), wait(), read, wait(), after, wait()])
}

const CASES: [Case; 22] = [
    ("fid-kept-by-remove", "wire_clunk", || {
        json!([to_body(), wait(), of("remove", 2), wait(), of("stat", 2)])
    }),
    ("clunk-frees-nothing", "wire_clunk", || {
        json!([to_body(), wait(), of("clunk", 2), wait(), of("stat", 2)])
    }),
    ("walk-binds-partial", "wire_walk", || {
        json!([walk(2, &["pane", "nosuch"]), wait(), of("stat", 2)])
    }),
    ("walk-empty-done", "wire_walk", || json!([walk(2, &["nosuch"])])),
    ("new-fid-in-use", "wire_fids", || json!([to_body(), wait(), walk(2, &["index"])])),
    ("walk-seventeen", "wire_walk", || json!([walk(2, &[".."; 17])])),
    ("walk-from-open", "wire_open", || {
        let from = json!({"do": "walk", "fid": 2, "newfid": 3, "names": []});
        json!([to_body(), wait(), of("open", 2), wait(), from])
    }),
    ("open-twice", "wire_open", || {
        json!([to_body(), wait(), of("open", 2), wait(), of("open", 2)])
    }),
    (
        "read-unopened",
        "wire_open",
        || json!([to_body(), wait(), {"do": "read", "fid": 2, "count": 16}]),
    ),
    ("write-on-read-fid", "wire_open", || {
        let write = json!({"do": "write", "fid": 2, "data": "x"});
        json!([to_body(), wait(), of("open", 2), wait(), write])
    }),
    ("msize-exceeded", "wire_counts", || {
        let version = json!({"do": "version", "msize": 256, "version": "9P2000"});
        let read = json!({"do": "read", "fid": 2, "count": 8192});
        let readme = walk(2, &["README"]);
        json!([
            version,
            wait(),
            of("attach", 1),
            wait(),
            readme,
            wait(),
            of("open", 2),
            wait(),
            read
        ])
    }),
    ("write-overcount", "wire_counts", || {
        let open = json!({"do": "open", "fid": 2, "mode": 1});
        json!([to_body(), wait(), open, wait(), {"do": "write", "fid": 2, "data": ""}])
    }),
    (
        "dir-entry-split",
        "wire_counts",
        || json!([of("open", 1), wait(), {"do": "read", "fid": 1, "count": 100}]),
    ),
    ("flush-also-errors", "wire_flush", || held_read_then(json!({"do": "flush", "oldtag": 2}))),
    ("hang-on-flush", "wire_answered", || held_read_then(json!({"do": "flush", "oldtag": 2}))),
    ("hang-flush-unknown", "wire_answered", || json!([{"do": "flush", "oldtag": 9}])),
    ("version-keeps-fids", "wire_version", || {
        let version = json!({"do": "version", "msize": 8192, "version": "9P2000"});
        json!([to_body(), wait(), version, wait(), of("stat", 2)])
    }),
    (
        "unknown-version",
        "wire_version",
        || json!([{"do": "version", "msize": 8192, "version": "8P2000"}]),
    ),
    ("tag-twice", "wire_tags", || held_read_then(json!({"do": "stat", "fid": 1, "tag": 2}))),
    ("error-extra-bytes", "wire_replies", || {
        let new = json!({"do": "create", "fid": 2, "name": "x", "perm": 0x8000_01ff_u32});
        json!([walk(2, &["pane"]), wait(), new])
    }),
    ("segment-lost", "wire_hang_up", || {
        // Once is enough, but a busy server may read both pieces of one at once.
        let cut = json!({"do": "stat", "fid": 1, "cut": 5});
        json!([cut, wait(), cut, wait(), cut, wait(), cut, wait(), cut, wait(), cut])
    }),
    ("qid-differs", "wire_qids", || json!([to_body(), wait(), of("stat", 2)])),
];

#[test]
fn each_defect_of_the_protocol_is_found_by_its_rule() {
    for (plant, rule, steps) in CASES {
        let ops = [Op::Fresh { follower: false }, wire(steps())];
        assert!(guard(&ops[1], Reach::Confined).is_ok(), "{plant}");
        let found = common::replay_on(Some(plant), &ops).found;
        let found = found.unwrap_or_else(|| panic!("{plant}: not found"));
        assert_eq!(found.1.kind, rule, "{plant}: {found:?}");
        let sound = common::replay_on(None, &ops).found;
        assert!(sound.is_none(), "without {plant}: {sound:?}");
    }
}

/// What ends the server, or hangs a connection up, is told by what happened to it.
#[test]
fn what_ends_the_server_is_a_crash() {
    let cases: [Case; 4] = [
        ("crash-on-rmessage", "crash", || json!([{"do": "raw", "bytes": "\u{7}\0\0\0y\u{1}\0"}])),
        ("crash-double-clunk", "crash", || json!([of("clunk", 5)])),
        ("crash-count-overflow", "crash", || {
            let read = json!({"do": "read", "fid": 2, "count": u32::MAX});
            json!([to_body(), wait(), of("open", 2), wait(), read])
        }),
        ("drop-on-long-name", "wire_hang_up", || json!([walk(2, &[&"n".repeat(300)])])),
    ];
    for (plant, kind, steps) in cases {
        let ops = [Op::Fresh { follower: false }, wire(steps())];
        let found = common::replay_on(Some(plant), &ops).found;
        let found = found.unwrap_or_else(|| panic!("{plant}: not found"));
        assert_eq!(found.1.kind, kind, "{plant}: {found:?}");
    }
}
