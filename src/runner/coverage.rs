//! What was asked of which kind of file, how it was answered, and which opens were never tried.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::input::Mode;
use crate::session::{Answered, Asked, Outcome, What};
use crate::target::{every_kind, file_kind};

/// What is counted together of what can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// A walk; one that is done is not told of.
    Walk,
    /// An open, in whatever mode.
    Open,
    /// A read.
    Read,
    /// A write.
    Write,
    /// A clunk of what was opened.
    Clunk,
    /// A stat.
    Stat,
    /// A remove.
    Remove,
    /// A create, under the kind of the file that it would make.
    Create,
}

impl Operation {
    /// Every one, in order.
    pub const ALL: [Operation; 8] = [
        Operation::Walk,
        Operation::Open,
        Operation::Read,
        Operation::Write,
        Operation::Clunk,
        Operation::Stat,
        Operation::Remove,
        Operation::Create,
    ];

    fn of(what: What) -> Operation {
        match what {
            What::Walk => Operation::Walk,
            What::Open | What::OpenNew | What::Truncate => Operation::Open,
            What::Read => Operation::Read,
            What::Write | What::WriteUnopened => Operation::Write,
            What::Clunk | What::ClunkWrite => Operation::Clunk,
            What::Stat => Operation::Stat,
            What::Remove => Operation::Remove,
            What::Create => Operation::Create,
        }
    }

    /// The operation as tables name it.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Walk => "walk",
            Operation::Open => "open",
            Operation::Read => "read",
            Operation::Write => "write",
            Operation::Clunk => "clunk",
            Operation::Stat => "stat",
            Operation::Remove => "remove",
            Operation::Create => "create",
        }
    }
}

/// A mode as tables name it.
pub fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Read => "read",
        Mode::Write => "write",
        Mode::ReadWrite => "both",
        Mode::ReadTruncate => "read+trunc",
        Mode::WriteTruncate => "write+trunc",
        Mode::ReadWriteTruncate => "both+trunc",
    }
}

/// How often what was asked was answered how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// It was done.
    pub done: u64,
    /// It was refused.
    pub refused: u64,
    /// It was held until it was flushed.
    pub held: u64,
}

impl Answers {
    fn add(&mut self, answer: &Answered) {
        match answer {
            Answered::Done => self.done += 1,
            Answered::Refused(_) => self.refused += 1,
            Answered::Held => self.held += 1,
        }
    }
}

/// One operation on one kind of file, as files keep it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedOf {
    /// The kind of file.
    pub file: String,
    /// What was asked.
    pub operation: Operation,
    /// How it was answered.
    #[serde(flatten)]
    pub answers: Answers,
}

/// Counts over any number of steps. Requests of the checks and of raw messages are not among them,
/// nor are those of steps that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    asked: BTreeMap<(String, Operation), Answers>,
    opens: BTreeMap<(String, Mode), Answers>,
}

impl Coverage {
    /// Counts one step's requests.
    pub fn add(&mut self, outcome: &Outcome) {
        for Asked { what, path, answer, mode, .. } in &outcome.requests {
            let kind = file_kind(path);
            let operation = Operation::of(*what);
            let mode = Mode::ALL.iter().find(|one| Some(one.value()) == *mode);
            if let (Operation::Open, Some(mode)) = (operation, mode) {
                self.opens.entry((kind.clone(), *mode)).or_default().add(answer);
            }
            self.asked.entry((kind, operation)).or_default().add(answer);
        }
    }

    /// The counts of operations on kinds of file, as they were given by [`Coverage::counts`].
    pub fn of(counts: &[AskedOf]) -> Coverage {
        let mut coverage = Coverage::default();
        coverage.merge(counts);
        coverage
    }

    /// Adds such counts.
    pub fn merge(&mut self, counts: &[AskedOf]) {
        for AskedOf { file, operation, answers } in counts {
            let so_far = self.asked.entry((file.clone(), *operation)).or_default();
            so_far.done = so_far.done.saturating_add(answers.done);
            so_far.refused = so_far.refused.saturating_add(answers.refused);
            so_far.held = so_far.held.saturating_add(answers.held);
        }
    }

    /// What was asked of each kind of file, opens without their modes.
    pub fn counts(&self) -> Vec<AskedOf> {
        let one = |((file, operation), answers): (&(String, Operation), &Answers)| AskedOf {
            file: file.clone(),
            operation: *operation,
            answers: *answers,
        };
        self.asked.iter().map(one).collect()
    }

    /// The kinds of file that something was asked of, and all that the tree has.
    pub fn kinds(&self) -> BTreeSet<String> {
        self.asked.keys().map(|(kind, _)| kind.clone()).chain(every_kind()).collect()
    }

