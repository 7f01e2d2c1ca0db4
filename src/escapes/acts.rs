//! The role that makes the attempts which no shell can: one act, by its name, then its end.

use std::fs::{self, File};
use std::io::{self, IoSliceMut, Read as _, Write as _};
use std::net::{TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::Path;

use nix::sys::ptrace;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::sys::wait::waitpid;
use nix::time::{ClockId, clock_gettime, clock_settime};
use nix::unistd::{Pid, chroot, fchdir, pause};

use super::SETTLED;
use super::system::{add_key, fork_idle, open_by_handle, type_on, write_by_number};

/// Runs the role: the act's name and what it needs are the arguments. What it says of itself is
/// believed by nobody.
pub fn main() -> i32 {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match act(&words) {
        Ok(()) => 0,
        Err(why) => {
            eprintln!("{words:?}: {why}");
            1
        }
    }
}

fn act(words: &[&str]) -> io::Result<()> {
    match *words {
        ["connect", path] => UnixStream::connect(path).map(drop),
        ["connect-named", name] => {
            UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?).map(drop)
        }
        ["connect-tcp", port] => TcpStream::connect(format!("127.0.0.1:{port}")).map(drop),
        ["send-udp", port] => {
            let socket = UdpSocket::bind("127.0.0.1:0")?;
            socket.send_to(b"x", format!("127.0.0.1:{port}")).map(drop)
        }
        ["trace", pid] => trace(number(pid)?),
        ["read-memory", pid, at, long] => read_memory(number(pid)?, number(at)?, number(long)?),
        ["leave-root", path] => leave_root(path),
        ["open-by-handle", handle] => by_handle(handle),
        ["inherited"] => inherited(),
        ["type", terminal] => {
            // The leader of a session that has no terminal: this one becomes its.
            let terminal = File::options().read(true).write(true).open(terminal)?;
            Ok(type_on(&terminal, b'x')?)
        }
        ["set-clock"] => {
            // To what it is: a step of less than anybody notices.
            let now = clock_gettime(ClockId::CLOCK_REALTIME)?;
            Ok(clock_settime(ClockId::CLOCK_REALTIME, now)?)
        }
        ["add-key", name] => add_key(name),
        ["fork", count] => fork(number(count)?),
        _ => Err(io::Error::other("no such act")),
    }
}

fn number<T: std::str::FromStr>(word: &str) -> io::Result<T> {
    word.parse().map_err(|_| io::Error::other(format!("{word:?} is no number")))
}

fn home(name: &str) -> io::Result<File> {
    let home = std::env::var_os("HOME").ok_or_else(|| io::Error::other("no HOME"))?;
    File::create(Path::new(&home).join(name))
}

/// Says that the attempt was made, and stays.
fn stay() -> io::Result<()> {
    home(SETTLED)?;
    loop {
        pause();
    }
}

fn trace(pid: i32) -> io::Result<()> {
    ptrace::attach(Pid::from_raw(pid))?;
    waitpid(Pid::from_raw(pid), None)?;
    stay()
}

fn read_memory(pid: i32, base: usize, len: usize) -> io::Result<()> {
    let mut bytes = vec![0; len];
    let there = [RemoteIoVec { base, len }];
    process_vm_readv(Pid::from_raw(pid), &mut [IoSliceMut::new(&mut bytes)], &there)?;
    home("got")?.write_all(&bytes)
}

/// Out of a root below the one it has kept open.
fn leave_root(path: &str) -> io::Result<()> {
    let kept = File::open("/")?;
    let inner = std::env::var_os("TMPDIR").ok_or_else(|| io::Error::other("no TMPDIR"))?;
    let changed = chroot(Path::new(&inner));
    fchdir(&kept)?;
    for _ in 0..64 {
        std::env::set_current_dir("..")?;
    }
    let made = fs::write(path.trim_start_matches('/'), "x");
    changed.map_err(io::Error::from).and(made)
}

fn by_handle(handle: &str) -> io::Result<()> {
    let home_directory = std::env::var("HOME").unwrap_or_default();
    let mut last = Err(io::Error::other("no mount"));
    for mount in ["/", "/tmp", "/usr", "/etc", &home_directory] {
        last = File::open(mount).and_then(|mount| open_by_handle(&mount, handle));
        if let Ok(file) = &mut last {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            return home("got")?.write_all(&bytes);
        }
    }
    last.map(drop)
}

/// Writes to everything that is open besides the three standard streams.
fn inherited() -> io::Result<()> {
    for entry in fs::read_dir("/proc/self/fd")?.flatten() {
        let number: i32 = number(&entry.file_name().to_string_lossy())?;
        if number > 2 {
            let _ = write_by_number(number, b"x");
        }
    }
    Ok(())
}

fn fork(count: u64) -> io::Result<()> {
    for _ in 0..count {
        if fork_idle().is_err() {
            break;
        }
    }
    stay()
}
