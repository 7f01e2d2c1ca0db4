//! A pane: a view of a buffer, with its tag, its selection and its addresses.

use super::address::Range;
use super::buffer::{BufferId, Change};
use super::event::{Events, OpenId};
use super::terminal::Terminal;

/// Names a pane; never used twice.
pub type Serial = u32;
/// Names a column; never used twice.
pub type ColumnId = u32;

/// What a pane holds besides its text.
#[derive(Debug)]
pub struct Pane {
    /// Its name in the tree.
    pub serial: Serial,
    /// The column it stands in.
    pub column: ColumnId,
    /// The text it shows.
    pub buffer: BufferId,
    /// The tag behind its bar, which is the user's.
    pub tag: String,
    /// The selection.
    pub dot: Range,
    /// What `data` and `xdata` read and write.
    pub addr: Range,
    /// What searches are limited to.
    pub limit: Option<Range>,
    /// What Edit's `k` has set.
    pub mark: Range,
    /// Whether each change is undone by itself.
    pub marking: bool,
    /// Whether output keeps its end in view.
    pub scroll: bool,
    /// The first rune in view.
    pub origin: usize,
    /// Whether long lines go on in the next row.
    pub wrap: bool,
    /// Whether only its tag is shown.
    pub collapsed: bool,
    /// Whether closing it despite changes was already refused once.
    pub warned: bool,
    /// The open of `ctl` that locked it.
    pub lock: Option<OpenId>,
    /// What its event file tells.
    pub events: Events,
    /// Its shell.
    pub terminal: Option<Terminal>,
}

impl Pane {
    /// A view of `buffer` from its beginning.
    pub fn new(serial: Serial, column: ColumnId, buffer: BufferId) -> Self {
        Pane {
            serial,
            column,
            buffer,
            tag: " Look ".into(),
            dot: Range::default(),
            addr: Range::default(),
            limit: None,
            mark: Range::default(),
            marking: true,
            scroll: true,
            origin: 0,
            wrap: true,
            collapsed: false,
            warned: false,
            lock: None,
            events: Events::default(),
            terminal: None,
        }
    }

    /// Moves its positions along with a change of its text.
    pub fn adjust(&mut self, change: &Change) {
        let moved = |range: Range| Range::new(change.moved(range.q0), change.moved(range.q1));
        self.dot = moved(self.dot);
        self.addr = moved(self.addr);
        self.mark = moved(self.mark);
        self.limit = self.limit.map(moved);
        self.origin = change.moved(self.origin);
    }
}
