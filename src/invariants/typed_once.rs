//! What is typed to a shell arrives once.

use super::typed_lines::{Line, lines};
use super::{Basis, Breach, Invariant};
use crate::session::{Heard, Needs, Outcome};

/// The word of an `echo` is printed at most as often as it was ever typed to that pane. What is
/// echoed before it runs is told by the `echo` in front, and broken echoes are allowed for: as often
/// again by the terminal and by a shell's own line editor.
pub const INVARIANT: Invariant = Invariant {
    name: "typed_once",
    cites: "pardes's tree: pty/data types bytes, pty/run runs a line",
    basis: Basis::Inferred,
    needs: Needs { undisturbed: true, ..Needs::NOTHING },
    false_positive: "a shell that was told by another way, or told to repeat what it ran",
    check,
};

/// A word of which no other is a part by chance is at least so long, in bytes.
const WORD_BYTES: usize = 16;
/// How often a word is seen for each time that it was typed: twice echoed and once printed.
const SEEN_FOR_ONE: usize = 3;

fn check(outcome: &Outcome) -> Option<Breach> {
    outcome.heard.iter().find_map(repeated)
}

fn repeated(heard: &Heard) -> Option<Breach> {
    let typed = heard.typed.as_ref()?;
    let lines = lines(typed)?;
    let words = lines.iter().filter_map(|line| match line {
        Line::Echo(word) if word.len() >= WORD_BYTES => Some(*word),
        _ => None,
    });
    words.into_iter().find_map(|word| {
        let (typed, seen) = (count(typed, word), count(&heard.data, word));
        let printed = heard.data.split(|&byte| byte == b'\n').filter(|line| prints(line, word));
        let printed = printed.count();
        (printed > typed && seen > SEEN_FOR_ONE * typed).then(|| Breach {
            why: "a line that was typed ran more often than it was typed".into(),
            detail: format!(
                "open {} of {}: \"{}\" was typed {typed} times, printed {printed} times and seen {seen} times",
                heard.open,
                heard.path,
                word.escape_ascii()
            ),
        })
    })
}

/// Whether `line` ends in `word`, perhaps after a prompt, and is no echo of the command.
fn prints(line: &[u8], word: &[u8]) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.strip_suffix(word).is_some_and(|before| !before.ends_with(b"echo "))
}

/// How often `word` is in `text`.
fn count(text: &[u8], word: &[u8]) -> usize {
    text.windows(word.len()).filter(|part| *part == word).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn breach(typed: Option<&'static str>, data: &'static str) -> bool {
        let heard = Heard {
            path: "/pane/3/pty/data".into(),
            open: 4,
            data: data.into(),
            after_end: Bytes::new(),
            alone: false,
            typed: typed.map(|typed| typed.into()),
        };
        check(&Outcome { heard: vec![heard], ..Outcome::default() }).is_some()
    }

    const TYPED: Option<&str> = Some("echo 912345abcdefghij9\n");
    const TWICE: &str = "echo 912345abcdefghij9\r\necho 912345abcdefghij9\r\n$ 912345abcdefghij9\r\n$ 912345abcdefghij9\r\n$ ";

    #[test]
    fn a_line_that_ran_twice_is_found() {
        assert!(breach(TYPED, TWICE));
        assert!(!breach(TYPED, "$ echo 912345abcdefghij9\r\n912345abcdefghij9\r\n$ "));
        let twice = Some("echo 912345abcdefghij9\nexit\necho 912345abcdefghij9\n");
        assert!(!breach(twice, TWICE));
    }

    #[test]
    fn echoes_are_allowed_for() {
        // By the terminal, broken by output, and by a line editor.
        let broken =
            "echo 17\r\n912345abcdefghij9\r\n$ echo 912345abcdefghij9\r\n912345abcdefghij9\r\n";
        assert!(!breach(TYPED, broken));
        // By cat in the foreground.
        let cat = "echo 912345abcdefghij9\r\n".repeat(4);
        assert!(!breach(Some("cat\necho 912345abcdefghij9\n"), cat.leak()));
    }

    #[test]
    fn where_it_cannot_be_known_nothing_is_claimed() {
        assert!(!breach(None, TWICE));
        assert!(!breach(Some("fc -s\necho 912345abcdefghij9\n"), TWICE));
        assert!(!breach(Some("echo ab\n"), "ab\r\nab\r\nab\r\nab\r\n"));
    }
}
