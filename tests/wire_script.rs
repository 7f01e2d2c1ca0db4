//! The `wire` op: its JSON, and what the guard lets a script send.

use monkey9p::ops::{Op, Reach, guard, is_wild, parse_op, put_line};
use serde_json::{Value, json};

fn wire(steps: Value) -> Op {
    parse_op(json!({"op": "wire", "steps": steps})).unwrap()
}

#[test]
fn every_step_reads_back_as_it_was_written() {
    let steps = json!([
        {"do": "version", "msize": 4294967295u32, "version": "9P2000\u{0}", "tag": 65535},
        {"do": "auth", "afid": 4294967295u32, "uname": "none", "aname": ""},
        {"do": "attach", "fid": 0, "afid": 3, "uname": "none", "aname": "", "cut": 4},
        {"do": "flush", "oldtag": 2, "tag": 2},
        {"do": "walk", "fid": 1, "newfid": 7, "names": ["pane", "{p0}", "", "a/b", "\u{ff}"]},
        {"do": "open", "fid": 7, "mode": 17},
        {"do": "create", "fid": 7, "name": "new", "perm": 2147483648u32, "mode": 0},
        {"do": "read", "fid": 7, "offset": 18446744073709551615u64, "count": 4294967295u32},
        {"do": "write", "fid": 7, "offset": 0, "data": "\u{0}\u{ff}"},
        {"do": "clunk", "fid": 7},
        {"do": "remove", "fid": 7},
        {"do": "stat", "fid": 7},
        {"do": "wstat", "fid": 7},
        {"do": "wstat", "fid": 7, "stat": "x"},
        {"do": "raw", "bytes": "\u{3}\u{0}\u{0}\u{0}"},
        {"do": "wait"},
        {"do": "hangup"},
    ]);
    let op = wire(steps.clone());
    let mut line = Vec::new();
    put_line(&mut line, &op).unwrap();
    let written: Value = serde_json::from_slice(&line).unwrap();
    assert_eq!(written, json!({"op": "wire", "steps": steps}));
    assert_eq!(parse_op(written).unwrap(), op);
}

#[test]
fn an_error_names_the_step_and_the_field() {
    for (steps, want) in [
        (json!(5), "\"steps\" of \"wire\": expected a list of at most 64 steps"),
        (json!([7]), "\"steps\" of \"wire\": expected objects"),
        (json!([{"fid": 1}]), "\"do\" of \"wire\": expected version"),
        (json!([{"do": "frob"}]), "\"do\" of \"wire frob\": expected version"),
        (json!([{"do": "stat"}]), "\"fid\" of \"wire stat\": expected a whole number"),
        (json!([{"do": "stat", "fid": -1}]), "\"fid\" of \"wire stat\""),
        (json!([{"do": "stat", "fid": 4294967296u64}]), "\"fid\" of \"wire stat\""),
        (json!([{"do": "stat", "fid": 1, "tag": 65536}]), "\"tag\" of \"wire stat\""),
        (json!([{"do": "stat", "fid": 1, "newfid": 2}]), "\"wire stat\" has no field \"newfid\""),
        (json!([{"do": "walk", "fid": 1, "newfid": 2, "names": [1]}]), "\"names\" of"),
        (json!([{"do": "raw", "bytes": "\u{100}"}]), "\"bytes\" of \"wire raw\""),
        (json!([{"do": "raw", "bytes": "x".repeat(20_000)}]), "at most 16 KiB"),
        (json!(vec![json!({"do": "wait"}); 65]), "at most 64 steps"),
    ] {
        let why = parse_op(json!({"op": "wire", "steps": steps})).unwrap_err().to_string();
        assert!(why.contains(want), "{steps}: {why}");
    }
}

fn walk(newfid: u32, names: &[&str]) -> Value {
    json!({"do": "walk", "fid": 1, "newfid": newfid, "names": names})
}

fn open(mode: u8) -> Value {
    json!({"do": "open", "fid": 2, "mode": mode})
}

fn write(data: &str) -> Value {
    json!({"do": "write", "fid": 2, "data": data})
}

fn of(verb: &str) -> Value {
    json!({"do": verb, "fid": 2})
}

fn create(name: &str) -> Value {
    json!({"do": "create", "fid": 2, "name": name, "perm": 0})
}

#[test]
fn what_could_change_the_host_is_refused_at_every_level() {
    let to_host: [&[&str]; 8] = [
        &["os", "tmp"],
        &["src"],
        &["pane", "..", "os", "x"],
        &["os/tmp"],
        &["pane/../os"],
        &["", "os"],
        &[".", "os"],
        // A walk that stops short may have made the fid all the same.
        &["os", "nosuch", "..", "..", "pane"],
    ];
    for path in to_host {
        for change in [open(1), open(2), open(0x10), open(0x40), of("remove"), create("x")] {
            let op = wire(json!([walk(2, path), change]));
            assert!(guard(&op, Reach::Confined).is_err(), "{path:?}: {op:?}");
            assert!(guard(&op, Reach::Open).is_ok() && is_wild(&op), "{path:?}: {op:?}");
        }
        assert!(guard(&wire(json!([walk(2, path), open(0)])), Reach::Confined).is_ok());
    }
    let root = json!({"do": "create", "fid": 1, "name": "os", "perm": 0});
    assert!(guard(&wire(json!([root])), Reach::Confined).is_err());
}

