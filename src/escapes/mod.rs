//! The escape suite: what a hostile target may try, each tried for real in a sandbox of its own, and
//! read from outside.

mod acts;
mod bounds;
mod files;
mod limits;
mod machine;
mod page;
mod privileges;
mod processes;
mod scene;
mod sockets;
mod system;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::sandbox::{Level, Sandbox, SandboxError, Wanted};
use crate::target::{Program, Target};
use limits::{LOOK_MS, SETTLE_MS};
use scene::Scene;

pub use acts::main as role_main;
pub use machine::Machine;
pub use page::page;

/// The role of a target that makes an attempt which no shell can.
pub const ESCAPE_ROLE: &str = "escape";

/// One thing that a hostile target may try. Harmless where it works: it is aimed at what the suite
/// made itself.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    /// Its name.
    pub name: &'static str,
    /// What is tried, as in "it tries …".
    pub tries: &'static str,
    by: By,
    judged: fn(&mut Tried<'_>) -> Judged,
    moment: Moment,
    landlock: Expected,
    environment: Expected,
}

/// Who makes the attempt. What stands in braces is put in by [`Scene::fill`].
#[derive(Clone, Copy, Debug)]
enum By {
    /// A shell, with this script.
    Shell(&'static str),
    /// The role, with these arguments.
    Role(&'static [&'static str]),
}

/// When it is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// Once the target has ended, or has made the file `settled` in its HOME.
    Settled,
    /// Once the sandbox is torn down.
    TornDown,
}

/// What becomes of an attempt at a level.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    /// It comes to nothing.
    Blocked,
    /// It works.
    Open,
    /// It works where, or to whom, this holds.
    If(&'static str, fn(&Machine) -> bool),
}

impl Expected {
    /// Whether it works on this machine.
    pub fn is_open(self, machine: &Machine) -> bool {
        match self {
            Expected::Blocked => false,
            Expected::Open => true,
            Expected::If(_, holds) => holds(machine),
        }
    }
}

/// What was seen of an attempt that worked; nothing of one that was blocked; or why it could not be
/// told.
type Judged = Result<Option<String>, String>;

/// An attempt that was made, and where.
#[derive(Debug)]
struct Tried<'a> {
    scene: &'a mut Scene,
    /// As long as it is there.
    sandbox: Option<&'a mut Sandbox>,
}

impl Tried<'_> {
    /// The target's process; nothing if it ended at once.
    fn target(&self) -> Option<i32> {
        self.sandbox.as_ref().and_then(|sandbox| sandbox.target())
    }

    /// Where the sandbox's files are for this process.
    fn here(&self) -> Result<&crate::sandbox::Layout, String> {
        let reached = self.sandbox.as_ref().map(|sandbox| sandbox.reached());
        reached.ok_or_else(|| "there is no sandbox".to_owned())
    }
}

/// How an attempt went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It came to nothing.
    Blocked,
    /// It worked, as was seen from outside.
    Escaped(String),
    /// It could not be made or judged here, for this reason.
    Untried(String),
}

/// Why the suite could not go on.
#[derive(Debug, Error)]
pub enum EscapeError {
    /// The sandbox's reason.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The attempt took too long.
    #[error("the attempt {0} neither ended nor settled within {1} s")]
    Unsettled(&'static str, u64),
}

/// Every attempt, in the order of the page.
pub fn attempts() -> impl Iterator<Item = &'static Attempt> {
    [files::ALL, processes::ALL, sockets::ALL, privileges::ALL, bounds::ALL].into_iter().flatten()
}

impl Attempt {
    /// What is to become of it at that level.
    pub fn expected(&self, level: Level) -> Expected {
        match level {
            Level::Kernel => Expected::Blocked,
            Level::Landlock => self.landlock,
            Level::Environment => self.environment,
        }
    }

    /// Makes the attempt at that level, and tells how it went. `executable` is a program that begins
    /// with the role dispatch.
    pub fn make(&self, executable: &Path, level: Level) -> Result<Fate, EscapeError> {
        let mut scene = match Scene::make(executable) {
            Ok(scene) => scene,
            Err(why) => return Ok(Fate::Untried(format!("the scene: {why}"))),
        };
        let wanted = Wanted { level: Some(level), reachable: scene.reachable(), life: None };
        let mut sandbox = Sandbox::create(executable, &wanted)?;
        let root = sandbox.layout().root.clone();
        let target = match self.target(executable, &scene, &root) {
            Ok(target) => target,
            Err(why) => {
                sandbox.teardown()?;
                return Ok(Fate::Untried(why));
            }
        };
        let plan = target.plan(sandbox.layout(), sandbox.token());
        let proven = sandbox.prove(plan)?;
        sandbox.launch(proven)?;
        fs::write(sandbox.reached().home.join(GO), "").map_err(SandboxError::from)?;
        self.settle(&mut sandbox)?;
        let early = match self.moment {
            Moment::Settled => {
                (self.judged)(&mut Tried { scene: &mut scene, sandbox: Some(&mut sandbox) })
            }
            Moment::TornDown => Ok(None),
        };
        let torn = sandbox.teardown();
        let late = match self.moment {
            Moment::Settled => Ok(None),
            Moment::TornDown => (self.judged)(&mut Tried { scene: &mut scene, sandbox: None }),
        };
        Ok(match (early, late) {
            (Ok(Some(seen)), _) | (_, Ok(Some(seen))) => Fate::Escaped(seen),
            (Err(why), _) | (_, Err(why)) => Fate::Untried(why),
            (Ok(None), Ok(None)) => match torn {
                Ok(()) => Fate::Blocked,
                Err(why) => Fate::Escaped(why.to_string()),
            },
        })
    }

    fn target(&self, executable: &Path, scene: &Scene, root: &Path) -> Result<Target, String> {
        let (program, arguments) = match self.by {
            By::Shell(script) => {
                (Program::Path("/bin/sh".into()), vec!["-c".into(), scene.fill(script, root)?])
            }
            By::Role(words) => {
                let filled: Result<Vec<String>, String> =
                    words.iter().map(|word| scene.fill(word, root)).collect();
                (Program::Role(executable.into(), ESCAPE_ROLE), filled?)
            }
        };
        Ok(Target {
            name: ESCAPE_ROLE.into(),
            program,
            arguments,
            socket: "escape.sock".into(),
            opened: vec![],
            variables: vec![],
            inferred: false,
        })
    }

    fn settle(&self, sandbox: &mut Sandbox) -> Result<(), EscapeError> {
        let settled = sandbox.reached().home.join(SETTLED);
        let deadline = Instant::now() + Duration::from_millis(SETTLE_MS);
        while !settled.exists() {
            match sandbox.exit(Duration::from_millis(LOOK_MS)) {
                Ok(None) => {}
                // A first process that is gone is for the judge to see.
                Ok(Some(_)) | Err(_) => return Ok(()),
            }
            if Instant::now() > deadline {
                return Err(EscapeError::Unsettled(self.name, SETTLE_MS / 1000));
            }
        }
        Ok(())
    }
}

/// The file in its HOME that says that its launch is over.
const GO: &str = "go";
/// The file that a target makes in its HOME once it has tried, if it does not end then.
const SETTLED: &str = "settled";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_attempt_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = attempts().map(|one| one.name).collect();
        assert_eq!(names.len(), attempts().count());
        assert!(names.len() >= 25);
    }
}
