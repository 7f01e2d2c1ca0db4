//! What a hostile peer can do to the client: every time an error value, in time, and no more.

use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use monkey9p::wire::msg::{Rmsg, Tmsg};
use monkey9p::wire::{Conn, Held, WireError, codec, drive};

const MSIZE: u32 = 8192;
const SHORT: Duration = Duration::from_millis(200);

/// Drives with a limit that no test reaches.
fn drive_all<T>(conn: &Conn, future: impl Future<Output = T>) -> T {
    drive(std::slice::from_ref(conn), Duration::from_secs(60), future).unwrap()
}

fn frame(message: &Rmsg, tag: u16) -> Vec<u8> {
    let mut out = BytesMut::new();
    codec::encode(message, tag, &mut out).unwrap();
    out.to_vec()
}

/// Reads one request, and gives its tag.
fn next_tag(peer: &mut UnixStream) -> u16 {
    let mut head = [0; 7];
    peer.read_exact(&mut head).unwrap();
    let size = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
    let mut rest = vec![0; size as usize - 7];
    peer.read_exact(&mut rest).unwrap();
    u16::from_le_bytes([head[5], head[6]])
}

/// Sends a Tclunk to a peer that plays `part`, and gives what came of it.
fn against(part: impl FnOnce(&mut UnixStream) + Send + 'static) -> Result<(), WireError> {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let peer = thread::spawn(move || {
        part(&mut theirs);
        // Until the client has had enough.
        let _ = theirs.read(&mut [0; 64]);
    });
    let conn = Conn::new(OwnedFd::from(ours), MSIZE).unwrap();
    let outcome = drive_all(&conn, conn.call(&Tmsg::Clunk { fid: 1 }, SHORT)).map(drop);
    drop(conn);
    peer.join().unwrap();
    outcome
}

fn dropped(outcome: Result<(), WireError>, want: &str) {
    match outcome {
        Err(WireError::Dropped(why)) if why.contains(want) => {}
        other => panic!("wanted dropped: {want}, got {other:?}"),
    }
}

#[test]
fn a_wrong_type_is_dropped() {
    dropped(
        against(|peer| {
            let tag = next_tag(peer);
            peer.write_all(&frame(&Rmsg::Remove, tag)).unwrap();
        }),
        "expected Rclunk, received Rremove",
    );
}

#[test]
fn a_wrong_tag_is_dropped() {
    dropped(
        against(|peer| {
            let tag = next_tag(peer);
            peer.write_all(&frame(&Rmsg::Clunk, tag + 7)).unwrap();
        }),
        "which no request carries",
    );
}

#[test]
fn a_t_message_from_a_server_is_dropped() {
    dropped(
        against(|peer| {
            let tag = next_tag(peer);
            let mut out = BytesMut::new();
            codec::encode(&Tmsg::Clunk { fid: 1 }, tag, &mut out).unwrap();
            peer.write_all(&out).unwrap();
        }),
        "received Tclunk",
    );
}

#[test]
fn sizes_that_cannot_be_are_dropped_at_once() {
    for size in [0u32, 3, 6, MSIZE + 1, u32::MAX] {
        dropped(
            against(move |peer| {
                next_tag(peer);
                peer.write_all(&size.to_le_bytes()).unwrap();
            }),
            &format!("announces {size} bytes"),
        );
    }
}

#[test]
fn a_body_that_is_cut_or_too_long_is_dropped() {
    for (body, want) in
        [(&b"\x05\x00ab"[..], "ends inside"), (&b"\x00\x00zz"[..], "after its last")]
    {
        dropped(
            against(move |peer| {
                let tag = next_tag(peer);
                let mut message = (7 + body.len() as u32).to_le_bytes().to_vec();
                message.push(107);
                message.extend(tag.to_le_bytes());
                message.extend(body);
                peer.write_all(&message).unwrap();
            }),
            want,
        );
    }
}

#[test]
fn silence_and_half_a_message_are_hangs() {
    for sent in [0, 3, 6] {
        let outcome = against(move |peer| {
            let tag = next_tag(peer);
            peer.write_all(&frame(&Rmsg::Clunk, tag)[..sent]).unwrap();
        });
        assert!(
            matches!(&outcome, Err(WireError::Hang(why)) if why.contains("no reply")),
            "{outcome:?}"
        );
    }
}

#[test]
fn a_hang_up_is_dropped_wherever_it_falls() {
    for sent in [0, 5] {
        dropped(
            against(move |peer| {
                let tag = next_tag(peer);
                peer.write_all(&frame(&Rmsg::Clunk, tag)[..sent]).unwrap();
                peer.shutdown(std::net::Shutdown::Both).unwrap();
            }),
            "connection closed",
        );
    }
}

#[test]
fn a_peer_that_reads_nothing_is_a_hang() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let conn = Conn::new(OwnedFd::from(ours), 1 << 22).unwrap();
    let data = Bytes::from(vec![0; 4_000_000]);
    let write = Tmsg::Write { fid: 1, offset: 0, data };
    let outcome = drive_all(&conn, conn.call(&write, SHORT));
    assert!(matches!(&outcome, Err(WireError::Hang(why)) if why.contains("drain")), "{outcome:?}");
    drop(theirs);
}

