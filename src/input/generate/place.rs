//! Paths: mostly what is there, sometimes what was, or what cannot be.

use super::draw::{Draw, from_table};
use crate::input::bytes::Bytes;
use crate::input::parts::{LineFile, Mode, TagFile};
use crate::input::path::{
    ColRef, ColumnFile, HostPath, ImpossibleColumn, ImpossiblePane, Name, NameLength, OddName,
    PaneFile, PaneRef, Path, Place, RootFile,
};
use crate::input::weights::percent;
use crate::input::words::Rune;

/// Files of a pane that take writes.
const PANE_WRITABLE: &[PaneFile] = &[
    PaneFile::Ctl,
    PaneFile::Exec,
    PaneFile::Look,
    PaneFile::Tag,
    PaneFile::Tagexec,
    PaneFile::Body,
    PaneFile::Data,
    PaneFile::Xdata,
    PaneFile::Addr,
    PaneFile::Dot,
    PaneFile::Limit,
    PaneFile::Name,
    PaneFile::Sel,
    PaneFile::Dirty,
    PaneFile::Mark,
    PaneFile::Scroll,
    PaneFile::Errors,
    PaneFile::Event,
    PaneFile::PtyRun,
    PaneFile::PtyData,
    PaneFile::PtyCtl,
];

/// Files of the root that take writes.
const ROOT_WRITABLE: &[RootFile] = &[
    RootFile::Ctl,
    RootFile::Exec,
    RootFile::Look,
    RootFile::Tag,
    RootFile::Tagexec,
    RootFile::Focus,
    RootFile::Log,
];

/// Whether a path is to be written to.
#[derive(Clone, Copy, PartialEq)]
pub enum Use {
    Any,
    Writing,
}

pub fn pane(draw: &mut Draw) -> PaneRef {
    match draw.share(&[percent::LIVE_PANE, percent::GONE_PANE]) {
        0 => PaneRef::Live(draw.index(64)),
        1 => PaneRef::Gone(draw.index(64)),
        _ => PaneRef::Impossible(draw.pick(ImpossiblePane::ALL)),
    }
}

pub fn column(draw: &mut Draw) -> ColRef {
    if draw.percent(percent::LIVE_COLUMN) {
        ColRef::Live(draw.index(16))
    } else {
        ColRef::Impossible(draw.pick(ImpossibleColumn::ALL))
    }
}

pub fn path(draw: &mut Draw, purpose: Use) -> Path {
    let writable = purpose == Use::Writing && draw.percent(percent::WRITABLE);
    let directory = !writable && draw.percent(percent::DIRECTORY);
    let shares = [percent::PANE_FILE, percent::ROOT_FILE, percent::COLUMN_FILE, percent::WEIRD];
    match draw.share(&shares) {
        0 if directory => Path::Dir(pane(draw)),
        0 => {
            let file = draw.pick(if writable { PANE_WRITABLE } else { PaneFile::ALL });
            Path::File { pane: pane(draw), file }
        }
        1 => Path::Root(draw.pick(if writable { ROOT_WRITABLE } else { RootFile::ALL })),
        2 if directory => Path::ColumnDir(column(draw)),
        2 => Path::ColumnFile { column: column(draw), file: draw.pick(ColumnFile::ALL) },
        3 => Path::Weird { pane: pane(draw), name: name(draw) },
        _ => {
            let mut names = draw.several(2, name);
            names.push(name(draw));
            Path::Lost(names)
        }
    }
}

/// Any file that the tree has, in whatever mode.
pub fn anyhow(draw: &mut Draw) -> (Path, Mode) {
    // The two directories follow the pane's, the root's and the columns' files.
    let (panes, roots) = (PaneFile::ALL.len(), RootFile::ALL.len());
    let columns = ColumnFile::ALL.len();
    let mut at = usize::from(draw.index(panes + roots + columns + 2));
    let path = 'path: {
        if let Some(&file) = PaneFile::ALL.get(at) {
            break 'path Path::File { pane: pane(draw), file };
        }
        at -= panes;
        if let Some(&file) = RootFile::ALL.get(at) {
            break 'path Path::Root(file);
        }
        at -= roots;
        if let Some(&file) = ColumnFile::ALL.get(at) {
            break 'path Path::ColumnFile { column: column(draw), file };
        }
        match at - columns {
            0 => Path::Dir(pane(draw)),
            _ => Path::ColumnDir(column(draw)),
        }
    };
    (path, draw.pick(Mode::ALL))
}

/// A place to look at: once in a while in the host's trees.
pub fn place(draw: &mut Draw, host_percent: u32) -> Place {
    if draw.percent(host_percent) {
        Place::Host(from_table!(draw, HostPath))
    } else {
        Place::Tree(path(draw, Use::Any))
    }
}

pub fn name(draw: &mut Draw) -> Name {
    match draw.share(&percent::NAMES) {
        0 => Name::Long(from_table!(draw, NameLength)),
        1 => Name::Odd(from_table!(draw, OddName)),
        2 => Name::Rune(from_table!(draw, Rune)),
        _ => {
            let mut bytes = draw.several(18, Draw::byte);
            bytes.push(draw.byte());
            Name::Raw(Bytes(bytes))
        }
    }
}

pub fn line_file(draw: &mut Draw) -> LineFile {
    match draw.below(10) {
        0 => LineFile::Ctl,
        1..=2 => LineFile::Exec,
        3 => LineFile::Tagexec,
        4..=5 => LineFile::PaneCtl(pane(draw)),
        6 => LineFile::PaneExec(pane(draw)),
        7 => LineFile::PaneTagexec(pane(draw)),
        8 => LineFile::ColumnCtl(column(draw)),
        _ => LineFile::ColumnExec(column(draw)),
    }
}

/// Where an Edit command finds a body to edit.
pub fn edit_file(draw: &mut Draw) -> LineFile {
    match draw.below(3) {
        0 => LineFile::PaneCtl(pane(draw)),
        1 => LineFile::PaneExec(pane(draw)),
        _ => LineFile::Exec,
    }
}

pub fn tag_file(draw: &mut Draw) -> TagFile {
    match draw.below(3) {
        0 => TagFile::Pane(pane(draw)),
        1 => TagFile::Root,
        _ => TagFile::Column(column(draw)),
    }
}
