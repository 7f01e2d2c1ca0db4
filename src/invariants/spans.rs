//! A step's requests as the ops made them: an open with all that was done on it.

use bytes::Bytes;

use crate::session::{Answered, Asked, What};
use crate::wire::msg::OREAD;

/// One open from its beginning to its end, with nothing of another between; or one request that is
/// part of no such thing.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a>(&'a [Asked]);

/// A text as long as this may have been a shell's output that lost its head, in bytes.
pub const TEXT_BYTES: usize = 1 << 17;

/// All requests, in order.
pub fn spans(requests: &[Asked]) -> Vec<Span<'_>> {
    let mut spans = Vec::new();
    let mut rest = requests;
    while let Some(first) = rest.first() {
        let same = rest.iter().take_while(|one| one.open == first.open).count();
        let last = &rest[same - 1];
        let opens = matches!(first.what, What::Open | What::Truncate | What::OpenNew);
        let closes = matches!(last.what, What::Clunk | What::ClunkWrite) && is_done(last);
        let whole = first.open != 0 && opens && is_done(first) && closes;
        let (span, after) = rest.split_at(if whole { same } else { 1 });
        spans.push(Span(span));
        rest = after;
    }
    spans
}

/// A pane's directory and the name of one of its files, if the path is plainly that.
pub fn pane_file(path: &str) -> Option<(&str, &str)> {
    let (pane, file) = path.rsplit_once('/')?;
    let serial = pane.strip_prefix("/pane/")?;
    let plain = serial.bytes().all(|byte| byte.is_ascii_digit()) && !serial.starts_with('0');
    (plain && !serial.is_empty() && !file.is_empty()).then_some((pane, file))
}

impl<'a> Span<'a> {
    /// The pane and the name of its file.
    pub fn pane_file(self) -> Option<(&'a str, &'a str)> {
        pane_file(&self.0.first()?.path)
    }

    /// Whether nothing in it changes anything: walks, stats, reads, opens that empty nothing.
    pub fn only_looks(self) -> bool {
        self.0.iter().all(|one| match one.what {
            What::Walk | What::Stat | What::Read | What::Clunk => true,
            What::Open => one.mode.is_some_and(|mode| mode & !3 == 0),
            _ => false,
        })
    }

    /// Whether the open asked for the file to be emptied.
    pub fn truncates(self) -> bool {
        self.0.first().is_some_and(|first| first.what == What::Truncate)
    }

    /// The reads, if nothing else was done.
    pub fn reads(self) -> Option<&'a [Asked]> {
        let (first, between, last) = self.parts()?;
        let reads = between.iter().all(|one| one.what == What::Read);
        (first.what == What::Open && last.what == What::Clunk && reads).then_some(between)
    }

    /// The file's whole text: read on from its beginning until there was no more.
    pub fn whole_text(self) -> Option<Bytes> {
        let reads = self.reads()?;
        let ended = reads.last().is_some_and(|last| last.data.is_empty() && last.count > 0);
        (ended && reads.iter().all(is_done) && is_in_order(reads)).then(|| joined(reads))
    }

    /// The writes, if nothing else was done; each goes on where the last one ended.
    pub fn writes(self) -> Option<&'a [Asked]> {
        let (first, between, last) = self.parts()?;
        let writes = between.iter().all(|one| one.what == What::Write);
        let opened = first.mode.is_some_and(|mode| mode & 3 != OREAD);
        let all = opened && last.what == What::ClunkWrite && writes && is_in_order(between);
        all.then_some(between)
    }

    /// The open, what was done on it, and the clunk.
    fn parts(self) -> Option<(&'a Asked, &'a [Asked], &'a Asked)> {
        match self.0 {
            [first, between @ .., last] => Some((first, between, last)),
            _ => None,
        }
    }
}

/// Whether it was done.
pub fn is_done(asked: &Asked) -> bool {
    asked.answer == Answered::Done
}

/// The data of several requests.
pub fn joined(requests: &[Asked]) -> Bytes {
    match requests {
        [one] => one.data.clone(),
        all => all.iter().flat_map(|one| one.data.iter().copied()).collect(),
    }
}

/// Whether each request begins where the data of those before it ends.
fn is_in_order(requests: &[Asked]) -> bool {
    let mut offset = 0;
    requests.iter().all(|one| {
        let here = one.offset == offset;
        offset += one.data.len() as u64;
        here
    })
}

#[cfg(test)]
pub mod made {
    //! Made-up requests.

