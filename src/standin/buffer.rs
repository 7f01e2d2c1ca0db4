//! The text of one file: runes in a rope, with undo and redo.

use ropey::Rope;

use super::limits::{BODY_BYTES, UNDO_BYTES, UNDO_CHANGE_BYTES};
use super::plants::Defect;
use super::refusal::{Done, refuse};
use super::runes;

/// Names a buffer; panes made by Zerox share one.
pub type BufferId = u32;

/// A file's text and what belongs to the file rather than to a view of it.
#[derive(Debug, Default)]
pub struct Buffer {
    /// The name, as the user gave it; resolved against the home directory.
    pub name: String,
    /// Whether the text differs from the file.
    pub dirty: bool,
    /// Whether the text lists a directory.
    pub is_dir: bool,
    text: Rope,
    escapes: usize,
    undo: History,
    redo: History,
    plant: Option<Defect>,
}

/// One replacement: what views of the text have to adjust to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Where, in runes.
    pub at: usize,
    /// Runes taken out.
    pub removed: usize,
    /// Runes put in.
    pub inserted: usize,
}

impl Change {
    /// Where the rune position `p` is after the change.
    pub fn moved(&self, p: usize) -> usize {
        if p <= self.at {
            p
        } else if p < self.at + self.removed {
            self.at
        } else {
            p - self.removed + self.inserted
        }
    }
}

/// Groups of changes that are undone together, oldest first, within a bound on memory.
#[derive(Debug, Default)]
struct History {
    groups: std::collections::VecDeque<Group>,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Group {
    steps: Vec<Step>,
    bytes: usize,
}

/// What undoes one change: take out `removed` runes at `at` and put the text there.
#[derive(Debug)]
struct Step {
    at: usize,
    removed: usize,
    text: Rope,
}

impl Buffer {
    /// A buffer of that name and text.
    pub fn new(name: &str, text: &str) -> Self {
        Buffer {
            name: name.into(),
            text: Rope::from_str(text),
            escapes: runes::escapes(text),
            ..Buffer::default()
        }
    }

    /// The same, with the defect that is on.
    pub fn with_plant(mut self, plant: Option<Defect>) -> Self {
        self.plant = plant;
        self
    }

    /// The text.
    pub fn text(&self) -> &Rope {
        &self.text
    }

    /// The text's length in runes.
    pub fn runes(&self) -> usize {
        self.text.len_chars()
    }

    /// The text's length in bytes, as a reader of the body counts.
    pub fn bytes(&self) -> usize {
        // An escape takes four bytes of the rope and stands for one.
        self.text.len_bytes() - 3 * self.escapes
    }

    /// Whether each rune stands for its own UTF-8 bytes.
    pub fn is_plain(&self) -> bool {
        self.escapes == 0
    }

    /// The text from `q0` to `q1`.
    pub fn slice(&self, q0: usize, q1: usize) -> String {
        self.text.slice(q0..q1).to_string()
    }

    /// Puts `text` in the place of the runes from `q0` to `q1`. With `mark` the change is undone
    /// by itself, else together with the one before it.
    pub fn replace(&mut self, q0: usize, q1: usize, text: &str, mark: bool) -> Done<Change> {
        if q0 > q1 || q1 > self.runes() {
            return refuse!("range #{q0},#{q1} is outside the body");
        }
        if self.bytes() + text.len() > BODY_BYTES {
            return refuse!("body would be longer than {BODY_BYTES} bytes");
        }
        if mark || self.undo.groups.is_empty() {
            self.undo.begin();
        }
        // Only at the end do the places of what Undo took back stay within the text.
        let survives = self.plant == Some(Defect::RedoSurvives) && q0 == self.runes();
        if !survives {
            self.redo = History::default();
        }
        let (step, change) = self.apply(q0, q1, Rope::from_str(text));
        self.undo.push(step);
        self.dirty = true;
        Ok(change)
    }

    /// Replaces without a trace in the history: what a shell prints, or what is shed for a bound.
    pub fn replace_for_good(&mut self, q0: usize, q1: usize, text: &str) -> Change {
        let end = self.runes();
        let (q0, q1) = (q0.min(end), q1.min(end));
        let (_, change) = self.apply(q0, q1.max(q0), Rope::from_str(text));
        self.undo = History::default();
        self.redo = History::default();
        change
    }

    /// Takes back the last group of changes; tells each change made and the text put in.
    pub fn undo(&mut self) -> Option<Vec<(Change, Rope)>> {
        let mut group = self.undo.pop()?;
        let deep = self.redo.groups.len() >= 4;
        assert!(!deep || self.plant != Some(Defect::CrashDeepUndo), "undo stack underflow");
        if self.plant == Some(Defect::UndoForgets) && group.steps.len() > 1 {
            group.steps.remove(0);
        }
        Some(self.play(group, true))
    }

