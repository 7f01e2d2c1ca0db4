//! A throwaway world for one target: made, proven, and gone without a trace.

mod gate;
mod keeper;
mod layout;
pub mod limits;
mod procs;
mod protocol;
mod spawn;
mod warden;

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use nix::unistd::geteuid;
use rand::RngExt as _;
use thiserror::Error;

pub use gate::{LaunchPlan, Proven, Refusal, prove};
pub use keeper::main as keeper_main;
pub use layout::Layout;
pub use procs::{Process, descendants, family, kill_all, process, session_of, tokened};
pub use protocol::Exit;
pub use warden::{Warden, main as warden_main};

use limits::{KEEPER_REPLY_MS, KILL_MS, POLL_MS, TERM_GRACE_MS, TOKEN_VARIABLE};
use protocol::{Control, Order, Report};

/// The environment variable that tells a process of this program what role it plays.
pub const ROLE_VARIABLE: &str = "M9P_ROLE";
/// The role of a sandbox's first process.
pub const KEEPER_ROLE: &str = "keeper";

/// The role of a warden.
pub const WARDEN_ROLE: &str = "warden";

/// Why a sandbox could not be had, used or taken down.
#[derive(Debug, Error)]
pub enum SandboxError {
    /// The gate's refusal.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The system's.
    #[error("the sandbox: {0}")]
    Io(#[from] io::Error),
    /// The first process did not do what it was told.
    #[error("the sandbox's first process: {0}")]
    Keeper(String),
    /// Something survived the teardown.
    #[error("after the teardown there was still {0}")]
    Survived(String),
}

/// One sandbox, from its making to its end. Dropped, it is torn down; and so it is if this process
/// is killed, by its first process.
#[derive(Debug)]
pub struct Sandbox {
    layout: Layout,
    token: String,
    control: Control,
    keeper: Child,
    exit: Option<Exit>,
    target: Option<i32>,
    down: bool,
}

impl Sandbox {
    /// Makes the sandbox's first process and its directories. `executable` is a program that
    /// begins with the role dispatch.
    pub fn create(executable: &Path) -> Result<Sandbox, SandboxError> {
        let token = new_token();
        let (ours, theirs) = UnixStream::pair()?;
        let keeper = Command::new(executable)
            .env_clear()
            .env(ROLE_VARIABLE, KEEPER_ROLE)
            .env(TOKEN_VARIABLE, &token)
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            // What it has to say goes by the control socket.
            .stderr(Stdio::null())
            .spawn()?;
        // Torn down by its drop wherever the rest fails.
        let mut sandbox = Sandbox {
            layout: Layout::new(Path::new("")),
            token,
            control: Control::new(ours),
            keeper,
            exit: None,
            target: None,
            down: false,
        };
        match next_report(&mut sandbox.control)? {
            Report::Root(root) => sandbox.layout = Layout::new(&root),
            Report::Failed(why) => return Err(SandboxError::Keeper(why)),
            other => return Err(SandboxError::Keeper(format!("said {other:?}"))),
        }
        sandbox.layout.make()?;
        Ok(sandbox)
    }

    /// Where things lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What every process of this sandbox carries in its environment.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Starts the target. The plan was proven for this sandbox, or was not: the marker and token
    /// that the gate looked at are this one's alone.
    pub fn launch(&mut self, proven: Proven) -> Result<(), SandboxError> {
        self.control.say(&Order::Launch(proven.into_plan()))?;
        match next_report(&mut self.control)? {
            Report::Started(pid) => {
                self.target = Some(pid);
                Ok(())
            }
            Report::Failed(why) => Err(SandboxError::Keeper(why)),
            other => Err(SandboxError::Keeper(format!("said {other:?}"))),
        }
    }

    /// The target's process, once launched.
    pub fn target(&self) -> Option<i32> {
        self.target
    }

    /// The process of that number, if it is one of this sandbox's, and not the target itself.
    pub fn process(&self, pid: i32) -> Option<Process> {
        let target = self.target.filter(|&target| target != pid)?;
        procs::belongs(pid, &self.token, target).then(|| process(pid)).flatten()
    }

