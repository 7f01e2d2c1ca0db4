//! What an op does to a pane's text, as far as its requests tell.

use bytes::Bytes;

use super::super::spans::{Span, TEXT_BYTES, is_done};
use crate::session::Asked;

/// What one op did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Nothing that could change a text.
    Look,
    /// All of the text was read.
    Text(Bytes),
    /// From now on each change is undone by itself.
    Mark,
    /// One change.
    Change(Change),
    /// An Edit that was refused, and so changed nothing.
    Refused,
    /// Undo; whether it was done.
    Undo(bool),
    /// Redo; whether it was done.
    Redo(bool),
    /// Anything else.
    Other,
}

/// How a text was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// By an Edit, or at the address: perhaps not at all.
    Somewhere,
    /// By text at its end.
    Append,
    /// It was emptied, and written if `rewritten`: one change or two.
    Replace {
        /// Whether there was anything to write.
        rewritten: bool,
    },
}

/// The pane that an op was about, and what it did.
pub fn act<'a>(span: &Span<'a>) -> (Option<&'a str>, Act) {
    let Some((pane, file)) = span.pane_file() else {
        return (None, if span.only_looks() { Act::Look } else { Act::Other });
    };
    let act = if span.only_looks() {
        match span.whole_text() {
            Some(text) if file == "body" && text.len() < TEXT_BYTES => Act::Text(text),
            // Too long to be sure of: as if it had not been read.
            Some(_) if file == "body" => Act::Other,
            _ => Act::Look,
        }
    } else {
        match span.writes() {
            Some(writes) => written(file, writes, span.truncates()),
            None => Act::Other,
        }
    };
    (Some(pane), act)
}

fn written(file: &str, writes: &[Asked], truncates: bool) -> Act {
    let one = match writes {
        [] if file == "body" && truncates => {
            return Act::Change(Change::Replace { rewritten: false });
        }
        [one] => one,
        // Each of several may be a change of its own.
        _ => return Act::Other,
    };
    let data: &[u8] = &one.data;
    let some = !data.is_empty();
    match file {
        "ctl" | "exec" | "tagexec" if !truncates => command(file, data, is_done(one)),
        "body" | "data" | "xdata" if !is_done(one) || !ends_whole(data) => Act::Other,
        "body" if truncates => Act::Change(Change::Replace { rewritten: some }),
        "body" if some => Act::Change(Change::Append),
        "data" | "xdata" if !truncates => Act::Change(Change::Somewhere),
        _ => Act::Other,
    }
}

fn command(file: &str, data: &[u8], done: bool) -> Act {
    match data {
        b"Undo\n" => Act::Undo(done),
        b"Redo\n" => Act::Redo(done),
        b"mark\n" if done && file == "ctl" => Act::Mark,
        _ if !is_one_edit(data) => Act::Other,
        _ if done => Act::Change(Change::Somewhere),
        _ => Act::Refused,
    }
}

/// Whether no rune is left unfinished at the end: the rest of it would come with the close.
fn ends_whole(data: &[u8]) -> bool {
    data.utf8_chunks().last().is_none_or(|last| last.invalid().is_empty())
}

/// Whether it is one Edit, whole, that only changes the text: no undoing, nothing that runs a
/// program and changes the text when that has ended. What is not plain is not taken for one.
fn is_one_edit(data: &[u8]) -> bool {
    let Some(command) = data.strip_prefix(b"Edit ").and_then(|rest| rest.strip_suffix(b"\n"))
    else {
        return false;
    };
    let runs = command.iter().any(|byte| b"<>|!".contains(byte));
    if runs || command.windows(4).any(|part| part == b"Edit") {
        return false;
    }
    let Some(end) = command.iter().position(|&byte| byte == b'\n') else {
        return !may_undo(command);
    };
    let (first, rest) = (&command[..end], &command[end + 1..]);
    match first {
        b"{" => {
            let inner = rest.strip_suffix(b"\n}");
            inner.is_some_and(|inner| !inner.contains(&b'}') && !may_undo(inner))
        }
        [address @ .., b'a' | b'i' | b'c'] => {
            let plain = address.iter().all(|byte| b"0123456789,.$#+-; ".contains(byte));
            let text = rest.strip_suffix(b".");
            let text = text.filter(|text| text.is_empty() || text.ends_with(b"\n"));
            // Only the last line is a dot.
            let ends = |text: &[u8]| text.split(|&byte| byte == b'\n').any(|line| line == b".");
            plain && text.is_some_and(|text| !ends(text))
        }
        _ => false,
    }
}

