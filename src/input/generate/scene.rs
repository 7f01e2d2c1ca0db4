//! Scenes: several ops whose answers can be held against one another.

use super::draw::{Draw, from_table};
use super::payload::{Suit, payload, runes, text};
use super::place::{Use, edit_file, pane, path};
use super::{edit, hold_mode};
use crate::input::parts::{Chunking, Count, Mode, NewPane, Slot};
use crate::input::path::{PaneFile, Path};
use crate::input::scene::{Act, ClientStep, History, Kept, Talk, TalkEnd, TalkLine, Watch};
use crate::input::step::Step;
use crate::input::weights::percent;

pub fn kept_or_history(draw: &mut Draw) -> Step {
    let pane = pane(draw);
    if draw.percent(percent::KEPT) {
        let chunks = match draw.below(3) {
            0 => Chunking::Whole,
            1 => Chunking::Bytes,
            _ => Chunking::Sizes((0..4).map(|_| 1 + draw.below(7) as u16).collect()),
        };
        let text = if draw.percent(percent::KEPT_RUNES) { runes(draw) } else { text(draw) };
        return Step::Kept(Kept { pane, text, chunks });
    }
    Step::History(History { pane, acts: acts(draw) })
}

pub fn watch(draw: &mut Draw, slot: Slot) -> Step {
    let count = if draw.coin() { Count(0) } else { from_table!(draw, Count) };
    Step::Watch(Watch { slot, pane: pane(draw), acts: acts(draw), count })
}

pub fn talk(draw: &mut Draw, slot: Slot) -> Step {
    let line = match draw.coin() {
        true => TalkLine::Numbers { first: draw.byte(), more: draw.byte() },
        false => TalkLine::Word { seed: draw.below(u32::MAX), length: draw.byte() },
    };
    let end = match draw.percent(percent::TALK_ENDS) {
        true => draw.pick(&[TalkEnd::Exit, TalkEnd::EndOfFile]),
        false => TalkEnd::Listening,
    };
    Step::Talk(Talk {
        slot,
        pane: pane(draw),
        start: draw.percent(percent::TALK_STARTS),
        line,
        count: from_table!(draw, Count),
        end,
    })
}

/// What the second client does; its handles are any, so that it meets those of the first.
pub fn second(draw: &mut Draw) -> Step {
    let mut steps = vec![client_step(draw)];
    steps.extend(draw.several(2, client_step));
    Step::Second(steps)
}

fn client_step(draw: &mut Draw) -> ClientStep {
    let slot = Slot(draw.index(8));
    match draw.share(&percent::CLIENT_STEPS) {
        0 => {
            let path = path(draw, Use::Writing);
            let payload = payload(draw, Suit::of(&path));
            let mode = draw.pick(&[Mode::Write, Mode::ReadWrite, Mode::WriteTruncate]);
            ClientStep::Write { path, payload, mode }
        }
        1 => ClientStep::Read { path: path(draw, Use::Any), count: from_table!(draw, Count) },
        2 => {
            let file = draw.pick(&[PaneFile::Event, PaneFile::Ctl, PaneFile::Body]);
            let path = match draw.coin() {
                true => Path::File { pane: pane(draw), file },
                false => path(draw, Use::Any),
            };
            ClientStep::Hold { slot, path, mode: hold_mode(draw) }
        }
        3 => ClientStep::Edit { target: edit_file(draw), command: edit::command(draw) },
        4 => ClientStep::Remove(Path::Dir(pane(draw))),
        _ if draw.coin() => ClientStep::NewPane(NewPane::Hold { slot, mode: Mode::Read }),
        _ => ClientStep::NewPane(NewPane::Read),
    }
}

fn acts(draw: &mut Draw) -> Vec<Act> {
    let mut acts =
        if draw.percent(percent::ACT_STORY) { taken_back(draw) } else { vec![act(draw)] };
    acts.extend(draw.several(4, act));
    acts
}

/// A change, Undo, and perhaps Redo: by itself, or when it must have nothing left to do.
fn taken_back(draw: &mut Draw) -> Vec<Act> {
    let mut acts = vec![change(draw), Act::Undo];
    if draw.percent(percent::ACT_BETWEEN) {
        acts.push(change(draw));
    }
    if draw.coin() {
        acts.push(Act::Redo);
    }
    acts
}

fn change(draw: &mut Draw) -> Act {
    match draw.share(&percent::CHANGES) {
        0 => Act::Edit(edit::command(draw)),
        1 => Act::Edit(edit::every_match(draw)),
        2 => Act::Append(text(draw)),
        _ => Act::Replace(text(draw)),
    }
}

fn act(draw: &mut Draw) -> Act {
    match draw.share(&percent::ACTS) {
        0 => Act::Edit(edit::command(draw)),
        1 => Act::Edit(edit::every_match(draw)),
        2 => Act::Append(text(draw)),
        3 => Act::Replace(text(draw)),
        4 => Act::Undo,
        _ => Act::Redo,
    }
}
