//! Live references: what `{pN}`, `{cN}` and `{gN}` stand for when an op runs.

use std::collections::BTreeSet;

use once_cell::sync::Lazy;
use regex::bytes::{Captures, Regex};

use crate::ops::{Latin1, Op, WireStep};
use crate::wire::msg::Tmsg;

/// Closed panes that are remembered.
const GONE: usize = 20;

/// The panes and columns alive after the last step, and panes seen and since gone.
#[derive(Clone, Debug, Default)]
pub struct Refs {
    /// Serials, in the order of `/index`.
    pub panes: Vec<u64>,
    /// Column numbers, in the order of `/col`.
    pub columns: Vec<u64>,
    gone: Vec<u64>,
}

static TOKEN: Lazy<Regex> =
    Lazy::new(|| Regex::new(r"\{([pcg])([0-9]{1,9})\}").expect("a constant"));

impl Refs {
    /// Takes over the serials of a fresh `/index`.
    pub fn set_panes(&mut self, panes: Vec<u64>) {
        let now: BTreeSet<u64> = panes.iter().copied().collect();
        let mut gone: BTreeSet<u64> = self.gone.iter().copied().collect();
        gone.extend(self.panes.iter().filter(|serial| !now.contains(serial)));
        self.gone = gone.into_iter().filter(|serial| !now.contains(serial)).collect();
        let surplus = self.gone.len().saturating_sub(GONE);
        self.gone.drain(..surplus);
        self.panes = panes;
    }

    /// The op with its tokens replaced: in paths, and in what is written to a `focus` file.
    pub fn resolve(&self, op: &Op) -> Op {
        let mut op = op.clone();
        self.resolve_in_place(&mut op);
        op
    }

    fn resolve_in_place(&self, op: &mut Op) {
        match op {
            Op::Write { path, data, .. } => {
                self.replace(path);
                if path.split(|&byte| byte == b'/').any(|name| name == b"focus") {
                    self.replace(data);
                }
            }
            Op::Read { path, .. }
            | Op::Stat { path }
            | Op::Remove { path }
            | Op::Create { path, .. }
            | Op::Hold { path, .. } => self.replace(path),
            Op::Wire { steps } => steps.iter_mut().for_each(|step| self.replace_names(step)),
            Op::Seq { ops } | Op::Second { ops } => {
                ops.iter_mut().for_each(|op| self.resolve_in_place(op));
            }
            _ => {}
        }
    }

    fn replace_names(&self, step: &mut WireStep) {
        let WireStep::Send { message: Tmsg::Walk { names, .. }, .. } = step else { return };
        for name in names.iter_mut().filter(|name| name.contains(&b'{')) {
            let mut text = Latin1(name.to_vec());
            self.replace(&mut text);
            *name = text.0.into();
        }
    }

    fn replace(&self, text: &mut Latin1) {
        let live = |captures: &Captures<'_>| {
            let from = match &captures[1] {
                b"p" => &self.panes,
                b"c" => &self.columns,
                _ => &self.gone,
            };
            let index: usize =
                std::str::from_utf8(&captures[2]).unwrap_or("0").parse().unwrap_or(0);
            match from.is_empty() {
                true => b"0".to_vec(),
                false => from[index % from.len()].to_string().into_bytes(),
            }
        };
        if text.contains(&b'{') {
            text.0 = TOKEN.replace_all(text, live).into_owned();
        }
    }
}

/// The serials of an `/index`: each line's first field, where it is a number.
pub fn serials(index: &[u8]) -> Vec<u64> {
    String::from_utf8_lossy(index)
        .lines()
        .filter_map(|line| line.split_whitespace().next()?.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_name_what_is_alive() {
        let mut refs = Refs::default();
        let path = |refs: &Refs, text: &str| {
            let op = refs.resolve(&Op::Stat { path: text.into() });
            op.path().unwrap().to_text()
        };
        assert_eq!(path(&refs, "/pane/{p3}/body"), "/pane/0/body");
        refs.set_panes(vec![5, 7, 9]);
        refs.columns = vec![2];
        assert_eq!(path(&refs, "/pane/{p4}/x{c9}"), "/pane/7/x2");
        assert_eq!(path(&refs, "/pane/{g1}"), "/pane/0");
        refs.set_panes(vec![9, 11]);
        assert_eq!(path(&refs, "/pane/{g0}/{g1}/{g2}/{p0}"), "/pane/5/7/5/9");
        assert_eq!(path(&refs, "/pane/{p}/{p1x}/{q1}"), "/pane/{p}/{p1x}/{q1}");
        refs.set_panes((100..200).collect());
        refs.set_panes(vec![1]);
        assert_eq!(path(&refs, "/pane/{g0}"), "/pane/180");
    }

    #[test]
    fn data_is_resolved_for_focus_alone() {
        let mut refs = Refs::default();
        refs.set_panes(vec![5]);
        for (path, want) in [("/focus", "5"), ("/pane/{p0}/body", "{p0}")] {
            let op = Op::Write {
                path: path.into(),
                data: "{p0}".into(),
                mode: 1,
                chunks: Default::default(),
                offset: None,
                stop_on_error: true,
            };
            let Op::Write { data, .. } = refs.resolve(&op) else { unreachable!() };
            assert_eq!(data, want.into());
        }
    }

    #[test]
    fn an_index_gives_its_first_fields() {
        assert_eq!(serials(b"3 alpha.txt\n12\tx\n\nnonsense\n7"), [3, 12, 7]);
    }
}
