//! What was typed to each pane's shell and heard from it, for as long as panes and opens live.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::exchange::{Request, WireEvent};
use super::outcome::{Answered, Asked, Outcome, What};
use crate::wire::msg::Tmsg;

/// What is remembered of what was typed to one pane; of one that was typed more, nothing is known.
const TYPED_BYTES: usize = 64 << 10;
/// What is remembered of what one open heard: the end of it.
const HEARD_BYTES: usize = 64 << 10;
/// Panes that are remembered; from one more on, nothing is known of any.
const PANES: usize = 4_096;
/// Opens that are remembered; the oldest go.
const OPENS: usize = 256;

/// One open of a shell's output that was read in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The file, tokens resolved.
    pub path: String,
    /// The open's number, as in [`Asked`].
    pub open: u64,
    /// What was heard on it in its whole life, without the beginning where that is too much.
    pub data: Bytes,
    /// What was heard after the end had been told.
    pub after_end: Bytes,
    /// Whether no other open of the same pane heard anything meanwhile.
    pub alone: bool,
    /// All that was ever typed to the pane's shell, whole lines run among it; nothing where that
    /// cannot be known.
    pub typed: Option<Bytes>,
}

/// The session's memory of shells.
#[derive(Debug, Default)]
pub(super) struct Shells {
    /// By pane; nothing where it cannot be known what was typed.
    typed: BTreeMap<u64, Option<Vec<u8>>>,
    opens: BTreeMap<u64, Listener>,
    too_many: bool,
}

/// One open that output is read on.
#[derive(Clone, Debug)]
struct Listener {
    path: String,
    pane: u64,
    data: Vec<u8>,
    after_end: Vec<u8>,
    ended: bool,
    alone: bool,
    /// Whether it was read in this step.
    read: bool,
}

impl Shells {
    /// Takes a step in, and puts what was heard in it into its outcome.
    pub fn follow(&mut self, outcome: &mut Outcome) {
        let mut heard = Vec::new();
        for asked in &outcome.requests {
            self.take(asked, &mut heard);
        }
        outcome.wire.iter().for_each(|script| self.script(&script.events));
        let open = self.opens.iter_mut().filter(|(_, listener)| listener.read);
        heard.extend(open.map(|(open, listener)| {
            listener.read = false;
            (*open, listener.clone())
        }));
        outcome.heard =
            heard.into_iter().map(|(open, listener)| self.fact(open, listener)).collect();
    }

    /// Every connection is gone, and with Restore every pane was perhaps made anew.
    pub fn forget(&mut self) {
        self.opens.clear();
        self.typed.values_mut().for_each(|typed| *typed = None);
    }

    fn fact(&self, open: u64, listener: Listener) -> Heard {
        let Listener { path, pane, data, after_end, alone, .. } = listener;
        let typed = match self.typed.get(&pane) {
            _ if self.too_many => None,
            Some(typed) => typed.clone(),
            None => Some(Vec::new()),
        };
        let typed = typed.map(Bytes::from);
        Heard { path, open, data: data.into(), after_end: after_end.into(), alone, typed }
    }

    fn take(&mut self, asked: &Asked, heard: &mut Vec<(u64, Listener)>) {
        let done = asked.answer == Answered::Done;
        let writes = matches!(asked.what, What::Write | What::WriteUnopened);
        match (file(&asked.path), asked.what) {
            (File::Shell(pane), What::Open | What::Truncate) if done => self.listen(pane, asked),
            (File::Shell(_), What::Read) if done => self.hear(asked),
            (File::Shell(_), What::Clunk | What::ClunkWrite) => {
                let listener = self.opens.remove(&asked.open).filter(|listener| listener.read);
                heard.extend(listener.map(|listener| (asked.open, listener)));
            }
            (File::Shell(pane), _) if writes => self.write(pane, asked, done),
            (file, _) if writes => self.write_elsewhere(&file, &asked.data),
            _ => {}
        }
    }

    fn listen(&mut self, pane: u64, asked: &Asked) {
        let listener = Listener {
            path: asked.path.clone(),
            pane,
            data: Vec::new(),
            after_end: Vec::new(),
            ended: false,
            alone: true,
            read: false,
        };
        self.opens.insert(asked.open, listener);
        if self.opens.len() > OPENS {
            self.opens.pop_first();
        }
    }

