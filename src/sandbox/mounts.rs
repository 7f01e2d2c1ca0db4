//! The file system as a target at the kernel level sees it: read-only, with what is the machine's or
//! the person's own hidden, and the sandbox's directories at their own paths.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, symlink};
use std::path::{Path, PathBuf};

use nix::fcntl::{OFlag, open};
use nix::mount::{MsFlags, mount};
use nix::sys::stat::Mode;

use super::confine::kernel_is;
use super::layout::Layout;
use super::limits::{
    HIDDEN_BYTES, PIDS_RESERVED, PROCESSES, SOCKETS_COVERED, SPACE_BYTES, SPACE_FILES, TERMINALS,
};
use super::system::{close_mounts, detached, open_mount};

/// Directories that are hidden whoever the person is: other programs' sockets and files are there.
const HIDDEN: [&str; 5] = ["/tmp", "/var/tmp", "/run", "/home", "/root"];
/// Directories that nothing may hide, nor what they are in: programs could not run.
const NEEDED: [&str; 6] = ["/usr", "/bin", "/lib", "/etc", "/proc", "/dev"];
/// The devices there are.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
/// Links in `/dev`, and where they lead.
const LINKS: [(&str, &str); 5] = [
    ("ptmx", "pts/ptmx"),
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];

/// The first Linux whose pid namespaces have a highest number of their own.
const BOUNDS_BY_NAMESPACE: (u32, u32) = (6, 14);

/// What the mounts are made from.
#[derive(Debug)]
pub struct View<'a> {
    /// The sandbox's directories, to be made.
    pub layout: &'a Layout,
    /// What marks them as this sandbox's.
    pub token: &'a str,
    /// The person's directories.
    pub homes: &'a [PathBuf],
    /// Files that stay reachable where they are, read-only.
    pub reachable: &'a [PathBuf],
    /// Sockets of the machine's that have a path.
    pub sockets: &'a [PathBuf],
}

/// What is hidden of `homes` and of the machine: real directories, none inside another.
pub fn hidden(homes: &[PathBuf]) -> Vec<PathBuf> {
    let named = HIDDEN.iter().map(PathBuf::from).chain(homes.iter().cloned());
    let mut real: Vec<PathBuf> = named
        .filter(|path| path.is_absolute())
        .filter_map(|path| fs::canonicalize(path).ok())
        .filter(|path| {
            path.is_dir() && !NEEDED.iter().any(|needed| Path::new(needed).starts_with(path))
        })
        .collect();
    real.sort();
    real.dedup_by(|later, earlier| later.starts_with(earlier));
    real
}

/// Makes the mounts, in a mount namespace of this process's own, and `/proc` for its pid namespace.
/// Gives the sandbox's root, to be reached from outside: it is a file system of its own, of bounded
/// size, and gone with the last who has it.
pub fn make(view: &View<'_>) -> io::Result<OwnedFd> {
    let none = None::<&str>;
    mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none)?;
    let layout = view.layout;
    let hidden = hidden(view.homes);
    // Opened before they are hidden, to be put back where they were.
    let reachable = view.reachable.iter().filter_map(|path| fs::canonicalize(path).ok());
    let reachable: BTreeSet<PathBuf> =
        reachable.filter(|path| hidden.iter().any(|hidden| path.starts_with(hidden))).collect();
    let reachable: Vec<(PathBuf, OwnedFd)> = reachable
        .into_iter()
        .map(|path| Ok((path.clone(), place(&path)?)))
        .collect::<io::Result<_>>()?;
    for directory in &hidden {
        empty(directory)?;
    }
    DirBuilder::new().recursive(true).mode(0o755).create(&layout.root)?;
    bounded(&layout.root)?;
    layout.make(view.token)?;
    let root = detached(&layout.root)?;
    let writable = [&layout.home, &layout.runtime, &layout.temporary, &layout.stderr];
    for path in writable {
        // On itself: a mount of its own, which the target can neither rename nor remove.
        put(&place(path)?, path)?;
    }
    for (path, file) in &reachable {
        if let Some(parent) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o755).create(parent)?;
        }
        File::create(path)?;
        put(file, path)?;
    }
    devices()?;
    cover(view.sockets);
    own_proc()?;
    close_mounts(Path::new("/"))?;
    for path in writable {
        open_mount(path)?;
    }
    open_mount(Path::new("/dev/pts"))?;
    std::env::set_current_dir("/")?;
    Ok(root)
}

