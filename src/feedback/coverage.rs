//! The coverage of a running target, read from outside: the target knows nothing of it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, IoSliceMut, Read as _};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::atomic::AtomicU8;

use nix::errno::Errno;
use nix::sys::stat::{major, minor};
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;

use super::changes::feed;
use super::elf;
use super::limits::{MAPS_BYTES, SAID};
use super::maps::{Executable, load_address};

/// Follows the counters of one target after the other.
#[derive(Debug, Default)]
pub struct TargetCoverage {
    current: Option<Followed>,
    said: BTreeSet<String>,
}

/// A process, and its counters or why there are none.
#[derive(Debug)]
struct Followed {
    pid: i32,
    counters: Result<Counters, String>,
    /// Not yet asked for.
    news: bool,
}

#[derive(Debug)]
struct Counters {
    program: PathBuf,
    address: usize,
    /// As they were read last: all 0 at first, so that what a start covers is the first input's.
    last: Vec<u8>,
    /// Room for the next reading.
    now: Vec<u8>,
}

impl TargetCoverage {
    /// Reads the counters of the process `pid`, the same as before or another, and adds to `into`
    /// what changed since they were read last. Gives how many did: none where there are none, and
    /// where they cannot be read.
    pub fn read(&mut self, pid: i32, into: &[AtomicU8]) -> usize {
        let current = match &mut self.current {
            Some(current) if current.pid == pid => current,
            _ => self.current.insert(Followed { pid, counters: find(pid), news: true }),
        };
        let Ok(counters) = &mut current.counters else { return 0 };
        if let Err(why) = counters.read(pid) {
            // It may have ended; whatever it was, another process is another chance.
            let why = format!("{}: its counters cannot be read: {why}", counters.program.display());
            *current = Followed { pid, counters: Err(why), news: true };
            return 0;
        }
        let changed = feed(&counters.last, &counters.now, into);
        std::mem::swap(&mut counters.last, &mut counters.now);
        changed
    }

    /// What was found of the process that was read last: how many counters, and in which program;
    /// or why there are none.
    pub fn found(&self) -> Result<(usize, &PathBuf), &str> {
        match self.current.as_ref().map(|current| &current.counters) {
            Some(Ok(counters)) => Ok((counters.last.len(), &counters.program)),
            Some(Err(why)) => Err(why),
            None => Err("no target has been looked at"),
        }
    }

    /// A line on what was found, once; `places` is how many counters are told apart.
    pub fn news(&mut self, places: usize) -> Option<String> {
        let current = self.current.as_mut().filter(|current| current.news)?;
        current.news = false;
        let line = match self.found() {
            Ok((count, program)) => {
                let shared = match count > places {
                    true => format!(", which share {places} places"),
                    false => String::new(),
                };
                format!("coverage of the target: {count} counters in {}{shared}", program.display())
            }
            Err(why) => format!("no coverage of the target: {why}"),
        };
        (self.said.len() < SAID && self.said.insert(line.clone())).then_some(line)
    }
}

impl Counters {
    fn read(&mut self, pid: i32) -> Result<(), Errno> {
        let there = RemoteIoVec { base: self.address, len: self.now.len() };
        let wanted = self.now.len();
        match process_vm_readv(Pid::from_raw(pid), &mut [IoSliceMut::new(&mut self.now)], &[there])?
        {
            got if got == wanted => Ok(()),
            _ => Err(Errno::EFAULT),
        }
    }
}

/// Finds the counters of a process that was not looked at before.
fn find(pid: i32) -> Result<Counters, String> {
    let link = format!("/proc/{pid}/exe");
    let program = fs::read_link(&link).map_err(|why| format!("what it runs: {why}"))?;
    let named = |why: &dyn std::fmt::Display| format!("{}: {why}", program.display());
    // By the link, which leads there from any namespace, and if the file is gone.
    let file = File::open(&link).map_err(|why| named(&why))?;
    let meta = file.metadata().map_err(|why| named(&why))?;
    let image = elf::find(file).map_err(|why| named(&why))?;
    let executable = Executable {
        path: program.clone().into_os_string().into_vec(),
        inode: (major(meta.dev()), minor(meta.dev()), meta.ino()),
    };
    let maps = mappings(pid).map_err(|why| named(&why))?;
    let base = load_address(&maps, &executable, &image)
        .ok_or_else(|| named(&"it is not where its file says in the process's memory"))?;
    let address = usize::try_from(base.wrapping_add(image.address))
        .map_err(|_| named(&"an address of another machine's"))?;
    let (last, now) = (vec![0; image.count], vec![0; image.count]);
    Ok(Counters { program, address, last, now })
}

fn mappings(pid: i32) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    File::open(format!("/proc/{pid}/maps"))?.take(MAPS_BYTES).read_to_end(&mut text)?;
    Ok(text)
}
