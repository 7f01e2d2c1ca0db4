//! Steps at random, without libFuzzer: the same seed gives the same steps.

mod draw;
mod edit;
mod open;
mod payload;
mod place;
mod scene;
mod story;
mod wire;

use std::collections::VecDeque;

use super::parts::{
    AddrFile, AfterAddr, Chunking, Count, DataFile, DumpLine, Mode, NewName, NewPane, Parent, Perm,
    ReadOffset, Reads, RestoreLine, SLOTS, ShellWay, Slot, WriteOffset,
};
use super::path::{PaneFile, Path, Place, RootFile};
use super::payload::{LookSuffix, PtyControl, TypedEnd};
use super::scene::Kept;
use super::step::{Family, Step};
use super::weights::{Weights, percent};
use super::words::FileName;
pub(super) use draw::Draw;
use draw::from_table;
use payload::{Suit, command_line, payload, shell_line, text};
use place::{Use, column, edit_file, line_file, name, pane, path, tag_file};

/// Makes steps. It knows which handles its own steps opened, so that later steps use them, and
/// nothing of what a server replied.
#[derive(Debug)]
pub struct Generator {
    draw: Draw,
    weights: Weights,
    /// What each open handle's file takes.
    slots: [Option<Suit>; SLOTS as usize],
    /// The next steps, if they were made beforehand: the rest of a story, or what a step was made for.
    story: VecDeque<Step>,
}

impl Generator {
    /// A generator with the fixed weights.
    pub fn new(seed: u64) -> Generator {
        Generator::with_weights(seed, Weights::default())
    }

    /// A generator with other weights. If all are 0, it only writes.
    pub fn with_weights(seed: u64, weights: Weights) -> Generator {
        let slots = [None; SLOTS as usize];
        Generator { draw: Draw::new(seed), weights, slots, story: VecDeque::new() }
    }

    /// Goes on with other weights; what is open stays open.
    pub fn weigh(&mut self, weights: Weights) {
        self.weights = weights;
    }

    /// The next step.
    pub fn next_step(&mut self) -> Step {
        if self.story.is_empty() && self.draw.percent(percent::STORY) {
            let steps = self.story();
            // A family that is turned off has no part in a story either.
            let wanted = |step: &Step| self.weights.of(step.family()) > 0;
            self.story.extend(steps.into_iter().filter(wanted));
        }
        if let Some(step) = self.story.pop_front() {
            return step;
        }
        let point = self.draw.below(self.weights.total());
        match self.weights.at(point).unwrap_or(Family::Write) {
            Family::Handle => self.handle(),
            Family::NewPane => self.new_pane(),
            Family::Event if self.draw.percent(percent::WATCH) => {
                let slot = self.free();
                scene::watch(&mut self.draw, slot)
            }
            Family::Shell if self.draw.percent(percent::TALK) => {
                let slot = self.free();
                scene::talk(&mut self.draw, slot)
            }
            Family::Event => {
                let pane = pane(&mut self.draw);
                Step::Event { slot: self.open(Suit::Event), pane }
            }
            Family::Open => {
                // Where no scripts are wanted, none are made by another family either.
                let wire = self.weights.of(Family::Wire) > 0;
                open::step(&mut self.draw, wire)
            }
            Family::History => {
                let step = scene::kept_or_history(&mut self.draw);
                if let Step::Kept(Kept { pane, .. }) = step
                    && self.weights.of(Family::Addr) > 0
                    && self.draw.percent(percent::KEPT_ADDRESSED)
                {
                    let (address, then) = (edit::place(&mut self.draw), after_read(&mut self.draw));
                    self.story.push_back(Step::Addr { pane, address, then });
                }
                step
            }
            other => step_of(other, &mut self.draw),
        }
    }

    /// The next step, with what it was made for after it.
    pub fn next_run(&mut self) -> Vec<Step> {
        let first = self.next_step();
        std::iter::once(first).chain(self.story.drain(..)).collect()
    }

    /// The steps of a story, whatever the weights.
    pub fn next_story(&mut self) -> Vec<Step> {
        self.story()
    }

    /// Takes note of the handle that a step of someone else's opens or closes.
    pub fn see(&mut self, step: &Step) {
        let (slot, suit) = match step {
            Step::Hold { slot, path, .. } => (slot, Some(Suit::of(path))),
            Step::Event { slot, .. } => (slot, Some(Suit::Event)),
            Step::NewPane(NewPane::Hold { slot, .. }) => (slot, Some(Suit::Text)),
            Step::Clunk(slot) => (slot, None),
            _ => return,
        };
        self.slots[usize::from(slot.0 % SLOTS)] = suit;
    }