    use super::*;
    use crate::wire::msg::{OTRUNC, OWRITE};
    use std::sync::atomic::{AtomicU64, Ordering};

    /// How much each read asks for, in bytes.
    const COUNT: u32 = 64;

    fn next_open() -> u64 {
        static OPENS: AtomicU64 = AtomicU64::new(1);
        OPENS.fetch_add(1, Ordering::Relaxed)
    }

    fn asked(what: What, path: &str, open: u64) -> Asked {
        Asked { open, ..Asked::new(what, path, Answered::Done) }
    }

    /// An open, reads that gave these pieces, a clunk.
    pub fn read(path: &str, pieces: &[&[u8]]) -> Vec<Asked> {
        let open = next_open();
        let mut all = vec![Asked { mode: Some(OREAD), ..asked(What::Open, path, open) }];
        let mut offset = 0;
        for piece in pieces {
            let data = Bytes::copy_from_slice(piece);
            all.push(Asked { offset, count: COUNT, data, ..asked(What::Read, path, open) });
            offset += piece.len() as u64;
        }
        all.push(asked(What::Clunk, path, open));
        all
    }

    /// The same, up to the file's end.
    pub fn text(path: &str, text: &[u8]) -> Vec<Asked> {
        if text.is_empty() { read(path, &[b""]) } else { read(path, &[text, b""]) }
    }

    /// An open, these writes, a clunk.
    pub fn write(path: &str, pieces: &[&[u8]], truncate: bool) -> Vec<Asked> {
        let open = next_open();
        let (what, mode) =
            if truncate { (What::Truncate, OWRITE | OTRUNC) } else { (What::Open, OWRITE) };
        let mut all = vec![Asked { mode: Some(mode), ..asked(what, path, open) }];
        let mut offset = 0;
        for piece in pieces {
            let data = Bytes::copy_from_slice(piece);
            all.push(Asked { offset, data, ..asked(What::Write, path, open) });
            offset += piece.len() as u64;
        }
        all.push(asked(What::ClunkWrite, path, open));
        all
    }

    /// The same, with the writes refused.
    pub fn refused(path: &str, data: &[u8]) -> Vec<Asked> {
        let mut all = write(path, &[data], false);
        all[1].answer = Answered::Refused("no".into());
        all
    }
}

#[cfg(test)]
mod tests {
    use super::made::{read, text, write};
    use super::*;
    use crate::session::Answered;

    fn whole(requests: &[Asked]) -> Option<Bytes> {
        let [span] = spans(requests)[..] else { return None };
        span.whole_text()
    }

    #[test]
    fn a_text_is_whole_when_a_read_that_asked_for_more_gave_nothing() {
        let body = "/pane/3/body";
        assert_eq!(whole(&text(body, b"one")), Some(b"one"[..].into()));
        assert_eq!(whole(&text(body, b"")), Some(Bytes::new()));
        assert_eq!(whole(&read(body, &[b"on", b"e", b""])), Some(b"one"[..].into()));
        assert_eq!(whole(&read(body, &[b"one"])), None);
        assert_eq!(whole(&write(body, &[b"one", b""], false)), None);
        let mut other = text(body, b"one");
        other[1].offset = 1;
        assert_eq!(whole(&other), None, "not from the beginning");
        let mut none = text(body, b"");
        none[1].count = 0;
        assert_eq!(whole(&none), None, "nothing was asked for");
        let mut open = text(body, b"one");
        open.pop();
        assert_eq!(spans(&open).len(), 3, "not closed");
    }

    #[test]
    fn an_op_is_one_span() {
        let stat = Asked::new(What::Stat, "/", Answered::Done);
        let held = Asked { open: 7, ..Asked::new(What::Write, "/ctl", Answered::Done) };
        let all =
            [write("/ctl", &[b"a", b"b"], false), vec![stat, held], text("/x", b"t")].concat();
        let spans = spans(&all);
        let looks: Vec<bool> = spans.iter().map(|span| span.only_looks()).collect();
        assert_eq!(looks, [false, true, false, true]);
        let written: Vec<Option<usize>> =
            spans.iter().map(|span| span.writes().map(<[Asked]>::len)).collect();
        assert_eq!(written, [Some(2), None, None, None]);
    }

    #[test]
    fn paths_are_taken_as_they_stand() {
        assert_eq!(pane_file("/pane/12/body"), Some(("/pane/12", "body")));
        for path in ["/pane/new", "/pane/3/pty/data", "//pane/3/body", "/pane/03/body", "/body"] {
            assert_eq!(pane_file(path), None, "{path}");
        }
    }
}
