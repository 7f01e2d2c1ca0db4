//! The host's files and processes as the session may use them: reading anywhere, writing only
//! below the home directory.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use nix::libc::{O_NOCTTY, O_NONBLOCK};

use super::limits::{FILE_BYTES, HOST_ENTRIES};
use super::refusal::{Done, refuse};
use super::runes;

/// What the session knows of its host.
#[derive(Clone, Debug)]
pub struct Host {
    home: PathBuf,
    sources: PathBuf,
    registry: Option<Rc<mio::Registry>>,
    served: bool,
}

impl Host {
    /// The host as it is, with `home` for relative names and `sources` for `/src`.
    pub fn real(home: PathBuf, sources: PathBuf, registry: Rc<mio::Registry>) -> Self {
        Host { home, sources, registry: Some(registry), served: true }
    }

    /// No host at all: every file and every process is refused.
    pub fn none() -> Self {
        let nowhere = PathBuf::from("/nowhere");
        Host { home: nowhere.clone(), sources: nowhere, registry: None, served: false }
    }

    /// The home directory.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The directory that `/src` shows.
    pub fn sources(&self) -> &Path {
        &self.sources
    }

    /// Whether there is a host to read files of.
    pub fn serves_files(&self) -> bool {
        self.served
    }

    /// What watches the descriptors of shells and commands; refused without a host.
    pub fn registry(&self) -> Done<Rc<mio::Registry>> {
        self.registry.clone().ok_or_else(|| "no processes in this session".into())
    }

    /// The path that a name means, relative ones from the home directory, `.` and `..` resolved
    /// by their text.
    pub fn path(&self, name: &str) -> PathBuf {
        let mut path = PathBuf::new();
        for part in self.home.join(os_name(name)).components() {
            match part {
                Component::ParentDir => {
                    path.pop();
                }
                Component::CurDir => {}
                other => path.push(other),
            }
        }
        path
    }

    /// The shortest name of a path: from the home directory if it is below that.
    pub fn name(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.home).unwrap_or(path);
        runes::from_bytes(path.as_os_str().as_bytes())
    }

    /// What kind of file `name` is, links followed.
    pub fn metadata(&self, name: &str) -> Done<fs::Metadata> {
        self.is_served()?;
        Ok(fs::metadata(self.path(name))?)
    }

    /// Whether `name` is a link, of whatever to.
    pub fn is_link(&self, name: &str) -> bool {
        fs::symlink_metadata(self.path(name)).is_ok_and(|found| found.is_symlink())
    }

    /// A plain file's content. Nothing else is ever opened: a fifo would block, a device act.
    pub fn read(&self, name: &str) -> Done<Vec<u8>> {
        self.read_up_to(name, FILE_BYTES)
    }

    /// The same, with a bound of its own.
    pub fn read_up_to(&self, name: &str, most: u64) -> Done<Vec<u8>> {
        self.is_served()?;
        let file = open_plain(&self.path(name))?;
        let mut content = Vec::new();
        file.take(most + 1).read_to_end(&mut content)?;
        if content.len() as u64 > most {
            return refuse!("file longer than {most} bytes");
        }
        Ok(content)
    }

    /// A directory's entries as lines, those that are directories with a slash.
    pub fn list(&self, name: &str) -> Done<String> {
        self.is_served()?;
        let mut names: Vec<String> = fs::read_dir(self.path(name))?
            .flatten()
            .take(HOST_ENTRIES)
            .map(|entry| {
                let slash = if entry.path().is_dir() { "/" } else { "" };
                format!("{}{slash}\n", runes::from_bytes(entry.file_name().as_bytes()))
            })
            .collect();
        names.sort();
        Ok(names.concat())
    }

    /// Writes a plain file below the home directory.
    pub fn write(&self, name: &str, content: &[u8]) -> Done {
        let path = self.writable(name)?;
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .custom_flags(O_NONBLOCK | O_NOCTTY)
            .open(path)?;
        Ok(file.write_all(content)?)
    }

    /// The path of a file that may be written: below the home directory, and no special file.
    fn writable(&self, name: &str) -> Done<PathBuf> {
        self.is_served()?;
        let path = self.path(name);
        let parent = path.parent().ok_or("no file of that name")?.canonicalize()?;
        let home = self.home.canonicalize()?;
        let file = path.file_name().ok_or("no file of that name")?;
        let path = parent.join(file);
        if !parent.starts_with(&home) {
            return Err("only files below the home directory are written".into());
        }
        match fs::symlink_metadata(&path) {
            Ok(found) if !found.is_file() => Err("not a plain file".into()),
            _ => Ok(path),
        }
    }

    fn is_served(&self) -> Done {
        if self.served { Ok(()) } else { Err("no files in this session".into()) }
    }
}

/// A name as the system has it: its bytes, which may be no UTF-8.
pub fn os_name(name: &str) -> OsString {
    OsString::from_vec(runes::to_bytes(name))
}

/// Opens a plain file for reading without ever waiting for one that is not.
pub fn open_plain(path: &Path) -> Done<File> {
    if !fs::metadata(path)?.is_file() {
        return Err("not a plain file".into());
    }
    // Checked again on what was opened: the name may mean another file by now.
    let file = OpenOptions::new().read(true).custom_flags(O_NONBLOCK | O_NOCTTY).open(path)?;
    if !file.metadata()?.is_file() {
        return Err("not a plain file".into());
    }
    Ok(file)
}
