//! Each planted defect misbehaves when it is on, and not when it is off; shown directly.
#![cfg(feature = "standin")]

mod standin_common;

use bytes::{Bytes, BytesMut};
use monkey9p::standin::plants;
use monkey9p::wire::codec::encode;
use monkey9p::wire::msg::{NOTAG, ORDWR, OREAD, OWRITE, Rmsg, Tmsg};
use monkey9p::wire::stat::{Stat, entries};
use standin_common::{Client, MSIZE, ROOT, Standin, attach, wait};
use std::io::Write;

/// A server with the defect on or off, and a client of it.
struct Probe {
    server: Standin,
    client: Client,
}

macro_rules! probes {
    ($($name:literal $test:ident $probe:expr;)*) => {
        const PROBED: &[&str] = &[$($name),*];
        $(#[test]
        fn $test() {
            let probe: fn(&mut Probe) -> bool = $probe;
            assert!(shows($name, true, probe), "{} does not show", $name);
            assert!(!shows($name, false, probe), "{} shows without being on", $name);
        })*
    };
}

fn shows(name: &str, on: bool, probe: fn(&mut Probe) -> bool) -> bool {
    let server = if on { Standin::planted(name) } else { Standin::start() };
    let client = server.client();
    probe(&mut Probe { server, client })
}

#[test]
fn every_planted_defect_is_probed() {
    let mut probed = PROBED.to_vec();
    let mut table: Vec<&str> = plants().iter().map(|plant| plant.name).collect();
    probed.sort_unstable();
    table.sort_unstable();
    assert_eq!(probed, table);
    assert!(table.len() >= 40);
}

