//! Attempts to get at processes outside, and to outlive the sandbox.

use std::fs;
use std::time::{Duration, Instant};

use super::Expected::{Blocked, If, Open};
use super::Moment::{Settled, TornDown};
use super::files::got;
use super::limits::GRACE_MS;
use super::{Attempt, By, Judged, Machine, Tried};
use crate::sandbox::process;

const TRACES: super::Expected =
    If("to whoever may trace a process of the same user's", Machine::traces);
const UNSCOPED: super::Expected = If("with a Landlock before ABI 6", Machine::is_unscoped);

pub const ALL: &[Attempt] = &[
    Attempt {
        name: "signal",
        tries: "to kill a process outside",
        by: By::Shell("kill -9 {sleeper}"),
        judged: |tried| {
            let id = tried.scene.sleeper.id();
            let ended =
                within_grace(|| tried.scene.sleeper.try_wait().is_ok_and(|ended| ended.is_some()));
            Ok(ended.then(|| format!("process {id} is dead")))
        },
        moment: Settled,
        landlock: UNSCOPED,
        environment: Open,
    },
    Attempt {
        name: "trace",
        tries: "to trace a process outside",
        by: By::Role(&["trace", "{sleeper}"]),
        judged: |tried| {
            let tracer = field(tried.scene.sleeper.id(), "TracerPid:")?;
            Ok((tracer != "0").then(|| format!("it is traced by {tracer}")))
        },
        moment: Settled,
        landlock: Blocked,
        environment: TRACES,
    },
    Attempt {
        name: "memory",
        tries: "to read the harness's memory by process_vm_readv(2)",
        by: By::Role(&["read-memory", "{harness}", "{at}", "{long}"]),
        judged: got,
        moment: Settled,
        landlock: Blocked,
        environment: TRACES,
    },
    Attempt {
        name: "memory-file",
        tries: "to read the harness's memory by `/proc/PID/mem`",
        by: By::Shell("dd if=/proc/{harness}/mem of=$HOME/got bs=1 skip={at} count={long}"),
        judged: got,
        moment: Settled,
        landlock: Blocked,
        environment: TRACES,
    },
    Attempt {
        name: "badness",
        tries: "to make the kernel kill a process outside first when memory is short",
        by: By::Shell("echo 987 > /proc/{sleeper}/oom_score_adj"),
        judged: |tried| {
            let id = tried.scene.sleeper.id();
            let path = format!("/proc/{id}/oom_score_adj");
            let score = fs::read_to_string(path).map_err(|why| why.to_string())?;
            Ok((score.trim() == "987").then(|| format!("process {id} has {}", score.trim())))
        },
        moment: Settled,
        landlock: Blocked,
        environment: Open,
    },
    Attempt {
        name: "priority",
        tries: "to lower a process's priority outside",
        by: By::Shell("renice -n 19 -p {sleeper}"),
        judged: |tried| {
            let id = tried.scene.sleeper.id();
            let stat = fs::read_to_string(format!("/proc/{id}/stat")).map_err(|w| w.to_string())?;
            let rest = stat.rsplit(')').next().unwrap_or_default();
            let nice = rest.split_whitespace().nth(NICE).unwrap_or_default();
            Ok((nice == "19").then(|| format!("process {id} has {nice}")))
        },
        moment: Settled,
        landlock: If("to an ordinary user", Machine::is_ordinary),
        environment: Open,
    },
    Attempt {
        name: "daemon",
        tries: "to outlive the sandbox: two forks, two sessions, no environment",
        by: By::Shell(
            "(env -i setsid /bin/sh -c '(env -i setsid /bin/sleep 9{unique} &) & exit' &); \
             : > $HOME/settled; exec sleep 1000",
        ),
        judged: outlives,
        moment: TornDown,
        landlock: Blocked,
        environment: Blocked,
    },
    Attempt {
        name: "deaf-daemon",
        tries: "the same, deaf to every signal there is",
        by: By::Shell(
            "(env -i setsid /bin/sh -c 'trap \"\" TERM HUP INT QUIT USR1 USR2 PIPE; : 9{unique}; \
             cd /; while :; do /bin/sleep 9{unique}; done' &); : > $HOME/settled; sleep 1000",
        ),
        judged: outlives,
        moment: TornDown,
        landlock: Blocked,
        environment: Blocked,
    },
    Attempt {
        name: "first-process",
        tries: "to kill the sandbox's first process",
        by: By::Shell(
            "while ! [ -e go ]; do :; done; kill -9 $PPID; : > $HOME/settled; exec sleep 1000",
        ),
        judged: |tried| {
            let sandbox = tried.sandbox.as_mut().ok_or("there is no sandbox")?;
            let told = sandbox.exit(Duration::from_millis(GRACE_MS));
            Ok(told.err().map(|why| why.to_string()))
        },
        moment: Settled,
        landlock: UNSCOPED,
        environment: Open,
    },
];

/// Where the niceness stands in a `stat` behind the name (proc(5)).
const NICE: usize = 16;

/// Waits a little for what an attempt may have set going.
pub fn within_grace(mut seen: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_millis(GRACE_MS);
    while !seen() {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(super::limits::LOOK_MS));
    }
    true
}

/// A field of a process's status.
pub fn field(pid: impl std::fmt::Display, name: &str) -> Result<String, String> {
    let status =
        fs::read_to_string(format!("/proc/{pid}/status")).map_err(|why| why.to_string())?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    Ok(line.trim().to_owned())
}

/// Whether a process is alive whose command line names the attempt.
fn outlives(tried: &mut Tried<'_>) -> Judged {
    let name = format!("9{}", tried.scene.unique);
    let pids = fs::read_dir("/proc").map_err(|why| why.to_string())?.flatten();
    let alive: Vec<i32> = pids
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(&name)
        })
        .filter(|&pid| process(pid).is_some_and(|one| !one.ended))
        .collect();
    for &pid in &alive {
        // Harmless even where it worked.
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::SIGKILL);
    }
    Ok((!alive.is_empty()).then(|| format!("processes {alive:?} were alive")))
}
