//! The machine outside the sandbox, looked at before and after: what a target changed there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::sandbox::{homes, limits};

/// Directories that are looked at besides the person's.
const PLACES: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/run"];
/// How deep they are looked at, and how many entries of each.
const DEPTH: usize = 3;
const ENTRIES: usize = 20_000;

/// What was seen, by what it is called, and what must stay the same of it.
#[derive(Debug, Default)]
pub struct Snapshot {
    files: BTreeMap<String, String>,
    sockets: BTreeSet<String>,
    mounts: BTreeSet<String>,
    processes: BTreeMap<i32, String>,
}

impl Snapshot {
    /// Looks.
    pub fn take() -> Snapshot {
        let mut snapshot = Snapshot::default();
        let places = homes().into_iter().chain(PLACES.map(PathBuf::from));
        let places: BTreeSet<PathBuf> =
            places.filter_map(|place| fs::canonicalize(place).ok()).collect();
        for place in places {
            let mut left = ENTRIES;
            walk(&place, DEPTH, &mut left, &mut snapshot.files);
        }
        snapshot.sockets = sockets();
        snapshot.mounts = mounts();
        snapshot.processes = processes();
        snapshot
    }

    /// What it holds, in numbers.
    pub fn tell(&self) -> String {
        let (files, sockets) = (self.files.len(), self.sockets.len());
        let (mounts, processes) = (self.mounts.len(), self.processes.len());
        let places: Vec<String> = homes().iter().map(|home| home.display().to_string()).collect();
        format!(
            "{files} files in {}, {}; {sockets} sockets, {mounts} mounts, {processes} processes",
            places.join(", "),
            PLACES.join(", ")
        )
    }

    /// What differs afterwards, by names that come again where the same is done again, and how. A
    /// process that ended and a socket that was closed are no concern of anybody's.
    pub fn changes(&self, after: &Snapshot) -> BTreeMap<String, &'static str> {
        let mut changes = BTreeMap::new();
        let names: BTreeSet<&String> = self.files.keys().chain(after.files.keys()).collect();
        for name in names {
            let what = match (self.files.get(name), after.files.get(name)) {
                (Some(one), Some(other)) if one == other => continue,
                (Some(_), Some(_)) => "changed",
                (None, _) => "is new",
                (_, None) => "is gone",
            };
            changes.insert(name.clone(), what);
        }
        let sockets = after.sockets.difference(&self.sockets);
        changes.extend(sockets.map(|name| (format!("the socket {name}"), "is new")));
        let mounts = after.mounts.difference(&self.mounts);
        changes.extend(mounts.map(|name| (format!("the mount {name}"), "is new")));
        let started = |pid: &i32, line: &String| self.processes.get(pid) != Some(line);
        let processes = after.processes.iter().filter(|(pid, line)| started(pid, line));
        changes.extend(processes.map(|(_, line)| (format!("the process {line}"), "is new")));
        changes
    }
}

/// Links are not followed, and of a directory only that it is there: whatever is made in it is told
/// by itself.
fn walk(directory: &Path, depth: usize, left: &mut usize, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let Some(fewer) = left.checked_sub(1) else { return };
        *left = fewer;
        // Another run's sandbox comes and goes; this run's are looked for by themselves.
        if entry.file_name().to_string_lossy().starts_with(limits::ROOT_PREFIX) {
            continue;
        }
        let Ok(meta) = entry.metadata() else { continue };
        let mode = meta.mode();
        let seen = match meta.is_dir() {
            true => format!("{mode:o}"),
            false => format!("{mode:o} {} {} {}", meta.size(), meta.mtime(), meta.mtime_nsec()),
        };
        files.insert(entry.path().display().to_string(), seen);
        if meta.is_dir() && depth > 1 {
            walk(&entry.path(), depth - 1, left, files);
        }
    }
}

/// Named sockets of this machine's, and ports that somebody listens at.
fn sockets() -> BTreeSet<String> {
    /// The state of a listening socket (linux/tcp_states.h).
    const LISTENS: &str = "0A";
    let table = |name: &str| fs::read_to_string(format!("/proc/net/{name}")).unwrap_or_default();
    let mut found = BTreeSet::new();
    found.extend(
        table("unix").lines().filter_map(|line| line.split_whitespace().nth(7)).map(str::to_owned),
    );
    for name in ["tcp", "tcp6"] {
        let listening = table(name);
        let listening = listening.lines().filter_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            (fields.get(3) == Some(&LISTENS)).then(|| format!("{name} {}", fields[1]))
        });
        found.extend(listening);
    }
    found
}

fn mounts() -> BTreeSet<String> {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    table.lines().filter_map(|line| line.split_whitespace().nth(4)).map(str::to_owned).collect()
}

/// Processes by their numbers, with what they were started as; those left out that are another run's,
/// which has a sandbox of its own for them.
fn processes() -> BTreeMap<i32, String> {
    let namespace = |pid: &str| fs::read_link(format!("/proc/{pid}/ns/pid")).ok();
    let own = namespace("self");
    let prefix = format!("{}={}-", limits::TOKEN_VARIABLE, std::process::id());
    let another = |pid: i32| {
        // One whose environment is closed to this process is not of its making.
        let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else { return true };
        environment
            .split(|&byte| byte == 0)
            .map(String::from_utf8_lossy)
            .any(|entry| entry.starts_with(limits::TOKEN_VARIABLE) && !entry.starts_with(&prefix))
    };
    let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
    pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|&pid: &i32| namespace(&pid.to_string()).is_none_or(|its| Some(its) == own))
        .filter(|&pid| !another(pid))
        .filter_map(|pid: i32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            // The kernel's own have none.
            (!line.is_empty()).then(|| (pid, line.trim().to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(files: &[(&str, &str)], sockets: &[&str]) -> Snapshot {
        Snapshot {
            files: files.iter().map(|&(name, what)| (name.into(), what.into())).collect(),
            sockets: sockets.iter().map(|&name| name.into()).collect(),
            ..Snapshot::default()
        }
    }

    #[test]
    fn what_came_went_or_changed_is_told() {
        let before = seen(&[("/a", "1"), ("/b", "1"), ("/c", "1")], &["/s", "/t"]);
        let after = seen(&[("/a", "1"), ("/b", "2"), ("/d", "1")], &["/s", "/u"]);
        let changes = before.changes(&after);
        let changes: Vec<String> =
            changes.iter().map(|(name, what)| format!("{name} {what}")).collect();
        assert_eq!(changes, ["/b changed", "/c is gone", "/d is new", "the socket /u is new"]);
        assert!(before.changes(&before).is_empty());
    }

    #[test]
    fn a_file_in_tmp_is_seen() {
        let before = Snapshot::take();
        let file = tempfile::NamedTempFile::new_in("/tmp").unwrap();
        let changes = before.changes(&Snapshot::take());
        let name = file.path().display().to_string();
        assert_eq!(changes.get(&name), Some(&"is new"), "{changes:?}");
    }
}
