//! 9P2000 on a stream: messages, framing, and a client that never waits without a deadline.

mod anything;
pub mod codec;
mod conn;
mod drive;
mod files;
pub mod frame;
pub mod limits;
pub mod msg;
mod pending;
pub mod stat;

pub use anything::decode_anything;
pub use conn::{Conn, ROOT_FID, Reply, Traced, WireError};
pub use drive::drive;
pub use files::{Answer, split};
pub use pending::{Held, Pending};
