//! Steps to ops: what an input means to a session.

use std::collections::BTreeMap;

use super::parts::{AfterAddr, Chunking, LineFile, Mode, NewName, NewPane, ShellWay, Slot};
use super::path::{ColRef, PaneRef, Path, Place, pane_file};
use super::payload::{
    Address, CommandLine, LookSuffix, MAX_DATA_BYTES, Payload, ShellLine, Text, fit,
};
use super::scene::{body, render_reload, render_second};
use super::step::Step;
use super::words::FileName;
use crate::ops::{Chunks, DataRule, HostAction, Joined, Latin1, Op, data_rule};
use crate::wire::msg::{ORDWR, OREAD, OTRUNC, OWRITE};

/// How much the read of a new pane's serial asks for, in bytes.
const SERIAL_BYTES: u32 = 64;
/// How much a read at a written address asks for, in bytes, and how often.
const ADDRESSED_BYTES: u32 = 8192;
const ADDRESSED_READS: u32 = 2;
/// The longest data that is written a byte at a time.
const SINGLE_BYTES: usize = 256;
/// The most listed pieces of one write.
const PIECES: usize = 64;
/// The most panes, and the most columns, that one step removes.
const CLEARED_PANES: u8 = 16;
const CLEARED_COLUMNS: u8 = 4;

/// Renders steps in order: what is written to a handle depends on what was opened as it.
#[derive(Debug, Default)]
pub struct Renderer {
    /// What may be written to each handle, by its name.
    handles: BTreeMap<Vec<u8>, DataRule>,
}

impl Renderer {
    /// The op of the next step.
    pub fn step(&mut self, step: &Step) -> Op {
        self.step_within(step, MAX_DATA_BYTES)
    }

    /// The op of the next step; if it is no exact one, each piece of data in it takes no more than
    /// `room`, or two bytes.
    pub fn step_within(&mut self, step: &Step, room: usize) -> Op {
        let op = self.render(step, room);
        self.see(&op);
        op
    }

    fn render(&self, step: &Step, room: usize) -> Op {
        match step {
            Step::Write { path, payload, mode, chunks, offset } => {
                let offset = offset.map(|offset| offset.value());
                render_write(path.render(), payload, *mode, chunks, offset, room)
            }
            Step::Read { place, count, offset, reads, mode } => Op::Read {
                path: place.render().into(),
                count: count.value(),
                offset: offset.value(),
                mode: if matches!(place, Place::Host(_)) { OREAD } else { mode.value() },
                reads: reads.value(),
            },
            Step::Stat(place) => Op::Stat { path: place.render().into() },
            Step::NewPane(how) => render_new_pane(how),
            Step::Remove(path) => Op::Remove { path: path.render().into() },
            Step::Create { parent, name, perm, mode } => Op::Create {
                path: parent.render().into(),
                name: render_new_name(name).into(),
                perm: perm.value(),
                mode: mode.value(),
            },
            Step::Clear { panes, spare, columns, rebuild } => {
                render_clear(*panes, *spare, *columns, *rebuild)
            }
            Step::Hold { slot, path, mode } => hold(*slot, path.render(), mode.value()),
            Step::HandleWrite { slot, payload } => self.handle_write(*slot, payload, room),
            Step::HandleRead { slot, count, offset } => Op::Hread {
                h: handle(*slot),
                count: count.value(),
                offset: offset.map(|offset| offset.value()),
            },
            Step::Clunk(slot) => Op::Clunk { h: handle(*slot) },
            Step::Shell { pane, line, way, both } => render_shell(*pane, *line, *way, *both, room),
            Step::Edit { target, command } => {
                let data = fit(DataRule::Commands, room, |out| command.put_line(out));
                write(target.render(), data, OWRITE)
            }
            Step::Addr { pane, address, then } => render_addr(*pane, address, then, room),
            Step::Tag { target, text, truncate } => {
                write_text(target.render(), text, writing(*truncate), room)
            }
            Step::Event { slot, pane } => hold(*slot, pane_file(*pane, "event"), ORDWR),
            Step::Dump(line) => write(b"/ctl".to_vec(), line.value().into(), OWRITE),
            Step::Restore(line) => Op::Restore { data: line.value().into() },
            Step::Host { name, text } => render_host(*name, text.as_ref(), room),
            Step::Look { pane, name, suffix } => render_look(*pane, *name, *suffix),
            Step::Split { target, line, at } => render_split(*target, line, *at, room),
            Step::Second(steps) => render_second(steps, room),
            Step::Kept(scene) => scene.render(room),
            Step::History(scene) => scene.render(room),
            Step::Watch(scene) => scene.render(room),
            Step::Reload { named } => render_reload(*named),
            Step::Talk(scene) => scene.render(room),
            Step::Wire(script) => Op::Wire { steps: script.render() },
            Step::Open(what) => what.render(room),
            Step::Exact(op) => op.render(),
        }
    }

