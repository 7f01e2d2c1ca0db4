//! Attempts to get at files outside.

use std::fs;
use std::path::Path;

use super::Expected::{Blocked, If, Open};
use super::Moment::{Settled, TornDown};
use super::{Attempt, By, Judged, Machine, Tried};

const ROOT: super::Expected = If("to root", |machine| machine.root);
const MOUNTS: super::Expected = If("to root, where it may mount", Machine::mounts);

pub const ALL: &[Attempt] = &[
    Attempt {
        name: "person-file",
        tries: "to make a file in the person's HOME",
        by: By::Shell("echo x > {person}/m9p-escape-{unique}"),
        judged: |tried| named(tried, |tried| tried.scene.person.clone()),
        moment: Settled,
        landlock: Blocked,
        environment: Open,
    },
    Attempt {
        name: "etc-file",
        tries: "to make a file in `/etc`",
        by: By::Shell("echo x > /etc/m9p-escape-{unique}"),
        judged: |tried| named(tried, |_| Some("/etc".into())),
        moment: Settled,
        landlock: Blocked,
        environment: ROOT,
    },
    Attempt {
        name: "tmp-file",
        tries: "to make a file in `/tmp`",
        by: By::Shell("echo x > /tmp/m9p-escape-{unique}"),
        judged: |tried| named(tried, |_| Some("/tmp".into())),
        moment: Settled,
        landlock: Blocked,
        environment: Open,
    },
    Attempt {
        name: "shm-file",
        tries: "to make a file in `/dev/shm`",
        by: By::Shell("echo x > /dev/shm/m9p-escape-{unique}"),
        judged: |tried| match fs::metadata("/dev/shm") {
            Ok(_) => named(tried, |_| Some("/dev/shm".into())),
            Err(why) => Err(format!("/dev/shm: {why}")),
        },
        moment: Settled,
        landlock: Blocked,
        environment: Open,
    },
    Attempt {
        name: "other-file",
        tries: "to make a file in another program's directory",
        by: By::Shell("echo x > {outside}/made"),
        judged: made,
        moment: Settled,
        landlock: Blocked,
        environment: Open,
    },
    Attempt {
        name: "link",
        tries: "the same through a symbolic link",
        by: By::Shell("ln -s {outside} $HOME/link; echo x > $HOME/link/made"),
        judged: made,
        moment: Settled,
        landlock: Blocked,
        environment: Open,
    },
    Attempt {
        name: "harness-root",
        tries: "the same through the harness's `/proc/PID/root`",
        by: By::Shell("echo x > /proc/{harness}/root{outside}/made"),
        judged: made,
        moment: Settled,
        landlock: Blocked,
        environment: Open,
    },
    Attempt {
        name: "first-root",
        tries: "the same through its parent's `/proc/PID/root`",
        by: By::Shell("echo x > /proc/$PPID/root{outside}/made"),
        judged: made,
        moment: Settled,
        landlock: Blocked,
        environment: Open,
    },
    Attempt {
        name: "harness-cwd",
        tries: "the same through another process's working directory",
        by: By::Shell("echo x > /proc/{sleeper}/cwd{outside}/made"),
        judged: made,
        moment: Settled,
        landlock: Blocked,
        environment: Open,
    },
    Attempt {
        name: "leave-root",
        tries: "the same after chroot(2) and fchdir(2)",
        by: By::Role(&["leave-root", "{outside}/made"]),
        judged: made,
        moment: Settled,
        landlock: Blocked,
        environment: Open,
    },
    Attempt {
        name: "harness-fd",
        tries: "to write to a file that the harness has open, through `/proc/PID/fd`",
        by: By::Shell("echo x >> /proc/{harness}/fd/{held}"),
        judged: changed,
        moment: Settled,
        landlock: Blocked,
        environment: Open,
    },
    Attempt {
        name: "inherited-fd",
        tries: "to write to a descriptor that the harness let others inherit",
        by: By::Role(&["inherited"]),
        judged: changed,
        moment: Settled,
        landlock: Blocked,
        environment: Blocked,
    },
    Attempt {
        name: "hard-link",
        tries: "to write to a file by a hard link to it",
        by: By::Shell("ln {outside}/there $HOME/hard; echo x >> $HOME/hard"),
        judged: changed,
        moment: Settled,
        landlock: Blocked,
        environment: Open,
    },
    Attempt {
        name: "remove",
        tries: "to remove a file outside",
        by: By::Shell("rm -f {outside}/there"),
        judged: changed,
        moment: Settled,
        landlock: Blocked,
        environment: Open,
    },
    Attempt {
        name: "mode",
        tries: "to change a file's mode outside",
        by: By::Shell("chmod 600 {outside}/there"),
        judged: |tried| {
            use std::os::unix::fs::PermissionsExt as _;
            let file = tried.scene.secret_file();
            let meta = fs::metadata(&file).map_err(|why| why.to_string())?;
            let mode = meta.permissions().mode() & 0o777;
            Ok((mode == 0o600).then(|| format!("{} has mode {mode:o}", file.display())))
        },
        moment: Settled,
        landlock: Open,
        environment: Open,
    },
    Attempt {
        name: "read",
        tries: "to read a file of the person's",
        by: By::Shell("cat {outside}/there > $HOME/got"),
        judged: got,
        moment: Settled,
        landlock: Open,
        environment: Open,
    },
    Attempt {
        name: "handle",
        tries: "to read a file by its handle, without a path",
        by: By::Role(&["open-by-handle", "{handle}"]),
        judged: got,
        moment: Settled,
        landlock: Blocked,
        environment: If("to root, where it may pass over permissions", Machine::opens_handles),
    },
    Attempt {
        name: "disk",
        tries: "to read a disk past its file system",
        by: By::Shell(
            "for disk in /sys/block/*; do dd if=/dev/${disk##*/} bs=512 count=1 >> $HOME/read; done",
        ),
        judged: |tried| {
            let read = fs::metadata(tried.here()?.home.join("read")).map_or(0, |meta| meta.len());
            Ok((read > 0).then(|| format!("{read} bytes of a disk were read")))
        },
        moment: Settled,
        landlock: If("to whoever may read a disk", Machine::reads_disks),
        environment: If("to whoever may read a disk", Machine::reads_disks),
    },
    Attempt {
        name: "bind",
        tries: "to mount a directory of the machine's in its HOME, and write there",
        by: By::Shell(
            "mkdir $HOME/m; mount --bind {outside} $HOME/m && echo x > $HOME/m/made; umount $HOME/m",
        ),
        judged: made,
        moment: Settled,
        landlock: Blocked,
        environment: MOUNTS,
    },
    Attempt {
        name: "mount-over",
        tries: "to hide a directory of the machine's behind a mount",
        by: By::Shell("mount -t tmpfs none {outside}"),
        judged: |tried| {
            let table =
                fs::read_to_string("/proc/self/mountinfo").map_err(|why| why.to_string())?;
            let place = tried.scene.outside();
            let there = table.contains(&format!(" {} ", place.display()));
            if there {
                let _ = nix::mount::umount2(place, nix::mount::MntFlags::MNT_DETACH);
            }
            Ok(there.then(|| format!("{} was mounted over", place.display())))
        },
        moment: Settled,
        landlock: Blocked,
        environment: MOUNTS,
    },
    Attempt {
        name: "rename-root",
        tries: "to rename the sandbox's root",
        by: By::Shell("mv {root} {root}.{unique}; : > settled; exec sleep 1000"),
        judged: |tried| {
            let root = &tried.sandbox.as_ref().ok_or("there is no sandbox")?.layout().root;
            let away = format!("{}.{}", root.display(), tried.scene.unique);
            let within =
                format!("/proc/{}/root{away}", tried.target().ok_or("there is no target")?);
            let renamed = Path::new(&away).exists() || Path::new(&within).exists();
            if renamed {
                fs::rename(&away, root).map_err(|why| why.to_string())?;
            }
            Ok(renamed.then(|| format!("it was {away}")))
        },
        moment: Settled,
        landlock: Blocked,
        environment: Open,
    },
    Attempt {
        name: "home-link",
        tries: "to have the teardown remove a directory outside, by a link in HOME's place",
        by: By::Shell(
            "trap '' TERM; mkdir $HOME/a; chmod 0 $HOME/a; mv $HOME {root}/away; ln -s {outside} {root}/home; \
             : > {root}/away/settled; exec sleep 1000",
        ),
        judged: untouched,
        moment: TornDown,
        landlock: Blocked,
        environment: Blocked,
    },
    Attempt {
        name: "home-race",
        tries: "the same while directories in HOME become links and directories again",
        by: By::Shell(
            "trap '' TERM; mkdir -p d/e; chmod 0 d/e; : > settled; \
             while :; do mv d c; ln -s {outside} d; rm d; mv c d; done",
        ),
        judged: untouched,
        moment: TornDown,
        landlock: Blocked,
        environment: Blocked,
    },
];

