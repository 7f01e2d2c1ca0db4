//! The session: its panes, columns, buffers and log, and the few ways in which they change.

use std::collections::BTreeMap;

use super::address::Range;
use super::buffer::{Buffer, BufferId, Change};
use super::column::Columns;
use super::host::Host;
use super::jobs::Jobs;
use super::limits::{BODIES_BYTES, JUMPS, NAME_BYTES, PANES, RECENT};
use super::log::Log;
use super::notes::Note;
use super::pane::{ColumnId, Pane, Serial};
use super::plants::Defect;
use super::refusal::{Done, refuse};
use super::regexp::Patterns;
use super::render;
use super::settings::Settings;

/// Everything that is served.
#[derive(Debug)]
pub struct Editor {
    /// The panes by serial.
    pub panes: BTreeMap<Serial, Pane>,
    /// The texts that they show.
    pub buffers: BTreeMap<BufferId, Buffer>,
    /// The columns that they stand in.
    pub columns: Columns,
    /// The pane that commands without one of their own apply to.
    pub focus: Serial,
    /// The log.
    pub log: Log,
    /// What the write under way has said, kept until it is known to succeed.
    pub notes: Vec<Note>,
    /// The host's files and processes.
    pub host: Host,
    /// Commands that run.
    pub jobs: Jobs,
    /// What Cut and Snarf have put aside.
    pub snarf: String,
    /// The regular expressions used before.
    pub patterns: Patterns,
    /// The tag over all columns.
    pub tag: String,
    /// What the user may set.
    pub settings: Settings,
    /// Places that were left, oldest first, and which of them is current.
    pub jumps: (Vec<(Serial, Range)>, usize),
    /// Files opened, newest first.
    pub recent: Vec<String>,
    /// What the loop has to do next.
    pub ending: Option<Ending>,
    /// The planted defect that is on.
    pub plant: Option<Defect>,
    next_serial: Serial,
    next_buffer: BufferId,
    next_open: u64,
}

/// What ends the session as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The last pane was closed.
    Quit,
    /// Another state was restored: every client is hung up.
    Restored,
}

/// Where a pane is put.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// Where there is most room.
    Anywhere,
    /// At the foot of a column.
    Column(ColumnId),
    /// Below another pane.
    Below(Serial),
}

impl Editor {
    /// A session without a pane.
    pub fn new(host: Host, plant: Option<Defect>) -> Self {
        Editor {
            panes: BTreeMap::new(),
            buffers: BTreeMap::new(),
            columns: Columns::new(),
            focus: 0,
            log: Log::new(plant),
            notes: Vec::new(),
            host,
            jobs: Jobs::default(),
            snarf: String::new(),
            patterns: Patterns::new(plant),
            tag: "Newcol Putall Dump Exit ".into(),
            settings: Settings::default(),
            jumps: (Vec::new(), 0),
            recent: Vec::new(),
            ending: None,
            plant,
            next_serial: 1,
            next_buffer: 1,
            next_open: 1,
        }
    }

    /// Whether the defect is the one that is on.
    pub fn planted(&self, defect: Defect) -> bool {
        self.plant == Some(defect)
    }

    /// The pane of that serial.
    pub fn pane(&self, serial: Serial) -> Done<&Pane> {
        self.panes.get(&serial).ok_or_else(|| no_pane(serial))
    }

    /// The pane of that serial, to change it.
    pub fn pane_mut(&mut self, serial: Serial) -> Done<&mut Pane> {
        self.panes.get_mut(&serial).ok_or_else(|| no_pane(serial))
    }

    /// The text that a pane shows.
    pub fn buffer(&self, serial: Serial) -> Done<&Buffer> {
        let id = self.pane(serial)?.buffer;
        self.buffers.get(&id).ok_or_else(|| no_pane(serial))
    }

    /// The text that a pane shows, to change it.
    pub fn buffer_mut(&mut self, serial: Serial) -> Done<&mut Buffer> {
        let id = self.pane(serial)?.buffer;
        self.buffers.get_mut(&id).ok_or_else(|| no_pane(serial))
    }

    /// A number for an open of a file that no other open has.
    pub fn open_id(&mut self) -> u64 {
        self.next_open += 1;
        self.next_open
    }

    /// Makes a pane that shows a new buffer.
    pub fn add_pane(&mut self, buffer: Buffer, place: Place) -> Done<Serial> {
        self.has_room(0, buffer.bytes())?;
        let id = self.add_buffer(buffer);
        let serial = self.add_view(id, place);
        if serial.is_err() {
            self.buffers.remove(&id);
        }
        serial
    }

