//! The changes an Edit collects: in order, none over another.

use std::collections::BTreeMap;

use crate::standin::address::Range;
use crate::standin::buffer::BufferId;
use crate::standin::editor::Editor;
use crate::standin::limits::{BODY_BYTES, EDIT_CHANGES, EDIT_INSERT_BYTES};
use crate::standin::pane::Serial;
use crate::standin::refusal::{Done, refuse};

/// The changes of one text, in runes of the text before all of them.
#[derive(Debug, Default)]
pub struct Changes {
    all: Vec<(Range, String)>,
    inserted_bytes: usize,
}

impl Changes {
    /// Adds the replacement of `range` by `text`. Insertions at one place are joined.
    pub fn add(&mut self, range: Range, text: &str) -> Done {
        if range.is_empty() && text.is_empty() {
            return Ok(());
        }
        if self.all.len() >= EDIT_CHANGES {
            return refuse!("Edit makes more than {EDIT_CHANGES} changes");
        }
        self.inserted_bytes += text.len();
        if self.inserted_bytes > EDIT_INSERT_BYTES {
            return refuse!("Edit would insert more than {EDIT_INSERT_BYTES} bytes");
        }
        let Some((last, joined)) = self.all.last_mut() else {
            self.all.push((range, text.into()));
            return Ok(());
        };
        if range.q0 < last.q1 {
            return Err("changes not in sequence".into());
        }
        if range.q0 == last.q1 && range.is_empty() {
            joined.push_str(text);
        } else {
            self.all.push((range, text.into()));
        }
        Ok(())
    }

    /// Whether the text, of `bytes` now, has room for the changes.
    pub fn fit(&self, bytes: usize) -> Done {
        if bytes + self.inserted_bytes > BODY_BYTES {
            return refuse!("body would be longer than {BODY_BYTES} bytes");
        }
        Ok(())
    }

    /// Where `range` is once the changes are made: what was inserted at its ends is in it.
    pub fn moved(&self, range: Range) -> Range {
        let q0 = self.shifted(range.q0, |change| change.q1 <= range.q0 && change.q0 < range.q0);
        let q1 = self.shifted(range.q1, |change| change.q1 <= range.q1);
        Range::new(q0.min(q1), q1)
    }

    /// The changes from the last to the first: each leaves the places of the others as they are.
    pub fn backwards(self) -> impl Iterator<Item = (Range, String)> {
        self.all.into_iter().rev()
    }

    fn shifted(&self, q: usize, counts: impl Fn(&Range) -> bool) -> usize {
        let (mut plus, mut minus) = (0, 0);
        for (range, text) in self.all.iter().filter(|(range, _)| counts(range)) {
            plus += text.chars().count();
            minus += range.q1 - range.q0;
        }
        q + plus - minus
    }
}

/// Makes all changes, and sets each dot to where it is then. Room for them is checked first, so
/// that none is made if one cannot be.
pub fn make(
    editor: &mut Editor,
    changes: BTreeMap<BufferId, Changes>,
    dots: BTreeMap<Serial, Range>,
) -> Done {
    for (id, changes) in &changes {
        if let Some(buffer) = editor.buffers.get(id) {
            changes.fit(buffer.bytes())?;
        }
    }
    editor.has_room(0, changes.values().map(|changes| changes.inserted_bytes).sum())?;
    let mut moved = Vec::new();
    for (serial, dot) in dots {
        let id = editor.pane(serial)?.buffer;
        moved.push((serial, changes.get(&id).map_or(dot, |changes| changes.moved(dot))));
    }
    for (id, changes) in changes {
        let marking = editor.panes.values().any(|pane| pane.buffer == id && pane.marking);
        for (n, (range, text)) in changes.backwards().enumerate() {
            editor.change(id, range, &text, 'F', marking && n == 0)?;
        }
    }
    for (serial, dot) in moved {
        editor.pane_mut(serial)?.dot = dot;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_come_in_order() {
        let mut changes = Changes::default();
        changes.add(Range::new(2, 4), "x").unwrap();
        changes.add(Range::at(4), "y").unwrap();
        assert!(changes.add(Range::at(3), "z").is_err());
        assert_eq!(changes.moved(Range::new(2, 4)), Range::new(2, 4));
        assert_eq!(changes.moved(Range::new(0, 6)), Range::new(0, 6));
        assert_eq!(changes.backwards().count(), 1);
    }

    #[test]
    fn an_inserted_text_is_the_dot() {
        let mut changes = Changes::default();
        changes.add(Range::at(3), "abc").unwrap();
        assert_eq!(changes.moved(Range::at(3)), Range::new(3, 6));
    }
}
