//! Stories: steps one after another on one pane, for what no step alone comes to.

use super::draw::{Draw, from_table};
use super::payload::{Suit, payload, text};
use super::{Generator, edit, place};
use crate::input::parts::{
    AddrFile, AfterAddr, Chunking, Count, LineFile, Mode, NewPane, ReadOffset, Reads, Slot, TagFile,
};
use crate::input::path::{PaneFile, PaneRef, Path, Place, RootFile};
use crate::input::payload::{
    Address, Base, BlockVerb, Command, CommandLine, EditCommand, Ending, GroupLine, LookLine,
    LookName, LookSuffix, Payload, SimpleAddress, Term, Text, TextBody, Verb,
};
use crate::input::scene::{Act, History, Kept};
use crate::input::step::Step;
use crate::input::weights::percent;
use crate::input::words::{Builtin, FileName, Rune, Word};

/// Reads that may end inside a rune, in bytes.
const SMALL_COUNTS: [u32; 4] = [1, 2, 7, 16];
/// Runes of several bytes, and those that are two cells wide.
const LONG_RUNES: [&str; 4] = ["\u{1f600}", "\u{1f600}", "日本", "é"];
const WIDE_RUNES: [&str; 2] = ["日本", "\u{1f600}"];
/// As many wide runes as reach beyond a row.
const WIDE: u32 = 64;
/// Changes that are all taken back.
const DEEP: u32 = 6;
/// Files that are opened anew in one story.
const REOPENED: usize = 5;
/// Panes that come and go in one story, and how often.
const CROWD: u8 = 14;
const CROWDS: usize = 3;

impl Generator {
    /// The steps of a story.
    pub(super) fn story(&mut self) -> Vec<Step> {
        let draw = &mut self.draw;
        let pane = place::pane(draw);
        match draw.share(&percent::STORIES) {
            0 => view(draw, pane),
            1 => runes(draw, pane),
            2 => wide_tag(draw, pane),
            3 => self.lock(pane),
            4 => vec![deep(draw, pane)],
            5 => self.watched(pane),
            6 => reopened(draw),
            7 => seen_twice(draw, pane),
            8 => fails_late(draw, pane),
            _ => crowds(draw),
        }
    }

    /// A pane is locked, another fid says something, and the lock's fid is clunked.
    fn lock(&mut self, pane: PaneRef) -> Vec<Step> {
        let slot = self.open(Suit::Commands);
        let path = || Path::File { pane, file: PaneFile::Ctl };
        let draw = &mut self.draw;
        let mode = draw.pick(&[Mode::Write, Mode::ReadWrite]);
        let mut steps = vec![
            Step::Hold { slot, path: path(), mode },
            Step::HandleWrite { slot, payload: commands(word(b"lock")) },
        ];
        if draw.coin() {
            let said = draw.pick(&[&b"show"[..], b"clean", b"lock", b"unlock"]);
            steps.push(write(path(), commands(word(said))));
        }
        steps.push(self.clunk(slot));
        steps
    }

    /// The pane's events are taken; it changes, and goes, or only the reader does.
    fn watched(&mut self, pane: PaneRef) -> Vec<Step> {
        let slot = self.open(Suit::Event);
        let draw = &mut self.draw;
        let path = Path::File { pane, file: PaneFile::Body };
        let mut steps = vec![Step::Event { slot, pane }];
        steps.push(write(path, payload(draw, Suit::Text)));
        if draw.coin() {
            steps.push(Step::Remove(Path::Dir(pane)));
        }
        steps.push(self.clunk(slot));
        steps
    }

    fn clunk(&mut self, slot: Slot) -> Step {
        self.slots[usize::from(slot.0)] = None;
        Step::Clunk(slot)
    }
}

/// A pane is limited and collapsed, in either order, and changed and changed back.
fn view(draw: &mut Draw, pane: PaneRef) -> Vec<Step> {
    let address = draw.pick(&[&b"1"[..], b"#1,#2", b"#0", b"$"]);
    let limit = Payload { base: Base::Address(simple(address)), edits: Vec::new() };
    let mut steps = vec![
        write(Path::File { pane, file: PaneFile::Limit }, limit),
        write(Path::File { pane, file: PaneFile::Exec }, commands(builtin(b"Collapse"))),
    ];
    if draw.coin() {
        steps.reverse();
    }
    let acts = vec![Act::Append(text(draw)), Act::Undo, Act::Redo];
    steps.push(Step::History(History { pane, acts }));
    steps
}

/// Runes of several bytes are written, and read in small pieces.
fn runes(draw: &mut Draw, pane: PaneRef) -> Vec<Step> {
    let mut body = draw.several(1, |draw| from_table!(draw, Rune));
    let long = rune(draw.pick(&LONG_RUNES));
    body.extend((0..1 + draw.below(LONG_RUNES.len() as u32)).map(|_| long));
    let text = Text { body: TextBody::Runes(body), end: draw.pick(Ending::ALL) };
    let address = simple(draw.pick(&[&b"0"[..], b"#0", b",", b"#3"]));
    let file = draw.pick(&[AddrFile::Data, AddrFile::Data, AddrFile::Xdata]);
    let count = Count::of(&draw.pick(&SMALL_COUNTS)).unwrap_or(Count(0));
    vec![
        Step::Kept(Kept { pane, text, chunks: Chunking::Whole }),
        Step::Addr { pane, address, then: AfterAddr::Read { file, count } },
    ]
}

