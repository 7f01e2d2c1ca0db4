//! Clients that break the protocol: refused or hung up, and nobody else is any the worse for it.
#![cfg(feature = "standin")]

mod standin_common;

use std::io::Write;

use bytes::Bytes;
use monkey9p::wire::msg::{NOFID, NOTAG, ORDWR, OREAD, Rmsg, Tmsg};
use standin_common::{Client, MSIZE, ROOT, Standin, attach, error, wait};

fn frame(kind: u8, tag: u16, body: &[u8]) -> Vec<u8> {
    let mut frame = (7 + body.len() as u32).to_le_bytes().to_vec();
    frame.push(kind);
    frame.extend_from_slice(&tag.to_le_bytes());
    frame.extend_from_slice(body);
    frame
}

#[test]
fn sizes_that_cannot_be_end_that_connection_alone() {
    let server = Standin::start();
    let mut other = server.client();
    for size in [0u32, 3, 6, MSIZE + 1, u32::MAX] {
        let mut client = server.client();
        let message = [&size.to_le_bytes()[..], &[124, 1, 0, 0, 0, 0, 0]].concat();
        client.stream.write_all(&message).unwrap();
        assert!(client.try_receive().is_none(), "size {size}");
        assert!(other.read("/index").is_ok());
    }
}

#[test]
fn messages_that_are_none_are_refused_with_their_tag() {
    let server = Standin::start();
    let mut client = server.client();
    let write =
        [&ROOT.to_le_bytes()[..], &[0; 8], &1_000_000u32.to_le_bytes()[..], b"short"].concat();
    let walk = [&ROOT.to_le_bytes()[..], &[9, 0, 0, 0, 255, 255, 1, 0]].concat();
    for (kind, body) in [
        (0, &[][..]),
        (99, &[]),
        (106, &[]),
        (107, &[0, 0]),
        (121, &[]),
        (255, &[1, 2, 3]),
        (124, &[0, 0, 0]),
        (124, &[0, 0, 0, 0, 0]),
        (118, &write),
        (110, &walk),
        (126, &[0, 0, 0, 0, 2, 0, 1, 1]),
    ] {
        client.stream.write_all(&frame(kind, 77, body)).unwrap();
        let (tag, reply) = client.receive();
        assert!(tag == 77 && matches!(reply, Rmsg::Error { .. }), "type {kind}: {reply:?}");
    }
    assert!(client.read("/index").is_ok());
}

#[test]
fn nothing_is_said_before_a_version() {
    let server = Standin::start();
    let mut client = server.raw();
    assert!(matches!(client.call(attach(ROOT)), Rmsg::Error { .. }));
    for (msize, version) in [(10, "9P2000"), (MSIZE, "9P1999"), (MSIZE, "")] {
        let version = Bytes::from_static(version.as_bytes());
        client.send_tagged(NOTAG, &Tmsg::Version { msize, version });
        match client.receive() {
            (NOTAG, Rmsg::Version { version, .. }) => assert_eq!(version, "unknown"),
            (NOTAG, Rmsg::Error { .. }) => assert_eq!(msize, 10),
            other => panic!("{other:?}"),
        }
        assert!(matches!(client.call(attach(ROOT)), Rmsg::Error { .. }));
    }
}

#[test]
fn a_small_msize_is_kept() {
    let server = Standin::start();
    let mut client = server.raw();
    let version = Bytes::from_static(b"9P2000");
    client.send_tagged(NOTAG, &Tmsg::Version { msize: 300, version });
    assert!(matches!(client.receive(), (NOTAG, Rmsg::Version { msize: 300, .. })));
    assert!(matches!(client.call(attach(ROOT)), Rmsg::Attach { .. }));
    let fid = client.open("/README", OREAD).unwrap();
    assert_eq!(client.read_at(fid, 0, u32::MAX).unwrap().len(), 300 - 11);
    let long = "y".repeat(200);
    assert!(error(client.call(walk(ROOT, 9, &[&long]))).len() < 300);
    client.stream.write_all(&frame(118, 5, &[0; 400])).unwrap();
    assert!(client.try_receive().is_none());
}

fn walk(fid: u32, newfid: u32, names: &[&str]) -> Tmsg {
    let names = names.iter().map(|name| Bytes::copy_from_slice(name.as_bytes())).collect();
    Tmsg::Walk { fid, newfid, names }
}

