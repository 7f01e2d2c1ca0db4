//! Real processes in sandboxes, killed in every way: nothing is left over.

mod common;

use std::path::Path;
use std::time::Duration;

use common::{shell_launcher, wait_until};
use monkey9p::sandbox::{Exit, Sandbox, tokened};
use monkey9p::session::Launcher;
use monkey9p::target::Program;

const SOON: Duration = Duration::from_secs(10);

/// A sandbox in which a shell runs `script`.
fn running(script: &str) -> Sandbox {
    launched(&shell_launcher(script))
}

fn launched(launcher: &Launcher) -> Sandbox {
    let mut sandbox = launcher.sandbox().unwrap();
    let plan = launcher.target.plan(sandbox.layout(), sandbox.token());
    let proven = sandbox.prove(plan).unwrap();
    sandbox.launch(proven).unwrap();
    sandbox
}

/// Scripts that leave processes behind in every way a shell knows.
const LEAVERS: [&str; 6] = [
    "sleep 1000",
    "trap '' TERM HUP INT; while :; do sleep 1000; done",
    "sleep 1000 & sleep 1000 & wait",
    "(setsid sleep 1000 &) ; (setsid sh -c 'sleep 1000 & sleep 1000' &) ; sleep 1000",
    "(env -i setsid /bin/sleep 1000 &) ; sleep 1000",
    "kill -STOP $$; sleep 1000",
];

fn no_trace(token: &str, root: &Path) {
    assert!(wait_until(SOON, || tokened(token).is_empty()), "{:?}", tokened(token));
    assert!(wait_until(SOON, || !root.exists()), "{}", root.display());
}

/// Children of children, whatever they did to their environment, found by their working directory.
fn in_directory(root: &Path) -> usize {
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(|entry| {
            std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(root))
        })
        .count()
}

#[test]
fn a_teardown_leaves_nothing() {
    for script in LEAVERS {
        let sandbox = running(script);
        let (token, root) = (sandbox.token().to_owned(), sandbox.layout().root.clone());
        assert!(wait_until(SOON, || in_directory(&root) > 0), "{script}");
        sandbox.teardown().unwrap_or_else(|why| panic!("{script}: {why}"));
        no_trace(&token, &root);
        assert!(wait_until(SOON, || in_directory(&root) == 0), "{script}");
    }
}

#[test]
fn a_drop_is_a_teardown() {
    let sandbox = running(LEAVERS[3]);
    let (token, root) = (sandbox.token().to_owned(), sandbox.layout().root.clone());
    drop(sandbox);
    no_trace(&token, &root);
}

#[test]
fn the_targets_end_is_reported() {
    for (script, want) in
        [("exit 7", Exit::Code(7)), ("kill -KILL $$", Exit::Signal(9)), ("", Exit::Code(0))]
    {
        let mut sandbox = running(script);
        assert_eq!(sandbox.exit(SOON).unwrap(), Some(want), "{script}");
        assert_eq!(sandbox.exit(Duration::ZERO).unwrap(), Some(want), "said once, known for ever");
        sandbox.teardown().unwrap();
    }
}

/// What this program blocks for its own sake is no affair of the target's.
#[test]
fn the_target_starts_with_no_signal_blocked() {
    // A shell would clear the mask itself.
    let mut launcher = shell_launcher("");
    launcher.target.program = Program::Path("/bin/cp".into());
    launcher.target.arguments = vec!["/proc/self/status".into(), "status".into()];
    let mut sandbox = launched(&launcher);
    assert_eq!(sandbox.exit(SOON).unwrap(), Some(Exit::Code(0)));
    let status = std::fs::read_to_string(sandbox.reached().home.join("status")).unwrap();
    let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap();
    assert_eq!(blocked.trim(), "0000000000000000");
    sandbox.teardown().unwrap();
}

#[test]
fn the_target_dies_with_a_killed_first_process() {
    let mut sandbox = running("sleep 1000 & exec sleep 1000");
    let (token, root) = (sandbox.token().to_owned(), sandbox.layout().root.clone());
    let target = sandbox.target().unwrap();
    let keeper = parent(target);
    assert!(tokened(&token).contains(&keeper));
    kill(keeper);
    assert!(wait_until(SOON, || parent(target) == 0 || !tokened(&token).contains(&target)));
    assert!(sandbox.exit(SOON).is_err());
    // Whatever it can clear is cleared, but it cannot vouch for the rest.
    let why = sandbox.teardown().unwrap_err().to_string();
    assert!(why.contains("was killed"), "{why}");
    no_trace(&token, &root);
}

#[test]
fn a_target_that_closes_its_directories_to_itself_is_removed_all_the_same() {
    let sandbox =
        running("mkdir -p a/b/c; touch a/b/c/d; chmod 0 a/b/c a/b a; touch done; sleep 1000");
    let root = sandbox.layout().root.clone();
    let done = sandbox.reached().home.join("done");
    assert!(wait_until(SOON, || done.exists()));
    sandbox.teardown().unwrap();
    assert!(!root.exists());
}

fn parent(pid: i32) -> i32 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap_or("0");
    line.trim().parse().unwrap()
}

fn kill(pid: i32) {
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL)
        .unwrap();
}
