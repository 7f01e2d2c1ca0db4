//! One sandbox, one target, its connections, and what lives between steps: runs an op, gives an
//! outcome.

mod again;
mod around;
mod begun;
mod connect;
mod crash;
mod exchange;
mod exec;
mod expect;
mod failure;
mod fids;
mod follower;
mod handles;
mod heard;
mod held;
pub mod limits;
pub mod log;
mod observe;
mod outcome;
mod refs;
mod reload;
mod reset;
mod shape;
mod shells;
mod wild;
mod wire_step;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use futures_util::try_join;

pub use connect::connect;
pub use exchange::{Exchange, Ledger, Open, Request, Sending, Settled, WireEvent};
pub use failure::{Failure, FailureKind, StartError};
pub use fids::{Bound, follow};
pub use heard::Heard;
pub use held::{Exclusive, Freed};
pub use observe::Needs;
pub use outcome::{
    Addresses, Answered, Asked, Content, Edited, IndexView, Listing, Opened, Outcome, Sent,
    Traffic, What,
};
pub use refs::serials;
pub use reload::{Reloaded, SeenPane};
pub use reset::ResetError;
pub use shape::describe;
pub use shells::EndedShell;
pub use wire_step::run_at as run_script;

use crate::ops::{Latin1, Op};
use crate::sandbox::{Level, Sandbox, SandboxError, Wanted};
use crate::target::{FIXTURES, Program, Target};
use crate::wire::{Conn, WireError, drive};
use exec::Context;
use follower::Follower;
use handles::Handle;
use heard::Shells;
use held::Held;
use limits::{JOURNAL_BYTES, LAUNCH_MS, LOOK_MS, STEP_MS};
use refs::Refs;
use shape::{payload_bytes, turn, uses_second};
use wild::{Wild, changed_host, reach};

/// How often a pane's addresses are looked at: it takes as many requests as all the rest.
const ADDRESSES_EACH: u64 = 4;

/// What it takes to start sessions: the target, and a program that has the sandbox's roles.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// What is launched.
    pub target: Target,
    /// A program that begins with the role dispatch.
    pub executable: PathBuf,
    /// What is to hold the target; the strongest level that can be had, if that is left open.
    pub level: Option<Level>,
}

impl Launcher {
    /// A sandbox for the target, with nothing launched in it.
    pub fn sandbox(&self) -> Result<Sandbox, SandboxError> {
        let reachable = match &self.target.program {
            Program::Path(path) | Program::Role(path, _) => vec![path.clone()],
        };
        Sandbox::create(&self.executable, &Wanted { level: self.level, reachable, life: None })
    }
}

/// A step's end.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "nearly every step is Done")]
pub enum Step {
    /// The target answered.
    Done(Outcome),
    /// The target quit cleanly, as it does when its last pane is closed: no failure.
    Quit,
}

/// A running target and what is known of it.
#[derive(Debug)]
pub struct Session {
    sandbox: Sandbox,
    target: Target,
    socket: PathBuf,
    evidence: Vec<String>,
    conn: Conn,
    /// Made when an op first asks for it.
    second: Option<Conn>,
    follower: Option<Follower>,
    follow: bool,
    handles: HashMap<Latin1, Handle>,
    held: Held,
    shells: Shells,
    wild: Wild,
    refs: Refs,
    marker: Option<String>,
    markers: u64,
    baseline_columns: usize,
    /// What the fids of the main connection and of the second stand for.
    bound: [Bound; 2],
    opens: u64,
    /// The op that ran last, its references resolved.
    resolved: Op,
    requests: u64,
    journal: Vec<Op>,
    journal_bytes: usize,
}

