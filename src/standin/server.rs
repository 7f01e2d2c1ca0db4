//! The loop: clients, shells, commands and signals, each in turn, nothing of it ever waiting.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use bytes::Buf;
use mio::event::Event;
use mio::net::{UnixListener, UnixStream};
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Registry};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::Pid;

use super::conn::Conn;
use super::editor::{Editor, Ending};
use super::limits::{CONNECTIONS, TURN_BYTES};
use super::plants::Defect;
use super::terminal::Turn;
use super::tokens::{self, Source};

/// The server of one session.
pub struct Server {
    poll: Poll,
    registry: Rc<Registry>,
    listener: UnixListener,
    signals: SignalFd,
    socket: PathBuf,
    clients: BTreeMap<usize, Client>,
    next_client: usize,
    /// What may have something to do: events say so once, a turn may leave some for the next.
    ready: BTreeSet<Source>,
    buffer: Vec<u8>,
    plant: Option<Defect>,
}

struct Client {
    stream: UnixStream,
    conn: Conn,
    /// Whether the end is behind what can still be read.
    ends: bool,
    gone: bool,
}

/// How the loop ended, as the exit code.
pub type Code = i32;

const QUIT: Code = 0;
const TERMINATED: Code = 128 + Signal::SIGTERM as i32;

impl Server {
    /// Listens on `socket`, whose place must be free.
    pub fn listen(socket: &Path) -> io::Result<Server> {
        let poll = Poll::new()?;
        let registry = Rc::new(poll.registry().try_clone()?);
        let mut listener = UnixListener::bind(socket)?;
        registry.register(&mut listener, tokens::LISTENER, Interest::READABLE)?;
        let mut watched = SigSet::empty();
        [Signal::SIGCHLD, Signal::SIGTERM, Signal::SIGINT].iter().for_each(|s| watched.add(*s));
        watched.thread_block()?;
        let signals =
            SignalFd::with_flags(&watched, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
        let raw = signals.as_raw_fd();
        registry.register(&mut SourceFd(&raw), tokens::SIGNALS, Interest::READABLE)?;
        Ok(Server {
            poll,
            registry,
            listener,
            signals,
            socket: socket.into(),
            clients: BTreeMap::new(),
            next_client: 0,
            ready: BTreeSet::new(),
            buffer: vec![0; TURN_BYTES],
            plant: None,
        })
    }

    /// What watches descriptors for the session.
    pub fn registry(&self) -> Rc<Registry> {
        self.registry.clone()
    }

    /// Serves until the session ends; returns the exit code.
    pub fn serve(mut self, editor: &mut Editor) -> io::Result<Code> {
        self.plant = editor.plant;
        let mut events = Events::with_capacity(256);
        loop {
            let wait = if self.ready.is_empty() { None } else { Some(Duration::ZERO) };
            match self.poll.poll(&mut events, wait) {
                Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            }
            events.iter().for_each(|event| self.notice(event));
            for source in std::mem::take(&mut self.ready) {
                if source == Source::Signals {
                    if self.terminated(editor) {
                        return Ok(self.end(editor, TERMINATED));
                    }
                } else if self.turn(editor, source) {
                    self.ready.insert(source);
                }
            }
            self.answer_held(editor);
            match editor.ending {
                Some(Ending::Quit) => return Ok(self.end(editor, QUIT)),
                Some(Ending::Restored) => self.hang_up_all(editor),
                None => {}
            }
        }
    }

    fn notice(&mut self, event: &Event) {
        let Some(source) = tokens::source(event.token()) else { return };
        self.ready.insert(source);
        if let Source::Connection(id) = source
            && event.is_read_closed()
            && let Some(client) = self.clients.get_mut(&id)
        {
            client.ends = true;
        }
    }

    /// Gives a source its turn; whether it wants another.
    fn turn(&mut self, editor: &mut Editor, source: Source) -> bool {
        match source {
            Source::Listener => self.accept(),
            Source::Signals => false,
            Source::Connection(id) => self.client(editor, id),
            Source::Terminal(serial) => editor.shell_ready(serial) == Turn::More,
            Source::JobOutput(id) => editor.job_ready(id) == Turn::More,
            Source::JobInput(id) => {
                editor.job_hungry(id);
                false
            }
        }
    }

    fn accept(&mut self) -> bool {
        loop {
            let mut stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => return false,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
                // Out of descriptors: the client stays in the queue until the next event.
                Err(_) => return false,
            };
            if self.clients.len() >= CONNECTIONS {
                continue;
            }
            let id = self.next_client;
            self.next_client += 1;
            let interest = Interest::READABLE | Interest::WRITABLE;
            if self.registry.register(&mut stream, tokens::connection(id), interest).is_ok() {
                self.clients.insert(
                    id,
                    Client { stream, conn: Conn::new(self.plant), ends: false, gone: false },
                );
                self.ready.insert(Source::Connection(id));
            }
        }
    }

