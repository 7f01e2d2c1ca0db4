//! What only a sandbox that holds whatever happens may be told: whole shell lines, and Edit commands
//! that reach files and shells.

use super::{Address, Loop, Out};
use crate::input::words::ShellWords;
use crate::ops::EDIT;

vocabulary! {
    /// A line for a shell. Each is refused where nothing holds the target.
    pub enum OpenLine {
        /// One that goes too far by itself.
        Wild(words: OpenWords),
        /// Two commands.
        Joined {
            /// The first.
            first: ShellPart,
            /// What is between them.
            joint: Joint,
            /// The second.
            second: ShellPart,
        },
        /// A command that reads or writes elsewhere.
        Redirected {
            /// The command.
            part: ShellPart,
            /// Where.
            to: Redirection,
        },
        /// A command in the background, in a loop, in a session of its own.
        Wrapped {
            /// The command.
            part: ShellPart,
            /// How.
            wrap: Wrap,
        },
    }

    /// One command of a line.
    #[derive(Copy)]
    pub enum ShellPart {
        /// One that any level takes.
        Plain(words: ShellWords),
        /// One that goes too far.
        Wild(words: OpenWords),
    }

    /// An Edit command that reaches a file or a shell.
    pub struct OpenEdit {
        /// Where; the whole selection if there is none.
        pub address: Option<Address>,
        /// The loops and conditions, outermost first.
        pub loops: Vec<Loop>,
        /// What is done.
        pub verb: OpenVerb,
        /// Whether the line is ended.
        pub ended: bool,
    }

    /// What it does.
    pub enum OpenVerb {
        /// To files.
        File {
            /// What.
            verb: FileVerb,
            /// Which file.
            name: EditName,
        },
        /// By a shell.
        Shell {
            /// What.
            verb: ShellVerb,
            /// What it runs.
            line: OpenLine,
        },
        /// By a shell, a command that any level takes.
        Program {
            /// What.
            verb: ShellVerb,
            /// What it runs.
            words: ShellWords,
        },
    }
}

choices! {
    /// A command that is one letter and names of files.
    pub enum FileVerb: &'static [u8] {
        Write = b"w",
        Edit = b"e",
        Read = b"r",
        Name = b"f",
        Show = b"b",
        Open = b"B",
        Close = b"D",
        Menu = b"n",
    }

    /// A command that is run.
    pub enum ShellVerb: &'static [u8] {
        Run = b"!",
        Input = b"<",
        Output = b">",
        Filter = b"|",
    }

    /// What is put around a command.
    pub enum Wrap: (&'static [u8], &'static [u8]) {
        Background = (b"", b" &"),
        Session = (b"setsid ", b" &"),
        Daemon = (b"( ( ", b" ) & ) &"),
        DaemonSession = (b"( setsid sh -c '", b"' & ) &"),
        Loop = (b"while :; do ", b"; done"),
        LoopBackground = (b"while :; do ", b"; done &"),
        Later = (b"(sleep 1; ", b") &"),
        Substituted = (b"echo $(", b")"),
        Deaf = (b"trap '' HUP INT TERM; ", b""),
        Detached = (b"nohup ", b" </dev/null >/dev/null 2>&1 &"),
        Replaced = (b"exec 2>&1; exec ", b""),
        Function = (b"f() { ", b"; }; f"),
    }
}

