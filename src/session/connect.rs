//! The way to a target's socket.

use std::path::Path;
use std::time::{Duration, Instant};

use super::limits::CONNECT_POLL_US;
use crate::sandbox::Sandbox;
use crate::wire::limits::MSIZE_BYTES;
use crate::wire::{Conn, drive};

/// Connects to the target's socket as soon as it answers, and shakes hands.
pub fn connect(sandbox: &mut Sandbox, socket: &Path, wait: Duration) -> Result<Conn, String> {
    let deadline = Instant::now() + wait;
    loop {
        if let Some(exit) = sandbox.exit(Duration::ZERO).map_err(|why| why.to_string())? {
            return Err(format!("it ended ({exit}) before its socket answered"));
        }
        let last = match sandbox.connect(socket) {
            Ok(stream) => {
                let conn = Conn::new(stream, MSIZE_BYTES)
                    .map_err(|why| format!("{}: {why}", socket.display()))?;
                match drive(std::slice::from_ref(&conn), wait, conn.handshake()).flatten() {
                    Ok(()) => return Ok(conn),
                    // One that is just closing down accepts, and hangs up.
                    Err(why) => why.to_string(),
                }
            }
            Err(why) => why.to_string(),
        };
        if Instant::now() > deadline {
            return Err(format!("its socket did not answer within {} s: {last}", wait.as_secs()));
        }
        std::thread::sleep(Duration::from_micros(CONNECT_POLL_US));
    }
}
