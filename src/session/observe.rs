//! What is looked at after each step: the log window, the index, one listing, the columns.

use bytes::Bytes;
use futures_util::try_join;

use super::failure::{Failure, FailureKind};
use super::follower::Follower;
use super::log;
use super::outcome::{Addresses, Content, IndexView, Listing};
use crate::wire::limits::{READ_ALL_BYTES, REPLY_TIMEOUT_MS};
use crate::wire::msg::{Fid, OREAD, Tmsg};
use crate::wire::{Answer, Conn, ROOT_FID, WireError, split, stat};
use std::time::Duration;

/// What the enabled invariants want to see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The records the step caused.
    pub log: bool,
    /// The records from `/log` too where they are followed.
    pub both_logs: bool,
    /// `/index` and `/pane`.
    pub index: bool,
    /// A listing read whole and in pieces.
    pub listing: bool,
    /// A pane's addresses and its body's length.
    pub addresses: bool,
    /// The body before and after an Edit.
    pub edits: bool,
    /// A file that was just opened, and its pane's body.
    pub opened: bool,
    /// The processes of shells whose panes were closed.
    pub shells: bool,
    /// What a client held and has closed, asked for again.
    pub held: bool,
    /// The panes before and after a Dump and its Restore.
    pub reload: bool,
    /// That no text, file or process changes but by what it is asked: not once a shell may do
    /// anything.
    pub undisturbed: bool,
}

impl Needs {
    /// Nothing besides the step itself and its traffic.
    pub const NOTHING: Needs = Needs {
        log: false,
        both_logs: false,
        index: false,
        listing: false,
        addresses: false,
        edits: false,
        opened: false,
        shells: false,
        held: false,
        reload: false,
        undisturbed: false,
    };

    /// In words, for people.
    pub fn words(self) -> String {
        let parts = [
            (self.log, "the records that the step logged"),
            (self.both_logs, "the same records read from `/log`"),
            (self.index, "`/index` and `/pane`"),
            (self.listing, "a listing, read whole and in pieces"),
            (self.addresses, "a pane's addresses and its body's length"),
            (self.opened, "a fixture that a look has just opened, and the new pane's body"),
            (self.edits, "the body before and after an Edit"),
            (self.shells, "the processes of a shell whose pane the step closed"),
            (self.held, "an event file or a lock that the step closed, asked for again"),
            (self.reload, "all panes before and after a step that dumps and restores"),
        ];
        let wanted: Vec<&str> = parts.iter().filter(|(on, _)| *on).map(|(_, what)| *what).collect();
        let seen = match wanted.is_empty() {
            true => "the step and its traffic".into(),
            false => wanted.join("; "),
        };
        match self.undisturbed {
            true => seen + "; claims nothing once a shell may do anything",
            false => seen,
        }
    }

    /// What either wants.
    pub fn and(self, other: Needs) -> Needs {
        Needs {
            log: self.log || other.log,
            both_logs: self.both_logs || other.both_logs,
            index: self.index || other.index,
            listing: self.listing || other.listing,
            addresses: self.addresses || other.addresses,
            edits: self.edits || other.edits,
            opened: self.opened || other.opened,
            shells: self.shells || other.shells,
            held: self.held || other.held,
            reload: self.reload || other.reload,
            undisturbed: self.undisturbed || other.undisturbed,
        }
    }
}

/// What is read whole and in pieces, a different one each step; `{s}` is a live serial.
const LISTINGS: [&str; 11] = [
    "/index",
    "/layout",
    "/",
    "/pane",
    "/col",
    "/pane/{s}",
    "/status",
    "/commands",
    "/pane/{s}/tag",
    "/recent",
    "/README",
];
/// How many pieces a listing is read in at the most.
const PIECES: usize = 48;

