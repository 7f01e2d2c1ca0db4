//! How often the generator takes what: all its numbers in one place.

use super::step::Family;

/// A weight for each family, in its order: the share of steps that it gets.
const FAMILIES: [(Family, u32); 21] = [
    (Family::Write, 30),
    (Family::Read, 14),
    (Family::Stat, 4),
    (Family::NewPane, 5),
    (Family::Remove, 2),
    (Family::Create, 2),
    (Family::Clear, 2),
    (Family::Handle, 6),
    (Family::Shell, 6),
    (Family::Edit, 6),
    (Family::Addr, 8),
    (Family::Tag, 3),
    (Family::Event, 3),
    (Family::Dump, 2),
    (Family::Host, 3),
    (Family::Look, 3),
    (Family::Split, 2),
    (Family::Wire, 7),
    (Family::Second, 3),
    (Family::History, 4),
    (Family::Open, 2),
];

/// The weights of one generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights(Vec<(Family, u32)>);

impl Default for Weights {
    /// The fixed table.
    fn default() -> Self {
        Weights(FAMILIES.to_vec())
    }
}

impl Weights {
    /// The same weights, but for one family; 0 turns it off.
    pub fn with(mut self, family: Family, weight: u32) -> Weights {
        self.0.iter_mut().filter(|(of, _)| *of == family).for_each(|(_, old)| *old = weight);
        self
    }

    /// A family's weight.
    pub fn of(&self, family: Family) -> u32 {
        self.0.iter().filter(|(of, _)| *of == family).map(|(_, weight)| weight).sum()
    }

    /// All weights together.
    pub(super) fn total(&self) -> u32 {
        self.0.iter().map(|(_, weight)| weight).sum()
    }

    /// The family at a point below the total, each as wide as its weight.
    pub(super) fn at(&self, mut point: u32) -> Option<Family> {
        for (family, weight) in &self.0 {
            if point < *weight {
                return Some(*family);
            }
            point -= weight;
        }
        None
    }
}

/// Shares of what a family chooses between, in percent.
pub(super) mod percent {
    /// Steps with which a story begins: several steps on one pane.
    pub const STORY: u32 = 3;
    /// A pane limited and collapsed, runes in small pieces, a wide tag, a lock, deep undo, events left
    /// unread, files opened anew, a text seen twice, an Edit that fails after it changed something;
    /// the rest is many panes that come and go, at times with a column.
    pub const STORIES: [u32; 9] = [13, 13, 10, 12, 10, 10, 10, 9, 9];
    pub const CROWD_COLUMN: u32 = 20;

    /// Panes that are alive, and those that are gone; the rest cannot be.
    pub const LIVE_PANE: u32 = 85;
    pub const GONE_PANE: u32 = 10;
    /// Columns that exist.
    pub const LIVE_COLUMN: u32 = 85;

    /// Where a path leads: a pane's file, the root's, a column's, an odd name in a pane; the rest
    /// is lost.
    pub const PANE_FILE: u32 = 60;
    pub const ROOT_FILE: u32 = 15;
    pub const COLUMN_FILE: u32 = 10;
    pub const WEIRD: u32 = 8;
    /// A write to a file that takes writes.
    pub const WRITABLE: u32 = 90;
    /// A directory instead of a file in it.
    pub const DIRECTORY: u32 = 4;

    /// A payload of any kind, whatever the file takes.
    pub const ANY_PAYLOAD: u32 = 25;
    /// Any kind of text, where any payload is wanted.
    pub const ANY_TEXT: u32 = 70;
    /// A payload that is changed after it was made: an Edit line, an address, a command line, an
    /// event record, and any other.
    pub const MUTATED_EDIT: u32 = 20;
    pub const MUTATED_ADDRESS: u32 = 15;
    pub const MUTATED_COMMAND: u32 = 20;
    pub const MUTATED_EVENT: u32 = 30;
    pub const MUTATED_OTHER: u32 = 4;
    /// Text that ends in a newline of some form.
    pub const ENDED: u32 = 60;
    /// Texts of one word, of odd pieces, of very many words, of an exact size, of runes, of bytes.
    pub const WORD: u32 = 35;
    pub const ODD: u32 = 40;
    pub const REPEAT: u32 = 4;
    pub const SIZED: u32 = 4;
    pub const RUNES: u32 = 7;

    /// Writes of single bytes, and in pieces of other sizes.
    pub const SINGLE_BYTES: u32 = 8;
    pub const PIECES: u32 = 7;
    /// Writes that name an offset.
    pub const OFFSET: u32 = 5;
    /// Writes, reads and holds of any file of the tree, opened in any mode, each as likely as the
    /// others: what is rare otherwise.
    pub const ANYHOW: u32 = 15;
    /// Reads that are opened for more than reading.
    pub const READ_MODE: u32 = 12;
    /// Stats and reads of the host's trees.
    pub const HOST_STAT: u32 = 20;
    pub const HOST_READ: u32 = 2;

    /// With handles open: open another, write, read; the rest closes.
    pub const HOLD: u32 = 35;
    pub const HANDLE_WRITE: u32 = 25;
    pub const HANDLE_READ: u32 = 25;
    /// A handle that is not open.
    pub const CLOSED_HANDLE: u32 = 4;
    /// Handle reads that name an offset.
    pub const HANDLE_OFFSET: u32 = 40;
    /// A hold of what holds its readers, or is long.
    pub const HOLD_STREAM: u32 = 30;
    /// Holds and creates that open for reading, writing or both, and empty nothing.
    pub const USUAL_MODE: u32 = 90;
    /// Writes that are opened to read and to truncate.
    pub const READ_TRUNCATE: u32 = 4;

