//! Commands that run beside the session: what they are fed, what they print, and their end.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::{Command, Stdio};
use std::rc::Rc;

use mio::unix::SourceFd;
use mio::{Interest, Registry};
use nix::fcntl::OFlag;
use nix::unistd::pipe2;

use super::address::Range;
use super::buffer::{BufferId, Change};
use super::limits::{JOB_OUTPUT_BYTES, JOBS, OUTPUT_TURN_BYTES};
use super::pane::Serial;
use super::processes::end_session;
use super::refusal::{Done, refuse};
use super::sys;
use super::terminal::Turn;
use super::tokens;

/// Names a command that runs.
pub type JobId = usize;

/// The commands that run.
#[derive(Debug, Default)]
pub struct Jobs {
    all: BTreeMap<JobId, Job>,
    next: JobId,
}

/// One of them.
#[derive(Debug)]
pub struct Job {
    /// Its process, which leads a session.
    pub pid: u32,
    /// The command's first word.
    pub name: String,
    /// The pane it was run in.
    pub serial: Option<Serial>,
    /// Where its output goes.
    pub sink: Sink,
    output: File,
    input: Option<(File, Vec<u8>, usize)>,
    printed: usize,
    cut: Cut,
    registry: Rc<Registry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cut {
    No,
    Now,
    Told,
}

/// Where a command's output goes.
#[derive(Debug)]
pub enum Sink {
    /// To the errors pane, as it comes.
    Errors,
    /// Into the place of a range, once the command has ended.
    Replace(BufferId, Range, Vec<u8>),
}

impl Jobs {
    /// Starts `command`, its output going to `sink`, fed with `input`.
    pub fn start(
        &mut self,
        mut command: Command,
        name: &str,
        serial: Option<Serial>,
        sink: Sink,
        input: Option<Vec<u8>>,
        registry: Rc<Registry>,
    ) -> Done {
        if self.all.len() >= JOBS {
            return refuse!("no more than {JOBS} commands at one time");
        }
        let (output, theirs) = pipe2(OFlag::O_CLOEXEC)?;
        command.stdout(theirs.try_clone()?).stderr(theirs).stdin(Stdio::null());
        let input = match input {
            None => None,
            Some(text) => {
                let (theirs, ours) = pipe2(OFlag::O_CLOEXEC)?;
                command.stdin(theirs);
                Some((ours, text))
            }
        };
        let id = self.next;
        nonblocking(&output)?;
        register(&registry, &output, tokens::job_output(id), Interest::READABLE)?;
        if let Some((ours, _)) = &input {
            nonblocking(ours)?;
            register(&registry, ours, tokens::job_input(id), Interest::WRITABLE)?;
        }
        let pid = sys::spawn_in_session(&mut command)?;
        self.next += 1;
        let input = input.map(|(ours, text)| (File::from(ours), text, 0));
        let name = name.into();
        let output = output.into();
        let job =
            Job { pid, name, serial, sink, output, input, printed: 0, cut: Cut::No, registry };
        self.all.insert(id, job);
        Ok(())
    }

    /// The command of that number.
    pub fn get_mut(&mut self, id: JobId) -> Option<&mut Job> {
        self.all.get_mut(&id)
    }

    /// The command whose process that is.
    pub fn with_pid(&self, pid: u32) -> Option<JobId> {
        self.all.iter().find(|(_, job)| job.pid == pid).map(|(id, _)| *id)
    }

    /// Takes a command out, ended or not; what it left behind is killed.
    pub fn take(&mut self, id: JobId) -> Option<Job> {
        let job = self.all.remove(&id)?;
        end_session(job.pid);
        Some(job)
    }

    /// The commands of that name, or all of them; they are killed.
    pub fn kill(&mut self, name: &str) -> usize {
        let named = self.all.values().filter(|job| name.is_empty() || job.name == name);
        named.map(|job| end_session(job.pid)).count()
    }

    /// Kills all commands and forgets them: of their ends nobody is told.
    pub fn end(&mut self) {
        self.kill("");
        self.all.clear();
    }

    /// The commands' names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.values().map(|job| job.name.as_str())
    }

    /// Moves the ranges that outputs will replace along with a change.
    pub fn adjust(&mut self, buffer: BufferId, change: &Change) {
        for job in self.all.values_mut() {
            if let Sink::Replace(id, range, _) = &mut job.sink
                && *id == buffer
            {
                *range = Range::new(change.moved(range.q0), change.moved(range.q1));
            }
        }
    }
}

impl Job {
    /// Feeds the command as much as it takes; its input ends with the text.
    pub fn feed(&mut self) {
        let Some((file, text, sent)) = &mut self.input else { return };
        while *sent < text.len() {
            match file.write(&text[*sent..]) {
                Ok(count) => *sent += count,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => break,
            }
        }
        let _ = self.registry.deregister(&mut SourceFd(&file.as_raw_fd()));
        self.input = None;
    }

    /// Reads what the command has printed by now. One that prints too much is killed.
    pub fn receive(&mut self) -> (Vec<u8>, Turn) {
        let mut bytes = Vec::new();
        let mut buffer = [0; 8_192];
        loop {
            match self.output.read(&mut buffer) {
                Ok(0) => return (bytes, Turn::Closed),
                Ok(count) => {
                    let room = JOB_OUTPUT_BYTES - self.printed;
                    self.printed += count.min(room);
                    bytes.extend_from_slice(&buffer[..count.min(room)]);
                    if count > room {
                        self.cut = self.cut.max(Cut::Now);
                        end_session(self.pid);
                        return (bytes, Turn::Closed);
                    }
                }
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => return (bytes, Turn::Idle),
                Err(_) => return (bytes, Turn::Closed),
            }
            if bytes.len() >= OUTPUT_TURN_BYTES {
                return (bytes, Turn::More);
            }
        }
    }

    /// Whether it has just printed more than is kept: told once.
    pub fn was_cut_now(&mut self) -> bool {
        let now = self.cut == Cut::Now;
        if now {
            self.cut = Cut::Told;
        }
        now
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = self.registry.deregister(&mut SourceFd(&self.output.as_raw_fd()));
        if let Some((file, _, _)) = &self.input {
            let _ = self.registry.deregister(&mut SourceFd(&file.as_raw_fd()));
        }
    }
}

fn nonblocking(fd: &OwnedFd) -> io::Result<()> {
    use nix::fcntl::{FcntlArg, fcntl};
    fcntl(fd, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    Ok(())
}

fn register(
    registry: &Registry,
    fd: &OwnedFd,
    token: mio::Token,
    interest: Interest,
) -> io::Result<()> {
    registry.register(&mut SourceFd(&fd.as_raw_fd()), token, interest)
}
