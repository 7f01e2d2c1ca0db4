//! A sandbox's directories as this process reaches them: by what they were when nothing ran there
//! yet, whatever a target has put in their places since.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;

use super::layout::Layout;
use super::mounts::place;

/// The directories, held open.
#[derive(Debug)]
pub struct Reach {
    layout: Layout,
    _held: [OwnedFd; 4],
}

impl Reach {
    /// The directories at `layout`, in `root` if that is not where its path leads from here. Nothing
    /// may have been launched there yet.
    pub fn new(layout: &Layout, root: Option<OwnedFd>) -> io::Result<Reach> {
        let root = match root {
            Some(root) => root,
            None => place(&layout.root)?,
        };
        let flags = OFlag::O_PATH | OFlag::O_CLOEXEC | OFlag::O_NOFOLLOW | OFlag::O_DIRECTORY;
        let inside = |path: &Path| {
            let name = path.strip_prefix(&layout.root).map_err(io::Error::other)?;
            Ok::<_, io::Error>(openat(&root, name, flags, Mode::empty())?)
        };
        let home = inside(&layout.home)?;
        let runtime = inside(&layout.runtime)?;
        let temporary = inside(&layout.temporary)?;
        let reached = Layout {
            home: by_number(&home),
            runtime: by_number(&runtime),
            temporary: by_number(&temporary),
            ..Layout::new(&by_number(&root))
        };
        Ok(Reach { layout: reached, _held: [root, home, runtime, temporary] })
    }

    /// Paths that lead there from this process, and from no other.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

/// The path that leads this process to what it holds open.
fn by_number(held: &OwnedFd) -> PathBuf {
    format!("/proc/self/fd/{}", held.as_raw_fd()).into()
}

/// Removes a directory and all that is in it. Nothing outside is touched, even while somebody puts
/// links in the place of directories.
pub fn remove_tree(root: &Path) -> io::Result<()> {
    if fs::remove_dir_all(root).is_ok() {
        return Ok(());
    }
    // A directory the target closed to itself is opened again first.
    open_directories(root);
    fs::remove_dir_all(root)
}

fn open_directories(directory: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let Ok(held) = place(directory) else { return };
    let path = by_number(&held);
    // By what is held: what its path leads to may be another thing by now.
    if !fs::metadata(&path).is_ok_and(|meta| meta.is_dir()) {
        return;
    }
    let _ = fs::set_permissions(&path, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_directories(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_was_put_in_a_directorys_place_is_not_reached() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let layout = Layout::new(folder.path());
        layout.make("a token").unwrap();
        let reach = Reach::new(&layout, None).unwrap();
        fs::rename(&layout.home, folder.path().join("away")).unwrap();
        symlink(outside.path(), &layout.home).unwrap();
        fs::write(reach.layout().home.join("file"), "x").unwrap();
        assert!(folder.path().join("away/file").exists());
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
        assert!(reach.layout().stderr.exists());
        // And it is never begun with a link.
        assert!(Reach::new(&layout, None).is_err());
    }

    #[test]
    fn no_directory_is_opened_through_a_link() {
        use std::os::unix::fs::PermissionsExt as _;
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let theirs = outside.path().join("theirs");
        fs::create_dir(&theirs).unwrap();
        let mode = |bits| fs::Permissions::from_mode(bits);
        fs::set_permissions(&theirs, mode(0o755)).unwrap();
        let link = folder.path().join("link");
        symlink(&theirs, &link).unwrap();
        open_directories(&link);
        assert_eq!(fs::metadata(&theirs).unwrap().permissions().mode() & 0o777, 0o755);
        let closed = folder.path().join("closed");
        fs::create_dir_all(closed.join("within")).unwrap();
        fs::set_permissions(&closed, mode(0)).unwrap();
        remove_tree(folder.path()).unwrap();
        assert!(theirs.exists() && !folder.path().exists());
    }
}
