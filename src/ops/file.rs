//! Ops files: a header line, then an op a line, all JSON.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};
use thiserror::Error;

use super::Op;
use super::parse::parse_op;

/// The longest line that is read, in bytes: a huge payload, escaped, with room to spare.
const LINE_BYTES: usize = 64 << 20;

/// An ops log, a seed or a bug record: what its header says, and its ops.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpsFile {
    /// The first line: whatever its writer had to say (seed, steps, kind, why, …).
    pub header: Map<String, Value>,
    /// The rest.
    pub ops: Vec<Op>,
}

/// Why a file is no ops file: always with its name, and with the line where there is one.
#[derive(Debug, Error)]
pub enum OpsFileError {
    /// It cannot be read at all.
    #[error("{}: {why}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        why: io::Error,
    },
    /// It holds nothing.
    #[error("{}: empty: expected a header line, then an op a line", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A line that is not as it should be.
    #[error("{}:{line}: {why}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Its number, from 1.
        line: usize,
        /// What was expected.
        why: String,
    },
}

/// Reads a whole ops file; an error names the file and the line.
pub fn read_ops(path: &Path) -> Result<OpsFile, OpsFileError> {
    let bytes = fs::read(path).map_err(|why| OpsFileError::Io { path: path.into(), why })?;
    parse_ops(path, &bytes)
}

/// Reads the text of an ops file; `path` is for the errors alone.
pub fn parse_ops(path: &Path, bytes: &[u8]) -> Result<OpsFile, OpsFileError> {
    let mut file: Option<OpsFile> = None;
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let fail = |why| OpsFileError::Line { path: path.into(), line: index + 1, why };
        let value = parse_line(line).map_err(fail)?;
        match &mut file {
            None => file = Some(OpsFile { header: header(value).map_err(fail)?, ops: Vec::new() }),
            Some(file) => file.ops.push(parse_op(value).map_err(|why| fail(why.to_string()))?),
        }
    }
    file.ok_or_else(|| OpsFileError::Empty { path: path.into() })
}

fn parse_line(line: &[u8]) -> Result<Value, String> {
    if line.len() > LINE_BYTES {
        return Err(format!("a line of {} bytes: expected at most {LINE_BYTES}", line.len()));
    }
    let text = std::str::from_utf8(line).map_err(|why| format!("expected UTF-8: {why}"))?;
    serde_json::from_str(text).map_err(|why| {
        let what = if why.is_eof() { "the line ends inside a JSON value" } else { "not JSON" };
        format!("{what}: expected one object a line (column {}: {why})", why.column())
    })
}

fn header(value: Value) -> Result<Map<String, Value>, String> {
    match value {
        Value::Object(map) if map.contains_key("op") => {
            Err("expected a header line (an object without \"op\") before the first op".into())
        }
        Value::Object(map) => Ok(map),
        other => Err(format!("expected a header line, an object, found {other}")),
    }
}

/// Writes an ops file, as [`write_whole`] does.
pub fn write_ops(path: &Path, header: &Map<String, Value>, ops: &[Op]) -> io::Result<()> {
    let mut text = Vec::new();
    put_line(&mut text, header)?;
    for op in ops {
        put_line(&mut text, op)?;
    }
    write_whole(path, &text)
}

/// Writes any file whole or not at all: beside its place first, then renamed.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    create_whole(path, bytes).map(drop)
}

/// The same, and gives the file to go on with, at the end of what was written.
pub fn create_whole(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let readable = fs::Permissions::from_mode(0o644);
    let mut beside = tempfile::Builder::new().permissions(readable).tempfile_in(folder)?;
    beside.write_all(bytes)?;
    beside.persist(path).map_err(|failed| failed.error)
}

/// Appends one JSON line in ASCII, so that no reader's idea of an encoding matters.
pub fn put_line(out: &mut Vec<u8>, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut *out, Ascii);
    value.serialize(&mut serializer)?;
    out.push(b'\n');
    Ok(())
}

struct Ascii;

