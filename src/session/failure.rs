//! How a step can go wrong before any invariant looks at it.

use thiserror::Error;

use crate::sandbox::SandboxError;
use crate::wire::WireError;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its kind.
    pub kind: FailureKind,
    /// What happened, with what is known of it.
    pub why: String,
}

/// The kinds of failure that are no invariant's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// The target died, and not by quitting.
    Crash,
    /// A reply did not come in time.
    Hang,
    /// The target hung up, or broke the protocol beyond use.
    Dropped,
    /// The log does not do what markers rely on.
    Log,
    /// What every check relies on could not be read.
    Checker,
    /// This program is at fault.
    Harness,
}

impl FailureKind {
    /// Every kind.
    pub const ALL: [FailureKind; 6] = [
        FailureKind::Crash,
        FailureKind::Hang,
        FailureKind::Dropped,
        FailureKind::Log,
        FailureKind::Checker,
        FailureKind::Harness,
    ];

    /// What it is, in words.
    pub fn words(self) -> &'static str {
        match self {
            FailureKind::Crash => "the target died, and not by quitting",
            FailureKind::Hang => "a reply did not come in time",
            FailureKind::Dropped => "the target hung up, or broke the protocol beyond use",
            FailureKind::Log => "the log does not do what markers rely on",
            FailureKind::Checker => "what every check relies on could not be read",
            FailureKind::Harness => "this program is at fault",
        }
    }

    /// The kind as records name it.
    pub fn name(self) -> &'static str {
        match self {
            FailureKind::Crash => "crash",
            FailureKind::Hang => "hang",
            FailureKind::Dropped => "dropped",
            FailureKind::Log => "log",
            FailureKind::Checker => "checker",
            FailureKind::Harness => "harness",
        }
    }
}

impl Failure {
    pub(super) fn new(kind: FailureKind, why: impl Into<String>) -> Failure {
        Failure { kind, why: why.into() }
    }

    pub(super) fn wire(what: &str, why: WireError) -> Failure {
        let kind = match why {
            WireError::Hang(_) => FailureKind::Hang,
            WireError::Dropped(_) => FailureKind::Dropped,
            WireError::Unsendable(_) => FailureKind::Harness,
        };
        Failure::new(kind, format!("{what}: {why}"))
    }
}

impl From<SandboxError> for Failure {
    fn from(why: SandboxError) -> Failure {
        Failure::new(FailureKind::Harness, why.to_string())
    }
}

/// Why a session could not be had.
#[derive(Debug, Error)]
pub enum StartError {
    /// There is no sandbox, or isolation was not proven.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The target does not answer.
    #[error("the target {target} cannot be started: {why}")]
    Target {
        /// The target's name.
        target: String,
        /// What happened, and what it said.
        why: String,
    },
}
