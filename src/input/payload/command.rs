//! Lines for ctl, exec and tagexec files.

use super::{Ending, Out, ShellLine};
use crate::input::bytes::Bytes;
use crate::input::words::{Builtin, Word};

vocabulary! {
    /// A command line.
    pub struct CommandLine {
        /// What it says.
        pub command: Command,
        /// How it ends.
        pub end: Ending,
    }

    /// What a command line says.
    pub enum Command {
        /// A command by itself.
        Bare(builtin: Builtin),
        /// A command and a word.
        With {
            /// The command.
            builtin: Builtin,
            /// The word.
            word: Word,
        },
        /// A command and any bytes.
        Argument {
            /// The command.
            builtin: Builtin,
            /// What follows it.
            argument: Bytes,
        },
        /// A control word.
        Word(word: Word),
        /// A line for a shell.
        Shell(line: ShellLine),
        /// Any bytes.
        Raw(bytes: Bytes),
    }
}

impl CommandLine {
    pub(in crate::input) fn put(&self, out: &mut Out) {
        match &self.command {
            Command::Bare(builtin) => out.put(builtin.value()),
            Command::With { builtin, word } => {
                out.put(&[builtin.value(), b" ", word.value()].concat());
            }
            Command::Argument { builtin, argument } => {
                out.put(builtin.value());
                out.put(b" ");
                out.put(&argument.0);
            }
            Command::Word(word) => out.put(word.value()),
            Command::Shell(line) => line.put(out),
            Command::Raw(Bytes(bytes)) => out.put(bytes),
        }
        out.put(self.end.value());
    }
}
