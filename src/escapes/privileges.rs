//! Attempts to become more than one is, and to change the machine itself.

use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::time::{Duration, Instant};

use nix::unistd::geteuid;

use super::Expected::{Blocked, If};
use super::Moment::Settled;
use super::limits::{BEGIN_MS, LOOK_MS};
use super::processes::field;
use super::{Attempt, By, Expected, Judged, Machine, Tried};
use crate::sandbox::process;

const NAMESPACES: Expected = If("where anybody may make namespaces", |machine| machine.namespaces);

pub const ALL: &[Attempt] = &[
    Attempt {
        name: "setuid",
        tries: "to become another user by a setuid program",
        by: By::Shell("mkfifo $HOME/f; : > $HOME/settled; exec {setuid} 1000 <> $HOME/f"),
        judged: became,
        moment: Settled,
        landlock: Blocked,
        environment: Blocked,
    },
    Attempt {
        name: "namespace",
        tries: "to be root in a user namespace of its own",
        by: By::Shell("exec unshare -U sh -c ': > $HOME/settled; exec sleep 1000'"),
        judged: |tried| {
            let Some(target) = tried.target() else { return Ok(None) };
            let of = |pid: i32| fs::read_link(format!("/proc/{pid}/ns/user"));
            let Some(one) = process(target).filter(|one| !one.ended) else { return Ok(None) };
            match (of(target), of(one.parent)) {
                (Ok(own), Ok(parents)) if own != parents => {
                    Ok(Some(format!("it is in {}", own.display())))
                }
                (Ok(_), Ok(_)) => Ok(None),
                (Err(why), _) | (_, Err(why)) => Err(why.to_string()),
            }
        },
        moment: Settled,
        landlock: NAMESPACES,
        environment: NAMESPACES,
    },
    Attempt {
        name: "device",
        tries: "to make a device",
        by: By::Shell("mknod $HOME/device c 1 3"),
        judged: |tried| {
            let path = tried.here()?.home.join("device");
            let device = fs::symlink_metadata(path);
            let is_device = device.is_ok_and(|meta| meta.file_type().is_char_device());
            Ok(is_device.then(|| "there is a device in its HOME".to_owned()))
        },
        moment: Settled,
        landlock: Blocked,
        environment: If("to root, where it may make devices", Machine::makes_devices),
    },
    Attempt {
        name: "setting",
        tries: "to change a setting of the machine's in `/proc/sys`",
        by: By::Shell("echo m9p-{unique} > /proc/sys/kernel/domainname"),
        judged: |tried| {
            const SETTING: &str = "/proc/sys/kernel/domainname";
            let now = fs::read_to_string(SETTING).map_err(|why| why.to_string())?;
            let changed = now.trim() == format!("m9p-{}", tried.scene.unique);
            if changed {
                fs::write(SETTING, &tried.scene.domain).map_err(|why| why.to_string())?;
            }
            Ok(changed.then(|| format!("{SETTING} was {}", now.trim())))
        },
        moment: Settled,
        landlock: Blocked,
        environment: If("to root", |machine| machine.root),
    },
    Attempt {
        name: "clock",
        tries: "to set the machine's clock",
        by: By::Role(&["set-clock"]),
        judged: |tried| {
            let set = tried.scene.clock_was_set()?;
            Ok(set.then(|| "the clock was set".to_owned()))
        },
        moment: Settled,
        landlock: Blocked,
        environment: If("to root, where it may set the clock", Machine::sets_clock),
    },
    Attempt {
        name: "cgroup",
        tries: "to make a control group",
        by: By::Shell(
            "for at in /sys/fs/cgroup /sys/fs/cgroup/*; do mkdir $at/m9p-{unique} && exit; done",
        ),
        judged: |tried| {
            let made = cgroups(&tried.scene.unique);
            made.iter().for_each(|path| drop(fs::remove_dir(path)));
            Ok(made.first().map(|path| format!("{} was there", path.display())))
        },
        moment: Settled,
        landlock: Blocked,
        environment: If("to whoever may make one", |_| can_make_cgroup()),
    },
];

/// Whether the target goes on as a user that it was not.
fn became(tried: &mut Tried<'_>) -> Judged {
    let name = tried.scene.setuid_name().ok_or("there is no setuid program")?.to_owned();
    let Some(target) = tried.target() else { return Ok(None) };
    let deadline = Instant::now() + Duration::from_millis(BEGIN_MS);
    while process(target).is_some_and(|one| !one.ended) {
        if field(target, "Name:").is_ok_and(|begun| begun == name) {
            let ids = field(target, "Uid:").unwrap_or_default();
            let effective = ids.split_whitespace().nth(1).unwrap_or_default();
            let own = geteuid().as_raw().to_string();
            let other = !effective.is_empty() && effective != own;
            return Ok(other.then(|| format!("{name} runs as user {effective}")));
        }
        if Instant::now() > deadline {
            return Err(format!("{name} did not begin"));
        }
        std::thread::sleep(Duration::from_millis(LOOK_MS));
    }
    Ok(None)
}

const CGROUPS: &str = "/sys/fs/cgroup";

/// The control groups of that name, at the top or one below.
fn cgroups(unique: &str) -> Vec<std::path::PathBuf> {
    let name = format!("m9p-{unique}");
    let below = fs::read_dir(CGROUPS).into_iter().flatten().flatten().map(|entry| entry.path());
    let places = [CGROUPS.into()].into_iter().chain(below).map(|path| path.join(&name));
    places.filter(|path| path.is_dir()).collect()
}

/// Tries it, as the target will.
fn can_make_cgroup() -> bool {
    let name = format!("m9p-own-{}", std::process::id());
    let below = fs::read_dir(CGROUPS).into_iter().flatten().flatten().map(|entry| entry.path());
    [CGROUPS.into()].into_iter().chain(below).any(|path| {
        let path = path.join(&name);
        fs::create_dir(&path).is_ok_and(|()| fs::remove_dir(&path).is_ok())
    })
}
