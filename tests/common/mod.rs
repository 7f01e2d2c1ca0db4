//! What several tests share: the executable with its roles, launchers, and skips that are heard.
#![allow(dead_code, reason = "each test takes what it needs")]

pub mod campaigns;
pub mod chromium;
pub mod disk;
pub mod ordinary;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use monkey9p::ops::{Chunks, Op};
use monkey9p::runner::{Replayed, Runner, replay};
use monkey9p::session::Launcher;
use monkey9p::target::{Program, Target, standin};

/// Names a copy of the executable, for a user who cannot get at the one that was built.
pub const EXECUTABLE_VARIABLE: &str = "M9P_TEST_EXECUTABLE";

/// The executable that has the roles; the test's own has none.
pub fn executable() -> PathBuf {
    let copy = std::env::var_os(EXECUTABLE_VARIABLE);
    copy.unwrap_or_else(|| env!("CARGO_BIN_EXE_monkey9p").into()).into()
}

pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The stand-in, with a planted defect or without.
pub fn launcher(plant: Option<&str>) -> Launcher {
    let executable = executable();
    Launcher { target: standin(executable.clone()).with_plant(plant), executable, level: None }
}

/// A target that is a shell with these arguments: whatever a hostile target may do.
pub fn shell_launcher(script: &str) -> Launcher {
    let target = Target {
        name: "sh".into(),
        program: Program::Path("/bin/sh".into()),
        arguments: vec!["-c".into(), script.into()],
        socket: "s.sock".into(),
        opened: vec![],
        variables: vec![],
        inferred: false,
    };
    Launcher { target, executable: executable(), level: None }
}

pub fn replay_on(plant: Option<&str>, ops: &[Op]) -> Replayed {
    let mut runner = Runner::new(launcher(plant), true);
    replay(&mut runner, ops, |_, _, _| {}).expect("a session")
}

pub fn write(path: &str, data: &str) -> Op {
    Op::Write {
        path: path.into(),
        data: data.into(),
        mode: 1,
        chunks: Chunks::Whole,
        offset: None,
        stop_on_error: true,
    }
}

/// Polls until `done` or the deadline; says whether it was done.
pub fn wait_until(within: Duration, mut done: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + within;
    loop {
        if done() {
            return true;
        }
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Says aloud, past the test harness's capture, that something was not tested here.
pub fn skip(test: &str, why: &str) {
    // At once, so that no other test's line gets into it.
    let _ = std::io::stderr().write_all(format!("SKIP {test}: {why}\n").as_bytes());
}

/// The fuzz target's executable, if `cargo fuzz build -s none` has made one of this very source.
pub fn fuzzer(test: &str) -> Option<PathBuf> {
    let found = fs::read_dir(project().join("fuzz/target"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("release/monkey9p"))
        .find(|path| path.is_file() && written(path) > newest_source(path));
    if found.is_none() {
        skip(test, "no fuzz build of this source: run cargo fuzz build -s none first");
    }
    found
}

fn written(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|meta| meta.modified()).ok()
}

/// When the newest of the files was written that cargo says a program was made of; now, if it says
/// nothing. Most of the command line is not in the fuzz target.
fn newest_source(program: &Path) -> Option<SystemTime> {
    let Ok(made_of) = fs::read_to_string(program.with_extension("d")) else {
        return Some(SystemTime::now());
    };
    let sources = made_of.lines().next()?.split_once(": ")?.1.replace("\\ ", "\0");
    sources.split(' ').filter_map(|path| written(Path::new(&path.replace('\0', " ")))).max()
}
