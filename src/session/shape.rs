//! What the session reads off an op by itself: what to call it, and what to look at because of it.

use crate::ops::Op;
use crate::target::{FIXTURES, file_kind};

/// The op in a few words, without what differs from one occurrence to the next: what a failure
/// happened at.
pub fn describe(op: &Op) -> String {
    match op.path() {
        Some(path) => format!("{} {}", op.kind(), file_kind(&path.to_text())),
        None => op.kind().to_owned(),
    }
}

/// The fixture that `op` looks at, whatever place in it, if it is one look of one fixture and nothing
/// else.
pub fn looked_at(op: &Op) -> Option<&'static str> {
    let Op::Write { path, data, .. } = op else { return None };
    let look = path.rsplit(|&byte| byte == b'/').next() == Some(b"look");
    let line = data.strip_suffix(b"\n").unwrap_or(data);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let one = look && !line.contains(&b'\n');
    let name = line.split(|&byte| byte == b':').next().filter(|_| one)?;
    FIXTURES.iter().map(|(fixture, _)| *fixture).find(|fixture| fixture.as_bytes() == name)
}

/// The pane whose body `op` edits, if it is one Edit of one pane and nothing else.
pub fn edited_pane(op: &Op) -> Option<String> {
    let Op::Write { path, data, offset: None, chunks, .. } = op else { return None };
    let (pane, file) =
        path.to_text().rsplit_once('/').map(|(a, b)| (a.to_owned(), b.to_owned()))?;
    let text = data.strip_suffix(b"\n")?;
    let block = text.starts_with(b"Edit {\n") && text.ends_with(b"\n}");
    let line = text.starts_with(b"Edit ") && !text.contains(&b'\n');
    let one = (block || line) && chunks.is_whole();
    let pane_file = matches!(file.as_str(), "ctl" | "exec" | "tagexec");
    (one && pane_file && file_kind(&pane) == "/pane/N").then_some(pane)
}

/// Whether `op` needs a second connection.
pub fn uses_second(op: &Op) -> bool {
    match op {
        Op::Second { .. } => true,
        Op::Seq { ops } => ops.iter().any(uses_second),
        _ => false,
    }
}

/// Which listing is read after `op`, and in what pieces: by the op itself, so that it fails by itself
/// as it did among others.
pub fn turn(op: &Op) -> u64 {
    if let Op::Seq { ops } | Op::Second { ops } = op {
        return ops.iter().fold(17, |hash: u64, op| hash.wrapping_mul(31).wrapping_add(turn(op)));
    }
    let data: &[u8] = match op {
        Op::Write { data, .. } | Op::Hwrite { data, .. } => data,
        _ => b"",
    };
    let path: &[u8] = op.path().map_or(b"", |path| path);
    let bytes = op.kind().bytes().chain(path.iter().copied()).chain(data.iter().copied());
    bytes.fold(17, |hash: u64, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)))
}

/// What an op weighs in a journal, in bytes of payload, about.
pub fn payload_bytes(op: &Op) -> usize {
    match op {
        Op::Write { data, path, .. } => data.len() + path.len(),
        Op::Hwrite { data, .. } => data.len(),
        Op::Host { data, .. } => data.as_ref().map_or(0, |data| data.len()),
        Op::Seq { ops } | Op::Second { ops } => ops.iter().map(payload_bytes).sum(),
        _ => 64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::Chunks;

    #[test]
    fn one_look_of_one_fixture_is_told_wherever_in_it() {
        let (name, _) = FIXTURES[0];
        let looked = |path: &str, data: String| {
            looked_at(&Op::Write {
                path: path.into(),
                data: data.as_str().into(),
                mode: 1,
                chunks: Chunks::Whole,
                offset: None,
                stop_on_error: true,
            })
        };
        for end in ["", "\n", "\r\n", ":2\n", ":/nowhere/", ":\r\n"] {
            assert_eq!(looked("/look", format!("{name}{end}")), Some(name), "{end:?}");
        }
        for end in ["x\n", "\n\n", "\nx", " \n"] {
            assert_eq!(looked("/look", format!("{name}{end}")), None, "{end:?}");
        }
        assert_eq!(looked("/exec", format!("{name}\n")), None);
    }

    #[test]
    fn the_turn_follows_from_the_op_alone() {
        let stat = |path: &str| Op::Stat { path: path.into() };
        assert_eq!(turn(&stat("/a")), turn(&stat("/a")));
        assert_ne!(turn(&stat("/a")), turn(&stat("/b")));
    }
}
