//! Shells on terminals and commands beside the session: they run, are told things, and end.
#![cfg(feature = "standin")]

mod standin_common;

use bytes::Bytes;
use monkey9p::wire::msg::{ORDWR, OREAD, Rmsg, Tmsg};
use standin_common::{Client, Standin, wait};

#[test]
fn a_pane_becomes_a_terminal_and_closes_with_its_shell() {
    let server = Standin::start();
    let mut client = server.client();
    let serial = client.new_pane();
    assert_eq!(client.text(&format!("/pane/{serial}/pty/status")), "none\n");
    client.write(&format!("/pane/{serial}/ctl"), "Tty\n").unwrap();
    assert!(client.text(&format!("/pane/{serial}/pty/status")).starts_with("running "));
    let errs = client.errs(|client| {
        assert!(client.write(&format!("/pane/{serial}/ctl"), "Tty\n").is_err());
    });
    assert_eq!(errs, [format!("err {serial} ctl: a shell runs in this pane already")]);
    let fid = client.open(&format!("/pane/{serial}/pty/run"), ORDWR).unwrap();
    client.write_to(fid, "echo sum-$((40+2))\n").unwrap();
    until(&mut client, fid, "sum-42");
    wait("the body", || client.text(&format!("/pane/{serial}/body")).contains("sum-42\n"));
    let lines = client.logged(|client| {
        client.write_to(fid, "exit 3\n").unwrap();
        wait("the pane's close", || client.serials() == [1]);
    });
    assert!(lines.contains(&format!("exit {serial} shell: 3")), "{lines:?}");
    assert!(lines.iter().all(|line| !line.starts_with("err") && !line.starts_with("msg")));
    // The output is there to its end, which is told as often as it is asked for.
    while !client.read_at(fid, 0, 100).unwrap().is_empty() {}
    assert!(client.read_at(fid, 0, 100).unwrap().is_empty());
}

#[test]
fn the_last_shell_that_exits_ends_the_session() {
    let mut server = Standin::start();
    let mut client = server.client();
    client.write("/pane/1/ctl", "Tty\n").unwrap();
    let fid = client.open("/pane/1/pty/run", ORDWR).unwrap();
    client.write_to(fid, "exit\n").unwrap();
    assert_eq!(server.ended(), Some(0));
}

#[test]
fn a_read_of_output_waits_and_is_flushed() {
    let server = Standin::start();
    let mut client = server.client();
    client.new_pane();
    assert!(client.open("/pane/2/pty/data", OREAD).is_ok());
    client.write("/pane/2/ctl", "Tty\n").unwrap();
    let fid = client.open("/pane/2/pty/data", ORDWR).unwrap();
    client.write_to(fid, "stty -echo; PS1=; echo re''ady\n").unwrap();
    until(&mut client, fid, "ready\r\n");
    let oldtag = client.send(&Tmsg::Read { fid, offset: 0, count: 100 });
    assert!(client.receive_soon().is_none());
    let flush = client.send(&Tmsg::Flush { oldtag });
    assert_eq!(client.receive(), (flush, Rmsg::Flush));
    let read = client.send(&Tmsg::Read { fid, offset: 0, count: 100 });
    let data = Bytes::from_static(b"printf abc; sleep 1\n");
    let write = client.send(&Tmsg::Write { fid, offset: 0, data });
    assert_eq!(client.receive(), (write, Rmsg::Write { count: 20 }));
    assert_eq!(client.receive(), (read, Rmsg::Read { data: Bytes::from_static(b"abc") }));
}

#[test]
fn signals_and_sizes_reach_the_shell() {
    let server = Standin::start();
    let mut client = server.client();
    client.new_pane();
    client.write("/pane/2/pty/ctl", "exec\n").unwrap();
    let fid = client.open("/pane/2/pty/data", ORDWR).unwrap();
    client.write("/pane/2/pty/ctl", "winsize 33 7\n").unwrap();
    client.write_to(fid, "stty size\n").unwrap();
    until(&mut client, fid, "7 33");
    client.write_to(fid, "sleep 1000; echo en''ded\n").unwrap();
    // The interrupt may come before the shell has begun to sleep, or when it has just read what is to
    // tell: both are sent until it does.
    let mut output = String::new();
    wait("the interrupt", || {
        client.write("/pane/2/pty/ctl", "sig INT\n").unwrap();
        client.write_to(fid, "echo go''ing on\n").unwrap();
        output.push_str(&some(&mut client, fid));
        output.contains("going on")
    });
    for refused in ["sig BOGUS\n", "winsize 0 0\n", "winsize 99999 3\n", "sig\n", "exec\n"] {
        let errs = client.errs(|client| assert!(client.write("/pane/2/pty/ctl", refused).is_err()));
        assert_eq!(errs.len(), 1, "{refused}");
    }
    client.write("/pane/2/pty/ctl", "sig KILL\n").unwrap();
    wait("the pane's close", || client.serials() == [1]);
}

