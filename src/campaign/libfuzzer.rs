//! What libFuzzer says on standard error, as far as a campaign counts it.

use std::collections::VecDeque;

use super::limits::{LAST_CHARACTERS, LAST_LINES};

/// What one process has said so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Inputs run.
    pub executions: u64,
    /// Edges of the harness's own.
    pub edges: u64,
    /// Features: those edges by how often, and all that the harness tells.
    pub features: u64,
    /// Inputs in its corpus.
    pub corpus: u64,
    /// Findings that there is no record of.
    pub unrecorded: u64,
    /// The last lines that are no statistics.
    pub last: VecDeque<String>,
}

impl Said {
    /// Takes one line. Whatever it holds, what was counted never goes back.
    pub fn line(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix('#')
            && let Some((count, rest)) = rest.split_once(['\t', ' '])
            && let Ok(count) = count.parse()
        {
            self.executions = self.executions.max(count);
            return self.status(rest);
        }
        if let Some(rest) = line.strip_prefix("stat::number_of_executed_units:") {
            self.executions = self.executions.max(rest.trim().parse().unwrap_or(0));
            return;
        }
        if line.starts_with("  record: none, ") {
            self.unrecorded += 1;
        }
        let quiet = line.trim().is_empty()
            || ["INFO: ", "stat::", "\tNEW_FUNC"].iter().any(|start| line.starts_with(start));
        if !quiet {
            if self.last.len() == LAST_LINES {
                self.last.pop_front();
            }
            self.last.push_back(line.chars().take(LAST_CHARACTERS).collect());
        }
    }

    /// `NEW    cov: 3934 ft: 9876 corp: 120/34Kb …`
    fn status(&mut self, text: &str) {
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let count = match word {
                "cov:" => &mut self.edges,
                "ft:" => &mut self.features,
                "corp:" => &mut self.corpus,
                _ => continue,
            };
            let value = words.next().and_then(|value| value.split('/').next());
            if let Some(value) = value.and_then(|value| value.parse().ok()) {
                *count = value;
            }
        }
    }

    /// Why it ended, in its own words: a refusal if there is one, else what it said last.
    pub fn reason(&self) -> String {
        let refusal = self.last.iter().rev().find(|line| line.starts_with("monkey9p: "));
        let line = refusal.or(self.last.back()).map_or("it said nothing", |line| line);
        line.strip_prefix("monkey9p: ").unwrap_or(line).to_owned()
    }
}

/// How a fuzzing process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By a panic: a finding without a record, or a defect of the harness's.
    Crash,
    /// Too much memory.
    OutOfMemory,
    /// An input took too long.
    Timeout,
    /// It refused to go on, and gave a reason.
    Refused,
    /// Any other: by a signal, or by itself.
    Died(String),
}

impl Ending {
    /// By the exit code that libFuzzer gives, or a process that was killed has not.
    pub fn of(status: std::process::ExitStatus) -> Ending {
        match status.code() {
            Some(2) => Ending::Refused,
            Some(70) => Ending::Timeout,
            Some(71) => Ending::OutOfMemory,
            Some(77) => Ending::Crash,
            _ => Ending::Died(status.to_string()),
        }
    }

    /// In words.
    pub fn text(&self) -> String {
        match self {
            Ending::Crash => "ended by a panic".into(),
            Ending::OutOfMemory => "took too much memory".into(),
            Ending::Timeout => "ran too long at one input".into(),
            Ending::Refused => "refused to go on".into(),
            Ending::Died(how) => format!("died ({how})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    fn said(lines: &[&str]) -> Said {
        let mut said = Said::default();
        lines.iter().for_each(|line| said.line(line));
        said
    }

    #[test]
    fn status_lines_are_counted() {
        let said = said(&[
            "INFO: Seed: 1",
            "#0\tREAD units: 42",
            "#43\tINITED cov: 3934 ft: 5000 corp: 40/12Kb exec/s: 21 rss: 60Mb",
            "#64\tpulse  cov: 3934 ft: 5001 corp: 40/12Kb lim: 400 exec/s: 21 rss: 60Mb",
            "#90\tNEW    cov: 3940 ft: 5012 corp: 41/12Kb lim: 4 exec/s: 2 rss: 6Mb L: 3/9 MS: 1 Custom-",
            "stat::number_of_executed_units: 91",
        ]);
        let counted = (said.executions, said.edges, said.features, said.corpus);
        assert_eq!(counted, (91, 3940, 5012, 41));
        assert!(said.last.is_empty());
    }

    #[test]
    fn hostile_lines_change_no_count_backwards_and_are_bounded() {
        let long = "x".repeat(100_000);
        let said = said(&[
            "#90\tNEW    cov: 1 ft: 2 corp: 3/4b",
            "#18446744073709551616\tNEW cov: 9",
            "#5\tNEW cov: -1 ft: x corp: /",
            "#\t",
            "#7",
            "stat::number_of_executed_units: many",
            &long,
            "cov: 7 ft: 7",
            "monkey9p: the target sh: no answer",
            "  record: none, bugs: No space left on device",
            "\u{1b}[2J",
        ]);
        let counted = (said.executions, said.edges, said.features, said.corpus);
        assert_eq!(counted, (90, 1, 2, 3));
        assert_eq!((said.unrecorded, said.last.len()), (1, LAST_LINES));
        assert!(said.last.iter().all(|line| line.len() <= LAST_CHARACTERS));
        assert_eq!(said.reason(), "the target sh: no answer");
        assert_eq!(Said::default().reason(), "it said nothing");
    }

    #[test]
    fn an_ending_is_told_by_its_code() {
        assert_eq!(Ending::of(ExitStatus::from_raw(77 << 8)), Ending::Crash);
        assert_eq!(Ending::of(ExitStatus::from_raw(2 << 8)), Ending::Refused);
        assert!(
            matches!(Ending::of(ExitStatus::from_raw(9)), Ending::Died(how) if how.contains('9'))
        );
        assert!(matches!(Ending::of(ExitStatus::from_raw(0)), Ending::Died(_)));
    }
}
