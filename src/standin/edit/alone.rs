//! Edit commands that act on more than the text, and so stand alone in their Edit.

use super::parse::{Action, Command};
use super::run::address;
use crate::standin::content;
use crate::standin::ctl;
use crate::standin::editor::{Editor, Place};
use crate::standin::pane::Serial;
use crate::standin::pipe;
use crate::standin::refusal::{Done, refuse};

/// Undo and redo steps that one `u` takes.
const UNDO_STEPS: i64 = 10_000;

/// Whether the command may not be mixed with others.
pub fn stands_alone(action: &Action) -> bool {
    matches!(action, Action::Undo(_) | Action::Shell(..))
        || matches!(action, Action::File(letter, _) if *letter != 'r')
}

/// Runs it in a pane.
pub fn run(editor: &mut Editor, serial: Serial, command: &Command) -> Done {
    match &command.action {
        Action::Undo(count) => undo(editor, serial, *count),
        Action::Shell('!', line) => editor.start_job(Some(serial), line),
        Action::Shell(mark, line) => {
            let range = address(editor, serial, command.address.as_ref())?;
            pipe::on_range(editor, serial, range, *mark, line)
        }
        Action::File(letter, name) => file(editor, serial, command, *letter, name),
        _ => Err("command does not stand alone".into()),
    }
}

/// Undoes what there is, up to `count`; nothing to undo at all is a failure.
fn undo(editor: &mut Editor, serial: Serial, count: i64) -> Done {
    let redo = count < 0;
    for n in 0..count.abs().min(UNDO_STEPS) {
        match editor.undo(serial, redo) {
            Err(why) if n == 0 => return Err(why),
            Err(_) => break,
            Ok(()) => {}
        }
    }
    Ok(())
}

fn file(editor: &mut Editor, serial: Serial, command: &Command, letter: char, name: &str) -> Done {
    let path = if name.is_empty() { String::new() } else { content::beside(editor, serial, name) };
    match letter {
        'w' => {
            let part = match &command.address {
                None => None,
                given => Some(address(editor, serial, given.as_ref())?),
            };
            content::put(editor, serial, &path, part)
        }
        'e' => content::get(editor, serial, &path),
        'f' if name.is_empty() => Ok(()),
        'f' => editor.rename(serial, name),
        'b' | 'B' => {
            let mut names = name.split_whitespace().peekable();
            if names.peek().is_none() {
                return refuse!("{letter} wants a file name");
            }
            names.try_for_each(|name| show(editor, serial, letter, name))
        }
        'D' if name.is_empty() => ctl::close(editor, serial, false),
        'D' => name.split_whitespace().try_for_each(|name| {
            let name = content::beside(editor, serial, name);
            let pane = editor.find_name(&name).ok_or("no pane of that name")?;
            ctl::close(editor, pane, false)
        }),
        other => refuse!("{other} is not served"),
    }
}

/// Shows a file; `b` only one that has a pane.
fn show(editor: &mut Editor, serial: Serial, letter: char, name: &str) -> Done {
    let name = content::beside(editor, serial, name);
    let pane = match editor.find_name(&name) {
        Some(pane) => pane,
        None if letter == 'b' => return Err("no pane of that name".into()),
        None => content::open(editor, &name, Place::Below(serial))?,
    };
    editor.leave();
    let dot = editor.pane(pane)?.dot;
    editor.show(pane, dot)
}
