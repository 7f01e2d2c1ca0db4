//! What attempts are aimed at: files, sockets, processes and terminals that the suite makes outside
//! the sandbox, and takes away again.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use nix::time::clock_gettime;
use nix::unistd::{AccessFlags, access, geteuid, ttyname};
use rand::RngExt as _;
use tempfile::TempDir;

use super::limits::{CLOCK_S, FREE_BYTES, OVER, PIECE_BYTES};
use super::system::{file_handle, forget_key};
use crate::sandbox::{homes, limits};

/// Everything that an attempt may be aimed at.
#[derive(Debug)]
pub struct Scene {
    /// Stands in every name that an attempt makes, and nowhere else on the machine.
    pub unique: String,
    /// What nobody in a sandbox can know.
    pub secret: Box<str>,
    folder: TempDir,
    executable: PathBuf,
    /// The person's HOME, if something can be made in it.
    pub person: Option<PathBuf>,
    /// A process of ours that waits.
    pub sleeper: Child,
    /// Sockets with a path, and with an abstract name.
    pub listener: UnixListener,
    pub named: UnixListener,
    pub tcp: TcpListener,
    pub udp: UdpSocket,
    /// The secret's file, open to be written at its end, and inherited by whoever is started.
    held: File,
    /// A terminal nobody sits at: its two ends.
    pub terminal: Option<(OwnedFd, OwnedFd)>,
    /// The segment of memory that was made, by its number.
    pub segment: Option<String>,
    setuid: Option<PathBuf>,
    /// The machine's domain name, as it is.
    pub domain: String,
    clock: TimerFd,
}

/// Whom a setuid program of the suite's belongs to: nobody there is.
const OWNER: u32 = 54_321;
/// The system's own setuid programs that wait for somebody to say something.
const SETUID: [&str; 2] = ["/usr/bin/su", "/bin/su"];
/// The secret's file.
const SECRET: &str = "there";

impl Scene {
    /// Makes it all.
    pub fn make(executable: &Path) -> io::Result<Scene> {
        let unique = format!("{:010}", rand::rng().random_range(0..10_000_000_000u64));
        let secret = format!("{:032x}", rand::rng().random::<u128>()).into_boxed_str();
        let folder = tempfile::Builder::new().prefix("outside").tempdir_in(limits::PARENT)?;
        // No name alone keeps anybody out.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
        fs::write(folder.path().join(SECRET), &*secret)?;
        let held = File::options().append(true).open(folder.path().join(SECRET))?;
        fcntl(&held, FcntlArg::F_SETFD(FdFlag::empty()))?;
        let name = SocketAddr::from_abstract_name(format!("outside{unique}"))?;
        let scene = Scene {
            person: homes().into_iter().find(|home| writable(home)),
            sleeper: Command::new("cat")
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .current_dir("/")
                .spawn()?,
            listener: UnixListener::bind(folder.path().join("socket"))?,
            named: UnixListener::bind_addr(&name)?,
            tcp: TcpListener::bind("127.0.0.1:0")?,
            udp: UdpSocket::bind("127.0.0.1:0")?,
            terminal: terminal().ok(),
            segment: segment(),
            setuid: setuid(folder.path()),
            domain: fs::read_to_string("/proc/sys/kernel/domainname").unwrap_or_default(),
            clock: clock()?,
            executable: fs::canonicalize(executable)?,
            held,
            folder,
            secret,
            unique,
        };
        scene.listener.set_nonblocking(true)?;
        scene.named.set_nonblocking(true)?;
        scene.tcp.set_nonblocking(true)?;
        scene.udp.set_nonblocking(true)?;
        Ok(scene)
    }

    /// The directory outside.
    pub fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// A file that an attempt may make there.
    pub fn made(&self) -> PathBuf {
        self.outside().join("made")
    }

    /// The file with the secret.
    pub fn secret_file(&self) -> PathBuf {
        self.outside().join(SECRET)
    }

    /// What else is in nobody's way.
    pub fn reachable(&self) -> Vec<PathBuf> {
        [self.executable.clone()].into_iter().chain(self.setuid.clone()).collect()
    }

    /// A setuid program's name, as the process table has it.
    pub fn setuid_name(&self) -> Option<&str> {
        self.setuid.as_ref()?.file_name()?.to_str()
    }

    /// Whether somebody has set the clock since the scene was made.
    pub fn clock_was_set(&self) -> Result<bool, String> {
        match nix::unistd::read(&self.clock, &mut [0; 8]) {
            Err(Errno::ECANCELED) => Ok(true),
            Err(Errno::EAGAIN) => Ok(false),
            other => Err(format!("the clock's timer: {other:?}")),
        }
    }

