//! Every bound of a session in one place.

/// How long a target may take from its launch to its first answer.
pub const LAUNCH_MS: u64 = 15_000;
/// How long a target may take to answer again after a Restore.
pub const RECONNECT_MS: u64 = 10_000;
/// The same where a shell may have removed the socket: no failure is made of it then.
pub const WILD_RECONNECT_MS: u64 = 1_000;
/// How often a wait for the socket looks again.
pub const CONNECT_POLL_US: u64 = 500;
/// How long a target that hung up has to be seen to end.
pub const DEATH_MS: u64 = 1_000;
/// How long a target that still answers, but wrongly, has to be seen to end.
pub const QUIT_MS: u64 = 500;
/// Panes and columns that a reset takes away before it gives up.
pub const RESET_REMOVALS: usize = 500;
/// What a journal holds before its session is replaced, in bytes of payload.
pub const JOURNAL_BYTES: usize = 16 << 20;
/// How long all of one op's requests may take together: a server that answers each just in time
/// hangs all the same.
pub const STEP_MS: u64 = 120_000;
/// How long all that is read after a step may take together.
pub const LOOK_MS: u64 = 30_000;
/// How long a reset may take.
pub const RESET_MS: u64 = 60_000;
/// What a follower holds of one step's records, in bytes.
pub const FOLLOWED_BYTES: usize = 16 << 20;
/// How long a script of raw messages may take, whatever it waits for.
pub const SCRIPT_MS: u64 = 20_000;
/// How long a script's connection may take to be accepted.
pub const SCRIPT_CONNECT_MS: u64 = 5_000;
/// How long a script waits for what need not come.
pub const SCRIPT_LINGER_MS: u64 = 10;
/// How long a message that is sent in two pieces pauses between them.
pub const SCRIPT_PAUSE_MS: u64 = 5;
/// How long a server has to see that a script's connection was hung up.
pub const SCRIPT_DRAIN_MS: u64 = 100;
/// The longest frame a script's connection takes: beyond any msize that it agrees on, so that one
/// that exceeds it can be told, in bytes.
pub const SCRIPT_FRAME_BYTES: u32 = 256 << 10;
/// What a script's connection takes in all, in bytes.
pub const SCRIPT_RECEIVED_BYTES: usize = 8 << 20;
/// Frames that a script's connection takes in all.
pub const SCRIPT_FRAMES: usize = 512;
/// Panes that are looked at because of one step.
pub const PANES_LOOKED_AT: usize = 64;
/// How long what a shell started may live on once its pane is gone.
pub const SHELL_END_MS: u64 = 5_000;
/// How often a wait for processes looks again.
pub const PROBE_POLL_MS: u64 = 2;
/// How long what a client held may stay taken once it is closed, or the client gone.
pub const FREE_MS: u64 = 2_000;
/// After what time it is asked for again; each further time after twice as long.
pub const FREE_POLL_MS: u64 = 1;
/// What is asked for again after one step.
pub const PROBES: usize = 8;
/// Opens that keep others out and are remembered.
pub const HELD_OPENS: usize = 4_096;
/// What is read of all bodies before and after a session is restored, in bytes.
pub const RELOADED_BYTES: usize = 8 << 20;
/// Processes of a sandbox at once beyond which its target gets too little time to be judged by.
pub const CROWD: usize = 128;
