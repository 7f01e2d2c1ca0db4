//! The record of a failed write names the pane it was written to.

use once_cell::sync::Lazy;
use regex::Regex;

use super::{Basis, Breach, Invariant};
use crate::session::log::occurrences;
use crate::session::{Asked, Needs, Outcome, What};

/// Where one write to a pane's file failed and one `err` was logged, its serial is the pane's, or
/// `-`: never another pane's.
pub const INVARIANT: Invariant = Invariant {
    name: "err_names_its_pane",
    cites: "pardes fs.md, \"One rule for what fails\": err <serial|-> <file>: <why>",
    basis: Basis::Documented,
    needs: Needs { log: true, ..Needs::NOTHING },
    false_positive: "a command that fails on behalf of another pane than the one it was written to",
    check,
};

static SERIAL: Lazy<Regex> = Lazy::new(|| Regex::new(r"^err (\d+) ").expect("a constant"));
static PANE: Lazy<Regex> = Lazy::new(|| Regex::new(r"^/pane/(\d+)/").expect("a constant"));

fn check(outcome: &Outcome) -> Option<Breach> {
    let failed: Vec<&Asked> = outcome
        .requests
        .iter()
        .filter(|asked| asked.what == What::Write && asked.refused().is_some())
        .collect();
    let errs = occurrences(outcome.window.as_ref()?, "err");
    let ([asked], [record]) = (&failed[..], &errs[..]) else { return None };
    let written = PANE.captures(&asked.path)?;
    let named = SERIAL.captures(record)?;
    // As text: a path may have zeros in front that a serial never has.
    (written[1].trim_start_matches('0') != named[1].trim_start_matches('0')).then(|| Breach {
        why: "a failed write was logged with another pane's serial".into(),
        detail: format!("{}: {record}", asked.path),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Answered;

    #[test]
    fn only_another_serial_breaks_it() {
        let broken = |path: &str, log: &[&str]| {
            let answer = Answered::Refused("no".into());
            let asked = Asked::new(What::Write, path, answer);
            let window = Some(log.iter().map(|&line| line.into()).collect());
            check(&Outcome { requests: vec![asked], window, ..Outcome::default() }).is_some()
        };
        assert!(broken("/pane/3/dirty", &["err 1 dirty: no"]));
        assert!(!broken("/pane/3/dirty", &["err 3 dirty: no"]));
        assert!(!broken("/pane/3/dirty", &["err - dirty: no"]));
        assert!(!broken("/pane/3/dirty", &["err 1 dirty: no", "err 3 dirty: no"]));
        assert!(!broken("/ctl", &["err 3 ctl: no"]));
        assert!(!broken("/pane/3/dirty", &[]));
    }
}
