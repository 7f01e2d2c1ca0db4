//! Ops in words.

mod wire;

use crate::ops::{Chunks, HostAction, Latin1, Op};
use crate::wire::msg::{DMDIR, ORCLOSE, OTRUNC};

/// How much of a payload is shown, in bytes.
const SHOWN_BYTES: usize = 72;

/// Each op in a line or more, numbered from 0 as in failures.
pub fn story(ops: &[Op]) -> String {
    ops.iter().enumerate().map(|(step, op)| format!("{step:>4}  {}\n", tell(op))).collect()
}

/// One op in words.
pub fn tell(op: &Op) -> String {
    match op {
        Op::Write { path, data, mode, chunks, offset, stop_on_error } => {
            let chunks = match chunks {
                Chunks::Whole => String::new(),
                Chunks::Bytes => ", a byte a time".into(),
                Chunks::Sizes(sizes) => format!(", in pieces of {sizes:?}"),
            };
            let offset =
                offset.map_or(String::new(), |offset| format!(", each at offset {offset}"));
            let on = if *stop_on_error { "" } else { ", going on when a piece is refused" };
            format!(
                "write {} to {}, opened {}{chunks}{offset}{on}",
                shown(data),
                file(path),
                opened(*mode)
            )
        }
        Op::Read { path, count, offset, mode, reads } => format!(
            "read {}, opened {}, from offset {offset}, {count} bytes a read, {reads} reads at the most",
            file(path),
            opened(*mode)
        ),
        Op::Stat { path } => format!("stat {}", file(path)),
        Op::Remove { path } => format!("remove {}", file(path)),
        Op::Create { path, name, perm, mode } => {
            let what = if perm & DMDIR != 0 { "directory" } else { "file" };
            let bits = perm & 0o777;
            format!(
                "create the {what} {} in {}, mode {bits:o}, opened {}",
                shown(name),
                file(path),
                opened(*mode)
            )
        }
        Op::Hold { h, path, mode } => {
            format!("open {} {}, and keep it as {}", file(path), opened(*mode), h.to_text())
        }
        Op::Hwrite { h, data } => {
            format!("write {} to what is kept as {}", shown(data), h.to_text())
        }
        Op::Hread { h, count, offset } => {
            let from = offset.map_or("where it was".into(), |offset| format!("offset {offset}"));
            format!("read up to {count} bytes of what is kept as {}, from {from}", h.to_text())
        }
        Op::Clunk { h } => format!("close what is kept as {}", h.to_text()),
        Op::Restore { data } => {
            format!("write {} to /ctl, and connect again if it is taken", shown(data))
        }
        Op::Host { action: HostAction::Write, name, data } => {
            let data = data.as_ref().map_or("nothing".into(), |data| shown(data));
            format!("on disk, write {data} to {} in HOME", name.to_text())
        }
        Op::Host { action: HostAction::Rm, name, .. } => {
            format!("on disk, remove {} in HOME", name.to_text())
        }
        Op::Seq { ops } if ops.is_empty() => "do nothing".into(),
        Op::Seq { ops } => tell_all(ops),
        Op::Second { ops } => format!("on the second connection: {}", tell_all(ops)),
        Op::Wire { steps } => {
            let steps: Vec<String> = steps.iter().map(wire::tell_step).collect();
            format!("on a connection of its own: {}", steps.join(";\n      "))
        }
        Op::Reset { follower } => {
            let log = if *follower { ", its log followed on a second connection" } else { "" };
            format!("go back to the baseline, as between two inputs{log}")
        }
        Op::Fresh { follower: true } => {
            "start a target, its log followed on a second connection".into()
        }
        Op::Fresh { follower: false } => "start a target".into(),
    }
}

/// One after the other; the same again and again is told once.
fn tell_all(ops: &[Op]) -> String {
    let runs = ops.chunk_by(|one, next| one == next).map(|run| match run.len() {
        1 => tell(&run[0]),
        times => format!("{} ({times} times)", tell(&run[0])),
    });
    runs.collect::<Vec<_>>().join(";\n      then ")
}

/// A path with its references in words.
fn file(path: &Latin1) -> String {
    let text = path.to_text();
    let reference = ["{p", "{c", "{g"].iter().any(|token| text.contains(token));
    let text = if text.is_empty() { "/" } else { &text };
    if !reference {
        return text.escape_debug().to_string();
    }
    let words = [("{p", "pane"), ("{c", "column"), ("{g", "closed pane")]
        .iter()
        .filter_map(|(token, what)| {
            let rest = &text[text.find(token)? + token.len()..];
            let number = &rest[..rest.find('}')?];
            Some(format!("{token}{number}}}: {what} number {number} of those, counting round"))
        })
        .collect::<Vec<_>>()
        .join(", ");
    format!("{text} ({words})")
}

/// A mode in words.
pub fn opened(mode: u8) -> String {
    let base = ["to read", "to write", "to read and write", "to execute"][usize::from(mode & 3)];
    let truncate = if mode & OTRUNC != 0 { " and truncated" } else { "" };
    let remove = if mode & ORCLOSE != 0 { ", removed at its close" } else { "" };
    format!("{base}{truncate}{remove}")
}

/// A line of a server's, without what would end it or the page.
pub fn shown_text(text: &str) -> String {
    let mut shown: String = text.escape_debug().take(SHOWN_CHARS).collect();
    if text.len() > SHOWN_CHARS {
        shown.push('…');
    }
    shown.replace("\\\"", "\"").replace("\\'", "'")
}

/// How much of a server's line is shown, in characters.
const SHOWN_CHARS: usize = 300;

fn shown(data: &[u8]) -> String {
    let start = data[..data.len().min(SHOWN_BYTES)].escape_ascii();
    match data.len() {
        0 => "nothing".into(),
        length if length > SHOWN_BYTES => format!("\"{start}\"… ({length} bytes)"),
        _ => format!("\"{start}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ops_read_as_sentences() {
        let write = Op::Write {
            path: "/pane/{p3}/ctl".into(),
            data: "Edit d\n".into(),
            mode: 17,
            chunks: Chunks::Sizes(vec![2, 3]),
            offset: None,
            stop_on_error: true,
        };
        assert_eq!(
            tell(&write),
            "write \"Edit d\\n\" to /pane/{p3}/ctl ({p3}: pane number 3 of those, counting round), \
             opened to write and truncated, in pieces of [2, 3]"
        );
        let seq =
            Op::Seq { ops: vec![Op::Stat { path: "/".into() }, Op::Clunk { h: "h1".into() }] };
        assert_eq!(tell(&seq), "stat /;\n      then close what is kept as h1");
        let twice = Op::Second { ops: vec![Op::Stat { path: "/".into() }; 2] };
        assert_eq!(tell(&twice), "on the second connection: stat / (2 times)");
        let huge = Op::Hwrite { h: "h".into(), data: vec![b'x'; 100].into() };
        assert!(tell(&huge).contains("(100 bytes)"));
    }
}
