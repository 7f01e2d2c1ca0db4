//! Every bound of the escape suite in one place.

/// How long an attempt may take to end or to settle.
pub const SETTLE_MS: u64 = 30_000;
/// How often it is looked at meanwhile.
pub const LOOK_MS: u64 = 2;
/// How long what an attempt set going may take to be seen.
pub const GRACE_MS: u64 = 250;
/// How long a program may take to begin.
pub const BEGIN_MS: u64 = 5_000;
/// How much more than it may have a target tries to have: processes, and files.
pub const OVER: u64 = 64;
/// The pieces in which a disk is filled, in bytes.
pub const PIECE_BYTES: u64 = 8 << 20;
/// What must be free on the machine's disk before one tries to fill it, in bytes.
pub const FREE_BYTES: u64 = 4 << 30;
/// How far off the timer is that tells of a set clock.
pub const CLOCK_S: i64 = 1 << 20;
