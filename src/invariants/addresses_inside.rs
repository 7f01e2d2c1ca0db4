//! A pane's addresses lie in its body, their ends in order.

use super::{Basis, Breach, Invariant};
use crate::session::{Addresses, Needs, Outcome};

/// `addr`, `dot` and `limit` read `#m` or `#m,#n` with 0 ≤ m ≤ n ≤ the body's length, in bytes: how
/// many runes those are that are not ASCII cannot be told from reading them.
pub const INVARIANT: Invariant = Invariant {
    name: "addresses_inside",
    cites: "acme(4), addr: #m,#n where m and n are character offsets",
    basis: Basis::Inferred,
    needs: Needs { addresses: true, undisturbed: true, ..Needs::NOTHING },
    false_positive: "a body that grows shorter by itself between the reads, twice in a row",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    let Addresses { pane, most_runes, files } = outcome.addresses.as_ref()?;
    files.iter().find_map(|(file, text)| {
        let why = match Addresses::parse(text) {
            None => format!("{file} does not read as an address"),
            Some((q0, q1)) if q0 > q1 => format!("{file} ends before it begins"),
            Some((_, q1)) if q1 > *most_runes => format!("{file} ends beyond the body"),
            Some(_) => return None,
        };
        Some(Breach {
            why,
            detail: format!("{pane}/{file}: {text:?}, the body has {most_runes} bytes"),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_in_order_and_inside() {
        let why = |text: &str| {
            let files = vec![("addr", text.to_owned())];
            let addresses = Some(Addresses { pane: "/pane/3".into(), most_runes: 10, files });
            check(&Outcome { addresses, ..Outcome::default() }).map(|breach| breach.why)
        };
        for sound in ["#0,#10\n", "#0", "#10", "#3,#3"] {
            assert_eq!(why(sound), None, "{sound}");
        }
        for (broken, want) in [
            ("#4,#3\n", "before"),
            ("#0,#11\n", "beyond"),
            ("#11\n", "beyond"),
            ("3", "read"),
            ("", "read"),
            ("#-1", "read"),
        ] {
            assert!(why(broken).unwrap().contains(want), "{broken}");
        }
    }
}
