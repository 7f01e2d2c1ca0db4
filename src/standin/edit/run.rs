//! Runs Edit commands: collects what they change, then changes it all or nothing.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;
use std::time::Instant;

use super::alone;
use super::changes::{Changes, make};
use super::parse::{Action, Command};
use super::printed::Printed;
use super::substitute::substitute;
use super::text::{Matches, Text};
use crate::standin::address::{Address, Range, Scope};
use crate::standin::buffer::BufferId;
use crate::standin::content;
use crate::standin::editor::Editor;
use crate::standin::limits::{EDIT_STEPS, EDIT_STEPS_UNTIMED, EDIT_TIME, FILE_BYTES};
use crate::standin::pane::Serial;
use crate::standin::plants::Defect;
use crate::standin::refusal::{Done, refuse};
use crate::standin::regexp::Regexp;
use crate::standin::runes;

/// Runs the commands in a pane.
pub fn run(editor: &mut Editor, serial: Option<Serial>, commands: &[Command]) -> Done {
    let serial = serial.ok_or("there is no pane to edit")?;
    if let [command] = commands
        && alone::stands_alone(&command.action)
    {
        return alone::run(editor, serial, command);
    }
    let mut run = Run::new(editor);
    let mut dot = run.dot(serial)?;
    let done = commands.iter().try_for_each(|command| {
        dot = run.command(serial, dot, command, 0)?;
        Ok(())
    });
    run.dots.insert(serial, dot);
    let Run { editor, changes, dots, marks, printed, .. } = run;
    if done.is_err() && editor.planted(Defect::EditNotAtomic) {
        make(editor, changes, dots)?;
        return done;
    }
    done?;
    let printed = printed.into_string();
    make(editor, changes, dots)?;
    for (serial, mark) in marks {
        editor.pane_mut(serial)?.mark = mark;
    }
    if !printed.is_empty() {
        editor.errors(Some(serial), &printed)?;
    }
    Ok(())
}

/// What an address names, for a command that stands alone.
pub fn address(editor: &mut Editor, serial: Serial, address: Option<&Address>) -> Done<Range> {
    let mut run = Run::new(editor);
    let dot = run.dot(serial)?;
    run.range(serial, dot, address)
}

/// One Edit under way. The text stays as it is until the end.
pub(super) struct Run<'a> {
    editor: &'a mut Editor,
    changes: BTreeMap<BufferId, Changes>,
    dots: BTreeMap<Serial, Range>,
    marks: BTreeMap<Serial, Range>,
    texts: BTreeMap<BufferId, Text>,
    printed: Printed,
    steps: usize,
    since: Instant,
}

impl<'a> Run<'a> {
    fn new(editor: &'a mut Editor) -> Self {
        Run {
            editor,
            changes: BTreeMap::new(),
            dots: BTreeMap::new(),
            marks: BTreeMap::new(),
            texts: BTreeMap::new(),
            printed: Printed::default(),
            steps: 0,
            since: Instant::now(),
        }
    }

    /// Runs one command on `dot`; returns what dot is then, in the text as it was.
    fn command(
        &mut self,
        serial: Serial,
        dot: Range,
        command: &Command,
        nested: usize,
    ) -> Done<Range> {
        self.steps += 1;
        if self.steps > EDIT_STEPS {
            return refuse!("Edit runs more than {EDIT_STEPS} commands");
        }
        if self.steps.is_multiple_of(EDIT_STEPS_UNTIMED) && self.since.elapsed() > EDIT_TIME {
            return Err("Edit takes too long".into());
        }
        let range = self.range(serial, dot, command.address.as_ref())?;
        match &command.action {
            Action::Append(text) => self.change(serial, Range::at(range.q1), text),
            Action::Insert(text) => self.change(serial, Range::at(range.q0), text),
            Action::Change(text) => self.change(serial, range, text),
            Action::Delete => self.change(serial, range, ""),
            Action::Substitute(pattern, replacement, which, all) => {
                let done = self.substitute(serial, range, pattern, replacement, *which, *all)?;
                if !done && nested == 0 {
                    return Err("no substitution".into());
                }
                Ok(range)
            }
            Action::Move(to) => self.carry(serial, range, dot, to, true),
            Action::Copy(to) => self.carry(serial, range, dot, to, false),
            Action::Loop(pattern, between, inner) => {
                self.repeat(serial, range, pattern.as_deref(), *between, inner, nested)
            }
            Action::If(pattern, without, inner) => {
                let regexp = self.editor.patterns.compile(pattern)?;
                if regexp.is_match(self.text(serial)?.slice(range)) == *without {
                    return Ok(range);
                }
                self.command(serial, range, inner, nested + 1)
            }
            Action::Block(commands) => commands
                .iter()
                .try_fold(range, |_, inner| self.command(serial, range, inner, nested + 1)),
            Action::Select => Ok(range),
            other => self.without_change(serial, dot, range, other, nested),
        }
    }

