//! The log of one step: the records between two markers, and how often each was said.

use once_cell::sync::Lazy;
use regex::Regex;

/// The control word of the `number`-th marker. It is unknown to any server, so writing it to `/ctl`
/// is refused, and the refusal is logged with the word in it.
pub fn marker(number: u64) -> String {
    format!("m9p-mark-{number}")
}

/// What lies between the last line that holds `from` and the last that holds `to`, or why that
/// cannot be told. No `from` (the first step), or one that the ring has moved past: no claim.
pub fn between(
    lines: &[String],
    from: Option<&str>,
    to: &str,
) -> Result<Option<Vec<String>>, String> {
    let last = |word: &str, lines: &[String]| {
        let quoted = format!("\"{word}\"");
        lines.iter().rposition(|line| line.contains(&quoted))
    };
    let Some(end) = last(to, lines) else {
        return Err("marker record missing from /log".into());
    };
    let Some(start) = from.and_then(|from| last(from, &lines[..end])) else { return Ok(None) };
    Ok(Some(lines[start + 1..end].to_vec()))
}

static COUNTED: Lazy<Regex> = Lazy::new(|| Regex::new(r"^(.*) \(x(\d+)\)$").expect("a constant"));

/// Every saying of a record that begins with `kind` and a space. A record said again is counted,
/// ` (xN)`, in place in the log, while a follower sees each count as a line of its own: both give
/// the same here.
pub fn occurrences(lines: &[String], kind: &str) -> Vec<String> {
    let of_kind = |line: &str| line.strip_prefix(kind).is_some_and(|rest| rest.starts_with(' '));
    expand(lines).into_iter().filter(|line| of_kind(line)).collect()
}

/// Every saying of every record, in order, without the counts.
pub fn expand(lines: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    let mut last: Option<(&str, u64)> = None;
    for line in lines {
        let (text, count) = said(line);
        let before = last.filter(|(before, _)| *before == text).map_or(0, |(_, count)| count);
        // A hostile count must not become a hostile allocation.
        let more = count.saturating_sub(before).min(SAYINGS.saturating_sub(all.len() as u64));
        all.extend((0..more).map(|_| text.to_owned()));
        last = Some((text, count));
    }
    all
}

/// The most sayings that are told apart; a step with more has failed whatever the rule.
const SAYINGS: u64 = 100_000;

fn said(line: &str) -> (&str, u64) {
    let counted = COUNTED.captures(line).and_then(|captures| {
        let count = captures.get(2)?.as_str().parse().ok()?;
        Some((captures.get(1)?.as_str(), count))
    });
    counted.unwrap_or((line, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn counts_mean_the_same_in_the_window_and_to_a_follower() {
        let ring = lines("msg 1 a\nerr - ctl: no (x3)\nmsg 1 b");
        let followed =
            lines("msg 1 a\nerr - ctl: no\nerr - ctl: no (x2)\nerr - ctl: no (x3)\nmsg 1 b");
        assert_eq!(occurrences(&ring, "err"), vec!["err - ctl: no"; 3]);
        assert_eq!(occurrences(&followed, "err"), vec!["err - ctl: no"; 3]);
        assert_eq!(occurrences(&ring, "msg"), ["msg 1 a", "msg 1 b"]);
    }

    #[test]
    fn a_record_said_again_later_counts_anew() {
        let split = lines("err a\nmsg x\nerr a\nerr b (x2)\nerr b");
        assert_eq!(occurrences(&split, "err"), ["err a", "err a", "err b", "err b"]);
        assert_eq!(occurrences(&lines("errant 1\nerr"), "err"), Vec::<String>::new());
        assert_eq!(occurrences(&lines("err a (x18446744073709551616)"), "err").len(), 1);
        let hostile = "err a (x18446744073709551615)\nerr b (x99999)\n".repeat(50);
        assert_eq!(occurrences(&lines(&hostile), "err").len(), 100_000);
    }

    #[test]
    fn the_window_lies_between_the_markers() {
        let log = lines("err - ctl: \"m9p-mark-1\"\nmsg 1 a\nerr - ctl: \"m9p-mark-2\"\nmsg late");
        assert_eq!(between(&log, Some("m9p-mark-1"), "m9p-mark-2"), Ok(Some(lines("msg 1 a"))));
        assert_eq!(between(&log, None, "m9p-mark-2"), Ok(None));
        assert_eq!(between(&log, Some("m9p-mark-0"), "m9p-mark-2"), Ok(None));
        assert!(between(&log, Some("m9p-mark-1"), "m9p-mark-3").is_err());
        // One marker's word may begin another's: the quotes tell them apart.
        let log = lines("err \"m9p-mark-1\"\nx\nerr \"m9p-mark-10\"");
        assert_eq!(between(&log, Some("m9p-mark-1"), "m9p-mark-10"), Ok(Some(lines("x"))));
    }
}
