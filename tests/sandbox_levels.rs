//! The levels of a sandbox, as root and as an ordinary user: each holds what it showed, is refused
//! where it cannot be had, and leaves nothing however it ends.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::ordinary::{Home, as_ordinary_user};
use common::{shell_launcher, skip, wait_until};
use landlock::{AccessFs, Ruleset, RulesetAttr as _};
use monkey9p::sandbox::{
    Exit, LEVEL_VARIABLE, Level, Sandbox, SandboxError, Wanted, limits, process, roots, sweep,
    tokened,
};
use monkey9p::session::{Launcher, Session, StartError};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rand::RngExt as _;

const SOON: Duration = Duration::from_secs(10);

/// A shell that runs `script` at that level; nothing, said aloud, where the level cannot be had.
fn at(test: &str, level: Level, script: &str) -> Option<Sandbox> {
    let launcher = Launcher { level: Some(level), ..shell_launcher(script) };
    let mut sandbox = match launcher.sandbox() {
        Ok(sandbox) => sandbox,
        Err(SandboxError::Refused(why)) => {
            skip(test, &why.to_string());
            return None;
        }
        Err(why) => panic!("{why}"),
    };
    let plan = launcher.target.plan(sandbox.layout(), sandbox.token());
    let proven = sandbox.prove(plan).unwrap();
    sandbox.launch(proven).unwrap();
    Some(sandbox)
}

#[test]
fn each_level_says_what_was_seen_of_it() {
    for level in Level::ALL {
        let Some(mut sandbox) = at("each_level_says_what_was_seen_of_it", level, "") else {
            continue;
        };
        let said = sandbox.evidence().join("\n");
        assert_eq!(sandbox.level(), level);
        assert!(said.starts_with(&format!("level: {level}")), "{said}");
        assert_eq!(said.contains("writing is refused in /, /etc"), level > Level::Environment);
        for shown in ["the only interface is lo", "number 1", "hold nothing but the root"] {
            assert_eq!(said.contains(shown), level == Level::Kernel, "{shown}: {said}");
        }
        assert_eq!(sandbox.exit(SOON).unwrap(), Some(Exit::Code(0)));
        sandbox.teardown().unwrap();
    }
}

/// What a shell may try, and what is left of it where the level holds: `OUTSIDE` is a directory of
/// the machine's with a file in it, `HARNESS` the harness's process.
const ATTEMPTS: [(&str, &str); 17] = [
    ("a file in /etc", "echo x > /etc/m9p-attempt"),
    ("a file in /tmp", "echo x > /tmp/m9p-attempt"),
    ("a file in the sandbox's root", "echo x > $HOME/../attempt"),
    ("a file outside", "echo x > OUTSIDE/attempt"),
    ("a file outside by a link", "ln -s OUTSIDE $HOME/l && echo x > $HOME/l/attempt"),
    ("a file outside by the first process's root", "echo x > /proc/1/root/OUTSIDE/attempt"),
    ("to read a file outside", "cat OUTSIDE/there"),
    ("a hard link", "ln /etc/passwd $HOME/passwd"),
    ("to rename HOME", "mv $HOME $HOME.away"),
    ("to remove the runtime directory", "rmdir $XDG_RUNTIME_DIR"),
    ("to mount", "mount -t tmpfs none $HOME"),
    ("a device", "mknod $HOME/d b 8 0"),
    ("a setting of the kernel's", "echo 400 > /proc/sys/kernel/ns_last_pid"),
    ("the first process's environment", "cat /proc/1/environ"),
    ("a namespace within", "unshare -U true"),
    ("a file longer than may be", "dd if=/dev/zero of=$HOME/long bs=1 count=1 seek=1073741824"),
    ("a signal to the harness", "kill -0 HARNESS"),
];