/// Whether a file of the attempt's own name is in a directory; taken away again.
fn named(
    tried: &mut Tried<'_>,
    directory: impl Fn(&Tried<'_>) -> Option<std::path::PathBuf>,
) -> Judged {
    let directory = directory(tried).ok_or("there is no such directory")?;
    let path = directory.join(format!("m9p-escape-{}", tried.scene.unique));
    let there = fs::symlink_metadata(&path).is_ok();
    if there {
        fs::remove_file(&path).map_err(|why| why.to_string())?;
    }
    Ok(there.then(|| format!("{} was there", path.display())))
}

pub fn made(tried: &mut Tried<'_>) -> Judged {
    let path = tried.scene.made();
    Ok(path.exists().then(|| format!("{} is there", path.display())))
}

fn changed(tried: &mut Tried<'_>) -> Judged {
    let path = tried.scene.secret_file();
    match fs::read(&path) {
        Ok(bytes) if bytes == tried.scene.secret.as_bytes() => Ok(None),
        Ok(_) => Ok(Some(format!("{} has changed", path.display()))),
        Err(why) => Ok(Some(format!("{}: {why}", path.display()))),
    }
}

/// Whether the target has what only the harness knows.
pub fn got(tried: &mut Tried<'_>) -> Judged {
    let got = fs::read(tried.here()?.home.join("got")).unwrap_or_default();
    let secret = tried.scene.secret.as_bytes();
    let has = got.windows(secret.len()).any(|piece| piece == secret);
    Ok(has.then(|| "it knows the secret".to_owned()))
}

/// The directory outside is as it was, but for what the attempt itself made there.
fn untouched(tried: &mut Tried<'_>) -> Judged {
    use std::os::unix::fs::PermissionsExt as _;
    if let Some(seen) = changed(tried)? {
        return Ok(Some(seen));
    }
    let outside = tried.scene.outside();
    let meta = fs::metadata(outside).map_err(|why| why.to_string())?;
    let mode = meta.permissions().mode() & 0o777;
    Ok((mode != 0o755).then(|| format!("{} has mode {mode:o}", outside.display())))
}
