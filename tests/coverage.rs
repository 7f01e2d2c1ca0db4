//! Coverage read from outside: of a small program, by whichever compiler makes counters here.

mod common;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};

use monkey9p::feedback::{TargetCoverage, elf};

/// More places than the program has counters.
const PLACES: usize = 4_096;

/// Where the program may be loaded.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Anywhere,
    Fixed,
}

/// A compiler that makes inline 8-bit counters, which gcc does not.
struct Compiler {
    command: &'static [&'static str],
    source: &'static str,
    flags: &'static [&'static str],
    anywhere: &'static [&'static str],
    fixed: &'static [&'static str],
}

const FLAGS_OF_C: &[&str] =
    &["-O0", "-fno-sanitize=all", "-fsanitize-coverage=inline-8bit-counters"];

const COMPILERS: [Compiler; 3] = [
    Compiler {
        command: &["clang"],
        source: "server.c",
        flags: FLAGS_OF_C,
        anywhere: &["-fPIE", "-pie"],
        fixed: &["-fno-PIE", "-no-pie"],
    },
    Compiler {
        command: &["python3", "-m", "ziglang", "cc"],
        source: "server.c",
        flags: FLAGS_OF_C,
        anywhere: &["-fPIE", "-pie"],
        fixed: &["-fno-PIE", "-no-pie"],
    },
    Compiler {
        command: &["rustc"],
        source: "server.rs",
        flags: &[
            "--edition=2024",
            "-Cpasses=sancov-module",
            "-Cllvm-args=-sanitizer-coverage-level=3",
            "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
        ],
        anywhere: &["-Crelocation-model=pie"],
        fixed: &["-Crelocation-model=static"],
    },
];

/// The program, if there is a compiler for it.
fn build(test: &str, folder: &Path, place: Place) -> Option<PathBuf> {
    let start = |compiler: &Compiler| {
        let mut command = Command::new(compiler.command[0]);
        command.args(&compiler.command[1..]);
        command
    };
    let there = |compiler: &&Compiler| {
        start(compiler).arg("--version").output().is_ok_and(|done| done.status.success())
    };
    let Some(compiler) = COMPILERS.iter().find(there) else {
        common::skip(test, "no clang, python3 -m ziglang or rustc, and gcc makes no counters");
        return None;
    };
    let program = folder.join("server");
    let done = start(compiler)
        .args(compiler.flags)
        .args(if place == Place::Fixed { compiler.fixed } else { compiler.anywhere })
        .arg("-o")
        .arg(&program)
        .arg(common::project().join("tests/coverage").join(compiler.source))
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    Some(program)
}

