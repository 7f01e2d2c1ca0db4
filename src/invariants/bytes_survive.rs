//! What a file holds, or a client writes, its pane shows: CRLF, bytes that are no UTF-8, all of it.

use super::spans::{Span, TEXT_BYTES, is_done, joined, spans};
use super::{Basis, Breach, Invariant};
use crate::session::{Needs, Opened, Outcome};

/// The body of a pane that a look has just opened is the file, and of one that was emptied and
/// written what was written, byte for byte.
pub const INVARIANT: Invariant = Invariant {
    name: "bytes_survive",
    cites: "acme(4), body: holds the contents of the window body, which a look has just read from the file, or a client written",
    basis: Basis::Inferred,
    needs: Needs { opened: true, undisturbed: true, ..Needs::NOTHING },
    false_positive: "a file that changed on disk between the look and the read",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    let spans = spans(&outcome.requests);
    opened(outcome).or_else(|| spans.windows(2).find_map(written))
}

fn opened(outcome: &Outcome) -> Option<Breach> {
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

/// A body written in the place of another, in however many pieces, then read.
fn written(two: &[Span<'_>]) -> Option<Breach> {
    let [write, read] = two else { return None };
    let (pane, file) = write.pane_file()?;
    if file != "body" || read.pane_file() != Some((pane, file)) || !write.truncates() {
        return None;
    }
    let pieces = write.writes().filter(|pieces| pieces.iter().all(is_done))?;
    let sent = joined(pieces);
    let body = read.whole_text().filter(|body| body.len() < TEXT_BYTES)?;
    (!is_within(&sent, &body)).then(|| Breach {
        why: "a body is not what was just written".into(),
        detail: format!(
            "{pane}: \"{}\" in {} pieces, read as \"{}\"",
            sent.escape_ascii(),
            pieces.len(),
            body.escape_ascii()
        ),
    })
}

/// Whether `body` has the bytes of `sent` in their order. More may be among them: a shell's output
/// comes when it likes, and nothing here tells whether the pane has a shell.
fn is_within(sent: &[u8], body: &[u8]) -> bool {
    let mut rest = body.iter();
    sent.iter().all(|byte| rest.any(|other| other == byte))
}

#[cfg(test)]
mod tests {
    use super::super::spans::made::{refused, text, write};
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let seen = |requests: [Vec<crate::session::Asked>; 2]| {
            check(&Outcome { requests: requests.concat(), ..Outcome::default() }).is_some()
        };
        let body = "/pane/3/body";
        let kept =
            |pieces: &[&[u8]], found: &[u8]| seen([write(body, pieces, true), text(body, found)]);
        assert!(!kept(&[b"a\xe6", b"\x97\xa5\r\n"], "a日\r\n".as_bytes()));
        assert!(kept(&[b"a\xe6", b"\x97\xa5"], b"a\xef\xbf\xbd\x97\xa5"));
        assert!(kept(&[b"a\r\n"], b"a\n"));
        assert!(kept(&[b"a"], b""));
        assert!(!kept(&[b"one", b"two"], b"$ onetwo$ "), "a shell's prompt");
        assert!(!kept(&[], b""));
        assert!(!seen([write(body, &[b"a"], false), text(body, b"")]), "nothing was emptied");
        assert!(!seen([write(body, &[b"a"], true), text("/pane/4/body", b"")]));
        assert!(!seen([refused(body, b"a"), text(body, b"")]));
    }

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
