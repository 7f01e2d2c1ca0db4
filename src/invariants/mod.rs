//! The rules that hold after every step: one file each, with what it cites and what it needs.

mod addresses_inside;
mod alive;
mod bytes_survive;
mod chunked_equals_whole;
mod close_runs_only_line_files;
mod directories_are_not_written;
mod directory_reads_are_whole;
mod edit_is_atomic;
mod err_names_its_pane;
mod event_text;
mod events_tell_the_text;
mod follower_sees_the_log;
mod index_matches_pane_dirs;
mod one_failure_rule;
mod qid_is_one;
mod read_within_count;
mod shell_output_arrives;
mod shell_output_ends;
mod traffic;
mod typed_lines;
mod typed_once;
mod walk_is_a_prefix;
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
pub const ALL: [Invariant; 32] = [
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

    /// The first that is broken.
    pub fn check(&self, outcome: &Outcome) -> Option<Violation> {
        self.0.iter().find_map(|one| {
            (one.check)(outcome).map(|breach| Violation { invariant: one.name, breach })
        })
    }
}

/// Files whose last, unended line runs when they are closed.
const LINE_FILES: [&str; 4] = ["look", "exec", "tagexec", "ctl"];

/// The invariants as a page of Markdown, in the order in which they are checked.
pub fn page() -> String {
    let mut page = String::from(PAGE_HEAD);
    for one in &ALL {
        let basis = match one.basis {
            Basis::Documented => "documented",
            Basis::Protocol => "protocol",
            Basis::Inferred => "inferred",
        };
        let Invariant { name, cites, needs, false_positive, .. } = one;
        page += &format!(
            "\n## {name}\n\n- basis: {basis}\n- cites: {cites}\n- looks at: {}\n- a false positive: {false_positive}\n",
            needs.words()
        );
    }
    page
}

const PAGE_HEAD: &str = "# Invariants

Made from the code by `UPDATE_DOCS=1 cargo test --test invariants_page`. After every step these are checked, in this order; the
first that is broken names the failure. *Documented*: a sentence of pardes's documentation. *Protocol*: the 9P manual pages.
*Inferred*: acme's manual or this project's reading, off against a real pardes unless `--inferred` asks for it.
";

/// A path's last element: `ctl` of `/pane/3/ctl`.
fn last_element(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
