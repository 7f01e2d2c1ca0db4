//! monkey9p fuzzes 9P2000 servers, pardes first of all, with sequences of file operations.

pub mod ops;
pub mod sandbox;
pub mod session;
pub mod target;
pub mod wire;
