//! Edit commands: sam's, without those that reach files or shells.

use super::{Address, Out, Regex, SimpleAddress};
use crate::input::bytes::Bytes;
use crate::ops::is_safe;

vocabulary! {
    /// A command: an address, loops over matches, and what is done to each.
    pub struct EditCommand {
        /// Where; the whole selection if there is none.
        pub address: Option<Address>,
        /// The loops and conditions, outermost first.
        pub loops: Vec<Loop>,
        /// What is done.
        pub verb: Verb,
        /// Whether the line is ended.
        pub ended: bool,
    }

    /// A loop or a condition.
    pub struct Loop {
        /// Which.
        pub kind: LoopKind,
        /// What it looks for.
        pub regex: Regex,
    }

    /// What an Edit command does.
    pub enum Verb {
        /// Nothing but select.
        Select,
        /// A command that is one letter.
        Simple(verb: SimpleVerb),
        /// Text goes in, between delimiters.
        Text {
            /// Where.
            verb: BlockVerb,
            /// The text.
            text: EditText,
        },
        /// Move or copy.
        Copy {
            /// Which.
            verb: Copying,
            /// To where.
            to: Address,
        },
        /// Substitute.
        Substitute {
            /// What is replaced.
            regex: Regex,
            /// By what: `&` stands for the match.
            text: EditText,
            /// Whether every match is.
            all: bool,
        },
        /// Text on lines of its own, up to a dot if it is ended.
        Block {
            /// Where the text goes.
            verb: BlockVerb,
            /// Its lines.
            lines: Vec<EditText>,
            /// Whether the dot is there.
            dot: bool,
        },
        /// Commands in braces.
        Group {
            /// The commands.
            lines: Vec<GroupLine>,
            /// Whether the brace is closed.
            closed: bool,
        },
    }

    /// A command in braces.
    pub struct GroupLine {
        /// What it is done to, if not to what all of them are.
        pub address: Option<SimpleAddress>,
        /// Where its text goes.
        pub verb: BlockVerb,
        /// The text.
        pub text: EditText,
    }

    /// Text in an Edit command, on one line.
    pub struct EditText(pub Bytes);
}

choices! {
    /// A loop over what matches, or over what does not, or a condition.
    pub enum LoopKind: &'static [u8] {
        Matches = b"x",
        Between = b"y",
        If = b"g",
        Unless = b"v",
    }

    /// A command without text.
    pub enum SimpleVerb: &'static [u8] {
        Delete = b"d",
        Mark = b"k",
        Print = b"p",
        Where = b"=",
        Undo = b"u",
        UndoTwice = b"u2",
    }

    /// A command that puts text somewhere.
    pub enum BlockVerb: &'static [u8] {
        After = b"a",
        Before = b"i",
        Instead = b"c",
    }

    /// A command that puts text somewhere else.
    pub enum Copying: &'static [u8] {
        Move = b"m",
        Copy = b"t",
    }
}

impl EditCommand {
    /// The whole line.
    pub(in crate::input) fn put_line(&self, out: &mut Out) {
        out.put(crate::ops::EDIT);
        if let Some(address) = &self.address {
            address.put_unended(out);
        }
        self.loops.iter().for_each(|one| one.put(out));
        self.verb.put(out);
        out.put(if self.ended { b"\n" } else { b"" });
    }
}

impl Loop {
    pub(super) fn put(&self, out: &mut Out) {
        out.put(self.kind.value());
        out.put(b"/");
        self.regex.put(out);
        out.put(b"/");
    }
}

impl Verb {
    fn put(&self, out: &mut Out) {
        match self {
            Verb::Select => {}
            Verb::Simple(verb) => out.put(verb.value()),
            Verb::Text { verb, text } => put_text(out, *verb, text),
            Verb::Copy { verb, to } => {
                out.put(verb.value());
                to.put_unended(out);
            }
            Verb::Substitute { regex, text, all } => {
                out.put(b"s/");
                regex.put(out);
                out.put(b"/");
                text.put(out);
                out.put(if *all { b"/g" } else { b"/" });
            }
            Verb::Block { verb, lines, dot } => {
                out.put(verb.value());
                for line in lines {
                    out.put(b"\n");
                    line.put(out);
                }
                out.put(if *dot { b"\n." } else { b"" });
            }
            Verb::Group { lines, closed } => {
                out.put(b"{");
                for GroupLine { address, verb, text } in lines {
                    out.put(b"\n");
                    out.put(address.map_or(&b""[..], |address| address.value()));
                    put_text(out, *verb, text);
                }
                out.put(if *closed { b"\n}" } else { b"" });
            }
        }
    }
}

fn put_text(out: &mut Out, verb: BlockVerb, text: &EditText) {
    out.put(verb.value());
    out.put(b"/");
    text.put(out);
    out.put(b"/");
}

impl EditText {
    /// The text, without what could end it: it may stand on a line of its own. `&` is kept, for a
    /// substitution repeats the match there.
    fn put(&self, out: &mut Out) {
        let keep = |byte: &u8| (is_safe(*byte) || *byte == b'&') && *byte != b'\n';
        let text: Vec<u8> = self.0.0.iter().copied().filter(keep).collect();
        out.put(&text);
    }
}
