//! The planted defects: single deviations, each off unless `STANDIN_PLANT` names it.

/// Which defect is on, for the code that has it in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Defect {
    CrashOnRegex,
    CrashFileLives,
    ErrTwice,
    ErrMissing,
    CloseFailsBody,
    IndexMissesPane,
    ChunkSkipsByte,
    HangOnFlush,
    FollowerCountShort,
}

/// One planted defect, as the table tells of it.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Plant {
    /// What `STANDIN_PLANT` says to turn it on.
    pub name: &'static str,
    /// What it breaks, in one sentence.
    pub breaks: &'static str,
    /// The invariant that should tell.
    pub invariant: &'static str,
    /// Operations it takes at the least to show.
    pub min_ops: u32,
    /// Where such a defect was seen, or why one is likely.
    pub seen: &'static str,
    #[serde(skip)]
    defect: Defect,
}

/// The table.
pub fn plants() -> &'static [Plant] {
    PLANTS
}

/// The defect that `name` turns on.
pub(super) fn named(name: &str) -> Option<Defect> {
    PLANTS.iter().find(|plant| plant.name == name).map(|plant| plant.defect)
}

/// The table as it is printed: JSON, or a line a defect.
pub(super) fn table(json: bool) -> String {
    if json {
        return serde_json::to_string_pretty(PLANTS).unwrap_or_default();
    }
    let line = |p: &Plant| {
        format!(
            "{}\n\t{}\n\ttold by: {}\n\tops: {}\n\tseen: {}",
            p.name, p.breaks, p.invariant, p.min_ops, p.seen
        )
    };
    PLANTS.iter().map(line).collect::<Vec<_>>().join("\n")
}

const PLANTS: &[Plant] = &[
    Plant {
        name: "crash-on-regex",
        breaks: "A regular expression with an empty class ends the server instead of being refused.",
        invariant: "alive",
        min_ops: 1,
        seen: "parsers of regular expressions index past an empty class",
        defect: Defect::CrashOnRegex,
    },
    Plant {
        name: "crash-file-lives",
        breaks: "A refused write to a pane's mark panics; the panic is caught, its crash file left, and the server goes on.",
        invariant: "alive",
        min_ops: 1,
        seen: "servers that catch a panic for each request",
        defect: Defect::CrashFileLives,
    },
    Plant {
        name: "err-twice",
        breaks: "A refused write to a pane's dot or limit logs its reason twice.",
        invariant: "one_failure_rule",
        min_ops: 1,
        seen: "an error logged where it arises and again where it is answered",
        defect: Defect::ErrTwice,
    },
    Plant {
        name: "err-missing",
        breaks: "A refused write to an addr file logs nothing.",
        invariant: "one_failure_rule",
        min_ops: 1,
        seen: "an early return past the logging",
        defect: Defect::ErrMissing,
    },
    Plant {
        name: "close-fails-body",
        breaks: "A write to a body without a newline at its end logs an err when the fid is closed.",
        invariant: "close_runs_only_line_files",
        min_ops: 1,
        seen: "write-back caches that report a failure only at the close",
        defect: Defect::CloseFailsBody,
    },
    Plant {
        name: "index-misses-pane",
        breaks: "The index leaves out the newest pane when there are more than four.",
        invariant: "index_matches_pane_dirs",
        min_ops: 2,
        seen: "two listings kept by hand in two places",
        defect: Defect::IndexMissesPane,
    },
    Plant {
        name: "chunk-skips-byte",
        breaks: "A read of a listing at an offset that is a multiple of 64 skips a byte.",
        invariant: "chunked_equals_whole",
        min_ops: 1,
        seen: "offsets kept by the server as well as sent by the client",
        defect: Defect::ChunkSkipsByte,
    },
    Plant {
        name: "hang-on-flush",
        breaks: "A flush of a read that waits is never answered.",
        invariant: "hang",
        min_ops: 1,
        seen: "a blocked read of a log, flushed, whose reader was never woken (user report)",
        defect: Defect::HangOnFlush,
    },
    Plant {
        name: "follower-count-short",
        breaks: "A follower is told one repetition too few of a record said three times or more.",
        invariant: "one_failure_rule",
        min_ops: 1,
        seen: "a counter read before it is raised",
        defect: Defect::FollowerCountShort,
    },
];