    fn handle(&mut self) -> Step {
        let is_open = |slot: &usize| self.slots[*slot].is_some();
        let open: Vec<usize> = (0..self.slots.len()).filter(is_open).collect();
        let draw = &mut self.draw;
        let shares = [percent::HOLD, percent::HANDLE_WRITE, percent::HANDLE_READ];
        let what = if open.is_empty() { 0 } else { draw.share(&shares) };
        if what == 0 {
            return self.hold();
        }
        let any = usize::from(draw.index(self.slots.len()));
        let at = if draw.percent(percent::CLOSED_HANDLE) { any } else { draw.pick(&open) };
        let slot = Slot(at as u8);
        match what {
            1 => {
                let suit = self.slots[at].unwrap_or(Suit::Text);
                Step::HandleWrite { slot, payload: payload(draw, suit) }
            }
            2 => {
                let offset =
                    draw.percent(percent::HANDLE_OFFSET).then(|| from_table!(draw, ReadOffset));
                Step::HandleRead { slot, count: from_table!(draw, Count), offset }
            }
            _ => {
                self.slots[at] = None;
                Step::Clunk(slot)
            }
        }
    }

    fn hold(&mut self) -> Step {
        let draw = &mut self.draw;
        let (path, mode) = match draw.share(&[percent::HOLD_STREAM, percent::ANYHOW]) {
            0 => (stream(draw), hold_mode(draw)),
            1 => place::anyhow(draw),
            _ => (path(draw, Use::Any), hold_mode(draw)),
        };
        Step::Hold { slot: self.open(Suit::of(&path)), path, mode }
    }

    fn new_pane(&mut self) -> Step {
        if self.draw.percent(percent::NEW_PANE_READ) {
            return Step::NewPane(NewPane::Read);
        }
        let mode = self.draw.pick(&[Mode::Read, Mode::ReadWrite]);
        Step::NewPane(NewPane::Hold { slot: self.open(Suit::Text), mode })
    }

    /// A slot that is free, or any if none is: then its handle is left to the server.
    fn open(&mut self, suit: Suit) -> Slot {
        let slot = self.free();
        self.slots[usize::from(slot.0)] = Some(suit);
        slot
    }

    fn free(&mut self) -> Slot {
        let any = self.draw.index(self.slots.len());
        let at = self.slots.iter().position(Option::is_none);
        Slot(at.map_or(any, |at| at as u8))
    }
}

/// A step of a family that neither opens nor uses a handle.
fn step_of(family: Family, draw: &mut Draw) -> Step {
    match family {
        Family::Read => read(draw),
        Family::Stat => Step::Stat(place::place(draw, percent::HOST_STAT)),
        Family::Remove => Step::Remove(match draw.share(&percent::REMOVED) {
            0 => Path::Dir(pane(draw)),
            1 => Path::ColumnDir(column(draw)),
            _ => path(draw, Use::Any),
        }),
        Family::Create => create(draw),
        Family::Clear => Step::Clear {
            panes: draw.index(8),
            spare: draw.percent(percent::CLEAR_SPARES),
            columns: if draw.coin() { draw.index(4) } else { 0 },
            rebuild: draw.percent(percent::CLEAR_REBUILDS),
        },
        Family::Shell => shell(draw),
        Family::Edit => Step::Edit { target: edit_file(draw), command: edit::command(draw) },
        Family::Addr => addr(draw),
        Family::Tag => {
            Step::Tag { target: tag_file(draw), text: text(draw), truncate: draw.coin() }
        }
        Family::Second => scene::second(draw),
        Family::Dump if draw.percent(percent::RELOAD) => Step::Reload { named: draw.coin() },
        Family::Dump if draw.coin() => Step::Dump(draw.pick(DumpLine::ALL)),
        Family::Dump => Step::Restore(draw.pick(RestoreLine::ALL)),
        Family::Host => {
            let name = from_table!(draw, FileName);
            Step::Host { name, text: draw.coin().then(|| text(draw)) }
        }
        Family::Look => Step::Look {
            pane: draw.coin().then(|| pane(draw)),
            name: from_table!(draw, FileName),
            suffix: from_table!(draw, LookSuffix),
        },
        Family::Split => {
            Step::Split { target: line_file(draw), line: command_line(draw), at: draw.byte() }
        }
        Family::Wire => Step::Wire(wire::script(draw)),
        Family::Write
        | Family::Handle
        | Family::NewPane
        | Family::Event
        | Family::History
        | Family::Open
        | Family::Exact => write(draw),
    }
}

