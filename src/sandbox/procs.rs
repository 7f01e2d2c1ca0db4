//! The process table, as far as a sandbox needs it.

use std::collections::{BTreeSet, HashMap};
use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::limits::TOKEN_VARIABLE;

/// Every process whose environment carries a token that begins with `prefix`, except this one.
/// A process of another user hides its environment, and one that is ending has none.
pub fn tokened(prefix: &str) -> BTreeSet<i32> {
    let needle = format!("{TOKEN_VARIABLE}={prefix}");
    let own = Pid::this().as_raw();
    pids()
        .filter(|&pid| pid != own)
        .filter(|pid| {
            fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environ| {
                environ.split(|&byte| byte == 0).any(|entry| entry.starts_with(needle.as_bytes()))
            })
        })
        .collect()
}

/// Every process that descends from `root`, zombies left out.
pub fn descendants(root: i32) -> BTreeSet<i32> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    let mut zombies = BTreeSet::new();
    for pid in pids() {
        let Some((state, parent)) = state_and_parent(pid) else { continue };
        children.entry(parent).or_default().push(pid);
        if matches!(state, 'Z' | 'X') {
            zombies.insert(pid);
        }
    }
    let mut found = BTreeSet::new();
    let mut stack = vec![root];
    while let Some(parent) = stack.pop() {
        for &child in children.get(&parent).into_iter().flatten() {
            if found.insert(child) {
                stack.push(child);
            }
        }
    }
    found.difference(&zombies).copied().collect()
}

/// Kills `pids`; those that are gone already are as good.
pub fn kill_all<'a>(pids: impl IntoIterator<Item = &'a i32>) {
    for &pid in pids {
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
}

fn pids() -> impl Iterator<Item = i32> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// The command name in the middle may hold anything, so the fields count from its last bracket.
fn state_and_parent(pid: i32) -> Option<(char, i32)> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let end = stat.iter().rposition(|&byte| byte == b')')?;
    let mut fields = std::str::from_utf8(stat.get(end + 1..)?).ok()?.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.next()?.parse().ok()?))
}
