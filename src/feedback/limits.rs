//! Every bound of what is read from outside a target in one place.

/// Sections of a program that are looked at.
pub const SECTIONS: u64 = 65_536;
/// Its segments.
pub const SEGMENTS: u64 = 256;
/// Counters that are read of it: each takes two bytes here.
pub const COUNTERS: usize = 8 << 20;
/// What is read of the list of a process's mappings, in bytes.
pub const MAPS_BYTES: u64 = 4 << 20;
/// Different things that are said of targets in one process's life.
pub const SAID: usize = 16;