impl Session {
    /// Makes a sandbox, proves its isolation, launches the target in it and waits for its answer.
    pub fn start(launcher: &Launcher, follow: bool) -> Result<Session, StartError> {
        let mut sandbox = launcher.sandbox()?;
        let target = launcher.target.clone();
        for (name, bytes) in FIXTURES {
            std::fs::write(sandbox.reached().home.join(name), bytes).map_err(SandboxError::Io)?;
        }
        let plan = target.plan(sandbox.layout(), sandbox.token());
        let socket = plan.socket.clone();
        let proven = sandbox.prove(plan)?;
        let evidence = [sandbox.evidence(), proven.evidence()].concat();
        sandbox.launch(proven)?;
        let wait = Duration::from_millis(LAUNCH_MS);
        let failed = |why: String, sandbox: &Sandbox| StartError::Target {
            target: target.name.clone(),
            why: format!("{why}\n{}", crash::crash_text(sandbox)).trim_end().to_owned(),
        };
        let conn = match connect(&mut sandbox, &socket, wait) {
            Ok(conn) => conn,
            Err(why) => return Err(failed(why, &sandbox)),
        };
        let mut session = Session {
            sandbox,
            target: target.clone(),
            socket,
            evidence,
            conn,
            second: None,
            follower: None,
            follow,
            handles: HashMap::new(),
            held: Held::default(),
            shells: Shells::default(),
            wild: Wild::default(),
            refs: Refs::default(),
            marker: None,
            markers: 0,
            baseline_columns: 0,
            bound: Default::default(),
            opens: 0,
            resolved: Op::Fresh { follower: follow },
            requests: 0,
            journal: vec![Op::Fresh { follower: follow }],
            journal_bytes: 0,
        };
        session.settle().map_err(|why| failed(why, &session.sandbox))?;
        Ok(session)
    }

    /// Runs one op, then looks at what the invariants want to see.
    pub fn run(&mut self, op: &Op, needs: Needs) -> Result<Step, Failure> {
        self.journal_bytes += payload_bytes(op);
        self.journal.push(op.clone());
        let what = describe(&self.refs.resolve(op));
        match self.run_and_look(op, &what, needs) {
            Ok(outcome) => match self.ended(&what, Duration::ZERO)? {
                true => Ok(Step::Quit),
                false => Ok(Step::Done(outcome)),
            },
            Err(failure) => self.or_ended(&what, failure),
        }
    }

    /// Every op since the session began, a `fresh` first; resets are among them.
    pub fn journal(&self) -> &[Op] {
        &self.journal
    }

    /// Whether the journal has grown so long, or the sandbox so old, that the session should be replaced.
    pub fn is_old(&self) -> bool {
        self.journal_bytes > JOURNAL_BYTES || self.sandbox.is_old()
    }

    /// How many requests the session has sent, on all its connections.
    pub fn requests(&self) -> u64 {
        self.requests + self.conns().iter().map(Conn::requests).sum::<u64>()
    }

    /// The op that ran last, with what its references stood for.
    pub fn resolved(&self) -> &Op {
        &self.resolved
    }

    /// The panes alive after the last step, by serial.
    pub fn panes(&self) -> &[u64] {
        &self.refs.panes
    }

    /// Whether the log is followed on a second connection.
    pub fn follows(&self) -> bool {
        self.follow
    }

    /// The target's process.
    pub fn target_pid(&self) -> Option<i32> {
        self.sandbox.target()
    }

    /// What every process of the session's sandbox carries in its environment.
    pub fn token(&self) -> &str {
        self.sandbox.token()
    }

    /// The sandbox's root directory.
    pub fn root(&self) -> &std::path::Path {
        &self.sandbox.layout().root
    }

    /// What holds the target.
    pub fn level(&self) -> Level {
        self.sandbox.level()
    }

    /// What the gate looked at before the launch.
    pub fn evidence(&self) -> &[String] {
        &self.evidence
    }

    /// The crash file's text and standard error's.
    pub fn crash_text(&self) -> String {
        crash::crash_text(&self.sandbox)
    }

    /// Ends the target and everything it started, and makes sure that nothing is left.
    pub fn teardown(self) -> Result<(), SandboxError> {
        let Session { sandbox, conn, second, handles, follower, .. } = self;
        drop((conn, second, handles, follower));
        sandbox.teardown()
    }

