//! The index of a directory of bugs, made from their records.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Value, json};

use super::bug::RECORD_FILE;
use crate::ops::{read_ops, write_whole};

/// The index's file.
pub const INDEX_FILE: &str = "index.json";

/// What the index says of each bug, out of its record's header.
const KEYS: [&str; 8] =
    ["kind", "signature", "why", "verdict", "seen", "first", "last", "minimized"];

/// Writes the index of the bugs in `folder`: made anew from the records, so that none is ever missing
/// from it or in it alone. A record that cannot be read is in it with the reason.
pub fn write_index(folder: &Path) -> io::Result<()> {
    let mut bugs: Vec<Value> = Vec::new();
    let mut directories: Vec<_> =
        fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    directories.sort();
    for directory in directories.iter().filter(|path| path.is_dir()) {
        let record = directory.join(RECORD_FILE);
        if !record.exists() {
            continue;
        }
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        let mut bug = json!({"directory": name});
        match read_ops(&record) {
            Ok(record) => {
                for key in KEYS {
                    bug[key] = record.header.get(key).cloned().unwrap_or(Value::Null);
                }
                bug["ops"] = record.ops.len().into();
            }
            Err(why) => bug["torn"] = why.to_string().into(),
        }
        bugs.push(bug);
    }
    let mut text = serde_json::to_vec_pretty(&json!({"bugs": bugs}))?;
    text.push(b'\n');
    write_whole(&folder.join(INDEX_FILE), &text)
}
