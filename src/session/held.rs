//! What the session's own opens keep others from, and whether it is free once they are closed.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::limits::{FREE_MS, FREE_POLL_MS, HELD_OPENS, LOOK_MS, PROBES};
use super::outcome::{Answered, Asked, What};
use super::{Failure, Needs, Session, log, observe};
use crate::wire::limits::REPLY_TIMEOUT_MS;
use crate::wire::msg::{Fid, OWRITE, Tmsg};
use crate::wire::{Answer, Conn, WireError, drive, split};

/// What one open keeps all others from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exclusive {
    /// A pane's event file.
    Event,
    /// A pane's lock.
    Lock,
}

/// Something that none of the session's opens keeps any more, asked for again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freed {
    /// What.
    pub what: Exclusive,
    /// Whose.
    pub pane: u64,
    /// Why it could still not be had, after as long a wait as any server may ask for.
    pub refused: Option<String>,
}

/// The opens of the session that are not closed, as far as they can keep others from something:
/// those that no handle knows any more are among them.
#[derive(Debug, Default)]
pub struct Held {
    opens: BTreeMap<u64, HeldOpen>,
    /// There are too many to know them all.
    lost: bool,
}

#[derive(Clone, Copy, Debug)]
struct HeldOpen {
    pane: u64,
    file: Exclusive,
    mode: u8,
    locked: bool,
}

/// What is to be asked for again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Closed {
    what: Exclusive,
    pane: u64,
    mode: u8,
}

impl Held {
    /// Takes in what a step did; gives what its closes must have freed.
    pub fn follow(&mut self, requests: &[Asked]) -> Vec<Closed> {
        let mut closed = Vec::new();
        for asked in requests {
            closed.extend(self.take_in(asked));
        }
        closed.sort_unstable();
        closed.dedup_by_key(|one| (one.what, one.pane));
        closed.retain(|one| !self.lost && !self.keeps(one));
        closed.truncate(PROBES);
        closed
    }

    /// Whether someone of ours reads the pane's events.
    pub fn reads_events(&self, pane: u64) -> bool {
        self.lost || self.is_open(pane, Exclusive::Event)
    }

    fn take_in(&mut self, asked: &Asked) -> Option<Closed> {
        let done = asked.answer == Answered::Done;
        match asked.what {
            What::Open | What::Truncate if done => {
                let (pane, file) = exclusive_file(&asked.path)?;
                let mode = asked.mode.unwrap_or_default() & 3;
                self.lost |= self.opens.len() >= HELD_OPENS;
                if !self.lost {
                    self.opens.insert(asked.open, HeldOpen { pane, file, mode, locked: false });
                }
                None
            }
            What::Write if done && locks(&asked.data) => {
                self.opens.get_mut(&asked.open)?.locked = true;
                None
            }
            // Whatever the answer, the fid is gone (clunk(9P)).
            What::Clunk | What::ClunkWrite => {
                let HeldOpen { pane, file: what, mode, locked } = self.opens.remove(&asked.open)?;
                (what == Exclusive::Event || locked).then_some(Closed { what, pane, mode })
            }
            _ => None,
        }
    }

    /// Whether another open of ours may keep it, or would see that it is asked for.
    fn keeps(&self, closed: &Closed) -> bool {
        self.is_open(closed.pane, closed.what) || self.is_open(closed.pane, Exclusive::Event)
    }

    fn is_open(&self, pane: u64, file: Exclusive) -> bool {
        self.opens.values().any(|open| open.pane == pane && open.file == file)
    }
}

/// The pane whose `event` or `ctl` a path leads to.
fn exclusive_file(path: &str) -> Option<(u64, Exclusive)> {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            other => names.push(other),
        }
    }
    let ["pane", serial, file] = names[..] else { return None };
    let file = match file {
        "event" => Exclusive::Event,
        "ctl" => Exclusive::Lock,
        _ => return None,
    };
    Some((serial.parse().ok()?, file))
}

/// Whether a line says `lock`: that it was done tells that the word is known.
fn locks(data: &Bytes) -> bool {
    data.split_inclusive(|&byte| byte == b'\n').any(|line| line == b"lock\n")
}

/// What was found when it was asked for.
enum Found {
    Free,
    Taken(String),
    /// The pane is gone, or something else is in the way: nothing can be said.
    Unknown,
}

impl Session {
    /// Asks for each of `closed` again, until it is given or its time is up.
    pub(super) fn ask_again(
        &mut self,
        closed: &[Closed],
        needs: Needs,
    ) -> Result<Vec<Freed>, Failure> {
        let mut freed = Vec::new();
        for one in closed {
            let deadline = Instant::now() + Duration::from_millis(FREE_MS);
            let mut pause = Duration::from_millis(FREE_POLL_MS);
            let refused = loop {
                let found = self.reading(async |conn| match one.what {
                    Exclusive::Event => open_event(conn, one).await,
                    Exclusive::Lock => lock(conn, one.pane).await,
                });
                match found? {
                    Found::Free => break Some(None),
                    Found::Unknown => break None,
                    Found::Taken(why) if Instant::now() >= deadline => break Some(Some(why)),
                    Found::Taken(_) => {}
                }
                // A server sees by and by that a client is gone.
                std::thread::sleep(pause);
                pause *= 2;
            };
            freed.extend(refused.map(|refused| Freed { what: one.what, pane: one.pane, refused }));
        }
        if needs.log && !closed.is_empty() {
            self.begin_window()?;
        }
        Ok(freed)
    }