    /// How the target ended, if it did within `wait`.
    pub fn exit(&mut self, wait: Duration) -> Result<Option<Exit>, SandboxError> {
        if self.exit.is_none() {
            match self.control.hear(wait)? {
                Some(Report::Exited(exit)) => self.exit = Some(exit),
                Some(other) => return Err(SandboxError::Keeper(format!("said {other:?}"))),
                None if self.control.ended() => {
                    return Err(SandboxError::Keeper("is gone".into()));
                }
                None => {}
            }
        }
        Ok(self.exit)
    }

    /// Ends every process, removes every directory, and makes sure of both.
    pub fn teardown(mut self) -> Result<(), SandboxError> {
        self.take_down()
    }

    fn take_down(&mut self) -> Result<(), SandboxError> {
        if std::mem::replace(&mut self.down, true) {
            return Ok(());
        }
        // It cannot be told if it is gone, and then it says nothing either.
        let _ = self.control.say(&Order::Stop);
        let wait = Duration::from_millis(TERM_GRACE_MS + KILL_MS + KEEPER_REPLY_MS);
        let survivors = loop {
            match self.control.hear(wait) {
                Ok(Some(Report::Stopped(survivors))) => break Some(survivors),
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => break None,
            }
        };
        let _ = self.keeper.kill();
        self.keeper.wait()?;
        // The first process did both already, unless it was killed.
        sweep(&self.token)?;
        remove_roots(&self.token)?;
        match survivors {
            Some(none) if none.is_empty() => Ok(()),
            Some(alive) => Err(SandboxError::Survived(format!("processes {alive:?}"))),
            None => Err(SandboxError::Keeper(
                "was killed: whatever shed the token may have outlived it".into(),
            )),
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if let Err(why) = self.take_down() {
            eprintln!("monkey9p: {why}");
        }
    }
}

/// Kills every process whose token begins with `prefix`, until there is none.
pub fn sweep(prefix: &str) -> Result<(), SandboxError> {
    let deadline = Instant::now() + Duration::from_millis(KILL_MS);
    loop {
        let alive = tokened(prefix);
        if alive.is_empty() {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(SandboxError::Survived(format!("processes {alive:?}")));
        }
        kill_all(&alive);
        std::thread::sleep(Duration::from_millis(POLL_MS));
    }
}

/// Removes the roots of sandboxes whose tokens begin with `prefix`; their processes are gone.
pub fn remove_roots(prefix: &str) -> Result<(), SandboxError> {
    for root in roots(prefix)? {
        keeper::remove_root(&root)?;
    }
    Ok(())
}

/// The roots of sandboxes whose tokens begin with `prefix`.
pub fn roots(prefix: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(limits::PARENT)?.flatten() {
        let named = entry.file_name().to_string_lossy().starts_with(limits::ROOT_PREFIX);
        // Another user's marker cannot be trusted, and its directory not removed.
        let ours =
            entry.metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == geteuid().as_raw());
        let marker = || fs::read_to_string(entry.path().join(limits::MARKER));
        if named && ours && marker().is_ok_and(|token| token.starts_with(prefix)) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// A program that begins with the role dispatch, where none is named: this very one.
pub fn own_executable() -> PathBuf {
    PathBuf::from("/proc/self/exe")
}

fn next_report(control: &mut Control) -> Result<Report, SandboxError> {
    match control.hear(Duration::from_millis(KEEPER_REPLY_MS))? {
        Some(report) => Ok(report),
        None if control.ended() => Err(SandboxError::Keeper("is gone".into())),
        None => Err(SandboxError::Keeper("does not answer".into())),
    }
}

/// Unique to one sandbox of one process: `PID-COUNT-RANDOM`, after the token that this process
/// itself carries, if it does.
fn new_token() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    let own = format!("{}-{count}-{:016x}", std::process::id(), rand::rng().random::<u64>());
    match std::env::var(TOKEN_VARIABLE) {
        Ok(outer) if !outer.is_empty() => format!("{outer}{}{own}", warden::NESTED),
        _ => own,
    }
}
