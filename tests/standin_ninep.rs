//! The tree as software that we did not write sees it: the `ninep` crate's client.
#![cfg(feature = "standin")]

mod standin_common;

use std::collections::BTreeSet;
use std::thread;

use ninep::fs::{FileType, Perm};
use ninep::sync::client::Client;
use standin_common::{Standin, wait};

fn client(server: &Standin) -> Client {
    Client::new_unix_with_explicit_path("test", &server.socket, "").unwrap()
}

/// Every path of the tree, those of the host's files left out.
fn paths(server: &Standin, directory: &str, found: &mut Vec<(String, Perm)>) {
    // This client keeps what it has opened open, and walks from an open root no more.
    for stat in client(server).read_dir(directory).unwrap() {
        let path = format!("{}/{}", directory.trim_end_matches('/'), stat.name);
        if path == "/os" || path == "/src" {
            continue;
        }
        let asked = client(server).stat(&*path).unwrap();
        assert_eq!(asked.qid, stat.qid, "{path}");
        assert_eq!(asked.perms, stat.perms, "{path}");
        if stat.qid.ty == FileType::DIRECTORY {
            paths(server, &path, found);
        } else {
            found.push((path, stat.perms));
        }
    }
}

#[test]
fn every_file_is_read_and_every_writable_one_written() {
    let server = Standin::start();
    let mut files = Vec::new();
    paths(&server, "/", &mut files);
    let names: BTreeSet<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    assert!(names.len() == files.len() && files.len() > 40, "{names:?}");
    for (path, perms) in &files {
        let reader = client(&server);
        let is_held = path.ends_with("/event") || path.contains("/pty/");
        if perms.contains(Perm::OWNER_READ) && !is_held {
            reader.read(&**path).unwrap_or_else(|why| panic!("{path}: {why}"));
        }
        if perms.contains(Perm::OWNER_WRITE) && !path.contains("/pty/") && path != "/pane/new" {
            let data = payload(path);
            let writer = client(&server);
            let count = writer
                .write_str(&**path, 0, data)
                .unwrap_or_else(|why| panic!("{path} {data:?}: {why}"));
            assert_eq!(count, data.len(), "{path}");
        }
        if !perms.contains(Perm::OWNER_WRITE) {
            assert!(client(&server).write_str(&**path, 0, "x").is_err(), "{path}");
        }
    }
}

fn payload(path: &str) -> &'static str {
    match path.rsplit('/').next().unwrap() {
        "ctl" if path == "/ctl" => "Newcol\n",
        "ctl" if path.starts_with("/col") => "Sort\n",
        "ctl" => "mark\n",
        "exec" | "tagexec" => "Snarf\n",
        "look" => "beta\n",
        "focus" => "1\n",
        "log" => "follow new",
        "addr" | "dot" | "limit" => "1,2",
        "dirty" | "mark" | "scroll" => "1\n",
        "event" => "ML0 1 0 4 beta\n",
        "name" => "alpha.txt",
        _ => "text",
    }
}

#[test]
fn files_that_wait_give_what_comes() {
    let server = Standin::start();
    let main = client(&server);
    let other = client(&server);
    let events = thread::spawn(move || other.read_from("/pane/1/event", 0, 9).unwrap());
    wait("an event", || {
        main.write_str("/pane/1/body", 0, "x").unwrap();
        main.clunk_path("/pane/1/body").unwrap();
        events.is_finished()
    });
    assert!(events.join().unwrap().starts_with(b"EI"));
    assert_eq!(main.read_str("/pane/new").unwrap(), "2\n");
    main.write_str("/pane/2/ctl", 0, "Tty\n").unwrap();
    let other = client(&server);
    let output = thread::spawn(move || other.read_from("/pane/2/pty/data", 0, 3).unwrap());
    wait("output", || {
        main.write_str("/pane/2/pty/run", 0, "echo abc\n").unwrap();
        main.clunk_path("/pane/2/pty/run").unwrap();
        output.is_finished()
    });
    assert_eq!(output.join().unwrap().len(), 3);
    assert!(main.read_str("/pane/2/pty/status").unwrap().starts_with("running "));
    main.write_str("/pane/2/pty/ctl", 0, "winsize 80 30\n").unwrap();
}
