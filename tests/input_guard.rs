//! The guard: what typed steps render to passes it, and what could get out does not.

use std::collections::BTreeMap;

use monkey9p::input::{Generator, Input, Step};
use monkey9p::ops::{Chunks, Latin1, Op, Reach, Refusal, guard, guard_data, is_wild};
use monkey9p::wire::msg::{ORCLOSE, ORDWR, OREAD, OTRUNC, OWRITE};
use proptest::prelude::*;

/// The most data that one op may write, in bytes.
const DATA_BYTES: usize = 256 << 10;

/// Judges a run of ops as a session does: a write on a handle by the file it holds.
#[derive(Default)]
struct Judge(BTreeMap<Latin1, Latin1>);

impl Judge {
    fn judge(&mut self, op: &Op) -> Result<(), Refusal> {
        guard(op, Reach::Confined)?;
        match op {
            Op::Hold { h, path, .. } => {
                self.0.insert(h.clone(), path.clone());
            }
            Op::Hwrite { h, data } => {
                if let Some(path) = self.0.get(h) {
                    return guard_data(path, data, Reach::Confined);
                }
            }
            Op::Seq { ops } | Op::Second { ops } => {
                return ops.iter().try_for_each(|op| self.judge(op));
            }
            Op::Fresh { .. } => self.0.clear(),
            _ => {}
        }
        Ok(())
    }
}

fn data_bytes(op: &Op) -> usize {
    match op {
        Op::Write { data, .. } | Op::Hwrite { data, .. } => data.len(),
        Op::Host { data: Some(data), .. } => data.len(),
        Op::Seq { ops } | Op::Second { ops } => ops.iter().map(data_bytes).max().unwrap_or(0),
        _ => 0,
    }
}

fn check_typed_steps(input: &Input) -> Result<(), TestCaseError> {
    let mut judge = Judge::default();
    for (op, step) in input.render()[1..].iter().zip(&input.steps) {
        let judged = judge.judge(op);
        match step {
            Step::Exact(_) => continue,
            // Not one of them gets by where nothing holds the target.
            Step::Open(_) => prop_assert!(judged.is_err(), "{:?}: {:?}", step, op),
            _ => prop_assert_eq!(judged, Ok(()), "{:?}", step),
        }
        prop_assert!(data_bytes(op) <= DATA_BYTES, "{:?}", step);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_generator_makes_passes(seed in any::<u64>()) {
        let mut generator = Generator::new(seed);
        let steps = (0..200).map(|_| generator.next_step()).collect();
        check_typed_steps(&Input { follower: false, steps })?;
    }

    #[test]
    fn what_any_bytes_mean_passes(bytes in prop::collection::vec(any::<u8>(), 1..3000)) {
        check_typed_steps(&Input::decode(&bytes).unwrap())?;
    }

    /// Words that are denied, metacharacters and letters of banned commands, put into the byte
    /// strings of an encoding at random.
    #[test]
    fn what_damaged_encodings_mean_passes(
        seed in 0..2000u64,
        damage in prop::collection::vec((any::<prop::sample::Index>(), nasty()), 0..12),
    ) {
        let mut generator = Generator::new(seed);
        let steps = (0..30).map(|_| generator.next_step()).collect();
        let mut bytes = Input { follower: false, steps }.encode();
        for (at, nasty) in damage {
            let at = at.index(bytes.len());
            let end = bytes.len().min(at + nasty.len());
            bytes.splice(at..end, nasty);
        }
        check_typed_steps(&Input::decode(&bytes).unwrap())?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever passes piece by piece passes joined.
    #[test]
    fn no_pieces_join_into_what_is_refused_whole(
        pieces in prop::collection::vec(prop::collection::vec(fragment(), 0..4), 1..5),
    ) {
        for path in ["/pane/3/exec", "/ctl", "/pane/3/pty/data"] {
            let passing = pieces.iter().map(|piece| piece.concat());
            let joined: String = passing.filter(|piece| piece_passes(path, piece)).collect();
            prop_assert!(passes(path, &joined), "{:?}", joined);
        }
    }
}

fn fragment() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "Ed",
        "it ",
        "Edit ",
        "w x",
        "E",
        "xit",
        "Exit",
        "\n",
        "\n",
        " ",
        "ki",
        "ll",
        "kill",
        "a",
        "|",
        "/",
        "s/a|b/c/",
        ",x/",
        "d",
        "{",
        "}",
        ".",
        "x",
        "M",
        "ount",
        "Edit ,d\n",
        "Edit a\n",
        "Edit {\n",
        "a/x/\n",
        "\nEdit s/a|b/c/\n",
        "-",
        "Restore",
        "1",
    ])
}

