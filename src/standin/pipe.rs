//! Shell commands, with the selection as their input or output if `<`, `|` or `>` says so.

use super::address::Range;
use super::editor::Editor;
use super::jobs::Sink;
use super::pane::Serial;
use super::refusal::Done;
use super::runes;

/// Runs a command line; a leading `<`, `|` or `>` applies it to the selection of the pane.
pub fn run(editor: &mut Editor, serial: Option<Serial>, line: &str) -> Done {
    match (line.chars().next(), serial) {
        (Some(mark @ ('<' | '|' | '>')), Some(serial)) => {
            let dot = editor.pane(serial)?.dot;
            on_range(editor, serial, dot, mark, &line[1..])
        }
        _ => editor.start_job(serial, line),
    }
}

/// Runs a command on a range of a pane's text: `<` replaces it by the output, `>` feeds it to the
/// command, `|` does both. The text changes when the command has ended, unless that failed.
pub fn on_range(
    editor: &mut Editor,
    serial: Serial,
    range: Range,
    mark: char,
    command: &str,
) -> Done {
    let command = command.trim();
    if command.is_empty() {
        return Err("there is no command to run".into());
    }
    let id = editor.pane(serial)?.buffer;
    let text = editor.buffer(serial)?.slice(range.q0, range.q1);
    let input = (mark != '<').then(|| runes::to_bytes(&text));
    let sink = if mark == '>' { Sink::Errors } else { Sink::Replace(id, range, Vec::new()) };
    editor.start_piped(Some(serial), command, sink, input)
}
