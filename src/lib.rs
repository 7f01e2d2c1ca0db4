//! monkey9p fuzzes 9P2000 servers, pardes first of all, with sequences of file operations.

#[cfg(feature = "standin")]
pub mod standin;
pub mod wire;