    /// Sends what waits, reads what came, answers it; whether there is more to read.
    fn client(&mut self, editor: &mut Editor, id: usize) -> bool {
        let Some(client) = self.clients.get_mut(&id) else { return false };
        client.send();
        client.conn.go_on(editor);
        let mut more = false;
        if !client.conn.is_full() && !client.gone && !client.conn.is_broken() {
            more = client.receive(editor, &mut self.buffer);
        }
        let was_full = client.conn.is_full();
        client.send();
        if client.gone || client.conn.is_broken() {
            self.drop_client(editor, id);
            return false;
        }
        // What was left unread for fullness is read as soon as there is room; if there is still
        // none, the socket tells when there is.
        more || was_full && !client.conn.is_full()
    }

    fn answer_held(&mut self, editor: &mut Editor) {
        let mut gone = Vec::new();
        for (id, client) in self.clients.iter_mut().filter(|(_, client)| client.conn.has_held()) {
            client.conn.answer_held(editor);
            client.send();
            if client.gone {
                gone.push(*id);
            }
        }
        gone.into_iter().for_each(|id| self.drop_client(editor, id));
    }

    fn drop_client(&mut self, editor: &mut Editor, id: usize) {
        if let Some(mut client) = self.clients.remove(&id) {
            let _ = self.registry.deregister(&mut client.stream);
            client.conn.close(editor);
        }
    }

    fn hang_up_all(&mut self, editor: &mut Editor) {
        editor.ending = None;
        for mut client in std::mem::take(&mut self.clients).into_values() {
            client.send();
            let _ = self.registry.deregister(&mut client.stream);
            // Not closed file by file: what was left over belongs to a session that is gone.
        }
    }

    /// Takes the signals that came; whether one of them ends the server.
    fn terminated(&mut self, editor: &mut Editor) -> bool {
        while let Ok(Some(signal)) = self.signals.read_signal() {
            if signal.ssi_signo != Signal::SIGCHLD as u32 {
                return true;
            }
        }
        // One signal may stand for several children. Each is only looked at first: as long as it
        // is not reaped, its number names no other process, and its session can be killed.
        let look = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        while let Ok(status) = waitid(Id::All, look) {
            let (pid, how) = match status {
                WaitStatus::Exited(pid, code) => (pid, code.to_string()),
                WaitStatus::Signaled(pid, signal, _) => (pid, signal.as_str().to_string()),
                _ => break,
            };
            ended(editor, pid, &how);
            let _ = waitpid(pid, Some(WaitPidFlag::WNOHANG));
        }
        false
    }

    fn end(mut self, editor: &mut Editor, code: Code) -> Code {
        editor.end_processes();
        let _ = std::fs::remove_file(&self.socket);
        self.clients.values_mut().for_each(Client::send);
        code
    }
}

impl Client {
    /// Sends as much as the socket takes.
    fn send(&mut self) {
        while !self.conn.out().is_empty() && !self.gone {
            match self.stream.write(self.conn.out()) {
                Ok(0) => self.gone = true,
                Ok(count) => self.conn.out().advance(count),
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => self.gone = true,
            }
        }
    }

    /// Reads once, as much as a turn takes; whether the socket may hold more. One that gave less
    /// than was asked for is empty, and the next bytes are an event of their own; an end that came
    /// along with the last ones is not.
    fn receive(&mut self, editor: &mut Editor, buffer: &mut [u8]) -> bool {
        loop {
            match self.stream.read(buffer) {
                Ok(0) => self.gone = true,
                Ok(count) => {
                    self.conn.push(editor, &buffer[..count]);
                    return count == buffer.len() || self.ends;
                }
                Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => self.gone = true,
            }
            return false;
        }
    }
}

fn ended(editor: &mut Editor, pid: Pid, how: &str) {
    if let Ok(pid) = u32::try_from(pid.as_raw()) {
        editor.process_ended(pid, how);
    }
}
