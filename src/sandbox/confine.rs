//! What a target is held by besides its namespaces, put on between fork and exec: limits, no new
//! privileges, no capabilities, Landlock.

use std::fs;
use std::io;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, LandlockStatus,
    PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, Scope,
};
use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};

use super::layout::Layout;
use super::level::Level;
use super::limits::{ADDRESS_SPACE_BYTES, FILE_BYTES, PROCESSES};
use super::system::drop_capabilities;

/// The newest Landlock whose rights are known here; an older one holds what it can.
const NEWEST: ABI = ABI::V9;
/// The first that keeps signals and abstract sockets inside.
const SCOPES: ABI = ABI::V6;
/// Devices that may be written to; at the kernel level there are few others.
const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts"];
/// The first Linux that counts a user's processes by the namespace.
const COUNTS_BY_NAMESPACE: (u32, u32) = (5, 14);

/// All that is put on; made once, applied to each process that is launched.
#[derive(Debug)]
pub struct Confinement {
    level: Level,
    ruleset: Option<RulesetCreated>,
    /// Whether the address space may be bounded: a build with AddressSanitizer reserves terabytes.
    bounded: bool,
}

/// What Landlock does for a process that was confined.
#[derive(Debug)]
pub struct Held {
    /// Which Landlock there is, in words.
    pub landlock: String,
    /// Whether it keeps signals inside.
    pub scoped: bool,
}

impl Confinement {
    /// Prepares what `level` asks for.
    pub fn new(level: Level, layout: &Layout) -> io::Result<Confinement> {
        let bounded = address_space_bytes().is_none_or(|bytes| bytes < ADDRESS_SPACE_BYTES);
        let ruleset = match level {
            Level::Environment => None,
            _ => Some(ruleset(level, layout).map_err(io::Error::other)?),
        };
        Ok(Confinement { level, ruleset, bounded })
    }

    /// The same once more, for a process to come.
    pub fn again(&self) -> io::Result<Confinement> {
        let ruleset = self.ruleset.as_ref().map(RulesetCreated::try_clone).transpose()?;
        Ok(Confinement { ruleset, ..*self })
    }

    /// Confines this process and all that come of it, for good; an error if Landlock is what the
    /// level is made of, and cannot be had.
    pub fn apply(&self) -> io::Result<Held> {
        setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
        limit(Resource::RLIMIT_FSIZE, FILE_BYTES)?;
        if self.bounded {
            limit(Resource::RLIMIT_AS, ADDRESS_SPACE_BYTES)?;
        }
        if self.level == Level::Kernel && kernel_is(COUNTS_BY_NAMESPACE) {
            limit(Resource::RLIMIT_NPROC, PROCESSES)?;
        }
        prctl::set_no_new_privs()?;
        let Some(ruleset) = &self.ruleset else {
            return Ok(Held { landlock: "not asked for".into(), scoped: false });
        };
        drop_capabilities()?;
        let status = ruleset.try_clone()?.restrict_self();
        let (landlock, scoped) = match status.map(|status| status.landlock) {
            Ok(LandlockStatus::Available { effective_abi, .. }) => {
                let held = Held {
                    landlock: format!("Landlock is on, ABI {}", effective_abi as i32),
                    scoped: effective_abi >= SCOPES,
                };
                return Ok(held);
            }
            Ok(LandlockStatus::NotEnabled) => {
                ("Landlock is not enabled in this kernel".into(), false)
            }
            Ok(_) => ("this kernel has no Landlock".into(), false),
            Err(why) => (format!("Landlock: {why}"), false),
        };
        match self.level {
            Level::Kernel => Ok(Held { landlock, scoped }),
            _ => Err(io::Error::other(landlock)),
        }
    }
}

/// Never raises what is lower already.
fn limit(what: Resource, most: u64) -> io::Result<()> {
    let (_, hard) = nix::sys::resource::getrlimit(what)?;
    let most = most.min(hard);
    Ok(setrlimit(what, most, most)?)
}

/// Whether the kernel is of that version or a later one.
pub fn kernel_is(least: (u32, u32)) -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    matches!((numbers.next(), numbers.next()), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= least)
}

/// What this process takes: the target may well be the same program.
fn address_space_bytes() -> Option<u64> {
    let pages: u64 =
        fs::read_to_string("/proc/self/statm").ok()?.split(' ').next()?.parse().ok()?;
    Some(pages * 4096)
}

/// Everything may be read; below the root, everything may be done.
fn ruleset(
    level: Level,
    layout: &Layout,
) -> Result<RulesetCreated, Box<dyn std::error::Error + Send + Sync>> {
    let all = AccessFs::from_all(NEWEST);
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(SCOPES))?;
    if level == Level::Landlock {
        // Without a network namespace there is the machine's network.
        ruleset = ruleset.handle_access(AccessNet::from_all(ABI::V4))?;
    }
    let mut made = ruleset
        .create()?
        .add_rule(PathBeneath::new(PathFd::new("/")?, AccessFs::from_read(NEWEST)))?
        .add_rule(PathBeneath::new(PathFd::new(&layout.root)?, all))?;
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    for path in DEVICES {
        if let Ok(place) = PathFd::new(path) {
            made = made.add_rule(PathBeneath::new(place, device))?;
        }
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_apart() {
        assert!(kernel_is((3, 0)));
        assert!(!kernel_is((1_000, 0)));
    }

    #[test]
    fn the_environment_level_asks_no_landlock() {
        let layout = Layout::new(std::path::Path::new("/nowhere"));
        let made = Confinement::new(Level::Environment, &layout).unwrap();
        assert!(made.ruleset.is_none());
    }
}
