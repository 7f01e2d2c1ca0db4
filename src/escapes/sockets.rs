//! Attempts to reach programs outside: by sockets, by terminals, by what the kernel keeps for all.

use std::fs;
use std::io::ErrorKind;

use nix::errno::Errno;
use nix::unistd::read;

use super::Expected::{If, Open};
use super::Moment::Settled;
use super::system::{find_key, forget_key};
use super::{Attempt, By, Judged, Machine, Tried};

pub const ALL: &[Attempt] = &[
    Attempt {
        name: "socket",
        tries: "to connect to a socket with a path outside",
        by: By::Role(&["connect", "{outside}/socket"]),
        judged: |tried| accepted(tried.scene.listener.accept()),
        moment: Settled,
        landlock: Open,
        environment: Open,
    },
    Attempt {
        name: "named-socket",
        tries: "to connect to an abstract socket",
        by: By::Role(&["connect-named", "outside{unique}"]),
        judged: |tried| accepted(tried.scene.named.accept()),
        moment: Settled,
        landlock: If("with a Landlock before ABI 6", Machine::is_unscoped),
        environment: Open,
    },
    Attempt {
        name: "tcp",
        tries: "to connect to a TCP port of the machine's loopback",
        by: By::Role(&["connect-tcp", "{tcp}"]),
        judged: |tried| accepted(tried.scene.tcp.accept()),
        moment: Settled,
        landlock: If("with a Landlock before ABI 4", Machine::has_open_tcp),
        environment: Open,
    },
    Attempt {
        name: "udp",
        tries: "to send to a UDP port of the machine's loopback",
        by: By::Role(&["send-udp", "{udp}"]),
        judged: |tried| accepted(tried.scene.udp.recv(&mut [0; 8])),
        moment: Settled,
        landlock: Open,
        environment: Open,
    },
    Attempt {
        name: "terminal",
        tries: "to write on a terminal outside",
        by: By::Shell("echo x > {terminal}"),
        judged: |tried| typed(tried, |(master, _)| master),
        moment: Settled,
        landlock: Open,
        environment: Open,
    },
    Attempt {
        name: "type",
        tries: "to type on a terminal outside (TIOCSTI)",
        by: By::Role(&["type", "{terminal}"]),
        judged: |tried| typed(tried, |(_, slave)| slave),
        moment: Settled,
        landlock: If("to whoever may type (`dev.tty.legacy_tiocsti`)", Machine::types_unprivileged),
        environment: If("to whoever may type (`dev.tty.legacy_tiocsti`)", Machine::types),
    },
    Attempt {
        name: "memory-segment",
        tries: "to remove a System V segment of shared memory",
        by: By::Shell("ipcrm -m {segment}"),
        judged: |tried| {
            let number = tried.scene.segment.clone().ok_or("there is no segment")?;
            let table = fs::read_to_string("/proc/sysvipc/shm").map_err(|why| why.to_string())?;
            let id = |line: &str| line.split_whitespace().nth(1).map(str::to_owned);
            let there = table.lines().any(|line| id(line).as_ref() == Some(&number));
            Ok((!there).then(|| format!("segment {number} is gone")))
        },
        moment: Settled,
        landlock: Open,
        environment: Open,
    },
    Attempt {
        name: "key",
        tries: "to put a key into the person's keyrings",
        by: By::Role(&["add-key", "{unique}"]),
        judged: |tried| match find_key(&tried.scene.unique) {
            Ok(None) => Ok(None),
            Ok(Some((keyring, _))) => {
                forget_key(&tried.scene.unique);
                Ok(Some(format!("keyring {keyring} has it")))
            }
            Err(why) => Err(format!("keyrings: {why}")),
        },
        moment: Settled,
        landlock: Open,
        environment: Open,
    },
];

/// Whether something came, which does without waiting: what the target sent is there when it ends.
fn accepted<T>(came: std::io::Result<T>) -> Judged {
    match came {
        Ok(_) => Ok(Some("it came through".to_owned())),
        Err(why) if why.kind() == ErrorKind::WouldBlock => Ok(None),
        Err(why) => Err(why.to_string()),
    }
}

type Ends = (std::os::fd::OwnedFd, std::os::fd::OwnedFd);

/// Whether there is something to read at that end.
fn typed(tried: &mut Tried<'_>, end: fn(&Ends) -> &std::os::fd::OwnedFd) -> Judged {
    let terminal = tried.scene.terminal.as_ref().ok_or("there is no terminal")?;
    let mut bytes = [0; 8];
    match read(end(terminal), &mut bytes) {
        Ok(0) | Err(Errno::EAGAIN | Errno::EIO) => Ok(None),
        Ok(count) => Ok(Some(format!("{:?} came", String::from_utf8_lossy(&bytes[..count])))),
        Err(why) => Err(why.to_string()),
    }
}
