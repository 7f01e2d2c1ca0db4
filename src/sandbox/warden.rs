//! Ends a tree of programs that this program started, when this program is gone: for those, like
//! `cargo fuzz`, that are no target and live outside a sandbox.

use std::io::{self, Read as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use nix::unistd::setsid;

use super::limits::{NESTED_MS, POLL_MS, TOKEN_VARIABLE};
use super::procs::{kill_all, tokened};
use super::{
    ROLE_VARIABLE, SandboxError, WARDEN_ROLE, new_token, own_executable, remove_roots, sweep,
};

/// A warden, waiting. Every program started with [`Warden::token`] in its environment is ended with
/// it, and so are the sandboxes of such programs, in their own way first.
#[derive(Debug)]
pub struct Warden {
    token: String,
    process: Child,
    line: Option<ChildStdin>,
}

impl Warden {
    /// Starts the warden's process.
    pub fn start() -> io::Result<Warden> {
        let token = new_token();
        let (process, line) = spawn(&token)?;
        Ok(Warden { token, process, line })
    }

    /// Puts another in the warden's place if it is gone: it was killed. Gives whether it was.
    pub fn renew(&mut self) -> io::Result<bool> {
        if self.process.try_wait()?.is_none() {
            return Ok(false);
        }
        (self.process, self.line) = spawn(&self.token)?;
        Ok(true)
    }

    /// The warden's process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// The variable and value that a program needs in its environment to be ended with the rest.
    pub fn token(&self) -> (&'static str, &str) {
        (TOKEN_VARIABLE, &self.token)
    }

    /// Ends what is left, and makes sure that nothing is.
    pub fn end(mut self) -> Result<(), SandboxError> {
        drop(self.line.take());
        self.process.wait()?;
        sweep(&self.token)?;
        remove_roots(&self.token)
    }
}

fn spawn(token: &str) -> io::Result<(Child, Option<ChildStdin>)> {
    let mut process = Command::new(own_executable())
        .env(ROLE_VARIABLE, WARDEN_ROLE)
        // Under another name, so that the warden is not one of those it ends.
        .env(WARDED_VARIABLE, token)
        .env_remove(TOKEN_VARIABLE)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let line = process.stdin.take();
    Ok((process, line))
}

/// The token that a warden watches over.
const WARDED_VARIABLE: &str = "M9P_WARDED";

/// Runs the role: standard input ends when the program that started it does.
pub fn main() -> i32 {
    let _ = setsid();
    let Ok(token) = std::env::var(WARDED_VARIABLE) else { return 2 };
    let _ = io::stdin().read_to_end(&mut Vec::new());
    end_tree(&token);
    // Of those that were killed before they had cleared themselves away.
    i32::from(remove_roots(&token).is_err())
}

/// First the programs themselves; the sandboxes they made then clear themselves away, and only
/// what has not done so in time is killed, since it would leave its directory.
fn end_tree(token: &str) {
    let nested = format!("{token}{NESTED}");
    let deadline = Instant::now() + Duration::from_millis(NESTED_MS);
    loop {
        let all = tokened(token);
        let inner = tokened(&nested);
        kill_all(all.difference(&inner));
        if all.is_empty() {
            return;
        }
        if Instant::now() > deadline {
            kill_all(&inner);
        }
        std::thread::sleep(Duration::from_millis(POLL_MS));
    }
}

/// What stands between an outer token and what is its own in a nested one.
pub(super) const NESTED: char = '.';
