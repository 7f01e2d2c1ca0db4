//! `run --coverage`: what was asked of which files, as tables and as JSON.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::input::Mode;
use crate::runner::{Answers, Coverage, Operation, mode_name};

/// Pairs that were never tried on one line.
const PAIRS_A_LINE: usize = 4;

/// The tables, and then what never happened.
pub fn tables(seen: &Coverage) -> String {
    let operations = Operation::ALL.map(|one| (one.name(), one));
    let modes: Vec<_> = Mode::ALL.iter().map(|&one| (mode_name(one), one)).collect();
    let mut out = String::from("done/refused[/held] of each kind of file:\n");
    out += &table(seen, &operations, |kind, operation| seen.asked(kind, operation));
    out += "\nopens by mode:\n";
    out += &table(seen, &modes, |kind, mode| seen.opens(kind, mode));
    let untried = seen.untried();
    let _ = writeln!(
        out,
        "\nnever opened: {} of {} pairs of a file and a mode ({:.1}%)",
        untried.len(),
        seen.pair_count(),
        100.0 * share(seen)
    );
    for pairs in untried.chunks(PAIRS_A_LINE) {
        let pairs: Vec<String> =
            pairs.iter().map(|(kind, mode)| format!("{kind} {}", mode_name(*mode))).collect();
        let _ = writeln!(out, "  {}", pairs.join(", "));
    }
    out
}

/// A row for each kind of file, a column for each of `columns`.
fn table<T: Copy>(
    seen: &Coverage,
    columns: &[(&str, T)],
    cell: impl Fn(&str, T) -> Answers,
) -> String {
    let head = columns.iter().map(|(name, _)| (*name).to_owned());
    let mut rows: Vec<Vec<String>> = vec![["file".to_owned()].into_iter().chain(head).collect()];
    for kind in seen.kinds() {
        let cells = columns.iter().map(|(_, column)| in_a_cell(cell(&kind, *column)));
        let cells: Vec<String> = cells.collect();
        rows.push([kind].into_iter().chain(cells).collect());
    }
    let width = |at: usize| rows.iter().map(|row| row[at].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=columns.len()).map(width).collect();
    let mut out = String::new();
    for row in &rows {
        let _ = write!(out, "  {:<width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            let _ = write!(out, "  {cell:>width$}");
        }
        out.push('\n');
    }
    out
}

fn in_a_cell(answers: Answers) -> String {
    match answers {
        Answers { done: 0, refused: 0, held: 0 } => "-".into(),
        Answers { done, refused, held: 0 } => format!("{done}/{refused}"),
        Answers { done, refused, held } => format!("{done}/{refused}/{held}"),
    }
}

fn share(seen: &Coverage) -> f64 {
    seen.untried().len() as f64 / seen.pair_count().max(1) as f64
}

/// The same for programs: `files` has, for each kind of file, what was asked of it and how it was
/// opened; `untried` the pairs that were not.
pub fn as_json(seen: &Coverage) -> Value {
    let files: Map<String, Value> =
        seen.kinds().into_iter().map(|kind| (kind.clone(), file(seen, &kind))).collect();
    let untried: Vec<Value> = seen
        .untried()
        .iter()
        .map(|(kind, mode)| json!({"file": kind, "mode": mode_name(*mode)}))
        .collect();
    json!({"coverage": {
        "files": files,
        "pairs": seen.pair_count(),
        "untried": untried,
        "untried_share": share(seen),
    }})
}

fn file(seen: &Coverage, kind: &str) -> Value {
    let some = |answers: &Answers| *answers != Answers::default();
    let asked = Operation::ALL.map(|one| (one.name(), seen.asked(kind, one)));
    let opens = Mode::ALL.iter().map(|&one| (mode_name(one), seen.opens(kind, one)));
    let object = |counts: Vec<(&'static str, Answers)>| -> Map<String, Value> {
        let counts = counts.into_iter().filter(|(_, answers)| some(answers));
        counts.map(|(name, answers)| (name.to_owned(), json!(answers))).collect()
    };
    json!({"asked": object(asked.to_vec()), "opens": object(opens.collect())})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Answered, Asked, Outcome, What};

    fn seen() -> Coverage {
        let open = Asked::new(What::Open, "/pane/3/event", Answered::Done);
        let read = Asked::new(What::Read, "/pane/3/event", Answered::Held);
        let requests = vec![Asked { mode: Some(Mode::ReadWrite.value()), ..open }, read];
        let mut seen = Coverage::default();
        seen.add(&Outcome { requests, ..Outcome::default() });
        seen
    }

    #[test]
    fn tables_have_a_row_for_each_file_and_tell_what_never_happened() {
        let text = tables(&seen());
        let row = text.lines().find(|line| line.contains("/pane/N/event ")).unwrap();
        let cells: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(cells, ["/pane/N/event", "-", "1/0", "0/0/1", "-", "-", "-", "-", "-"]);
        assert!(text.contains("never opened: 281 of 282 pairs of a file and a mode (99.6%)"));
        let listed = text.split("(99.6%)").nth(1).unwrap();
        let pairs: Vec<&str> =
            listed.lines().flat_map(|line| line.split(", ")).map(str::trim).collect();
        assert!(pairs.contains(&"/pane/N/event read") && !pairs.contains(&"/pane/N/event both"));
    }

    #[test]
    fn programs_are_told_the_same() {
        let json = &as_json(&seen())["coverage"];
        assert_eq!(json["files"]["/pane/N/event"]["asked"]["read"]["held"], 1);
        assert_eq!(json["files"]["/pane/N/event"]["opens"]["both"]["done"], 1);
        assert_eq!(json["pairs"], 282);
        assert_eq!(json["untried"].as_array().unwrap().len(), 281);
        assert_eq!(json["files"]["/ctl"]["asked"], json!({}));
    }
}