#[test]
fn closing_a_pane_ends_all_that_its_shell_has_started() {
    let server = Standin::start();
    let mut client = server.client();
    client.new_pane();
    client.write("/pane/2/ctl", "Tty\n").unwrap();
    let fid = client.open("/pane/2/pty/data", ORDWR).unwrap();
    client.write_to(fid, "trap '' HUP TERM; sleep 1000 & echo pi''d-$!-e''nd\n").unwrap();
    let output = until(&mut client, fid, "-end");
    let at = output.rfind("pid-").unwrap();
    let pid: u32 = output[at + 4..].split('-').next().unwrap().parse().unwrap();
    assert!(is_alive(pid));
    client.remove("/pane/2").unwrap();
    wait("the background job's end", || !is_alive(pid));
}

#[test]
fn commands_run_beside_the_session_with_their_output_in_an_errors_pane() {
    let server = Standin::start();
    let mut client = server.client();
    let errs = client.errs(|client| {
        client.write("/pane/1/exec", "echo hi $winid $samfile; exit 3\n").unwrap();
        wait("the output", || errors(client).contains("echo: exit 3"));
    });
    assert_eq!(errs, [""; 0]);
    assert!(errors(&mut client).starts_with("hi 1 alpha.txt\n"), "{}", errors(&mut client));
    // Signals are not blocked in what the server starts.
    client.write("/exec", "kill -TERM $$; echo survived\n").unwrap();
    wait("the signal", || errors(&mut client).contains("kill: exit SIGTERM"));
}

#[test]
fn commands_that_print_too_much_are_ended() {
    let server = Standin::start();
    let mut client = server.client();
    client.write("/exec", "yes\n").unwrap();
    wait("the end of it", || errors(&mut client).contains("yes: exit SIGKILL"));
    assert!(errors(&mut client).len() < 1 << 20);
    client.write("/exec", "sleep 1000\n").unwrap();
    assert!(client.text("/status").contains("jobs sleep\n"));
    client.write("/exec", "Kill sleep\n").unwrap();
    wait("the command's end", || client.text("/status").contains("jobs \n"));
}

#[test]
fn the_selection_goes_through_a_command() {
    let server = Standin::start();
    let mut client = server.client();
    client.write("/pane/1/dot", "1").unwrap();
    client.write("/pane/1/exec", "|tr a-z A-Z\n").unwrap();
    wait("the change", || client.text("/pane/1/body").starts_with("ALPHA BETA GAMMA\nsecond"));
    client.write("/pane/1/exec", "Edit 2 < echo new\n").unwrap();
    wait("the change", || client.text("/pane/1/body").contains("GAMMA\nnew\n\nthird"));
    client.write("/pane/1/exec", "Undo\n").unwrap();
    assert!(client.text("/pane/1/body").contains("GAMMA\nsecond line\n\nthird"));
    client.write("/pane/1/exec", "Edit , > wc -l\n").unwrap();
    wait("the count", || errors(&mut client).contains('4'));
    let before = client.text("/pane/1/body");
    client.write("/pane/1/exec", "Edit , < false\n").unwrap();
    wait("the failure", || errors(&mut client).contains("false: exit 1"));
    assert_eq!(client.text("/pane/1/body"), before, "a command that failed takes nothing away");
}

/// What the errors pane holds, nothing if there is none.
fn errors(client: &mut Client) -> String {
    for serial in client.serials() {
        if client.text(&format!("/pane/{serial}/name")).contains("+Errors") {
            return client.text(&format!("/pane/{serial}/body"));
        }
    }
    String::new()
}

/// Output up to and with `wanted`.
fn until(client: &mut Client, fid: u32, wanted: &str) -> String {
    let mut output = String::new();
    while !output.contains(wanted) {
        let data = client.read_at(fid, 0, 4_096).unwrap();
        assert!(!data.is_empty(), "the output ends without {wanted}: {output}");
        output.push_str(&String::from_utf8_lossy(&data));
    }
    output
}

/// Output if there is some soon.
fn some(client: &mut Client, fid: u32) -> String {
    let tag = client.send(&Tmsg::Read { fid, offset: 0, count: 4_096 });
    let reply = client.receive_soon();
    if reply.is_none() {
        client.call(Tmsg::Flush { oldtag: tag });
    }
    match reply {
        Some((_, Rmsg::Read { data })) => String::from_utf8_lossy(&data).into_owned(),
        _ => String::new(),
    }
}

fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // One that is dead and not reaped by whoever inherited it is dead all the same.
    !stat.is_empty() && !stat.contains(") Z ")
}
