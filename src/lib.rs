//! monkey9p fuzzes 9P2000 servers, pardes first of all, with sequences of file operations.

pub mod input;
pub mod ops;
pub mod wire;
