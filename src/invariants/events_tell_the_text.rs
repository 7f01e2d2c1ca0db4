//! The events of a body's changes make of the text before them the text after.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::event_text::{Applied, Text, records};
use super::{Basis, Breach, Invariant};
use crate::session::{Answered, Asked, Needs, Outcome, What};

/// A body that was read while no event was to be had, neither before nor after, is the body of the
/// last such time, changed as the events in between tell; and what is read from an event file until
/// there is no more is records. Text that a record leaves out is any text; where runes beyond ASCII
/// would have to be counted, nothing is claimed.
pub const INVARIANT: Invariant = Invariant {
    name: "events_tell_the_text",
    cites: "acme(4): I and D records tell of text inserted in and deleted from the body",
    basis: Basis::Inferred,
    needs: Needs { undisturbed: true, ..Needs::NOTHING },
    false_positive: "a server that tells events later than it answers reads of the body",
    check,
};

/// The longest body that is followed, and the most of events, in bytes. A server may forget events
/// that nobody reads.
const BODY_BYTES: usize = 256 << 10;
const EVENTS_BYTES: usize = 64 << 10;
/// How much is shown, in bytes.
const SHOWN_BYTES: usize = 400;

/// One open of an event file.
#[derive(Default)]
struct Watch {
    pane: String,
    /// The body as it was when all events before had been read.
    known: Option<Text>,
    /// What was read since.
    events: Vec<u8>,
    /// Whether there was nothing to read, and nothing has been read since.
    quiet: bool,
    /// How often something was read.
    reads: u64,
    /// The body, if it was read while it was quiet.
    body: Option<Bytes>,
}

/// One open of a body, read from its beginning.
#[derive(Default)]
struct Body {
    pane: String,
    data: Vec<u8>,
    /// The open that watched quietly when the first part was read, and its reads by then.
    since: Option<(u64, u64)>,
}

fn check(outcome: &Outcome) -> Option<Breach> {
    let mut watches: BTreeMap<u64, Watch> = BTreeMap::new();
    let mut bodies: BTreeMap<u64, Body> = BTreeMap::new();
    for asked in &outcome.requests {
        let Some((pane, file)) = pane_file(&asked.path) else { continue };
        let (open, pane, done) = (asked.open, pane.to_owned(), asked.answer == Answered::Done);
        match (file, asked.what) {
            // Nothing happened since it began.
            ("event", What::Open) if done => {
                watches.insert(open, Watch { pane, quiet: true, ..Watch::default() });
            }
            ("event", What::Read) => {
                let breach = watches.get_mut(&open).and_then(|watch| watch.read(asked));
                if breach.is_some() {
                    return breach;
                }
            }
            ("event", What::Clunk | What::ClunkWrite) => drop(watches.remove(&open)),
            ("body", What::Open) if done && !watches.is_empty() => {
                bodies.insert(open, Body { pane, ..Body::default() });
            }
            ("body", What::Read) => {
                let whole = bodies.get_mut(&open).and_then(|body| body.read(asked, &watches));
                if let Some((watch, text)) = whole
                    && let Some(watch) = watches.get_mut(&watch)
                {
                    watch.body = Some(text);
                }
            }
            _ => {}
        }
    }
    None
}

impl Watch {
    fn read(&mut self, asked: &Asked) -> Option<Breach> {
        match asked.answer {
            Answered::Done if asked.data.is_empty() => None,
            Answered::Done => {
                self.events.extend_from_slice(&asked.data);
                self.reads += 1;
                (self.quiet, self.body) = (false, None);
                None
            }
            Answered::Held => {
                self.quiet = true;
                if self.events.len() > EVENTS_BYTES {
                    self.known = None;
                    self.events.clear();
                }
                let records = records(&self.events);
                if records.is_none() && self.events.is_ascii() {
                    return Some(self.breach("an event file gave what is no record", b""));
                }
                let body = self.body.take()?;
                let breach = self.compare(records?, &body);
                self.known = Some(Text::new(&body));
                self.events.clear();
                breach
            }
            Answered::Refused(_) => {
                self.known = None;
                None
            }
        }
    }

    fn compare(&mut self, records: Vec<super::event_text::Record>, body: &[u8]) -> Option<Breach> {
        let mut text = self.known.take()?;
        for record in &records {
            match text.apply(record) {
                Applied::Done => {}
                Applied::Unknown => return None,
                Applied::Outside => {
                    return Some(self.breach("an event tells of text that was not there", body));
                }
            }
        }
        (text.may_be(body) == Some(false))
            .then(|| self.breach("the events do not make of the body before the one after", body))
    }

    fn breach(&self, why: &str, body: &[u8]) -> Breach {
        let shown = |text: &[u8]| text[..text.len().min(SHOWN_BYTES)].escape_ascii().to_string();
        let (events, body) = (shown(&self.events), shown(body));
        let detail = format!("{}: \"{events}\" and then \"{body}\"", self.pane);
        Breach { why: why.into(), detail }
    }
}

