//! Every bound of a session in one place.

/// How long a target may take from its launch to its first answer.
pub const LAUNCH_MS: u64 = 15_000;
/// How long a target may take to answer again after a Restore.
pub const RECONNECT_MS: u64 = 10_000;
/// How often a wait for the socket looks again.
pub const CONNECT_POLL_US: u64 = 500;
/// How long a target that hung up has to be seen to end.
pub const DEATH_MS: u64 = 1_000;
/// How long a target that still answers, but wrongly, has to be seen to end.
pub const QUIT_MS: u64 = 150;
/// Panes at the baseline, by a target that opens its command line's file and two more.
pub const BASELINE_PANES: usize = 3;
/// Panes and columns that a reset takes away before it gives up.
pub const RESET_REMOVALS: usize = 500;
/// What a journal holds before its session is replaced, in bytes of payload.
pub const JOURNAL_BYTES: usize = 16 << 20;
