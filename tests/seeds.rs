//! The committed corpus: each seed decodes to what its source says, and runs clean.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use monkey9p::input::Input;
use monkey9p::ops::{Op, read_ops};
use monkey9p::record::tell;
use monkey9p::runner::{Runner, replay};

fn sources() -> BTreeMap<String, Vec<Op>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(common::project().join("seeds")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        assert_eq!(path.extension().unwrap(), "jsonl", "{}", path.display());
        let file = read_ops(&path).unwrap();
        assert!(file.header["story"].as_str().is_some_and(|story| story.ends_with('.')), "{name}");
        all.insert(name, file.ops);
    }
    all
}

fn corpus() -> PathBuf {
    common::project().join("corpus/monkey9p")
}

/// Every file that git has in the corpus; the folder may hold grown ones besides.
fn committed() -> BTreeMap<String, Vec<u8>> {
    fs::read_dir(corpus())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter_map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            let name = name.strip_prefix("seed-")?.to_owned();
            Some((name, fs::read(entry.path()).unwrap()))
        })
        .collect()
}

#[test]
fn each_seed_decodes_to_its_source() {
    let (sources, committed) = (sources(), committed());
    assert!(sources.len() >= 12);
    let names = |map: Vec<&String>| map.into_iter().cloned().collect::<Vec<_>>();
    assert_eq!(names(sources.keys().collect()), names(committed.keys().collect()));
    for (name, ops) in &sources {
        let input =
            Input::decode(&committed[name]).unwrap_or_else(|| panic!("{name} decodes to nothing"));
        let rendered = input.render();
        let told = |ops: &[Op]| ops.iter().map(tell).collect::<Vec<_>>();
        assert_eq!(told(&rendered), told(ops), "{name}");
        assert_eq!(&rendered, ops, "{name}");
    }
}

#[test]
fn the_corpus_is_made_from_its_sources_byte_for_byte() {
    let committed = committed();
    for (name, ops) in sources() {
        let made = Input::from_ops(&ops).encode();
        assert_eq!(committed[&name], made, "{name}: run monkey9p corpus regen");
    }
}

#[test]
fn a_regen_in_a_copy_gives_the_same_bytes_and_check_sees_each_fault() {
    let copy = tempfile::tempdir().unwrap();
    for folder in ["seeds", "fuzz", "corpus/monkey9p"] {
        fs::create_dir_all(copy.path().join(folder)).unwrap();
    }
    fs::write(copy.path().join("fuzz/Cargo.toml"), "").unwrap();
    for name in sources().keys() {
        let file = format!("seeds/{name}.jsonl");
        fs::copy(common::project().join(&file), copy.path().join(&file)).unwrap();
    }
    let run = |what: &str| {
        let mut command = Command::new(common::executable());
        let done = command.args(["corpus", what]).current_dir(copy.path()).output().unwrap();
        (done.status.code().unwrap(), String::from_utf8(done.stdout).unwrap())
    };
    assert_eq!(run("check").0, 1);
    assert_eq!(run("regen").0, 0);
    let made = copy.path().join("corpus/monkey9p");
    for (name, bytes) in committed() {
        assert_eq!(fs::read(made.join(format!("seed-{name}"))).unwrap(), bytes, "{name}");
    }
    fs::write(made.join("0123abcd"), "a grown entry").unwrap();
    assert_eq!(run("check").0, 0);
    fs::write(made.join("seed-failed-write"), "changed").unwrap();
    fs::write(made.join("seed-unknown"), "no source").unwrap();
    fs::remove_file(made.join("seed-close-runs")).unwrap();
    let (code, out) = run("check");
    assert_eq!(code, 1);
    for want in
        ["seed-failed-write: not the", "seed-unknown: no such seed", "seed-close-runs: missing"]
    {
        assert!(out.contains(want), "{want}: {out}");
    }
    assert_eq!(run("regen").0, 0);
    assert_eq!(run("check").0, 0);
    assert!(made.join("0123abcd").exists() && !made.join("seed-unknown").exists());
}

/// Git does not look beneath an excluded directory, so a rule alone proves nothing.
#[test]
fn git_keeps_seeds_and_ignores_what_grew() {
    let ignored = |path: &str| {
        let mut git = Command::new("git");
        let status = git
            .args(["check-ignore", "-q", "--no-index", path])
            .current_dir(common::project())
            .status();
        status.ok().and_then(|status| status.code())
    };
    if ignored("Cargo.toml") != Some(1) {
        return common::skip("git_keeps_seeds_and_ignores_what_grew", "this is no git checkout");
    }
    for target in ["monkey9p", "frame9p", "standin9p"] {
        assert_eq!(ignored(&format!("corpus/{target}/seed-x")), Some(1), "{target}");
        assert_eq!(ignored(&format!("corpus/{target}/0123abcd")), Some(0), "{target}");
        assert_eq!(ignored(&format!("fuzz/artifacts/{target}/crash-0123")), Some(0), "{target}");
    }
}

/// Every file of the committed corpus, as the fuzz target takes it.
#[test]
fn the_corpus_runs_clean() {
    let mut runner = Runner::new(common::launcher(None), true);
    for (name, bytes) in committed() {
        let ops = Input::decode(&bytes).unwrap().render();
        let replayed = replay(&mut runner, &ops, |_, _, _| {}).unwrap();
        assert!(replayed.found.is_none(), "{name}: {:?}", replayed.found);
        assert_eq!(replayed.quits, usize::from(name == "last-pane-closed"), "{name}");
        // A seed that the guard refuses says nothing.
        assert_eq!(replayed.not_run, 0, "{name}");
    }
}

/// The same inputs through one living target, reset between them.
#[test]
fn the_corpus_runs_clean_in_one_target() {
    let mut runner = Runner::new(common::launcher(None), true);
    for round in 0..3 {
        for (name, bytes) in committed() {
            let ops = Input::decode(&bytes).unwrap().render();
            let found = runner.next_input(round == 1).unwrap();
            assert!(found.is_none(), "before {name}: {found:?}");
            for op in &ops[1..] {
                match runner.step(op).unwrap() {
                    monkey9p::runner::End::Done(_) => {}
                    monkey9p::runner::End::Quit => break,
                    monkey9p::runner::End::Found(finding) => panic!("{name}: {finding:?}"),
                }
            }
        }
    }
    runner.end().unwrap();
}
