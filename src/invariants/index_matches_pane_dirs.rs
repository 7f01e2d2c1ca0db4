//! `/index` and the directories in `/pane` name the same panes.

use super::{Basis, Breach, Invariant};
use crate::session::{IndexView, Needs, Outcome};

/// The index has a line a pane, its serial first; each pane has a directory by its serial.
pub const INVARIANT: Invariant = Invariant {
    name: "index_matches_pane_dirs",
    cites: "pardes fs.md, /index and /pane/<n>/ (the script's index_matches_pane_dirs)",
    basis: Basis::Documented,
    needs: Needs { index: true, ..Needs::NOTHING },
    false_positive: "a pane that came and went between two reads of an index that looks the same",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    let IndexView { before, entries, after } = outcome.index.as_ref()?;
    let mut panes = match serials(after) {
        Ok(panes) => panes,
        Err(line) => {
            return Some(Breach {
                why: "a line of /index does not begin with a serial".into(),
                detail: format!("{line:?}"),
            });
        }
    };
    if before != after {
        // It changed between the reads: no claim.
        return None;
    }
    let (numbers, others): (Vec<&String>, Vec<&String>) =
        entries.iter().partition(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    let strange: Vec<&&String> = others.iter().filter(|name| *name != &"new").collect();
    if !strange.is_empty() {
        let why = "/pane lists an entry that is neither new nor a serial".into();
        return Some(Breach { why, detail: format!("{strange:?}") });
    }
    let mut directories: Vec<u64> = numbers.iter().filter_map(|name| name.parse().ok()).collect();
    panes.sort_unstable();
    directories.sort_unstable();
    (panes != directories || directories.len() != numbers.len()).then(|| Breach {
        why: "the serials of /index are not the directories of /pane".into(),
        detail: format!("/index: {panes:?}; /pane: {entries:?}"),
    })
}

fn serials(index: &[u8]) -> Result<Vec<u64>, String> {
    let text = String::from_utf8_lossy(index);
    let serial = |line: &str| line.split_whitespace().next().and_then(|field| field.parse().ok());
    text.lines().map(|line| serial(line).ok_or_else(|| line.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(before: &'static str, entries: &[&str], after: &'static str) -> Outcome {
        let entries = entries.iter().map(|&name| name.into()).collect();
        let index = IndexView { before: before.into(), entries, after: after.into() };
        Outcome { index: Some(index), ..Outcome::default() }
    }

    #[test]
    fn agreement_in_any_order_is_fine() {
        assert_eq!(check(&view("2 b\n1 a\n", &["new", "1", "2"], "2 b\n1 a\n")), None);
        assert_eq!(check(&view("", &["new"], "")), None);
        assert_eq!(check(&Outcome::default()), None);
    }

    #[test]
    fn every_disagreement_breaks_it() {
        for (index, entries) in [
            ("1 a\n2 b\n", &["new", "1"][..]),
            ("1 a\n", &["new", "1", "2"]),
            ("1 a\n1 a\n", &["new", "1"]),
            ("1 a\n", &["new", "1", "odd"]),
            ("x a\n", &["new", "1"]),
            ("1 a\n\n", &["new", "1"]),
            ("1 a\n", &["new", "1", "99999999999999999999999"]),
        ] {
            assert!(check(&view(index, entries, index)).is_some(), "{index:?} {entries:?}");
        }
    }

    #[test]
    fn an_index_that_changed_is_no_claim() {
        assert_eq!(check(&view("1 a\n", &["new", "1"], "1 a\n2 b\n")), None);
    }
}
