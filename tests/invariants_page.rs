//! `docs/invariants.md` is made from the code: this says whether it is current, and makes it anew
//! where `UPDATE_DOCS=1` asks for it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use monkey9p::invariants::{ALL, Planted, page};
use monkey9p::session::FailureKind;
use monkey9p::standin::plants;

/// Rules and kinds of failure that no planted defect names, and why.
const UNPLANTED: [(&str, &str); 8] = [
    ("read_within_count", KEPT),
    ("directories_are_not_written", KEPT),
    (
        "wire_replies",
        "it tells of `error-extra-bytes` in a script of raw messages; elsewhere that is *dropped*",
    ),
    (
        "wire_answered",
        "it tells of `hang-on-flush` and `hang-flush-unknown` in a script of raw messages; elsewhere those are *hang*",
    ),
    (
        "wire_qids",
        "it tells of `qid-differs` in a script of raw messages; elsewhere that is *qid_is_one*",
    ),
    (
        "log",
        "`follower-misses` gives it where it is a marker that is missed; its own rule is *follower_sees_the_log*",
    ),
    ("checker", "the stand-in's defects leave the listings readable"),
    ("harness", "no target is to blame for it"),
];
const KEPT: &str = "the stand-in keeps this whatever is planted; the rule's own tests break it with made-up outcomes";

fn planted() -> Vec<Planted> {
    let plants = plants().iter();
    plants
        .map(|plant| Planted { name: plant.name, breaks: plant.breaks, told_by: plant.invariant })
        .collect()
}

/// The names of all rules and kinds of failure.
fn names() -> BTreeSet<&'static str> {
    let kinds = FailureKind::ALL.map(FailureKind::name);
    ALL.iter().map(|one| one.name).chain(kinds).collect()
}

#[test]
fn the_page_of_invariants_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/invariants.md");
    let page = page(&planted(), &UNPLANTED);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == page,
        "docs/invariants.md is stale: UPDATE_DOCS=1 cargo test --test invariants_page"
    );
}

#[test]
fn every_planted_defect_names_a_rule_or_a_failure() {
    let names = names();
    for one in planted() {
        assert!(names.contains(one.told_by), "{}: told by {}", one.name, one.told_by);
    }
}

#[test]
fn every_rule_has_a_planted_defect_or_a_reason_for_none() {
    let told: BTreeSet<&str> = planted().iter().map(|one| one.told_by).collect();
    for name in names() {
        let reason = UNPLANTED.iter().any(|(of, _)| *of == name);
        assert!(told.contains(name) != reason, "{name}: {told:?}");
    }
    for (name, _) in UNPLANTED {
        assert!(names().contains(name), "{name}: no rule and no failure");
    }
}
