//! Every bound of the sandbox in one place.

/// Where sandboxes are made: short, since a unix socket's path holds 107 bytes.
pub const PARENT: &str = "/tmp";
/// What the name of a sandbox's root begins with.
pub const ROOT_PREFIX: &str = "m9p.";
/// The file that says a directory is a sandbox of this program; it holds the token.
pub const MARKER: &str = ".monkey9p-sandbox";
/// The environment variable that every process of a sandbox carries.
pub const TOKEN_VARIABLE: &str = "M9P_TOKEN";
/// The longest path a unix socket can have, in bytes.
pub const SOCKET_PATH_BYTES: usize = 107;
/// How long the first process may take to answer what it is told.
pub const KEEPER_REPLY_MS: u64 = 10_000;
/// How long the target has to end by itself once asked to.
pub const TERM_GRACE_MS: u64 = 500;
/// How long a sandbox may live, whatever became of the harness: one that was stopped and forgotten
/// holds nothing for ever. Sessions are replaced at half of it.
pub const LIFE_S: u64 = 24 * 3600;
/// How long every process of the sandbox may take to be gone once killed.
pub const KILL_MS: u64 = 5_000;
/// How often a wait for processes looks again.
pub const POLL_MS: u64 = 2;
/// The longest message on the control socket, in bytes.
pub const CONTROL_BYTES: usize = 1 << 20;
/// How long sandboxes have to clear themselves away once the programs that made them are gone.
pub const NESTED_MS: u64 = 1_500;
/// Processes that a target may have at once at the kernel level.
pub const PROCESSES: u64 = 1_024;
/// Numbers that the kernel gives out in the first round of a pid namespace alone.
pub const PIDS_RESERVED: u64 = 300;
/// What a target may fill with files at the kernel level, in bytes of memory: its root is a file
/// system of its own.
pub const SPACE_BYTES: u64 = 128 << 20;
/// Files and directories that it may make there.
pub const SPACE_FILES: u64 = 4_096;
/// Pseudo-terminals that it may have at once at the kernel level: the machine has so many in all.
pub const TERMINALS: u64 = 256;
/// The longest file that a target may write, in bytes.
pub const FILE_BYTES: u64 = 1 << 30;
/// The address space that one process of a target's may take, in bytes.
pub const ADDRESS_SPACE_BYTES: u64 = 64 << 30;
/// What fits in a directory that hides another, in bytes: places for mounts, and nothing else.
pub const HIDDEN_BYTES: u64 = 64 << 10;
/// Sockets of the machine's, outside hidden directories, that are covered.
pub const SOCKETS_COVERED: usize = 256;
/// What the probes may say, in bytes.
pub const PROBE_BYTES: u64 = 64 << 10;
