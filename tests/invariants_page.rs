//! `docs/invariants.md` is made from the code: this says whether it is current, and makes it anew
//! where `UPDATE_DOCS=1` asks for it.

use std::fs;
use std::path::Path;

use monkey9p::invariants::page;

#[test]
fn the_page_of_invariants_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/invariants.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, page()).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == page(),
        "docs/invariants.md is stale: UPDATE_DOCS=1 cargo test --test invariants_page"
    );
}
