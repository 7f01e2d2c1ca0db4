//! Made-up exchanges, good and bad, and what the rules say of each.

use bytes::{Bytes, BytesMut};

use crate::invariants::{ALL, Basis};
use crate::session::{Exchange, Outcome, Request, Sending, WireEvent};
use crate::wire::codec;
use crate::wire::msg::*;
use crate::wire::stat::Stat;

/// An exchange in the making.
struct Talk(Vec<WireEvent>);

impl Talk {
    /// After a handshake that attached the root to fid 1.
    fn begun() -> Talk {
        let attached = Rmsg::Attach { qid: dir(0) };
        Talk::new().version(8_192, "9P2000", 8_192, "9P2000").ask(0, attach(1), attached)
    }

    fn new() -> Talk {
        Talk(Vec::new())
    }

    /// A request, its answer and a wait.
    fn ask(self, tag: Tag, message: Tmsg, reply: Rmsg) -> Talk {
        self.send(tag, message).get(tag, reply).wait()
    }

    fn send(mut self, tag: Tag, message: Tmsg) -> Talk {
        let may_wait = matches!(message, Tmsg::Read { fid: 9, .. });
        let mut frame = BytesMut::new();
        codec::encode(&message, tag, &mut frame).unwrap();
        let request = Request::Message(message);
        let sending = Sending { tag: Some(tag), bytes: frame.len(), request, may_wait };
        self.0.push(WireEvent::Sent(sending));
        self
    }

    fn raw(mut self, bytes: &'static [u8]) -> Talk {
        let tag = codec::header(bytes).map(|(_, tag)| tag);
        let request = Request::Raw(Bytes::from_static(bytes));
        let sending = Sending { tag, bytes: bytes.len(), request, may_wait: true };
        self.0.push(WireEvent::Sent(sending));
        self
    }

    fn get(mut self, tag: Tag, reply: Rmsg) -> Talk {
        let mut frame = BytesMut::new();
        codec::encode(&reply, tag, &mut frame).unwrap();
        self.0.push(WireEvent::Received(frame.freeze()));
        self
    }

    fn bytes(mut self, bytes: &'static [u8]) -> Talk {
        self.0.push(WireEvent::Received(Bytes::from_static(bytes)));
        self
    }

    fn wait(mut self) -> Talk {
        self.0.push(WireEvent::Waited { silent: false });
        self
    }

    fn silence(mut self) -> Talk {
        self.0.push(WireEvent::Waited { silent: true });
        self
    }

    fn hung_up(mut self) -> Talk {
        self.0.push(WireEvent::HungUp);
        self
    }

    fn version(self, msize: u32, version: &str, agreed: u32, answered: &str) -> Talk {
        let text = |text: &str| Bytes::copy_from_slice(text.as_bytes());
        let reply = Rmsg::Version { msize: agreed, version: text(answered) };
        self.ask(NOTAG, Tmsg::Version { msize, version: text(version) }, reply)
    }

    /// The rules that it breaks.
    fn breaks(self) -> Vec<&'static str> {
        let wire = vec![Exchange { events: self.0 }];
        let outcome = Outcome { wire, ..Outcome::default() };
        let rules = ALL.iter().filter(|rule| rule.name.starts_with("wire_"));
        rules.filter(|rule| (rule.check)(&outcome).is_some()).map(|rule| rule.name).collect()
    }
}

fn attach(fid: Fid) -> Tmsg {
    Tmsg::Attach { fid, afid: NOFID, uname: Bytes::new(), aname: Bytes::new() }
}

fn walk(fid: Fid, newfid: Fid, names: usize) -> Tmsg {
    Tmsg::Walk { fid, newfid, names: vec![Bytes::from_static(b"x"); names] }
}

fn walked(qids: usize) -> Rmsg {
    Rmsg::Walk { qids: vec![file(7); qids] }
}

fn file(path: u64) -> Qid {
    Qid { kind: QTFILE, version: 0, path }
}

fn dir(path: u64) -> Qid {
    Qid { kind: QTDIR, version: 0, path }
}

fn open(fid: Fid, mode: u8) -> Tmsg {
    Tmsg::Open { fid, mode }
}

