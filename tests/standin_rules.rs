//! The rules of the tree: what fails and how, what the log says of it, what reads see.
#![cfg(feature = "standin")]

mod standin_common;

use bytes::Bytes;
use monkey9p::wire::msg::{ORDWR, OREAD, OTRUNC, OWRITE, Rmsg, Tmsg};
use standin_common::{Client, Standin};

#[test]
fn a_refused_write_is_logged_once_and_a_done_one_is_not() {
    let server = Standin::start();
    let mut client = server.client();
    let refused: &[(&str, &str, &str)] = &[
        ("/ctl", "bogus word\n", "err - ctl: unknown control message \"bogus\""),
        ("/pane/1/ctl", "bogus\n", "err 1 ctl: unknown control message \"bogus\""),
        ("/pane/1/addr", "/nowhere/", "err 1 addr: no match for regular expression"),
        ("/pane/1/addr", "#99999", "err 1 addr: address out of range"),
        ("/pane/1/dot", "3x", "err 1 dot: bad address syntax"),
        ("/pane/1/dirty", "yes\n", "err 1 dirty: 0 or 1 is wanted, not \"yes\""),
        ("/pane/1/event", "garbage", "err 1 event: bad event record: no origin and action"),
        ("/pane/1/pty/run", "ls\n", "err 1 pty/run: no shell runs in this pane"),
        ("/pane/1/exec", "Edit z\n", "err 1 exec: unknown Edit command 'z'"),
        ("/focus", "99\n", "err - focus: no pane 99"),
        ("/log", "nope\n", "err - log: log takes \"follow\" or \"follow new\""),
    ];
    for (path, data, record) in refused {
        let errs = client.errs(|client| assert!(client.write(path, data).is_err(), "{path}"));
        assert_eq!(errs, [*record], "{path} {data}");
    }
    let done: &[(&str, &str)] = &[
        ("/pane/1/addr", "1,2"),
        ("/pane/1/data", "changed"),
        ("/pane/1/body", "appended"),
        ("/pane/1/tag", " word"),
        ("/pane/1/exec", "Edit ,x/a/c/b/\n"),
        ("/pane/1/ctl", "mark\nnomark\n\n  \nclean\n"),
        ("/look", "utf8.txt:2\n"),
        ("/exec", "Newcol\n"),
        ("/pane/1/name", "other"),
    ];
    for (path, data) in done {
        let errs = client.errs(|client| client.write(path, data).unwrap());
        assert_eq!(errs, [""; 0], "{path} {data}");
    }
}

#[test]
fn a_look_that_finds_nothing_has_not_failed() {
    let server = Standin::start();
    let mut client = server.client();
    let errs = client.errs(|client| client.write("/look", "zzz\ngamma\nyyy\n").unwrap());
    assert_eq!(errs, ["err - look: no match for \"zzz\"", "err - look: no match for \"yyy\""]);
    let errs = client.errs(|client| client.write("/pane/1/exec", "Look zzz\n").unwrap());
    assert_eq!(errs, ["err 1 exec: no match for \"zzz\""]);
    let fid = client.open("/pane/1/event", ORDWR).unwrap();
    let errs = client.errs(|client| client.write_to(fid, "ML0 3 0 3 zzz\n").unwrap());
    assert_eq!(errs, ["err 1 event: no match for \"zzz\""]);
}

#[test]
fn a_write_of_lines_stops_at_the_first_that_is_refused() {
    let server = Standin::start();
    let mut client = server.client();
    let errs = client.errs(|client| {
        assert!(
            client.write("/pane/1/ctl", "Msg said\nLook zzz\nbogus\nNewcol\nleft over").is_err()
        );
    });
    assert_eq!(errs, ["err 1 ctl: unknown control message \"bogus\""]);
    assert_eq!(client.names("/col"), ["1"]);
}

#[test]
fn command_lines_run_when_whole_or_at_the_close() {
    let server = Standin::start();
    let mut client = server.client();
    let fid = client.open("/ctl", OWRITE).unwrap();
    client.write_to(fid, "New").unwrap();
    assert_eq!(client.names("/col"), ["1"]);
    client.write_to(fid, "col\nNewc").unwrap();
    assert_eq!(client.names("/col"), ["1", "2"]);
    client.write_to(fid, "ol").unwrap();
    client.clunk(fid);
    assert_eq!(client.names("/col").len(), 3);
    let errs = client.errs(|client| client.write("/ctl", "bogus").unwrap());
    assert_eq!(errs, ["err - ctl: unknown control message \"bogus\""]);
}