#[test]
fn fids_are_what_the_manual_says() {
    let server = Standin::start();
    let mut client = server.client();
    let refused = |reply: Rmsg| matches!(reply, Rmsg::Error { .. });
    assert!(refused(client.call(attach(ROOT))));
    assert!(refused(client.call(walk(99, 9, &[]))));
    assert!(refused(client.call(walk(ROOT, NOFID, &[]))));
    assert!(refused(client.call(walk(ROOT, 9, &["nowhere"]))));
    assert!(
        refused(client.call(walk(ROOT, 9, &["index", ".."]))) || {
            matches!(client.call(Tmsg::Stat { fid: 9 }), Rmsg::Error { .. })
        }
    );
    match client.call(walk(ROOT, 9, &["pane", "1", "nowhere"])) {
        Rmsg::Walk { qids } => assert_eq!(qids.len(), 2),
        other => panic!("{other:?}"),
    }
    assert!(refused(client.call(Tmsg::Stat { fid: 9 })));
    assert!(refused(client.call(walk(ROOT, 9, &[".."; 17]))));
    assert!(matches!(client.call(walk(ROOT, 9, &[".."; 16])), Rmsg::Walk { .. }));
    assert!(refused(client.call(walk(ROOT, 9, &["index"]))));
    for odd in ["", ".", "a/b", "pane/1", "in\0dex", "01"] {
        assert!(refused(client.call(walk(ROOT, 10, &[odd]))), "{odd:?}");
    }
    assert!(refused(client.call(Tmsg::Open { fid: 9, mode: 0x80 })));
    assert!(matches!(client.call(Tmsg::Open { fid: 9, mode: OREAD }), Rmsg::Open { .. }));
    assert!(refused(client.call(Tmsg::Open { fid: 9, mode: OREAD })));
    assert!(refused(client.call(walk(9, 10, &[]))));
    assert!(refused(client.call(Tmsg::Remove { fid: 9 })));
    assert!(refused(client.call(Tmsg::Clunk { fid: 9 })));
    let stat = Bytes::from_static(b"\0\0");
    assert!(refused(client.call(Tmsg::Wstat { fid: ROOT, stat })));
    assert!(refused(client.call(Tmsg::Auth { afid: 5, uname: Bytes::new(), aname: Bytes::new() })));
    for (name, perm, mode) in
        [("new", 0o666, 0), ("x", 1 << 31, 0), ("..", 1 << 31, 0), ("new", 1 << 31, 1)]
    {
        let fid = client.walk("/pane").unwrap();
        let name = Bytes::from_static(name.as_bytes());
        assert!(refused(client.call(Tmsg::Create { fid, name, perm, mode })));
    }
    let fid = client.walk("/col").unwrap();
    let name = Bytes::from_static(b"new");
    let made = client.call(Tmsg::Create { fid, name, perm: 1 << 31 | 0o777, mode: OREAD });
    assert!(matches!(made, Rmsg::Create { .. }));
    assert_eq!(client.names("/col").len(), 2);
}

#[test]
fn offsets_and_counts_at_their_extremes_are_answered() {
    let server = Standin::start();
    let mut client = server.client();
    for path in
        ["/README", "/index", "/pane/1/body", "/pane/1/data", "/log", "/pane", "/src/alpha.txt"]
    {
        for offset in [1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, u64::MAX] {
            let fid = client.open(path, OREAD).unwrap();
            for count in [0, 1, MSIZE - 11, 1 << 31, u32::MAX] {
                let data = client.read_at(fid, offset, count);
                let is_data = path == "/pane/1/data";
                assert!(data.is_ok_and(|data| data.is_empty() || is_data), "{path} {offset}");
            }
            client.clunk(fid);
        }
    }
    let fid = client.open("/pane/1/body", ORDWR).unwrap();
    let data = Bytes::from_static(b"x");
    let reply = client.call(Tmsg::Write { fid, offset: u64::MAX, data });
    assert_eq!(reply, Rmsg::Write { count: 1 });
}

#[test]
fn flushes_and_tags_are_what_the_manual_says() {
    let server = Standin::start();
    let mut client = server.client();
    for oldtag in [0, 1, 999, NOTAG] {
        assert_eq!(client.call(Tmsg::Flush { oldtag }), Rmsg::Flush);
    }
    let fid = client.open("/pane/1/event", OREAD).unwrap();
    client.send_tagged(500, &Tmsg::Read { fid, offset: 0, count: 100 });
    client.send_tagged(500, &Tmsg::Stat { fid: ROOT });
    assert!(matches!(client.receive(), (500, Rmsg::Error { .. })));
    client.send_tagged(501, &Tmsg::Read { fid, offset: 0, count: 100 });
    client.send_tagged(502, &Tmsg::Flush { oldtag: 501 });
    client.send_tagged(503, &Tmsg::Flush { oldtag: 501 });
    assert_eq!(client.receive(), (502, Rmsg::Flush));
    assert_eq!(client.receive(), (503, Rmsg::Flush));
    client.send_tagged(504, &Tmsg::Clunk { fid });
    assert!(matches!(client.receive(), (500, Rmsg::Error { .. })));
    assert_eq!(client.receive(), (504, Rmsg::Clunk));
    assert!(client.receive_soon().is_none());
}