fn opened() -> Rmsg {
    Rmsg::Open { qid: file(7), iounit: 0 }
}

fn read(fid: Fid, count: u32) -> Tmsg {
    Tmsg::Read { fid, offset: 0, count }
}

fn data(bytes: usize) -> Rmsg {
    Rmsg::Read { data: vec![b'x'; bytes].into() }
}

fn write(fid: Fid) -> Tmsg {
    Tmsg::Write { fid, offset: 0, data: Bytes::from_static(b"abc") }
}

fn refused() -> Rmsg {
    Rmsg::Error { ename: Bytes::from_static(b"no") }
}

fn stat(fid: Fid) -> Tmsg {
    Tmsg::Stat { fid }
}

fn entry(qid: Qid) -> Rmsg {
    let mut out = BytesMut::new();
    let mode = u32::from(qid.kind) << 24 | 0o444;
    Stat { qid, mode, ..Stat::default() }.encode(&mut out).unwrap();
    Rmsg::Stat { stat: out.freeze() }
}

fn clunk(fid: Fid) -> Tmsg {
    Tmsg::Clunk { fid }
}

/// Fid 2 stands for a file.
fn with_file() -> Talk {
    Talk::begun().ask(1, walk(1, 2, 1), walked(1))
}

/// A read of fid 2 with tag 5 waits.
fn with_held_read() -> Talk {
    let bound = Talk::begun().ask(1, walk(1, 9, 1), walked(1)).ask(1, open(9, OREAD), opened());
    bound.send(5, read(9, 10)).wait()
}

#[test]
fn what_is_done_by_the_manual_breaks_nothing() {
    let good = [
        ("use", with_file().ask(1, open(2, ORDWR), opened()).ask(1, read(2, 5), data(5))),
        ("refusals", with_file().ask(1, open(2, OREAD), refused()).ask(1, clunk(2), refused())),
        ("again", with_file().ask(1, clunk(2), Rmsg::Clunk).ask(1, walk(1, 2, 1), walked(1))),
        ("partial", Talk::begun().ask(1, walk(1, 2, 3), walked(2)).ask(1, stat(2), refused())),
        ("in place", with_file().ask(1, walk(2, 2, 0), walked(0)).ask(1, stat(2), entry(file(7)))),
        ("clone", with_file().ask(1, walk(2, 3, 0), walked(0)).ask(1, stat(3), entry(file(7)))),
        ("held", with_held_read().silence()),
        ("held, told", with_held_read().get(5, data(3)).wait()),
        ("flushed", with_held_read().ask(6, Tmsg::Flush { oldtag: 5 }, Rmsg::Flush)),
        (
            "answered before its Rflush",
            with_held_read().send(6, Tmsg::Flush { oldtag: 5 }).get(5, data(1)).get(6, Rmsg::Flush),
        ),
        (
            "only the last of two flushes answered",
            with_held_read()
                .send(6, Tmsg::Flush { oldtag: 5 })
                .send(7, Tmsg::Flush { oldtag: 5 })
                .get(7, Rmsg::Flush)
                .silence(),
        ),
        (
            "flushes of nothing in any order",
            Talk::begun()
                .send(6, Tmsg::Flush { oldtag: 5 })
                .send(7, Tmsg::Flush { oldtag: 5 })
                .get(7, Rmsg::Flush)
                .get(6, Rmsg::Flush),
        ),
        (
            "the tag used again",
            with_held_read().ask(6, Tmsg::Flush { oldtag: 5 }, Rmsg::Flush).ask(
                5,
                stat(1),
                entry(dir(0)),
            ),
        ),
        (
            "session",
            with_file().version(8_192, "9P2000", 8_192, "9P2000").ask(1, stat(2), refused()),
        ),
        ("suffix", Talk::new().version(8_192, "9P2000.u", 4_096, "9P2000")),
        ("unknown", Talk::new().version(8_192, "8P2000", 8_192, "unknown")),
        (
            "tiny",
            Talk::new().ask(NOTAG, Tmsg::Version { msize: 7, version: "9P2000".into() }, refused()),
        ),
        ("malformed", with_file().raw(b"\x07\0\0\0\x79\x01\0").hung_up()),
        ("malformed, refused", with_file().raw(b"\x07\0\0\0\x79\x01\0").get(1, refused()).wait()),
        ("no size", with_file().send(3, stat(2)).raw(b"\0\0\0\0").hung_up()),
        (
            "a NUL",
            Talk::begun()
                .send(1, Tmsg::Create { fid: 1, name: "\0".into(), perm: 0, mode: 0 })
                .hung_up(),
        ),
    ];
    for (name, talk) in good {
        assert_eq!(talk.breaks(), [""; 0], "{name}");
    }
}

