//! Changes within a step: to any part of it, by the part's type.

use std::any::{Any, TypeId};

use super::shares;
use crate::input::bytes::Bytes;
use crate::input::generate::Draw;
use crate::input::part::{self, List, Part};
use crate::input::payload::{Command, TextBody};
use crate::input::{ExactOp, Name, PaneRef, Renderer, Step};

/// Bytes that a part is drawn from, at the most.
const NOISE_BYTES: usize = 48;
/// The longest run of bytes that comes, goes or is doubled.
const RUN_BYTES: usize = 16;
/// The most of each piece of data that is written out, in bytes.
const LITERAL_BYTES: usize = 512;
/// The largest step of a number up or down.
const NUMBER_STEP: u64 = 4;

/// Puts a part of `donor`'s in the place of one of the same type; says whether there was one.
pub fn graft(step: &mut Step, donor: &mut Step, draw: &mut Draw) -> bool {
    let mut done = false;
    let at = inner(step, draw);
    part::at(step, at, &mut |taken| {
        let found = part::encodings(donor, part::type_of(taken));
        if let Some(bytes) = found.get(draw.place(found.len())) {
            taken.redraw(bytes);
            done = true;
        }
    });
    done
}

/// Draws one part anew.
pub fn redraw(step: &mut Step, draw: &mut Draw) {
    let at = inner(step, draw);
    part::at(step, at, &mut |part| part.redraw(&noise(draw)));
}

/// Changes one part a little.
pub fn tweak(step: &mut Step, draw: &mut Draw) {
    let at = inner(step, draw);
    part::at(step, at, &mut |part| {
        if let Some(list) = part.list() {
            return change_list(list, draw);
        }
        let any: &mut dyn Any = part;
        if let Some(Bytes(bytes)) = any.downcast_mut() {
            change_bytes(bytes, draw);
        } else if !change_number(any, draw) {
            part.redraw(&noise(draw));
        }
    });
}

/// Puts a word into one part that may hold any; says whether there was one.
pub fn put_word(step: &mut Step, word: &[u8], draw: &mut Draw) -> bool {
    let takes = |part: &dyn Part| {
        let types = [
            TypeId::of::<Bytes>(),
            TypeId::of::<TextBody>(),
            TypeId::of::<Name>(),
            TypeId::of::<Command>(),
        ];
        types.contains(&part::type_of(part))
    };
    let mut places = Vec::new();
    let mut next = 0;
    step.visit(&mut |part| {
        if takes(part) {
            places.push(next);
        }
        next += 1;
    });
    let Some(&place) = places.get(draw.place(places.len())) else { return false };
    part::at(step, place, &mut |part| {
        let any: &mut dyn Any = part;
        if let Some(Bytes(bytes)) = any.downcast_mut() {
            let at = draw.place(bytes.len() + 1);
            let whole = draw.percent(shares::WHOLE_WORD);
            let range = if whole { 0..bytes.len() } else { at..at };
            bytes.splice(range, word.iter().copied());
        } else if let Some(text) = any.downcast_mut::<TextBody>() {
            *text = TextBody::Raw(Bytes(word.to_vec()));
        } else if let Some(name) = any.downcast_mut::<Name>() {
            *name = Name::Raw(Bytes(word.to_vec()));
        } else if let Some(command) = any.downcast_mut::<Command>() {
            put_in_command(command, word);
        }
    });
    true
}

/// After a command where there is one, else alone.
fn put_in_command(command: &mut Command, word: &[u8]) {
    let word = Bytes(word.to_vec());
    *command = match command {
        Command::Bare(builtin)
        | Command::With { builtin, .. }
        | Command::Argument { builtin, .. } => {
            Command::Argument { builtin: *builtin, argument: word }
        }
        _ => Command::Raw(word),
    };
}

/// Makes every pane that the step names one that `other` names, if it names any.
pub fn same_pane(step: &mut Step, other: &mut Step, draw: &mut Draw) {
    let panes = part::encodings(other, TypeId::of::<PaneRef>());
    let Some(pane) = panes.get(draw.place(panes.len())) else { return };
    step.visit(&mut |part| {
        if part::type_of(part) == TypeId::of::<PaneRef>() {
            part.redraw(pane);
        }
    });
}

/// Writes the step out as the op it stands for after those before it.
pub fn write_out(steps: &mut [Step], at: usize) {
    let mut renderer = Renderer::default();
    let op = steps[..=at].iter().map(|step| renderer.step_within(step, LITERAL_BYTES)).last();
    if let Some(op) = op {
        steps[at] = Step::Exact(ExactOp::of(&op));
    }
}

/// Any part but the whole step.
fn inner(step: &mut Step, draw: &mut Draw) -> usize {
    1 + draw.place(part::count(step).saturating_sub(1))
}

/// Any bytes, few of them: where they end, a part's rest is its plainest.
fn noise(draw: &mut Draw) -> Vec<u8> {
    let length = 1 + draw.place(NOISE_BYTES);
    (0..length).map(|_| draw.byte()).collect()
}

fn change_list(list: &mut dyn List, draw: &mut Draw) {
    let (at, other) = (draw.place(list.count()), draw.place(list.count() + 1));
    match draw.share(&shares::LISTS) {
        _ if list.count() == 0 => list.insert(0, &noise(draw)),
        0 => list.remove(at..at.max(other).max(at + 1)),
        1 => list.insert(other, &noise(draw)),
        2 => list.double(at),
        _ => list.swap(at, draw.place(list.count())),
    }
}

fn change_bytes(bytes: &mut Vec<u8>, draw: &mut Draw) {
    let at = draw.place(bytes.len());
    let end = bytes.len().min(at + 1 + draw.place(RUN_BYTES));
    match draw.share(&shares::BYTES) {
        0 if !bytes.is_empty() => bytes[at] = draw.byte(),
        2 => drop(bytes.drain(at..end)),
        3 => bytes.splice(at..at, bytes[at..end].to_vec()).for_each(drop),
        _ => {
            let length = 1 + draw.place(RUN_BYTES);
            let come: Vec<u8> = (0..length).map(|_| draw.byte()).collect();
            bytes.splice(at..at, come);
        }
    }
}

/// Changes a number by a little, or one bit of it; says whether it is one.
fn change_number(any: &mut dyn Any, draw: &mut Draw) -> bool {
    let by = 1 + u64::from(draw.below(NUMBER_STEP as u32));
    let (bit, up, flip) = (draw.below(64), draw.coin(), draw.coin());
    macro_rules! change {
        ($($type:ty),*) => { $(
            if let Some(number) = any.downcast_mut::<$type>() {
                *number = match (flip, up) {
                    (true, _) => *number ^ (1 << (bit % <$type>::BITS)),
                    (false, true) => number.wrapping_add(by as $type),
                    (false, false) => number.wrapping_sub(by as $type),
                };
                return true;
            }
        )* };
    }
    change!(u8, u16, u32, u64);
    false
}
