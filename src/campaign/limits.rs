//! The bounds of a campaign.

/// How long a campaign that was asked to stop may take before it is killed.
pub const STOP_MS: u64 = 15_000;
/// How long one that was started may take until it says that it runs.
pub const BEGIN_MS: u64 = 60_000;
/// How often a wait for its end looks again.
pub const POLL_MS: u64 = 20;
/// How often the supervisor looks at its processes.
pub const TICK_MS: u64 = 100;
/// How often it writes how far it is.
pub const SAMPLE_MS: u64 = 1_000;
/// Over how many samples the executions a second are taken.
pub const RATE_SAMPLES: usize = 10;
/// How long a fuzzing process that was asked to end may take before it is killed.
pub const JOB_END_MS: u64 = 3_000;
/// How long a finding may still be judged when the time is up: what a verdict may take, and a bit.
pub const JUDGE_MS: u64 = 90_000;
/// How long merging the corpus may take.
pub const MERGE_MS: u64 = 600_000;
/// A life shorter than this counts against a job that dies.
pub const SHORT_LIFE_MS: u64 = 60_000;
/// So many short lives in a row, and a job is given up.
pub const SHORT_LIVES: u32 = 5;
/// So many processes in a row that refuse before they have run an input, and the target cannot be
/// started. One alone may have had its sandbox killed.
pub const REFUSALS: u32 = 3;
/// How long a job waits after its first short life; twice as long after each more.
pub const RESTART_MS: u64 = 200;
/// How long one input may take before libFuzzer takes it for hung, in seconds; a verdict is part of it.
pub const INPUT_SECONDS: u64 = 300;
/// Disk space that is held back so that a campaign can say that the disk is full.
pub const RESERVE_BYTES: usize = 256 << 10;
/// How long a job's log may grow before it is begun anew; the one before is kept.
pub const LOG_BYTES: u64 = 8 << 20;
/// The longest line of a job's that is looked at, and of a file of samples or events.
pub const LINE_BYTES: usize = 64 << 10;
/// Lines of a job's that are kept to say why it died, and how much of each, in characters.
pub const LAST_LINES: usize = 6;
/// How much of each such line.
pub const LAST_CHARACTERS: usize = 300;
/// The longest file that is read whole: a manifest, a state, an index of bugs.
pub const FILE_BYTES: u64 = 64 << 20;
/// Samples and events that are read of one campaign.
pub const LINES_READ: usize = 2_000_000;
/// Events that a status shows.
pub const EVENTS_SHOWN: usize = 5;
/// Points that a plot has.
pub const PLOT_POINTS: usize = 400;
/// How much of a story a report holds.
pub const STORY_BYTES: usize = 256 << 10;
/// Grown inputs that a report decodes.
pub const GROWN_READ: usize = 20_000;