#[test]
fn only_line_files_have_something_to_run_at_the_close() {
    let server = Standin::start();
    let mut client = server.client();
    for path in ["/pane/1/body", "/pane/1/tag", "/pane/1/data", "/pane/1/name", "/tag"] {
        let errs = client.errs(|client| client.write(path, b"text \xe6\x97").unwrap());
        assert_eq!(errs, [""; 0], "{path}");
    }
}

#[test]
fn an_edit_block_waits_for_its_end_and_fails_at_the_close() {
    let server = Standin::start();
    let mut client = server.client();
    let body = client.text("/pane/1/body");
    let block = "Edit ,x/alpha/ {\na/</\ni/>/\n";
    let errs = client.errs(|client| client.write("/pane/1/exec", block).unwrap());
    assert_eq!(errs, ["err 1 exec: Edit ends inside its text"]);
    assert_eq!(client.text("/pane/1/body"), body);
    client.write("/pane/1/exec", "Edit 1 {\ni/>/\na/</\n}\n").unwrap();
    assert!(client.text("/pane/1/body").starts_with(">alpha beta gamma\n<second"));
    client.write("/pane/1/exec", "Edit $a\nlast\nlines\n.\n").unwrap();
    assert!(client.text("/pane/1/body").ends_with("blank\nlast\nlines\n"));
    let errs = client.errs(|client| client.write("/pane/1/exec", "Edit a\nno end\n").unwrap());
    assert_eq!(errs, ["err 1 exec: Edit ends inside its text"]);
}

#[test]
fn a_refused_edit_changes_nothing() {
    let server = Standin::start();
    let mut client = server.client();
    let body = client.text("/pane/1/body");
    for edit in ["{\n2d\n1d\n}", "{\n1d\n/nowhere/d\n}", ",x/a/ {\nd\n/nowhere/d\n}", "s/zz/y/"] {
        let data = format!("Edit {edit}\n");
        let errs = client.errs(|client| drop(client.write("/pane/1/exec", &data)));
        assert!(!errs.is_empty(), "{edit}");
        assert_eq!(client.text("/pane/1/body"), body, "{edit}");
    }
}

#[test]
fn misuse_of_a_fid_is_not_logged() {
    let server = Standin::start();
    let mut client = server.client();
    let errs = client.errs(|client| {
        let fid = client.open("/pane/1/body", OREAD).unwrap();
        assert!(client.write_to(fid, "x").is_err());
        client.clunk(fid);
        let fid = client.walk("/pane/1/body").unwrap();
        assert!(client.write_to(fid, "x").is_err());
        assert!(client.read_at(fid, 0, 10).is_err());
        assert!(client.open("/index", OWRITE).is_err());
        assert!(client.remove("/index").is_err());
    });
    assert_eq!(errs, [""; 0]);
}

#[test]
fn a_refused_truncation_is_logged_once() {
    let server = Standin::start();
    let mut client = server.client();
    let errs = client.errs(|client| assert!(client.open("/index", OWRITE | OTRUNC).is_err()));
    assert_eq!(errs, ["err - index: permission denied"]);
    client.write_mode("/pane/1/body", OWRITE | OTRUNC, "new").unwrap();
    assert_eq!(client.text("/pane/1/body"), "new");
}

#[test]
fn the_log_counts_what_is_said_again() {
    let server = Standin::start();
    let mut client = server.client();
    let lines = client.logged(|client| {
        (0..3).for_each(|_| assert!(client.write("/ctl", "again\n").is_err()));
    });
    let record = "err - ctl: unknown control message \"again\"";
    assert_eq!(lines, [record.into(), format!("{record} (x2)"), format!("{record} (x3)")]);
    let log = client.text("/log");
    assert!(log.contains(&format!("{record} (x3)\n")));
    assert!(!log.contains(&format!("{record}\n")));
}

#[test]
fn a_log_read_that_waits_is_answered_or_flushed() {
    let server = Standin::start();
    let mut client = server.client();
    let fid = client.open("/log", ORDWR).unwrap();
    client.write_to(fid, "follow new").unwrap();
    let read = client.send(&Tmsg::Read { fid, offset: 0, count: 100 });
    assert!(client.receive_soon().is_none());
    let flush = client.send(&Tmsg::Flush { oldtag: read });
    assert_eq!(client.receive(), (flush, Rmsg::Flush));
    let read = client.send(&Tmsg::Read { fid, offset: 0, count: 4_096 });
    let mut other = server.client();
    other.write("/exec", "Msg hello\n").unwrap();
    let (tag, reply) = client.receive();
    assert_eq!(tag, read);
    assert_eq!(reply, Rmsg::Read { data: Bytes::from_static(b"msg - hello\n") });
}

