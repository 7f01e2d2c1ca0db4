//! The invariants as a page of Markdown, in the order in which they are checked.

use super::{ALL, Invariant};
use crate::session::FailureKind;

/// A planted defect, as whoever knows the stand-in tells of it.
#[derive(Clone, Copy, Debug)]
pub struct Planted {
    /// Its name.
    pub name: &'static str,
    /// What it breaks.
    pub breaks: &'static str,
    /// The invariant, or the kind of failure, that tells.
    pub told_by: &'static str,
}

/// The page. `unplanted` says of rules that no planted defect names why that is.
pub fn page(planted: &[Planted], unplanted: &[(&str, &str)]) -> String {
    let mut page = String::from(HEAD);
    for one in &ALL {
        let basis = one.basis.name();
        let Invariant { name, cites, needs, false_positive, .. } = one;
        page += &format!(
            "\n## {name}\n\n- basis: {basis}\n- cites: {cites}\n- looks at: {}\n- a false positive: {false_positive}\n",
            needs.words()
        );
        page += &defects(name, planted, unplanted);
    }
    page += FAILURES;
    for kind in FailureKind::ALL {
        page += &format!("\n### {}\n\n- {}\n", kind.name(), kind.words());
        page += &defects(kind.name(), planted, unplanted);
    }
    page
}

/// The planted defects that `name` tells of, or why there are none.
fn defects(name: &str, planted: &[Planted], unplanted: &[(&str, &str)]) -> String {
    let told = planted.iter().filter(|one| one.told_by == name);
    let told: String = told.map(|one| format!("  - `{}`: {}\n", one.name, one.breaks)).collect();
    let why = unplanted.iter().find(|(of, _)| *of == name).map_or("", |(_, why)| why);
    match (told.is_empty(), why.is_empty()) {
        (true, true) => "- planted defects: none\n".into(),
        (true, false) => format!("- planted defects: none: {why}\n"),
        (false, _) => format!("- planted defects:\n{told}"),
    }
}

const HEAD: &str = "# Invariants

Made from the code by `UPDATE_DOCS=1 cargo test --test invariants_page`. After every step these are checked, in this order; the
first that is broken names the failure. *Documented*: a sentence of pardes's documentation. *Protocol*: the 9P manual pages.
*Inferred*: acme's manual or this project's reading, off against a real pardes unless `--inferred` asks for it. A planted defect
is listed with the rule that tells of it; others may tell of it too.
";

const FAILURES: &str = "
## Failures that are no invariant's

A step can fail before any rule looks at it. Where the target goes on but left a crash file, that is *alive*, above.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_its_defects_or_says_why_not() {
        let one = |name, told_by| Planted { name, breaks: "It breaks.", told_by };
        let planted = [one("a", "alive"), one("b", "qid_is_one"), one("c", "crash")];
        let page = page(&planted, &[("wire_qids", "no one knows")]);
        let part = |name: &str| {
            let at = page.find(&format!("# {name}\n")).unwrap();
            page[at..].split("\n#").next().unwrap().to_owned()
        };
        assert!(part("alive").ends_with("- planted defects:\n  - `a`: It breaks.\n"));
        assert!(part("qid_is_one").contains("`b`") && !part("qid_is_one").contains("`a`"));
        assert!(part("crash").contains("- planted defects:\n  - `c`: It breaks."));
        assert!(part("wire_qids").contains("none: no one knows"));
        assert!(part("wire_tags").contains("planted defects: none\n"));
    }
}
