//! `/os` and `/src`: the host's files, to be read and never written.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::wire::msg::{DMDIR, QTDIR, Qid};
use crate::wire::stat::Stat;

use super::editor::Editor;
use super::limits::HOST_ENTRIES;
use super::tree::Node;

/// Marks the qids of host files; the tree's own are far below it.
const QID_HOST: u64 = 1 << 63;

/// A tree that shows the host's directory `path`.
pub fn root(path: PathBuf) -> Node {
    Node::Host(path.clone(), path)
}

/// The two trees of the root.
pub fn roots(editor: &Editor) -> [Node; 2] {
    [root(PathBuf::from("/")), root(editor.host.sources().into())]
}

/// The file `name` in the directory `path`.
pub fn walk(editor: &Editor, root: &Path, path: &Path, name: &[u8]) -> Option<Node> {
    let plain = !name.is_empty() && name != b"." && !name.contains(&b'/') && !name.contains(&0);
    if !plain || !editor.host.serves_files() {
        return None;
    }
    let path = path.join(OsStr::from_bytes(name));
    path.symlink_metadata().ok()?;
    Some(Node::Host(root.into(), path))
}

/// The directory above; the tree's own root above its first.
pub fn parent(root: &Path, path: &Path) -> Node {
    match path.parent() {
        Some(parent) if path != root => Node::Host(root.into(), parent.into()),
        _ => Node::Root,
    }
}

/// Whether it is a directory, links followed.
pub fn is_dir(path: &Path) -> bool {
    path.is_dir()
}

/// The directory bit and the permissions that reading leaves.
pub fn mode(path: &Path) -> u32 {
    match path.metadata() {
        Ok(found) if found.is_dir() => DMDIR | 0o555,
        _ => 0o444,
    }
}

/// The qid of a host file: its device and inode.
pub fn qid(path: &Path) -> Qid {
    let found = path.symlink_metadata();
    let kind = if is_dir(path) { QTDIR } else { 0 };
    let number = found.as_ref().map_or(0, |f| f.ino() ^ f.dev().rotate_left(40));
    let version = found.as_ref().map_or(0, |f| f.mtime() as u32);
    Qid { kind, version, path: QID_HOST | number }
}

/// The directory entry of a host file.
pub fn stat(root: &Path, path: &Path) -> Stat {
    let found = path.symlink_metadata();
    let is_root = path == root;
    let name = match path.file_name() {
        Some(name) if !is_root => Bytes::copy_from_slice(name.as_bytes()),
        _ if root == Path::new("/") => Bytes::from_static(b"os"),
        _ => Bytes::from_static(b"src"),
    };
    let user = |id: Option<u32>| Bytes::from(id.map_or_else(String::new, |id| id.to_string()));
    let found = found.ok();
    Stat {
        qid: qid(path),
        mode: mode(path),
        atime: found.as_ref().map_or(0, |f| f.atime() as u32),
        mtime: found.as_ref().map_or(0, |f| f.mtime() as u32),
        length: found.as_ref().filter(|f| f.is_file()).map_or(0, fs::Metadata::len),
        name,
        uid: user(found.as_ref().map(MetadataExt::uid)),
        gid: user(found.as_ref().map(MetadataExt::gid)),
        ..Stat::default()
    }
}

/// What is in a host directory, as far as the bound goes.
pub fn children(editor: &Editor, root: &Path, path: &Path) -> Vec<Node> {
    if !editor.host.serves_files() {
        return Vec::new();
    }
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    let mut paths: Vec<PathBuf> =
        entries.flatten().take(HOST_ENTRIES).map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter().map(|path| Node::Host(root.into(), path)).collect()
}
