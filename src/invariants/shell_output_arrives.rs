//! What a shell prints arrives whole and in order.

use super::typed_lines::{Line, lines, number, output_bytes};
use super::{Basis, Breach, Invariant};
use crate::session::{Heard, Needs, Outcome};

/// Of the numbers that one `seq` printed, none is missing between two that were heard. Each must be
/// the only source of its numbers; then whatever else is printed or echoed in between, all the
/// digits and ends of lines that are missing must be found there in order.
pub const INVARIANT: Invariant = Invariant {
    name: "shell_output_arrives",
    cites: "pardes's tree: what a shell prints is read from pty/data and pty/run",
    basis: Basis::Inferred,
    needs: Needs { undisturbed: true, ..Needs::NOTHING },
    false_positive: "output thrown away by the terminal, at a signal that was not sent by the file of that name; a shell reached by a way that is not looked at",
    check,
};

/// A server may drop output that nobody reads; all of it is kept as long as it is no more than this,
/// in bytes.
const SURELY_KEPT_BYTES: u64 = 64 << 10;

fn check(outcome: &Outcome) -> Option<Breach> {
    outcome.heard.iter().find_map(missing)
}

fn missing(heard: &Heard) -> Option<Breach> {
    let typed = heard.typed.as_ref().filter(|_| heard.alone)?;
    let lines = lines(typed)?;
    let echoed = typed.len() as u64 * 2;
    if output_bytes(&lines).saturating_add(echoed) > SURELY_KEPT_BYTES {
        return None;
    }
    let runs = lines.iter().enumerate().filter_map(|(at, line)| match *line {
        Line::Numbers(first, last) if is_only(&lines, at, first, last) => Some((first, last)),
        _ => None,
    });
    runs.filter(|(first, last)| first.to_string().len() == last.to_string().len())
        .find_map(|(first, last)| gap(&heard.data, first, last))
        .map(|(before, after)| Breach {
            why: "a line of a shell's output is missing or broken".into(),
            detail: format!("open {} of {}: {before}, then {after}", heard.open, heard.path),
        })
}

/// Whether nothing but the line at `at` prints a number from `first` to `last` on a line of its own.
fn is_only(lines: &[Line<'_>], at: usize, first: u64, last: u64) -> bool {
    lines.iter().enumerate().filter(|(other, _)| *other != at).all(|(_, line)| match *line {
        Line::Numbers(from, to) => to < first || from > last,
        Line::Echo(word) => number(word).is_none_or(|n| n < first || n > last),
        Line::Plain => true,
    })
}

/// Two numbers, each heard as a whole line, between which those that are missing cannot have been
/// printed. All have as many digits: no number becomes another by what is printed or echoed into it.
fn gap(heard: &[u8], first: u64, last: u64) -> Option<(u64, u64)> {
    let mut before: Option<(u64, usize)> = None;
    let mut start = heard.iter().position(|&byte| byte == b'\n')? + 1;
    while let Some(length) = heard[start..].iter().position(|&byte| byte == b'\n') {
        let line = &heard[start..start + length];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let next = start + length + 1;
        if let Some(n) = number(line).filter(|n| (first..=last).contains(n)) {
            if let Some((m, end)) = before
                && n > m
                && !has_all(&heard[end..start], m + 1..n)
            {
                return Some((m, n));
            }
            before = Some((n, next));
        }
        start = next;
    }
    None
}

/// Whether the numbers could have been printed there, each with the end of its line, among whatever
/// else.
fn has_all(between: &[u8], numbers: std::ops::Range<u64>) -> bool {
    let mut bytes = between.iter();
    numbers.into_iter().all(|n| format!("{n}\n").bytes().all(|wanted| bytes.any(|&b| b == wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn heard(typed: Option<&'static str>, data: &'static str) -> Heard {
        Heard {
            path: "/pane/3/pty/data".into(),
            open: 4,
            data: data.into(),
            after_end: Bytes::new(),
            alone: true,
            typed: typed.map(|typed| typed.into()),
        }
    }

    fn breach(typed: &'static str, data: &'static str) -> bool {
        let heard = vec![heard(Some(typed), data)];
        check(&Outcome { heard, ..Outcome::default() }).is_some()
    }

    #[test]
    fn a_number_that_is_missing_or_broken_between_two_is_found() {
        let seq = "seq 1000 1005\n";
        assert!(!breach(seq, "seq 1000 1005\r\n1000\r\n1001\r\n1002\r\n1003\r\n"));
        assert!(breach(seq, "seq 1000 1005\r\n1000\r\n101\r\n1002\r\n1003\r\n"));
        assert!(breach(seq, "$ \r\n1000\r\n1001\r1002\r\n1003\r\n"));
        assert!(breach(seq, "$ \r\n1000\r\n1003\r\n"));
        assert!(breach(seq, "$ \r\n1001\n1003\n"));
        // Nothing heard after it, or before it; the end of an earlier time; an end of line that is
        // only half there.
        assert!(!breach(seq, "$ \r\n1000\r\n101"));
        assert!(!breach(seq, "01\r\n1002\r\n1003\r\n"));
        assert!(!breach(seq, "$ \r\n1004\r\n1001\r\n1002\r\n"));
        assert!(!breach(seq, "$ \r\n1000\n1001\r\n1002\r\n"));
    }

    #[test]
    fn what_comes_in_between_is_allowed() {
        let seq = "seq 1000 1005\nexit\n";
        assert!(!breach(seq, "\n1000\r\n10exit\r\n01\r\n1002\r\n"));
        assert!(!breach(seq, "\n1000\r\n1001exit\r\n\r\n1002\r\n"));
        assert!(!breach(seq, "\n1000\r\n[1] done\r\n1001\r\n1002\r\n"));
    }

    #[test]
    fn where_it_cannot_be_known_nothing_is_claimed() {
        let gap = "\n1000\r\n1003\r\n";
        assert!(breach("seq 1000 1005\n", gap));
        for other in [
            "seq 1000 1005\nseq 1 2000\n",
            "seq 1000 1005\nseq 1003 1003\n",
            "seq 1000 1005\nseq 1000 1005\n",
            "seq 1000 1005\necho 1003\n",
            "seq 1000 1005\nls\n",
            "seq 998 1005\n",
            "seq 1000 1005\nseq 5000 9999\nseq 10000 19999\n",
            "echo hi\n",
        ] {
            assert!(!breach(other, gap), "{other:?}");
        }
        let claims = |heard| check(&Outcome { heard: vec![heard], ..Outcome::default() }).is_some();
        assert!(!claims(heard(None, gap)));
        assert!(!claims(Heard { alone: false, ..heard(Some("seq 1000 1005\n"), gap) }));
        assert!(breach("seq 1000 1005\nseq 2000 2005\n", gap));
    }
}