    /// Does again what was taken back.
    pub fn redo(&mut self) -> Option<Vec<(Change, Rope)>> {
        let group = self.redo.pop()?;
        Some(self.play(group, false))
    }

    /// Whether there is something to undo, and to redo.
    pub fn history(&self) -> (bool, bool) {
        (!self.undo.groups.is_empty(), !self.redo.groups.is_empty())
    }

    fn play(&mut self, group: Group, undoing: bool) -> Vec<(Change, Rope)> {
        let again = |step: Step| {
            let text = step.text.clone();
            let (step, change) = self.apply(step.at, step.at + step.removed, step.text);
            (step, (change, text))
        };
        let (steps, changes): (Vec<Step>, Vec<_>) =
            group.steps.into_iter().rev().map(again).unzip();
        let other = if undoing { &mut self.redo } else { &mut self.undo };
        other.begin();
        steps.into_iter().for_each(|step| other.push(step));
        self.dirty = true;
        changes
    }

    fn apply(&mut self, q0: usize, q1: usize, text: Rope) -> (Step, Change) {
        let removed: Rope = self.text.slice(q0..q1).into();
        self.text.remove(q0..q1);
        let inserted = text.len_chars();
        self.escapes += escapes(&text);
        self.escapes -= escapes(&removed);
        insert(&mut self.text, q0, &text);
        let change = Change { at: q0, removed: q1 - q0, inserted };
        (Step { at: q0, removed: inserted, text: removed }, change)
    }
}

impl History {
    fn begin(&mut self) {
        if self.groups.back().is_none_or(|last| !last.steps.is_empty()) {
            self.groups.push_back(Group::default());
        }
    }

    fn push(&mut self, step: Step) {
        let bytes = step.text.len_bytes() + UNDO_CHANGE_BYTES;
        if let Some(group) = self.groups.back_mut() {
            group.steps.push(step);
            group.bytes += bytes;
            self.bytes += bytes;
        }
        while self.bytes > UNDO_BYTES {
            let Some(oldest) = self.groups.pop_front() else { break };
            self.bytes -= oldest.bytes;
        }
    }

    fn pop(&mut self) -> Option<Group> {
        let group = self.groups.pop_back()?;
        self.bytes -= group.bytes;
        Some(group)
    }
}

fn escapes(text: &Rope) -> usize {
    text.chunks().map(runes::escapes).sum()
}

fn insert(into: &mut Rope, at: usize, text: &Rope) {
    let mut at = at;
    for chunk in text.chunks() {
        into.insert(at, chunk);
        at += chunk.chars().count();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn undo_gives_the_text_before_and_redo_the_text_after() {
        let mut buffer = Buffer::new("f", "one two");
        buffer.replace(0, 3, "1", true).unwrap();
        buffer.replace(2, 5, "2", true).unwrap();
        assert_eq!(buffer.text().to_string(), "1 2");
        buffer.undo().unwrap();
        assert_eq!(buffer.text().to_string(), "1 two");
        buffer.undo().unwrap();
        assert_eq!(buffer.text().to_string(), "one two");
        assert!(buffer.undo().is_none());
        buffer.redo().unwrap();
        buffer.redo().unwrap();
        assert_eq!(buffer.text().to_string(), "1 2");
        assert!(buffer.redo().is_none());
    }

    #[test]
    fn unmarked_changes_are_undone_together() {
        let mut buffer = Buffer::new("f", "");
        buffer.replace(0, 0, "a", true).unwrap();
        buffer.replace(1, 1, "b", false).unwrap();
        buffer.undo().unwrap();
        assert_eq!(buffer.runes(), 0);
    }

    #[test]
    fn history_has_a_bound_on_memory() {
        let mut buffer = Buffer::new("f", &"x".repeat(1 << 20));
        for _ in 0..50 {
            buffer.replace(0, 1 << 20, &"y".repeat(1 << 20), true).unwrap();
        }
        let undone = std::iter::from_fn(|| buffer.undo()).count();
        assert!(undone < 40, "{undone}");
    }

    proptest! {
        #[test]
        fn undoing_everything_gives_the_beginning(
            edits in prop::collection::vec(
                (0usize..20, 0usize..6, "[a日\u{10feff}]{0,4}", any::<bool>()),
                0..30,
            ),
        ) {
            let mut buffer = Buffer::new("f", "begin\n");
            for (at, len, text, mark) in &edits {
                let q0 = (*at).min(buffer.runes());
                let q1 = (q0 + len).min(buffer.runes());
                buffer.replace(q0, q1, text, *mark).unwrap();
            }
            let after = buffer.text().to_string();
            prop_assert_eq!(buffer.bytes(), runes::to_bytes(&after).len());
            while buffer.undo().is_some() {}
            prop_assert_eq!(buffer.text().to_string(), "begin\n");
            while buffer.redo().is_some() {}
            prop_assert_eq!(buffer.text().to_string(), after);
        }
    }
}
