//! What ops touch, in a few lines: their kinds, and the files, modes and ways of cutting.

use std::collections::BTreeMap;

use crate::ops::{Chunks, Latin1, Op, is_wild};
use crate::record::opened;
use crate::target::file_kind;

/// How long a line of the tally may be, in characters.
const LINE_CHARACTERS: usize = 100;

/// Counts over ops, those within a `seq` or on the second connection too.
#[derive(Debug, Default)]
struct Tally {
    kinds: BTreeMap<String, usize>,
    files: BTreeMap<String, usize>,
    modes: BTreeMap<String, usize>,
    chunkings: BTreeMap<String, usize>,
    open: BTreeMap<String, usize>,
}

/// The tally of `ops`: a line or more of each sort, what is most frequent first.
pub fn tally(ops: &[Op]) -> String {
    let mut tally = Tally::default();
    ops.iter().for_each(|op| tally.add(op));
    let sorts = [
        ("ops", tally.kinds),
        ("files", tally.files),
        ("opened", tally.modes),
        ("written", tally.chunkings),
        ("refused but at the kernel level", tally.open),
    ];
    sorts.into_iter().map(|(what, counts)| lines(what, counts)).collect()
}

impl Tally {
    fn add(&mut self, op: &Op) {
        count(&mut self.kinds, op.kind());
        if let Some(path) = op.path() {
            count(&mut self.files, &kind_of(path));
        }
        let script = matches!(op, Op::Wire { .. }) && is_wild(op);
        if op.is_for_the_kernel_level() || script {
            count(&mut self.open, op.kind());
        }
        match op {
            Op::Write { mode, chunks, .. } => {
                count(&mut self.modes, &opened(*mode));
                let way = match chunks {
                    Chunks::Whole => "whole",
                    Chunks::Bytes => "a byte a time",
                    Chunks::Sizes(_) => "in pieces",
                };
                count(&mut self.chunkings, way);
            }
            Op::Read { mode, .. } | Op::Hold { mode, .. } | Op::Create { mode, .. } => {
                count(&mut self.modes, &opened(*mode));
            }
            Op::Seq { ops } | Op::Second { ops } => ops.iter().for_each(|op| self.add(op)),
            _ => {}
        }
    }
}

fn count(counts: &mut BTreeMap<String, usize>, what: &str) {
    *counts.entry(what.to_owned()).or_default() += 1;
}

/// The kind of file that `path` will name: a reference is a number once the op runs.
fn kind_of(path: &Latin1) -> String {
    let text = path.to_text();
    let number = |part: &str| {
        let inner = part.strip_prefix('{')?.strip_suffix('}')?;
        let digits = inner.strip_prefix(['p', 'c', 'g'])?;
        Some(digits.to_owned())
    };
    let parts: Vec<String> =
        text.split('/').map(|part| number(part).unwrap_or_else(|| part.to_owned())).collect();
    file_kind(&parts.join("/"))
}

fn lines(what: &str, counts: BTreeMap<String, usize>) -> String {
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut out = String::new();
    let mut line = format!("{what}:");
    for (at, (name, count)) in counts.iter().enumerate() {
        let comma = if at + 1 < counts.len() { "," } else { "" };
        let word = format!(" {name} {count}{comma}");
        if line.len() + word.len() > LINE_CHARACTERS {
            out += &line;
            out.push('\n');
            line = "   ".into();
        }
        line += &word;
    }
    if counts.is_empty() {
        line += " none";
    }
    out + &line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> Op {
        Op::Read { path: path.into(), count: 1, offset: 0, mode: 0, reads: 1 }
    }

    #[test]
    fn ops_are_counted_with_those_inside_them() {
        let write = Op::Write {
            path: "/col/{c1}/ctl".into(),
            data: "x".into(),
            mode: 17,
            chunks: Chunks::Bytes,
            offset: None,
            stop_on_error: true,
        };
        let second = Op::Second { ops: vec![write] };
        let ops = [
            read("/pane/{p63}/body"),
            Op::Seq { ops: vec![read("/pane/{g0}/body"), second] },
            Op::Clunk { h: "h1".into() },
            Op::Stat { path: "/nowhere".into() },
        ];
        assert_eq!(
            tally(&ops),
            "ops: read 2, clunk 1, second 1, seq 1, stat 1, write 1\n\
             files: /pane/N/body 2, /? 1, /col/N/ctl 1\n\
             opened: to read 2, to write and truncated 1\n\
             written: a byte a time 1\n\
             refused but at the kernel level: none\n"
        );
        let nothing = tally(&[]);
        assert!(
            nothing.lines().count() == 5 && nothing.lines().all(|line| line.ends_with(": none"))
        );
    }

    #[test]
    fn what_weaker_levels_refuse_is_counted_where_it_stands() {
        let remove = |path: &str| Op::Remove { path: path.into() };
        let seq = Op::Seq { ops: vec![remove("/os/x"), remove("/x")] };
        let restore = Op::Restore { data: "no restore".into() };
        let told = tally(&[seq, remove("/src"), restore]);
        assert!(told.ends_with("refused but at the kernel level: remove 2\n"), "{told}");
    }

    #[test]
    fn lines_have_an_end() {
        let counts = (0..200).map(|n| (format!("/file{n}"), n)).collect();
        let text = lines("files", counts);
        assert!(text.lines().count() > 10 && text.lines().all(|line| line.len() <= 100));
        assert!(text.lines().skip(1).all(|line| line.starts_with("    /file")));
    }
}
