//! Every bound of the wire in one place.

/// Header of a message: size\[4\] type\[1\] tag\[2\], in bytes.
pub const HEADER_BYTES: usize = 7;
/// What an Rread adds to its data: header and count\[4\], in bytes.
pub const READ_OVERHEAD_BYTES: u32 = 11;
/// What a Twrite adds to its data: header, fid\[4\], offset\[8\], count\[4\], in bytes.
pub const WRITE_OVERHEAD_BYTES: u32 = 23;
/// The msize this client offers, in bytes: 64 KiB of data and 24 of header.
pub const MSIZE_BYTES: u32 = 65_536 + 24;
/// The smallest msize either side accepts; below it no useful message fits.
pub const MSIZE_MIN_BYTES: u32 = 256;
/// Names in one Twalk (walk(9P), MAXWELEM).
pub const WALK_NAMES: usize = 16;
/// Every reply is due within this time unless its op is a documented slow one.
pub const REPLY_TIMEOUT_MS: u64 = 5_000;
/// A reply to Grep, Find, Dump, Restore, Tty, Edit or a huge write is due within this.
pub const SLOW_REPLY_TIMEOUT_MS: u64 = 30_000;
/// How long a read of a held file is left to wait before it is flushed.
pub const HELD_WAIT_MS: u64 = 10;
/// Requests one connection keeps in flight at the most.
pub const IN_FLIGHT: usize = 64;
/// What one whole-file read collects before it stops, in bytes.
pub const READ_ALL_BYTES: usize = 4 << 20;
/// Tags of abandoned requests that are remembered, so that their late replies are known as such.
pub const LATE_TAGS: usize = 4_096;
/// What one receive takes at the most, in bytes.
pub const RECEIVE_BYTES: usize = 16 << 10;
/// A write of more than this is a documented slow one, in bytes.
pub const SLOW_WRITE_BYTES: usize = 65_536;
/// Exchanges that a connection remembers between two looks at its trace.
pub const TRACED: usize = 4_096;