#[test]
fn what_the_kernel_level_closes() {
    let outside = tempfile::tempdir_in("/tmp").unwrap();
    fs::write(outside.path().join("there"), "x").unwrap();
    let (path, own) = (outside.path().to_string_lossy(), std::process::id().to_string());
    let mut script = String::from("echo x > $HOME/inside && echo inside >> $HOME/did\n");
    for (number, (_, attempt)) in ATTEMPTS.iter().enumerate() {
        let attempt = attempt.replace("OUTSIDE", &path).replace("HARNESS", &own);
        script += &format!("({attempt}) > /dev/null 2>&1 && echo {number} >> $HOME/did\n");
    }
    script += "kill -9 1; exit 5";
    let test = "what_the_kernel_level_closes";
    let Some(mut sandbox) = at(test, Level::Kernel, &script) else { return };
    // The first process is there to tell of it.
    assert_eq!(sandbox.exit(SOON).unwrap(), Some(Exit::Code(5)));
    let did = fs::read_to_string(sandbox.reached().home.join("did")).unwrap();
    let done: Vec<&str> = did
        .lines()
        .map(|line| line.parse::<usize>().map_or(line, |number| ATTEMPTS[number].0))
        .collect();
    assert_eq!(done, ["inside"]);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    sandbox.teardown().unwrap();
}

/// More processes than may be: the shell is told that it cannot fork, and the machine goes on.
#[test]
fn a_fork_bomb_stays_within_its_bound() {
    let test = "a_fork_bomb_stays_within_its_bound";
    let script = "while :; do sleep 1000 & done";
    let Some(mut sandbox) = at(test, Level::Kernel, script) else { return };
    let namespace = namespace(&sandbox);
    let bound = limits::PROCESSES as usize;
    let over = || inhabitants(&namespace).len() > bound;
    if wait_until(SOON, || over() || sandbox.exit(Duration::ZERO).unwrap().is_some()) && over() {
        // As root, whom no limit of a user's binds, on a kernel without one of the namespace's.
        skip(test, "this kernel counts no processes by the namespace");
    } else {
        assert!(matches!(sandbox.exit(SOON).unwrap(), Some(Exit::Code(_))));
        assert!(inhabitants(&namespace).len() > bound / 2);
    }
    sandbox.teardown().unwrap();
    assert_eq!(inhabitants(&namespace), BTreeSet::new());
}