/// A tag of wide runes, from an odd cell on or an even one, is drawn.
fn wide_tag(draw: &mut Draw, pane: PaneRef) -> Vec<Step> {
    let mut body = if draw.coin() { vec![rune("é")] } else { Vec::new() };
    let wide = rune(draw.pick(&WIDE_RUNES));
    body.extend((0..WIDE).map(|_| wide));
    let text = Text { body: TextBody::Runes(body), end: Ending::Nothing };
    let place = Place::Tree(Path::Root(RootFile::Screen));
    let (count, offset, reads, mode) = (Count(0), ReadOffset(0), Reads(0), Mode::Read);
    vec![
        Step::Tag { target: TagFile::Pane(pane), text, truncate: draw.coin() },
        Step::Read { place, count, offset, reads, mode },
    ]
}

/// More changes are taken back, one by one, than anyone does by hand.
fn deep(draw: &mut Draw, pane: PaneRef) -> Step {
    let change = |draw: &mut Draw| match draw.coin() {
        true => Act::Append(text(draw)),
        false => Act::Edit(edit::every_match(draw)),
    };
    let mut acts: Vec<Act> = (0..DEEP).map(|_| change(draw)).collect();
    acts.extend((0..DEEP).map(|_| Act::Undo));
    Step::History(History { pane, acts })
}

/// Files are opened anew: no pane shows them any more.
fn reopened(draw: &mut Draw) -> Vec<Step> {
    let clear = Step::Clear { panes: CROWD, spare: true, columns: 0, rebuild: false };
    let look = |draw: &mut Draw| {
        let name = LookName::File(from_table!(draw, FileName));
        // The first is none.
        let line = LookLine { name, suffix: LookSuffix(0), end: Ending::Newline };
        let payload = Payload::plain(Base::Look(line));
        write(Path::Root(RootFile::Look), payload)
    };
    [clear].into_iter().chain((0..REOPENED).map(|_| look(draw))).collect()
}

/// Another view of a pane's text is opened, and one of the two changes.
fn seen_twice(draw: &mut Draw, pane: PaneRef) -> Vec<Step> {
    let file = |file| Path::File { pane, file };
    let mut steps = vec![write(file(PaneFile::Ctl), commands(builtin(b"Zerox")))];
    steps.push(write(file(PaneFile::Body), payload(draw, Suit::Text)));
    if draw.coin() {
        steps.push(Step::Remove(Path::Dir(pane)));
    }
    steps
}

/// An Edit that changes something, and then asks for a place that is not there.
fn fails_late(draw: &mut Draw, pane: PaneRef) -> Vec<Step> {
    let line = |draw: &mut Draw, place: &'static [u8]| GroupLine {
        address: SimpleAddress::of(&place),
        verb: draw.pick(BlockVerb::ALL),
        text: edit::text(draw),
    };
    let place = draw.pick(&[&b"0"[..], b"#0", b"1", b"#3"]);
    let first = line(draw, place);
    let place = draw.pick(&[&b"99999"[..], b"#99999", b"2,1", b"4294967296"]);
    let lines = vec![first, line(draw, place)];
    let verb = Verb::Group { lines, closed: true };
    let command = EditCommand { address: None, loops: Vec::new(), verb, ended: true };
    let target = if draw.coin() { LineFile::PaneCtl(pane) } else { LineFile::PaneExec(pane) };
    vec![
        Step::Kept(Kept { pane, text: text(draw), chunks: Chunking::Whole }),
        Step::Edit { target, command },
    ]
}

/// Many panes come and go.
fn crowds(draw: &mut Draw) -> Vec<Step> {
    let columns = u8::from(draw.percent(percent::CROWD_COLUMN));
    let make = || Step::NewPane(NewPane::Read);
    let clear = || Step::Clear { panes: CROWD, spare: true, columns, rebuild: false };
    let crowd = || (0..CROWD).map(|_| make()).chain([clear()]);
    (0..CROWDS).flat_map(|_| crowd()).collect()
}

fn write(path: Path, payload: Payload) -> Step {
    Step::Write { path, payload, mode: Mode::Write, chunks: Chunking::Whole, offset: None }
}

fn commands(command: Command) -> Payload {
    let lines = vec![CommandLine { command, end: Ending::Newline }];
    Payload { base: Base::Commands(lines), edits: Vec::new() }
}

fn word(word: &'static [u8]) -> Command {
    Command::Word(Word::of(&word).unwrap_or(Word(0)))
}

fn builtin(name: &'static [u8]) -> Command {
    Command::Bare(Builtin::of(&name).unwrap_or(Builtin(0)))
}

fn rune(rune: &'static str) -> Rune {
    Rune::of(&rune).unwrap_or(Rune(0))
}

fn simple(term: &'static [u8]) -> Address {
    let terms = SimpleAddress::of(&term).map(Term::Simple).into_iter().collect();
    Address { terms, ended: false }
}
