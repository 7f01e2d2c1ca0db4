//! A throwaway world for one target: made, proven, and gone without a trace.

mod clearing;
mod confine;
mod dial;
mod gate;
mod keeper;
mod layout;
mod level;
pub mod limits;
mod mounts;
mod outer;
mod person;
mod probes;
mod procs;
mod protocol;
mod reach;
mod spawn;
mod system;
mod warden;

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use once_cell::sync::OnceCell;
use rand::RngExt as _;
use thiserror::Error;

pub use clearing::{remove_roots, roots, sweep};
pub use dial::dial;
pub use gate::{LaunchPlan, Proven, Refusal};
pub use keeper::main as keeper_main;
pub use layout::Layout;
pub use level::{LEVEL_VARIABLE, Level, LevelError};
pub use person::homes;
pub use procs::{Process, descendants, family, kill_all, process, session_of, tokened};
pub use protocol::Exit;
pub use warden::{Warden, main as warden_main};

use clearing::clear;
use limits::{KEEPER_REPLY_MS, KILL_MS, LIFE_S, POLL_MS, TERM_GRACE_MS, TOKEN_VARIABLE};
use protocol::{Asked, Control, Order, Report, World};
use reach::Reach;

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
    /// It lived as long as it may.
    #[error("the sandbox's time is over: it may live for {0} s")]
    Expired(u64),
    /// Something survived the teardown.
    #[error("after the teardown there was still {0}")]
    Survived(String),
}

/// What is asked of a sandbox.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// What is to hold the target; the strongest level that can be had, if that is left open.
    pub level: Option<Level>,
    /// Files that stay reachable wherever they are, besides the executable that has the roles.
    pub reachable: Vec<PathBuf>,
    /// How long it may live; [`limits::LIFE_S`], if that is left open.
    pub life: Option<Duration>,
}

/// One sandbox, from its making to its end. Dropped, it is torn down; and so it is if this process
/// is killed, by its first process.
#[derive(Debug)]
pub struct Sandbox {
    layout: Layout,
    /// There once the sandbox is made.
    reach: Option<Reach>,
    token: String,
    level: Level,
    begun: Instant,
    life: Duration,
    evidence: Vec<String>,
    control: Control,
    keeper: Child,
    /// The pid namespace's first process, if there is such a namespace.
    first: Option<Process>,
    exit: Option<Exit>,
    target: Option<i32>,
    down: bool,
}

/// The level that was found to be the strongest, and why the stronger ones are not to be had: no
/// later sandbox of this process may quietly be held by less.
static STRONGEST: OnceCell<(Level, Vec<String>)> = OnceCell::new();

impl Sandbox {
    /// Makes the sandbox's first process and its directories, at the level that is wanted or not at
    /// all. `executable` is a program that begins with the role dispatch.
    pub fn create(executable: &Path, wanted: &Wanted) -> Result<Sandbox, SandboxError> {
        let known = STRONGEST.get();
        let levels = match wanted.level.or(known.map(|(level, _)| *level)) {
            Some(level) => vec![level],
            None => Level::ALL.to_vec(),
        };
        let mut lacking = known.map(|(_, why)| why.clone()).unwrap_or_default();
        for level in levels {
            match Sandbox::attempt(executable, level, wanted)? {
                Ok(mut sandbox) if wanted.level.is_none() => {
                    let (_, lacking) = STRONGEST.get_or_init(|| (level, lacking));
                    sandbox.evidence.extend(lacking.iter().cloned());
                    return Ok(sandbox);
                }
                Ok(sandbox) => return Ok(sandbox),
                Err(why) => lacking.push(format!("the level {level} cannot be had: {why}")),
            }
        }
        Err(Refusal::new(lacking.join("; ")).into())
    }