/// A path that leads out of the sandbox leads to nothing there, and nowhere else is it followed.
#[test]
fn a_connection_is_made_inside() {
    let outside = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(outside.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let socket = outside.path().join("s");
    let _listener = UnixListener::bind(&socket).unwrap();
    let script =
        format!("ln -s {} $XDG_RUNTIME_DIR/s.sock; touch $HOME/done; sleep 1000", socket.display());
    for (level, reached) in [(Level::Kernel, false), (Level::Environment, true)] {
        let Some(mut sandbox) = at("a_connection_is_made_inside", level, &script) else { continue };
        let done = sandbox.reached().home.join("done");
        assert!(wait_until(SOON, || done.exists()));
        let path = sandbox.layout().runtime.join("s.sock");
        assert_eq!(sandbox.connect(&path).is_ok(), reached, "{level}");
        sandbox.teardown().unwrap();
    }
}

/// Nobody says that it is to end, and the target is deaf to it.
#[test]
fn a_sandbox_ends_by_itself_when_its_time_is_over() {
    let launcher = shell_launcher("trap '' TERM; (env -i setsid sleep 1000 &); sleep 1000");
    for level in Level::ALL {
        let life = Some(Duration::from_secs(2));
        let wanted = Wanted { level: Some(level), life, ..Wanted::default() };
        let mut sandbox = match Sandbox::create(&launcher.executable, &wanted) {
            Ok(sandbox) => sandbox,
            Err(SandboxError::Refused(why)) => {
                skip("a_sandbox_ends_by_itself_when_its_time_is_over", &why.to_string());
                continue;
            }
            Err(why) => panic!("{why}"),
        };
        let plan = launcher.target.plan(sandbox.layout(), sandbox.token());
        let proven = sandbox.prove(plan).unwrap();
        sandbox.launch(proven).unwrap();
        let (token, root) = (sandbox.token().to_owned(), sandbox.layout().root.clone());
        let over = || tokened(&token).is_empty() && !root.exists();
        assert!(wait_until(SOON, over), "{level}: {:?}", tokened(&token));
        assert!(sandbox.is_old());
        let why = sandbox.exit(Duration::ZERO).unwrap_err().to_string();
        assert!(why.contains("time is over"), "{level}: {why}");
        sandbox.teardown().unwrap();
    }
}

/// Ways to leave a parent, a session and an environment behind.
const LEAVERS: [&str; 3] = [
    "(env -i setsid /bin/sh -c '(env -i setsid /bin/sleep 1000 &) & exit' &); sleep 1000",
    "(env -i setsid /bin/sh -c 'cd /; trap \"\" TERM HUP INT; while :; do /bin/sleep 1; done' &); sleep 1000",
    "for i in 1 2 3 4 5 6 7 8; do (env -i setsid /bin/sleep 1000 &); done; exec env -i sleep 1000",
];

#[test]
fn whoever_forked_away_is_gone_after_the_teardown() {
    for script in LEAVERS {
        let test = "whoever_forked_away_is_gone_after_the_teardown";
        let Some(sandbox) = at(test, Level::Kernel, script) else { return };
        let (namespace, root) = (namespace(&sandbox), sandbox.layout().root.clone());
        // The first process, the target, and one at least that went away.
        assert!(wait_until(SOON, || inhabitants(&namespace).len() > 2), "{script}");
        sandbox.teardown().unwrap();
        assert_eq!(inhabitants(&namespace), BTreeSet::new(), "{script}");
        assert!(!root.exists());
    }
}

#[test]
fn whoever_is_killed_nothing_is_left() {
    let test = "whoever_is_killed_nothing_is_left";
    for moment in 0..24 {
        let Some(mut sandbox) = at(test, Level::Kernel, LEAVERS[moment % 3]) else { return };
        let (namespace, root) = (namespace(&sandbox), sandbox.layout().root.clone());
        let token = sandbox.token().to_owned();
        let target = sandbox.target().unwrap();
        let first = parent(target);
        let around = parent(first);
        let (victim, name) =
            [(target, "target"), (first, "first"), (around, "around")][moment / 3 % 3];
        std::thread::sleep(Duration::from_micros(moment as u64 * 150));
        kill(Pid::from_raw(victim), Signal::SIGKILL).unwrap();
        match name {
            "target" => assert_eq!(sandbox.exit(SOON).unwrap(), Some(Exit::Signal(9))),
            _ => assert!(sandbox.exit(SOON).is_err(), "{name}"),
        }
        let taken = sandbox.teardown();
        assert_eq!(taken.is_ok(), name == "target", "{name}: {taken:?}");
        assert_eq!(inhabitants(&namespace), BTreeSet::new(), "{name}");
        assert!(tokened(&token).is_empty() && !root.exists(), "{name}");
    }
}

/// The harness itself is killed, a process of ours that runs `monkey9p run`, at moments that fall
/// before, in and after the making of sandboxes: what it leaves is cleared away soon.
#[test]
fn a_killed_harness_leaves_nothing() {
    let test = "a_killed_harness_leaves_nothing";
    let out = tempfile::tempdir().unwrap();
    for level in Level::ALL {
        if at(test, level, "").is_none() {
            continue;
        }
        let mut slowest = Duration::ZERO;
        for _ in 0..20 {
            let moment =
                Duration::from_micros(10f64.powf(rand::rng().random_range(2.0..5.6)) as u64);
            let mut harness = Command::new(common::executable())
                .args(["run", "--steps", "1000000", "--level", level.name(), "--out"])
                .arg(out.path())
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            let prefix = format!("{}-", harness.id());
            std::thread::sleep(moment);
            let known = roots(&prefix).unwrap();
            harness.kill().unwrap();
            harness.wait().unwrap();
            let killed = Instant::now();
            let gone = || {
                let named = |root: &PathBuf| named_sockets().contains(&*root.to_string_lossy());
                tokened(&prefix).is_empty()
                    && roots(&prefix).unwrap().is_empty()
                    && !known.iter().any(|root| root.exists() || named(root))
            };
            let cleared = wait_until(SOON, gone);
            slowest = slowest.max(killed.elapsed());
            let (processes, left) = (tokened(&prefix), roots(&prefix).unwrap());
            sweep(&prefix).unwrap();
            assert!(cleared, "{level}, after {moment:?}: {processes:?} {left:?}");
        }
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        assert!(!mounts.contains("/tmp/m9p."), "{mounts}");
        println!("{level}: the slowest was cleared away after {slowest:?}");
    }
}

/// The sockets of this machine that have a name.
fn named_sockets() -> String {
    fs::read_to_string("/proc/net/unix").unwrap()
}

/// One of the first two processes is killed while a harness makes a sandbox: it may fail, and says
/// so; nothing is left.
#[test]
fn a_sandbox_that_is_killed_in_the_making_leaves_nothing() {
    let out = tempfile::tempdir().unwrap();
    let before = unmarked();
    for moment in 0..20 {
        let mut harness = Command::new(common::executable())
            .args(["run", "--steps", "3", "--minimize-seconds", "0", "--out"])
            .arg(out.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let prefix = format!("{}-", harness.id());
        wait_until(SOON, || !tokened(&prefix).is_empty() || harness.try_wait().unwrap().is_some());
        std::thread::sleep(Duration::from_micros(moment * 200));
        let there = tokened(&prefix);
        let victim = if moment % 2 == 0 { there.first() } else { there.last() };
        if let Some(&victim) = victim {
            let _ = kill(Pid::from_raw(victim), Signal::SIGKILL);
        }
        let ended = wait_until(SOON, || harness.try_wait().unwrap().is_some());
        let (processes, left) = (tokened(&prefix), roots(&prefix).unwrap());
        let _ = (harness.kill(), harness.wait(), sweep(&prefix));
        assert!(
            ended && processes.is_empty() && left.is_empty(),
            "{moment}: {processes:?} {left:?}"
        );
    }
    // Those that are just being made elsewhere will be marked.
    let new = || unmarked().difference(&before).cloned().collect::<Vec<_>>();
    assert!(wait_until(SOON, || new().is_empty()), "{:?}", new());
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(!mounts.contains("/tmp/m9p."), "{mounts}");
}

#[test]
fn a_session_knows_its_target_by_the_number_it_has_here() {
    for level in Level::ALL {
        let launcher = Launcher { level: Some(level), ..common::launcher(None) };
        let session = match Session::start(&launcher, true) {
            Ok(session) => session,
            Err(StartError::Sandbox(SandboxError::Refused(why))) => {
                skip("a_session_knows_its_target", &why.to_string());
                continue;
            }
            Err(why) => panic!("{why}"),
        };
        let target = session.target_pid().unwrap();
        assert!(tokened(session.token()).contains(&target), "{level}");
        let own = fs::read_link("/proc/self/ns/pid").unwrap();
        let its = fs::read_link(format!("/proc/{target}/ns/pid")).unwrap();
        assert_eq!(own != its, level == Level::Kernel);
        session.teardown().unwrap();
    }
}

/// Under a Landlock of somebody else's nothing can be mounted; under as many as there may be, no
/// further one can be had.
#[test]
fn what_cannot_be_had_is_said_and_never_claimed() {
    const LAYERS: usize = 16;
    let mut expected = vec![(1, Level::Landlock), (LAYERS, Level::Environment)];
    if !landlock_is_there() {
        skip("what_cannot_be_had_is_said_and_never_claimed", "this kernel has no Landlock");
        expected.clear();
    }
    for (layers, want) in expected {
        // Landlock is a thread's, and its children's.
        let (drill, asked) = std::thread::spawn(move || {
            for _ in 0..layers {
                let ruleset = Ruleset::default().handle_access(AccessFs::MakeBlock).unwrap();
                ruleset.create().unwrap().restrict_self().unwrap();
            }
            let asked = monkey9p(&["drill", "--steps", "0", "--level", "kernel"]);
            (monkey9p(&["drill", "--steps", "0,1"]), asked)
        })
        .join()
        .unwrap();
        assert_held(&drill, want);
        assert_eq!(asked.status.code(), Some(1));
        let said = String::from_utf8_lossy(&asked.stdout).into_owned();
        assert!(
            said.contains("FAIL  0") && said.contains("the level kernel cannot be had"),
            "{said}"
        );
    }
}

/// Where no user namespace may be made.
#[test]
fn without_namespaces_there_is_a_weaker_level() {
    let test = "without_namespaces_there_is_a_weaker_level";
    let forbid = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let within = |arguments: &[&str]| {
        Command::new("unshare")
            .args(["--user", "--map-root-user", "sh", "-c", forbid, "sh"])
            .arg(common::executable())
            .args(arguments)
            .output()
    };
    match within(&["--version"]) {
        Ok(tried) if tried.status.success() => {}
        tried => return skip(test, &format!("unshare --user: {tried:?}")),
    }
    let want = if landlock_is_there() { Level::Landlock } else { Level::Environment };
    assert_held(&within(&["drill"]).unwrap(), want);
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_str().unwrap();
    let asked = within(&["run", "--steps", "1", "--level", "kernel", "--out", folder]).unwrap();
    let said = String::from_utf8_lossy(&asked.stderr).into_owned();
    assert_eq!(asked.status.code(), Some(2), "{said}");
    assert!(said.contains("isolation is not proven: the level kernel cannot be had"), "{said}");
}

#[test]
fn a_level_is_asked_for_and_stands_in_what_is_told() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_str().unwrap();
    let run = ["run", "--steps", "400", "--first", "--minimize-seconds", "0", "--out", folder];
    let environment = [&run[..], &["--level", "environment"]].concat();
    let made = Command::new(common::executable())
        .args(environment)
        .env("STANDIN_PLANT", "err-missing")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&made.stdout).into_owned();
    assert!(said.contains("level environment, "), "{said}");
    let record = fs::read_dir(out.path().join("bugs"))
        .unwrap()
        .flatten()
        .map(|entry| entry.path().join("record.jsonl"))
        .find(|path| path.exists())
        .unwrap();
    let header = fs::read_to_string(record).unwrap();
    assert!(header.lines().next().unwrap().contains("\"level\":\"environment\""), "{header}");
    for (options, variable) in [(&["--level", "steel"][..], ""), (&[], "steel")] {
        let refused = Command::new(common::executable())
            .args([&run[..], options].concat())
            .env(LEVEL_VARIABLE, variable)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("\"steel\" is no level"), "{said}");
    }
}

