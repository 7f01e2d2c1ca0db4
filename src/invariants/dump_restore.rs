//! A session restored from the dump that was just written of it has the panes that it had.

use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome, Reloaded, SeenPane};

/// Each pane is there again, with its name, its body and the user's part of its tag; there are no
/// others, and as many columns. Serials may change. A pane in which a shell runs, or whose events a
/// client reads, may be another afterwards or none, and so may one of the same name; a body without
/// changes may have been read from its file again, if that holds something else by now.
pub const INVARIANT: Invariant = Invariant {
    name: "dump_restore",
    cites: "acme(1), Dump and Load: the state is written to a file, and restored from it",
    basis: Basis::Inferred,
    needs: Needs { reload: true, undisturbed: true, ..Needs::NOTHING },
    false_positive: "a pane that a dump leaves out on purpose, or a body that changes without anyone's doing",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    let Reloaded { before, after, columns } = outcome.reloaded.as_ref()?;
    let excused = |pane: &SeenPane| {
        before.iter().any(|other| (other.shell || other.watched) && other.name == pane.name)
    };
    let (free, bound): (Vec<_>, Vec<_>) = before.iter().partition(|pane| excused(pane));
    // First of all, so that a lost pane is told the same way, whichever others have its name.
    let short = |pane: &&&SeenPane| {
        let named = |panes: &[SeenPane]| panes.iter().filter(|it| it.name == pane.name).count();
        named(after) < named(before)
    };
    if let Some(pane) = bound.iter().find(short) {
        let detail = format!("\"{}\"", pane.name.escape_ascii());
        return Some(breach("a pane is not restored", detail));
    }
    let mut left: Vec<&SeenPane> = after.iter().collect();
    if left.len() > before.len() {
        let detail = format!("{} panes before, {} after", before.len(), left.len());
        return Some(breach("a restored session has more panes than were dumped", detail));
    }
    // Those that only one can be come first: what the others take is theirs to choose.
    let (loose, strict): (Vec<&SeenPane>, Vec<&SeenPane>) =
        bound.into_iter().partition(|pane| pane.file_differs && !pane.dirty);
    for (pane, strictly) in strict
        .into_iter()
        .map(|pane| (pane, true))
        .chain(loose.into_iter().map(|pane| (pane, false)))
    {
        let same = |other: &&SeenPane| {
            other.name == pane.name
                && other.tag == pane.tag
                && (!strictly || other.body == pane.body)
        };
        match left.iter().position(same) {
            Some(at) => drop(left.swap_remove(at)),
            None => return Some(missing(pane, &left)),
        }
    }
    if left.len() > free.len() {
        let detail = format!("{left:?}");
        return Some(breach("a restored session has a pane that was not dumped", detail));
    }
    (columns[0] != columns[1]).then(|| {
        let detail = format!("{} before, {} after", columns[0], columns[1]);
        breach("a restored session has not as many columns as were dumped", detail)
    })
}

/// Of the panes that are left, the nearest tells what differs.
fn missing(pane: &SeenPane, left: &[&SeenPane]) -> Breach {
    let named: Vec<&&SeenPane> = left.iter().filter(|other| other.name == pane.name).collect();
    let name = pane.name.escape_ascii();
    match named[..] {
        [] => breach("a pane is not restored", format!("\"{name}\"")),
        [other, ..] => {
            let tag_differs = named.iter().all(|other| other.tag != pane.tag);
            let (what, was, is) = match tag_differs {
                true => ("tag", &pane.tag, &other.tag),
                false => ("body", &pane.body, &other.body),
            };
            let detail = format!("\"{name}\": {}, then {}", shown(was), shown(is));
            breach(&format!("a restored pane's {what} is not as it was dumped"), detail)
        }
    }
}

fn breach(why: &str, detail: String) -> Breach {
    Breach { why: why.into(), detail }
}

/// How much of a text is shown from its beginning and its end, in bytes.
const SHOWN_BYTES: usize = 80;