fn nasty() -> impl Strategy<Value = Vec<u8>> {
    let words = [
        "kill -9 -1\n",
        "killall5",
        "Exit\n",
        "\nMount /",
        "Edit w /x\n",
        "Edit ,x/a|b/",
        "| rm",
        "os",
        "src",
        "../os",
        "http://x",
        "\\/",
        "[/",
        "{p1}",
        "]",
        "Restore\n",
        "E",
        "Edit",
        "\n",
    ];
    prop_oneof![
        prop::sample::select(words.to_vec()).prop_map(|word| word.as_bytes().to_vec()),
        any::<u8>().prop_map(|byte| vec![byte]),
    ]
}

fn write(path: &str, data: &str) -> Op {
    Op::Write {
        path: path.into(),
        data: data.into(),
        mode: OWRITE,
        chunks: Chunks::Whole,
        offset: None,
        stop_on_error: true,
    }
}

fn passes(path: &str, data: &str) -> bool {
    guard(&write(path, data), Reach::Confined).is_ok()
}

fn piece_passes(path: &str, data: &str) -> bool {
    guard_data(path.as_bytes(), data.as_bytes(), Reach::Confined).is_ok()
}

#[test]
fn nothing_changes_below_the_hosts_trees_unless_the_target_is_held() {
    let roads = [
        "/os",
        "/os/",
        "//os//etc",
        "/src/x",
        "/./os/x",
        "/../os/x",
        "/pane/../os/x",
        "/os/../ctl",
        "/pane/1/../../os",
        "os/x",
        "/x/../../src",
    ];
    for reach in [Reach::Confined, Reach::Open] {
        let open = reach == Reach::Open;
        for road in roads {
            let path = Latin1::from(road);
            let mut ops = vec![
                write(road, "x"),
                Op::Remove { path: path.clone() },
                Op::Create { path: path.clone(), name: "n".into(), perm: 0o666, mode: OREAD },
                Op::Read {
                    path: path.clone(),
                    count: 1,
                    offset: 0,
                    mode: OREAD | OTRUNC,
                    reads: 1,
                },
            ];
            for mode in [OWRITE, ORDWR, OREAD | OTRUNC, OREAD | ORCLOSE] {
                ops.push(Op::Hold { h: "h0".into(), path: path.clone(), mode });
            }
            for op in ops {
                let nested = Op::Seq { ops: vec![Op::Seq { ops: vec![op.clone()] }] };
                for op in [op, nested] {
                    let judged = guard(&op, reach);
                    let refused = matches!(judged, Err(Refusal::HostTree { .. }));
                    assert!(refused != open && judged.is_ok() == open, "{op:?}: {judged:?}");
                    assert!(!is_wild(&op), "{op:?}: its answer says whether it changed anything");
                }
            }
            let looks = [
                Op::Stat { path: path.clone() },
                Op::Read { path: path.clone(), count: 1, offset: 0, mode: OREAD, reads: 1 },
                Op::Hold { h: "h0".into(), path, mode: OREAD },
            ];
            assert!(looks.iter().all(|op| guard(op, reach).is_ok()));
        }
        for road in ["/pane/os", "/osx", "/x/src", "/col/1/tag"] {
            assert_eq!(guard(&write(road, "x"), reach), Ok(()), "{road}");
        }
    }
}