/// All of this file once more, by a user who may do nothing special.
#[test]
fn an_ordinary_user_has_the_same() {
    as_ordinary_user("an_ordinary_user_has_the_same", Home::None);
}

fn monkey9p(arguments: &[&str]) -> Output {
    Command::new(common::executable()).args(arguments).output().unwrap()
}

/// The drill passes at that level, and says why not at a stronger one.
fn assert_held(drill: &Output, want: Level) {
    let said = String::from_utf8_lossy(&drill.stdout).into_owned();
    assert_eq!(drill.status.code(), Some(0), "{said}");
    assert!(said.contains(&format!("level: {want}")), "{said}");
    for level in Level::ALL {
        let lacking = said.contains(&format!("the level {level} cannot be had: "));
        assert_eq!(lacking, level > want, "{level}: {said}");
    }
}

fn landlock_is_there() -> bool {
    at("landlock_is_there", Level::Landlock, "").is_some()
}

/// Roots that say of no sandbox that they are its.
fn unmarked() -> BTreeSet<PathBuf> {
    let roots = fs::read_dir(limits::PARENT).unwrap().flatten().map(|entry| entry.path());
    let root = |path: &PathBuf| {
        path.file_name().unwrap().to_string_lossy().starts_with(limits::ROOT_PREFIX)
    };
    let marked = |path: &PathBuf| match fs::read(path.join(limits::MARKER)) {
        Ok(token) => !token.is_empty(),
        // Another user's is closed.
        Err(why) => why.kind() == std::io::ErrorKind::PermissionDenied,
    };
    roots.filter(root).filter(|path| !marked(path)).collect()
}

/// The pid namespace that the target lives in.
fn namespace(sandbox: &Sandbox) -> PathBuf {
    let target = sandbox.target().unwrap();
    fs::read_link(format!("/proc/{target}/ns/pid")).unwrap()
}

/// The living processes in a pid namespace.
fn inhabitants(namespace: &Path) -> BTreeSet<i32> {
    let inside = |pid: &i32| {
        fs::read_link(format!("/proc/{pid}/ns/pid")).is_ok_and(|link| link == namespace)
    };
    let pids = fs::read_dir("/proc").unwrap().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(inside);
    // One whose parent was killed waits for somebody else to reap it.
    pids.filter(|&pid| process(pid).is_some_and(|one| !one.ended)).collect()
}

fn parent(pid: i32) -> i32 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap();
    line.trim().parse().unwrap()
}
