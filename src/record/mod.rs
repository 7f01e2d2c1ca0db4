//! Bug records: what failed, how to run it again, and in one directory a bug.

mod bug;
mod commands;
mod frames;
mod index;
mod report;
mod signature;
mod story;

pub use bug::{Bug, RECORD_FILE, STORY_FILE, Written, complete_bug, note_bug, recorded_verdict};
pub use commands::commands;
pub use index::INDEX_FILE;
pub use report::{Answer, Rule, Told, report, script_line, walkthrough};
pub use signature::{blur, signature};
pub use story::{opened, story, tell};

/// A failure, as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// An invariant's name, or `crash`, `hang`, `dropped`, `log`, `checker`, `harness`.
    pub kind: String,
    /// What happened, in a sentence.
    pub why: String,
    /// What was seen.
    pub detail: String,
    /// The crash file's text and standard error's.
    pub crash: String,
}

/// What a record says besides the failure.
#[derive(Clone, Debug, Default)]
pub struct Circumstances {
    /// The seed of the run, where there is one.
    pub seed: Option<u64>,
    /// The step it happened at, counting from 0.
    pub step: usize,
    /// What was fuzzed.
    pub binary: String,
    /// What it was given on its command line, and found in its HOME.
    pub launched: String,
    /// The target's name.
    pub target: String,
    /// What held it: the sandbox's level.
    pub level: String,
    /// Whether it happens again, and from what.
    pub verdict: Option<Verdict>,
    /// What the verdict rests on.
    pub evidence: String,
}

/// Whether a failure happens again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The input by itself gives the same failure in a fresh session.
    Alone,
    /// Everything since the session began gives it.
    WithHistory,
    /// Neither did, in so many tries.
    Flaky {
        /// How many replays gave the failure.
        failed: u32,
        /// Of how many.
        tried: u32,
    },
}

impl Finding {
    /// What makes two failures the same bug: for a crash, where it happened too, if its text says so.
    pub fn signature(&self) -> String {
        let signature = signature(&self.kind, &self.why);
        match (&*self.kind, frames::top(&self.crash)) {
            ("crash", frames) if !frames.is_empty() => {
                format!("{signature} @ {}", blur(&frames.join(" < ")))
            }
            _ => signature,
        }
    }

    /// The record's directory name: the kind, and the signature's hash.
    pub fn directory(&self) -> String {
        format!("{}-{}", self.kind, signature::hash(&self.signature()))
    }
}

impl Verdict {
    /// As records have it.
    pub fn text(self) -> String {
        match self {
            Verdict::Alone => "alone".into(),
            Verdict::WithHistory => "with history".into(),
            Verdict::Flaky { failed, tried } => format!("flaky ({failed} of {tried} replays)"),
        }
    }
}
