//! A sandbox's first process: makes its root, starts the target, reaps orphans, and ends everything
//! when it is told to or when the harness is gone, however that went.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::{Pid, setsid};

use super::clearing::root_of;
use super::confine::Confinement;
use super::dial::dial;
use super::gate::{LaunchPlan, prove};
use super::layout::Layout;
use super::level::Level;
use super::limits::{KEEPER_REPLY_MS, KILL_MS, PARENT, POLL_MS, TERM_GRACE_MS, TOKEN_VARIABLE};
use super::outer;
use super::probes::Probes;
use super::procs;
use super::protocol::{Asked, Control, Exit, Order, Report, World};
use super::reach::remove_tree;
use super::spawn::spawn_bound;
use super::system::let_go_of_the_inherited;

/// Runs the role: orders come on standard input, which is the control socket.
pub fn main() -> i32 {
    match begin() {
        Ok(()) => 0,
        Err(why) => {
            eprintln!("monkey9p: the sandbox's first process: {why}");
            2
        }
    }
}

/// Where a sandbox is, and what its processes carry.
#[derive(Debug)]
pub struct Place {
    /// Its directories.
    pub layout: Layout,
    /// Its token.
    pub token: String,
}

fn begin() -> io::Result<()> {
    // What the harness was left by whoever started it is no target's.
    let_go_of_the_inherited()?;
    // A session of its own: the terminal's signals are for the harness.
    let _ = setsid();
    let token = std::env::var(TOKEN_VARIABLE).map_err(io::Error::other)?;
    let mut control = Control::new(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?));
    let world = match control.hear(Duration::from_millis(KEEPER_REPLY_MS))? {
        Some(Order::Make(world)) => world,
        // The harness is gone already, and nothing was made.
        _ => return Ok(()),
    };
    if world.level == Level::Kernel {
        // Nothing is made outside: the root is in the namespace, and gone with it.
        let layout = Layout::new(&root_of(&token));
        return outer::run(control, Place { layout, token }, world);
    }
    let root = match make_root(&token) {
        Ok(root) => root,
        Err(why) => {
            control.say(&Report::Failed(format!("a sandbox in {PARENT}: {why}")))?;
            return Err(why);
        }
    };
    let place = Place { layout: Layout::new(&root), token };
    match Keeper::start(control, place, world, &[], None) {
        Ok(Some(keeper)) => keeper.serve(),
        Ok(None) => remove_tree(&root),
        Err(why) => {
            // The harness was killed in between: nobody else knows of the root.
            remove_tree(&root)?;
            Err(why)
        }
    }
}

/// Stands for a signal that has no name.
const UNNAMED: i32 = 0;

/// The first process, once the sandbox is made.
pub struct Keeper {
    control: Control,
    children: SignalFd,
    place: Place,
    level: Level,
    /// When everything ends by itself.
    end: Instant,
    confinement: Confinement,
    /// What may be launched, and nothing else.
    proven: Option<LaunchPlan>,
    target: Option<Pid>,
}

/// What only a first process in namespaces of its own has.
#[derive(Debug)]
pub struct Within {
    /// Its number outside its pid namespace.
    pub number: Option<i32>,
    /// The sandbox's root, for the harness to reach it.
    pub root: OwnedFd,
}

impl Keeper {
    /// Shows that the level holds and says so; gives nothing if it does not. `within` is there if
    /// this is a pid namespace's first process.
    pub fn start(
        control: Control,
        place: Place,
        world: World,
        sockets: &[PathBuf],
        within: Option<Within>,
    ) -> io::Result<Option<Keeper>> {
        prctl::set_child_subreaper(true)?;
        let end = Instant::now() + Duration::from_millis(world.life_ms);
        let level = world.level;
        let shown = Confinement::new(level, &place.layout).and_then(|confinement| {
            let probes = Probes {
                level,
                layout: &place.layout,
                homes: &world.homes,
                reachable: &world.reachable,
                sockets,
                harness: world.harness,
            };
            Ok((probes.run(&confinement)?, confinement))
        });
        let (shown, confinement) = match shown {
            Ok(shown) => shown,
            Err(why) => {
                control.say(&Report::Unavailable(why.to_string()))?;
                return Ok(None);
            }
        };
        let mut mask = SigSet::empty();
        mask.add(Signal::SIGCHLD);
        mask.thread_block()?;
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        let children = SignalFd::with_flags(&mask, flags)?;
        let root = place.layout.root.clone();
        match within {
            Some(Within { number, root: held }) => {
                control.hand_over(&Report::Ready { root, shown, first: number }, &held)?;
            }
            None => control.say(&Report::Ready { root, shown, first: None })?,
        }
        Ok(Some(Keeper {
            control,
            children,
            place,
            level,
            end,
            confinement,
            proven: None,
            target: None,
        }))
    }

    /// Does what it is told until it is told to stop, or nobody is left to tell it.
    pub fn serve(mut self) -> io::Result<()> {
        loop {
            if self.wait().is_err() {
                return self.abandoned();
            }
            if Instant::now() >= self.end {
                let _ = self.control.say(&Report::Expired);
                return self.stop();
            }
            self.reap();
            // All that has arrived: a second order may be in the buffer, where no poll sees it.
            while let Some(order) = self.control.hear::<Order>(Duration::ZERO).transpose() {
                match order {
                    Ok(Order::Prove(asked)) => {
                        let report = self.prove(asked);
                        let _ = self.control.say(&report);
                    }
                    Ok(Order::Launch) => {
                        let report = self.launch();
                        let _ = self.control.say(&report);
                    }
                    Ok(Order::Connect(socket)) => self.connect(&socket),
                    Ok(Order::Stop) => return self.stop(),
                    Ok(Order::Make(_)) | Err(_) => return self.abandoned(),
                }
            }
            if self.control.ended() {
                return self.abandoned();
            }
        }
    }

