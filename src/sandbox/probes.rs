//! Tries from inside what a level is said to forbid, before a target is launched there: what was not
//! seen to be refused is not claimed.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::sys::signal::kill;
use nix::sys::stat::Mode;
use nix::sys::wait::waitpid;
use nix::unistd::{Pid, getppid, pipe2};

use super::confine::{Confinement, Held};
use super::layout::Layout;
use super::level::Level;
use super::limits::PROBE_BYTES;
use super::mounts::hidden;
use super::system::fork_single_threaded;

/// What is probed, and with what in mind.
#[derive(Debug)]
pub struct Probes<'a> {
    /// What is to be shown.
    pub level: Level,
    /// The sandbox's directories.
    pub layout: &'a Layout,
    /// The person's directories.
    pub homes: &'a [PathBuf],
    /// What stays reachable in hidden directories.
    pub reachable: &'a [PathBuf],
    /// The machine's sockets.
    pub sockets: &'a [PathBuf],
    /// The harness's process.
    pub harness: i32,
}

/// Directories where nothing may be written, besides the person's.
const CLOSED: [&str; 7] = ["/", "/etc", "/usr", "/tmp", "/var/tmp", "/run", "/dev/shm"];
/// A bound of the machine's own that root could write.
const SETTING: &str = "/proc/sys/kernel/core_pattern";
/// The one interface that there may be.
const LOOPBACK: &str = "lo";

