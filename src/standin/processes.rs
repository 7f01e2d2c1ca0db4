//! Ends everything a shell or a command has started: all processes of its session.

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

/// Kills every process of the session that `leader` leads.
pub fn end_session(leader: u32) {
    let leader = Pid::from_raw(leader as i32);
    // The group first: it needs no search, and it is mostly all there is.
    let _ = killpg(leader, Signal::SIGKILL);
    for pid in members(leader) {
        let _ = kill(pid, Signal::SIGKILL);
    }
}

fn members(session: Pid) -> Vec<Pid> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| session_of(*pid) == Some(session.as_raw()))
        .map(Pid::from_raw)
        .collect()
}

/// The session field of /proc/PID/stat, which stands fourth behind the parenthesized name.
fn session_of(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(3)?.parse().ok()
}