    /// Long names, odd ones, runes; the rest are any bytes.
    pub const NAMES: [u32; 3] = [30, 20, 20];
    /// Removes of panes and of columns; the rest remove anything.
    pub const REMOVED: [u32; 2] = [60, 25];
    /// New panes that are read and closed; the rest are held open.
    pub const NEW_PANE_READ: u32 = 70;
    /// Clearings that spare a pane, and that make one at the end.
    pub const CLEAR_SPARES: u32 = 80;
    pub const CLEAR_REBUILDS: u32 = 60;

    /// Terms alone, patterns forward and backward, two terms joined; the rest is one after another.
    pub const ADDRESSES: [u32; 4] = [40, 25, 5, 15];
    /// A pattern as the second of two terms.
    pub const SECOND_PATTERN: u32 = 4;
    /// Reads and writes after an address was written; the rest is nothing.
    pub const AFTER_ADDR: [u32; 2] = [40, 30];
    /// Reads there of data and of xdata; the rest read an address. And reads of little at a time.
    pub const ADDR_FILES: [u32; 2] = [40, 35];
    pub const ADDR_LITTLE: u32 = 50;

    /// Edit lines among command lines, and command lines after the first.
    pub const EDIT_LINE: u32 = 10;
    pub const MORE_LINES: u32 = 10;
    /// Before the lines one that logs what it says, whatever comes of the rest.
    pub const MESSAGE_FIRST: u32 = 6;
    /// Commands alone, with a word, with bytes, control words, shell lines; the rest is bytes.
    pub const COMMANDS: [u32; 5] = [38, 28, 8, 14, 10];
    /// Lines that are ended.
    pub const LINE_ENDED: u32 = 80;
    pub const EDIT_ENDED: u32 = 90;
    /// Edit commands with an address before the one they need, and text with a rune.
    pub const EDIT_ADDRESS: u32 = 40;
    pub const EDIT_RUNE: u32 = 30;
    /// Substitutions that repeat the match, and of every match.
    pub const SUBSTITUTE_MATCH: u32 = 30;
    pub const SUBSTITUTE_ALL: u32 = 70;
    /// Blocks and groups that are ended.
    pub const BLOCK_DOT: u32 = 60;
    pub const GROUP_CLOSED: u32 = 80;
    /// Lines of a group after the first that are done somewhere else.
    pub const GROUP_ADDRESS: u32 = 50;

    /// Texts written and read back; the rest are changed several times.
    pub const KEPT: u32 = 40;
    /// Texts of runes among those; and texts that are then read by address.
    pub const KEPT_RUNES: u32 = 50;
    pub const KEPT_ADDRESSED: u32 = 70;
    /// Edits, Edits of every match, texts appended and replaced, Undo; the rest is Redo.
    pub const ACTS: [u32; 5] = [20, 15, 20, 10, 20];
    /// Acts that begin with a change which is taken back, and perhaps done again; and of those the
    /// ones with another change in between.
    pub const ACT_STORY: u32 = 50;
    pub const ACT_BETWEEN: u32 = 50;
    /// Edits, Edits of every match, texts appended; the rest are texts replaced.
    pub const CHANGES: [u32; 3] = [20, 30, 35];
    /// What a second client does: write, read, hold, edit, remove; the rest makes panes.
    pub const CLIENT_STEPS: [u32; 5] = [35, 25, 20, 10, 5];
    /// Events that are taken during changes and held against the text; the rest are a handle's.
    pub const WATCH: u32 = 50;
    /// Dumps that are restored in the same step.
    pub const RELOAD: u32 = 40;

    /// Shells that are told to print what is known and listened to, in panes that become terminals
    /// for it, and that are told to end.
    pub const TALK: u32 = 30;
    pub const TALK_STARTS: u32 = 60;
    pub const TALK_ENDS: u32 = 25;
    /// Shells started, run in, typed to, signalled; the rest runs programs.
    pub const SHELLS: [u32; 4] = [25, 20, 15, 15];
    /// Shell files that are opened for reading too.
    pub const SHELL_BOTH: u32 = 20;
    /// Looks for a file.
    pub const LOOK_FILE: u32 = 70;
    /// Event records whose length lies, and that are ended.
    pub const EVENT_LIE: u32 = 10;
    pub const EVENT_ENDED: u32 = 95;

    /// Lines for shells, Edit commands, changes below the host's trees, scripts of raw messages; the
    /// rest are builtins.
    pub const OPEN: [u32; 4] = [45, 25, 12, 10];
    /// Lines before which the pane becomes a terminal, and Edit commands in loops.
    pub const OPEN_STARTS: u32 = 50;
    pub const OPEN_LOOPS: u32 = 15;

    /// Scripts of raw messages that begin with a story, and messages that are told no tag.
    pub const WIRE_STORY: u32 = 70;
    pub const WIRE_OWN_TAG: u32 = 60;
    /// Waits between a script's messages, and messages in two pieces.
    pub const WIRE_WAIT: u32 = 30;
    pub const WIRE_CUT: u32 = 3;
}
