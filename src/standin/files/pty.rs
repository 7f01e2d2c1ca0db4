//! The files of a pane's terminal: lines to run, bytes typed, signals, size, and its output.

use bytes::Bytes;

use super::{Answer, State};
use crate::standin::editor::Editor;
use crate::standin::output::{Next, Output};
use crate::standin::pane::Serial;
use crate::standin::plants::Defect;
use crate::standin::refusal::{Done, refuse};
use crate::standin::runes;
use crate::standin::terminal::Terminal;
use crate::standin::tree::PtyFile;

/// Opens a file of the terminal: output is read from now on.
pub fn open(editor: &Editor, serial: Serial, file: PtyFile) -> Done<State> {
    Ok(match file {
        PtyFile::Run | PtyFile::Data => {
            let output = editor.pane(serial)?.terminal.as_ref().map(|t| t.output().clone());
            let newest = output.as_ref().map_or(0, Output::newest);
            State::Output(output, newest)
        }
        PtyFile::Ctl | PtyFile::Status => State::Text(None),
    })
}

/// The shell's output from `position` on, waiting for it if need be.
pub fn read(
    editor: &Editor,
    output: Option<&Output>,
    position: &mut u64,
    count: usize,
) -> Done<Answer> {
    let output = output.ok_or("no shell ran in this pane when the file was opened")?;
    Ok(match output.read(position, count) {
        Next::Data(data) => {
            let more = *position < output.newest();
            *position += u64::from(more && editor.planted(Defect::OutputSkips));
            Answer::Data(data)
        }
        Next::Wait => Answer::Wait,
        Next::End => {
            if editor.planted(Defect::OutputAfterEnd) {
                *position = position.saturating_sub(4);
            }
            Answer::Data(Bytes::new())
        }
    })
}

/// What runs in the pane.
pub fn status(editor: &Editor, serial: Serial) -> Done<Bytes> {
    Ok(Bytes::from(match &editor.pane(serial)?.terminal {
        None => "none\n".to_string(),
        Some(terminal) => {
            let (columns, rows) = terminal.size();
            format!("running {} {columns} {rows}\n", terminal.pid())
        }
    }))
}

/// Runs a line, types bytes, or obeys a word.
pub fn write(editor: &mut Editor, serial: Serial, file: PtyFile, data: &[u8]) -> Done {
    match file {
        PtyFile::Run => {
            let mut line = data.to_vec();
            if line.last() != Some(&b'\n') {
                line.push(b'\n');
            }
            terminal(editor, serial)?.type_bytes(&line)
        }
        PtyFile::Data => {
            if editor.planted(Defect::TypedTwice) && data.len() > 64 {
                terminal(editor, serial)?.type_bytes(data)?;
            }
            terminal(editor, serial)?.type_bytes(data)
        }
        PtyFile::Ctl => {
            let text = runes::from_bytes(data);
            text.lines()
                .filter(|line| !line.trim().is_empty())
                .try_for_each(|line| obey(editor, serial, line))
        }
        PtyFile::Status => Err("file is not writable".into()),
    }
}

fn obey(editor: &mut Editor, serial: Serial, line: &str) -> Done {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["exec"] => editor.start_shell(serial),
        ["sig", name] => terminal(editor, serial)?.signal(name),
        ["winsize", columns, rows] => {
            let (Ok(columns), Ok(rows)) = (columns.parse(), rows.parse()) else {
                return Err("winsize takes columns and rows".into());
            };
            terminal(editor, serial)?.resize(columns, rows)
        }
        _ => refuse!("unknown control message \"{}\"", runes::printable(line, 80)),
    }
}

fn terminal(editor: &mut Editor, serial: Serial) -> Done<&mut Terminal> {
    let terminal = editor.pane_mut(serial)?.terminal.as_mut();
    terminal.ok_or_else(|| "no shell runs in this pane".into())
}