#[test]
fn a_confined_command_line_reaches_no_shell_with_metacharacters() {
    for path in ["/ctl", "/exec", "/tagexec", "/pane/{p3}/ctl", "/pane/7/exec", "/col/{c0}/exec"] {
        for line in [
            "echo hi\n",
            "Look alpha",
            "Dump m9pdump\n",
            "New\n\nDel\n",
            "sig KILL\n",
            "é\0\u{9f}\n",
            "Edit ,x/a|b!/c/>x</\n",
            "Edit s/[a-z]+/w r e/g\n",
            "Edit /w/,?r?d",
            "Edit 1,2m$\n",
            "Edit ,x/a/g/b/v/c/d\r\n",
            "Edit\n",
            "Edit a\ntext\n.\nNew\n",
            "Edit c\nunended",
            "Edit {\na/x/\ni/y/\n}\n",
            "Edit 0,$s/a/&&/\n",
            "Edit /a[/x\n",
            "Edit $s/(a/\n",
        ] {
            assert!(passes(path, line), "{path} {line:?}");
        }
        for line in [
            "echo hi | cat",
            "ls /",
            "a;b",
            "cat ~",
            "x > y",
            "$(a)",
            "`a`",
            "a.b",
            "a\\b",
            "a*",
            "Exit\n",
            "New\n  Exit\n",
            "Mount x",
            "@Shell",
            "Restore\n",
            "kill -9 -1\n",
            "env kill 1",
            "Edit w x\n",
            "Edit r x\n",
            "Edit ,>cat\n",
            "Edit !ls",
            "Edit e x",
            "Edit ,x/a/|cat\n",
            "Edit ,x/a\\/|b/d\n",
            "Edit ,x/a[/|b/d\n",
            "Edit ,x/[]/|b/d\n",
            "Edit B x\n",
            "Edit d\nw x|y\n",
            "Edit {\n!ls\n}\n",
            "Edit {\n/a/d\n}\n",
            "xEdit s/a/b/",
            "Edit a\n/text\n",
            ".\n",
            "}\n",
            " Edit ,d;\n",
            "Edit a\nExit\n",
            "Edit ,x/a/w\n",
        ] {
            assert!(!passes(path, line), "{path} {line:?}");
            let restores = line.contains("Restore");
            assert_eq!(guard(&write(path, line), Reach::Open).is_err(), restores, "{line:?}");
        }
    }
    // By another name, a file of command lines is no place for Edit or for denied words.
    for path in ["/pane/../ctl", "/./exec", "/x/ctl", "/pane/1/2/exec"] {
        assert!(passes(path, "echo hi\n"), "{path}");
        assert!(!passes(path, "Edit ,d/\n") && !passes(path, "Exit\n"), "{path}");
    }
}

#[test]
fn pieces_cannot_join_into_what_is_refused_whole() {
    let exec = "/pane/{p0}/exec";
    for piece in
        ["echo hi", "New\n", "x\nEdit ,x/a|b/d\n", "\nEdit s/a/b/\n", "Edit ,d\n", "", "\n"]
    {
        assert!(piece_passes(exec, piece), "{piece:?}");
    }
    // "ls " and "Edit |x" would be a pipe; "Ed" and "it w x" a write; "Ex" and "it" an Exit.
    for piece in [
        "Edit ,x/a|b/d\n",
        "Edit s/a/b/",
        "Ed",
        "E",
        "Edit",
        "Edit 1",
        "New\n Ex",
        "M",
        "a ki",
        "su",
        "x\nEdit ,d",
    ] {
        assert!(!piece_passes(exec, piece), "{piece:?}");
    }
    assert!(!piece_passes("/pane/1/pty/data", "ki") && !passes("/pane/1/pty/data", "ki"));
    assert!(piece_passes("/pane/1/pty/data", "echo ki\r"));
    assert!(guard_data(b"/exec", b"kill $x", Reach::Open).is_ok());
    assert!(guard_data(b"/exec", b"kill -11 $x", Reach::Open).is_err());
    // With refused pieces skipped, what the server has of a line is not known.
    let Op::Write { path, data, mode, chunks, offset, .. } = write(exec, "Edit s/a|b/c/\n") else {
        unreachable!()
    };
    let on = Op::Write { path, data, mode, chunks, offset, stop_on_error: false };
    assert!(guard(&on, Reach::Confined).is_err());
}

