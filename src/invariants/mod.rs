//! The rules that hold after every step: one file each, with what it cites and what it needs.

mod addresses_inside;
mod alive;
mod bytes_survive;
mod chunked_equals_whole;
mod close_runs_only_line_files;
mod data_equals_body;
mod directories_are_not_written;
mod directory_reads_are_whole;
mod dump_restore;
mod edit_is_atomic;
mod err_names_its_pane;
mod event_text;
mod events_tell_the_text;
mod follower_sees_the_log;
mod index_matches_pane_dirs;
mod one_failure_rule;
mod page;
mod qid_is_one;
mod read_within_count;
mod shell_output_arrives;
mod shell_output_ends;
mod shells_end_with_their_pane;
mod spans;
mod traffic;
mod typed_lines;
mod typed_once;
mod undo_redo;
mod walk_is_a_prefix;
mod what_was_held_is_free;
mod wire_answered;
mod wire_clunk;
mod wire_counts;
mod wire_fids;
mod wire_flush;
mod wire_hang_up;
mod wire_model;
mod wire_open;
mod wire_qids;
mod wire_replies;
mod wire_tags;
mod wire_version;
mod wire_walk;
mod write_within_sent;

use crate::session::{Needs, Outcome};
use crate::target::Target;

pub use page::{Planted, page};

/// A rule and its check.
#[derive(Clone, Copy, Debug)]
pub struct Invariant {
    /// Its name, as records have it.
    pub name: &'static str,
    /// Where the rule comes from.
    pub cites: &'static str,
    /// What kind of source that is.
    pub basis: Basis,
    /// What it looks at.
    pub needs: Needs,
    /// What a false positive of it would look like.
    pub false_positive: &'static str,
    /// Looks at one step's outcome; gives how the rule broke, if it did.
    pub check: fn(&Outcome) -> Option<Breach>,
}

/// How far a rule may be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A sentence of pardes's own documentation, as the script that came before quotes it.
    Documented,
    /// The 9P manual pages.
    Protocol,
    /// acme's manual or this project's reading; off against a real pardes unless asked for.
    Inferred,
}

impl Basis {
    /// As pages and reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Basis::Documented => "documented",
            Basis::Protocol => "protocol",
            Basis::Inferred => "inferred",
        }
    }
}

/// How a rule broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// In a sentence, without what differs from one occurrence to the next but numbers.
    pub why: String,
    /// What was seen.
    pub detail: String,
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The invariant's name.
    pub invariant: &'static str,
    /// How it broke.
    pub breach: Breach,
}

/// Every invariant.
pub const ALL: [Invariant; 37] = [
    alive::INVARIANT,
    // Before the rule that it is a part of: it says more.
    close_runs_only_line_files::INVARIANT,
    one_failure_rule::INVARIANT,
    err_names_its_pane::INVARIANT,
    follower_sees_the_log::INVARIANT,
    index_matches_pane_dirs::INVARIANT,
    chunked_equals_whole::INVARIANT,
    read_within_count::INVARIANT,
    write_within_sent::INVARIANT,
    walk_is_a_prefix::INVARIANT,
    directory_reads_are_whole::INVARIANT,
    directories_are_not_written::INVARIANT,
    qid_is_one::INVARIANT,
    addresses_inside::INVARIANT,
    edit_is_atomic::INVARIANT,
    bytes_survive::INVARIANT,
    data_equals_body::INVARIANT,
    undo_redo::INVARIANT,
    shells_end_with_their_pane::INVARIANT,
    what_was_held_is_free::INVARIANT,
    dump_restore::INVARIANT,
    shell_output_arrives::INVARIANT,
    shell_output_ends::INVARIANT,
    typed_once::INVARIANT,
    events_tell_the_text::INVARIANT,
    wire_replies::INVARIANT,
    wire_answered::INVARIANT,
    wire_hang_up::INVARIANT,
    wire_flush::INVARIANT,
    wire_walk::INVARIANT,
    wire_fids::INVARIANT,
    wire_clunk::INVARIANT,
    wire_open::INVARIANT,
    wire_counts::INVARIANT,
    wire_version::INVARIANT,
    wire_qids::INVARIANT,
    wire_tags::INVARIANT,
];

/// The invariants that apply to a target.
#[derive(Clone, Debug)]
pub struct Set(Vec<Invariant>);

impl Set {
    /// Those that may be asserted of `target`; the inferred ones only where its definition or the
    /// person says so.
    pub fn of(target: &Target, inferred: bool) -> Set {
        let wanted = |one: &Invariant| one.basis != Basis::Inferred || inferred || target.inferred;
        Set(ALL.into_iter().filter(wanted).collect())
    }

    /// What they look at, all together.
    pub fn needs(&self) -> Needs {
        self.0.iter().fold(Needs::default(), |needs, one| needs.and(one.needs))
    }

    /// The first that is broken. Those that need to be undisturbed claim nothing of a session in which
    /// a shell may do anything.
    pub fn check(&self, outcome: &Outcome) -> Option<Violation> {
        let knows = |one: &&Invariant| !(outcome.wild && one.needs.undisturbed);
        self.0.iter().filter(knows).find_map(|one| {
            (one.check)(outcome).map(|breach| Violation { invariant: one.name, breach })
        })
    }
}

/// Files whose last, unended line runs when they are closed.
const LINE_FILES: [&str; 4] = ["look", "exec", "tagexec", "ctl"];

/// A path's last element: `ctl` of `/pane/3/ctl`.
fn last_element(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Answered, Asked, Edited, What};

    #[test]
    fn what_a_shell_may_have_changed_is_not_claimed_and_the_rest_is() {
        let set = Set(ALL.to_vec());
        let broken = |outcome: &Outcome| set.check(outcome).map(|broken| broken.invariant);
        let refused = Asked::new(What::Write, "/pane/3/addr", Answered::Refused("no".into()));
        let edited = Some(Edited { before: "abc".into(), after: "x".into() });
        let changed = |wild| Outcome {
            requests: vec![refused.clone()],
            edited: edited.clone(),
            wild,
            ..Outcome::default()
        };
        assert_eq!(broken(&changed(false)), Some("edit_is_atomic"));
        assert_eq!(broken(&changed(true)), None);
        let unlogged = |wild| Outcome { window: Some(vec![]), edited: None, ..changed(wild) };
        assert_eq!(broken(&unlogged(false)), Some("one_failure_rule"));
        assert_eq!(broken(&unlogged(true)), Some("one_failure_rule"));
    }
}
