//! What programs print, appended to panes: no undo takes it back, and the oldest lines are shed.

use super::buffer::Buffer;
use super::editor::{Editor, Place};
use super::limits::ERRORS_RUNES;
use super::pane::Serial;
use super::refusal::Done;

impl Editor {
    /// Appends to the errors pane of the directory that `serial` is in, made if need be.
    pub fn errors(&mut self, serial: Option<Serial>, text: &str) -> Done<Serial> {
        let directory = serial.map_or_else(String::new, |serial| self.directory(serial));
        let name = format!("{directory}+Errors");
        let pane = match self.find_name(&name) {
            Some(pane) => pane,
            None => {
                let focus = self.focus;
                let place = if self.panes.contains_key(&focus) {
                    Place::Column(self.pane(focus)?.column)
                } else {
                    Place::Anywhere
                };
                let pane = self.add_pane(Buffer::new(&name, ""), place)?;
                if self.panes.contains_key(&focus) {
                    self.focus = focus;
                }
                pane
            }
        };
        self.append_output(pane, text, ERRORS_RUNES)?;
        self.buffer_mut(pane)?.dirty = false;
        Ok(pane)
    }

    /// Appends output that no undo takes back, and sheds the oldest lines over `keep_runes`.
    pub fn append_output(&mut self, serial: Serial, text: &str, keep_runes: usize) -> Done {
        let id = self.pane(serial)?.buffer;
        let Some(buffer) = self.buffers.get_mut(&id) else { return Err("no such text".into()) };
        let end = buffer.runes();
        let change = buffer.replace_for_good(end, end, text);
        let length = buffer.runes();
        let shed = (length > keep_runes).then(|| {
            let line = buffer.text().char_to_line(length - keep_runes / 2);
            let cut = buffer.text().line_to_char(line).max(length - keep_runes);
            buffer.replace_for_good(0, cut, "")
        });
        self.follow(id, &change, text, 'F');
        if let Some(shed) = shed {
            self.follow(id, &shed, "", 'F');
        }
        Ok(())
    }
}