    /// A sandbox of that level, or why there can be none.
    fn attempt(
        executable: &Path,
        level: Level,
        wanted: &Wanted,
    ) -> Result<Result<Sandbox, String>, SandboxError> {
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
            reach: None,
            token,
            level,
            begun: Instant::now(),
            life: wanted.life.unwrap_or(Duration::from_secs(LIFE_S)),
            evidence: vec![format!("level: {level}")],
            control: Control::new(ours),
            keeper,
            first: None,
            exit: None,
            target: None,
            down: false,
        };
        // A link is followed here: there, it is another one's.
        let own = fs::canonicalize(executable);
        let reachable = own.into_iter().chain(wanted.reachable.iter().cloned()).collect();
        let harness = std::process::id().cast_signed();
        let life_ms = u64::try_from(sandbox.life.as_millis()).unwrap_or(u64::MAX);
        let world = World { level, homes: person::homes(), reachable, harness, life_ms };
        sandbox.control.say(&Order::Make(world))?;
        match next_report(&mut sandbox.control)? {
            Report::Ready { root, shown, first } => {
                sandbox.layout = Layout::new(&root);
                let held = sandbox.control.descriptor();
                if held.is_some() != (level == Level::Kernel) {
                    return Err(SandboxError::Keeper(
                        "handed no root over, or one too many".into(),
                    ));
                }
                sandbox.reach = Some(Reach::new(&sandbox.layout, held)?);
                sandbox.evidence.extend(shown);
                sandbox.first = first.and_then(process);
                Ok(Ok(sandbox))
            }
            Report::Unavailable(why) => {
                sandbox.withdraw()?;
                Ok(Err(why))
            }
            Report::Failed(why) => Err(SandboxError::Keeper(why)),
            other => Err(SandboxError::Keeper(format!("said {other:?}"))),
        }
    }

    /// Makes sure that nothing is left of a sandbox that could not be made.
    fn withdraw(mut self) -> Result<(), SandboxError> {
        self.down = true;
        self.keeper.wait()?;
        clear(&self.token)
    }

    /// Where things lie for the target.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Where the same things lie for this process: what the target has put in their places is not
    /// followed.
    pub fn reached(&self) -> &Layout {
        self.reach.as_ref().map_or(&self.layout, Reach::layout)
    }

    /// Whether it should be replaced, before its time is over.
    pub fn is_old(&self) -> bool {
        self.begun.elapsed() > self.life / 2
    }

    /// What holds the target.
    pub fn level(&self) -> Level {
        self.level
    }

    /// What was shown of the level, a sentence each, and why it is no stronger one.
    pub fn evidence(&self) -> &[String] {
        &self.evidence
    }

    /// What every process of this sandbox carries in its environment.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Shows that everything `plan` names lies inside, or says what does not: by the first process,
    /// for which paths lead where they will lead for the target.
    pub fn prove(&mut self, plan: LaunchPlan) -> Result<Proven, SandboxError> {
        let (root, token) = (self.layout.root.clone(), self.token.clone());
        self.prove_at(plan, root, token)
    }

    /// The same, as if this sandbox's root and token were others.
    pub fn prove_at(
        &mut self,
        plan: LaunchPlan,
        root: PathBuf,
        token: String,
    ) -> Result<Proven, SandboxError> {
        self.control.say(&Order::Prove(Asked { plan, root, token }))?;
        match next_report(&mut self.control)? {
            Report::Proven(evidence) => Ok(Proven(evidence)),
            Report::Refused(refusal) => Err(refusal.into()),
            other => Err(SandboxError::Keeper(format!("said {other:?}"))),
        }
    }

    /// Starts the target: what was proven last, and once.
    pub fn launch(&mut self, _: Proven) -> Result<(), SandboxError> {
        self.control.say(&Order::Launch)?;
        match next_report(&mut self.control)? {
            Report::Started(pid) => {
                self.target = self.outside(pid);
                Ok(())
            }
            Report::Failed(why) => Err(SandboxError::Keeper(why)),
            other => Err(SandboxError::Keeper(format!("said {other:?}"))),
        }
    }

    /// A connection to a socket of the sandbox's, made by its first process: in there the path leads
    /// where it leads for the target, and to nothing outside.
    pub fn connect(&mut self, socket: &Path) -> io::Result<OwnedFd> {
        self.control.say(&Order::Connect(socket.into()))?;
        loop {
            match next_report(&mut self.control).map_err(io::Error::other)? {
                Report::Connected => {
                    let missing = || io::Error::other("a connection was promised, and none came");
                    return self.control.descriptor().ok_or_else(missing);
                }
                Report::Unconnected(why) => return Err(Errno::from_raw(why).into()),
                // It may end at any time, and this is said once.
                Report::Exited(exit) => self.exit = Some(exit),
                other => return Err(io::Error::other(format!("said {other:?}"))),
            }
        }
    }

    /// The target's process, once launched.
    pub fn target(&self) -> Option<i32> {
        self.target
    }

    /// The number that this process knows that one of the sandbox's by; nothing if it is gone.
    fn outside(&self, pid: i32) -> Option<i32> {
        match self.first {
            Some(first) => procs::outside(first.pid, pid),
            None => Some(pid),
        }
    }

    /// The process that the target knows by that number, if it is one of this sandbox's, and not the
    /// target itself.
    pub fn process(&self, pid: i32) -> Option<Process> {
        let pid = self.outside(pid)?;
        let target = self.target.filter(|&target| target != pid)?;
        if self.first.is_some() {
            return process(pid);
        }
        procs::belongs(pid, &self.token, target).then(|| process(pid)).flatten()
    }

    /// How the target ended, if it did within `wait`.
    pub fn exit(&mut self, wait: Duration) -> Result<Option<Exit>, SandboxError> {
        if self.exit.is_none() {
            match self.control.hear(wait)? {
                Some(Report::Exited(exit)) => self.exit = Some(exit),
                Some(Report::Expired) => return Err(SandboxError::Expired(self.life.as_secs())),
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
        // What is in there goes with the last who holds it.
        self.reach = None;
        // The first process did both already, unless it was killed.
        let ended = self.wait_for_first();
        clear(&self.token)?;
        match survivors {
            Some(none) if none.is_empty() => Ok(()),
            Some(alive) => Err(SandboxError::Survived(format!("processes {alive:?}"))),
            None if ended => Err(SandboxError::Keeper(
                "was killed: all that was in its pid namespace ended with it".into(),
            )),
            None => Err(SandboxError::Keeper(
                "was killed: whatever shed the token may have outlived it".into(),
            )),
        }
    }

    /// Whether there was a pid namespace, and it is gone: the kernel takes its first process last.
    fn wait_for_first(&self) -> bool {
        let Some(first) = self.first else { return false };
        let deadline = Instant::now() + Duration::from_millis(KILL_MS);
        let alive = || {
            let now = process(first.pid);
            now.is_some_and(|now| now.started == first.started && !now.ended)
        };
        while alive() {
            if Instant::now() > deadline {
                return false;
            }
            std::thread::sleep(Duration::from_millis(POLL_MS));
        }
        true
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if let Err(why) = self.take_down() {
            eprintln!("monkey9p: {why}");
        }
    }
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