    fn handle_write(&self, slot: Slot, payload: &Payload, room: usize) -> Op {
        let h = handle(slot);
        let rule = self.handles.get(&h.0).copied().unwrap_or(DataRule::Plain);
        Op::Hwrite { h, data: payload.render(rule, Joined::Piece, room).into() }
    }

    /// Follows which handle holds what. An open may be refused when it runs; then the guard judges
    /// by what the handle held before.
    fn see(&mut self, op: &Op) {
        match op {
            Op::Hold { h, path, .. } => {
                self.handles.insert(h.0.clone(), data_rule(path));
            }
            Op::Seq { ops } | Op::Second { ops } => ops.iter().for_each(|op| self.see(op)),
            Op::Fresh { .. } => self.handles.clear(),
            _ => {}
        }
    }
}

fn render_write(
    path: Vec<u8>,
    payload: &Payload,
    mode: Mode,
    chunks: &Chunking,
    offset: Option<u64>,
    room: usize,
) -> Op {
    let data = payload.render(data_rule(&path), Joined::Whole, room);
    Op::Write {
        chunks: chunks.render(data.len()),
        path: path.into(),
        data: data.into(),
        mode: mode.value(),
        offset,
        stop_on_error: true,
    }
}

fn render_new_pane(how: &NewPane) -> Op {
    match how {
        NewPane::Read => new_pane(),
        NewPane::Hold { slot, mode } => hold(*slot, b"/pane/new".to_vec(), mode.value()),
    }
}

pub(super) fn render_new_name(name: &NewName) -> Vec<u8> {
    match name {
        NewName::New => b"new".to_vec(),
        NewName::Name(name) => name.render(),
    }
}

/// Removes by distinct references: whether a session resolves them all at once or one by one,
/// distinct panes go while there are enough, and then the first, or one already gone.
fn render_clear(panes: u8, spare: bool, columns: u8, rebuild: bool) -> Op {
    let first = u8::from(spare);
    let panes = (first..=panes % CLEARED_PANES).map(|index| Path::Dir(PaneRef::Live(index)));
    let columns = (0..columns % CLEARED_COLUMNS).map(|index| Path::ColumnDir(ColRef::Live(index)));
    let remove = |path: Path| Op::Remove { path: path.render().into() };
    let mut ops: Vec<Op> = panes.chain(columns).map(remove).collect();
    if rebuild {
        ops.push(new_pane());
    }
    Op::Seq { ops }
}

fn render_shell(pane: PaneRef, line: ShellLine, way: ShellWay, both: bool, room: usize) -> Op {
    let (path, data) = match way {
        ShellWay::Start => (pane_file(pane, "ctl"), Some(b"Tty\n".to_vec())),
        ShellWay::Run => (pane_file(pane, "pty/run"), None),
        ShellWay::Type => (pane_file(pane, "pty/data"), None),
        ShellWay::Control(line) => (pane_file(pane, "pty/ctl"), Some(line.value().to_vec())),
        ShellWay::PaneExec => (pane_file(pane, "exec"), None),
        ShellWay::RootExec => (b"/exec".to_vec(), None),
    };
    let data = data.unwrap_or_else(|| fit(data_rule(&path), room, |out| line.put(out)));
    write(path, data, if both { ORDWR } else { OWRITE })
}

