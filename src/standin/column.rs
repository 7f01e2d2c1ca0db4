//! The columns of the window and the order of the panes in them.

use super::limits::COLUMNS;
use super::pane::{ColumnId, Serial};
use super::refusal::{Done, refuse};

/// A column: its tag, and its panes from top to bottom.
#[derive(Debug)]
pub struct Column {
    /// Its name in the tree.
    pub id: ColumnId,
    /// Its tag.
    pub tag: String,
    /// Its panes.
    pub panes: Vec<Serial>,
}

/// All columns, left to right; there is always one.
#[derive(Debug)]
pub struct Columns {
    all: Vec<Column>,
    next: ColumnId,
}

impl Columns {
    /// One empty column.
    pub fn new() -> Self {
        let mut columns = Columns { all: Vec::new(), next: 1 };
        let _ = columns.add(None);
        columns
    }

    /// A new column to the right of `after`, or of all.
    pub fn add(&mut self, after: Option<ColumnId>) -> Done<ColumnId> {
        if self.all.len() >= COLUMNS {
            return refuse!("no more than {COLUMNS} columns");
        }
        let id = self.next;
        self.next += 1;
        let at = after.and_then(|id| self.position(id)).map_or(self.all.len(), |at| at + 1);
        self.all.insert(at, Column { id, tag: TAG.into(), panes: Vec::new() });
        Ok(id)
    }

    /// Puts back a column of a dump, its name kept.
    pub fn restore(&mut self, columns: Vec<Column>) {
        self.next = columns.iter().map(|c| c.id + 1).max().unwrap_or(1).max(self.next);
        self.all = columns;
    }

    /// The columns, left to right.
    pub fn iter(&self) -> impl Iterator<Item = &Column> {
        self.all.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// One of them.
    pub fn get(&self, id: ColumnId) -> Option<&Column> {
        self.all.iter().find(|column| column.id == id)
    }

    /// One of them, to change it.
    pub fn get_mut(&mut self, id: ColumnId) -> Option<&mut Column> {
        self.all.iter_mut().find(|column| column.id == id)
    }

    /// Where in the row of columns it stands.
    pub fn position(&self, id: ColumnId) -> Option<usize> {
        self.all.iter().position(|column| column.id == id)
    }

    /// The column `by` places to the right of `id`, if there is one.
    pub fn beside(&self, id: ColumnId, by: isize) -> Option<&Column> {
        self.all.get(self.position(id)?.checked_add_signed(by)?)
    }

    /// The column with the fewest panes: where a new one goes when nothing says where.
    pub fn roomiest(&self) -> Option<ColumnId> {
        self.all.iter().min_by_key(|column| column.panes.len()).map(|column| column.id)
    }

    /// Takes an empty column away.
    pub fn remove(&mut self, id: ColumnId) {
        self.all.retain(|column| column.id != id);
    }

    /// Takes a pane out of its column.
    pub fn take_pane(&mut self, serial: Serial) {
        self.all.iter_mut().for_each(|column| column.panes.retain(|pane| *pane != serial));
    }
}

const TAG: &str = "New Cut Paste Snarf Sort Zerox Delcol ";
