//! Shells and commands of the session: starting them, taking their output, noticing their end.

use std::ffi::OsStr;
use std::process::Command;

use super::address::Range;
use super::editor::Editor;
use super::host::os_name;
use super::jobs::{JobId, Sink};
use super::limits::{SHELLS, TERMINAL_RUNES};
use super::pane::Serial;
use super::processes::end_session;
use super::refusal::{Done, refuse};
use super::runes;
use super::terminal::{Terminal, Turn};
use super::tokens;

const TERMINAL_SIZE: (u16, u16) = (80, 24);
const DRAIN_TURNS: usize = 32;

impl Editor {
    /// Turns a pane into a terminal that runs the user's shell.
    pub fn start_shell(&mut self, serial: Serial) -> Done {
        if self.pane(serial)?.terminal.is_some() {
            return Err("a shell runs in this pane already".into());
        }
        if self.panes.values().filter(|pane| pane.terminal.is_some()).count() >= SHELLS {
            return refuse!("no more than {SHELLS} shells at one time");
        }
        let registry = self.host.registry()?;
        let shell = std::env::var_os("SHELL").unwrap_or_else(|| "/bin/sh".into());
        let mut command = self.command(shell.as_ref(), Some(serial));
        command.env("TERM", "dumb");
        let token = tokens::terminal(serial);
        let terminal = Terminal::start(&mut command, TERMINAL_SIZE, registry, token)?;
        self.log.say(&format!("shell {serial} started"));
        self.pane_mut(serial)?.terminal = Some(terminal);
        Ok(())
    }

    /// Runs a command line beside the session, its output going to the errors pane.
    pub fn start_job(&mut self, serial: Option<Serial>, line: &str) -> Done {
        self.start_piped(serial, line, Sink::Errors, None)
    }

    /// Runs a command line with `input`, its output going to `sink`.
    pub fn start_piped(
        &mut self,
        serial: Option<Serial>,
        line: &str,
        sink: Sink,
        input: Option<Vec<u8>>,
    ) -> Done {
        if line.contains('\0') {
            return Err("a command line holds no NUL".into());
        }
        let registry = self.host.registry()?;
        let mut command = self.command("/bin/sh".as_ref(), serial);
        command.arg("-c").arg(os_name(line));
        let name = line.split_whitespace().next().unwrap_or_default();
        self.jobs.start(command, name, serial, sink, input, registry)
    }

    /// Takes what a shell has printed; whether there is more.
    pub fn shell_ready(&mut self, serial: Serial) -> Turn {
        let Ok(pane) = self.pane_mut(serial) else { return Turn::Closed };
        let Some(terminal) = &mut pane.terminal else { return Turn::Closed };
        terminal.send();
        let (text, turn) = terminal.receive();
        if !text.is_empty() {
            let _ = self.append_output(serial, &text, TERMINAL_RUNES);
            let end = self.buffer(serial).map_or(0, |buffer| buffer.runes());
            if let Ok(pane) = self.pane_mut(serial)
                && pane.scroll
            {
                pane.dot = Range::at(end);
            }
        }
        turn
    }

    /// Takes what a command has printed; whether there is more.
    pub fn job_ready(&mut self, id: JobId) -> Turn {
        let Some(job) = self.jobs.get_mut(id) else { return Turn::Closed };
        let (bytes, turn) = job.receive();
        let cut = job.was_cut_now();
        let serial = job.serial;
        match &mut job.sink {
            Sink::Replace(_, _, kept) => kept.extend_from_slice(&bytes),
            Sink::Errors if !bytes.is_empty() => {
                let text = runes::from_bytes(&bytes).replace('\r', "");
                let _ = self.errors(serial, &text);
            }
            Sink::Errors => {}
        }
        if cut {
            let _ = self.errors(serial, "\n(output cut)\n");
        }
        turn
    }

    /// Feeds a command.
    pub fn job_hungry(&mut self, id: JobId) {
        if let Some(job) = self.jobs.get_mut(id) {
            job.feed();
        }
    }

    /// Notices that a process has ended: a shell's pane closes, a command's output is complete.
    pub fn process_ended(&mut self, pid: u32, how: &str) {
        let shell = self
            .panes
            .values()
            .find(|pane| pane.terminal.as_ref().is_some_and(|terminal| terminal.pid() == pid));
        if let Some(serial) = shell.map(|pane| pane.serial) {
            end_session(pid);
            self.drain(|editor| editor.shell_ready(serial));
            self.log.say(&format!("exit {serial} shell: {how}"));
            let _ = self.close_pane(serial);
        }
        if let Some(id) = self.jobs.with_pid(pid) {
            end_session(pid);
            self.drain(|editor| editor.job_ready(id));
            let Some(job) = self.jobs.take(id) else { return };
            if how != "0" {
                let line = format!("{}: exit {how}\n", runes::printable(&job.name, 40));
                let _ = self.errors(job.serial, &line);
            }
            // One that failed leaves the text as it was.
            if let Sink::Replace(buffer, range, bytes) = &job.sink
                && how == "0"
            {
                let text = runes::from_bytes(bytes);
                let _ = self.change(*buffer, *range, &text, 'F', true);
            }
        }
    }

    /// Kills every shell and command.
    pub fn end_processes(&mut self) {
        self.jobs.end();
        for terminal in self.panes.values().filter_map(|pane| pane.terminal.as_ref()) {
            terminal.end();
        }
    }

    /// Takes what an ended process left in its pipe: no more than fits in one.
    fn drain(&mut self, mut ready: impl FnMut(&mut Self) -> Turn) {
        for _ in 0..DRAIN_TURNS {
            if ready(self) != Turn::More {
                break;
            }
        }
    }

    /// A command in a pane's directory, told which pane it was run in.
    fn command(&self, program: &OsStr, serial: Option<Serial>) -> Command {
        let mut command = Command::new(program);
        let directory = serial.map_or_else(String::new, |serial| self.directory(serial));
        let directory = self.host.path(&directory);
        let there = directory.is_dir();
        command.current_dir(if there { &directory } else { self.host.home() });
        if let Some(serial) = serial {
            command.env("winid", serial.to_string());
            if let Ok(buffer) = self.buffer(serial)
                && !buffer.name.contains('\0')
            {
                command.env("samfile", os_name(&buffer.name));
            }
        }
        command
    }
}
