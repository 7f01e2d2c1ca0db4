//! Undo gives the text before the change, Redo the text after it, and a change leaves nothing to
//! redo.

mod acts;

use bytes::Bytes;

use self::acts::{Act, Change, act};
use super::spans::spans;
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Outcome};

/// A text that is read between changes, Undo and Redo is the one that they lead to.
pub const INVARIANT: Invariant = Invariant {
    name: "undo_redo",
    cites: "acme(1), Undo and Redo; acme(4), ctl, mark: each modification to the body is undone individually",
    basis: Basis::Inferred,
    needs: Needs { undisturbed: true, ..Needs::NOTHING },
    false_positive: "a program started before whose output takes the place of text between two of the reads",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    let mut history = History::default();
    spans(&outcome.requests).iter().find_map(|span| {
        let (pane, act) = act(span);
        history.see(pane, act)
    })
}

/// What is known of one pane's text. What a shell prints is in it too: it comes at the end, when it
/// likes, and no Undo takes it back.
#[derive(Debug, Default)]
struct History<'a> {
    pane: Option<&'a str>,
    /// The text that was read last.
    now: Option<Bytes>,
    /// What was done since.
    since: Option<Act>,
    /// What Undo leads to, the nearest last; what was before these is not known.
    past: Vec<Past>,
    /// What Redo leads to, the nearest last.
    ahead: Vec<Bytes>,
    /// Whether nothing is ahead of these.
    nothing_more: bool,
    /// Whether each change is undone by itself.
    marked: bool,
}

#[derive(Debug)]
struct Past {
    text: Bytes,
    /// The text went in two steps, perhaps: Undo may lead to an empty one first.
    emptied: bool,
}

impl<'a> History<'a> {
    /// Takes the next act; gives how the rule broke, if it did.
    fn see(&mut self, pane: Option<&'a str>, act: Act) -> Option<Breach> {
        if act == Act::Look {
            return None;
        }
        if act == Act::Other || pane.is_none() || pane != self.pane {
            // Another pane may be a view of the same text.
            *self = History { pane, ..History::default() };
        }
        match act {
            Act::Look | Act::Other => None,
            Act::Mark => {
                self.marked = true;
                None
            }
            Act::Text(text) => {
                let before = self.now.replace(text.clone());
                let breach = match (before, self.since.take()) {
                    (Some(before), Some(act)) => self.moved(&before, act, &text),
                    (Some(before), None) => self.unmoved(&before, &text),
                    (None, _) => None,
                };
                breach.map(|(why, wanted)| breach_of(why, wanted.as_ref(), &text))
            }
            _ if self.since.is_some() || self.now.is_none() => {
                // Two acts with no text between.
                *self = History { pane, marked: self.marked, ..History::default() };
                None
            }
            act => {
                self.since = Some(act);
                None
            }
        }
    }

    /// The text was `before`, and is `after` the act.
    fn moved(&mut self, before: &Bytes, act: Act, after: &Bytes) -> Found {
        match act {
            Act::Change(change) => self.changed(before, change, after),
            Act::Undo(true) => self.undone(before, after),
            Act::Undo(false) => {
                // There was nothing, as far back as it is kept.
                self.forget();
                None
            }
            Act::Redo(done) => self.redone(before, done, after),
            _ => self.unmoved(before, after),
        }
    }

    fn changed(&mut self, before: &Bytes, change: Change, after: &Bytes) -> Found {
        let surely = match change {
            Change::Append | Change::Replace { rewritten: true } => after != before,
            // What is new may be a shell's.
            Change::Somewhere | Change::Replace { rewritten: false } => !goes_on(before, after),
        };
        if !surely {
            self.forget();
        } else if self.marked {
            let emptied = matches!(change, Change::Replace { .. });
            self.past.push(Past { text: before.clone(), emptied });
            self.ahead.clear();
            self.nothing_more = true;
        } else {
            // It may be undone together with those before it.
            self.forget();
        }
        None
    }

    fn undone(&mut self, before: &Bytes, after: &Bytes) -> Found {
        let Some(past) = self.past.pop() else {
            match goes_on(before, after) {
                // Perhaps nothing was taken back.
                true => self.forget(),
                false => self.ahead.push(before.clone()),
            }
            return None;
        };
        if after == before && !before.is_empty() {
            return Some(("Undo after a change left the text as it was", past.text));
        }
        if past.emptied && (past.text.is_empty() || after.is_empty() || after != &past.text) {
            let halfway = after.is_empty() && !past.text.is_empty();
            match halfway {
                true => {
                    self.past.push(Past { emptied: false, ..past });
                    self.ahead.push(before.clone());
                }
                // Which of the two steps, and what came since, cannot be told.
                false => self.forget(),
            }
            return None;
        }
        self.ahead.push(before.clone());
        (!goes_on(&past.text, after)).then_some(("Undo did not give the text before", past.text))
    }

    fn redone(&mut self, before: &Bytes, done: bool, after: &Bytes) -> Found {
        if !done && !self.ahead.is_empty() {
            self.forget();
            return None;
        }
        let Some(ahead) = self.ahead.pop() else {
            if self.nothing_more {
                let changed = !goes_on(before, after);
                return changed
                    .then(|| ("Redo after a change did something again", before.clone()));
            }
            match goes_on(before, after) {
                true => self.forget(),
                false => self.past.push(Past { text: before.clone(), emptied: false }),
            }
            return None;
        };
        if after == before {
            return Some(("Redo after Undo left the text as it was", ahead));
        }
        self.past.push(Past { text: before.clone(), emptied: false });
        (!goes_on(&ahead, after)).then_some(("Redo did not give the text before Undo", ahead))
    }

