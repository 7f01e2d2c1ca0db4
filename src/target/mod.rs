//! What is fuzzed: how it is launched, where it answers, and what it finds in its HOME.

mod fixtures;
mod pardes;
mod tree;

use std::path::PathBuf;

use thiserror::Error;

use crate::sandbox::{LaunchPlan, Layout, ROLE_VARIABLE};

pub use fixtures::{FIXTURES, Fixture};
pub use pardes::{INFERRED_VARIABLE, PARDES_VARIABLE, from_environment, pardes, standin};
pub use tree::{COLUMN_FILES, PANE_FILES, ROOT_FILES, every_kind, file_kind};

/// The environment variable that turns one of the stand-in's planted defects on.
pub const PLANT_VARIABLE: &str = "STANDIN_PLANT";
/// The role of the embedded stand-in.
pub const STANDIN_ROLE: &str = "standin";

/// A server that can be launched in a sandbox, and only there.
#[derive(Clone, Debug)]
pub struct Target {
    /// What it is called in records and on the command line.
    pub name: String,
    /// What is executed.
    pub program: Program,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its socket's name in the runtime directory.
    pub socket: String,
    /// Files that it opens once it answers: lines written to `/look`.
    pub opened: Vec<String>,
    /// Variables of its own, `{home}` standing for its HOME.
    pub variables: Vec<(String, String)>,
    /// Whether inferred invariants hold of it without being asked for.
    pub inferred: bool,
}

/// What is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A program by its absolute path.
    Path(PathBuf),
    /// A role of an executable that begins with the role dispatch.
    Role(PathBuf, &'static str),
}

/// Why there is no such target.
#[derive(Debug, Error)]
pub enum TargetError {
    /// A name nobody knows.
    #[error("unknown target {0:?}: expected \"standin\" or \"pardes\"")]
    Unknown(String),
    /// A path that leads to nothing that runs.
    #[error("{origin}={}: {why}", path.display())]
    NoProgram {
        /// Who named it: a variable or an option.
        origin: &'static str,
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Two answers to one question.
    #[error("--pardes names a program, and --target standin another: give one of them")]
    Contradiction,
    /// The variable says neither yes nor no.
    #[error("{INFERRED_VARIABLE}={0:?}: expected 1 or 0")]
    Inferred(String),
    /// The real one was asked for, and not said where it is.
    #[error("the target pardes needs its program: set PARDES=/path or give --pardes /path")]
    NoPardes,
}

impl Target {
    /// The launch in the sandbox at `layout`: the values that the gate looks at and that are used.
    pub fn plan(&self, layout: &Layout, token: &str) -> LaunchPlan {
        let home = layout.home.to_string_lossy();
        let mut own: Vec<(String, String)> = self
            .variables
            .iter()
            .map(|(name, value)| (name.clone(), value.replace("{home}", &home)))
            .collect();
        let program = match &self.program {
            Program::Path(path) => path.clone(),
            Program::Role(executable, role) => {
                own.push((ROLE_VARIABLE.into(), (*role).into()));
                executable.clone()
            }
        };
        let own_variables = own.iter().map(|(name, _)| name.clone()).collect();
        let mut environment = layout.environment(token);
        environment.extend(own);
        LaunchPlan {
            program,
            arguments: self.arguments.clone(),
            environment,
            own_variables,
            directory: layout.home.clone(),
            stderr: layout.stderr.clone(),
            socket: layout.runtime.join(&self.socket),
        }
    }

    /// What identifies the program in records.
    pub fn binary(&self) -> String {
        match &self.program {
            Program::Path(path) => path.display().to_string(),
            Program::Role(_, role) => match self.plant() {
                None => format!("the embedded {role}"),
                Some(plant) => format!("the embedded {role}, {PLANT_VARIABLE}={plant}"),
            },
        }
    }

    /// The planted defect that is on, if one is.
    pub fn plant(&self) -> Option<&str> {
        self.variables.iter().find(|(name, _)| name == PLANT_VARIABLE).map(|(_, value)| &**value)
    }

    /// The same target with a planted defect turned on, or off.
    pub fn with_plant(mut self, plant: Option<&str>) -> Target {
        self.variables.retain(|(name, _)| name != PLANT_VARIABLE);
        if let Some(plant) = plant {
            self.variables.push((PLANT_VARIABLE.into(), plant.into()));
        }
        self
    }
}