    /// Makes a pane that shows the buffer `id`.
    pub fn add_view(&mut self, id: BufferId, place: Place) -> Done<Serial> {
        if self.panes.len() >= PANES {
            return refuse!("no more than {PANES} panes");
        }
        let (column, at) = self.place(place)?;
        let serial = self.next_serial;
        self.next_serial = serial.checked_add(1).ok_or("no serial is left for another pane")?;
        self.panes.insert(serial, Pane::new(serial, column, id));
        if let Some(column) = self.columns.get_mut(column) {
            column.panes.insert(at.min(column.panes.len()), serial);
        }
        self.focus = serial;
        self.log.say(&format!("open {serial} {}", self.name_for_log(id)));
        Ok(serial)
    }

    /// Closes a pane, whatever is in it; closing the last one ends the session.
    pub fn close_pane(&mut self, serial: Serial) -> Done {
        let pane = self.panes.remove(&serial).ok_or_else(|| no_pane(serial))?;
        match pane.terminal {
            Some(terminal) if self.planted(Defect::ShellOutlives) => std::mem::forget(terminal),
            Some(terminal) => terminal.end(),
            None => {}
        }
        let closed_by_now = self.next_serial as usize - 1 - self.panes.len();
        assert!(
            !self.planted(Defect::CrashLongLife) || closed_by_now < 40,
            "table of panes is full"
        );
        self.columns.take_pane(serial);
        if !self.panes.values().any(|other| other.buffer == pane.buffer) {
            self.buffers.remove(&pane.buffer);
        }
        if self.focus == serial {
            let beside = self.columns.get(pane.column).and_then(|c| c.panes.first().copied());
            let any = self.panes.keys().next().copied();
            self.focus = beside.or(any).unwrap_or(0);
        }
        self.log.say(&format!("close {serial}"));
        if self.panes.is_empty() {
            self.ending = Some(Ending::Quit);
        }
        Ok(())
    }

    /// Changes a pane's text on behalf of `origin` (acme(4)'s E, F, K or M).
    pub fn edit(&mut self, serial: Serial, range: Range, text: &str, origin: char) -> Done {
        let pane = self.pane(serial)?;
        let (id, mark) = (pane.buffer, pane.marking);
        self.change(id, range, text, origin, mark)
    }

    /// Changes a buffer; without `mark` the change is undone together with the one before.
    pub fn change(
        &mut self,
        id: BufferId,
        range: Range,
        text: &str,
        origin: char,
        mark: bool,
    ) -> Done {
        if range.is_empty() && text.is_empty() {
            return Ok(());
        }
        self.has_room(range.q1.saturating_sub(range.q0), text.len())?;
        let Some(buffer) = self.buffers.get_mut(&id) else {
            return Err("no such text".into());
        };
        let change = buffer.replace(range.q0, range.q1, text, mark)?;
        self.follow(id, &change, text, origin);
        Ok(())
    }

    /// Undoes or redoes the last change of a pane's text.
    pub fn undo(&mut self, serial: Serial, redo: bool) -> Done {
        let pane = self.pane(serial)?;
        let odd = redo && pane.collapsed && pane.limit.is_some();
        assert!(!odd || !self.planted(Defect::CrashRedoCollapsed), "limit outside the view");
        let id = pane.buffer;
        let Some(buffer) = self.buffers.get_mut(&id) else { return Err(no_pane(serial)) };
        let changes = if redo { buffer.redo() } else { buffer.undo() };
        let changes = changes.ok_or(if redo { "nothing to redo" } else { "nothing to undo" })?;
        let is_read = self.panes.values().any(|pane| pane.events.is_read());
        for (change, text) in &changes {
            let text = if is_read { text.to_string() } else { String::new() };
            self.follow(id, change, &text, 'F');
        }
        if let Some((last, _)) = changes.last() {
            self.pane_mut(serial)?.dot = Range::new(last.at, last.at + last.inserted);
        }
        Ok(())
    }

    /// The directory of a pane's name, with its slash, as part of a name.
    pub fn directory(&self, serial: Serial) -> String {
        let name = self.buffer(serial).map(|b| b.name.as_str()).unwrap_or_default();
        name.rfind('/').map_or_else(String::new, |slash| name[..=slash].to_string())
    }

    /// The pane whose name means the same file.
    pub fn find_name(&self, name: &str) -> Option<Serial> {
        let path = self.host.path(name);
        let same = |pane: &&Pane| {
            self.buffers
                .get(&pane.buffer)
                .is_some_and(|b| !b.name.is_empty() && self.host.path(&b.name) == path)
        };
        self.panes.values().find(same).map(|pane| pane.serial)
    }

    /// Gives a pane's text another name.
    pub fn rename(&mut self, serial: Serial, name: &str) -> Done {
        if name.len() > NAME_BYTES {
            return refuse!("name longer than {NAME_BYTES} bytes");
        }
        if name.chars().any(char::is_control) {
            return Err("name with a control character".into());
        }
        self.buffer_mut(serial)?.name = name.into();
        Ok(())
    }