    fn wait(&self) -> io::Result<()> {
        let mut fds = [
            PollFd::new(self.control.socket().as_fd(), PollFlags::POLLIN),
            PollFd::new(self.children.as_fd(), PollFlags::POLLIN),
        ];
        let left = self.end.saturating_duration_since(Instant::now()).as_millis() + 1;
        match poll(&mut fds, PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(why) => Err(why.into()),
        }
    }

    /// In here, paths lead where they will lead for the target.
    fn prove(&mut self, Asked { plan, root, token }: Asked) -> Report {
        self.proven = None;
        match prove(&plan, &Layout::new(&root), &token) {
            Ok(evidence) => {
                self.proven = Some(plan);
                Report::Proven(evidence)
            }
            Err(refusal) => Report::Refused(refusal),
        }
    }

    fn launch(&mut self) -> Report {
        let Some(plan) = self.proven.take() else {
            return Report::Failed("nothing was proven to be isolated".into());
        };
        if self.target.is_some() {
            return Report::Failed("a target runs already".into());
        }
        let stderr = File::options().create(true).append(true).mode(0o600).open(&plan.stderr);
        let stderr = match stderr {
            Ok(file) => file,
            Err(why) => return Report::Failed(format!("{}: {why}", plan.stderr.display())),
        };
        let confinement = match self.confinement.again() {
            Ok(confinement) => confinement,
            Err(why) => return Report::Failed(format!("confining the target: {why}")),
        };
        let mut command = Command::new(&plan.program);
        command
            .args(&plan.arguments)
            .env_clear()
            .envs(plan.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(&plan.directory)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(stderr);
        match spawn_bound(&mut command, confinement) {
            Ok(child) => {
                let pid = child.id().cast_signed();
                self.target = Some(Pid::from_raw(pid));
                Report::Started(pid)
            }
            Err(why) => Report::Failed(format!("{}: {why}", plan.program.display())),
        }
    }

    fn connect(&self, socket: &Path) {
        // What cannot be said is seen to be at the next turn.
        let _ = match dial(socket) {
            Ok(stream) => self.control.hand_over(&Report::Connected, &stream),
            Err(why) => self.control.say(&Report::Unconnected(why as i32)),
        };
    }

    /// Reaps whoever ended; the target's end is news.
    fn reap(&mut self) {
        while let Ok(Some(_)) = self.children.read_signal() {}
        loop {
            let (pid, exit) = match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) => (pid, Exit::Code(code)),
                Ok(WaitStatus::Signaled(pid, signal, _)) => (pid, Exit::Signal(signal as i32)),
                Ok(WaitStatus::StillAlive) | Err(Errno::ECHILD) => return,
                // Reaped, and by a signal that has no name: a realtime one.
                Err(Errno::EINVAL) => match self.target.filter(|&pid| kill(pid, None).is_err()) {
                    Some(pid) => (pid, Exit::Signal(UNNAMED)),
                    None => continue,
                },
                Ok(_) | Err(_) => continue,
            };
            if self.target == Some(pid) {
                self.target = None;
                let _ = self.control.say(&Report::Exited(exit));
            }
        }
    }

    /// Asked to stop: the target may end by itself first.
    fn stop(mut self) -> io::Result<()> {
        if let Some(target) = self.target {
            let _ = kill(target, Signal::SIGTERM);
            let deadline = Instant::now() + Duration::from_millis(TERM_GRACE_MS);
            while self.target.is_some() && Instant::now() < deadline {
                self.wait_for_children();
                self.reap();
            }
        }
        if self.level == Level::Kernel {
            // Everything here ends with this process; the one around it sees to the rest.
            return Ok(());
        }
        let survivors = self.kill_everything();
        remove_tree(&self.place.layout.root)?;
        let _ = self.control.say(&Report::Stopped(survivors));
        Ok(())
    }

    /// The harness is gone: nobody will look, so everything goes at once.
    fn abandoned(mut self) -> io::Result<()> {
        if self.level == Level::Kernel {
            return Ok(());
        }
        self.kill_everything();
        remove_tree(&self.place.layout.root)
    }

    /// Kills descendants and whoever carries the token until there are none; gives who is left.
    fn kill_everything(&mut self) -> Vec<i32> {
        let deadline = Instant::now() + Duration::from_millis(KILL_MS);
        loop {
            let mut alive = procs::descendants(Pid::this().as_raw());
            alive.extend(procs::tokened(&self.place.token));
            self.reap();
            // The table is read piece by piece, and one that forks may be missed in it; whoever
            // descends from a process without children is not there.
            if alive.is_empty() && !has_children() || Instant::now() > deadline {
                return alive.into_iter().collect();
            }
            procs::kill_all(&alive);
            self.wait_for_children();
            self.reap();
        }
    }

    fn wait_for_children(&self) {
        let mut fds = [PollFd::new(self.children.as_fd(), PollFlags::POLLIN)];
        let _ = poll(&mut fds, PollTimeout::try_from(POLL_MS).unwrap_or(PollTimeout::ZERO));
    }
}

/// Whether this process has children, alive or to be reaped.
fn has_children() -> bool {
    let flags = WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT | WaitPidFlag::WEXITED;
    waitid(Id::All, flags) != Err(Errno::ECHILD)
}

fn make_root(token: &str) -> io::Result<PathBuf> {
    let root = root_of(token);
    DirBuilder::new().mode(0o700).create(&root)?;
    Layout::new(&root).make(token)?;
    Ok(root)
}
