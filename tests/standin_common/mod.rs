//! Starts the stand-in in a world of its own and speaks raw 9P to it.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use monkey9p::wire::codec::{decode, encode};
use monkey9p::wire::frame::Frames;
use monkey9p::wire::msg::{NOFID, NOTAG, ORDWR, OREAD, OWRITE, Rmsg, Tag, Tmsg};
use monkey9p::wire::stat::{Stat, entries};
use tempfile::TempDir;

/// Nothing waits longer than this: what takes as long is taken to never happen.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// How long a reply that should not come is waited for.
pub const SILENCE: Duration = Duration::from_millis(150);
pub const MSIZE: u32 = 65_536 + 24;
pub const ROOT: u32 = 0;

/// A running server, its home, and nothing of either left when it goes.
pub struct Standin {
    pub child: Child,
    dir: TempDir,
    pub socket: PathBuf,
}

/// A connection, the root attached at `ROOT`.
pub struct Client {
    pub stream: UnixStream,
    pub frames: Frames,
    next_tag: Tag,
    next_fid: u32,
}

impl Standin {
    pub fn start() -> Self {
        Standin::with(|_| {})
    }

    pub fn planted(plant: &str) -> Self {
        Standin::with(|command| {
            command.env("STANDIN_PLANT", plant);
        })
    }

    pub fn with(change: impl FnOnce(&mut Command)) -> Self {
        let dir = tempfile::Builder::new().prefix("si.").tempdir_in("/tmp").unwrap();
        let home = dir.path().join("home");
        std::fs::create_dir(&home).unwrap();
        for (name, text) in FIXTURES {
            std::fs::write(home.join(name), text).unwrap();
        }
        let mut command = command(dir.path(), &home);
        command.args(["--detach=t", "alpha.txt"]);
        change(&mut command);
        let mut child = command.spawn().unwrap();
        let socket = dir.path().join("pardes-9p-t.sock");
        wait("the socket", || {
            assert!(child.try_wait().unwrap().is_none(), "the server ended before it served");
            UnixStream::connect(&socket).is_ok()
        });
        Standin { child, dir, socket }
    }

    pub fn client(&self) -> Client {
        let mut client = self.raw();
        let version = Tmsg::Version { msize: MSIZE, version: Bytes::from_static(b"9P2000") };
        client.send_tagged(NOTAG, &version);
        assert!(matches!(client.receive(), (NOTAG, Rmsg::Version { .. })));
        let attach = attach(ROOT);
        assert!(matches!(client.call(attach), Rmsg::Attach { .. }));
        client
    }

    /// A connection on which nothing was said yet.
    pub fn raw(&self) -> Client {
        let stream = UnixStream::connect(&self.socket).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Client { stream, frames: Frames::new(1 << 24), next_tag: 0, next_fid: 100 }
    }