/// Sends a marker and collects the records since the one before; `Ok(None)` makes no claim.
pub async fn window(
    conn: &Conn,
    follower: Option<&mut Follower>,
    previous: Option<&str>,
    marker: &str,
) -> Result<Option<Vec<String>>, Failure> {
    let hung = |why| Failure::wire("the log", why);
    // Liveness goes along: any request must be answered.
    let stat = async {
        let timeout = Duration::from_millis(REPLY_TIMEOUT_MS);
        conn.call(&Tmsg::Stat { fid: ROOT_FID }, timeout).await
    };
    let line = format!("{marker}\n");
    let (_, taken) = try_join!(stat, conn.write_path(b"/ctl", line.as_bytes())).map_err(hung)?;
    if taken.is_ok() {
        return Err(Failure::new(FailureKind::Log, "marker write was taken"));
    }
    let lines = match follower {
        Some(follower) => match follower.take_until(&format!("\"{marker}\"")).await {
            Ok(lines) => lines,
            Err(WireError::Hang(_)) => {
                let why = "marker record never reached the follower";
                return Err(Failure::new(FailureKind::Log, why));
            }
            Err(why) => return Err(hung(why)),
        },
        None => return logged(conn, previous, marker).await,
    };
    log::between(&lines, previous, marker).map_err(|why| Failure::new(FailureKind::Log, why))
}

/// The same records, read from `/log`.
pub async fn logged(
    conn: &Conn,
    previous: Option<&str>,
    marker: &str,
) -> Result<Option<Vec<String>>, Failure> {
    let text = match conn.read_path(b"/log").await.map_err(|why| Failure::wire("the log", why))? {
        Ok(text) => text,
        Err(why) => return Err(Failure::new(FailureKind::Log, format!("/log: {why}"))),
    };
    let lines: Vec<String> = String::from_utf8_lossy(&text).lines().map(str::to_owned).collect();
    log::between(&lines, previous, marker).map_err(|why| Failure::new(FailureKind::Log, why))
}

/// `/index`, `/pane`, `/index`, in this order.
pub async fn index(conn: &Conn) -> Result<IndexView, Failure> {
    let before = needed("/index", conn.read_path(b"/index").await)?;
    let entries = needed("/pane", conn.read_path(b"/pane").await)?;
    let after = needed("/index", conn.read_path(b"/index").await)?;
    Ok(IndexView { before, entries: names(entries), after })
}

/// The numbers in `/col`; none if it is refused.
pub async fn columns(conn: &Conn) -> Result<Vec<u64>, Failure> {
    // Only references need it: a target that has none is no failure.
    let Ok(listing) = conn.read_path(b"/col").await.map_err(|why| Failure::wire("/col", why))?
    else {
        return Ok(Vec::new());
    };
    Ok(names(listing).iter().filter_map(|name| name.parse().ok()).collect())
}

/// The listing whose turn it is; nothing if it is gone or refused.
pub async fn listing(conn: &Conn, turn: u64, panes: &[u64]) -> Result<Option<Listing>, Failure> {
    let name = LISTINGS[(turn % LISTINGS.len() as u64) as usize];
    let path = match (name.contains("{s}"), panes.len() as u64) {
        (false, _) => name.to_owned(),
        (true, 0) => return Ok(None),
        (true, count) => name.replace("{s}", &panes[(turn % count) as usize].to_string()),
    };
    let directory = matches!(name, "/" | "/pane" | "/col" | "/pane/{s}");
    let hung = |why| Failure::wire(&path, why);
    let timeout = Duration::from_millis(REPLY_TIMEOUT_MS);
    let Ok(fid) = conn.walk(&split(path.as_bytes())).await.map_err(hung)? else {
        return Ok(None);
    };
    let mut seen = None;
    if conn.open(fid, OREAD, timeout).await.map_err(hung)?.is_ok() {
        seen = read_twice(conn, fid, &path, turn, directory).await?;
    }
    conn.clunk(fid).await.map_err(hung)?.ok();
    Ok(seen)
}