probes! {
    "crash-on-regex" crash_on_regex |p| p.crashes_on_write("/pane/1/addr", "/[/");
    "crash-deep-undo" crash_deep_undo |p| {
        (0..5).for_each(|_| p.edit("$a/x/"));
        (0..4).for_each(|_| p.run("Undo"));
        p.crashes_on_write("/pane/1/exec", "Undo\n")
    };
    "crash-odd-rune" crash_odd_rune |p| {
        p.client.write("/pane/1/addr", "#0,#5").unwrap();
        p.client.write("/pane/1/data", "\u{1f600}\u{1f600}").unwrap();
        p.client.write("/pane/1/addr", "#0").unwrap();
        let fid = p.client.open("/pane/1/data", OREAD).unwrap();
        p.crashes_on(&Tmsg::Read { fid, offset: 0, count: 6 })
    };
    "crash-far-offset" crash_far_offset |p| {
        let fid = p.client.open("/README", OREAD).unwrap();
        p.crashes_on(&Tmsg::Read { fid, offset: 1 << 63, count: 6 })
    };
    "crash-on-rmessage" crash_on_rmessage |p| {
        p.client.stream.write_all(&[7, 0, 0, 0, 121, 3, 0]).unwrap();
        p.crashed()
    };
    "crash-double-clunk" crash_double_clunk |p| {
        let fid = p.client.walk("/index").unwrap();
        p.client.clunk(fid);
        p.crashes_on(&Tmsg::Clunk { fid })
    };
    "crash-count-overflow" crash_count_overflow |p| {
        let fid = p.client.open("/README", OREAD).unwrap();
        p.crashes_on(&Tmsg::Read { fid, offset: 0, count: u32::MAX - 2 })
    };
    "crash-redo-collapsed" crash_redo_collapsed |p| {
        p.edit("1d");
        p.run("Undo");
        p.client.write("/pane/1/limit", "1").unwrap();
        p.run("Collapse");
        p.crashes_on_write("/pane/1/exec", "Redo\n")
    };
    "crash-long-life" crash_long_life |p| {
        for _ in 0..39 {
            let serial = p.client.new_pane();
            p.client.remove(&format!("/pane/{serial}")).unwrap();
        }
        let serial = p.client.new_pane();
        let fid = p.client.walk(&format!("/pane/{serial}")).unwrap();
        p.crashes_on(&Tmsg::Remove { fid })
    };
    "crash-wide-tag" crash_wide_tag |p| {
        p.client.write("/pane/1/tag", "日".repeat(60)).unwrap();
        let fid = p.client.open("/screen", OREAD).unwrap();
        if p.crashes_on(&Tmsg::Read { fid, offset: 0, count: 100 }) {
            return true;
        }
        // One cell further on, the wide runes end where the row does, or the other way around.
        p.client.write("/pane/1/name", "alpha.tx").unwrap();
        let fid = p.client.open("/screen", OREAD).unwrap();
        p.crashes_on(&Tmsg::Read { fid, offset: 0, count: 100 })
    };

    "crash-file-lives" crash_file_lives |p| {
        p.client.write("/pane/1/mark", "perhaps\n").unwrap_err();
        p.server.crash_file().is_some() && !p.client.text("/index").is_empty()
    };

    "hang-on-flush" hang_on_flush |p| {
        let fid = p.client.open("/pane/1/event", OREAD).unwrap();
        let oldtag = p.client.send(&Tmsg::Read { fid, offset: 0, count: 10 });
        p.client.try_call(Tmsg::Flush { oldtag }).is_none()
    };
    "hang-flush-unknown" hang_flush_unknown |p| {
        p.client.try_call(Tmsg::Flush { oldtag: 999 }).is_none()
    };
    "hang-on-lock" hang_on_lock |p| {
        let locking = p.client.open("/pane/1/ctl", OWRITE).unwrap();
        p.client.write_to(locking, "lock\n").unwrap();
        let fid = p.client.open("/pane/1/ctl", OWRITE).unwrap();
        let data = Bytes::from_static(b"clean\n");
        p.client.try_call(Tmsg::Write { fid, offset: 0, data }).is_none()
    };
    "hang-on-watched" hang_on_watched |p| {
        p.client.new_pane();
        p.client.open("/pane/2/event", OREAD).unwrap();
        let fid = p.client.walk("/pane/2").unwrap();
        p.client.try_call(Tmsg::Remove { fid }).is_none()
    };
    "drop-on-long-name" drop_on_long_name |p| {
        let names = vec![Bytes::from(vec![b'x'; 300])];
        p.client.send(&Tmsg::Walk { fid: ROOT, newfid: 9, names });
        p.client.try_receive().is_none() && p.server.is_alive()
    };

    "err-twice" err_twice |p| p.errs("/pane/1/dot", "/zz/") == 2;
    "err-missing" err_missing |p| p.errs("/pane/1/addr", "/zz/") == 0;
    "err-flaky" err_flaky |p| {
        let missing = (0..60).filter(|_| p.errs("/pane/1/scroll", "maybe") == 0).count();
        // Sixty times one in three: all or none of them is out of the question.
        (1..60).contains(&missing)
    };
    "err-and-msg" err_and_msg |p| {
        let lines = p.lines("/pane/1/tagexec", "Font\n");
        lines.iter().any(|line| line.starts_with("msg "))
    };
    "err-wrong-serial" err_wrong_serial |p| {
        p.client.new_pane();
        p.lines("/pane/1/dirty", "yes\n").iter().any(|line| line.starts_with("err 2 "))
    };
    "err-answered-done" err_answered_done |p| {
        let edit = format!("Edit s/{}/y/\n", "z".repeat(60));
        p.client.write("/pane/1/exec", edit).is_ok()
    };
    "look-twice" look_twice |p| p.errs("/pane/1/look", "zzz\n") == 2;
    "msg-from-failed" msg_from_failed |p| {
        p.lines("/ctl", "Msg a\nbogus\n").iter().any(|line| line.starts_with("msg "))
    };
    "close-runs-twice" close_runs_twice |p| p.errs("/pane/1/tagexec", "Font") == 2;
    "count-off-by-one" count_off_by_one |p| {
        p.client.write("/look", "zzz\nzzz\nzzz\n").unwrap();
        p.client.text("/log").contains("(x4)")
    };
    "follower-count-short" follower_count_short |p| {
        let lines = p.lines("/look", "zzz\nzzz\nzzz\n");
        !lines.iter().any(|line| line.ends_with("(x3)"))
    };
    "follower-misses" follower_misses |p| {
        let text: String = (0..40).map(|n| format!("zz{n}\n")).collect();
        p.lines("/look", &text).len() < 40
    };
    "close-fails-body" close_fails_body |p| p.errs("/pane/1/body", "no newline") == 1;

    "index-misses-pane" index_misses_pane |p| {
        (0..4).for_each(|_| p.add_pane());
        p.client.serials().len() < 5
    };
    "pane-dir-misses-view" pane_dir_misses_view |p| {
        p.run("Zerox");
        p.client.names("/pane").len() < 3
    };
    "chunk-skips-byte" chunk_skips_byte |p| {
        let whole = p.client.read("/README").unwrap();
        p.in_pieces("/README", 64) != whole
    };
    "dir-order-changes" dir_order_changes |p| {
        let fid = p.client.open("/", OREAD).unwrap();
        p.client.read_all(fid, MSIZE).unwrap() != p.client.read_all(fid, MSIZE).unwrap()
    };
    "dir-entry-lost" dir_entry_lost |p| {
        let whole = p.client.read("/").unwrap();
        p.in_pieces("/", 200) != whole
    };
    "dir-entry-split" dir_entry_split |p| {
        let fid = p.client.open("/", OREAD).unwrap();
        let piece = p.client.read_at(fid, 0, 200).unwrap();
        entries(piece).is_err()
    };

    "rune-split" rune_split |p| {
        let fid = p.client.open("/pane/1/body", OWRITE).unwrap();
        p.client.write_to(fid, b"\xe6\x97").unwrap();
        p.client.write_to(fid, b"\xa5").unwrap();
        p.client.write("/pane/1/addr", "$-#1,$").unwrap();
        p.client.text("/pane/1/addr") != "#50,#51\n"
    };
    "crlf-eaten" crlf_eaten |p| {
        p.client.write("/look", "crlf.txt\n").unwrap();
        p.client.read("/pane/2/body").unwrap() != b"one\r\ntwo\r\nthree\r\n"
    };
    "bad-utf8-replaced" bad_utf8_replaced |p| {
        p.client.write("/look", "bad.txt\n").unwrap();
        !p.client.read("/pane/2/body").unwrap().contains(&0xff)
    };
    "data-skips-rune" data_skips_rune |p| {
        p.client.write("/pane/1/addr", "#0").unwrap();
        let fid = p.client.open("/pane/1/data", OREAD).unwrap();
        p.client.read_at(fid, 0, 3).unwrap();
        p.client.read_at(fid, 0, 3).unwrap() != b"ha "[..]
    };
    "xdata-past-end" xdata_past_end |p| {
        p.client.write("/pane/1/addr", "#0,#5").unwrap();
        let fid = p.client.open("/pane/1/xdata", OREAD).unwrap();
        p.client.read_at(fid, 0, 100).unwrap() != b"alpha"[..]
    };
    "addr-past-end" addr_past_end |p| {
        p.client.write("/pane/1/addr", "$").unwrap();
        p.client.text("/pane/1/addr") != "#50\n"
    };
    "edit-not-atomic" edit_not_atomic |p| {
        let before = p.client.read("/pane/1/body").unwrap();
        let _ = p.client.write("/pane/1/exec", "Edit {\n1d\n/zz/d\n}\n");
        p.client.read("/pane/1/body").unwrap() != before
    };
    "undo-forgets" undo_forgets |p| {
        let before = p.client.read("/pane/1/body").unwrap();
        p.edit(",x/a/c/b/");
        p.run("Undo");
        p.client.read("/pane/1/body").unwrap() != before
    };
    "redo-survives" redo_survives |p| {
        p.edit("1d");
        p.run("Undo");
        p.client.write("/pane/1/body", "x").unwrap();
        p.client.write("/pane/1/exec", "Redo\n").is_ok()
    };
    "dump-trims" dump_trims |p| {
        p.client.write("/pane/1/body", "\n\n\n").unwrap();
        let before = p.client.read("/pane/1/body").unwrap();
        p.dump_and_restore();
        p.client.read("/pane/1/body").unwrap() != before
    };
    "restore-loses-pane" restore_loses_pane |p| {
        (0..3).for_each(|_| p.add_pane());
        p.dump_and_restore();
        p.client.serials().len() < 4
    };

    "shell-outlives" shell_outlives |p| {
        p.client.new_pane();
        p.client.write("/pane/2/ctl", "Tty\n").unwrap();
        let status = p.client.text("/pane/2/pty/status");
        let pid = status.split_whitespace().nth(1).unwrap().to_string();
        p.client.remove("/pane/2").unwrap();
        // A process that is killed stays for its parent to see, which the reading loop does.
        (0..400).all(|_| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            std::path::Path::new(&format!("/proc/{pid}")).exists()
        })
    };
    "output-after-end" output_after_end |p| {
        p.client.new_pane();
        p.client.write("/pane/2/ctl", "Tty\n").unwrap();
        let fid = p.client.open("/pane/2/pty/data", ORDWR).unwrap();
        p.client.write_to(fid, "echo said; exit\n").unwrap();
        p.client.read_all(fid, 100).unwrap();
        !p.client.read_at(fid, 0, 100).unwrap().is_empty()
    };
    "event-kept" event_kept |p| {
        let fid = p.client.open("/pane/1/event", OREAD).unwrap();
        p.client.write("/pane/1/body", "x").unwrap();
        p.client.clunk(fid);
        p.client.open("/pane/1/event", OREAD).is_err()
    };
    "lock-kept" lock_kept |p| {
        p.client.write("/pane/1/ctl", "lock\n").unwrap();
        p.client.write("/pane/1/ctl", "clean\n").is_err()
    };
    "fid-kept-by-remove" fid_kept_by_remove |p| {
        let fid = p.client.walk("/index").unwrap();
        p.client.call(Tmsg::Remove { fid });
        matches!(p.client.call(Tmsg::Stat { fid }), Rmsg::Stat { .. })
    };
    "clunk-frees-nothing" clunk_frees_nothing |p| {
        let fid = p.client.walk("/index").unwrap();
        p.client.clunk(fid);
        matches!(p.client.call(Tmsg::Stat { fid }), Rmsg::Stat { .. })
    };

    "walk-binds-partial" walk_binds_partial |p| p.walk_binds(&["pane", "77"]);
    "walk-empty-done" walk_empty_done |p| p.walk_binds(&["nowhere"]);
    "new-fid-in-use" new_fid_in_use |p| {
        let fid = p.client.walk("/index").unwrap();
        let names = vec![Bytes::from_static(b"pane")];
        let reply = p.client.call(Tmsg::Walk { fid: ROOT, newfid: fid, names });
        matches!(reply, Rmsg::Walk { .. })
    };
    "walk-seventeen" walk_seventeen |p| {
        let names = vec![Bytes::from_static(b".."); 17];
        let reply = p.client.call(Tmsg::Walk { fid: ROOT, newfid: 9, names });
        matches!(reply, Rmsg::Walk { .. })
    };
    "walk-from-open" walk_from_open |p| {
        let fid = p.client.open("/pane", OREAD).unwrap();
        let reply = p.client.call(Tmsg::Walk { fid, newfid: 9, names: Vec::new() });
        matches!(reply, Rmsg::Walk { .. })
    };
    "open-twice" open_twice |p| {
        let fid = p.client.open("/index", OREAD).unwrap();
        matches!(p.client.call(Tmsg::Open { fid, mode: OREAD }), Rmsg::Open { .. })
    };
    "read-unopened" read_unopened |p| {
        let fid = p.client.walk("/index").unwrap();
        p.client.read_at(fid, 0, 10).is_ok()
    };
    "write-on-read-fid" write_on_read_fid |p| {
        let fid = p.client.open("/pane/1/body", OREAD).unwrap();
        p.client.write_to(fid, "x").is_ok()
    };
    "msize-exceeded" msize_exceeded |p| {
        p.client.write("/pane/1/body", "x".repeat(60_000)).unwrap();
        p.client.write("/pane/1/body", "x".repeat(60_000)).unwrap();
        let fid = p.client.open("/pane/1/body", OREAD).unwrap();
        p.client.read_at(fid, 0, 1 << 20).unwrap().len() > MSIZE as usize - 11
    };
    "write-overcount" write_overcount |p| {
        let fid = p.client.open("/pane/1/body", OWRITE).unwrap();
        let data = Bytes::new();
        p.client.call(Tmsg::Write { fid, offset: 0, data }) != Rmsg::Write { count: 0 }
    };
    "flush-also-errors" flush_also_errors |p| {
        let fid = p.client.open("/pane/1/event", OREAD).unwrap();
        let oldtag = p.client.send(&Tmsg::Read { fid, offset: 0, count: 10 });
        let flush = p.client.send(&Tmsg::Flush { oldtag });
        assert_eq!(p.client.receive(), (flush, Rmsg::Flush));
        p.client.receive_soon().is_some_and(|(tag, _)| tag == oldtag)
    };
    "version-keeps-fids" version_keeps_fids |p| {
        let fid = p.client.walk("/index").unwrap();
        p.version(b"9P2000");
        matches!(p.client.call(Tmsg::Stat { fid }), Rmsg::Stat { .. })
    };
    "unknown-version" unknown_version |p| p.version(b"9Q3000") == b"9P2000"[..];
    "tag-twice" tag_twice |p| {
        let fid = p.client.open("/pane/1/event", OREAD).unwrap();
        let tag = p.client.send(&Tmsg::Read { fid, offset: 0, count: 10 });
        p.client.send_tagged(tag, &Tmsg::Stat { fid: ROOT });
        matches!(p.client.receive(), (_, Rmsg::Stat { .. }))
    };
    "error-extra-bytes" error_extra_bytes |p| {
        let fid = p.client.open("/pane/1/addr", OWRITE).unwrap();
        let data = Bytes::from_static(b"/[/");
        let tag = p.client.send(&Tmsg::Write { fid, offset: 0, data });
        // The test's own decoder takes no trailing bytes: such a reply is none to it.
        p.client.try_receive().is_none_or(|(got, _)| got != tag)
    };
    "segment-lost" segment_lost |p| {
        let mut bytes = BytesMut::new();
        encode(&Tmsg::Stat { fid: ROOT }, 77, &mut bytes).unwrap();
        p.client.stream.write_all(&bytes[..5]).unwrap();
        // A reply on another connection: the server has read what came before by then.
        (0..3).for_each(|_| drop(p.server.client().read("/index")));
        p.client.stream.write_all(&bytes[5..]).unwrap();
        p.client.receive_soon().is_none()
    };
    "qid-differs" qid_differs |p| {
        let names: Vec<Bytes> = ["pane", "1", "body"].map(Bytes::from_static_str).into();
        let Rmsg::Walk { qids } = p.client.call(Tmsg::Walk { fid: ROOT, newfid: 9, names }) else {
            panic!("no walk");
        };
        let Rmsg::Stat { stat } = p.client.call(Tmsg::Stat { fid: 9 }) else { panic!("no stat") };
        Stat::decode(stat).unwrap().qid != qids[2]
    };

    "events-swapped" events_swapped |p| {
        let fid = p.client.open("/pane/1/event", OREAD).unwrap();
        p.edit("1c/x/");
        let events = p.client.read_at(fid, 0, 4_096).unwrap();
        let text = String::from_utf8_lossy(&events).into_owned();
        text.find("FI").unwrap() < text.find("FD").unwrap()
    };
    "output-skips" output_skips |p| {
        p.client.new_pane();
        p.client.write("/pane/2/ctl", "Tty\n").unwrap();
        let fid = p.client.open("/pane/2/pty/data", ORDWR).unwrap();
        p.client.write_to(fid, "stty -echo; seq 100 130; exit\n").unwrap();
        // All of it is there before the first read: each piece but the last leaves something.
        wait("the shell's end", || p.client.serials() == [1]);
        let output = String::from_utf8_lossy(&p.client.read_all(fid, 7).unwrap()).into_owned();
        let wanted: Vec<String> = (100..131).map(|n: u32| n.to_string()).collect();
        !output.contains(&wanted.join("\r\n"))
    };
    "typed-twice" typed_twice |p| {
        p.client.new_pane();
        p.client.write("/pane/2/ctl", "Tty\n").unwrap();
        let fid = p.client.open("/pane/2/pty/data", ORDWR).unwrap();
        let line = format!("stty -echo; n=$((n+1)); echo ran-$n {}\n", "x".repeat(64));
        p.client.write_to(fid, line).unwrap();
        p.client.write("/pane/2/pty/run", "echo at-end; exit").unwrap();
        let output = String::from_utf8_lossy(&p.client.read_all(fid, MSIZE).unwrap()).into_owned();
        output.contains("ran-2")
    };
}

