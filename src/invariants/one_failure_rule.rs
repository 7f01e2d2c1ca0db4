//! A write fails whenever what it asked for fails, and its reason is logged exactly once.

use super::{Basis, Breach, Invariant, LINE_FILES, last_element};
use crate::session::log::occurrences;
use crate::session::{Answered, Asked, Needs, Outcome, Sent, What};
use crate::target::file_kind;

/// The rule names writes, `/pane/new`'s open and truncations; opens, removes and creates may log or
/// not. A look that finds nothing is no failure and logs an `err` a line; what a close runs fails in
/// the log alone.
pub const INVARIANT: Invariant = Invariant {
    name: "one_failure_rule",
    cites: "pardes fs.md, \"One rule for what fails\" (the script's one_failure_rule)",
    basis: Basis::Documented,
    needs: Needs { log: true, ..Needs::NOTHING },
    false_positive: "a record of something that happened by itself, a shell's end say, in the window of a step that had nothing to do with it",
    check,
};

fn check(outcome: &Outcome) -> Option<Breach> {
    let window = outcome.window.as_ref()?;
    let failed: Vec<&Asked> = outcome
        .requests
        .iter()
        .filter(|asked| asked.refused().is_some())
        .filter(|asked| matches!(asked.what, What::Write | What::ClunkWrite | What::OpenNew))
        .collect();
    let errs = occurrences(window, "err");
    let msgs = occurrences(window, "msg");
    let least = failed.len();
    let most = least + allowed(outcome, &failed);
    let shown = || format!("failed: {}; log: {window:?}", list(&failed));
    let files = files(&failed);
    if !(least..=most).contains(&errs.len()) {
        let count = errs.len();
        return Some(Breach {
            why: format!(
                "{least} failed writes logged {count} err records, not {least} to {most}{files}"
            ),
            detail: shown(),
        });
    }
    (least > 0 && !msgs.is_empty() && !another_ran(outcome)).then(|| Breach {
        why: format!("a failed write logged a msg as well{files}"),
        detail: shown(),
    })
}

/// Whether a command of the step ran that a failed write is not to blame for: a write that was taken
/// ended its line, or a close ran what was left. What that logs is its own affair.
fn another_ran(outcome: &Outcome) -> bool {
    let runs = |path: &str| {
        let file = last_element(path);
        LINE_FILES.contains(&file) || file == "event"
    };
    outcome.requests.iter().filter(|asked| runs(&asked.path)).any(|asked| {
        let ended = asked.what == What::Write && asked.data.contains(&b'\n');
        let left = || outcome.sent.iter().any(|sent| sent.open == asked.open && sent.left_at_close);
        asked.answer == Answered::Done && (ended || asked.what == What::ClunkWrite && left())
    })
}

/// Records beyond one a failed write that a step may have caused.
fn allowed(outcome: &Outcome, failed: &[&Asked]) -> usize {
    let taken = |sent: &&Sent| failed.iter().all(|asked| asked.open != sent.open);
    let looks: usize =
        outcome.sent.iter().filter(taken).map(|sent| looks_allowed(&sent.path, &sent.data)).sum();
    // Only files of command lines run what is left; another that fails at its close is the matter of
    // close_runs_only_line_files.
    let runs = |sent: &&Sent| sent.left_at_close && LINE_FILES.contains(&last_element(&sent.path));
    let closes = outcome.sent.iter().filter(runs).count();
    let unnamed =
        outcome.requests.iter().filter(|asked| asked.refused().is_some() && unnamed(asked));
    looks + closes + unnamed.count()
}

/// A refusal that the rule does not name.
fn unnamed(asked: &Asked) -> bool {
    match asked.what {
        // `/pane/new` opened for reading is `OpenNew`; whether the rule means its other opens too is
        // not said.
        What::Remove | What::Create | What::Truncate | What::Open => true,
        _ => false,
    }
}