/// The running program; ended when it is dropped.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(program: &Path) -> Server {
        let mut child =
            Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Server { child, input, output: BufReader::new(output) }
    }

    fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    fn ask(&mut self, line: &str) -> String {
        writeln!(self.input, "{line}").unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        answer.trim_end().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Which counters changed since the last reading.
fn changed(coverage: &mut TargetCoverage, pid: i32) -> BTreeSet<usize> {
    let places: Vec<AtomicU8> = (0..PLACES).map(|_| AtomicU8::new(0)).collect();
    let count = coverage.read(pid, &places);
    let places = places.iter().enumerate();
    let set: BTreeSet<usize> = places
        .filter(|(_, place)| place.load(Ordering::Relaxed) > 0)
        .map(|(index, _)| index)
        .collect();
    assert_eq!(count, set.len());
    set
}

fn found_and_followed(test: &str, place: Place) {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = build(test, folder.path(), place) else { return };
    let image = elf::find(File::open(&program).unwrap()).unwrap();
    assert_eq!(image.fixed, place == Place::Fixed, "{image:?}");
    let mut coverage = TargetCoverage::default();
    let mut line = None;
    // The second is a restart: another process, and elsewhere if it may be.
    for _ in 0..2 {
        let mut server = Server::start(&program);
        assert_eq!(server.ask("abcd"), "no");
        assert!(!changed(&mut coverage, server.pid()).is_empty());
        let found = coverage.found().unwrap();
        assert_eq!(found, (image.count, &program.canonicalize().unwrap()));
        let news = coverage.news(PLACES);
        let want = format!("{} counters in {}", image.count, program.display());
        match line.replace(()) {
            None => assert!(news.is_some_and(|line| line.ends_with(&want))),
            Some(()) => assert_eq!(news, None, "it was said before"),
        }
        assert_eq!(server.ask("abcd"), "no");
        assert!(!changed(&mut coverage, server.pid()).is_empty());
    }
}

#[test]
fn the_counters_of_a_program_that_may_be_loaded_anywhere_are_found() {
    let test = "the_counters_of_a_program_that_may_be_loaded_anywhere_are_found";
    found_and_followed(test, Place::Anywhere);
}

#[test]
fn the_counters_of_a_program_that_has_its_place_are_found() {
    let test = "the_counters_of_a_program_that_has_its_place_are_found";
    found_and_followed(test, Place::Fixed);
}

/// What a fuzzer climbs: each letter that is right shows as a counter that was never seen.
#[test]
fn each_letter_of_a_magic_word_is_seen() {
    let test = "each_letter_of_a_magic_word_is_seen";
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = build(test, folder.path(), Place::Anywhere) else { return };
    let mut server = Server::start(&program);
    let mut coverage = TargetCoverage::default();
    let mut seen = BTreeSet::new();
    for word in ["9", "none", "abcd"] {
        server.ask(word);
        seen.extend(changed(&mut coverage, server.pid()));
    }
    for (word, answer) in [("9xxx", "no"), ("9pxx", "no"), ("9pfx", "no"), ("9pfs", "found")] {
        assert_eq!(server.ask("zzzz"), "no");
        let known = changed(&mut coverage, server.pid());
        assert!(known.is_subset(&seen), "nothing new was asked");
        assert_eq!(server.ask(word), answer);
        let new = changed(&mut coverage, server.pid());
        assert!(!new.is_subset(&seen), "{word} was not seen");
        seen.extend(new);
    }
}

#[test]
fn more_counters_than_places_share_them_and_it_is_said() {
    let test = "more_counters_than_places_share_them_and_it_is_said";
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = build(test, folder.path(), Place::Anywhere) else { return };
    let mut server = Server::start(&program);
    server.ask("abcd");
    let mut coverage = TargetCoverage::default();
    let places = [const { AtomicU8::new(0) }; 2];
    assert!(coverage.read(server.pid(), &places) > 2);
    assert!(places.iter().all(|place| place.load(Ordering::Relaxed) > 0));
    let line = coverage.news(places.len()).unwrap();
    assert!(line.ends_with("which share 2 places"), "{line}");
}

#[test]
fn a_process_that_ended_is_no_trouble_and_the_next_is_read() {
    let test = "a_process_that_ended_is_no_trouble_and_the_next_is_read";
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = build(test, folder.path(), Place::Anywhere) else { return };
    let mut coverage = TargetCoverage::default();
    let mut server = Server::start(&program);
    server.ask("abcd");
    assert!(!changed(&mut coverage, server.pid()).is_empty());
    // Dead, and not waited for; then gone.
    server.child.kill().unwrap();
    let pid = server.pid();
    common::wait_until(std::time::Duration::from_secs(10), || {
        changed(&mut coverage, pid).is_empty() && coverage.found().is_err()
    });
    drop(server);
    assert!(changed(&mut coverage, pid).is_empty());
    assert!(coverage.found().unwrap_err().contains("cannot be read"));
    let mut server = Server::start(&program);
    server.ask("abcd");
    assert!(!changed(&mut coverage, server.pid()).is_empty());
}

#[test]
fn programs_without_counters_are_told_of_once() {
    let mut coverage = TargetCoverage::default();
    assert!(coverage.found().is_err());
    let start = || {
        let mut sleep = Command::new("sleep");
        sleep.arg("600").spawn().unwrap()
    };
    let mut children = [start(), start()];
    let mut news = Vec::new();
    for child in &children {
        // Until it runs what it is to run, it is another copy of this one.
        let pid = child.id().cast_signed();
        assert!(common::wait_until(std::time::Duration::from_secs(10), || {
            std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|it| it.starts_with(b"sleep"))
        }));
        for _ in 0..2 {
            assert!(changed(&mut coverage, pid).is_empty());
            news.extend(coverage.news(PLACES));
        }
    }
    for child in &mut children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(news.len(), 1, "{news:?}");
    assert!(news[0].contains("docs/coverage.md"), "{news:?}");
    // Nobody has this number: it is more than the system gives.
    assert!(changed(&mut coverage, i32::MAX).is_empty());
    assert!(coverage.news(PLACES).unwrap().contains("what it runs"));
    assert!(changed(&mut coverage, -1).is_empty());
}