tables! {
    /// Commands that reach other processes and files than their own, that never end, or that start
    /// others without end.
    pub table OpenWords: &'static [u8] = [
        b"kill -9 -1", b"kill -9 $PPID", b"kill -TERM -1", b"kill -9 0", b"kill -HUP $PPID",
        b"kill -INT -1", b"kill -STOP $PPID", b"kill -9 $$", b"kill -PIPE $PPID",
        b"rm -rf $HOME/* $HOME/.[a-z]*", b"rm -rf \"$XDG_RUNTIME_DIR\"", b"rm -rf $HOME/..",
        b"rm -rf /tmp/* /run/* /var/tmp/*", b"rm -rf --no-preserve-root /",
        b"f() { f | f & }; f", b"while :; do sleep 9 & done", b"while :; do (:) & done",
        b"sh -c 'sh -c \"kill -9 $PPID\"'", b"while :; do :; done", b"while :; do echo m9p; done",
        b"ls -l /proc/self/fd /proc/1", b"ps ax | head -n 50", b"find / -xdev | head -n 500",
        b"mkfifo q; cat q", b"mkfifo alpha.txt", b"rm -f alpha.txt; mkfifo alpha.txt",
        b"ln -sf /etc/passwd alpha.txt", b"ln -s / l; ls l/", b"rm -rf config; ln -s / config",
        b"mv alpha.txt beta.txt", b"mv $HOME /tmp/home", b"chmod 000 alpha.txt", b"chmod 000 .",
        b"mkdir -p a/b/c; cd a/b/c; rm -rf ../../../a; pwd", b"echo changed >alpha.txt",
        b"printf '\\377\\000\\r\\n' >>utf8.txt", b"head -c 100000 /dev/urandom",
        b"dd if=/dev/zero of=big bs=1M count=8", b"printf '\\033[2J\\033[9999;9999H'",
        b"cat /etc/passwd /proc/self/environ", b"tail -f /dev/null", b"sleep 1000 &",
        b"stty raw; stty -a </dev/tty", b"echo x >/dev/pts/0", b"umount -a; mount -o remount,rw /",
        b"unshare -r sh -c true </dev/null; su -c true </dev/null", b"echo ~ $PWD $winid $samfile",
        b"|sort", b"|tr a-z A-Z", b"<ls -a /", b">cat >copy.txt", b"|sleep 1; cat", b"|kill -9 $PPID",
        b"cat *.txt", b"read x; echo \"$x\"", b"exec 0<&- 1>&- 2>&-", b"ulimit -n 3; ls /",
    ];

    /// What stands between two commands.
    pub table Joint: &'static [u8] = [b" | ", b"; ", b" && ", b" || ", b" & ", b" |", b"&"];

    /// Where a command's input or output is.
    pub table Redirection: &'static [u8] = [
        b" >x", b" >>alpha.txt", b" <alpha.txt", b" 2>&1", b" </dev/null", b" >/dev/full",
        b" >/dev/null 2>&1", b" <>x", b" >\"$XDG_RUNTIME_DIR\"/x", b" | tee utf8.txt", b" <nowhere",
        b" >&-", b" <&-",
    ];

    /// The names that an Edit command is given.
    pub table EditName: &'static [u8] = [
        b"", b" alpha.txt", b" fresh.txt", b" utf8.txt crlf.txt", b" /etc/passwd", b" ../x", b" .",
        b" /", b" /dev/full", b" /dev/zero", b" /proc/self/environ", b" /os/etc/hosts", b" x/y/z",
        b" a b c", b" <echo alpha.txt", b" $HOME/x", b" ~/x", b" *.txt", b"alpha.txt", b" config",
    ];
}

impl OpenLine {
    pub(in crate::input) fn put(&self, out: &mut Out) {
        match self {
            OpenLine::Wild(words) => out.put(words.value()),
            OpenLine::Joined { first, joint, second } => {
                out.put(first.value());
                out.put(joint.value());
                out.put(second.value());
            }
            OpenLine::Redirected { part, to } => {
                out.put(part.value());
                out.put(to.value());
            }
            OpenLine::Wrapped { part, wrap } => {
                let (before, after) = wrap.value();
                out.put(before);
                out.put(part.value());
                out.put(after);
            }
        }
    }
}

impl ShellPart {
    fn value(self) -> &'static [u8] {
        match self {
            ShellPart::Plain(words) => words.value(),
            ShellPart::Wild(words) => words.value(),
        }
    }
}

impl OpenEdit {
    pub(in crate::input) fn put(&self, out: &mut Out) {
        out.put(EDIT);
        if let Some(address) = &self.address {
            address.put_unended(out);
        }
        self.loops.iter().for_each(|one| one.put(out));
        match &self.verb {
            OpenVerb::File { verb, name } => {
                out.put(verb.value());
                out.put(name.value());
            }
            OpenVerb::Shell { verb, line } => {
                out.put(verb.value());
                line.put(out);
            }
            OpenVerb::Program { verb, words } => {
                out.put(verb.value());
                out.put(words.value());
            }
        }
        out.put(if self.ended { b"\n" } else { b"" });
    }
}