#[test]
fn each_other_file_takes_what_it_should() {
    for file in ["addr", "dot", "limit", "sel"] {
        assert!(passes(&format!("/pane/3/{file}"), "/(a|b)*[^/]$/;~`'\""));
        assert!(!passes(&format!("/pane/../{file}"), "/a/") && !passes(&format!("/{file}"), "/a/"));
    }
    for look in ["alpha.txt\n", "alpha.txt:/be*ta/\n", "x:#4", "a b:1:3\nnothere\n", ":", "a:?x?"] {
        assert!(passes("/look", look) && passes("/pane/{p1}/look", look), "{look:?}");
    }
    for look in ["/etc/passwd", "../x", "..", "a/b:1", "http://x/", "file:///x/", "a:b/c", "a:!x"] {
        assert!(!passes("/look", look), "{look:?}");
    }
    for token in ["{p3}\n", "{g63}", "12\n"] {
        assert!(passes("/focus", token), "{token:?}");
    }
    assert!(
        !passes("/focus", "{p}") && !passes("/focus", "{x1}") && !passes("/pane/1/body", "{p1}")
    );
    for file in ["body", "data", "tag", "name", "event", "pty/ctl", "nosuchfile"] {
        let path = format!("/pane/3/{file}");
        assert!(passes(&path, "plain \u{1f600} text\n\0"), "{file}");
        for data in ["a/b", "a|b", "a.b", "$x", "Exit", "x kill y"] {
            assert!(!passes(&path, data), "{file} {data:?}");
        }
    }
}

#[test]
fn restores_and_host_changes_stay_in_home() {
    let restore = |data: &str| {
        let op = Op::Restore { data: data.into() };
        let [confined, open] = [Reach::Confined, Reach::Open].map(|reach| guard(&op, reach));
        assert_eq!(confined, open, "{data:?}");
        confined
    };
    for line in ["Restore\n", "Restore", "Restore m9pdump\n", "Restore nothere"] {
        assert_eq!(restore(line), Ok(()), "{line:?}");
    }
    for line in ["Restore /x\n", "Restore ..\n", "Restore a\nExit\n", "Exit\n", "Restored", ""] {
        assert!(restore(line).is_err(), "{line:?}");
    }
    let host = |name: &str, data: Option<&str>| {
        let action = monkey9p::ops::HostAction::Write;
        guard(&Op::Host { action, name: name.into(), data: data.map(Into::into) }, Reach::Confined)
    };
    assert_eq!(host("alpha.txt", Some("text")), Ok(()));
    assert_eq!(host("alpha.txt", None), Ok(()));
    assert!(
        host("a/b", None).is_err() && host("..", None).is_err() && host("a", Some("`x`")).is_err()
    );
    // It is this program that writes there, and nothing holds it.
    for (name, data) in [("a/b", None), ("..", None), ("../x", Some("text")), ("/etc/x", Some(""))]
    {
        let action = monkey9p::ops::HostAction::Write;
        let op = Op::Host { action, name: name.into(), data: data.map(Into::into) };
        assert!(guard(&op, Reach::Open).is_err(), "{name}");
    }
}