/// The most `err` records that a write which succeeds may log.
fn looks_allowed(path: &str, data: &[u8]) -> usize {
    let file = last_element(path);
    // What is unended in a file of command lines has not run: it does at the close, which counts.
    let whole = match data.iter().rposition(|&byte| byte == b'\n') {
        _ if !LINE_FILES.contains(&file) => data,
        Some(end) => &data[..end],
        None => &[],
    };
    let lines: Vec<&[u8]> = whole
        .split(|&byte| byte == b'\n')
        .filter(|line| line.iter().any(|&byte| !is_space(byte)))
        .collect();
    match file {
        // An event record written back may be a look.
        "look" | "event" => lines.len(),
        "exec" | "ctl" | "tagexec" => {
            let looks = lines.iter().filter(|line| first_word(line) == b"Look").count();
            // An Edit block whose text never ended runs at the close.
            let block = lines.len() > 1 && data.windows(4).any(|part| part == b"Edit")
                || lines.iter().any(|line| opens_block(line));
            looks + usize::from(block)
        }
        _ => 0,
    }
}

/// Whether a line is an Edit whose text may still be to come: `Edit ,c`, `Edit {`, and `Edit {/` too,
/// since a block ends with its brace alone.
fn opens_block(line: &[u8]) -> bool {
    let goes_on = line.trim_ascii_end().last().is_some_and(|last| b"aci".contains(last));
    first_word(line) == b"Edit" && (goes_on || line.contains(&b'{'))
}

fn first_word(line: &[u8]) -> &[u8] {
    line.split(|&byte| is_space(byte)).find(|word| !word.is_empty()).unwrap_or_default()
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// The files in question, for the signature: kinds, not names.
fn files(failed: &[&Asked]) -> String {
    let mut kinds: Vec<String> = failed.iter().map(|asked| file_kind(&asked.path)).collect();
    kinds.sort();
    kinds.dedup();
    if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) }
}