/// `Bytes::from_static` for a `&'static str`.
trait FromStaticStr {
    fn from_static_str(text: &'static str) -> Self;
}

impl FromStaticStr for Bytes {
    fn from_static_str(text: &'static str) -> Self {
        Bytes::from_static(text.as_bytes())
    }
}

impl Probe {
    fn run(&mut self, command: &str) {
        self.client.write("/pane/1/exec", format!("{command}\n")).unwrap();
    }

    fn add_pane(&mut self) {
        self.client.new_pane();
    }

    fn edit(&mut self, command: &str) {
        self.run(&format!("Edit {command}"));
    }

    /// Whether the server crashes on the message, its panic on record.
    fn crashes_on(&mut self, message: &Tmsg) -> bool {
        self.client.send(message);
        self.crashed()
    }

    fn crashes_on_write(&mut self, path: &str, data: &'static str) -> bool {
        let fid = self.client.open(path, OWRITE).unwrap();
        let data = Bytes::from_static(data.as_bytes());
        self.crashes_on(&Tmsg::Write { fid, offset: 0, data })
    }

    fn crashed(&mut self) -> bool {
        let stat = self.client.send(&Tmsg::Stat { fid: ROOT });
        while let Some((tag, _)) = self.client.try_receive() {
            if tag == stat {
                return false;
            }
        }
        self.server.ended() == Some(101) && self.server.crash_file().is_some()
    }

