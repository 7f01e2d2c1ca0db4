//! Only the files of command lines may fail at their close.

use once_cell::sync::Lazy;
use regex::Regex;

use super::{Basis, Breach, Invariant, LINE_FILES, last_element};
use crate::session::log::occurrences;
use crate::session::{Needs, Outcome};

/// A file of command lines runs what is left when its fid is closed. Any other file that was
/// written to without trouble and fails at the close breaks the failure rule.
pub const INVARIANT: Invariant = Invariant {
    name: "close_runs_only_line_files",
    cites: "pardes fs.md: command lines run at the close; no other file fails only there (the script's close_runs_only_line_files)",
    basis: Basis::Documented,
    needs: Needs { log: true, ..Needs::NOTHING },
    false_positive: "an err record of another file with the same last name, in the same step",
    check,
};

static RECORD: Lazy<Regex> = Lazy::new(|| Regex::new(r"^err \S+ ([^:]+):").expect("a constant"));

fn check(outcome: &Outcome) -> Option<Breach> {
    let window = outcome.window.as_ref()?;
    // Any refusal may have logged the record, an open's or a remove's too.
    let failed: Vec<&str> = outcome
        .requests
        .iter()
        .filter(|asked| asked.refused().is_some())
        .map(|asked| last_element(&asked.path))
        .collect();
    for line in occurrences(window, "err") {
        let Some(record) = RECORD.captures(&line) else { continue };
        let file = last_element(record.get(1).map_or("", |file| file.as_str()));
        if LINE_FILES.contains(&file) || failed.contains(&file) {
            continue;
        }
        let closed =
            |sent: &&crate::session::Sent| sent.left_at_close && last_element(&sent.path) == file;
        if outcome.sent.iter().any(|sent| closed(&sent)) {
            return Some(Breach {
                why: format!("a write to {file} was answered, then failed at the close"),
                detail: line,
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Answered, Asked, Sent, What};

    fn outcome(path: &str, left_at_close: bool, refused: bool, log: &str) -> Outcome {
        let answer = if refused { Answered::Refused("no".into()) } else { Answered::Done };
        Outcome {
            requests: vec![Asked::new(What::Write, path, answer)],
            sent: vec![Sent { path: path.into(), open: 1, data: b"x"[..].into(), left_at_close }],
            window: Some(vec![log.into()]),
            ..Outcome::default()
        }
    }

    #[test]
    fn a_body_that_fails_at_its_close_breaks_it() {
        let broken = outcome("/pane/3/body", true, false, "err 3 body: no");
        assert_eq!(
            check(&broken).unwrap().why,
            "a write to body was answered, then failed at the close"
        );
        let pty = outcome("/pane/3/pty/run", true, false, "err 3 pty/run: no");
        assert!(check(&pty).is_some());
    }

    /// Found by the fuzz target: an open in a mode that no server has, beside a write that was fine.
    #[test]
    fn any_refusal_of_the_file_explains_its_record() {
        for what in [What::Open, What::Remove, What::Create, What::WriteUnopened] {
            let mut mixed = outcome("/pane/3/addr", true, false, "err 3 addr: no such mode");
            let answer = Answered::Refused("no such mode".into());
            mixed.requests.push(Asked::new(what, "/pane/4/addr", answer));
            assert_eq!(check(&mixed), None, "{what:?}");
        }
    }

    #[test]
    fn line_files_and_failed_writes_and_other_files_do_not() {
        for (path, left, refused, log) in [
            ("/pane/3/ctl", true, false, "err 3 ctl: no"),
            ("/pane/3/body", true, true, "err 3 body: no"),
            ("/pane/3/body", false, false, "err 3 body: no"),
            ("/pane/3/body", true, false, "err 3 tag: no"),
            ("/pane/3/body", true, false, "msg 3 body: no"),
            ("/pane/3/body", true, false, "err"),
        ] {
            assert_eq!(check(&outcome(path, left, refused, log)), None, "{path} {log}");
        }
    }
}