fn list(failed: &[&Asked]) -> String {
    let show = |asked: &&Asked| {
        format!("{:?} {:?}: {}", asked.what, asked.path, asked.refused().unwrap_or_default())
    };
    failed.iter().map(show).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Answered;

    fn outcome(
        requests: &[(What, &str, bool)],
        sent: &[(&str, &str, bool)],
        log: &[&str],
    ) -> Outcome {
        let answer = |ok| if ok { Answered::Done } else { Answered::Refused("no".into()) };
        Outcome {
            requests: requests
                .iter()
                .map(|&(what, path, ok)| Asked {
                    open: open_of(path),
                    ..Asked::new(what, path, answer(ok))
                })
                .collect(),
            sent: sent
                .iter()
                .map(|&(path, data, left_at_close)| Sent {
                    path: path.into(),
                    open: open_of(path),
                    data: data.as_bytes().to_vec().into(),
                    left_at_close,
                })
                .collect(),
            window: Some(log.iter().map(|&line| line.into()).collect()),
            ..Outcome::default()
        }
    }

    /// One open a path: good enough here.
    fn open_of(path: &str) -> u64 {
        path.len() as u64
    }

    fn why(outcome: &Outcome) -> String {
        check(outcome).map(|breach| breach.why).unwrap_or_default()
    }

    #[test]
    fn a_failed_write_logs_once() {
        let failed = [(What::Write, "/pane/3/addr", false)];
        assert_eq!(why(&outcome(&failed, &[], &["err 3 addr: no"])), "");
        assert!(why(&outcome(&failed, &[], &[])).contains("logged 0 err records, not 1 to 1"));
        assert!(why(&outcome(&failed, &[], &["err 3 addr: no (x2)"])).contains("2 err"));
        assert!(
            why(&outcome(&failed, &[], &["err 3 addr: no", "msg 3 x"])).contains("msg as well")
        );
        assert!(why(&outcome(&failed, &[], &[])).contains("(/pane/N/addr)"));
    }

    #[test]
    fn a_write_that_succeeds_logs_none_but_for_looks() {
        let done = [(What::Write, "/look", true)];
        assert_eq!(
            why(&outcome(&done, &[("/look", "a\n\nb\n", false)], &["err - look: a (x2)"])),
            ""
        );
        assert!(
            why(&outcome(&done, &[("/look", "a\n", false)], &["err a", "err b"]))
                .contains("0 to 1")
        );
        let done = [(What::Write, "/pane/3/ctl", true)];
        assert_eq!(
            why(&outcome(&done, &[("/pane/3/ctl", "Look x\nGet\n", false)], &["err a"])),
            ""
        );
        assert!(
            why(&outcome(&done, &[("/pane/3/ctl", "Get\n", false)], &["err a"])).contains("0 to 0")
        );
        let edit = outcome(&done, &[("/pane/3/ctl", "Edit p\n", false)], &["err a"]);
        assert!(why(&edit).contains("0 to 0"));
        for block in ["Edit {\na/x/\n", "Edit ,c\n", "Edit {/\n", "Edit ,x/a/{d\n"] {
            assert_eq!(why(&outcome(&done, &[("/pane/3/ctl", block, false)], &["err a"])), "");
        }
    }

    #[test]
    fn what_a_close_runs_may_fail_in_the_log_alone() {
        let done = [(What::Write, "/ctl", true), (What::ClunkWrite, "/ctl", true)];
        assert_eq!(why(&outcome(&done, &[("/ctl", "bogus", true)], &["err - ctl: bogus"])), "");
        assert!(
            !why(&outcome(&done, &[("/ctl", "bogus", false)], &["err - ctl: bogus"])).is_empty()
        );
    }

    #[test]
    fn refusals_that_the_rule_does_not_name_may_log_or_not() {
        for what in [What::Remove, What::Create, What::Truncate, What::Open] {
            for log in [&["err - x: no"][..], &[]] {
                assert_eq!(
                    why(&outcome(&[(what, "/pane/3/body", false)], &[], log)),
                    "",
                    "{what:?}"
                );
            }
        }
        for (what, log) in
            [(What::OpenNew, &[][..]), (What::WriteUnopened, &["err x"]), (What::Walk, &["err x"])]
        {
            assert!(!why(&outcome(&[(what, "/pane/new", false)], &[], log)).is_empty(), "{what:?}");
        }
    }

    /// A block that is left open fails at its close, whatever else was refused in the same file.
    #[test]
    fn each_open_has_its_own_allowance() {
        let path = "/pane/3/exec";
        let mut both = outcome(
            &[(What::Write, path, false), (What::Write, path, true)],
            &[(path, "Undo\n", false), (path, "Edit /x/i\ny\n\n", false)],
            &["err 3 exec: nothing to undo", "err 3 exec: Edit ends inside its text"],
        );
        (both.requests[1].open, both.sent[1].open) = (99, 99);
        assert_eq!(why(&both), "");
        both.sent.pop();
        assert!(why(&both).contains("2 err"));
    }

    /// The msg of a line that was taken is none of the one that was refused after it.
    #[test]
    fn a_msg_belongs_to_what_ran() {
        let asked = |what, path: &str, data: &'static [u8], ok, open| Asked {
            open,
            data: data.into(),
            ..Asked::new(
                what,
                path,
                if ok { Answered::Done } else { Answered::Refused("no".into()) },
            )
        };
        let window = Some(vec!["msg - t".into(), "err - ctl: no".into()]);
        let refused = |open| asked(What::Write, "/ctl", b"p\n", false, open);
        let with = |other: Asked| Outcome {
            requests: vec![other, refused(2)],
            window: window.clone(),
            ..Outcome::default()
        };
        // In pieces of one write, by another fid, by an event.
        for (path, open) in [("/ctl", 2), ("/pane/3/exec", 1), ("/pane/3/event", 1)] {
            assert_eq!(why(&with(asked(What::Write, path, b"t\n", true, open))), "", "{path}");
        }
        // No line was ended, it was not taken, or the file runs nothing.
        for (path, data, ok) in
            [("/ctl", &b"Msg t"[..], true), ("/ctl", b"t\n", false), ("/pane/3/body", b"t\n", true)]
        {
            let mut broken = with(asked(What::Write, path, data, ok, 1));
            if !ok {
                broken.window.as_mut().unwrap().push("err - ctl: nor this".into());
            }
            assert!(why(&broken).contains("msg as well"), "{path} {data:?} {}", why(&broken));
        }
        // What a close runs, and one that has nothing to run.
        for left_at_close in [true, false] {
            let mut closed = with(asked(What::ClunkWrite, "/ctl", b"", true, 1));
            let data = b"Msg t"[..].into();
            closed.sent.push(Sent { path: "/ctl".into(), open: 1, data, left_at_close });
            assert_eq!(why(&closed).is_empty(), left_at_close);
        }
    }

    #[test]
    fn no_window_no_claim() {
        let mut silent = outcome(&[(What::Write, "/ctl", false)], &[], &[]);
        silent.window = None;
        assert_eq!(check(&silent), None);
    }
}
