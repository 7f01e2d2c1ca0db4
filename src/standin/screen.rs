//! The window drawn in characters: columns side by side, in each its panes, tag above text.

use super::editor::Editor;
use super::pane::{Pane, Serial};
use super::plants::Defect;
use super::render;
use super::runes::printable;

/// The whole window, a line a row.
pub fn draw(editor: &Editor) -> String {
    let (columns, rows) = editor.settings.size;
    let (width, height) = (usize::from(columns), usize::from(rows));
    let mut lines = vec![fit(&editor.tag, width)];
    let count = editor.columns.len().max(1);
    let inner = width.saturating_sub(count - 1) / count;
    let below = height.saturating_sub(1);
    let drawn: Vec<Vec<String>> = editor
        .columns
        .iter()
        .map(|column| draw_column(editor, &column.tag, &column.panes, inner, below))
        .collect();
    for row in 0..below {
        let cells: Vec<&str> = drawn.iter().map(|column| column[row].as_str()).collect();
        lines.push(cells.join("│"));
    }
    lines.truncate(height);
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn draw_column(
    editor: &Editor,
    tag: &str,
    panes: &[Serial],
    width: usize,
    height: usize,
) -> Vec<String> {
    let mut rows = vec![fit(tag, width)];
    let shown: Vec<&Pane> = panes.iter().filter_map(|serial| editor.pane(*serial).ok()).collect();
    let open = shown.iter().filter(|pane| !pane.collapsed).count().max(1);
    let room = height.saturating_sub(1 + shown.len());
    for (n, pane) in shown.iter().enumerate() {
        let share = room / open + usize::from(n < room % open);
        rows.push(draw_tag(editor, pane, width));
        if !pane.collapsed {
            rows.extend(draw_body(editor, pane, width, share));
        }
    }
    rows.resize(height, " ".repeat(width));
    rows
}

fn draw_tag(editor: &Editor, pane: &Pane, width: usize) -> String {
    let dirty = editor.buffer(pane.serial).is_ok_and(|buffer| buffer.dirty);
    let mark = match (editor.focus == pane.serial, dirty) {
        (true, true) => "▣ ",
        (true, false) => "▢ ",
        (false, true) => "■ ",
        (false, false) => "□ ",
    };
    let tag = render::tag(editor, pane.serial).unwrap_or_default();
    let line = printable(&tabs_to_blanks(&format!("{mark}{tag}")), usize::MAX);
    let (row, rest) = split_cells(&line, width);
    let cut = !rest.is_empty() && row.chars().map(cells).sum::<usize>() < width;
    assert!(!cut || !editor.planted(Defect::CrashWideTag), "cell outside the row");
    fit(&line, width)
}

fn draw_body(editor: &Editor, pane: &Pane, width: usize, height: usize) -> Vec<String> {
    let mut rows = Vec::with_capacity(height);
    let Ok(buffer) = editor.buffer(pane.serial) else { return rows };
    let text = buffer.text();
    let last = text.len_lines();
    let first = if pane.terminal.is_some() && pane.scroll {
        last.saturating_sub(height)
    } else {
        text.char_to_line(pane.origin.min(text.len_chars()))
    };
    for line in first..last {
        if rows.len() >= height {
            break;
        }
        // A row shows no more runes than cells: the rest of a long line is not even looked at.
        let most = width * if pane.wrap { height } else { 1 };
        let line: String = text.line(line).chars().take(most).filter(|c| *c != '\n').collect();
        let mut rest: &str = &tabs_to_blanks(&line);
        loop {
            let (row, after) = split_cells(rest, width);
            rows.push(fit(row, width));
            rest = after;
            if rest.is_empty() || !pane.wrap || rows.len() >= height {
                break;
            }
        }
    }
    rows.resize(height, " ".repeat(width));
    rows
}

/// `text` on one row of exactly `width` cells.
fn fit(text: &str, width: usize) -> String {
    let line = printable(&tabs_to_blanks(text), usize::MAX);
    let (row, _) = split_cells(&line, width);
    let used: usize = row.chars().map(cells).sum();
    format!("{row}{}", " ".repeat(width - used))
}

/// As much of `text` as fits in `width` cells, and the rest. A rune wider than the whole row is
/// left out, or there would always be a rest.
fn split_cells(text: &str, width: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, rune) in text.char_indices() {
        used += cells(rune);
        if used > width {
            let (row, rest) = text.split_at(at);
            let too_wide = cells(rune) > width;
            return (row, if too_wide { &rest[rune.len_utf8()..] } else { rest });
        }
    }
    (text, "")
}

/// Cells that a rune takes: none for combining marks, two for wide ones.
fn cells(rune: char) -> usize {
    match u32::from(rune) {
        0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

fn tabs_to_blanks(text: &str) -> String {
    text.replace('\t', "    ")
}
