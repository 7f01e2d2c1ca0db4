//! Whether a shell may do anything since something was sent that only the kernel level holds, and what
//! is no longer known then.

use nix::sys::signal::Signal;

use super::expect::writes;
use super::limits::CROWD;
use super::outcome::{Answered, Asked, Outcome, What};
use super::{Failure, FailureKind, Session, crash};
use crate::ops::{Reach, leads_to_host};
use crate::sandbox::{Exit, Layout, Level, family, process};

/// Signals that tell of a process's own fault; any other was sent to it.
const FAULTS: [Signal; 7] = [
    Signal::SIGSEGV,
    Signal::SIGABRT,
    Signal::SIGBUS,
    Signal::SIGILL,
    Signal::SIGFPE,
    Signal::SIGTRAP,
    Signal::SIGSYS,
];

/// What is added to a signal's number by who ends because of it.
const TAKEN: i32 = 128;

/// What a session knows of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wild {
    /// How much the target had printed when the first such thing was sent, in bytes; nothing if
    /// none was.
    printed: Option<u64>,
    /// A new connection could not be had.
    unreachable: bool,
}

impl Wild {
    /// Something is sent that may reach a shell or a file by what it says.
    pub fn let_loose(&mut self, layout: &Layout) {
        self.printed.get_or_insert_with(|| crash::printed_bytes(layout));
    }

    /// A new connection could not be had: a shell may have removed the socket, or put another in its
    /// place.
    pub fn lose_reach(&mut self) {
        self.unreachable = true;
    }

    /// Whether anything was.
    pub fn is_loose(&self) -> bool {
        self.printed.is_some()
    }

    /// Whether that explains the target's end: by a signal that is not its own fault, with nothing
    /// said, in words or in a crash file.
    fn explains(&self, exit: Exit, layout: &Layout) -> bool {
        was_sent(exit)
            && crash::crash_file(layout).is_none()
            && self.printed.is_some_and(|before| crash::printed_bytes(layout) == before)
    }
}

/// Whether a process that ended so was sent a signal, and did not earn it by a fault of its own. One
/// that takes a signal and ends by itself tells so by its code, as shells do.
fn was_sent(exit: Exit) -> bool {
    let is_fault = |signal: i32| FAULTS.iter().any(|&fault| fault as i32 == signal);
    match exit {
        Exit::Signal(signal) => !is_fault(signal),
        Exit::Code(code) => {
            let signal = code - TAKEN;
            Signal::try_from(signal).is_ok() && !is_fault(signal)
        }
    }
}

/// How far what is sent may reach where `level` was measured.
pub fn reach(level: Level) -> Reach {
    match level {
        Level::Kernel => Reach::Open,
        Level::Landlock | Level::Environment => Reach::Confined,
    }
}

/// Whether the server took a change below the trees that serve its host's files: the next rule to
/// read a file may read another than was written by name.
pub fn changed_host(outcome: &Outcome) -> bool {
    let changes = |asked: &Asked| match asked.what {
        What::Write | What::WriteUnopened | What::Truncate | What::Remove | What::Create => true,
        What::Open => asked.mode.is_some_and(writes),
        _ => false,
    };
    let taken = |asked: &&Asked| asked.answer == Answered::Done && changes(asked);
    outcome.requests.iter().filter(taken).any(|asked| leads_to_host(asked.path.as_bytes()))
}

impl Session {
    /// Whether a shell may do anything by now. What a reset restores is not all that it may have
    /// changed: the next input needs another target.
    pub fn is_wild(&self) -> bool {
        self.wild.is_loose()
    }

    /// Whether what a shell does is of such an extent that no answer tells anything any more: the
    /// target is stopped, or so many processes run beside it that it hardly does.
    pub fn is_overrun(&self) -> bool {
        self.is_wild()
            && self.sandbox.target().is_some_and(|target| is_stopped(target) || is_crowded(target))
    }

    /// Whether the target's end is a shell's doing.
    pub(super) fn was_killed(&self, exit: Exit) -> bool {
        self.wild.explains(exit, self.sandbox.reached())
    }

    /// Whether a failure of a target that lives may be a shell's doing.
    pub(super) fn is_excused(&self, failure: &Failure) -> bool {
        let late = matches!(failure.kind, FailureKind::Hang | FailureKind::Log);
        self.is_wild() && (self.wild.unreachable || late && self.is_overrun())
    }
}

/// Whether a signal has stopped it.
fn is_stopped(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, fields)| fields.trim_start().starts_with(['T', 't']))
}

/// Whether the sandbox is full of processes: those of the target's first process, whoever started
/// them.
fn is_crowded(target: i32) -> bool {
    let first = process(target).map(|target| target.parent);
    first.is_some_and(|first| family(first).len() > CROWD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_no_signal_that_was_sent() {
        for exit in [Exit::Signal(9), Exit::Signal(1), Exit::Signal(0), Exit::Code(143)] {
            assert!(was_sent(exit), "{exit}");
        }
        // A panic's code, an error's, a fault and one told by a code, no signal at all.
        for exit in [
            Exit::Code(101),
            Exit::Code(1),
            Exit::Signal(11),
            Exit::Signal(6),
            Exit::Code(134),
            Exit::Code(128),
            Exit::Code(255),
        ] {
            assert!(!was_sent(exit), "{exit}");
        }
    }

    #[test]
    fn an_end_is_explained_only_once_something_was_let_loose_and_nothing_was_said() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        layout.make("a token").unwrap();
        std::fs::write(&layout.stderr, "a warning at the start\n").unwrap();
        let mut wild = Wild::default();
        let killed = Exit::Signal(9);
        assert!(!wild.explains(killed, &layout));
        wild.let_loose(&layout);
        assert!(wild.explains(killed, &layout) && !wild.explains(Exit::Signal(11), &layout));
        wild.let_loose(&layout);
        std::fs::write(&layout.stderr, "a warning at the start\npanic: x\n").unwrap();
        assert!(!wild.explains(killed, &layout));
        std::fs::write(&layout.stderr, "a warning at the start\n").unwrap();
        std::fs::write(layout.config().join("crashes"), "panic").unwrap();
        assert!(!wild.explains(killed, &layout));
    }

    #[test]
    fn only_a_change_of_the_hosts_that_was_taken_counts() {
        let outcome = |what, path: &str, answer, mode| {
            let asked = Asked { mode, ..Asked::new(what, path, answer) };
            Outcome { requests: vec![asked], ..Outcome::default() }
        };
        let refused = || Answered::Refused("no".into());
        assert!(changed_host(&outcome(What::Write, "/os/x", Answered::Done, None)));
        assert!(changed_host(&outcome(What::Open, "/src/x", Answered::Done, Some(1))));
        assert!(changed_host(&outcome(What::Remove, "/pane/../os/x", Answered::Done, None)));
        assert!(!changed_host(&outcome(What::Open, "/os/x", Answered::Done, Some(0))));
        assert!(!changed_host(&outcome(What::Read, "/os/x", Answered::Done, None)));
        assert!(!changed_host(&outcome(What::Write, "/os/x", refused(), None)));
        assert!(!changed_host(&outcome(What::Write, "/ctl", Answered::Done, None)));
    }

    #[test]
    fn the_kernel_level_alone_is_open() {
        let open = Level::ALL.into_iter().filter(|&level| reach(level) == Reach::Open);
        assert_eq!(open.collect::<Vec<_>>(), [Level::Kernel]);
    }
}