/// Whether a `u` may be a command: it is not inside a word.
fn may_undo(commands: &[u8]) -> bool {
    (0..commands.len()).any(|at| {
        let before = at.checked_sub(1).map_or(b' ', |before| commands[before]);
        let in_word = before.is_ascii_alphabetic() && !b"xygvXY".contains(&before);
        commands[at] == b'u' && !in_word
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::spans::{made, spans};
    use super::*;

    #[test]
    fn one_edit_is_told_from_several() {
        let edits: [&[u8]; 6] = [
            b"Edit s/a/b/g\n",
            b"Edit ,x/foo/c/but/\n",
            b"Edit {\na/x/\nd\n}\n",
            b"Edit 1,$a\nu\nx\n.\n",
            b"Edit c\n.\n",
            b"Edit d\n",
        ];
        for edit in edits {
            assert!(is_one_edit(edit), "{}", edit.escape_ascii());
        }
        let others: [&[u8]; 13] = [
            b"Edit u\n",
            b"Edit u2\n",
            b"Edit ,x/a/u\n",
            b"Edit {\na/x/\nu\n}\n",
            b"Edit s/b/a\nUndo\n.\n",
            b"Edit d\nUndo\n",
            b"Edit d",
            b"Edit a\nx\n.\nUndo\n.\n",
            b"Edit {\nd\n}\nEdit {\nd\n}\n",
            b"Edit {\nd\n}\nUndo\n}\n",
            b"Edit |sort\n",
            b"Edit a\nx\n",
            b"edit d\n",
        ];
        for other in others {
            assert!(!is_one_edit(other), "{}", other.escape_ascii());
        }
    }

    #[test]
    fn ops_are_told_apart() {
        let act = |requests: Vec<Asked>| {
            let [span] = spans(&requests)[..] else { panic!("{requests:?}") };
            act(&span).1
        };
        let (body, ctl) = ("/pane/3/body", "/pane/3/ctl");
        assert_eq!(act(made::text(body, b"x")), Act::Text(b"x"[..].into()));
        assert_eq!(act(made::text("/pane/3/tag", b"x")), Act::Look);
        assert_eq!(act(made::write(body, &[b"x"], false)), Act::Change(Change::Append));
        let replaced = Act::Change(Change::Replace { rewritten: true });
        assert_eq!(act(made::write(body, &[b"x"], true)), replaced);
        assert_eq!(act(made::write(body, &[b"x", b"y"], true)), Act::Other);
        assert_eq!(act(made::write(body, &[b"x\xe6\x97"], false)), Act::Other);
        assert_eq!(act(made::write("/pane/3/exec", &[b"Undo\n"], false)), Act::Undo(true));
        assert_eq!(act(made::refused(ctl, b"Undo\n")), Act::Undo(false));
        assert_eq!(act(made::refused(ctl, b"Redo\n")), Act::Redo(false));
        assert_eq!(act(made::write(ctl, &[b"mark\n"], false)), Act::Mark);
        assert_eq!(act(made::write("/pane/3/exec", &[b"mark\n"], false)), Act::Other);
        assert_eq!(act(made::write("/ctl", &[b"Undo\n"], false)), Act::Other);
        assert_eq!(act(made::refused(ctl, b"Edit d\n")), Act::Refused);
    }
}