fn render_addr(pane: PaneRef, address: &Address, then: &AfterAddr, room: usize) -> Op {
    let data = fit(DataRule::Free, room, |out| address.put(out));
    let mut ops = vec![write(pane_file(pane, "addr"), data, OWRITE)];
    match then {
        AfterAddr::Nothing => {}
        AfterAddr::Read { file, count } => {
            // Told between where they are, the bytes can be compared.
            ops.push(read(pane, "addr", ADDRESSED_BYTES));
            ops.push(read(pane, file.value(), count.value()));
            ops.push(body(pane));
        }
        AfterAddr::Write { file, text, truncate } => {
            ops.push(write_text(pane_file(pane, file.value()), text, writing(*truncate), room));
        }
    }
    Op::Seq { ops }
}

fn read(pane: PaneRef, file: &str, count: u32) -> Op {
    let path = pane_file(pane, file).into();
    Op::Read { path, count, offset: 0, mode: OREAD, reads: ADDRESSED_READS }
}

fn render_host(name: FileName, text: Option<&Text>, room: usize) -> Op {
    let data = text.map(|text| fit(DataRule::Plain, room, |out| text.put(out)).into());
    let action = if data.is_some() { HostAction::Write } else { HostAction::Rm };
    Op::Host { action, name: name.value().into(), data }
}

fn render_look(pane: Option<PaneRef>, name: FileName, suffix: LookSuffix) -> Op {
    let path = pane.map_or_else(|| b"/look".to_vec(), |pane| pane_file(pane, "look"));
    write(path, [name.value(), suffix.value(), b"\n"].concat(), OWRITE)
}

/// The line is cut inside, if it is long enough to have an inside.
fn render_split(target: LineFile, line: &CommandLine, at: u8, room: usize) -> Op {
    let data = fit(DataRule::Commands, room, |out| line.put(out));
    let inside = u32::try_from(data.len()).unwrap_or(u32::MAX).saturating_sub(1).max(1);
    let cut = u32::from(at) % inside + 1;
    match write(target.render(), data, OWRITE) {
        Op::Write { path, data, mode, offset, stop_on_error, .. } => {
            let chunks = Chunks::Sizes(vec![cut]);
            Op::Write { path, data, mode, chunks, offset, stop_on_error }
        }
        other => other,
    }
}

pub(super) fn write_text(path: Vec<u8>, text: &Text, mode: u8, room: usize) -> Op {
    let data = fit(data_rule(&path), room, |out| text.put(out));
    write(path, data, mode)
}

pub(super) fn write(path: Vec<u8>, data: Vec<u8>, mode: u8) -> Op {
    Op::Write {
        path: path.into(),
        data: data.into(),
        mode,
        chunks: Chunks::Whole,
        offset: None,
        stop_on_error: true,
    }
}

pub(super) fn new_pane() -> Op {
    Op::Read { path: "/pane/new".into(), count: SERIAL_BYTES, offset: 0, mode: OREAD, reads: 1 }
}

pub(super) fn hold(slot: Slot, path: Vec<u8>, mode: u8) -> Op {
    Op::Hold { h: handle(slot), path: path.into(), mode }
}

pub(super) fn handle(slot: Slot) -> Latin1 {
    slot.render().as_str().into()
}

fn writing(truncate: bool) -> u8 {
    if truncate { OWRITE | OTRUNC } else { OWRITE }
}

impl Chunking {
    /// How data of that length is cut.
    pub(super) fn render(&self, length: usize) -> Chunks {
        match self {
            Chunking::Whole => Chunks::Whole,
            Chunking::Bytes if length <= SINGLE_BYTES => Chunks::Bytes,
            Chunking::Bytes => Chunks::Whole,
            Chunking::Sizes(sizes) => {
                Chunks::Sizes(sizes.iter().take(PIECES).map(|&size| u32::from(size)).collect())
            }
        }
    }
}