    fn hear(&mut self, asked: &Asked) {
        let Some(listener) = self.opens.get_mut(&asked.open) else { return };
        listener.read = true;
        if asked.data.is_empty() {
            // One that heard nothing may have been opened before there was a shell.
            listener.ended |= asked.count > 0 && !listener.data.is_empty();
            return;
        }
        if listener.ended && listener.after_end.len() < HEARD_BYTES {
            listener.after_end.extend_from_slice(&asked.data);
        }
        listener.data.extend_from_slice(&asked.data);
        let over = listener.data.len().saturating_sub(HEARD_BYTES);
        listener.data.drain(..over);
        let pane = listener.pane;
        // Whether each open hears all, or one what another does not, is the server's affair.
        let others = self.opens.iter_mut().filter(|(open, _)| **open != asked.open);
        others.filter(|(_, other)| other.pane == pane).for_each(|(_, other)| other.alone = false);
    }

    /// A refused write may have arrived all the same.
    fn write(&mut self, pane: u64, asked: &Asked, done: bool) {
        if let Some(listener) = self.opens.get_mut(&asked.open).filter(|_| done) {
            // What is taken is taken by a shell that lives.
            listener.ended = false;
        }
        let Some(typed) = self.typed(pane) else { return };
        typed.extend_from_slice(&asked.data);
        if asked.path.ends_with("run") && asked.data.last() != Some(&b'\n') {
            typed.push(b'\n');
        }
        if typed.len() > TYPED_BYTES {
            self.unclear(pane);
        }
    }

    /// What may reach a shell, or stop what it runs, by another way.
    fn write_elsewhere(&mut self, file: &File, data: &[u8]) {
        let has = |word: &[u8]| data.windows(word.len()).any(|part| part == word);
        // A second view of a terminal may share its shell.
        let view = has(b"Zerox");
        let line = [&b"echo"[..], b"seq", b"Kill"].into_iter().any(has);
        match *file {
            File::Control(pane) if has(b"sig") => self.unclear(pane),
            // Without a shell as yet a line runs by itself.
            File::Pane(pane) if view || line && self.typed.contains_key(&pane) => {
                self.unclear(pane);
            }
            File::Odd => self.typed.values_mut().for_each(|typed| *typed = None),
            File::Other if view => self.typed.values_mut().for_each(|typed| *typed = None),
            _ => {}
        }
    }

    /// What a script of raw messages wrote is not looked into.
    fn script(&mut self, events: &[WireEvent]) {
        let names: Vec<&Bytes> = events.iter().flat_map(walked).collect();
        if !names.iter().any(|name| **name == "pty") {
            return;
        }
        for name in names {
            if let Some(pane) = std::str::from_utf8(name).ok().and_then(|name| name.parse().ok()) {
                self.unclear(pane);
            }
        }
    }

    fn typed(&mut self, pane: u64) -> Option<&mut Vec<u8>> {
        self.too_many |= self.typed.len() >= PANES && !self.typed.contains_key(&pane);
        if self.too_many {
            return None;
        }
        self.typed.entry(pane).or_insert_with(|| Some(Vec::new())).as_mut()
    }

    fn unclear(&mut self, pane: u64) {
        if self.typed(pane).is_some() {
            self.typed.insert(pane, None);
        }
    }
}

/// A file, as far as shells are concerned.
enum File {
    /// One that is typed to and heard.
    Shell(u64),
    /// One that signals a shell.
    Control(u64),
    /// Any other of a pane.
    Pane(u64),
    /// One that may be a shell's, named in an unusual way.
    Odd,
    /// Any other.
    Other,
}

fn file(path: &str) -> File {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let serial = |part: &str| part.parse::<u64>().ok();
    match parts[..] {
        ["pane", pane, "pty", "data" | "run"] => serial(pane).map_or(File::Odd, File::Shell),
        ["pane", pane, "pty", "ctl"] => serial(pane).map_or(File::Odd, File::Control),
        [.., "pty", _] => File::Odd,
        ["pane", pane, _] => serial(pane).map_or(File::Other, File::Pane),
        _ => File::Other,
    }
}

