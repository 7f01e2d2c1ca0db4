//! Every bound of the stand-in: nothing that a peer sends or a shell prints grows past them.

use std::time::Duration;

/// The largest msize agreed to, in bytes.
pub const MSIZE_MAX_BYTES: u32 = 131_072 + 24;
/// The smallest msize agreed to: below it a directory entry does not fit, in bytes.
pub const MSIZE_MIN_BYTES: u32 = 256;
/// The largest message before a Tversion has agreed on a size, in bytes.
pub const MSIZE_FIRST_BYTES: u32 = 8_192;
/// What an Rread adds to its data, in bytes.
pub const READ_OVERHEAD_BYTES: u32 = 11;
/// What a Twrite adds to its data, in bytes.
pub const WRITE_OVERHEAD_BYTES: u32 = 23;
/// Names in one Twalk.
pub const WALK_NAMES: usize = 16;
/// Clients connected at one time; another is hung up at once.
pub const CONNECTIONS: usize = 256;
/// Fids of one connection.
pub const FIDS: usize = 32_768;
/// Reads of one connection that wait for something to say.
pub const HELD_READS: usize = 256;
/// Replies waiting in a connection before it is read no further, in bytes.
pub const OUT_QUEUE_BYTES: usize = 1 << 20;
/// What one turn reads from one connection before the others have theirs, in bytes.
pub const TURN_BYTES: usize = 1 << 18;
/// The longest error text, in bytes.
pub const ERROR_BYTES: usize = 512;

/// The longest socket path the system takes, in bytes.
pub const SOCKET_PATH_BYTES: usize = 107;

/// Records the log remembers.
pub const LOG_RING_LINES: usize = 512;
/// Lines that followers can still be told, in bytes: a slow one loses the oldest.
pub const LOG_TOLD_BYTES: usize = 4 << 20;
/// The longest record, in runes; the rest is cut off.
pub const LOG_LINE_RUNES: usize = 400;
/// Words quoted in a record are cut to this, in runes.
pub const QUOTED_RUNES: usize = 120;

/// Panes at one time.
pub const PANES: usize = 512;
/// Columns at one time.
pub const COLUMNS: usize = 64;
/// The longest pane name, in bytes.
pub const NAME_BYTES: usize = 1_024;
/// The longest tag, in bytes.
pub const TAG_BYTES: usize = 65_536;
/// The longest body, in bytes.
pub const BODY_BYTES: usize = 96 << 20;
/// All bodies together, in bytes.
pub const BODIES_BYTES: usize = 384 << 20;
/// The text one body's undo history keeps, in bytes; the oldest changes go first.
pub const UNDO_BYTES: usize = 32 << 20;
/// Bookkeeping of one undoable change, in bytes, so that empty changes count too.
pub const UNDO_CHANGE_BYTES: usize = 64;
/// A terminal's body, in runes; the oldest lines go first.
pub const TERMINAL_RUNES: usize = 262_144;
/// An errors pane's body, in runes.
pub const ERRORS_RUNES: usize = 262_144;
/// Events waiting for a reader, in bytes; the oldest go first.
pub const EVENT_QUEUE_BYTES: usize = 1 << 20;
/// Text longer than this is left out of an event, in runes (acme(4)).
pub const EVENT_TEXT_RUNES: usize = 256;
/// Positions in the jump list.
pub const JUMPS: usize = 100;
/// File names remembered as recent.
pub const RECENT: usize = 50;

/// A command line that waits for its end, in bytes.
pub const LINE_BYTES: usize = 262_144;
/// An Edit block over several lines, in bytes.
pub const EDIT_BLOCK_BYTES: usize = 32_768;
/// How deeply Edit commands nest.
pub const EDIT_DEPTH: usize = 64;
/// Commands one Edit runs, its loops unrolled.
pub const EDIT_STEPS: usize = 200_000;
/// How long one Edit may take; the loop stands still meanwhile.
pub const EDIT_TIME: Duration = Duration::from_secs(2);
/// Commands between two looks at the clock.
pub const EDIT_STEPS_UNTIMED: usize = 64;
/// What one Edit prints, in bytes; the rest is left out.
pub const EDIT_PRINTED_BYTES: usize = 262_144;
/// Changes that one Edit makes.
pub const EDIT_CHANGES: usize = 100_000;
/// The text one Edit inserts, in bytes.
pub const EDIT_INSERT_BYTES: usize = 96 << 20;
/// The longest regular expression, in runes.
pub const REGEXP_RUNES: usize = 4_096;
/// Compiled regular expressions that are kept for their next use.
pub const REGEXPS_KEPT: usize = 16;
/// A compiled regular expression, in bytes.
pub const REGEXP_BYTES: usize = 1 << 20;

/// Shells on terminals at one time.
pub const SHELLS: usize = 64;
/// Commands running at one time.
pub const JOBS: usize = 64;
/// A terminal's output kept for readers of `pty/data` and `pty/run`, in bytes.
pub const TERMINAL_RING_BYTES: usize = 262_144;
/// Typed text that waits for a shell to read it, in bytes.
pub const TYPED_BYTES: usize = 1 << 20;
/// What one turn takes from one shell or command, in bytes.
pub const OUTPUT_TURN_BYTES: usize = 65_536;
/// What one command may print altogether, in bytes; the rest is thrown away.
pub const JOB_OUTPUT_BYTES: usize = 1 << 20;
/// Columns and rows of a terminal.
pub const WINSIZE_CELLS: u16 = 1_000;
/// Columns and rows of the window.
pub const WINDOW_CELLS: u16 = 1_000;

/// A file read whole into a pane, in bytes.
pub const FILE_BYTES: u64 = 64 << 20;
/// A dump file, in bytes.
pub const DUMP_BYTES: u64 = 256 << 20;
/// Entries of a host directory that a listing holds.
pub const HOST_ENTRIES: usize = 10_000;
/// Lines that Grep and Find report, and files that they look at.
pub const GREP_LINES: usize = 500;
/// Files that Grep and Find look at.
pub const GREP_FILES: usize = 2_000;
/// What Grep reads altogether, in bytes.
pub const GREP_BYTES: u64 = 32 << 20;
/// The largest file that Grep looks at, in bytes.
pub const GREP_FILE_BYTES: u64 = 1 << 20;