    pub fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// The exit code, once it has ended by itself.
    pub fn ended(&mut self) -> Option<i32> {
        let mut status = None;
        wait("the server's end", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.and_then(|status| status.code())
    }

    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub fn crash_file(&self) -> Option<String> {
        std::fs::read_to_string(self.home().join("config/pardes/crashes")).ok()
    }
}

impl Drop for Standin {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub const FIXTURES: &[(&str, &[u8])] = &[
    ("alpha.txt", b"alpha beta gamma\nsecond line\n\nthird after a blank\n"),
    ("utf8.txt", "naïve café 日本語 é \u{1f600}\nline two\n".as_bytes()),
    ("crlf.txt", b"one\r\ntwo\r\nthree\r\n"),
    ("bad.txt", b"hello \xff\xfe world\nlatin-1 caf\xe9\ntruncated \xe6\x97 here\n"),
    ("empty.txt", b""),
    ("noeol.txt", b"no newline at the end"),
];

/// The server's command, in an environment of its own.
pub fn command(dir: &Path, home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pardes-standin"));
    command
        .current_dir(home)
        .env("HOME", home)
        .env("XDG_RUNTIME_DIR", dir)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("PARDES_DUMP", home.join("session.dump"))
        .env("SHELL", "/bin/sh")
        .env_remove("STANDIN_PLANT")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

pub fn attach(fid: u32) -> Tmsg {
    let uname = Bytes::from_static(b"test");
    Tmsg::Attach { fid, afid: NOFID, uname, aname: Bytes::new() }
}

pub fn wait(what: &str, mut done: impl FnMut() -> bool) {
    let since = Instant::now();
    while !done() {
        assert!(since.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

impl Client {
    pub fn send(&mut self, message: &Tmsg) -> Tag {
        self.next_tag = (self.next_tag + 1) % 60_000;
        let tag = self.next_tag;
        self.send_tagged(tag, message);
        tag
    }

    pub fn send_tagged(&mut self, tag: Tag, message: &Tmsg) {
        let mut bytes = BytesMut::new();
        encode(message, tag, &mut bytes).unwrap();
        self.stream.write_all(&bytes).unwrap();
    }

    pub fn receive(&mut self) -> (Tag, Rmsg) {
        self.try_receive().expect("a reply")
    }

    /// The next reply; nothing if the server hangs up or says nothing for long.
    pub fn try_receive(&mut self) -> Option<(Tag, Rmsg)> {
        let mut buffer = [0; 65_536];
        loop {
            if let Some(frame) = self.frames.next_frame().ok()? {
                return decode(frame).ok();
            }
            match self.stream.read(&mut buffer) {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.frames.push(&buffer[..count]),
            }
        }
    }

    /// The next reply if one comes soon.
    pub fn receive_soon(&mut self) -> Option<(Tag, Rmsg)> {
        self.stream.set_read_timeout(Some(SILENCE)).unwrap();
        let reply = self.try_receive();
        self.stream.set_read_timeout(Some(PATIENCE)).unwrap();
        reply
    }

    pub fn call(&mut self, message: Tmsg) -> Rmsg {
        let tag = self.send(&message);
        loop {
            let (got, reply) = self.receive();
            if got == tag {
                return reply;
            }
        }
    }

    /// As `call`, but nothing if no answer comes: a server that crashed or hangs.
    pub fn try_call(&mut self, message: Tmsg) -> Option<Rmsg> {
        let tag = self.send(&message);
        loop {
            let (got, reply) = self.receive_soon()?;
            if got == tag {
                return Some(reply);
            }
        }
    }

    pub fn new_fid(&mut self) -> u32 {
        self.next_fid += 1;
        self.next_fid
    }

    pub fn walk(&mut self, path: &str) -> Result<u32, String> {
        let fid = self.new_fid();
        let names: Vec<Bytes> = path
            .split('/')
            .filter(|name| !name.is_empty())
            .map(|name| Bytes::copy_from_slice(name.as_bytes()))
            .collect();
        let wanted = names.len();
        match self.call(Tmsg::Walk { fid: ROOT, newfid: fid, names }) {
            Rmsg::Walk { qids } if qids.len() == wanted => Ok(fid),
            Rmsg::Walk { .. } => Err("walk stopped short".into()),
            other => Err(error(other)),
        }
    }

    pub fn open(&mut self, path: &str, mode: u8) -> Result<u32, String> {
        let fid = self.walk(path)?;
        match self.call(Tmsg::Open { fid, mode }) {
            Rmsg::Open { .. } => Ok(fid),
            other => {
                self.clunk(fid);
                Err(error(other))
            }
        }
    }

    pub fn clunk(&mut self, fid: u32) {
        assert!(matches!(self.call(Tmsg::Clunk { fid }), Rmsg::Clunk), "a fid in use is clunked");
    }

    pub fn read_at(&mut self, fid: u32, offset: u64, count: u32) -> Result<Bytes, String> {
        match self.call(Tmsg::Read { fid, offset, count }) {
            Rmsg::Read { data } => Ok(data),
            other => Err(error(other)),
        }
    }

    pub fn write_to(&mut self, fid: u32, data: impl AsRef<[u8]>) -> Result<(), String> {
        let data = Bytes::copy_from_slice(data.as_ref());
        match self.call(Tmsg::Write { fid, offset: 0, data }) {
            Rmsg::Write { .. } => Ok(()),
            other => Err(error(other)),
        }
    }

    pub fn read_all(&mut self, fid: u32, count: u32) -> Result<Vec<u8>, String> {
        let mut all = Vec::new();
        loop {
            let data = self.read_at(fid, all.len() as u64, count)?;
            if data.is_empty() {
                return Ok(all);
            }
            all.extend_from_slice(&data);
        }
    }

    pub fn read(&mut self, path: &str) -> Result<Vec<u8>, String> {
        let fid = self.open(path, OREAD)?;
        let data = self.read_all(fid, MSIZE);
        self.clunk(fid);
        data
    }

    pub fn text(&mut self, path: &str) -> String {
        String::from_utf8(self.read(path).unwrap()).unwrap()
    }

    pub fn write(&mut self, path: &str, data: impl AsRef<[u8]>) -> Result<(), String> {
        self.write_mode(path, OWRITE, data)
    }

    pub fn write_mode(
        &mut self,
        path: &str,
        mode: u8,
        data: impl AsRef<[u8]>,
    ) -> Result<(), String> {
        let fid = self.open(path, mode)?;
        let done = self.write_to(fid, data);
        self.clunk(fid);
        done
    }

    pub fn names(&mut self, path: &str) -> Vec<String> {
        let listing = self.read(path).unwrap();
        let stats: Vec<Stat> = entries(listing.into()).unwrap();
        stats.iter().map(|stat| String::from_utf8_lossy(&stat.name).into_owned()).collect()
    }

    /// The serials of /index.
    pub fn serials(&mut self) -> Vec<u32> {
        let index = self.text("/index");
        index.lines().map(|line| line.split_whitespace().next().unwrap().parse().unwrap()).collect()
    }

    /// A new pane's serial.
    pub fn new_pane(&mut self) -> u32 {
        let fid = self.open("/pane/new", OREAD).unwrap();
        let serial = self.read_at(fid, 0, 100).unwrap();
        self.clunk(fid);
        std::str::from_utf8(&serial).unwrap().trim().parse().unwrap()
    }

    pub fn remove(&mut self, path: &str) -> Result<(), String> {
        let fid = self.walk(path)?;
        match self.call(Tmsg::Remove { fid }) {
            Rmsg::Remove => Ok(()),
            other => Err(error(other)),
        }
    }

    /// The records that `act` leaves in the log, whole lines, in their order.
    pub fn logged(&mut self, act: impl FnOnce(&mut Client)) -> Vec<String> {
        let fid = self.open("/log", ORDWR).unwrap();
        self.write_to(fid, "follow new").unwrap();
        act(self);
        let _ = self.write("/ctl", "test-mark\n");
        let mut text = String::new();
        while !text.contains("\"test-mark\"") {
            text.push_str(std::str::from_utf8(&self.read_at(fid, 0, 8_192).unwrap()).unwrap());
        }
        self.clunk(fid);
        text.lines().filter(|l| !l.contains("\"test-mark\"")).map(str::to_string).collect()
    }

    /// The same without what only tells of panes, shells and commands coming and going.
    pub fn errs(&mut self, act: impl FnOnce(&mut Client)) -> Vec<String> {
        let mut lines = self.logged(act);
        lines.retain(|line| line.starts_with("err ") || line.starts_with("msg "));
        lines
    }
}

pub fn error(reply: Rmsg) -> String {
    match reply {
        Rmsg::Error { ename } => String::from_utf8_lossy(&ename).into_owned(),
        other => panic!("an error was expected, not {other:?}"),
    }
}