fn walked(event: &WireEvent) -> &[Bytes] {
    match event {
        WireEvent::Sent(sending) => match &sending.request {
            Request::Message(Tmsg::Walk { names, .. }) => names,
            _ => &[],
        },
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::super::exchange::{Exchange, Sending};
    use super::*;

    const DATA: &str = "/pane/3/pty/data";

    fn asked(what: What, path: &str, open: u64, data: &'static str) -> Asked {
        let asked = Asked::new(what, path, Answered::Done).of(open).asking(64);
        asked.at(0, Bytes::from_static(data.as_bytes()))
    }

    fn step(shells: &mut Shells, requests: Vec<Asked>) -> Vec<Heard> {
        let mut outcome = Outcome { requests, ..Outcome::default() };
        shells.follow(&mut outcome);
        outcome.heard
    }

    #[test]
    fn what_is_heard_adds_up_over_steps_and_the_rest_is_told_once() {
        let mut shells = Shells::default();
        let open = asked(What::Open, DATA, 1, "");
        assert_eq!(step(&mut shells, vec![open, asked(What::Write, DATA, 1, "echo a\n")]), []);
        let heard = step(&mut shells, vec![asked(What::Read, DATA, 1, "a\r")]);
        assert_eq!((&heard[0].data[..], heard[0].open), (&b"a\r"[..], 1));
        let heard = step(
            &mut shells,
            vec![asked(What::Read, DATA, 1, "\n"), asked(What::ClunkWrite, DATA, 1, "")],
        );
        assert_eq!(heard[0].data, "a\r\n");
        assert_eq!(heard[0].typed.as_deref(), Some(&b"echo a\n"[..]));
        assert_eq!(step(&mut shells, vec![asked(What::Read, DATA, 1, "b")]), []);
    }

    #[test]
    fn what_comes_after_an_end_is_kept_apart() {
        let read = |data| asked(What::Read, DATA, 1, data);
        let heard = |requests: Vec<Asked>| {
            let open = asked(What::Open, DATA, 1, "");
            let all = [open].into_iter().chain(requests).collect();
            step(&mut Shells::default(), all)[0].after_end.clone()
        };
        assert_eq!(heard(vec![read("a"), read(""), read("b"), read("c")]), "bc");
        assert_eq!(heard(vec![read("a"), read(""), read("")]), "");
        // An empty read that asked for nothing; one before anything; one before more was typed.
        let nothing = read("").asking(0);
        assert_eq!(heard(vec![read("a"), nothing, read("b")]), "");
        assert_eq!(heard(vec![read(""), read("b")]), "");
        let typed = asked(What::Write, DATA, 1, "x\n");
        assert_eq!(heard(vec![read("a"), read(""), typed, read("b")]), "");
    }

    #[test]
    fn what_cannot_be_known_is_not_claimed() {
        let typed = |before: Vec<Asked>| {
            let mut shells = Shells::default();
            step(&mut shells, before);
            let open = asked(What::Open, DATA, 9, "");
            let write = asked(What::Write, DATA, 9, "x\n");
            let read = asked(What::Read, DATA, 9, "y");
            step(&mut shells, vec![open, write, read])[0].typed.clone()
        };
        assert_eq!(typed(vec![]).as_deref(), Some(&b"x\n"[..]));
        let run = asked(What::Write, "/pane/3/pty/run", 2, "a");
        assert_eq!(typed(vec![run.clone()]).as_deref(), Some(&b"a\nx\n"[..]));
        assert_eq!(typed(vec![asked(What::Write, "/pane/3/pty/ctl", 2, "sig INT\n")]), None);
        assert_eq!(typed(vec![asked(What::Write, "/pane/3/exec", 2, "Zerox\n")]), None);
        assert_eq!(typed(vec![run, asked(What::Write, "/pane/3/exec", 2, "echo\n")]), None);
        let long = asked(What::Write, DATA, 2, "");
        let long = Asked { data: vec![b'x'; TYPED_BYTES + 1].into(), ..long };
        assert_eq!(typed(vec![long]), None);
        assert!(typed(vec![asked(What::Write, "/pane/4/exec", 2, "Zerox\n")]).is_some());
    }

    #[test]
    fn a_script_that_goes_to_a_shell_makes_its_pane_unclear() {
        let walk = |names: &[&'static str]| {
            let names = names.iter().map(|name| Bytes::from_static(name.as_bytes())).collect();
            let request = Request::Message(Tmsg::Walk { fid: 1, newfid: 2, names });
            WireEvent::Sent(Sending { tag: Some(1), bytes: 9, request, may_wait: false })
        };
        let mut shells = Shells::default();
        let events = vec![walk(&["pane", "3"]), walk(&["pty", "data"])];
        let mut outcome = Outcome { wire: vec![Exchange { events }], ..Outcome::default() };
        shells.follow(&mut outcome);
        assert_eq!(shells.typed.get(&3), Some(&None));
        let events = vec![walk(&["pane", "4", "body"])];
        shells.follow(&mut Outcome { wire: vec![Exchange { events }], ..Outcome::default() });
        assert_eq!(shells.typed.get(&4), None);
    }

    #[test]
    fn two_that_hear_the_same_shell_are_not_alone() {
        let mut shells = Shells::default();
        let read = |open| asked(What::Read, DATA, open, "a");
        let open = |open| asked(What::Open, DATA, open, "");
        let heard = step(&mut shells, vec![open(1), open(2), read(1)]);
        assert!(heard[0].alone);
        let heard = step(&mut shells, vec![read(2)]);
        assert!(!heard[0].alone);
        let heard = step(&mut shells, vec![open(3), read(3)]);
        assert!(heard[0].alone);
    }
}
