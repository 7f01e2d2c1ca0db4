//! The walls between the rooms: what each module may know of.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Each room, and the rooms it may import from.
const WALLS: [(&str, &[&str]); 19] = [
    ("wire", &[]),
    ("ops", &["wire"]),
    ("sandbox", &[]),
    ("target", &["sandbox"]),
    ("input", &["ops", "wire"]),
    ("session", &["ops", "sandbox", "target", "wire"]),
    ("invariants", &["session", "target", "wire"]),
    ("record", &["ops", "wire"]),
    ("minimize", &["ops", "wire"]),
    ("feedback", &[]),
    (
        "runner",
        &[
            "feedback",
            "input",
            "invariants",
            "minimize",
            "ops",
            "quit",
            "record",
            "sandbox",
            "session",
            "target",
        ],
    ),
    ("campaign", &["feedback", "input", "ops", "record", "runner", "sandbox", "target"]),
    ("escapes", &["sandbox", "target"]),
    ("drill", &["escapes", "feedback", "ops", "runner", "sandbox", "session", "wire"]),
    ("standin", &["wire"]),
    ("bench", &["feedback", "runner", "sandbox", "session", "standin", "target"]),
    (
        "cli",
        &[
            "bench", "campaign", "drill", "input", "minimize", "ops", "record", "runner",
            "sandbox", "session", "target",
        ],
    ),
    ("roles", &["escapes", "sandbox", "standin", "target"]),
    ("quit", &[]),
];

#[test]
fn no_room_knows_more_than_it_may() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let allowed: BTreeMap<&str, &[&str]> = WALLS.into();
    let import = Regex::new(r"\bcrate::(?:\{([^}]*)\}|(\w+))").unwrap();
    let mut wrong = Vec::new();
    for (room, files) in rooms(&source) {
        let Some(allowed) = allowed.get(&*room) else {
            wrong.push(format!("{room}: a room that the table does not have"));
            continue;
        };
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let code: String =
                text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            for found in import.captures_iter(&code) {
                let list = found.get(1).or(found.get(2)).unwrap().as_str();
                for name in list.split(',').map(|part| part.trim().split("::").next().unwrap()) {
                    if !name.is_empty() && name != room && !allowed.contains(&name) {
                        wrong.push(format!("{}: knows of {name}", file.display()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_room_of_the_table_is_there_and_none_imports_in_a_circle() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let there: BTreeSet<String> = rooms(&source).into_keys().collect();
    let table: BTreeSet<String> = WALLS.iter().map(|(room, _)| room.to_string()).collect();
    assert_eq!(there, table);
    // Taking away again and again the rooms that depend on none that is left must leave nothing.
    let mut left: BTreeMap<&str, &[&str]> = WALLS.into();
    while !left.is_empty() {
        let names: BTreeSet<&str> = left.keys().copied().collect();
        let before = left.len();
        left.retain(|_, needs| needs.iter().any(|need| names.contains(need)));
        assert!(left.len() < before, "a circle among {names:?}");
    }
}

/// The rooms' files; `lib.rs`, `main.rs` and `bin/` join them and are none.
fn rooms(source: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    let mut rooms: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for entry in fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if !matches!(name.as_str(), "lib" | "main" | "bin") {
            let mut files = Vec::new();
            collect(&path, &mut files);
            if !files.is_empty() {
                rooms.insert(name, files);
            }
        }
    }
    rooms
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), files);
        }
    } else if path.extension().is_some_and(|end| end == "rs") {
        files.push(path.into());
    }
}
