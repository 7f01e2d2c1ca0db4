//! What a file holds, its pane shows: CRLF, bytes that are no UTF-8, all of it.

use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Opened, Outcome};

/// The body of a pane that a look has just opened is the file, byte for byte.
pub const INVARIANT: Invariant = Invariant {
    name: "bytes_survive",
    cites: "acme(4), body: holds the contents of the window body, which a look has just read from the file",
    basis: Basis::Inferred,
    needs: Needs { opened: true, ..Needs::NOTHING },
    false_positive: "a file that changed on disk between the look and the read",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    let Opened { name, file, body } = outcome.opened.as_ref()?;
    (file != body).then(|| Breach {
        why: "a body is not the file that was just opened".into(),
        detail: format!(
            "{name}: \"{}\", shown as \"{}\"",
            file.escape_ascii(),
            body.escape_ascii()
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_counts() {
        let check = |body: &'static [u8]| {
            let file = b"one\r\n\xff"[..].into();
            let opened = Some(Opened { name: "f".into(), file, body: body.into() });
            check(&Outcome { opened, ..Outcome::default() }).is_some()
        };
        assert!(!check(b"one\r\n\xff"));
        assert!(check(b"one\n\xff"));
        assert!(check("one\r\n\u{fffd}".as_bytes()));
    }
}
