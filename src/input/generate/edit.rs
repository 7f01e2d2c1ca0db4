//! Regular expressions, addresses and Edit commands.

use super::draw::{Draw, from_table};
use crate::input::bytes::Bytes;
use crate::input::payload::{
    Address, BlockVerb, Copying, EditCommand, EditText, GroupLine, Join, Loop, LoopKind, Regex,
    RegexPart, SimpleAddress, SimpleVerb, Special, Term, Verb,
};
use crate::input::weights::percent;
use crate::input::words::Rune;

/// What text in an Edit command is made of.
const TEXT: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ_-";
/// Text that is not blank.
const TEXT_LETTERS: &[u8] = b"abcxyz";
/// The address of the whole text.
const WHOLE: &[u8] = b",";

pub fn text(draw: &mut Draw) -> EditText {
    let mut bytes = draw.several(7, |draw| draw.pick(TEXT));
    if draw.percent(percent::EDIT_RUNE) {
        bytes.extend_from_slice(from_table!(draw, Rune).value().as_bytes());
    }
    EditText(Bytes(bytes))
}

pub fn regex(draw: &mut Draw) -> Regex {
    let EditText(first) = text(draw);
    let mut parts =
        vec![RegexPart::Text(if first.0.is_empty() { Bytes(b"a".into()) } else { first })];
    for _ in 0..draw.below(4) {
        parts.push(match draw.below(16) {
            0 => RegexPart::Alternatives(draw.below(300) as u16),
            1 => RegexPart::Nested(draw.below(40) as u16),
            _ => RegexPart::Special(from_table!(draw, Special)),
        });
        parts.push(RegexPart::Text(text(draw).0));
    }
    Regex { parts }
}

pub fn address(draw: &mut Draw) -> Address {
    let simple = |draw: &mut Draw| Term::Simple(from_table!(draw, SimpleAddress));
    let terms = match draw.share(&percent::ADDRESSES) {
        0 => vec![simple(draw)],
        1 => vec![Term::Forward(regex(draw))],
        2 => vec![Term::Backward(regex(draw))],
        3 => {
            let join = Term::Join(from_table!(draw, Join));
            let second = if draw.percent(percent::SECOND_PATTERN) {
                Term::Forward(regex(draw))
            } else {
                simple(draw)
            };
            vec![simple(draw), join, second]
        }
        // A number and a pattern with nothing between them.
        _ => vec![simple(draw), Term::Forward(regex(draw))],
    };
    Address { terms, ended: draw.coin() }
}

pub fn command(draw: &mut Draw) -> EditCommand {
    let (address, loops, verb) = match draw.below(10) {
        0..=2 => (whole(), loops(draw), innermost(draw)),
        3 => (None, Vec::new(), substitute(draw)),
        4 => (whole(), Vec::new(), substitute(draw)),
        5 => {
            let verb = Verb::Copy { verb: draw.pick(Copying::ALL), to: place(draw) };
            (Some(place(draw)), Vec::new(), verb)
        }
        6 => (None, Vec::new(), block(draw)),
        7 => (None, Vec::new(), Verb::Simple(draw.pick(SimpleVerb::ALL))),
        8 => (whole(), Vec::new(), Verb::Simple(draw.pick(SimpleVerb::ALL))),
        _ => (None, Vec::new(), innermost(draw)),
    };
    let address =
        if draw.percent(percent::EDIT_ADDRESS) { Some(self::address(draw)) } else { address };
    EditCommand { address, loops, verb, ended: draw.percent(percent::EDIT_ENDED) }
}

fn whole() -> Option<Address> {
    SimpleAddress::of(&WHOLE).map(|term| Address { terms: vec![Term::Simple(term)], ended: false })
}

pub fn place(draw: &mut Draw) -> Address {
    Address { terms: vec![Term::Simple(from_table!(draw, SimpleAddress))], ended: false }
}

/// A loop, and perhaps a condition on what it finds.
pub fn loops(draw: &mut Draw) -> Vec<Loop> {
    let kind = draw.pick(&[LoopKind::Matches, LoopKind::Matches, LoopKind::Between]);
    let mut loops = vec![Loop { kind, regex: regex(draw) }];
    if draw.coin() {
        let kind = draw.pick(&[LoopKind::If, LoopKind::Unless]);
        loops.push(Loop { kind, regex: regex(draw) });
    }
    loops
}

fn innermost(draw: &mut Draw) -> Verb {
    match draw.below(4) {
        0 => Verb::Simple(SimpleVerb::Delete),
        1 => Verb::Select,
        _ => Verb::Text { verb: draw.pick(BlockVerb::ALL), text: text(draw) },
    }
}

fn substitute(draw: &mut Draw) -> Verb {
    let text = if draw.percent(percent::SUBSTITUTE_MATCH) {
        EditText(Bytes(b"&&".into()))
    } else {
        text(draw)
    };
    Verb::Substitute { regex: regex(draw), text, all: draw.percent(percent::SUBSTITUTE_ALL) }
}

/// At least one line, and that not blank: a block of none that is never ended is one line, of which
/// a reader of logs cannot tell that more was to come.
fn block(draw: &mut Draw) -> Verb {
    let first = EditText(Bytes(vec![draw.pick(TEXT_LETTERS)]));
    if draw.coin() {
        let mut lines = vec![first];
        lines.extend(draw.several(2, text));
        return Verb::Block {
            verb: draw.pick(BlockVerb::ALL),
            lines,
            dot: draw.percent(percent::BLOCK_DOT),
        };
    }
    let line = |draw: &mut Draw| {
        let placed = draw.percent(percent::GROUP_ADDRESS);
        let address = if placed { Some(from_table!(draw, SimpleAddress)) } else { None };
        GroupLine { address, verb: draw.pick(BlockVerb::ALL), text: text(draw) }
    };
    let mut lines = vec![GroupLine { address: None, verb: BlockVerb::After, text: first }];
    lines.extend(draw.several(2, line));
    Verb::Group { lines, closed: draw.percent(percent::GROUP_CLOSED) }
}

/// Many changes at once: every letter, or every run of them, is replaced.
pub fn every_match(draw: &mut Draw) -> EditCommand {
    let part = draw.pick(&[&b"."[..], b"[a-z]", b"[^ ]", b"x+"]);
    let regex = Regex { parts: Special::of(&part).map(RegexPart::Special).into_iter().collect() };
    let verb = Verb::Substitute { regex, text: text(draw), all: true };
    EditCommand { address: whole(), loops: Vec::new(), verb, ended: true }
}
