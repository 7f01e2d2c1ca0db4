//! Steps that only a sandbox which holds whatever happens may take.

use super::draw::{Draw, from_table};
use super::payload::text;
use super::place::{edit_file, name, pane};
use super::{edit, hold_mode};
use crate::input::open::{HostAct, Open, OpenBuiltin, OpenFile, OpenPath, OpenWay};
use crate::input::parts::{Mode, NewName, Perm};
use crate::input::payload::{
    EditName, FileVerb, Joint, OpenEdit, OpenLine, OpenVerb, OpenWords, Redirection, ShellPart,
    ShellVerb, Wrap,
};
use crate::input::step::Step;
use crate::input::weights::percent;
use crate::input::words::{ShellWords, Word};

/// One of them; scripts of raw messages only if `wire` says so.
pub fn step(draw: &mut Draw, wire: bool) -> Step {
    Step::Open(match draw.share(&percent::OPEN) {
        0 => Open::Shell {
            pane: pane(draw),
            way: draw.pick(OpenWay::ALL),
            start: draw.percent(percent::OPEN_STARTS),
            line: line(draw),
        },
        1 => Open::Edit { target: edit_file(draw), command: command(draw) },
        2 => Open::Host { path: from_table!(draw, OpenPath), act: act(draw) },
        3 if wire => Open::Wire {
            pane: pane(draw),
            file: draw.pick(OpenFile::ALL),
            line: line(draw),
            together: draw.coin(),
        },
        _ => Open::Builtin {
            target: edit_file(draw),
            builtin: from_table!(draw, OpenBuiltin),
            argument: draw.coin().then(|| from_table!(draw, Word)),
        },
    })
}

fn line(draw: &mut Draw) -> OpenLine {
    match draw.below(10) {
        0..=3 => OpenLine::Wild(from_table!(draw, OpenWords)),
        4..=5 => OpenLine::Joined {
            first: part(draw),
            joint: from_table!(draw, Joint),
            second: part(draw),
        },
        6..=7 => OpenLine::Redirected { part: part(draw), to: from_table!(draw, Redirection) },
        _ => OpenLine::Wrapped { part: part(draw), wrap: draw.pick(Wrap::ALL) },
    }
}

fn part(draw: &mut Draw) -> ShellPart {
    match draw.coin() {
        true => ShellPart::Plain(from_table!(draw, ShellWords)),
        false => ShellPart::Wild(from_table!(draw, OpenWords)),
    }
}

fn command(draw: &mut Draw) -> OpenEdit {
    let verb = match draw.below(4) {
        0..=1 => {
            OpenVerb::File { verb: draw.pick(FileVerb::ALL), name: from_table!(draw, EditName) }
        }
        2 => OpenVerb::Shell { verb: draw.pick(ShellVerb::ALL), line: line(draw) },
        _ => OpenVerb::Program {
            verb: draw.pick(ShellVerb::ALL),
            words: from_table!(draw, ShellWords),
        },
    };
    OpenEdit {
        address: draw.coin().then(|| edit::place(draw)),
        loops: if draw.percent(percent::OPEN_LOOPS) { edit::loops(draw) } else { Vec::new() },
        verb,
        ended: draw.percent(percent::EDIT_ENDED),
    }
}

fn act(draw: &mut Draw) -> HostAct {
    match draw.below(3) {
        0 => HostAct::Write { text: text(draw), mode: draw.pick(Mode::ALL) },
        1 => HostAct::Remove,
        _ => HostAct::Create {
            name: if draw.coin() { NewName::New } else { NewName::Name(name(draw)) },
            perm: draw.pick(Perm::ALL),
            mode: hold_mode(draw),
        },
    }
}