    /// How an operation on a kind of file was answered.
    pub fn asked(&self, kind: &str, operation: Operation) -> Answers {
        self.asked.get(&(kind.to_owned(), operation)).copied().unwrap_or_default()
    }

    /// How opens of a kind of file in a mode were answered.
    pub fn opens(&self, kind: &str, mode: Mode) -> Answers {
        self.opens.get(&(kind.to_owned(), mode)).copied().unwrap_or_default()
    }

    /// Each file of the tree with each mode, as often as it was opened in it, refused or not.
    fn pairs(&self) -> impl Iterator<Item = ((String, Mode), Answers)> {
        let pairs = every_kind().into_iter().flat_map(|kind| {
            let with = move |mode: &Mode| (kind.clone(), *mode);
            Mode::ALL.iter().map(with)
        });
        pairs.map(|(kind, mode)| {
            let answers = self.opens(&kind, mode);
            ((kind, mode), answers)
        })
    }

    /// Files of the tree with the modes that no open of them tried.
    pub fn untried(&self) -> Vec<(String, Mode)> {
        let never = |answers: &Answers| *answers == Answers::default();
        self.pairs().filter(|(_, answers)| never(answers)).map(|(pair, _)| pair).collect()
    }

    /// How many pairs of a file of the tree and a mode there are.
    pub fn pair_count(&self) -> usize {
        self.pairs().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(what: What, path: &str, answer: Answered, mode: Option<Mode>) -> Asked {
        Asked { mode: mode.map(Mode::value), ..Asked::new(what, path, answer) }
    }

    fn coverage(requests: Vec<Asked>) -> Coverage {
        let mut coverage = Coverage::default();
        coverage.add(&Outcome { requests, ..Outcome::default() });
        coverage
    }

    #[test]
    fn requests_are_counted_by_kind_operation_and_answer() {
        let refused = || Answered::Refused("no".into());
        let mut coverage = coverage(vec![
            asked(What::OpenNew, "/pane/new", Answered::Done, Some(Mode::Read)),
            asked(What::Truncate, "/pane/3/body", refused(), Some(Mode::WriteTruncate)),
            asked(What::Open, "/pane/4/body", Answered::Done, Some(Mode::ReadWrite)),
            asked(What::Read, "/pane/4/event", Answered::Held, None),
            asked(What::Write, "/pane/4/body", Answered::Done, None),
            asked(What::WriteUnopened, "/pane/5/body", refused(), None),
            asked(What::Create, "/pane/9/x", refused(), Some(Mode::Read)),
        ]);
        coverage.add(&Outcome {
            requests: vec![asked(What::Stat, "/no", refused(), None)],
            ..Outcome::default()
        });
        let count = |done, refused, held| Answers { done, refused, held };
        assert_eq!(coverage.asked("/pane/N/body", Operation::Open), count(1, 1, 0));
        assert_eq!(coverage.asked("/pane/N/body", Operation::Write), count(1, 1, 0));
        assert_eq!(coverage.asked("/pane/N/event", Operation::Read), count(0, 0, 1));
        assert_eq!(coverage.opens("/pane/new", Mode::Read), count(1, 0, 0));
        assert_eq!(coverage.opens("/pane/N/body", Mode::WriteTruncate), count(0, 1, 0));
        // What a create opens is no open.
        assert_eq!(coverage.opens("/pane/N/?", Mode::Read), count(0, 0, 0));
        assert!(coverage.kinds().contains("/pane/N/?") && coverage.kinds().contains("/?"));
        let mut twice = Coverage::of(&coverage.counts());
        twice.merge(&coverage.counts());
        assert_eq!(twice.asked("/pane/N/body", Operation::Open), count(2, 2, 0));
        assert_eq!(twice.counts().len(), coverage.counts().len());
    }

    #[test]
    fn what_was_never_opened_is_told() {
        let all = coverage(vec![]);
        assert_eq!(all.pair_count(), every_kind().len() * Mode::ALL.len());
        assert_eq!(all.untried().len(), all.pair_count());
        let opens = every_kind().into_iter().flat_map(|kind| {
            let path = kind.replace("/N", "/12");
            let open = move |mode: &Mode| {
                // A refused open was tried.
                asked(What::Open, &path, Answered::Refused("no".into()), Some(*mode))
            };
            Mode::ALL.iter().map(open)
        });
        let opens: Vec<Asked> = opens.collect();
        assert!(coverage(opens.clone()).untried().is_empty());
        let most = opens
            .into_iter()
            .filter(|one| one.path != "/log" || one.mode != Some(Mode::ReadWrite.value()));
        assert_eq!(coverage(most.collect()).untried(), [("/log".into(), Mode::ReadWrite)]);
    }
}