    /// Runs what tells something or works on other files; dot stays, or is the range told of.
    fn without_change(
        &mut self,
        serial: Serial,
        dot: Range,
        range: Range,
        action: &Action,
        nested: usize,
    ) -> Done<Range> {
        match action {
            Action::Print => {
                let text = self.editor.buffer(serial)?.slice(range.q0, range.q1);
                self.printed.push(&text);
                Ok(range)
            }
            Action::Where(runes_alone) => self.tell_where(serial, range, *runes_alone),
            Action::Mark => {
                self.marks.insert(serial, range);
                Ok(dot)
            }
            Action::Files(pattern, without, inner) => {
                self.files(pattern.as_deref(), *without, inner, nested)?;
                Ok(dot)
            }
            Action::File('r', name) => {
                let text = self.file(serial, name)?;
                self.change(serial, range, &text)
            }
            Action::Menu => {
                self.menu();
                Ok(dot)
            }
            Action::File(letter, _) | Action::Shell(letter, _) => {
                refuse!("{letter} stands alone in its Edit")
            }
            _ => refuse!("u stands alone in its Edit"),
        }
    }

    /// Replaces matches; whether there was one.
    fn substitute(
        &mut self,
        serial: Serial,
        range: Range,
        pattern: &str,
        replacement: &str,
        which: usize,
        all: bool,
    ) -> Done<bool> {
        let regexp = self.editor.patterns.compile(pattern)?;
        let text = self.text(serial)?;
        let found = substitute(&text, range, &regexp, replacement, which, all)?;
        let done = !found.is_empty();
        for (range, text) in found {
            self.change(serial, range, &text)?;
        }
        Ok(done)
    }

    fn dot(&self, serial: Serial) -> Done<Range> {
        match self.dots.get(&serial) {
            Some(dot) => Ok(*dot),
            None => Ok(self.editor.pane(serial)?.dot),
        }
    }

    fn range(&mut self, serial: Serial, dot: Range, address: Option<&Address>) -> Done<Range> {
        let Some(address) = address else { return Ok(dot) };
        let mut patterns = std::mem::take(&mut self.editor.patterns);
        let found = (|| {
            let pane = self.editor.pane(serial)?;
            let mark = self.marks.get(&serial).copied().unwrap_or(pane.mark);
            let text = self.editor.buffer(serial)?.text();
            address.find(&mut Scope { text, dot, mark, limit: None, patterns: &mut patterns })
        })();
        self.editor.patterns = patterns;
        found
    }

    fn change(&mut self, serial: Serial, range: Range, text: &str) -> Done<Range> {
        let id = self.editor.pane(serial)?.buffer;
        self.changes.entry(id).or_default().add(range, text)?;
        Ok(range)
    }

    fn carry(
        &mut self,
        serial: Serial,
        from: Range,
        dot: Range,
        to: &Address,
        takes_away: bool,
    ) -> Done<Range> {
        let to = Range::at(self.range(serial, dot, Some(to))?.q1);
        let text = self.editor.buffer(serial)?.slice(from.q0, from.q1);
        if !takes_away {
            return self.change(serial, to, &text);
        }
        if from.q0 < to.q0 && to.q0 < from.q1 {
            return Err("m to within what is moved".into());
        }
        if to.q0 >= from.q1 {
            self.change(serial, from, "")?;
            self.change(serial, to, &text)
        } else {
            self.change(serial, to, &text)?;
            self.change(serial, from, "")?;
            Ok(to)
        }
    }