    fn run_and_look(&mut self, op: &Op, what: &str, needs: Needs) -> Result<Outcome, Failure> {
        let mut before = self.before(op, needs)?;
        if uses_second(op) && self.second.is_none() {
            let wait = self.reconnect_wait();
            match connect(&mut self.sandbox, &self.socket, wait) {
                Ok(second) => self.second = Some(second),
                Err(why) => {
                    self.wild.lose_reach();
                    let why = format!("a second connection: {why}");
                    return Err(Failure::new(FailureKind::Hang, why));
                }
            }
        }
        let mut outcome = self.execute(op).map_err(|why| Failure::wire(what, why))?;
        if changed_host(&outcome) {
            self.wild.let_loose(self.sandbox.reached());
        }
        outcome.wild = self.wild.is_loose();
        self.shells.follow(&mut outcome);
        if outcome.hung_up {
            self.reconnect()
                .map_err(|why| Failure::new(FailureKind::Hang, format!("{what}: {why}")))?;
        }
        self.right_after(&mut before, &mut outcome)?;
        self.look(needs, turn(op), &mut outcome).map_err(|failure| Failure {
            why: format!("after {what}: {}", failure.why),
            ..failure
        })?;
        self.after(op, &before, needs, &mut outcome)?;
        outcome.crash = crash::crash_file(self.sandbox.reached()).map(|_| self.crash_text());
        Ok(outcome)
    }

    fn execute(&mut self, op: &Op) -> Result<Outcome, WireError> {
        self.resolved = self.refs.resolve(op);
        let conns = self.conns();
        let reach = reach(self.sandbox.level());
        let mut context = Context {
            conn: self.conn.clone(),
            second: self.second.clone(),
            opens: &mut self.opens,
            handles: &mut self.handles,
            sandbox: &mut self.sandbox,
            socket: &self.socket,
            reach,
            wild: &mut self.wild,
        };
        drive(&conns, Duration::from_millis(STEP_MS), exec::run(&self.resolved, &mut context))
            .flatten()
    }

    /// The marker first; what is read after it goes out together.
    fn look(&mut self, needs: Needs, turn: u64, outcome: &mut Outcome) -> Result<(), Failure> {
        self.markers += 1;
        let marker = log::marker(self.markers);
        let previous = self.marker.replace(marker.clone());
        let conns = self.conns();
        let (conn, panes) = (&self.conn, &self.refs.panes);
        let follows = self.follower.is_some();
        let follower = &mut self.follower;
        let limit = Duration::from_millis(LOOK_MS);
        let looked = drive(&conns, limit, async {
            let window = match needs.log {
                true => {
                    observe::window(conn, follower.as_mut(), previous.as_deref(), &marker).await?
                }
                false => None,
            };
            let both = needs.both_logs && follows && window.is_some();
            let logged = async {
                match both {
                    true => observe::logged(conn, previous.as_deref(), &marker).await,
                    false => Ok(None),
                }
            };
            let listing = async {
                match needs.listing {
                    true => observe::listing(conn, turn, panes).await,
                    false => Ok(None),
                }
            };
            let addresses = async {
                match needs.addresses && turn.is_multiple_of(ADDRESSES_EACH) {
                    true => observe::addresses(conn, turn, panes).await,
                    false => Ok(None),
                }
            };
            let index = observe::index(conn);
            let (logged, index, listing, addresses, columns) =
                try_join!(logged, index, listing, addresses, observe::columns(conn))?;
            Ok::<_, Failure>((window, logged, index, listing, addresses, columns))
        });
        let (window, logged, index, listing, addresses, columns) =
            looked.map_err(|why| Failure::wire("looking", why)).flatten()?;
        self.refs.set_panes(serials(&index.after));
        self.refs.columns = columns;
        outcome.logged = logged.filter(|_| !outcome.hung_up);
        // A hang-up loses the records between; what a script's requests log is not told apart.
        outcome.window = window.filter(|_| !outcome.hung_up && outcome.wire.is_empty());
        outcome.index = needs.index.then_some(index);
        outcome.listing = listing;
        outcome.addresses = addresses;
        for (conn, bound) in [Some(&self.conn), self.second.as_ref()].iter().zip(&mut self.bound) {
            let Some(conn) = conn else { continue };
            let traffic = Traffic { trace: conn.take_trace(), bound: bound.clone() };
            traffic.trace.iter().for_each(|exchange| follow(bound, exchange));
            outcome.traffic.push(traffic);
        }
        Ok(())
    }

    fn body(&self, pane: &str) -> Result<Option<Bytes>, Failure> {
        let limit = Duration::from_millis(LOOK_MS);
        drive(&self.conns(), limit, observe::body(&self.conn, pane))
            .map_err(|why| Failure::wire(pane, why))
            .flatten()
    }

    fn conns(&self) -> Vec<Conn> {
        let follower = self.follower.as_ref().map(|follower| follower.conn().clone());
        [self.conn.clone()].into_iter().chain(self.second.clone()).chain(follower).collect()
    }
}