impl Probes<'_> {
    /// Probes in a process that is confined as the target will be; gives what was shown, a sentence
    /// each, or what did not hold.
    pub fn run(&self, confinement: &Confinement) -> io::Result<Vec<String>> {
        if self.level == Level::Environment {
            return Ok(Vec::new());
        }
        let (hear, say) = pipe2(OFlag::O_CLOEXEC)?;
        let Some(child) = fork_single_threaded()? else {
            let said = confinement
                .apply()
                .map_err(|why| format!("confining a process: {why}"))
                .and_then(|held| self.look(held));
            let text = serde_json::to_vec(&said).unwrap_or_default();
            let told = File::from(say).write_all(&text);
            std::process::exit(i32::from(told.is_err()));
        };
        drop(say);
        let mut text = Vec::new();
        File::from(hear).take(PROBE_BYTES).read_to_end(&mut text)?;
        waitpid(child, None)?;
        serde_json::from_slice::<Result<Vec<String>, String>>(&text)
            .map_err(|_| io::Error::other("the probes were cut short"))?
            .map_err(io::Error::other)
    }

    fn look(&self, held: Held) -> Result<Vec<String>, String> {
        let mut shown = vec![self.privileges()?, self.writes()?];
        match self.level {
            Level::Kernel => {
                shown.push(processes()?);
                shown.push(self.hiding()?);
                shown.push(self.covered()?);
                shown.push(interfaces()?);
                shown.push(self.signal(Errno::ESRCH)?);
            }
            _ if held.scoped => shown.push(self.signal(Errno::EPERM)?),
            _ => shown.push("signals are not held: this Landlock cannot".into()),
        }
        shown.push(held.landlock);
        Ok(shown)
    }

    fn privileges(&self) -> Result<String, String> {
        let status = fs::read_to_string("/proc/self/status").map_err(|why| why.to_string())?;
        let field = |name: &str| {
            status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim()
        };
        for name in ["CapEff:", "CapPrm:", "CapInh:", "CapAmb:"] {
            if !field(name).trim_start_matches('0').is_empty() {
                return Err(format!("a process has capabilities: {name} {}", field(name)));
            }
        }
        match field("NoNewPrivs:") {
            "1" => Ok("no capability, and no new privileges".into()),
            other => Err(format!("a process may gain privileges: NoNewPrivs is {other:?}")),
        }
    }

    /// Files without a name, so that one that could be made would leave nothing.
    fn writes(&self) -> Result<String, String> {
        let flags = OFlag::O_TMPFILE | OFlag::O_WRONLY | OFlag::O_CLOEXEC;
        let make = |at: &Path| open(at, flags, Mode::S_IRUSR).map(drop);
        // Where it must work: a refusal elsewhere would say nothing otherwise.
        let home = &self.layout.home;
        make(home).map_err(|why| format!("no file can be made in {}: {why}", home.display()))?;
        let mut refused = Vec::new();
        let closed = CLOSED.iter().map(Path::new).chain(self.homes.iter().map(PathBuf::as_path));
        for directory in
            closed.chain([&*self.layout.root].into_iter().filter(|_| self.level == Level::Kernel))
        {
            match make(directory) {
                Err(Errno::EROFS | Errno::EACCES | Errno::EPERM) => {
                    refused.push(directory.display().to_string());
                }
                Err(Errno::ENOENT | Errno::ENOTDIR) => {}
                Err(why) => return Err(format!("a file in {}: {why}", directory.display())),
                Ok(()) => return Err(format!("a file can be made in {}", directory.display())),
            }
        }
        match open(SETTING, OFlag::O_WRONLY | OFlag::O_CLOEXEC, Mode::empty()) {
            Ok(_) => return Err(format!("{SETTING} can be written")),
            Err(_) => refused.push(SETTING.into()),
        }
        Ok(format!("writing is refused in {}", refused.join(", ")))
    }

    /// What is hidden shows nothing but places for what is reachable.
    fn hiding(&self) -> Result<String, String> {
        let hidden = hidden(self.homes);
        for directory in &hidden {
            let there = fs::read_dir(directory)
                .map_err(|why| format!("{}: {why}", directory.display()))?
                .flatten();
            for entry in there {
                let path = entry.path();
                let mut kept = self.reachable.iter().chain([&self.layout.root]);
                if !kept.any(|kept| kept.starts_with(&path)) {
                    return Err(format!("{} is not hidden", path.display()));
                }
            }
        }
        let names: Vec<String> = hidden.iter().map(|path| path.display().to_string()).collect();
        Ok(format!("{} hold nothing but the root and the programs", names.join(", ")))
    }

    fn covered(&self) -> Result<String, String> {
        let socket =
            |path: &&PathBuf| fs::metadata(path).is_ok_and(|meta| meta.file_type().is_socket());
        match self.sockets.iter().find(socket) {
            Some(path) => Err(format!("the socket {} can be reached", path.display())),
            None => Ok(format!(
                "none of the machine's {} sockets with a path is there",
                self.sockets.len()
            )),
        }
    }

    fn signal(&self, want: Errno) -> Result<String, String> {
        match kill(Pid::from_raw(self.harness), None) {
            Err(why) if why == want => {
                Ok(format!("a signal to the harness, process {}: {}", self.harness, why.desc()))
            }
            other => Err(format!("a signal to the harness, process {}: {other:?}", self.harness)),
        }
    }
}

fn processes() -> Result<String, String> {
    let own = std::process::id() as i32;
    let mut seen: Vec<i32> = fs::read_dir("/proc")
        .map_err(|why| why.to_string())?
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    seen.sort_unstable();
    match (getppid().as_raw(), &*seen) {
        (1, [1, other]) if *other == own => {
            Ok(format!("processes: the first is number 1, and there is none but it and {own}"))
        }
        (parent, seen) => Err(format!("the parent is {parent}, and the processes {seen:?}")),
    }
}

fn interfaces() -> Result<String, String> {
    let table = fs::read_to_string("/proc/net/dev").map_err(|why| why.to_string())?;
    let names: Vec<&str> =
        table.lines().filter_map(|line| Some(line.split_once(':')?.0.trim())).collect();
    match *names {
        [LOOPBACK] => Ok("the only interface is lo".into()),
        _ => Err(format!("interfaces besides {LOOPBACK}: {names:?}")),
    }
}