    /// What was asked here may have been logged, and is no step's: the next window begins behind it.
    fn begin_window(&mut self) -> Result<(), Failure> {
        self.markers += 1;
        let marker = log::marker(self.markers);
        let previous = self.marker.replace(marker.clone());
        let conns = self.conns();
        let (conn, follower) = (&self.conn, self.follower.as_mut());
        let window = observe::window(conn, follower, previous.as_deref(), &marker);
        drive(&conns, Duration::from_millis(LOOK_MS), window)
            .map_err(|why| Failure::wire("the log", why))
            .flatten()
            .map(drop)
    }
}

/// What a file says whose one open is taken.
const IN_USE: &str = "in use";

async fn open_event(conn: &Conn, closed: &Closed) -> Result<Found, WireError> {
    let path = format!("/pane/{}/event", closed.pane);
    let Ok(fid) = conn.walk(&split(path.as_bytes())).await? else { return Ok(Found::Unknown) };
    let found = match conn.open(fid, closed.mode, Duration::from_millis(REPLY_TIMEOUT_MS)).await? {
        Ok(()) => Found::Free,
        Err(why) if why.contains(IN_USE) => Found::Taken(why),
        Err(_) => Found::Unknown,
    };
    conn.clunk(fid).await?.ok();
    Ok(found)
}

async fn lock(conn: &Conn, pane: u64) -> Result<Found, WireError> {
    let timeout = Duration::from_millis(REPLY_TIMEOUT_MS);
    let path = format!("/pane/{pane}/ctl");
    let Ok(fid) = conn.walk(&split(path.as_bytes())).await? else { return Ok(Found::Unknown) };
    let mut found = Found::Unknown;
    if conn.open(fid, OWRITE, timeout).await?.is_ok() {
        found = match write(conn, fid, b"lock\n").await? {
            Ok(()) => Found::Free,
            Err(why) => Found::Taken(why),
        };
        if let Found::Free = found {
            write(conn, fid, b"unlock\n").await?.ok();
        }
    }
    conn.clunk(fid).await?.ok();
    Ok(found)
}

async fn write(conn: &Conn, fid: Fid, line: &'static [u8]) -> Answer<()> {
    let message = Tmsg::Write { fid, offset: 0, data: Bytes::from_static(line) };
    Ok(conn.call(&message, Duration::from_millis(REPLY_TIMEOUT_MS)).await?.map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(what: What, path: &str, open: u64) -> Asked {
        Asked::new(what, path, Answered::Done).of(open).mode(OWRITE)
    }

    fn opened(path: &str, open: u64) -> Asked {
        asked(What::Open, path, open)
    }

    fn wrote(path: &str, open: u64, line: &'static str) -> Asked {
        asked(What::Write, path, open).at(0, line.into())
    }

    fn clunked(path: &str, open: u64) -> Asked {
        asked(What::ClunkWrite, path, open)
    }

    #[test]
    fn the_last_close_frees() {
        let mut held = Held::default();
        let event = "/pane/3/event";
        assert_eq!(held.follow(&[opened(event, 1)]), []);
        assert!(held.reads_events(3) && !held.reads_events(4));
        let refused = Asked { answer: Answered::Refused("no".into()), ..opened(event, 2) };
        assert_eq!(held.follow(&[refused, clunked(event, 2)]), []);
        let want = [Closed { what: Exclusive::Event, pane: 3, mode: OWRITE }];
        assert_eq!(held.follow(&[clunked("//pane/3/x/../event", 1)]), want);
        assert_eq!(held.follow(&[opened(event, 4), clunked(event, 4), opened(event, 5)]), []);
    }

    #[test]
    fn only_what_was_locked_is_locked_again() {
        let ctl = "/pane/3/ctl";
        let mut held = Held::default();
        assert_eq!(held.follow(&[opened(ctl, 1), wrote(ctl, 1, "show\n"), clunked(ctl, 1)]), []);
        assert_eq!(held.follow(&[opened(ctl, 2), wrote(ctl, 2, "unlock\n"), clunked(ctl, 2)]), []);
        assert_eq!(held.follow(&[opened(ctl, 3), wrote(ctl, 3, "lock\n"), opened(ctl, 4)]), []);
        assert_eq!(held.follow(&[clunked(ctl, 3)]), [], "open 4 may have it");
        assert_eq!(held.follow(&[wrote(ctl, 4, "show\nlock\n"), opened("/pane/3/event", 5)]), []);
        assert_eq!(held.follow(&[clunked(ctl, 4)]), [], "open 5 would see it");
        let lock = [opened("/pane/6/ctl", 7), wrote("/pane/6/ctl", 7, "lock\n")];
        assert_eq!(held.follow(&lock), []);
        let want = [Closed { what: Exclusive::Lock, pane: 6, mode: OWRITE }];
        assert_eq!(held.follow(&[clunked("/pane/6/ctl", 7)]), want);
    }

    #[test]
    fn too_many_opens_end_all_claims() {
        let mut held = Held::default();
        let many: Vec<Asked> =
            (0..=HELD_OPENS as u64).map(|open| opened("/pane/3/ctl", open)).collect();
        assert_eq!(held.follow(&many), []);
        assert_eq!(held.follow(&[opened("/pane/4/event", 9_999_999)]), []);
        assert!(held.reads_events(4));
        assert!(held.opens.len() <= HELD_OPENS);
    }
}
