//! Servers that do what no server should: none holds a script for long, or makes it grow.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

use super::*;

/// Runs a script against a server that is a thread, and gives what passed and how long it took.
fn against(serve: fn(UnixStream), steps: &[WireStep]) -> (Exchange, Duration) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let listener = UnixListener::bind(&path).unwrap();
    let server = std::thread::spawn(move || {
        if let Ok((stream, _)) = listener.accept() {
            serve(stream);
        }
    });
    let started = Instant::now();
    let exchange = run(&path, steps).unwrap();
    let took = started.elapsed();
    server.join().unwrap();
    (exchange, took)
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
    let (exchange, took) = against(drain, &steps);
    assert_eq!(exchange.events.last(), Some(&WireEvent::Waited { silent: true }));
    assert_eq!(exchange.events.len(), 2);
    assert!(took < Duration::from_millis(2 * REPLY_TIMEOUT_MS), "{took:?}");
}

#[test]
fn a_hang_up_is_told_after_what_came_before_it() {
    let says = |mut stream: UnixStream| {
        stream.write_all(b"\x09\0\0\0k\xff\xff\0\0\x07\0\0").unwrap();
    };
    let (exchange, _) = against(says, &[version(), WireStep::Wait]);
    let [_, WireEvent::Received(frame), WireEvent::HungUp, ..] = &exchange.events[..] else {
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
        let (exchange, _) = against(serve, &[version(), WireStep::Wait]);
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
        let (exchange, took) = against(flood, &[version(), WireStep::Wait]);
        assert!(exchange.events.len() <= SCRIPT_FRAMES + 10, "{}", exchange.events.len());
        assert!(exchange.events.iter().any(|event| matches!(event, WireEvent::Unframed(_))));
        assert!(took < Duration::from_millis(SCRIPT_MS), "{took:?}");
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
    let (exchange, took) = against(idle, &steps);
    assert!(took < Duration::from_millis(REPLY_TIMEOUT_MS + 2_000), "{took:?}");
    assert_eq!(exchange.events.last(), Some(&WireEvent::Waited { silent: true }));
}

#[test]
fn a_socket_that_nobody_serves_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    assert!(matches!(run(&path, &[]), Err(WireError::Dropped(_))));
}
