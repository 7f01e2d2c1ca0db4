//! Lines that one kind of file takes: look, pty, flags, the log, a shell.

use super::{Ending, Out};
use crate::input::words::{FileName, ShellWords, Word};

vocabulary! {
    /// A line for look.
    pub struct LookLine {
        /// What to look for.
        pub name: LookName,
        /// Where in it.
        pub suffix: LookSuffix,
        /// How it ends.
        pub end: Ending,
    }

    /// What to look for.
    #[derive(Copy)]
    pub enum LookName {
        /// A file in HOME.
        File(name: FileName),
        /// Text, or a file that is not there.
        Word(word: Word),
    }

    /// A line for a shell.
    #[derive(Copy)]
    pub struct ShellLine {
        /// What to run.
        pub words: ShellWords,
        /// What is typed after it.
        pub end: TypedEnd,
    }
}

choices! {
    /// What ends a line that is typed.
    pub enum TypedEnd: &'static [u8] {
        Newline = b"\n",
        Return = b"\r",
        Nothing = b"",
        Interrupt = b"\x03",
        EndOfFile = b"\x04",
    }
}

tables! {
    /// An address after a name.
    pub table LookSuffix: &'static [u8] = [
        b"", b":2", b":#4", b":1:3", b":/beta/", b":", b":99999", b":$", b":/[a-z]+/", b":2,3",
        b":/nowhere/",
    ];

    /// A line for a pty's ctl.
    pub table PtyControl: &'static [u8] = [
        b"sig INT\n", b"sig TERM\n", b"sig HUP\n", b"sig QUIT\n", b"sig KILL\n", b"sig BOGUS\n",
        b"winsize 80 24\n", b"winsize 1 1\n", b"winsize 0 0\n", b"winsize 99999 3\n",
        b"winsize 65536 65536\n", b"exec\n", b"sig\n", b"winsize 80\n", b"sig INT", b"sig WINCH\n",
        b"sig TSTP\n", b"sig CONT\n",
    ];

    /// A truth value, or almost one.
    pub table Flag: &'static [u8] = [b"0", b"1", b"0\n", b"1\n", b"2\n", b"", b"yes\n", b"-1\n"];

    /// A line for the log.
    pub table Follow: &'static [u8] = [
        b"follow\n", b"follow new\n", b"follow", b"nope\n", b"follow old\n", b"follow  new\n",
    ];
}

impl LookLine {
    pub(in crate::input) fn put(&self, out: &mut Out) {
        match self.name {
            LookName::File(name) => out.put(name.value()),
            LookName::Word(word) => out.put(word.value()),
        }
        out.put(self.suffix.value());
        out.put(self.end.value());
    }
}

impl ShellLine {
    pub(in crate::input) fn put(&self, out: &mut Out) {
        out.put(self.words.value());
        out.put(self.end.value());
    }
}