/// At the kernel level whatever a shell may do is held; what would be taken for the target's own
/// failure is not sent.
#[test]
fn an_open_guard_refuses_what_would_look_like_a_failure_alone() {
    for (path, data, fine) in [
        ("/pane/3/pty/run", "kill -9 -1\n", true),
        ("/pane/3/pty/data", "rm -rf / & kill -TERM $PPID;kill -1 1\r", true),
        ("/exec", "Exit\n", true),
        ("/exec", "Edit |sort\n", true),
        ("/pane/3/body", "a/b|c kill -11 by the way", false),
        ("/pane/3/body", "kill 11 a/b -11", true),
        ("/pane/3/pty/run", "kill -6 -1\n", false),
        ("/pane/3/pty/run", "kill -s SEGV $PPID\n", false),
        ("/exec", "x;/bin/kill -SEGV $PPID\n", false),
        ("/ctl", "Restore x\n", false),
        ("/pane/3/exec", "echo /x\n Restore\n", false),
    ] {
        let op = write(path, data);
        assert!(guard(&op, Reach::Confined).is_err() && is_wild(&op), "{path} {data:?}");
        assert_eq!(guard(&op, Reach::Open).is_ok(), fine, "{path} {data:?}");
        let seq = Op::Seq { ops: vec![write("/exec", "ls\n"), op] };
        assert_eq!(guard(&seq, Reach::Open).is_ok(), fine, "{path} {data:?}");
        assert!(is_wild(&seq));
    }
    for (path, data) in
        [("/exec", "ls\n"), ("/pane/3/exec", "Edit ,x/a|b/d\n"), ("/ctl", "x Restore")]
    {
        let op = write(path, data);
        assert!([Reach::Confined, Reach::Open].iter().all(|&reach| guard(&op, reach).is_ok()));
        assert!(!is_wild(&op));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Nothing that a weaker level takes is refused by a stronger one.
    #[test]
    fn what_passes_confined_passes_open(
        pieces in prop::collection::vec(prop::collection::vec(fragment(), 0..4), 1..5),
    ) {
        for path in ["/pane/3/exec", "/ctl", "/pane/3/pty/data", "/pane/3/body", "/look"] {
            let data = pieces.concat().concat();
            let op = write(path, &data);
            prop_assert!(guard(&op, Reach::Confined).is_err() || guard(&op, Reach::Open).is_ok());
            let piece = |reach| guard_data(path.as_bytes(), data.as_bytes(), reach);
            prop_assert!(piece(Reach::Confined).is_err() || piece(Reach::Open).is_ok());
        }
    }
}

/// A shell knows none of the editor's commands, and joins what separate writes typed.
#[test]
fn what_is_typed_names_no_program_that_is_denied() {
    for path in ["/pane/3/pty/run", "/pane/3/pty/data"] {
        for data in ["Exit\r", "echo ki\n", "seq 1 2000\n", "\x03", "killed"] {
            assert!(passes(path, data), "{path} {data:?}");
        }
        for data in ["kill -9 -1\n", "x;y", "ki", "a s", "su"] {
            assert!(!passes(path, data), "{path} {data:?}");
        }
    }
}

/// Logs that the script wrote, if `MONKEY9P_LOGS` names a folder of them.
#[test]
fn logs_pass() {
    let Some(folder) = std::env::var_os("MONKEY9P_LOGS") else {
        return;
    };
    let (mut ops, mut refused) = (0, Vec::new());
    for entry in std::fs::read_dir(folder).unwrap() {
        let mut judge = Judge::default();
        for op in monkey9p::ops::read_ops(&entry.unwrap().path()).unwrap().ops {
            ops += 1;
            if let Err(why) = judge.judge(&op) {
                refused.push(format!("{why}: {op:?}"));
            }
        }
    }
    println!("{} of {ops} ops refused", refused.len());
    refused.iter().for_each(|why| println!("{}", why.chars().take(300).collect::<String>()));
    assert!(refused.len() * 50 < ops, "the guard refuses what the script sends");
}