impl serde_json::ser::Formatter for Ascii {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut units = [0u16; 2];
        for c in fragment.chars() {
            if c.is_ascii() && c != '\u{7f}' {
                writer.write_all(&[c as u8])?;
                continue;
            }
            for unit in c.encode_utf16(&mut units) {
                write!(writer, "\\u{unit:04x}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Chunks, HostAction, Latin1};

    fn parse(text: &str) -> Result<OpsFile, String> {
        parse_ops(Path::new("f.jsonl"), text.as_bytes()).map_err(|why| why.to_string())
    }

    #[test]
    fn the_scripts_own_lines_are_read() {
        let text = concat!(
            "{\"seed\": 1, \"steps\": 5, \"binary\": \"/x\"}\n",
            "{\"op\": \"fresh\", \"follower\": true}\n",
            "{\"op\": \"write\", \"path\": \"/pane/{p3}/body\", \"data\": \"caf\\u00c3\\u00a9\\n\", ",
            "\"mode\": 1, \"chunks\": [3, 1], \"offset\": 1099511627776}\n",
            "{\"op\": \"hread\", \"h\": \"h2\", \"count\": 16, \"offset\": null}\n",
            "{\"op\": \"host\", \"action\": \"rm\", \"name\": \"fresh.txt\"}\n",
        );
        let file = parse(text).unwrap();
        assert_eq!(file.header["seed"], 1);
        assert_eq!(file.ops[0], Op::Fresh { follower: true });
        let Op::Write { data, chunks, offset, .. } = &file.ops[1] else { panic!() };
        assert_eq!(data.0, "café\n".as_bytes());
        assert_eq!(*chunks, Chunks::Sizes(vec![3, 1]));
        assert_eq!(*offset, Some(1 << 40));
        assert_eq!(file.ops[2], Op::Hread { h: "h2".into(), count: 16, offset: None });
        let host = Op::Host { action: HostAction::Rm, name: "fresh.txt".into(), data: None };
        assert_eq!(file.ops[3], host);
    }

    #[test]
    fn an_error_names_the_line_and_what_was_expected() {
        for (line, want) in [
            ("{\"op\": \"frob\"}", "f.jsonl:2: unknown op \"frob\""),
            ("{\"op\": \"stat\", \"path\": 5}", "\"path\" of \"stat\": expected a string"),
            ("{\"op\": \"stat\"}", "\"path\" of \"stat\": expected a string"),
            ("{\"op\": \"stat\", \"path\": \"/\", \"pth\": 1}", "no field \"pth\""),
            ("{\"op\": \"stat\", \"path\": \"\u{100}\"}", "up to U+00FF"),
            ("{\"op\": \"read\", \"path\": \"/\", \"count\": -1}", "a whole number in range"),
            ("{\"op\": \"host\", \"action\": \"rm\", \"name\": \"../x\"}", "a file name"),
            (
                "{\"op\": \"write\", \"path\": \"/\", \"data\": \"\", \"chunks\": \"some\"}",
                "\"whole\"",
            ),
            ("{\"op\": \"stat\", \"path\": \"/x", "f.jsonl:2: the line ends inside a JSON value"),
            (
                "{\"op\": \"second\", \"ops\": [{\"op\": \"restore\", \"data\": \"\"}]}",
                "no \"restore\"",
            ),
            ("[]", "expected an object"),
            ("nonsense", "not JSON"),
        ] {
            let why = parse(&format!("{{\"seed\": 1}}\n{line}\n")).unwrap_err();
            assert!(why.contains(want) && why.starts_with("f.jsonl:2: "), "{line}: {why}");
        }
        assert!(parse("\n\n").unwrap_err().contains("empty"));
        assert!(
            parse("{\"op\": \"stat\", \"path\": \"/\"}\n").unwrap_err().contains("header line")
        );
    }

    #[test]
    fn what_is_written_is_ascii_and_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ops.jsonl");
        let data = Latin1((0..=255).collect());
        let ops = vec![
            Op::Write {
                path: "/pane/{p0}/body".into(),
                data: data.clone(),
                mode: 17,
                chunks: Chunks::Bytes,
                offset: None,
                stop_on_error: false,
            },
            Op::Seq {
                ops: vec![
                    Op::Host { action: HostAction::Write, name: "a".into(), data: Some(data) },
                    Op::Second { ops: vec![Op::Clunk { h: "h1".into() }] },
                ],
            },
        ];
        write_ops(&path, &Map::new(), &ops).unwrap();
        assert!(fs::read(&path).unwrap().is_ascii());
        assert_eq!(read_ops(&path).unwrap().ops, ops);
        let deep = "{\"op\":\"seq\",\"ops\":[".repeat(500) + &"]}".repeat(500);
        assert!(parse(&format!("{{}}\n{deep}\n")).is_err());
    }
}