impl Body {
    /// Takes a read in; the whole text at its end, and the open that watched quietly all the while.
    fn read(&mut self, asked: &Asked, watches: &BTreeMap<u64, Watch>) -> Option<(u64, Bytes)> {
        let quiet = |watch: &Watch| watch.quiet && watch.pane == self.pane;
        let following = asked.answer == Answered::Done && asked.offset == self.data.len() as u64;
        if !following || self.data.len() > BODY_BYTES {
            self.since = None;
            return None;
        }
        if asked.offset == 0 {
            let watch = watches.iter().find(|(_, watch)| quiet(watch));
            self.since = watch.map(|(open, watch)| (*open, watch.reads));
        }
        self.data.extend_from_slice(&asked.data);
        let (open, reads) = self.since?;
        let watched = watches.get(&open).is_some_and(|watch| watch.reads == reads && quiet(watch));
        (asked.data.is_empty() && asked.count > 0 && watched)
            .then(|| (open, Bytes::copy_from_slice(&self.data)))
    }
}

/// The pane and the name of one of its files.
fn pane_file(path: &str) -> Option<(&str, &str)> {
    let (pane, file) = path.strip_prefix("/pane/")?.split_once('/')?;
    Some((pane, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(what: What, file: &str, open: u64, answer: Answered) -> Asked {
        Asked { open, count: 9, ..Asked::new(what, &format!("/pane/3/{file}"), answer) }
    }

    fn event(data: &'static str) -> Vec<Asked> {
        let data = Bytes::from_static(data.as_bytes());
        vec![Asked { data, ..asked(What::Read, "event", 1, Answered::Done) }]
    }

    fn held() -> Vec<Asked> {
        vec![asked(What::Read, "event", 1, Answered::Held)]
    }

    /// In two parts, and the empty one that tells the end.
    fn body(text: &'static str) -> Vec<Asked> {
        let (first, second) = text.as_bytes().split_at(text.len() / 2);
        let mut offset = 0;
        let mut all = vec![asked(What::Open, "body", 2, Answered::Done)];
        for part in [first, second, b""] {
            let data = Bytes::from_static(part);
            all.push(Asked { data, offset, ..asked(What::Read, "body", 2, Answered::Done) });
            offset += part.len() as u64;
            if part.is_empty() {
                break;
            }
        }
        all
    }

    fn why(parts: &[Vec<Asked>]) -> Option<String> {
        let open = vec![asked(What::Open, "event", 1, Answered::Done)];
        let requests = [open].into_iter().chain(parts.iter().cloned()).flatten().collect();
        check(&Outcome { requests, ..Outcome::default() }).map(|breach| breach.why)
    }

    #[test]
    fn events_that_make_another_text_are_found() {
        let (start, good) = ("one two", "ED0 3 0 0 \nEI0 1 0 1 1\n");
        let watch =
            |events, text| why(&[body(start), held(), event(events), held(), body(text), held()]);
        assert_eq!(watch(good, "1 two"), None);
        assert!(watch("EI0 1 0 1 1\nED0 3 0 0 \n", "1 two").unwrap().contains("do not make"));
        assert!(watch(good, "one two").is_some());
        assert!(watch("ED0 9 0 0 \n", "").unwrap().contains("not there"));
        assert!(watch("ED0 9\n", "").unwrap().contains("no record"));
    }

    #[test]
    fn records_may_come_in_pieces_and_in_several_turns() {
        let (one, two) = (event("ED0 3 0 0 \nEI0 "), event("1 0 1 1\n"));
        let parts =
            [body("one two"), held(), one.clone(), two.clone(), held(), body("1 two"), held()];
        assert_eq!(why(&parts), None);
        let more = [&parts[..], &[event("EI0 1 0 1 x\n"), held(), body("x1 two"), held()]].concat();
        assert_eq!(why(&more), None);
        let lost = [&parts[..], &[body("x1 two"), held()]].concat();
        assert!(why(&lost).is_some());
        // Read by nobody in between, all at the end.
        assert_eq!(
            why(&[body("one two"), held(), one, held()]).unwrap(),
            "an event file gave what is no record"
        );
    }

    #[test]
    fn where_something_may_have_happened_meanwhile_nothing_is_claimed() {
        let (start, other) = (body("one"), body("two"));
        let wrong = [start.clone(), held(), other.clone(), held()];
        assert!(why(&wrong).is_some());
        // No hold before the second body, or none after it, or events in between.
        let event = event("EI0 1 0 1 x\n");
        assert_eq!(why(&[start.clone(), held(), event.clone(), other.clone(), held()]), None);
        assert_eq!(why(&[start.clone(), held(), event.clone(), held(), other.clone()]), None);
        let late = [start.clone(), held(), held(), other.clone(), event.clone(), held()];
        assert_eq!(why(&late), None);
        // The first body was not known to be the one when the file was opened.
        assert_eq!(why(&[start.clone(), event.clone(), held(), other.clone(), held()]), None);
        // A body that was not read to its end.
        let part = other[..2].to_vec();
        assert_eq!(why(&[start.clone(), held(), part, held()]), None);
        // What is beyond ASCII is no breach by not being understood.
        let odd = self::event("EI0 2 0 2 \u{e9}\n");
        assert_eq!(why(&[start, held(), odd, held(), other, held()]), None);
    }
}