/// An open listing, whole and in pieces; nothing if it is a pane's, which a shell's end may close
/// between any two requests.
async fn read_twice(
    conn: &Conn,
    fid: Fid,
    path: &str,
    turn: u64,
    directory: bool,
) -> Result<Option<Listing>, Failure> {
    let unless_gone = |read| match needed(path, read) {
        Err(why) if path.starts_with("/pane/") && why.kind == FailureKind::Checker => Ok(None),
        read => read.map(Some),
    };
    let Some(whole) = unless_gone(conn.read_all(fid, u32::MAX).await)? else { return Ok(None) };
    let small = if directory { 128 + turn % 900 } else { 1 + turn % 50 };
    let count = (small as u32).max(whole.len().div_ceil(PIECES) as u32);
    let Some(pieces) = unless_gone(conn.read_all(fid, count).await)? else { return Ok(None) };
    let content = match directory {
        true => Content::Directory(names(whole), names(pieces)),
        false => Content::File(whole, pieces),
    };
    Ok(Some(Listing { path: path.to_owned(), count, content }))
}

/// Files of a pane that hold an address.
const ADDRESSES: [&str; 3] = ["addr", "dot", "limit"];
/// A body of this or more may have been read in part, in bytes.
pub const BODY_BYTES: usize = READ_ALL_BYTES / 2;

/// The addresses of the pane whose turn it is, read before the body, which shells may make longer;
/// nothing if it is gone. Where one lies outside, all are read once more: the body may have shrunk.
pub async fn addresses(
    conn: &Conn,
    turn: u64,
    panes: &[u64],
) -> Result<Option<Addresses>, Failure> {
    let Some(pane) = panes.get((turn % panes.len().max(1) as u64) as usize) else {
        return Ok(None);
    };
    let pane = format!("/pane/{pane}");
    let mut seen = None;
    for _ in 0..2 {
        let mut files = Vec::new();
        for file in ADDRESSES {
            let path = format!("{pane}/{file}");
            let text =
                conn.read_path(path.as_bytes()).await.map_err(|why| Failure::wire(&path, why))?;
            let Ok(text) = text else { return Ok(None) };
            files.push((file, String::from_utf8_lossy(&text).into_owned()));
        }
        let Some(body) = body(conn, &pane).await? else { return Ok(None) };
        let addresses = Addresses { pane: pane.clone(), most_runes: body.len() as u64, files };
        let outside = addresses.outside();
        seen = Some(addresses);
        if !outside {
            break;
        }
    }
    Ok(seen)
}

/// A pane's body; nothing if it is gone, or too long to be sure of all of it.
pub async fn body(conn: &Conn, pane: &str) -> Result<Option<Bytes>, Failure> {
    let path = format!("{pane}/body");
    let body = conn.read_path(path.as_bytes()).await.map_err(|why| Failure::wire(&path, why))?;
    Ok(body.ok().filter(|body| body.len() < BODY_BYTES))
}

/// What must be readable for any check to be possible.
fn needed(path: &str, answer: Result<Result<Bytes, String>, WireError>) -> Result<Bytes, Failure> {
    match answer {
        Ok(Ok(data)) => Ok(data),
        Ok(Err(why)) => Err(Failure::new(FailureKind::Checker, format!("{path}: {why}"))),
        Err(why) => Err(Failure::wire(path, why)),
    }
}

/// The names of a listing's entries, as far as they are whole: whether they are is an invariant's
/// affair, which sees the traffic.
fn names(mut listing: Bytes) -> Vec<String> {
    let mut names = Vec::new();
    while let Ok(Some(entry)) = stat::next(&mut listing) {
        names.push(String::from_utf8_lossy(&entry.name).into_owned());
    }
    names
}

/// Whether a fresh target's tree can be read at all: its panes.
pub async fn panes(conn: &Conn) -> Answer<Vec<u64>> {
    Ok(conn.read_path(b"/index").await?.map(|index| super::refs::serials(&index)))
}