#[test]
fn a_late_reply_to_a_flushed_tag_is_thrown_away() {
    let (ours, mut peer) = UnixStream::pair().unwrap();
    let server = thread::spawn(move || {
        let held = next_tag(&mut peer);
        let flush = next_tag(&mut peer);
        // In one segment: not even what arrives with the Rflush counts.
        let late = frame(&Rmsg::Read { data: Bytes::from_static(b"late") }, held);
        peer.write_all(&[frame(&Rmsg::Flush, flush), late].concat()).unwrap();
        let next = next_tag(&mut peer);
        peer.write_all(&frame(&Rmsg::Clunk, next)).unwrap();
        let _ = peer.read(&mut [0; 64]);
    });
    let conn = Conn::new(OwnedFd::from(ours), MSIZE).unwrap();
    let outcome = drive_all(&conn, async {
        let held = conn.call_held(&Tmsg::Read { fid: 1, offset: 0, count: 10 }).await?;
        assert_eq!(held, Held::Flushed);
        conn.call(&Tmsg::Clunk { fid: 1 }, SHORT).await
    });
    assert_eq!(outcome, Ok(Ok(Rmsg::Clunk)));
    drop(conn);
    server.join().unwrap();
}

#[test]
fn an_answer_before_the_rflush_counts() {
    let (ours, mut peer) = UnixStream::pair().unwrap();
    let server = thread::spawn(move || {
        let held = next_tag(&mut peer);
        let flush = next_tag(&mut peer);
        let answer = frame(&Rmsg::Read { data: Bytes::from_static(b"in time") }, held);
        peer.write_all(&[answer, frame(&Rmsg::Flush, flush)].concat()).unwrap();
        let _ = peer.read(&mut [0; 64]);
    });
    let conn = Conn::new(OwnedFd::from(ours), MSIZE).unwrap();
    let read = Tmsg::Read { fid: 1, offset: 0, count: 10 };
    let held = drive_all(&conn, conn.call_held(&read));
    assert!(matches!(held, Ok(Held::Answered(Ok(_)))), "{held:?}");
    drop(conn);
    server.join().unwrap();
}

#[test]
fn replies_out_of_order_reach_their_requests() {
    let (ours, mut peer) = UnixStream::pair().unwrap();
    let server = thread::spawn(move || {
        let tags: Vec<u16> = (0..3).map(|_| next_tag(&mut peer)).collect();
        for (count, tag) in tags.iter().enumerate().rev() {
            let reply = frame(&Rmsg::Write { count: count as u32 }, *tag);
            // A byte at a time: framing must not care.
            for byte in reply {
                peer.write_all(&[byte]).unwrap();
            }
        }
        let _ = peer.read(&mut [0; 64]);
    });
    let conn = Conn::new(OwnedFd::from(ours), MSIZE).unwrap();
    let write = Tmsg::Write { fid: 1, offset: 0, data: Bytes::new() };
    let counts = drive_all(&conn, async {
        let sent: Vec<_> = (0..3).map(|_| conn.submit(&write, SHORT).unwrap()).collect();
        let mut counts = Vec::new();
        for pending in sent {
            counts.push(pending.await.unwrap().unwrap());
        }
        counts
    });
    assert_eq!(counts, [0, 1, 2].map(|count| Rmsg::Write { count }));
    drop(conn);
    server.join().unwrap();
}

#[test]
fn a_request_beyond_the_msize_is_not_sent() {
    let (ours, _peer) = UnixStream::pair().unwrap();
    let conn = Conn::new(OwnedFd::from(ours), MSIZE).unwrap();
    let data = Bytes::from(vec![0; MSIZE as usize]);
    let big = Tmsg::Write { fid: 1, offset: 0, data };
    assert!(matches!(conn.submit(&big, SHORT), Err(WireError::Unsendable(_))));
    let name = Bytes::from(vec![b'x'; 70_000]);
    let long = Tmsg::Walk { fid: 1, newfid: 2, names: vec![name] };
    assert!(matches!(conn.submit(&long, SHORT), Err(WireError::Unsendable(_))));
}

#[test]
fn a_peer_that_answers_each_just_in_time_is_a_hang_in_the_end() {
    let (ours, mut peer) = UnixStream::pair().unwrap();
    let server = thread::spawn(move || {
        while let Ok(tag) =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| next_tag(&mut peer)))
        {
            thread::sleep(Duration::from_millis(20));
            let data = Bytes::from_static(b"x");
            if peer.write_all(&frame(&Rmsg::Read { data }, tag)).is_err() {
                return;
            }
        }
    });
    let conn = Conn::new(OwnedFd::from(ours), MSIZE).unwrap();
    let limit = Duration::from_millis(300);
    let outcome = drive(std::slice::from_ref(&conn), limit, conn.read_all(1, 8));
    assert!(
        matches!(&outcome, Err(WireError::Hang(why)) if why.contains("not done")),
        "{outcome:?}"
    );
    drop(conn);
    server.join().unwrap();
}