#[test]
fn what_the_manual_forbids_breaks_its_rule() {
    let version =
        |version: &str, answered: &str| Talk::new().version(8_192, version, 8_192, answered);
    let bad = [
        ("wire_replies", Talk::begun().get(3, refused())),
        ("wire_replies", with_file().get(1, refused())),
        ("wire_replies", with_file().ask(1, stat(2), Rmsg::Clunk)),
        ("wire_replies", with_file().send(1, stat(2)).bytes(b"\x0b\0\0\0k\x01\0\0\0\0\0")),
        ("wire_replies", with_file().raw(b"\x07\0\0\0\x79\x01\0").get(1, Rmsg::Clunk)),
        ("wire_answered", with_file().send(1, stat(2)).silence()),
        ("wire_answered", with_held_read().send(6, Tmsg::Flush { oldtag: 5 }).silence()),
        ("wire_hang_up", with_file().send(1, stat(2)).hung_up()),
        ("wire_hang_up", with_file().hung_up()),
        ("wire_flush", with_file().ask(1, Tmsg::Flush { oldtag: 9 }, refused())),
        (
            "wire_flush",
            with_held_read().ask(6, Tmsg::Flush { oldtag: 5 }, Rmsg::Flush).get(5, refused()),
        ),
        (
            "wire_flush",
            with_held_read().ask(6, Tmsg::Flush { oldtag: 5 }, Rmsg::Flush).get(5, data(1)),
        ),
        (
            "wire_walk",
            Talk::begun().ask(1, walk(1, 2, 2), walked(1)).ask(1, stat(2), entry(file(7))),
        ),
        ("wire_walk", Talk::begun().ask(1, walk(1, 2, 2), refused()).ask(1, clunk(2), Rmsg::Clunk)),
        ("wire_walk", Talk::begun().ask(1, walk(1, 2, 2), walked(0))),
        ("wire_walk", Talk::begun().ask(1, walk(1, 2, 2), walked(3))),
        ("wire_walk", Talk::begun().ask(1, walk(1, 2, 17), walked(17))),
        ("wire_walk", with_file().ask(1, walk(2, 3, 1), walked(1))),
        ("wire_fids", Talk::begun().ask(1, stat(5), entry(file(1)))),
        ("wire_fids", with_file().ask(1, walk(1, 2, 1), walked(1))),
        ("wire_fids", with_file().ask(1, attach(2), Rmsg::Attach { qid: dir(0) })),
        ("wire_clunk", with_file().ask(1, clunk(2), refused()).ask(1, stat(2), entry(file(7)))),
        ("wire_clunk", with_file().ask(1, clunk(2), Rmsg::Clunk).ask(1, clunk(2), Rmsg::Clunk)),
        (
            "wire_clunk",
            with_file().ask(1, Tmsg::Remove { fid: 2 }, refused()).ask(1, stat(2), entry(file(7))),
        ),
        ("wire_open", with_file().ask(1, read(2, 5), data(0))),
        (
            "wire_open",
            with_file().ask(1, open(2, OREAD), opened()).ask(1, open(2, OREAD), opened()),
        ),
        (
            "wire_open",
            with_file().ask(1, open(2, OREAD), opened()).ask(1, walk(2, 3, 0), walked(0)),
        ),
        (
            "wire_open",
            with_file().ask(1, open(2, OREAD), opened()).ask(1, write(2), Rmsg::Write { count: 3 }),
        ),
        ("wire_open", with_file().ask(1, open(2, OWRITE), opened()).ask(1, read(2, 5), data(0))),
        ("wire_open", Talk::begun().ask(1, open(1, OWRITE), opened())),
        ("wire_counts", with_file().ask(1, open(2, OREAD), opened()).ask(1, read(2, 5), data(6))),
        (
            "wire_counts",
            with_file().ask(1, open(2, OREAD), opened()).ask(1, read(2, 9_000), data(9_000)),
        ),
        (
            "wire_counts",
            with_file().ask(1, open(2, OWRITE), opened()).ask(
                1,
                write(2),
                Rmsg::Write { count: 4 },
            ),
        ),
        (
            "wire_version",
            with_file().version(8_192, "9P2000", 8_192, "9P2000").ask(1, stat(2), entry(file(7))),
        ),
        ("wire_version", version("8P2000", "9P2000")),
        ("wire_version", version("9P1999", "9P2000")),
        ("wire_version", version("9P2000", "HTTP")),
        ("wire_version", Talk::new().version(8_192, "9P2000", 8_193, "9P2000")),
        ("wire_qids", with_file().ask(1, stat(2), entry(file(8)))),
        ("wire_tags", with_held_read().ask(5, stat(1), entry(dir(0)))),
    ];
    for (index, (rule, talk)) in bad.into_iter().enumerate() {
        assert_eq!(talk.breaks(), [rule], "number {index}");
    }
}

