//! Servers that do what no server should: none holds a script for long, or makes it grow.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

use super::*;

/// Runs a script against a server that is a thread, and gives what passed.
fn against(serve: fn(UnixStream), steps: &[WireStep]) -> Exchange {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let listener = UnixListener::bind(&path).unwrap();
    let server = std::thread::spawn(move || {
        if let Ok((stream, _)) = listener.accept() {
            serve(stream);
        }
    });
    let exchange = run_at(&path, steps).unwrap();
    server.join().unwrap();
    exchange
}

fn version() -> WireStep {
    WireStep::send(Tmsg::Version { msize: 8_192, version: "9P2000".into() })
}

/// Reads on until the other side is gone.
fn drain(mut stream: UnixStream) {
    let mut buffer = [0; 4096];
    while stream.read(&mut buffer).is_ok_and(|count| count > 0) {}
}

#[test]
fn silence_ends_a_script_within_one_deadline() {
    let steps = [version(), WireStep::Wait, version(), WireStep::Wait];
    let exchange = against(drain, &steps);
    assert_eq!(exchange.events.last(), Some(&WireEvent::Waited { silent: true }));
    assert_eq!(exchange.events.len(), 2);
}

#[test]
fn a_hang_up_is_told_after_what_came_before_it() {
    let says = |mut stream: UnixStream| {
        // All of both requests: closed with some unread, a socket forgets what it was to deliver.
        stream.read_exact(&mut [0; 19 + 11]).unwrap();
        stream.write_all(b"\x09\0\0\0k\xff\xff\0\0\x07\0\0").unwrap();
    };
    // The second is never answered, so that the wait goes on until the hang-up.
    let steps = [version(), WireStep::send(Tmsg::Stat { fid: 1 }), WireStep::Wait];
    let exchange = against(says, &steps);
    let [_, _, WireEvent::Received(frame), WireEvent::HungUp, ..] = &exchange.events[..] else {
        panic!("{exchange:?}");
    };
    assert_eq!(frame.len(), 9);
}

#[test]
fn what_is_no_frame_ends_a_script() {
    let small = |mut stream: UnixStream| {
        stream.write_all(b"\x03\0\0\0").unwrap();
        drain(stream);
    };
    let large = |mut stream: UnixStream| {
        stream.write_all(b"\xff\xff\xff\xffk\xff\xff").unwrap();
        drain(stream);
    };
    for serve in [small as fn(UnixStream), large] {
        let exchange = against(serve, &[version(), WireStep::Wait]);
        let unframed = |event: &WireEvent| matches!(event, WireEvent::Unframed(_));
        assert!(exchange.events.iter().any(unframed), "{exchange:?}");
    }
}

#[test]
fn a_flood_ends_a_script() {
    let small = |mut stream: UnixStream| while stream.write_all(b"\x07\0\0\0m\0\0").is_ok() {};
    let large = |mut stream: UnixStream| {
        let mut frame = vec![0; 200_000];
        frame[..7].copy_from_slice(b"\x40\x0d\x03\0u\0\0");
        while stream.write_all(&frame).is_ok() {}
    };
    for flood in [small as fn(UnixStream), large] {
        let exchange = against(flood, &[version(), WireStep::Wait]);
        assert!(exchange.events.len() <= SCRIPT_FRAMES + 10, "{}", exchange.events.len());
        assert!(exchange.events.iter().any(|event| matches!(event, WireEvent::Unframed(_))));
    }
}

#[test]
fn a_server_that_reads_nothing_does_not_hold_us() {
    let data = Bytes::from(vec![b'x'; 15_000]);
    let write = WireStep::send(Tmsg::Write { fid: 1, offset: 0, data });
    let steps: Vec<WireStep> = [version()].into_iter().chain(vec![write; 60]).collect();
    let idle = |stream: UnixStream| {
        std::thread::sleep(Duration::from_millis(REPLY_TIMEOUT_MS + 1_000));
        drop(stream);
    };
    let exchange = against(idle, &steps);
    assert_eq!(exchange.events.last(), Some(&WireEvent::Waited { silent: true }));
}

#[test]
fn a_socket_that_nobody_serves_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    assert!(matches!(run_at(&path, &[]), Err(WireError::Dropped(_))));
}