/// A refused walk leaves a fid what it was; a guard that trusted the last walk would be wrong.
#[test]
fn a_fid_stands_for_all_that_it_may_be() {
    let host_first = json!([walk(2, &["os"]), walk(2, &["pane", "{p0}", "body"]), open(1)]);
    assert!(guard(&wire(host_first), Reach::Confined).is_err());
    let clunked = json!([walk(2, &["os"]), of("clunk"), walk(2, &["pane"]), of("remove")]);
    assert!(guard(&wire(clunked), Reach::Confined).is_err());
    let further = json!([
        walk(3, &["os"]),
        {"do": "walk", "fid": 3, "newfid": 2, "names": ["x"]},
        of("remove"),
    ]);
    assert!(guard(&wire(further), Reach::Confined).is_err());
    let named = json!([{"do": "attach", "fid": 2, "aname": "os"}, of("remove")]);
    assert!(guard(&wire(named), Reach::Confined).is_err());
}

#[test]
fn only_harmless_files_are_written_and_only_harmlessly() {
    let body = ["pane", "{p0}", "body"];
    for (path, data, fine) in [
        (&body[..], "alpha\n", true),
        (&body, "rm; $(x)", false),
        (&["pane", "3", "addr"], "2,3", true),
        (&["pane", "3", "addr"], "/a|b/", false),
        (&["pane", "3", "ctl"], "Get\n", false),
        (&["pane", "3", "exec"], "ls\n", false),
        (&["exec"], "ls\n", false),
        (&["pane", "3", "pty", "data"], "ls\n", false),
        (&["pane", "..", "pane", "3", "body"], "x", false),
        (&["", "pane", "3", "body"], "x", false),
        (&["index"], "x", true),
    ] {
        let op = wire(json!([walk(2, path), open(1), write(data)]));
        assert_eq!(guard(&op, Reach::Confined).is_ok(), fine, "{path:?} {data:?}");
        assert!(guard(&op, Reach::Open).is_ok() && is_wild(&op) != fine, "{path:?} {data:?}");
    }
    for data in ["Restore\n", "kill -11 -1\n"] {
        let op = wire(json!([walk(2, &["exec"]), open(1), write(data)]));
        assert!(guard(&op, Reach::Open).is_err(), "{data:?}");
    }
}

#[test]
fn raw_bytes_hold_nothing_that_changes_anything() {
    let fine = |bytes: &str, after: Value| {
        let op =
            wire(json!([walk(2, &["pane", "0", "body"]), {"do": "raw", "bytes": bytes}, after]));
        // A Twrite's data apart, they are judged alike at every level.
        let fine = guard(&op, Reach::Confined).is_ok();
        assert!(guard(&op, Reach::Open).is_ok() == fine || bytes.contains("v\u{1}"), "{bytes:?}");
        fine
    };
    let wait = json!({"do": "wait"});
    assert!(fine("\u{7}\0\0\0y\u{1}\0", wait.clone()));
    assert!(fine("\0\0\0\0", wait.clone()));
    assert!(fine("\u{1b}\0\0\0v\u{1}\0\u{2}\0\0\0\0\0\0\0\0\0\0\0\0\u{10}\0\0abcd", wait.clone()));
    // A Tremove, a Topen, a Tcreate, a Twstat; one behind a size that is none; one in a Twrite.
    for kind in ["z", "p", "r", "~"] {
        assert!(!fine(&format!("\u{b}\0\0\0{kind}\u{1}\0\u{2}\0\0\0"), wait.clone()));
        assert!(!fine(&format!("\0\0\0\0\u{b}\0\0\0{kind}\u{1}\0\u{2}\0\0\0"), wait.clone()));
    }
    assert!(!fine("\u{1b}\0\0\0v\u{1}\0\u{2}\0\0\0\0\0\0\0\0\0\0\0\u{4}\0\0\0a;b\n", wait.clone()));
    assert!(!fine("\u{1b}\0\0\0v\u{1}\0\u{1}\0\0\0\0\0\0\0\0\0\0\0\u{4}\0\0\0a/b\n", wait));
    // What follows a size that cannot be could be read as anything.
    assert!(!fine("\0\0\0\0", json!({"do": "stat", "fid": 1})));
    assert!(!fine("\u{7}\0\0\0y\u{1}\0\u{7}\0\0\0y\u{1}\0", json!({"do": "wait"})));
    assert!(guard(&wire(json!([{"do": "hangup"}, of("stat")])), Reach::Confined).is_err());
    let change = json!({"do": "wstat", "fid": 1, "stat": "x"});
    assert!(guard(&wire(json!([change])), Reach::Confined).is_err());
}
