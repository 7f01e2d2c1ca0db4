//! What one client alone may have at a time is free again once that client has closed it.

use super::{Basis, Breach, Invariant};
use crate::session::{Exclusive, Freed, Needs, Outcome};

/// An event file whose only open was closed can be opened again, and a pane that a fid of its `ctl`
/// had locked can be locked again once that fid is clunked: at once, or a while later.
pub const INVARIANT: Invariant = Invariant {
    name: "what_was_held_is_free",
    cites: "acme(4), event: one client at a time; ctl, lock: until unlock, or until the fid that locked is closed",
    basis: Basis::Inferred,
    needs: Needs { held: true, log: true, ..Needs::NOTHING },
    false_positive: "a program that runs in the session and reads the pane's events, or locks it",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    let kept = |freed: &&Freed| freed.refused.is_some();
    let Freed { what, pane, refused } = outcome.freed.iter().find(kept)?;
    Some(Breach {
        why: match what {
            Exclusive::Event => "an event file is in use although it was closed".into(),
            Exclusive::Lock => "a pane is locked although the fid that locked it is gone".into(),
        },
        detail: format!("pane {pane}: {}", refused.as_deref().unwrap_or_default()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_kept_breaks_it() {
        let freed = |what, refused: Option<&str>| Freed {
            what,
            pane: 3,
            refused: refused.map(str::to_owned),
        };
        let check = |freed: &[Freed]| {
            check(&Outcome { freed: freed.to_vec(), ..Outcome::default() }).map(|breach| breach.why)
        };
        let (event, lock) = (freed(Exclusive::Event, None), freed(Exclusive::Lock, None));
        assert_eq!(check(&[]), None);
        assert_eq!(check(&[event.clone(), lock.clone()]), None);
        let kept = freed(Exclusive::Lock, Some("pane is locked"));
        assert!(check(&[event, kept]).unwrap().contains("locked"));
        let kept = freed(Exclusive::Event, Some("file in use"));
        assert!(check(&[lock, kept]).unwrap().contains("in use"));
    }
}