    /// Nothing was done, or what was refused.
    fn unmoved(&mut self, before: &Bytes, after: &Bytes) -> Found {
        if after != before {
            self.forget();
        }
        None
    }

    /// What leads where is no longer known.
    fn forget(&mut self) {
        (self.past, self.ahead, self.nothing_more) = (Vec::new(), Vec::new(), false);
    }
}

/// How it broke, and the text that was wanted.
type Found = Option<(&'static str, Bytes)>;

/// Whether `after` is `before`, perhaps with what a shell printed since.
fn goes_on(before: &Bytes, after: &Bytes) -> bool {
    after.starts_with(before)
}

fn breach_of(why: &str, wanted: &[u8], found: &[u8]) -> Breach {
    let detail =
        format!("wanted \"{}\", found \"{}\"", wanted.escape_ascii(), found.escape_ascii());
    Breach { why: why.into(), detail }
}

#[cfg(test)]
mod tests {
    use super::super::spans::made::{refused, text, write};
    use super::*;
    use crate::session::Asked;

    const BODY: &str = "/pane/3/body";
    const CTL: &str = "/pane/3/ctl";

    fn t(body: &str) -> Vec<Asked> {
        text(BODY, body.as_bytes())
    }

    fn ctl(line: &str) -> Vec<Asked> {
        write(CTL, &[line.as_bytes()], false)
    }

    fn edit() -> Vec<Asked> {
        ctl("Edit ,x/a/c/b/\n")
    }

    fn undo() -> Vec<Asked> {
        ctl("Undo\n")
    }

    fn redo() -> Vec<Asked> {
        ctl("Redo\n")
    }

    fn broken(requests: &[Vec<Asked>]) -> bool {
        let marked = [vec![ctl("mark\n")], requests.to_vec()].concat();
        check(&Outcome { requests: marked.concat(), ..Outcome::default() }).is_some()
    }

    #[test]
    fn undo_gives_the_text_before() {
        assert!(!broken(&[t("a"), edit(), t("b"), undo(), t("a")]));
        assert!(broken(&[t("aa"), edit(), t("bb"), undo(), t("ab")]));
        assert!(broken(&[t("a"), edit(), t("b"), undo(), t("b")]));
        assert!(!broken(&[t("a"), edit(), t("b"), undo(), t("a$ ")]), "a prompt");
        assert!(!broken(&[t("a"), edit(), t("b"), refused(CTL, b"Undo\n"), t("b")]));
        let twice =
            |last| [t("1"), edit(), t("2"), edit(), t("3"), undo(), t("2"), undo(), t(last)];
        assert!(!broken(&twice("1")));
        assert!(broken(&twice("0")));
        // Without a mark it may be undone together with what was before it.
        let unmarked = [t("a"), edit(), t("b"), undo(), t("0")].concat();
        assert!(check(&Outcome { requests: unmarked, ..Outcome::default() }).is_none());
    }

    #[test]
    fn redo_gives_the_text_before_undo() {
        assert!(!broken(&[t("b"), undo(), t("a"), redo(), t("b")]));
        assert!(broken(&[t("b"), undo(), t("a"), redo(), t("c")]));
        assert!(broken(&[t("b"), undo(), t("a"), redo(), t("a")]));
        assert!(!broken(&[t("b"), undo(), t("a"), redo(), t("b"), undo(), t("a")]));
        assert!(broken(&[t("b"), undo(), t("a"), redo(), t("b"), undo(), t("x")]));
        assert!(!broken(&[t("b"), undo(), t("b"), redo(), t("c")]), "nothing was undone");
    }

    #[test]
    fn a_change_leaves_nothing_to_redo() {
        let append = || write(BODY, &[b"x"], false);
        assert!(!broken(&[t("b"), undo(), t("a"), append(), t("ax"), redo(), t("ax")]));
        assert!(broken(&[t("b"), undo(), t("a"), append(), t("ax"), redo(), t("bx")]));
        let refused_redo = || refused(CTL, b"Redo\n");
        assert!(!broken(&[t("b"), undo(), t("a"), append(), t("ax"), refused_redo(), t("ax")]));
        assert!(!broken(&[t("b"), undo(), t("a"), append(), t("a"), redo(), t("b")]), "no change");
        assert!(!broken(&[t("b"), undo(), t("a"), edit(), t("a$ "), redo(), t("b$ ")]), "output");
    }

    #[test]
    fn a_text_replaced_goes_in_one_step_or_in_two() {
        let replace = || write(BODY, &[b"new"], true);
        let after = |rest: &[Vec<Asked>]| {
            broken(&[&[t("old"), replace(), t("new"), undo()], rest].concat())
        };
        assert!(!after(&[t("old")]));
        assert!(!after(&[t(""), undo(), t("old"), redo(), t(""), redo(), t("new")]));
        assert!(after(&[t("new")]));
        assert!(after(&[t(""), undo(), t("x")]));
    }

    #[test]
    fn what_else_was_done_ends_what_is_known() {
        let others = [
            ctl("Get\n"),
            write(BODY, &[b"x", b"y"], false),
            write("/pane/4/body", &[b"x"], false),
            edit(),
        ];
        for other in others {
            assert!(!broken(&[t("a"), edit(), t("b"), other.clone(), undo(), t("c")]), "{other:?}");
        }
        assert!(broken(&[t("a"), edit(), t("b"), t("b"), undo(), t("c")]));
        assert!(broken(&[
            t("a"),
            edit(),
            t("b"),
            refused(CTL, b"Edit d\n"),
            t("b"),
            undo(),
            t("c")
        ]));
        assert!(broken(&[t("a"), edit(), t("b"), text("/pane/3/tag", b""), undo(), t("c")]));
    }
}