fn write(draw: &mut Draw) -> Step {
    let (path, mode) = match draw.percent(percent::ANYHOW) {
        true => place::anyhow(draw),
        false => (path(draw, Use::Writing), write_mode(draw)),
    };
    let payload = payload(draw, Suit::of(&path));
    let chunks = match draw.share(&[percent::SINGLE_BYTES, percent::PIECES]) {
        0 => Chunking::Bytes,
        1 => Chunking::Sizes((0..4).map(|_| 1 + draw.below(15) as u16).collect()),
        _ => Chunking::Whole,
    };
    let offset = draw.percent(percent::OFFSET).then(|| from_table!(draw, WriteOffset));
    Step::Write { path, payload, mode, chunks, offset }
}

/// Opened to be written to: for writing or both, emptied or not, seldom for reading.
fn write_mode(draw: &mut Draw) -> Mode {
    let modes = [
        Mode::Write,
        Mode::Write,
        Mode::ReadWrite,
        Mode::WriteTruncate,
        Mode::ReadWriteTruncate,
        Mode::Read,
    ];
    if draw.percent(percent::READ_TRUNCATE) { Mode::ReadTruncate } else { draw.pick(&modes) }
}

fn read(draw: &mut Draw) -> Step {
    let (place, mode) = match draw.percent(percent::ANYHOW) {
        true => {
            let (path, mode) = place::anyhow(draw);
            (Place::Tree(path), mode)
        }
        false => {
            let any = draw.percent(percent::READ_MODE);
            let mode = if any { draw.pick(Mode::ALL) } else { Mode::Read };
            (place::place(draw, percent::HOST_READ), mode)
        }
    };
    Step::Read {
        place,
        count: from_table!(draw, Count),
        offset: if draw.coin() { ReadOffset(0) } else { from_table!(draw, ReadOffset) },
        reads: from_table!(draw, Reads),
        mode,
    }
}

fn create(draw: &mut Draw) -> Step {
    let parent = match draw.below(9) {
        0..=1 => Parent::Columns,
        2..=3 => Parent::Panes,
        4..=5 => Parent::Root,
        6..=7 => Parent::Pane(pane(draw)),
        _ => Parent::Path(path(draw, Use::Any)),
    };
    let name = if draw.coin() { NewName::New } else { NewName::Name(name(draw)) };
    Step::Create { parent, name, perm: draw.pick(Perm::ALL), mode: hold_mode(draw) }
}

fn shell(draw: &mut Draw) -> Step {
    let (way, end) = match draw.share(&percent::SHELLS) {
        0 => (ShellWay::Start, TypedEnd::Newline),
        1 => (ShellWay::Run, TypedEnd::Newline),
        2 => (ShellWay::Type, TypedEnd::Return),
        3 => (ShellWay::Control(from_table!(draw, PtyControl)), TypedEnd::Newline),
        _ if draw.coin() => (ShellWay::PaneExec, TypedEnd::Newline),
        _ => (ShellWay::RootExec, TypedEnd::Newline),
    };
    Step::Shell {
        pane: pane(draw),
        line: shell_line(draw, &[end]),
        way,
        both: draw.percent(percent::SHELL_BOTH),
    }
}

fn addr(draw: &mut Draw) -> Step {
    let then = match draw.share(&percent::AFTER_ADDR) {
        0 => after_read(draw),
        1 => AfterAddr::Write {
            file: draw.pick(DataFile::ALL),
            text: text(draw),
            truncate: draw.coin(),
        },
        _ => AfterAddr::Nothing,
    };
    Step::Addr { pane: pane(draw), address: edit::address(draw), then }
}

/// What holds its readers, or is long.
fn stream(draw: &mut Draw) -> Path {
    match draw.below(5) {
        0 => Path::Root(RootFile::Log),
        1 => Path::Root(RootFile::Screen),
        2 => Path::Root(RootFile::Index),
        3 => Path::File { pane: pane(draw), file: PaneFile::Event },
        _ => Path::File { pane: pane(draw), file: PaneFile::Ctl },
    }
}

/// Text is read a little at a time, so that reads end inside of runes.
fn after_read(draw: &mut Draw) -> AfterAddr {
    let file = match draw.share(&percent::ADDR_FILES) {
        0 => AddrFile::Data,
        1 => AddrFile::Xdata,
        _ => draw.pick(&[AddrFile::Addr, AddrFile::Dot]),
    };
    let any = from_table!(draw, Count);
    let little = draw.pick(&[1, 2, 7, 16]);
    let count = match Count::of(&little) {
        Some(little) if draw.percent(percent::ADDR_LITTLE) => little,
        _ => any,
    };
    AfterAddr::Read { file, count }
}

/// Opened to be kept: for reading, for writing, for both, seldom emptied.
fn hold_mode(draw: &mut Draw) -> Mode {
    match draw.percent(percent::USUAL_MODE) {
        true => draw.pick(&[Mode::Read, Mode::ReadWrite, Mode::Write]),
        false => draw.pick(Mode::ALL),
    }
}