    /// Runs `inner` on each match in `range`, or on what lies between the matches.
    fn repeat(
        &mut self,
        serial: Serial,
        range: Range,
        pattern: Option<&str>,
        between: bool,
        inner: &Command,
        nested: usize,
    ) -> Done<Range> {
        let regexp = match pattern {
            Some(pattern) => self.editor.patterns.compile(pattern)?,
            None => Regexp::new(".*\\n")?,
        };
        let text = self.text(serial)?;
        let mut last = range;
        let mut matches = Matches::new(&text, range);
        let mut after = matches.start();
        while let Some((b0, b1)) = matches.next(&regexp) {
            let part = if between { text.range(after, b0) } else { text.range(b0, b1) };
            after = b1;
            last = self.command(serial, part, inner, nested + 1)?;
        }
        if between {
            let part = text.range(after, matches.end());
            last = self.command(serial, part, inner, nested + 1)?;
        }
        Ok(last)
    }

    fn files(
        &mut self,
        pattern: Option<&str>,
        without: bool,
        inner: &Command,
        nested: usize,
    ) -> Done {
        if nested > 0 {
            return Err("X and Y do not nest".into());
        }
        let regexp = pattern.map(|pattern| self.editor.patterns.compile(pattern)).transpose()?;
        let mut seen = Vec::new();
        for serial in self.editor.panes.keys().copied().collect::<Vec<_>>() {
            let id = self.editor.pane(serial)?.buffer;
            let line = self.menu_line(serial)?;
            let fits = regexp.as_ref().is_none_or(|regexp| regexp.is_match(&line) != without);
            if !fits || seen.contains(&id) {
                continue;
            }
            seen.push(id);
            let dot = self.dot(serial)?;
            let dot = self.command(serial, dot, inner, 1)?;
            self.dots.insert(serial, dot);
        }
        Ok(())
    }

    fn file(&self, serial: Serial, name: &str) -> Done<String> {
        let own = self.editor.buffer(serial)?.name.clone();
        let name = if name.is_empty() { own } else { content::beside(self.editor, serial, name) };
        let content = self.editor.host.read(&name)?;
        debug_assert!(content.len() as u64 <= FILE_BYTES);
        Ok(runes::from_bytes(&content))
    }

    fn tell_where(&mut self, serial: Serial, range: Range, runes_alone: bool) -> Done<Range> {
        let buffer = self.editor.buffer(serial)?;
        let text = buffer.text();
        let first = text.char_to_line(range.q0) + 1;
        // A range that ends with a newline ends on the line of that newline.
        let last = text.char_to_line(range.q1.saturating_sub(1).max(range.q0)) + 1;
        let lines = if first == last { format!("{first}") } else { format!("{first},{last}") };
        let line = match runes_alone {
            true => format!("{}:{range}\n", buffer.name),
            false => format!("{}:{lines}\n", buffer.name),
        };
        self.printed.push(&line);
        Ok(range)
    }

    fn menu(&mut self) {
        for serial in self.editor.panes.keys().copied().collect::<Vec<_>>() {
            if let Ok(line) = self.menu_line(serial) {
                self.printed.push(&line);
            }
        }
    }

    /// sam's menu line of a pane: modified, shown, current, name.
    fn menu_line(&self, serial: Serial) -> Done<String> {
        let buffer = self.editor.buffer(serial)?;
        let modified = if buffer.dirty { '\'' } else { ' ' };
        let current = if self.editor.focus == serial { '.' } else { ' ' };
        let mut line = String::new();
        let _ = writeln!(line, "{modified}+{current} {}", buffer.name);
        Ok(line)
    }

    fn text(&mut self, serial: Serial) -> Done<Text> {
        let id = self.editor.pane(serial)?.buffer;
        if let Some(text) = self.texts.get(&id) {
            return Ok(text.clone());
        }
        let rope = self.editor.buffer(serial)?.text().clone();
        let text = Text { whole: Rc::from(rope.to_string()), rope };
        self.texts.insert(id, text.clone());
        Ok(text)
    }
}