#[test]
fn a_second_version_frees_all_and_answers_nothing_that_waited() {
    let server = Standin::start();
    let mut client = server.client();
    let fid = client.open("/pane/1/event", OREAD).unwrap();
    client.send(&Tmsg::Read { fid, offset: 0, count: 100 });
    let version = Bytes::from_static(b"9P2000");
    client.send_tagged(NOTAG, &Tmsg::Version { msize: MSIZE, version });
    assert!(matches!(client.receive(), (NOTAG, Rmsg::Version { .. })));
    assert!(matches!(client.call(Tmsg::Stat { fid }), Rmsg::Error { .. }));
    assert!(matches!(client.call(attach(ROOT)), Rmsg::Attach { .. }));
    assert!(client.open("/pane/1/event", OREAD).is_ok());
}

#[test]
fn a_hang_up_frees_what_was_held() {
    let server = Standin::start();
    let mut client = server.client();
    let fid = client.open("/pane/1/event", OREAD).unwrap();
    client.send(&Tmsg::Read { fid, offset: 0, count: 100 });
    let locking = client.open("/pane/1/ctl", ORDWR).unwrap();
    client.write_to(locking, "lock\n").unwrap();
    let mut other = server.client();
    assert!(other.write("/pane/1/ctl", "clean\n").is_err());
    client.stream.write_all(&[20, 0, 0]).unwrap();
    drop(client);
    wait("the hang-up to be seen", || other.open("/pane/1/event", OREAD).is_ok());
    other.write("/pane/1/ctl", "clean\n").unwrap();
}

#[test]
fn a_client_that_takes_no_replies_is_read_no_further() {
    let server = Standin::start();
    let pid = server.child.id();
    let mut client = server.client();
    client.stream.set_nonblocking(true).unwrap();
    let mut stats = Vec::new();
    (0..4_096).for_each(|tag| stats.extend_from_slice(&frame(124, tag, &ROOT.to_le_bytes())));
    let mut sent = 0;
    // It sends until the server has stopped to read: a socket's buffer, and no more, is between.
    let mut idle = 0;
    wait("the server to stop reading", || {
        match client.stream.write(&stats[sent % stats.len()..]) {
            Ok(count) => (sent, idle) = (sent + count, 0),
            Err(_) => idle += 1,
        }
        idle > 20 || sent > 64 << 20
    });
    assert!(sent < 64 << 20, "{sent} bytes were read");
    assert!(resident_kib(pid) < 64 << 10);
    let mut other = server.client();
    assert!(other.read("/index").is_ok());
    // Once it takes them, it is served again.
    client.stream.set_nonblocking(false).unwrap();
    let mut taken = 0;
    while taken < sent / 11 {
        assert!(matches!(client.receive(), (_, Rmsg::Stat { .. })));
        taken += 1;
    }
}

#[test]
fn reads_that_wait_have_a_bound() {
    let server = Standin::start();
    let mut client = server.client();
    let fid = client.open("/pane/1/event", OREAD).unwrap();
    for tag in 1_000..1_256 {
        client.send_tagged(tag, &Tmsg::Read { fid, offset: 0, count: 1 });
    }
    client.send_tagged(2_000, &Tmsg::Read { fid, offset: 0, count: 1 });
    assert!(matches!(client.receive(), (2_000, Rmsg::Error { .. })));
    let mut other = server.client();
    other.write("/pane/1/body", "abc").unwrap();
    for tag in 1_000..1_005 {
        assert!(matches!(client.receive(), (got, Rmsg::Read { .. }) if got == tag));
    }
}

/// Memory that a process has, in KiB.
fn resident_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn long_lines_and_endless_blocks_are_refused() {
    let server = Standin::start();
    let mut client = server.client();
    let refused = |client: &mut Client, path: &str, piece: &str| {
        let fid = client.open(path, ORDWR).or_else(|_| client.open(path, 1)).unwrap();
        let at = (0..100).find(|_| client.write_to(fid, piece).is_err());
        client.clunk(fid);
        at.is_some()
    };
    let long = "x".repeat(60_000);
    assert!(refused(&mut client, "/ctl", &long));
    assert!(refused(&mut client, "/pane/1/look", &long));
    assert!(refused(&mut client, "/pane/1/tag", &long));
    assert!(refused(&mut client, "/pane/1/exec", &format!("Edit a\n{}", "line\n".repeat(1_000))));
    assert!(client.write("/pane/1/name", &long).is_err());
    let deep = format!("Edit {}d\n", ",x/a/".repeat(1_000));
    assert!(client.write("/pane/1/exec", deep).is_err());
    let nested = format!("{}a{}", "(".repeat(1_000), ")".repeat(1_000));
    assert!(client.write("/pane/1/addr", format!("/{nested}/")).is_err());
    assert!(client.write("/pane/1/addr", "1,".repeat(1_000)).is_err());
    assert!(client.write("/pane/1/addr", "+".repeat(1_000)).is_err());
}