/// Pathname sockets that this machine has, as far as it tells of them.
pub fn machine_sockets() -> Vec<PathBuf> {
    let table = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    let mut paths: Vec<PathBuf> = table
        .lines()
        .filter_map(|line| line.find(" /").map(|at| PathBuf::from(&line[at + 1..])))
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// The place that `path` is now, whatever it will be later.
pub fn place(path: &Path) -> io::Result<OwnedFd> {
    open(path, OFlag::O_PATH | OFlag::O_CLOEXEC | OFlag::O_NOFOLLOW, Mode::empty())
        .map_err(|why| told(path, why))
}

/// Mounts the place that `from` is at `to` as well.
fn put(from: &OwnedFd, to: &Path) -> io::Result<()> {
    let source = format!("/proc/self/fd/{}", from.as_raw_fd());
    mount(Some(&*source), to, None::<&str>, MsFlags::MS_BIND, None::<&str>)
        .map_err(|why| told(to, why))
}

/// Hides a directory behind an empty one.
fn empty(directory: &Path) -> io::Result<()> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    let options = format!("mode=755,size={HIDDEN_BYTES}");
    mount(Some("none"), directory, Some("tmpfs"), flags, Some(&*options))
        .map_err(|why| told(directory, why))
}

/// A file system of its own, which holds no more than it may.
fn bounded(directory: &Path) -> io::Result<()> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    let options = format!("mode=700,size={SPACE_BYTES},nr_inodes={SPACE_FILES}");
    mount(Some("none"), directory, Some("tmpfs"), flags, Some(&*options))
        .map_err(|why| told(directory, why))
}

/// A `/dev` with what programs need and nothing else: the machine's disks are devices too, and root
/// owns them within the namespace as well.
fn devices() -> io::Result<()> {
    let dev = Path::new("/dev");
    let there: Vec<(PathBuf, OwnedFd)> = DEVICES
        .iter()
        .map(|name| dev.join(name))
        .filter_map(|path| Some((path.clone(), place(&path).ok()?)))
        .collect();
    let options = format!("mode=755,size={HIDDEN_BYTES}");
    let flags = MsFlags::MS_NOSUID;
    mount(Some("none"), dev, Some("tmpfs"), flags, Some(&*options))
        .map_err(|why| told(dev, why))?;
    for (path, device) in &there {
        File::create(path)?;
        put(device, path)?;
    }
    for (name, to) in LINKS {
        symlink(to, dev.join(name))?;
    }
    fs::create_dir(dev.join("shm"))?;
    let pts = dev.join("pts");
    fs::create_dir(&pts)?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NOEXEC;
    let options = format!("newinstance,ptmxmode=0666,mode=620,max={TERMINALS}");
    mount(Some("none"), &pts, Some("devpts"), flags, Some(&*options)).map_err(|why| told(&pts, why))
}

/// Sockets in directories that are not hidden: connecting writes nothing, so that a read-only mount
/// does not forbid it.
fn cover(sockets: &[PathBuf]) {
    let is_socket =
        |path: &&PathBuf| fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket());
    let Ok(null) = place(Path::new("/dev/null")) else { return };
    for socket in sockets.iter().filter(is_socket).take(SOCKETS_COVERED) {
        // Whether that worked is for the probe to say.
        let _ = put(&null, socket);
    }
}

/// `/proc` of this pid namespace; while it can still be written, the namespace's own bounds.
fn own_proc() -> io::Result<()> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("proc"), "/proc", Some("proc"), flags, None::<&str>)
        .map_err(|why| told(Path::new("/proc"), why))?;
    // Before, it was the whole machine's, and root is root there too.
    if kernel_is(BOUNDS_BY_NAMESPACE) {
        let _ = fs::write("/proc/sys/kernel/pid_max", (PIDS_RESERVED + PROCESSES).to_string());
    }
    // Numbers that nobody takes for the size of a screen.
    let _ = fs::write("/proc/sys/kernel/ns_last_pid", PIDS_RESERVED.to_string());
    // No namespace within: what is mounted here could be mounted otherwise there.
    let _ = fs::write("/proc/sys/user/max_user_namespaces", "0");
    Ok(())
}

fn told(path: &Path, why: impl Into<io::Error>) -> io::Error {
    let why: io::Error = why.into();
    io::Error::new(why.kind(), format!("{}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_real_and_nothing_that_programs_need() {
        let homes = ["/", "/usr", "relative", "/nowhere/at/all", "/var/tmp/x", "/tmp"];
        let found = hidden(&homes.map(PathBuf::from));
        assert_eq!(found, hidden(&[]));
        assert!(found.contains(&PathBuf::from("/tmp")));
        let own = fs::canonicalize(env!("CARGO_MANIFEST_DIR")).unwrap();
        let more = hidden(&[own.clone(), own.join("src")]);
        assert!(more.iter().any(|path| own.starts_with(path)));
        assert!(!more.contains(&own.join("src")));
    }
}
