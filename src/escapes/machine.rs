//! What an attempt's fate depends on where nothing of ours forbids it: the machine, and who the
//! person is.

use std::fs;
use std::path::Path;

use nix::unistd::geteuid;

use crate::sandbox::{Level, Sandbox, SandboxError, Wanted};

/// What is known of the machine and of the person.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Whether namespaces can be had.
    pub namespaces: bool,
    /// Which Landlock there is.
    pub landlock: Option<i32>,
    /// Whether the person is root, on the machine and not in a namespace alone.
    pub root: bool,
    capabilities: u64,
}

/// Capabilities, by their numbers.
const DAC_READ_SEARCH: u32 = 2;
const SYS_PTRACE: u32 = 19;
const SYS_ADMIN: u32 = 21;
const SYS_TIME: u32 = 25;
const MKNOD: u32 = 27;

impl Machine {
    /// Looks, and makes sandboxes for that.
    pub fn look(executable: &Path) -> Result<Machine, SandboxError> {
        let evidence = |level| {
            let wanted =
                Wanted { level: Some(level), reachable: vec![executable.into()], life: None };
            match Sandbox::create(executable, &wanted) {
                Ok(sandbox) => {
                    let evidence = sandbox.evidence().to_vec();
                    sandbox.teardown()?;
                    Ok(Some(evidence))
                }
                Err(SandboxError::Refused(_)) => Ok(None),
                Err(why) => Err(why),
            }
        };
        let abi = |line: &String| line.strip_prefix("Landlock is on, ABI ")?.parse().ok();
        let landlock = evidence(Level::Landlock)?;
        let status = fs::read_to_string("/proc/self/status")?;
        let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
        let map = fs::read_to_string("/proc/self/uid_map")?;
        // As the initial namespace has it: all numbers, as they are.
        let initial = map.split_whitespace().eq(["0", "0", "4294967295"]);
        Ok(Machine {
            namespaces: evidence(Level::Kernel)?.is_some(),
            landlock: landlock.and_then(|lines| lines.iter().find_map(abi)),
            root: initial && geteuid().is_root(),
            capabilities: effective
                .filter(|_| initial)
                .and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok())
                .unwrap_or_default(),
        })
    }

    fn has(&self, capability: u32) -> bool {
        self.capabilities >> capability & 1 == 1
    }

    /// Whether the person has no capability: what one has, another of the same user's may lack.
    pub fn is_ordinary(&self) -> bool {
        self.capabilities == 0
    }

    /// Whether file handles may be opened.
    pub fn opens_handles(&self) -> bool {
        self.has(DAC_READ_SEARCH)
    }

    /// Whether the person may mount.
    pub fn mounts(&self) -> bool {
        self.has(SYS_ADMIN)
    }

    /// Whether the person may make devices.
    pub fn makes_devices(&self) -> bool {
        self.has(MKNOD)
    }

    /// Whether the person may set the clock.
    pub fn sets_clock(&self) -> bool {
        self.has(SYS_TIME)
    }

    /// Whether a process may look into one of the same user's that is no child of its.
    pub fn traces(&self) -> bool {
        match setting("kernel/yama/ptrace_scope") {
            None | Some(0) => true,
            Some(1 | 2) => self.has(SYS_PTRACE),
            Some(_) => false,
        }
    }

    /// Whether a process may type on its terminal.
    pub fn types(&self) -> bool {
        self.has(SYS_ADMIN) || self.types_unprivileged()
    }

    /// The same for one without capabilities.
    pub fn types_unprivileged(&self) -> bool {
        // Kernels that do not have the setting always allow it.
        setting("dev/tty/legacy_tiocsti") != Some(0)
    }

    /// Whether there is a disk that the person may read.
    pub fn reads_disks(&self) -> bool {
        let disks = fs::read_dir("/sys/block").into_iter().flatten().flatten();
        disks.into_iter().any(|disk| {
            let path = Path::new("/dev").join(disk.file_name());
            let size = fs::read_to_string(disk.path().join("size")).unwrap_or_default();
            size.trim() != "0" && fs::File::open(path).is_ok()
        })
    }

    /// Whether this Landlock holds signals and abstract sockets.
    pub fn is_unscoped(&self) -> bool {
        self.landlock.is_some_and(|abi| abi < 6)
    }

    /// Whether this Landlock does not hold TCP.
    pub fn has_open_tcp(&self) -> bool {
        self.landlock.is_some_and(|abi| abi < 4)
    }
}

fn setting(name: &str) -> Option<u32> {
    fs::read_to_string(Path::new("/proc/sys").join(name)).ok()?.trim().parse().ok()
}
