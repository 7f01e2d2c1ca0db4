//! The process table, as far as a sandbox needs it.

use std::collections::{BTreeSet, HashMap};
use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::limits::TOKEN_VARIABLE;

/// A process, as the table tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: i32,
    /// Its parent's.
    pub parent: i32,
    /// The session it is in, by its leader's number.
    pub session: i32,
    /// When it began, in the system's ticks: with the number it names one process for good.
    pub started: u64,
    /// Whether it has ended, and only waits to be reaped.
    pub ended: bool,
}

/// The process of that number, if there is one.
pub fn process(pid: i32) -> Option<Process> {
    Process::parse(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Every process of the session that `leader` leads or led, those that have ended left out.
pub fn session_of(leader: i32) -> BTreeSet<i32> {
    let members = pids().filter_map(process);
    members.filter(|one| one.session == leader && !one.ended).map(|one| one.pid).collect()
}

/// Whether `pid` is a process of a sandbox: it carries the token, or descends from `root`.
pub fn belongs(pid: i32, token: &str, root: i32) -> bool {
    carries(pid, format!("{TOKEN_VARIABLE}={token}").as_bytes()) || family(root).contains_key(&pid)
}

/// Every process whose environment carries a token that begins with `prefix`, except this one.
/// A process of another user hides its environment, and one that is ending has none.
pub fn tokened(prefix: &str) -> BTreeSet<i32> {
    let needle = format!("{TOKEN_VARIABLE}={prefix}");
    let own = Pid::this().as_raw();
    pids().filter(|&pid| pid != own && carries(pid, needle.as_bytes())).collect()
}

/// Every process that descends from `root`, zombies left out.
pub fn descendants(root: i32) -> BTreeSet<i32> {
    family(root).into_values().filter(|one| !one.ended).map(|one| one.pid).collect()
}

/// Every process that descends from `root`, by its number, zombies too.
pub fn family(root: i32) -> HashMap<i32, Process> {
    let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
    for one in pids().filter_map(process) {
        children.entry(one.parent).or_default().push(one);
    }
    let mut found = HashMap::new();
    let mut stack = vec![root];
    while let Some(parent) = stack.pop() {
        for &child in children.get(&parent).into_iter().flatten() {
            if found.insert(child.pid, child).is_none() {
                stack.push(child.pid);
            }
        }
    }
    found
}

/// The number by which this process knows the one that is `inside` in the pid namespace whose first
/// process is `first`; nothing if there is none, or it was reaped.
pub fn outside(first: i32, inside: i32) -> Option<i32> {
    // The namespace's own numbers stand where its first process has its 1.
    let depth = numbers(first)?.len().checked_sub(1)?;
    let is_it = |&pid: &i32| numbers(pid).and_then(|all| all.get(depth).copied()) == Some(inside);
    if inside == 1 {
        return Some(first);
    }
    let mut parents = vec![first];
    while let Some(parent) = parents.pop() {
        let children = children(parent);
        if let Some(found) = children.iter().copied().find(is_it) {
            return Some(found);
        }
        parents.extend(children);
    }
    None
}

/// The numbers that a process has, from this process's pid namespace inwards.
fn numbers(pid: i32) -> Option<Vec<i32>> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    line.split_whitespace().map(|number| number.parse().ok()).collect()
}

/// The children of all of a process's threads.
fn children(parent: i32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    threads
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|list| {
            list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()
        })
        .collect()
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

/// Whether an entry of the process's environment begins with `needle`.
fn carries(pid: i32, needle: &[u8]) -> bool {
    fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environ| {
        environ.split(|&byte| byte == 0).any(|entry| entry.starts_with(needle))
    })
}

/// Where fields stand in a `stat` behind the name (proc(5)).
const STATE: usize = 0;
const PARENT: usize = 1;
const SESSION: usize = 3;
const STARTED: usize = 19;

impl Process {
    /// The command name in the middle may hold anything, so the fields count from its last bracket.
    fn parse(pid: i32, stat: &[u8]) -> Option<Process> {
        let end = stat.iter().rposition(|&byte| byte == b')')?;
        let text = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
        let fields: Vec<&str> = text.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse().ok();
        Some(Process {
            pid,
            parent: number(PARENT)?,
            session: number(SESSION)?,
            started: fields.get(STARTED)?.parse().ok()?,
            ended: matches!(*fields.get(STATE)?, "Z" | "X"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks_moves_no_field() {
        let rest = "S 7 9 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4242 1 2 3";
        let parsed = Process::parse(9, format!("9 (a) Z (b) {rest}").as_bytes()).unwrap();
        let want = Process { pid: 9, parent: 7, session: 9, started: 4242, ended: false };
        assert_eq!(parsed, want);
        assert_eq!(Process::parse(9, b"9 (a) S 7"), None);
    }

    #[test]
    fn this_process_is_in_the_table() {
        let own = process(Pid::this().as_raw()).unwrap();
        assert!(session_of(own.session).contains(&own.pid));
        assert!(family(own.parent).contains_key(&own.pid));
        assert!(belongs(own.pid, "none of this sandbox", own.parent));
        assert!(!belongs(own.parent, "none of this sandbox", own.pid));
    }
}
