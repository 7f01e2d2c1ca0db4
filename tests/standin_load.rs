//! Many clients, fids, panes and bytes at once: all are served, within a bound on memory.
#![cfg(feature = "standin")]

mod standin_common;

use std::time::{Duration, Instant};

use bytes::Bytes;
use monkey9p::wire::msg::{ORDWR, OREAD, OWRITE, Rmsg, Tmsg};
use standin_common::{Client, ROOT, Standin, wait};

const MIB: usize = 1 << 20;

#[test]
fn sixty_four_connections_are_served() {
    let server = Standin::start();
    let mut clients: Vec<Client> = (0..64).map(|_| server.client()).collect();
    for round in 0..20 {
        let tags: Vec<u16> =
            clients.iter_mut().map(|client| client.send(&Tmsg::Stat { fid: ROOT })).collect();
        for (client, tag) in clients.iter_mut().zip(tags) {
            let (got, reply) = client.receive();
            assert!(got == tag && matches!(reply, Rmsg::Stat { .. }), "round {round}");
        }
        for client in &mut clients {
            client.write("/pane/1/body", "x").unwrap();
        }
    }
    assert_eq!(clients[0].text("/pane/1/body").matches('x').count(), 64 * 20);
}

#[test]
fn ten_thousand_fids_are_kept() {
    let server = Standin::start();
    let mut client = server.client();
    let index = vec![Bytes::from_static(b"index")];
    for fid in 1..=10_000 {
        let walk = Tmsg::Walk { fid: ROOT, newfid: fid, names: index.clone() };
        assert!(matches!(client.call(walk), Rmsg::Walk { .. }));
        assert!(matches!(client.call(Tmsg::Open { fid, mode: OREAD }), Rmsg::Open { .. }));
    }
    assert!(client.read_at(10_000, 0, 100).is_ok());
    let names = index;
    let refused = (20_000..60_000).find(|fid| {
        let walk = Tmsg::Walk { fid: ROOT, newfid: *fid, names: names.clone() };
        matches!(client.call(walk), Rmsg::Error { .. })
    });
    assert!(refused.is_some(), "fids have a bound");
    (1..=10_000).for_each(|fid| client.clunk(fid));
    assert!(server.client().read("/index").is_ok());
}

#[test]
fn two_hundred_panes_are_listed_and_drawn() {
    let server = Standin::start();
    let mut client = server.client();
    for _ in 0..199 {
        client.new_pane();
    }
    assert_eq!(client.serials().len(), 200);
    assert_eq!(client.names("/pane").len(), 201);
    assert_eq!(client.text("/screen").lines().count(), 24);
    let errs = client.errs(|client| {
        let made = (0..1_000).take_while(|_| client.open("/pane/new", OREAD).is_ok()).count();
        assert!(made < 1_000, "panes have a bound");
    });
    assert_eq!(errs, ["err - pane/new: no more than 512 panes"]);
}

#[test]
fn a_body_of_sixty_four_mebibytes_is_held_and_edited() {
    let server = Standin::start();
    let mut client = server.client();
    client.new_pane();
    let line = "sixty three bytes and a newline, many times over and over again\n";
    assert_eq!(line.len(), 64);
    let piece = line.repeat(1_000);
    let fid = client.open("/pane/2/body", OWRITE).unwrap();
    let mut times = Vec::new();
    let mut written = 0;
    while written < 64 * MIB {
        let since = Instant::now();
        client.write_to(fid, &piece).unwrap();
        times.push(since.elapsed());
        written += piece.len();
    }
    client.clunk(fid);
    tell("writes of 64,000 bytes to a body of up to 64 MiB", &mut times);
    client.write("/pane/2/addr", "$-#64,$").unwrap();
    assert_eq!(client.text("/pane/2/xdata"), line);
    client.write("/pane/2/addr", "0/newline, many times over and over again\\n$/").unwrap();
    client.write("/pane/2/addr", "500000").unwrap();
    client.write("/pane/2/data", "changed\n").unwrap();
    let fid = client.open("/pane/2/body", OREAD).unwrap();
    let mut read = 0;
    let mut times = Vec::new();
    loop {
        let since = Instant::now();
        let data = client.read_at(fid, read as u64, 65_536).unwrap();
        times.push(since.elapsed());
        read += data.len();
        if data.is_empty() {
            break;
        }
    }
    tell("reads of 64 KiB of it", &mut times);
    assert_eq!(read, written - 64 + 8);
    let refused = (0..1_000).find(|_| client.write("/pane/2/body", &piece).is_err());
    assert!(refused.is_some(), "bodies have a bound");
    assert!(peak_mib(server.child.id()) < 512);
}

#[test]
fn a_shell_that_prints_without_end_leaves_the_others_served() {
    let server = Standin::start();
    let mut client = server.client();
    client.new_pane();
    client.write("/pane/2/ctl", "Tty\n").unwrap();
    let fid = client.open("/pane/2/pty/data", ORDWR).unwrap();
    client.write_to(fid, "while :; do seq 1 100000; done\n").unwrap();
    let mut times = Vec::new();
    let mut seen = 0;
    while seen < 8 * MIB {
        let since = Instant::now();
        seen += client.read_at(fid, 0, 65_536).unwrap().len();
        client.read("/index").unwrap();
        times.push(since.elapsed());
    }
    tell("a read of output and one of the index, beside endless output", &mut times);
    assert!(client.read("/pane/2/body").unwrap().len() < 4 * MIB);
    assert!(peak_mib(server.child.id()) < 128);
    client.remove("/pane/2").unwrap();
    wait("the output's end", || client.read_at(fid, 0, 65_536).unwrap().is_empty());
}

#[test]
fn an_edit_of_many_changes_is_made_or_refused() {
    let server = Standin::start();
    let mut client = server.client();
    client.new_pane();
    for _ in 0..20 {
        client.write("/pane/2/body", "x\n".repeat(30_000)).unwrap();
    }
    let mut times = Vec::new();
    for edit in ["0,1000s/x/yy/g", ",x/x/ g/x/ c/z/", ",s/z*/&&/g", ",x/a*/ x/b*/ d", "u"] {
        let since = Instant::now();
        let _ = client.write("/pane/2/exec", format!("Edit {edit}\n"));
        times.push(since.elapsed());
    }
    tell("edits of up to 600,000 matches", &mut times);
    assert!(client.read("/index").is_ok());
}

/// Shows a median. Times are for people to read: a test that fails by the clock fails by chance.
fn tell(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    println!("{what}: median {:?} of {}", times[times.len() / 2], times.len());
}

/// The most memory a process has had, in MiB.
fn peak_mib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() >> 10
}
