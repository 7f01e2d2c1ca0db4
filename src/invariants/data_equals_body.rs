//! What data and xdata give is the body from the address on.

use std::ops::RangeInclusive;

use bytes::Bytes;

use super::spans::{Span, TEXT_BYTES, is_done, joined, spans};
use super::{Basis, Breach, Invariant};
use crate::session::{Addresses, Asked, Needs, Outcome};

/// Whoever reads addr, then data or xdata, then the body, reads one text.
pub const INVARIANT: Invariant = Invariant {
    name: "data_equals_body",
    cites: "acme(4), data: the contents of the body from the address on; xdata: they stop at the address's end",
    basis: Basis::Inferred,
    needs: Needs { undisturbed: true, ..Needs::NOTHING },
    false_positive: "a program started before whose output takes the place of text between two of the reads",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    let spans = spans(&outcome.requests);
    spans.windows(3).find_map(|three| Some(Seen::of(three)?.breach()).flatten())
}

/// What was read one after the other.
struct Seen<'a> {
    /// The address, in runes.
    addr: (usize, usize),
    /// Whether reads stop at the address's end.
    stops: bool,
    reads: &'a [Asked],
    body: Bytes,
}

impl<'a> Seen<'a> {
    fn of(three: &[Span<'a>]) -> Option<Seen<'a>> {
        let [addr, data, body] = three else { return None };
        let (pane, file) = data.pane_file()?;
        let same = addr.pane_file() == Some((pane, "addr"))
            && body.pane_file() == Some((pane, "body"))
            && matches!(file, "data" | "xdata");
        let told = addr.whole_text().filter(|_| same)?;
        let (q0, q1) = Addresses::parse(std::str::from_utf8(&told).ok()?)?;
        let addr = (usize::try_from(q0).ok()?, usize::try_from(q1).ok()?);
        let reads = data.reads().filter(|reads| reads.first().is_some_and(|r| r.offset == 0))?;
        let body = body.whole_text().filter(|body| body.len() < TEXT_BYTES)?;
        Some(Seen { addr, stops: file == "xdata", reads, body })
    }

    fn breach(&self) -> Option<Breach> {
        let runes = runes(&self.body);
        let (q0, q1) = self.addr;
        // An address beyond the body is another rule's affair.
        let place = |q| place(&runes, self.body.len(), q);
        let (mut from, to) = (place(q0)?, place(q1)?);
        let done = self.reads.iter().take_while(|read| is_done(read)).count();
        let reads = &self.reads[..done];
        let fits = from.any(|start| self.fits(start, &to, reads, &runes));
        (!fits).then(|| Breach {
            why: match self.stops {
                true => "xdata gave what the body does not have between the addresses".into(),
                false => "data gave what the body does not have from the address on".into(),
            },
            detail: format!(
                "#{q0},#{q1} gave \"{}\" of \"{}\"",
                joined(reads).escape_ascii(),
                self.body.escape_ascii()
            ),
        })
    }

    /// Whether the reads gave the body from the byte `start` on.
    fn fits(
        &self,
        start: usize,
        to: &RangeInclusive<usize>,
        reads: &[Asked],
        runes: &[usize],
    ) -> bool {
        let mut at = start;
        for read in reads {
            if read.data.is_empty() && read.count > 0 {
                // What comes at the end of all the text may have come since.
                return !self.stops || at >= *to.start();
            }
            if !self.body[at..].starts_with(&read.data) {
                return false;
            }
            at += read.data.len();
            if self.stops && at > *to.end() {
                return false;
            }
            if at < self.body.len() && runes.binary_search(&at).is_err() {
                // Cut inside a rune: how it goes on from there nothing says.
                return true;
            }
        }
        true
    }
}

/// Where each rune begins; a byte that is no UTF-8 is one of its own.
fn runes(body: &[u8]) -> Vec<usize> {
    let mut runes = Vec::with_capacity(body.len());
    let mut at = 0;
    for chunk in body.utf8_chunks() {
        runes.extend(chunk.valid().char_indices().map(|(byte, _)| at + byte));
        at += chunk.valid().len();
        runes.extend(at..at + chunk.invalid().len());
        at += chunk.invalid().len();
    }
    runes
}

/// Between which bytes the rune `q` begins; none if it is beyond the text. Bytes that came one by
/// one, each a rune then, may make a rune together by now: that far back it may begin.
fn place(runes: &[usize], bytes: usize, q: usize) -> Option<RangeInclusive<usize>> {
    (q <= bytes).then(|| q..=runes.get(q).copied().unwrap_or(bytes))
}

#[cfg(test)]
mod tests {
    use super::super::spans::made::{read, text, write};
    use super::*;

    fn check(file: &str, addr: &[u8], pieces: &[&[u8]], body: &[u8]) -> bool {
        let path = |file: &str| format!("/pane/3/{file}");
        let requests = [
            write(&path("addr"), &[b","], false),
            text(&path("addr"), addr),
            read(&path(file), pieces),
            text(&path("body"), body),
        ];
        super::check(&Outcome { requests: requests.concat(), ..Outcome::default() }).is_some()
    }

    #[test]
    fn xdata_gives_what_is_between() {
        let xdata = |pieces: &[&[u8]]| check("xdata", b"#1,#4\n", pieces, b"abcdef");
        assert!(!xdata(&[b"bcd", b""]));
        assert!(!xdata(&[b"b", b"cd"]));
        assert!(!xdata(&[b"bc"]), "no end was seen");
        assert!(xdata(&[b"bcde", b""]));
        assert!(xdata(&[b"bc", b""]));
        assert!(xdata(&[b"b", b"d", b""]));
        assert!(xdata(&[b"abc"]));
    }

    #[test]
    fn data_goes_on_to_the_end() {
        let data = |pieces: &[&[u8]]| check("data", b"#1\n", pieces, b"abcdef");
        assert!(!data(&[b"bcdef", b""]));
        assert!(!data(&[b"bc", b"de"]));
        assert!(!data(&[b"bcde", b""]), "the rest came since");
        assert!(data(&[b"bc", b"ef"]));
        assert!(data(&[b"cdef"]));
    }

    #[test]
    fn offsets_are_in_runes() {
        let body = "日本語日本語".as_bytes();
        let data = |pieces: &[&str]| {
            let pieces: Vec<&[u8]> = pieces.iter().map(|piece| piece.as_bytes()).collect();
            check("data", b"#1\n", &pieces, body)
        };
        assert!(!data(&["本語", "日"]));
        assert!(data(&["本", "日"]));
        assert!(data(&["語日"]));
        assert!(!check("data", b"#1\n", &[b"\xff\xc3", b"\xa9"], b"\xfe\xff\xc3\xa9"));
        assert!(!check("data", b"#0\n", &[b"\xe6\x97", b"x"], body), "cut inside a rune");
        assert!(!check("xdata", b"#1,#2\n", &[b"\x97", b""], body), "it came in three pieces");
    }

    #[test]
    fn what_is_not_known_is_not_judged() {
        assert!(!check("data", b"1,2\n", &[b"x"], b"abc"));
        assert!(!check("data", b"#9\n", &[b"x"], b"abc"));
        assert!(!check("dot", b"#0\n", &[b"x"], b"abc"));
        assert!(!check("data", b"#0\n", &[b"x"], &b"a".repeat(TEXT_BYTES)));
    }
}
