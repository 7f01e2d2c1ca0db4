//! monkey9p fuzzes 9P2000 servers, pardes first of all, with sequences of file operations.

#[cfg(all(feature = "cli", feature = "standin"))]
pub mod bench;
#[cfg(feature = "cli")]
pub mod campaign;
#[cfg(feature = "cli")]
pub mod cli;
pub mod drill;
pub mod escapes;
pub mod feedback;
pub mod input;
pub mod invariants;
pub mod minimize;
pub mod ops;
mod quit;
pub mod record;
pub mod roles;
pub mod runner;
pub mod sandbox;
pub mod session;
#[cfg(feature = "standin")]
pub mod standin;
pub mod target;
pub mod wire;