fn shown(text: &[u8]) -> String {
    let head = &text[..text.len().min(SHOWN_BYTES)];
    let tail = &text[text.len().saturating_sub(SHOWN_BYTES).max(head.len())..];
    let gap = if head.len() + tail.len() < text.len() { " ... " } else { "" };
    format!("{} bytes \"{}{gap}{}\"", text.len(), head.escape_ascii(), tail.escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(name: &'static str, body: &'static str) -> SeenPane {
        let (name, body, tag) = (name.into(), body.into(), "| Look ".into());
        SeenPane { name, body, tag, ..SeenPane::default() }
    }

    fn check(before: &[SeenPane], after: &[SeenPane]) -> Option<String> {
        let (before, after) = (before.to_vec(), after.to_vec());
        let reloaded = Some(Reloaded { before, after, columns: [2, 2] });
        super::check(&Outcome { reloaded, ..Outcome::default() }).map(|breach| breach.why)
    }

    #[test]
    fn the_same_panes_in_any_order() {
        let (a, b, twin) = (pane("a", "text\n\n"), pane("b", ""), pane("b", ""));
        assert_eq!(check(&[a.clone(), b.clone(), twin.clone()], &[twin, a, b]), None);
        assert_eq!(super::check(&Outcome::default()), None);
    }

    #[test]
    fn whatever_differs_breaks_it() {
        let (a, b) = (pane("a", "text\n\n"), pane("b", ""));
        let both = [a.clone(), b.clone()];
        let why = |after: &[SeenPane]| check(&both, after).unwrap();
        assert!(why(std::slice::from_ref(&a)).contains("not restored"));
        assert!(why(&[a.clone(), b.clone(), b.clone()]).contains("more panes"));
        assert!(why(&[a.clone(), a.clone()]).contains("not restored"));
        assert!(why(&[pane("a", "text\n"), b.clone()]).contains("body"));
        let other_tag = SeenPane { tag: "|".into(), ..a.clone() };
        assert!(why(&[other_tag, b.clone()]).contains("tag"));
        let reloaded =
            Some(Reloaded { before: both.to_vec(), after: both.to_vec(), columns: [2, 1] });
        let broken = super::check(&Outcome { reloaded, ..Outcome::default() }).unwrap();
        assert!(broken.why.contains("columns"));
    }

    /// One of several of one name is told as the only one of its name is.
    #[test]
    fn a_lost_pane_is_told_the_same_way() {
        let (a, b, twin) = (pane("a", "text"), pane("b", "one"), pane("b", "two"));
        let shell = SeenPane { shell: true, ..pane("c", "") };
        let all = [a.clone(), b.clone(), twin.clone(), shell.clone()];
        for gone in 0..3 {
            let mut left = all.to_vec();
            left.remove(gone);
            assert_eq!(check(&all, &left).as_deref(), Some("a pane is not restored"));
            left.pop();
            assert_eq!(check(&all, &left).as_deref(), Some("a pane is not restored"));
        }
    }

    #[test]
    fn a_shell_and_what_a_client_reads_may_go_or_change() {
        let (a, b) = (pane("a", "text"), pane("b", ""));
        let shell = SeenPane { shell: true, ..b.clone() };
        assert_eq!(check(&[a.clone(), shell.clone()], &[a.clone(), pane("b", "$ ")]), None);
        assert_eq!(check(&[a.clone(), shell.clone()], std::slice::from_ref(&a)), None);
        assert_eq!(check(&[a.clone(), shell.clone(), b.clone()], std::slice::from_ref(&a)), None);
        let watched = SeenPane { watched: true, ..b.clone() };
        assert_eq!(check(&[a.clone(), watched], std::slice::from_ref(&a)), None);
        assert!(check(&[a.clone(), shell], std::slice::from_ref(&b)).is_some(), "a is gone");
    }

    #[test]
    fn a_body_without_changes_may_be_read_again() {
        let clean = SeenPane { file_differs: true, ..pane("a", "old") };
        let dirty = SeenPane { dirty: true, ..clean.clone() };
        assert_eq!(check(std::slice::from_ref(&clean), &[pane("a", "new")]), None);
        assert!(check(std::slice::from_ref(&dirty), &[pane("a", "new")]).is_some());
        // The one that may be any leaves the other what it needs.
        assert_eq!(check(&[clean, dirty], &[pane("a", "old"), pane("a", "new")]), None);
    }
}