#[test]
fn events_tell_of_changes_to_one_reader() {
    let server = Standin::start();
    let mut client = server.client();
    let fid = client.open("/pane/1/event", ORDWR).unwrap();
    assert_eq!(client.open("/pane/1/event", OREAD).unwrap_err(), "file in use");
    client.write("/pane/1/body", "ab").unwrap();
    client.write("/pane/1/addr", "#0,#5").unwrap();
    client.write("/pane/1/data", "").unwrap();
    client.write("/pane/1/data", "日").unwrap();
    client.write("/pane/1/tag", "x").unwrap();
    client.write("/pane/1/exec", "Snarf\n").unwrap();
    let events = client.read_at(fid, 0, 4_096).unwrap();
    let events = String::from_utf8(events.to_vec()).unwrap();
    let lines: Vec<&str> = events.lines().collect();
    assert_eq!(lines[0], "EI50 52 0 2 ab");
    assert_eq!(lines[1], "FD0 5 0 0 ");
    assert_eq!(lines[2], "FI0 1 0 1 日");
    assert!(lines[3].starts_with("Ei") && lines[3].ends_with(" 0 1 x"), "{}", lines[3]);
    assert_eq!(lines[4], "FX0 0 1 5 Snarf");
    client.write_to(fid, "MX0 0 0 6 Newcol\n").unwrap();
    assert_eq!(client.names("/col").len(), 2);
    client.clunk(fid);
    let fid = client.open("/pane/1/event", OREAD).unwrap();
    client.clunk(fid);
}

#[test]
fn listings_read_in_pieces_are_the_listings_read_whole() {
    let server = Standin::start();
    let mut client = server.client();
    (0..20).for_each(|_| _ = client.new_pane());
    for path in ["/index", "/layout", "/status", "/commands", "/README", "/screen", "/pane/1/tag"] {
        let whole = client.read(path).unwrap();
        for count in [1, 7, 64, 1_000] {
            assert_eq!(in_pieces(&mut client, path, count), whole, "{path} by {count}");
        }
    }
    for path in ["/", "/pane", "/col", "/pane/1", "/pane/1/pty", "/col/1"] {
        let whole = client.read(path).unwrap();
        for count in [90, 128, 1_000] {
            assert_eq!(in_pieces(&mut client, path, count), whole, "{path} by {count}");
        }
        let fid = client.open(path, OREAD).unwrap();
        assert!(client.read_at(fid, 1, 1_000).is_err(), "{path} inside an entry");
        assert!(client.read_at(fid, 0, 5).is_err(), "{path} too short a count");
    }
}

fn in_pieces(client: &mut Client, path: &str, count: u32) -> Vec<u8> {
    let fid = client.open(path, OREAD).unwrap();
    let all = client.read_all(fid, count).unwrap();
    client.clunk(fid);
    all
}

#[test]
fn the_index_and_the_directory_of_panes_agree() {
    let server = Standin::start();
    let mut client = server.client();
    for _ in 0..5 {
        client.new_pane();
    }
    client.remove("/pane/3").unwrap();
    let mut names = client.names("/pane");
    assert_eq!(names.remove(0), "new");
    let serials: Vec<String> = client.serials().iter().map(u32::to_string).collect();
    assert_eq!(names, serials);
    assert!(client.walk("/pane/3").is_err());
    assert!(client.walk("/pane/01").is_err());
}

#[test]
fn a_fid_of_a_closed_pane_is_refused() {
    let server = Standin::start();
    let mut client = server.client();
    let serial = client.new_pane();
    let fid = client.open(&format!("/pane/{serial}/body"), ORDWR).unwrap();
    client.remove(&format!("/pane/{serial}")).unwrap();
    let errs = client.errs(|client| assert!(client.write_to(fid, "x").is_err()));
    assert_eq!(errs, [format!("err {serial} body: body is closed")]);
    assert!(client.read_at(fid, 0, 10).is_err());
    assert!(matches!(client.call(Tmsg::Stat { fid }), Rmsg::Error { .. }));
    client.clunk(fid);
}

#[test]
fn the_last_pane_closed_ends_the_session() {
    let mut server = Standin::start();
    let mut client = server.client();
    client.remove("/pane/1").unwrap();
    assert_eq!(server.ended(), Some(0));
    assert!(!server.socket.exists());
    assert_eq!(server.crash_file(), None);
}