    /// The records of one write.
    fn lines(&mut self, path: &str, data: &str) -> Vec<String> {
        self.client.errs(|client| drop(client.write(path, data)))
    }

    /// How many errs one write logs.
    fn errs(&mut self, path: &str, data: &str) -> usize {
        self.lines(path, data).iter().filter(|line| line.starts_with("err ")).count()
    }

    fn in_pieces(&mut self, path: &str, count: u32) -> Vec<u8> {
        let fid = self.client.open(path, OREAD).unwrap();
        self.client.read_all(fid, count).unwrap()
    }

    fn walk_binds(&mut self, names: &[&'static str]) -> bool {
        let names = names.iter().map(|name| Bytes::from_static(name.as_bytes())).collect();
        self.client.call(Tmsg::Walk { fid: ROOT, newfid: 9, names });
        matches!(self.client.call(Tmsg::Stat { fid: 9 }), Rmsg::Stat { .. })
    }

    fn version(&mut self, version: &'static [u8]) -> Bytes {
        let message = Tmsg::Version { msize: MSIZE, version: Bytes::from_static(version) };
        self.client.send_tagged(NOTAG, &message);
        let (_, Rmsg::Version { version, .. }) = self.client.receive() else {
            panic!("no Rversion");
        };
        self.client.call(attach(1_000));
        version
    }

    fn dump_and_restore(&mut self) {
        self.client.write("/ctl", "Dump\n").unwrap();
        let fid = self.client.open("/ctl", OWRITE).unwrap();
        self.client.write_to(fid, "Restore\n").unwrap();
        wait("the hang-up", || self.client.try_receive().is_none());
        self.client = self.server.client();
    }
}