/// Requests in flight together may be dealt with in any order.
#[test]
fn what_was_in_flight_together_is_no_claim() {
    let both = |one: Tmsg, two: Tmsg, first: Rmsg, second: Rmsg| {
        with_file().send(1, one).send(2, two).get(1, first).get(2, second).wait()
    };
    let talks = [
        both(clunk(2), stat(2), Rmsg::Clunk, entry(file(7))),
        both(open(2, OREAD), read(2, 5), refused(), data(1)),
        both(walk(1, 3, 1), stat(3), walked(1), entry(file(7))),
        both(clunk(2), walk(1, 2, 1), Rmsg::Clunk, walked(1)),
        both(walk(1, 3, 1), walk(1, 3, 1), walked(1), walked(1)),
    ];
    for (index, talk) in talks.into_iter().enumerate() {
        assert_eq!(talk.breaks(), [""; 0], "number {index}");
    }
    // On fids that nothing in flight changes, the claims stand.
    let apart = both(clunk(2), stat(5), Rmsg::Clunk, entry(file(7)));
    assert_eq!(apart.breaks(), ["wire_fids"]);
}

/// Two at a time: which of them the server took last is known only to it.
#[test]
fn two_versions_at_a_time_are_no_claim() {
    let version = |version: &'static str| Tmsg::Version { msize: 8_192, version: version.into() };
    let agreed = |version: &'static str| Rmsg::Version { msize: 8_192, version: version.into() };
    let talk = Talk::begun()
        .send(NOTAG, version("9P2000"))
        .send(NOTAG, version("8P2000"))
        .get(NOTAG, agreed("9P2000"))
        .get(NOTAG, agreed("unknown"))
        .wait()
        .ask(1, Tmsg::Flush { oldtag: 2 }, refused());
    assert_eq!(talk.breaks(), [""; 0]);
}

/// A Tversion on top of other requests makes all that follows unclear, until the next one.
#[test]
fn a_version_among_others_is_no_claim() {
    let version = Tmsg::Version { msize: 8_192, version: "9P2000".into() };
    let agreed = || Rmsg::Version { msize: 8_192, version: "9P2000".into() };
    let talk = with_file()
        .send(1, stat(2))
        .send(NOTAG, version)
        .get(NOTAG, agreed())
        .get(1, entry(file(7)))
        .wait()
        .ask(1, stat(2), entry(file(7)));
    assert_eq!(talk.breaks(), [""; 0]);
}

#[test]
fn every_rule_is_cited_by_page() {
    for rule in ALL.iter().filter(|rule| rule.name.starts_with("wire_")) {
        assert!(rule.cites.contains("(9P)"), "{}", rule.name);
        assert_eq!(rule.basis == Basis::Inferred, rule.name == "wire_tags");
    }
}
