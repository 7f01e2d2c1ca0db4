//! What a campaign writes down while it runs: how far it is, and what happened.

use serde::{Deserialize, Serialize};

/// How far a campaign was at one moment: a line of `stats.jsonl`. Counts are of the whole campaign,
/// but for features, edges and corpus, which are the most that one of the jobs has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sample {
    /// When, in ISO 8601.
    pub at: String,
    /// How long the campaign has run, in milliseconds, by a clock that nobody sets.
    pub elapsed_ms: u64,
    /// Inputs run.
    pub executions: u64,
    /// In the last ten seconds, a second.
    pub executions_per_s: f64,
    /// Features that libFuzzer tells apart.
    pub features: u64,
    /// Edges of the harness's own among them.
    pub edges: u64,
    /// Inputs in the corpus.
    pub corpus: u64,
    /// Fuzzing processes that live.
    pub jobs: u32,
    /// Fuzzing processes that took another's place.
    pub restarts: u64,
    /// Findings, each as often as it was met.
    pub crashes: u64,
    /// Fuzzing processes that ended for want of memory.
    pub ooms: u64,
    /// And those that took too long at one input.
    pub timeouts: u64,
    /// And those that died in another way.
    pub deaths: u64,
    /// Findings that there was no room to record.
    pub unrecorded: u64,
    /// Different findings.
    pub signatures: u64,
}

/// Something that happened: a line of `events.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When, in ISO 8601.
    pub at: String,
    /// How long the campaign had run, in milliseconds.
    pub elapsed_ms: u64,
    /// What sort of thing.
    pub kind: Kind,
    /// The rest, in words; of a finding the directory of its record.
    pub what: String,
}

/// What may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It began.
    Started,
    /// Another supervisor went on with it.
    Resumed,
    /// Something was found that was not found before.
    Found,
    /// A fuzzing process ended that should not have.
    Died,
    /// A job is not begun again.
    #[serde(rename = "given-up")]
    GivenUp,
    /// Something that the campaign needs was gone, and was put right.
    Mended,
    /// The corpus was merged, or could not be.
    Merged,
    /// It ended, in whatever way.
    Ended,
}

impl Kind {
    /// As files have it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Started => "started",
            Kind::Resumed => "resumed",
            Kind::Found => "found",
            Kind::Died => "died",
            Kind::GivenUp => "given-up",
            Kind::Mended => "mended",
            Kind::Merged => "merged",
            Kind::Ended => "ended",
        }
    }
}
