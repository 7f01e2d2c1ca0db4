//! Dump and Restore: the session's panes, texts and columns, to a file and back.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::address::Range;
use super::buffer::{Buffer, BufferId};
use super::column::Column;
use super::editor::{Editor, Ending};
use super::limits::{BODIES_BYTES, BODY_BYTES, COLUMNS, DUMP_BYTES, NAME_BYTES, PANES, TAG_BYTES};
use super::pane::{ColumnId, Pane, Serial};
use super::plants::Defect;
use super::refusal::{Done, refuse};

/// What a dump file holds. Text is kept in the runes of the session, in which every byte of a
/// file has a place.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Dump {
    version: u32,
    tag: String,
    focus: Serial,
    columns: Vec<DumpedColumn>,
    texts: Vec<DumpedText>,
    panes: Vec<DumpedPane>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DumpedColumn {
    id: ColumnId,
    tag: String,
    panes: Vec<Serial>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DumpedText {
    name: String,
    dirty: bool,
    is_dir: bool,
    text: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DumpedPane {
    serial: Serial,
    text: usize,
    tag: String,
    dot: (usize, usize),
    addr: (usize, usize),
    wrap: bool,
    collapsed: bool,
}

const VERSION: u32 = 1;

/// Writes the session to a file below the home directory, or to the one the user has set.
pub fn dump(editor: &mut Editor, name: &str) -> Done {
    let mut places = BTreeMap::new();
    let mut texts = Vec::new();
    for (id, buffer) in &editor.buffers {
        places.insert(*id, texts.len());
        texts.push(DumpedText {
            name: buffer.name.clone(),
            dirty: buffer.dirty,
            is_dir: buffer.is_dir,
            text: match buffer.text().to_string() {
                text if editor.planted(Defect::DumpTrims) => {
                    format!("{}\n", text.trim_end_matches('\n'))
                }
                text => text,
            },
        });
    }
    let columns = editor.columns.iter().map(|column| DumpedColumn {
        id: column.id,
        tag: column.tag.clone(),
        panes: column.panes.clone(),
    });
    let panes = editor.panes.values().map(|pane| DumpedPane {
        serial: pane.serial,
        text: places.get(&pane.buffer).copied().unwrap_or_default(),
        tag: pane.tag.clone(),
        dot: (pane.dot.q0, pane.dot.q1),
        addr: (pane.addr.q0, pane.addr.q1),
        wrap: pane.wrap,
        collapsed: pane.collapsed,
    });
    let dump = Dump {
        version: VERSION,
        tag: editor.tag.clone(),
        focus: editor.focus,
        columns: columns.collect(),
        panes: panes.collect(),
        texts,
    };
    let content = serde_json::to_vec(&dump).map_err(|why| why.to_string())?;
    if content.len() as u64 > DUMP_BYTES {
        return refuse!("dump would be longer than {DUMP_BYTES} bytes");
    }
    editor.host.write(&file(editor, name)?, &content)
}

/// Serves a dumped session in the place of this one. Nothing changes if the dump is no good.
pub fn restore(editor: &mut Editor, name: &str) -> Done {
    let name = file(editor, name)?;
    let content = editor.host.read_up_to(&name, DUMP_BYTES)?;
    let dump: Dump = serde_json::from_slice(&content)
        .map_err(|why| format!("no dump: line {} column {}", why.line(), why.column()))?;
    check(&dump)?;
    editor.end_processes();
    put_in_place(editor, dump);
    editor.ending = Some(Ending::Restored);
    Ok(())
}

fn file(editor: &Editor, name: &str) -> Done<String> {
    if name.chars().any(char::is_control) {
        return Err("name with a control character".into());
    }
    if !name.is_empty() {
        return Ok(format!("{}{name}", editor.settings.dump_prefix()));
    }
    let set = std::env::var("PARDES_DUMP").ok().filter(|path| !path.is_empty());
    Ok(set.unwrap_or_else(|| "standin.dump".into()))
}

/// A dump is a file that anyone may have written: everything in it is checked.
fn check(dump: &Dump) -> Done {
    if dump.version != VERSION {
        return refuse!("dump of version {}, not {VERSION}", dump.version);
    }
    if dump.panes.is_empty() || dump.panes.len() > PANES {
        return refuse!("dump of {} panes", dump.panes.len());
    }
    if dump.columns.is_empty() || dump.columns.len() > COLUMNS || dump.tag.len() > TAG_BYTES {
        return refuse!("dump of {} columns", dump.columns.len());
    }
    let total: usize = dump.texts.iter().map(|text| text.text.len()).sum();
    let long = |text: &DumpedText| text.text.len() > BODY_BYTES || text.name.len() > NAME_BYTES;
    let control = |text: &DumpedText| text.name.chars().any(char::is_control);
    if total > BODIES_BYTES || dump.texts.iter().any(|text| long(text) || control(text)) {
        return Err("dump with a text that is too long".into());
    }
    let ids: BTreeSet<ColumnId> = dump.columns.iter().map(|column| column.id).collect();
    let placed: Vec<Serial> = dump.columns.iter().flat_map(|c| c.panes.clone()).collect();
    let serials: BTreeSet<Serial> = dump.panes.iter().map(|pane| pane.serial).collect();
    let once = placed.len() == dump.panes.len()
        && serials.len() == placed.len()
        && placed.iter().all(|serial| serials.contains(serial))
        && ids.len() == dump.columns.len()
        && ids.iter().all(|id| *id < ColumnId::MAX);
    if !once {
        return Err("dump in which panes and columns do not agree".into());
    }
    let tags = dump.panes.iter().map(|p| &p.tag).chain(dump.columns.iter().map(|c| &c.tag));
    if tags.into_iter().any(|tag| tag.len() > TAG_BYTES) {
        return Err("dump with a tag that is too long".into());
    }
    if dump.panes.iter().any(|pane| pane.text >= dump.texts.len()) {
        return Err("dump with a pane without a text".into());
    }
    Ok(())
}

fn put_in_place(editor: &mut Editor, mut dump: Dump) {
    let loses = editor.planted(Defect::RestoreLosesPane);
    for column in dump.columns.iter_mut().filter(|column| loses && column.panes.len() > 3) {
        let lost = column.panes.pop();
        dump.panes.retain(|pane| Some(pane.serial) != lost);
    }
    editor.panes.clear();
    editor.buffers.clear();
    editor.jumps = (Vec::new(), 0);
    editor.tag = dump.tag;
    let ids: Vec<BufferId> = dump.texts.iter().map(|text| restored(editor, text)).collect();
    let columns = dump.columns.iter().map(|column| Column {
        id: column.id,
        tag: column.tag.clone(),
        panes: column.panes.clone(),
    });
    editor.columns.restore(columns.collect());
    for dumped in dump.panes {
        let column = dump.columns.iter().find(|c| c.panes.contains(&dumped.serial));
        let mut pane = Pane::new(dumped.serial, column.map_or(0, |c| c.id), ids[dumped.text]);
        let end = editor.buffers.get(&pane.buffer).map_or(0, Buffer::runes);
        let range = |(q0, q1): (usize, usize)| Range::new(q0.min(q1).min(end), q1.min(end));
        pane.tag = dumped.tag;
        pane.dot = range(dumped.dot);
        pane.addr = range(dumped.addr);
        pane.wrap = dumped.wrap;
        pane.collapsed = dumped.collapsed;
        editor.serials_after(pane.serial);
        editor.panes.insert(pane.serial, pane);
    }
    let first = editor.panes.keys().next().copied().unwrap_or(0);
    editor.focus = if editor.panes.contains_key(&dump.focus) { dump.focus } else { first };
    // A text that no pane shows would never go away.
    let shown: BTreeSet<BufferId> = editor.panes.values().map(|pane| pane.buffer).collect();
    editor.buffers.retain(|id, _| shown.contains(id));
}

fn restored(editor: &mut Editor, text: &DumpedText) -> BufferId {
    let mut buffer = Buffer::new(&text.name, &text.text);
    buffer.dirty = text.dirty;
    buffer.is_dir = text.is_dir;
    editor.add_buffer(buffer)
}
