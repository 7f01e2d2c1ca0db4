//! Files of JSON lines: each is appended whole or not at all, and one that is torn is passed over.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::limits::{LINE_BYTES, LINES_READ};

/// A file that lines are appended to.
#[derive(Debug)]
pub struct Lines {
    file: File,
}

impl Lines {
    /// Opens it, or makes it; a line that was torn at its end is ended, so that the next is not torn too.
    pub fn open(path: &Path) -> io::Result<Lines> {
        let mut file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        if file.metadata()?.len() > 0 {
            let mut last = [0];
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                file.write_all(b"\n")?;
            }
        }
        Ok(Lines { file })
    }

    /// Appends one line. What there was no room for is taken away again.
    pub fn append(&mut self, value: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        let before = self.file.metadata()?.len();
        self.file.write_all(&line).inspect_err(|_| {
            let _ = self.file.set_len(before);
        })
    }
}

/// Every line of a file that is such a value, in order, and how many are none; of no file, none.
pub fn read_lines<T: DeserializeOwned>(path: &Path) -> io::Result<(Vec<T>, usize)> {
    match File::open(path) {
        Ok(file) => parse_lines(BufReader::new(file)),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok((Vec::new(), 0)),
        Err(why) => Err(why),
    }
}

/// The last such line.
pub fn last_line<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(2 * LINE_BYTES as u64))).ok()?;
    parse_lines(BufReader::new(file)).ok()?.0.pop()
}

fn parse_lines<T: DeserializeOwned>(mut from: impl BufRead) -> io::Result<(Vec<T>, usize)> {
    let (mut lines, mut torn) = (Vec::new(), 0);
    let mut line = Vec::new();
    while lines.len() < LINES_READ && bounded_line(&mut from, &mut line)? {
        match serde_json::from_slice(&line) {
            Ok(value) => lines.push(value),
            Err(_) if line.iter().all(u8::is_ascii_whitespace) => {}
            Err(_) => torn += 1,
        }
    }
    Ok((lines, torn))
}

/// Reads the next line without its end; of one that is too long only the beginning is kept. False
/// at the end.
pub fn bounded_line(from: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let mut any = false;
    loop {
        let there = from.fill_buf()?;
        if there.is_empty() {
            return Ok(any);
        }
        any = true;
        let end = there.iter().position(|&byte| byte == b'\n');
        let part = end.unwrap_or(there.len());
        let room = LINE_BYTES.saturating_sub(line.len());
        line.extend_from_slice(&there[..part.min(room)]);
        from.consume(end.map_or(part, |end| end + 1));
        if end.is_some() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn torn_and_hostile_lines_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        assert_eq!(read_lines::<u64>(&path).unwrap(), (vec![], 0));
        assert_eq!(last_line::<u64>(&path), None);
        let deep = "[".repeat(30_000);
        let long = "9".repeat(3 * LINE_BYTES);
        let text = format!("1\n\n\"x\"\n2\n{deep}\n{long}\n\u{0}\n-3\n4\n5{{");
        fs::write(&path, text).unwrap();
        assert_eq!(read_lines::<u64>(&path).unwrap(), (vec![1, 2, 4], 6));
        // What is appended to a torn line is a line of its own.
        Lines::open(&path).unwrap().append(&6).unwrap();
        Lines::open(&path).unwrap().append(&7).unwrap();
        assert_eq!(read_lines::<u64>(&path).unwrap(), (vec![1, 2, 4, 6, 7], 6));
        assert_eq!(last_line::<u64>(&path), Some(7));
    }

    #[test]
    fn a_line_without_room_leaves_nothing_behind() {
        // A device that is always full; it has no length to go back to.
        let mut full = Lines { file: OpenOptions::new().append(true).open("/dev/full").unwrap() };
        let why = full.append(&1).unwrap_err();
        assert_eq!(why.kind(), io::ErrorKind::StorageFull);
    }
}
