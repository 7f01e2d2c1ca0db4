//! Files that take command lines: each runs once it is whole, what is left at the close runs then.

use crate::standin::command::{self, Origin};
use crate::standin::edit;
use crate::standin::editor::Editor;
use crate::standin::event::OpenId;
use crate::standin::limits::{EDIT_BLOCK_BYTES, LINE_BYTES};
use crate::standin::plants::Defect;
use crate::standin::refusal::{Done, refuse};
use crate::standin::runes;
use crate::standin::tree::Node;

/// What one open has been given and not yet run.
#[derive(Debug, Default)]
pub struct Lines {
    /// A line without its newline.
    partial: Vec<u8>,
    /// An Edit whose text goes on over further lines.
    block: Option<String>,
}

/// Whether the file of that name takes command lines.
pub fn is_line_file(name: &str) -> bool {
    matches!(name, "look" | "exec" | "tagexec" | "ctl")
}

impl Lines {
    /// Runs the lines that `data` makes whole. The first that is refused ends the write: what
    /// follows it in the same write, and what it left over, is not run.
    pub fn write(&mut self, editor: &mut Editor, node: &Node, open: OpenId, data: &[u8]) -> Done {
        let origin = Origin::of(editor, node, open)?;
        let done = self.run(editor, &origin, data);
        if done.is_err() {
            *self = Lines::default();
        }
        done
    }

    /// Runs what is left over; there is no one to tell of a failure but the log.
    pub fn close(mut self, editor: &mut Editor, node: &Node, open: OpenId) {
        if self.partial.is_empty() && self.block.is_none() {
            return;
        }
        let twice = editor.planted(Defect::CloseRunsTwice) && node.log_name() == "tagexec";
        for _ in 0..if twice { 2 } else { 1 } {
            let done =
                Origin::of(editor, node, open).and_then(|origin| self.finish(editor, &origin));
            editor.settle(&done, node.serial(), &node.log_name());
        }
    }

    fn run(&mut self, editor: &mut Editor, origin: &Origin, data: &[u8]) -> Done {
        let mut rest = data;
        while let Some(newline) = rest.iter().position(|b| *b == b'\n') {
            let mut line = std::mem::take(&mut self.partial);
            line.extend_from_slice(&rest[..newline]);
            rest = &rest[newline + 1..];
            self.line(editor, origin, &line)?;
            if editor.ending.is_some() {
                return Ok(());
            }
        }
        if self.partial.len() + rest.len() > LINE_BYTES {
            return refuse!("line longer than {LINE_BYTES} bytes");
        }
        self.partial.extend_from_slice(rest);
        Ok(())
    }

    fn line(&mut self, editor: &mut Editor, origin: &Origin, line: &[u8]) -> Done {
        let text = runes::from_bytes(line);
        if let Some(block) = &mut self.block {
            block.push('\n');
            block.push_str(&text);
            if block.len() > EDIT_BLOCK_BYTES {
                return refuse!("Edit block longer than {EDIT_BLOCK_BYTES} bytes");
            }
            // Only such a line can end a block: the others need no new parse.
            if text.trim_end_matches('\r') != "." && !text.contains('}') {
                return Ok(());
            }
        } else if origin.takes_edits() && command::word(&text).0 == "Edit" {
            self.block = Some(command::word(&text).1.to_string());
        } else {
            return command::run(editor, origin, &text);
        }
        let block = self.block.take().unwrap_or_default();
        match edit::parse(&block)? {
            Some(commands) => edit::run(editor, origin.serial, &commands),
            None => {
                self.block = Some(block);
                Ok(())
            }
        }
    }

    fn finish(&mut self, editor: &mut Editor, origin: &Origin) -> Done {
        let partial = self.partial.clone();
        if !partial.is_empty() {
            self.line(editor, origin, &partial)?;
        }
        match self.block {
            Some(_) => Err("Edit ends inside its text".into()),
            None => Ok(()),
        }
    }
}
