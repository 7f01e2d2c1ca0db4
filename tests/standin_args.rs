//! The command line, the socket, and how the server ends.
#![cfg(feature = "standin")]

mod standin_common;

use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Output, Stdio};

use monkey9p::standin::plants;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use standin_common::{Standin, command, wait};

/// Runs it to its end, which must come by itself.
fn run(change: impl FnOnce(&mut Command)) -> Output {
    let dir = tempfile::Builder::new().prefix("si.").tempdir_in("/tmp").unwrap();
    let mut command = command(dir.path(), dir.path());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    change(&mut command);
    command.output().unwrap()
}

fn refused(change: impl FnOnce(&mut Command)) -> String {
    let output = run(change);
    assert_eq!(output.status.code(), Some(2));
    let why = String::from_utf8(output.stderr).unwrap();
    assert!(why.starts_with("pardes-standin: "), "{why}");
    why
}

#[test]
fn bad_arguments_and_places_are_refused_with_a_reason() {
    for args in [&[][..], &["--nope"], &["--detach="], &["--detach=a/b"], &["file"], &["--json"]] {
        refused(|command| _ = command.args(args));
    }
    let why = refused(|command| _ = command.arg("--detach=t").env_remove("XDG_RUNTIME_DIR"));
    assert!(why.contains("XDG_RUNTIME_DIR"), "{why}");
    let why = refused(|command| {
        command.arg("--detach=t").env("XDG_RUNTIME_DIR", format!("/tmp/{}", "x".repeat(100)));
    });
    assert!(why.contains("107"), "{why}");
    let why = refused(|command| _ = command.arg("--detach=t").env("STANDIN_PLANT", "no-such"));
    assert!(why.contains("crash-on-regex"), "{why}");
    let why = refused(|command| _ = command.arg("--detach=t").env("XDG_RUNTIME_DIR", "/nowhere"));
    assert!(why.contains("/nowhere"), "{why}");
}

#[test]
fn the_planted_defects_are_listed() {
    let table = String::from_utf8(run(|command| _ = command.arg("--plants")).stdout).unwrap();
    let json = run(|command| _ = command.args(["--plants", "--json"])).stdout;
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&json).unwrap();
    assert_eq!(rows.len(), plants().len());
    for (plant, row) in plants().iter().zip(rows) {
        assert!(table.contains(plant.name));
        assert_eq!(row["name"], plant.name);
        assert_eq!(row["min_ops"], plant.min_ops);
        for field in ["breaks", "invariant", "seen"] {
            assert!(!row[field].as_str().unwrap().is_empty(), "{} {field}", plant.name);
        }
    }
    for help in ["--help", "--version"] {
        let output = run(|command| _ = command.arg(help));
        assert!(output.status.success() && !output.stdout.is_empty());
    }
}

#[test]
fn a_place_that_is_taken_is_refused_and_a_stale_one_used() {
    let server = Standin::start();
    let dir = server.socket.parent().unwrap().to_path_buf();
    let why = refused(|command| _ = command.arg("--detach=t").env("XDG_RUNTIME_DIR", &dir));
    assert!(why.contains("already"), "{why}");
    drop(server);
    let dir = tempfile::Builder::new().prefix("si.").tempdir_in("/tmp").unwrap();
    let socket = dir.path().join("pardes-9p-t.sock");
    drop(UnixListener::bind(&socket).unwrap());
    let mut child = command(dir.path(), dir.path()).arg("--detach=t").spawn().unwrap();
    wait("the socket", || UnixStream::connect(&socket).is_ok());
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
    assert!(!child.wait().unwrap().success());
    assert!(!socket.exists());
}

#[test]
fn a_termination_ends_it_with_all_it_started() {
    let mut server = Standin::start();
    let mut client = server.client();
    client.write("/pane/1/ctl", "Tty\n").unwrap();
    client.write("/exec", "sleep 1000\n").unwrap();
    let status = client.text("/pane/1/pty/status");
    let shell: u32 = status.split_whitespace().nth(1).unwrap().parse().unwrap();
    kill(Pid::from_raw(server.child.id() as i32), Signal::SIGTERM).unwrap();
    assert_eq!(server.ended(), Some(143));
    wait("the shell's end", || {
        let stat = std::fs::read_to_string(format!("/proc/{shell}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    });
}

#[test]
fn files_of_the_command_line_are_opened() {
    let server = Standin::with(|command| _ = command.args(["utf8.txt", "fresh.txt"]));
    let mut client = server.client();
    assert_eq!(client.text("/pane/2/name"), "utf8.txt\n");
    assert_eq!(client.text("/pane/3/body"), "");
    assert_eq!(client.text("/pane/3/name"), "fresh.txt\n");
}
