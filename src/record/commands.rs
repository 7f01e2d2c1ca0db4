//! Ops as commands that a person can type: plan9port's `9p`, and `printf` for the data.

use crate::ops::{Chunks, HostAction, Latin1, Op};
use crate::wire::msg::OTRUNC;

/// Data longer than this is left to the record, in bytes.
const TYPED_BYTES: usize = 400;

/// The ops as lines for a shell, `$S` the server's address as `9p -a` takes it. What `9p` cannot do
/// is a comment that says so.
pub fn commands(ops: &[Op]) -> String {
    let mut out = String::new();
    ops.iter().for_each(|op| put(op, &mut out));
    out
}

fn put(op: &Op, out: &mut String) {
    let line = match op {
        Op::Write { path, data, mode, chunks, offset, .. } => {
            let note = match (chunks, offset, mode & OTRUNC) {
                (Chunks::Whole, None, OTRUNC) => "",
                (Chunks::Whole, None, _) => "  # the record opens it without truncating",
                _ => "  # the record cuts it, or names an offset: see there",
            };
            format!("{} | 9p -a \"$S\" write {}{note}", printf(data), file(path))
        }
        Op::Read { path, .. } => format!("9p -a \"$S\" read {}", file(path)),
        Op::Stat { path } => format!("9p -a \"$S\" stat {}", file(path)),
        Op::Remove { path } => format!("9p -a \"$S\" rm {}", file(path)),
        Op::Create { path, name, .. } => {
            let path = Latin1([path, b"/".as_slice(), name].concat());
            format!("9p -a \"$S\" create {}", file(&path))
        }
        Op::Restore { data } => format!("{} | 9p -a \"$S\" write ctl", printf(data)),
        Op::Host { action: HostAction::Write, name, data } => {
            let data = data.clone().unwrap_or_default();
            format!("{} > {}  # in the target's HOME", printf(&data), quoted(name))
        }
        Op::Host { action: HostAction::Rm, name, .. } => {
            format!("rm {}  # in the target's HOME", quoted(name))
        }
        Op::Hold { h, path, .. } => format!(
            "# keep {} open as {}: 9p -a \"$S\" rdwr {} in a terminal of its own",
            path.to_text().escape_debug(),
            h.to_text(),
            file(path)
        ),
        Op::Hwrite { h, data } => format!("# there, as {}, write: {}", h.to_text(), printf(data)),
        Op::Hread { h, count, .. } => format!("# there, as {}, read {count} bytes", h.to_text()),
        Op::Clunk { h } => format!("# there, close {}", h.to_text()),
        Op::Seq { ops } => return ops.iter().for_each(|op| put(op, out)),
        Op::Second { ops } => {
            out.push_str("# on a second connection, as each command has one of its own:\n");
            return ops.iter().for_each(|op| put(op, out));
        }
        Op::Wire { .. } => "# raw messages: no command sends these; replay the record".to_owned(),
        Op::Fresh { .. } => "# start the server".to_owned(),
        Op::Reset { .. } => "# close everything, and open what was open at the start".to_owned(),
    };
    out.push_str(&line);
    out.push('\n');
}

/// A path as `9p` takes it: from the root on, without the slash.
fn file(path: &Latin1) -> String {
    let names = path.iter().skip_while(|&&byte| byte == b'/').copied().collect();
    quoted(&Latin1(names))
}

/// A word for a shell; bytes that it cannot hold plainly are escaped as the shells of today do.
fn quoted(word: &Latin1) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+".contains(byte);
    if !word.is_empty() && word.iter().all(plain) {
        return word.to_text();
    }
    match word.iter().all(|byte| (b' '..=b'~').contains(byte) && *byte != b'\'') {
        true => format!("'{}'", word.to_text()),
        false => format!("$'{}'", escaped(word, false)),
    }
}

fn printf(data: &[u8]) -> String {
    let shown = &data[..data.len().min(TYPED_BYTES)];
    let more = match data.len() - shown.len() {
        0 => String::new(),
        more => format!("  # and {more} bytes more: see the record"),
    };
    match more.is_empty() {
        true => format!("printf '{}'", escaped(shown, true)),
        false => format!("printf '{}'{more}\n# |", escaped(shown, true)),
    }
}

/// Octal escapes; in a format of `printf`, a percent sign is written twice.
fn escaped(data: &[u8], format: bool) -> String {
    let mut out = String::new();
    for &byte in data {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'%' if format => out.push_str("%%"),
            b'\\' => out.push_str("\\\\"),
            b' '..=b'~' if byte != b'\'' => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_does_what_the_op_did() {
        let write = |data: &[u8]| Op::Write {
            path: "/pane/3/body".into(),
            data: data.into(),
            mode: 17,
            chunks: Chunks::Whole,
            offset: None,
            stop_on_error: true,
        };
        assert_eq!(
            commands(&[write(b"50% 'off'\n\xff\\"), Op::Stat { path: "/pane/new".into() }]),
            "printf '50%% \\047off\\047\\n\\377\\\\' | 9p -a \"$S\" write pane/3/body\n\
             9p -a \"$S\" stat pane/new\n"
        );
        let remove = Op::Remove { path: "/a b/it's".into() };
        assert_eq!(commands(&[remove]), "9p -a \"$S\" rm $'a b/it\\047s'\n");
        assert!(commands(&[write(&[b'x'; 5_000])]).contains("4600 bytes more"));
    }

    /// The shell's own `printf` gives the bytes back.
    #[test]
    fn a_shell_reads_every_byte_back() {
        let data: Vec<u8> = (1..=255).collect();
        let line = printf(&data);
        let done = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
        assert_eq!(done.stdout, data);
    }
}