    /// Empties the user's part of a pane's tag.
    pub fn clear_tag(&mut self, serial: Serial, origin: char) -> Done {
        let end = render::tag(self, serial)?.chars().count();
        let pane = self.pane_mut(serial)?;
        let gone = pane.tag.chars().count();
        pane.tag.clear();
        if gone > 0 {
            pane.events.record(origin, 'd', (end - gone, end), 0, "");
        }
        Ok(())
    }

    /// Where a new pane goes when nothing says where.
    pub fn usual_place(&self) -> Place {
        match self.settings.placement.as_str() {
            "acme" if self.panes.contains_key(&self.focus) => Place::Below(self.focus),
            _ => Place::Anywhere,
        }
    }

    /// Remembers where the user was, before going elsewhere.
    pub fn leave(&mut self) {
        let Ok(pane) = self.pane(self.focus) else { return };
        let here = (pane.serial, pane.dot);
        let (jumps, at) = &mut self.jumps;
        jumps.truncate(*at);
        if jumps.last() != Some(&here) {
            jumps.push(here);
        }
        if jumps.len() > JUMPS {
            jumps.remove(0);
        }
        *at = jumps.len();
    }

    /// Shows a pane and what is selected in it.
    pub fn show(&mut self, serial: Serial, dot: Range) -> Done {
        let text = self.buffer(serial)?.text();
        let end = text.len_chars();
        let dot = Range::new(dot.q0.min(end), dot.q1.min(end));
        let origin = text.line_to_char(text.char_to_line(dot.q0));
        let pane = self.pane_mut(serial)?;
        pane.dot = dot;
        pane.origin = origin;
        pane.collapsed = false;
        self.focus = serial;
        Ok(())
    }

    /// Remembers a file as opened.
    pub fn opened(&mut self, name: &str) {
        self.recent.retain(|other| other != name);
        self.recent.insert(0, name.into());
        self.recent.truncate(RECENT);
    }

    /// Makes serials go on behind those of a restored dump.
    pub fn serials_after(&mut self, serial: Serial) {
        self.next_serial = self.next_serial.max(serial.saturating_add(1));
    }

    /// Puts a restored buffer in.
    pub fn add_buffer(&mut self, buffer: Buffer) -> BufferId {
        let id = self.next_buffer;
        self.next_buffer += 1;
        self.buffers.insert(id, buffer.with_plant(self.plant));
        id
    }

    /// Whether there is room for `bytes` more of text, in the place of `removed` runes.
    pub(super) fn has_room(&self, removed: usize, bytes: usize) -> Done {
        let all: usize = self.buffers.values().map(Buffer::bytes).sum();
        if bytes > removed && all + bytes > BODIES_BYTES {
            return refuse!("all bodies together would be longer than {BODIES_BYTES} bytes");
        }
        Ok(())
    }

    /// Moves every view of `id` along with a change of it, and tells those who read events.
    pub(super) fn follow(&mut self, id: BufferId, change: &Change, text: &str, origin: char) {
        self.jobs.adjust(id, change);
        let swapped = self.planted(Defect::EventsSwapped);
        for pane in self.panes.values_mut().filter(|pane| pane.buffer == id) {
            pane.adjust(change);
            pane.warned = false;
            let gone = (change.at, change.at + change.removed);
            let new = (change.at, change.at + change.inserted);
            let mut events = [('D', gone, change.removed, ""), ('I', new, change.inserted, text)];
            if swapped {
                events.reverse();
            }
            for (action, range, _, text) in events.into_iter().filter(|(_, _, n, _)| *n > 0) {
                pane.events.record(origin, action, range, 0, text);
            }
        }
    }

    fn place(&mut self, place: Place) -> Done<(ColumnId, usize)> {
        let roomiest = self.columns.roomiest().ok_or("no column to put a pane in")?;
        Ok(match place {
            Place::Anywhere => (roomiest, usize::MAX),
            Place::Column(id) => (self.columns.get(id).map_or(roomiest, |c| c.id), usize::MAX),
            Place::Below(serial) => {
                let column = self.pane(serial)?.column;
                let panes = self.columns.get(column).map(|c| c.panes.as_slice());
                let at = panes.and_then(|panes| panes.iter().position(|pane| *pane == serial));
                (column, at.map_or(usize::MAX, |at| at + 1))
            }
        })
    }

    fn name_for_log(&self, id: BufferId) -> &str {
        self.buffers.get(&id).map_or("", |buffer| buffer.name.as_str())
    }
}

fn no_pane(serial: Serial) -> super::refusal::Refusal {
    format!("no pane {serial}").into()
}
