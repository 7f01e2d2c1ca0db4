//! A pane's shell, and what it started, ends when the pane is closed.

use super::{Basis, Breach, Invariant};
use crate::session::{EndedShell, Needs, Outcome};

/// When a step has closed a pane in which a shell ran, no process of the shell's session is alive a
/// while later; what only waits to be reaped is not.
pub const INVARIANT: Invariant = Invariant {
    name: "shells_end_with_their_pane",
    cites: "acme(1), Del: the commands of a window that is gone have no place to print to; closing a terminal ends what runs on it",
    basis: Basis::Inferred,
    needs: Needs { shells: true, undisturbed: true, ..Needs::NOTHING },
    false_positive: "a shell that is meant to outlive its pane, or a machine on which a kill takes seconds",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    let outlived = |ended: &&EndedShell| !ended.alive.is_empty();
    let EndedShell { pane, shell, alive } = outcome.ended_shells.iter().find(outlived)?;
    let itself = alive.contains(shell);
    Some(Breach {
        why: match itself {
            true => "a shell is alive after its pane was closed".into(),
            false => "what a shell started is alive after its pane was closed".into(),
        },
        detail: format!("pane {pane}, shell {shell}, alive {alive:?}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_alive_breaks_it() {
        let check = |shells: &[(i32, &[i32])]| {
            let ended = |&(shell, alive): &(i32, &[i32])| EndedShell {
                pane: 3,
                shell,
                alive: alive.to_vec(),
            };
            let ended_shells = shells.iter().map(ended).collect();
            check(&Outcome { ended_shells, ..Outcome::default() }).map(|breach| breach.why)
        };
        assert_eq!(check(&[]), None);
        assert_eq!(check(&[(70, &[]), (80, &[])]), None);
        assert!(check(&[(70, &[]), (80, &[80, 81])]).unwrap().starts_with("a shell"));
        assert!(check(&[(70, &[71])]).unwrap().starts_with("what a shell"));
    }
}
