//! A shell on a terminal: what is typed to it, what it prints, and its end.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::Command;
use std::rc::Rc;

use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, tcgetpgrp};

use super::limits::{OUTPUT_TURN_BYTES, TYPED_BYTES, WINSIZE_CELLS};
use super::output::Output;
use super::printed::Printed;
use super::processes::end_session;
use super::refusal::{Done, refuse};
use super::sys;

/// A running shell.
#[derive(Debug)]
pub struct Terminal {
    pid: u32,
    master: std::fs::File,
    registry: Rc<Registry>,
    size: (u16, u16),
    typed: VecDeque<u8>,
    output: Output,
    printed: Printed,
}

/// What one turn of reading found.
#[derive(Debug, PartialEq, Eq)]
pub enum Turn {
    /// Nothing more for now.
    Idle,
    /// More is there: the others have their turn first.
    More,
    /// The terminal is closed.
    Closed,
}

impl Terminal {
    /// Starts `command` on a terminal whose output is told of by `token`.
    pub fn start(
        command: &mut Command,
        size: (u16, u16),
        registry: Rc<Registry>,
        token: Token,
    ) -> Done<Terminal> {
        let (pid, master) = sys::spawn_on_terminal(command, size)?;
        let watched = watch(&master, &registry, token);
        let terminal = Terminal {
            pid,
            master: master.into(),
            registry,
            size,
            typed: VecDeque::new(),
            output: Output::default(),
            printed: Printed::default(),
        };
        if let Err(why) = watched {
            terminal.end();
            return Err(why.into());
        }
        Ok(terminal)
    }

    /// The shell's process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Columns and rows.
    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    /// Types bytes; what the shell does not take yet waits, within a bound.
    pub fn type_bytes(&mut self, bytes: &[u8]) -> Done {
        if self.typed.len() + bytes.len() > TYPED_BYTES {
            return Err("the shell takes no more for now".into());
        }
        self.typed.extend(bytes);
        self.send();
        Ok(())
    }

    /// Sends as much of what was typed as the terminal takes.
    pub fn send(&mut self) {
        while !self.typed.is_empty() {
            let (first, _) = self.typed.as_slices();
            match self.master.write(first) {
                Ok(0) => break,
                Ok(sent) => drop(self.typed.drain(..sent)),
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
    }

    /// Reads what the shell has printed; returns it as text for the body.
    pub fn receive(&mut self) -> (String, Turn) {
        let mut text = String::new();
        let mut buffer = [0; 8_192];
        let mut total = 0;
        loop {
            match self.master.read(&mut buffer) {
                Ok(0) => return (text, Turn::Closed),
                Ok(count) => {
                    self.output.push(&buffer[..count]);
                    text.push_str(&self.printed.push(&buffer[..count]));
                    total += count;
                }
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => return (text, Turn::Idle),
                // EIO: nothing holds the terminal's inner side any more.
                Err(_) => return (text, Turn::Closed),
            }
            if total >= OUTPUT_TURN_BYTES {
                return (text, Turn::More);
            }
        }
    }

    /// What it has printed, for readers of their own.
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// Sends a signal to what runs in the foreground.
    pub fn signal(&self, name: &str) -> Done {
        let bare = name.strip_prefix("SIG").unwrap_or(name);
        let Ok(signal) = format!("SIG{bare}").parse::<Signal>() else {
            return refuse!("no signal \"{name}\"");
        };
        let shell = Pid::from_raw(self.pid as i32);
        let front = tcgetpgrp(&self.master).ok().filter(|pid| pid.as_raw() > 1);
        Ok(killpg(front.unwrap_or(shell), signal)?)
    }

    /// Changes the size; the shell's programs are told by the system.
    pub fn resize(&mut self, columns: u16, rows: u16) -> Done {
        if columns == 0 || rows == 0 || columns > WINSIZE_CELLS || rows > WINSIZE_CELLS {
            return refuse!("a terminal has 1 to {WINSIZE_CELLS} columns and rows");
        }
        let master: OwnedFd = self.master.try_clone()?.into();
        sys::set_size(&master, (columns, rows))?;
        self.size = (columns, rows);
        Ok(())
    }

    /// Kills the shell and all that it started.
    pub fn end(&self) {
        end_session(self.pid);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.output.end();
        let _ = self.registry.deregister(&mut SourceFd(&self.master.as_raw_fd()));
    }
}

fn watch(master: &OwnedFd, registry: &Registry, token: Token) -> io::Result<()> {
    let flags = OFlag::from_bits_retain(fcntl(master, FcntlArg::F_GETFL)?);
    fcntl(master, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
    registry.register(
        &mut SourceFd(&master.as_raw_fd()),
        token,
        Interest::READABLE | Interest::WRITABLE,
    )
}