    /// Puts into `text` what stands there in braces; says what is not to be had here.
    pub fn fill(&self, text: &str, root: &Path) -> Result<String, String> {
        let path = |path: &Path| Some(path.display().to_string());
        let fill = PIECE_BYTES;
        let mut values: HashMap<&str, Option<String>> = HashMap::from([
            ("outside", path(self.outside())),
            ("root", path(root)),
            ("unique", Some(self.unique.clone())),
            ("harness", Some(std::process::id().to_string())),
            ("sleeper", Some(self.sleeper.id().to_string())),
            ("person", self.person.as_deref().and_then(path)),
            ("tcp", self.tcp.local_addr().ok().map(|at| at.port().to_string())),
            ("udp", self.udp.local_addr().ok().map(|at| at.port().to_string())),
            ("held", Some(self.held.as_raw_fd().to_string())),
            ("at", Some((self.secret.as_ptr() as usize).to_string())),
            ("long", Some(self.secret.len().to_string())),
            ("segment", self.segment.clone()),
            ("setuid", self.setuid.as_deref().and_then(path)),
            ("piece", Some(fill.to_string())),
            ("pieces", Some((limits::SPACE_BYTES / fill + 1).to_string())),
            ("files", Some((limits::SPACE_FILES + OVER).to_string())),
            ("processes", Some((limits::PROCESSES + OVER).to_string())),
            ("length", Some(limits::FILE_BYTES.to_string())),
        ]);
        let slave = self.terminal.as_ref().map(|(_, slave)| slave);
        values.insert("terminal", slave.and_then(|slave| path(&ttyname(slave).ok()?)));
        values.insert("handle", file_handle(&self.secret_file()).ok());
        values.insert("free", free(root).then(String::new));
        let mut filled = text.to_owned();
        for (name, value) in values {
            let place = format!("{{{name}}}");
            if filled.contains(&place) {
                let why = LACKING.iter().find(|(lacking, _)| *lacking == name);
                let why = why.map_or("it cannot be had", |(_, why)| why);
                filled = filled.replace(&place, &value.ok_or_else(|| why.to_owned())?);
            }
        }
        Ok(filled)
    }
}

/// What may be missing on a machine, and how that is said.
const LACKING: [(&str, &str); 6] = [
    ("person", "the person has no HOME that can be written"),
    ("terminal", "no terminal can be had"),
    ("segment", "no memory can be shared by ipcmk"),
    ("setuid", "there is no setuid program"),
    ("handle", "the file system has no file handles"),
    ("free", "the disk has too little room for trying to fill it"),
];

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = self.sleeper.kill();
        let _ = self.sleeper.wait();
        if let Some(number) = &self.segment {
            let _ = Command::new("ipcrm").args(["-m", number]).stderr(Stdio::null()).status();
        }
        forget_key(&self.unique);
    }
}

fn writable(home: &Path) -> bool {
    home.is_dir() && access(home, AccessFlags::W_OK).is_ok()
}

fn terminal() -> nix::Result<(OwnedFd, OwnedFd)> {
    let pair = nix::pty::openpty(None, None)?;
    let mut settings = tcgetattr(&pair.slave)?;
    cfmakeraw(&mut settings);
    tcsetattr(&pair.slave, SetArg::TCSANOW, &settings)?;
    for end in [pair.master.as_fd(), pair.slave.as_fd()] {
        fcntl(end, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
        fcntl(end, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    }
    Ok((pair.master, pair.slave))
}

/// A timer that is for long after, and tells when the clock is set.
fn clock() -> nix::Result<TimerFd> {
    let timer =
        TimerFd::new(ClockId::CLOCK_REALTIME, TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC)?;
    let now = clock_gettime(nix::time::ClockId::CLOCK_REALTIME)?;
    let late = TimeSpec::new(now.tv_sec() + CLOCK_S, 0);
    let flags = TimerSetTimeFlags::TFD_TIMER_ABSTIME | TimerSetTimeFlags::TFD_TIMER_CANCEL_ON_SET;
    timer.set(Expiration::OneShot(late), flags)?;
    Ok(timer)
}

fn segment() -> Option<String> {
    let made = Command::new("ipcmk").args(["-M", "64"]).output().ok()?;
    let said = String::from_utf8(made.stdout).ok()?;
    let number = said.trim().rsplit(' ').next()?;
    number.parse::<u32>().is_ok().then(|| number.to_owned())
}

/// Of another user's: root can make one, and anybody else finds root's.
fn setuid(folder: &Path) -> Option<PathBuf> {
    if !geteuid().is_root() {
        let privileged = |path: &PathBuf| {
            fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o4000 != 0)
        };
        return SETUID.iter().map(PathBuf::from).find(privileged);
    }
    let made = folder.join("setuid");
    let source = ["/bin/sleep", "/usr/bin/sleep"].iter().find(|path| Path::new(path).exists())?;
    // By another process: a child that is forked meanwhile would hold it open for writing.
    let copied = Command::new("cp").arg(source).arg(&made).status().ok()?;
    chown(&made, Some(OWNER), None).ok()?;
    fs::set_permissions(&made, fs::Permissions::from_mode(0o4755)).ok()?;
    copied.success().then_some(made)
}

fn free(root: &Path) -> bool {
    let Some(parent) = root.parent() else { return false };
    nix::sys::statvfs::statvfs(parent)
        .is_ok_and(|all| all.blocks_available().saturating_mul(all.fragment_size()) > FREE_BYTES)
}
