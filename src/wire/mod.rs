//! 9P2000 on a stream: messages, framing, and a client that never waits without a deadline.

pub mod codec;
pub mod frame;
pub mod limits;
pub mod msg;
pub mod stat;
