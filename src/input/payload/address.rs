//! Addresses of sam's: valid, almost valid, and signs in any order.

use super::{Out, Regex};

vocabulary! {
    /// An address: terms and the signs between them, in whatever order they come.
    pub struct Address {
        /// The terms.
        pub terms: Vec<Term>,
        /// Whether the line is ended.
        pub ended: bool,
    }

    /// A part of an address.
    pub enum Term {
        /// A line, an offset, an end of the text.
        Simple(term: SimpleAddress),
        /// What joins two.
        Join(sign: Join),
        /// The next match.
        Forward(regex: Regex),
        /// The match before.
        Backward(regex: Regex),
    }
}

tables! {
    /// An address by number or by sign, in the text or out of it.
    pub table SimpleAddress: &'static [u8] = [
        b"0", b"$", b".", b",", b";", b"#0", b"#3", b"#99999", b"1", b"2", b"3:2", b"1:1", b"0:0",
        b"#1,#2", b"1,$", b"2,1", b"-", b"+", b"-1", b"+2", b"#-1", b"99999", b"1:99",
        b"4294967296", b"#18446744073709551616", b"$+1", b"0-1", b"+#1", b"-#1",
    ];

    /// A sign between two addresses.
    pub table Join: &'static [u8] = [b",", b";", b"+", b"-"];
}

impl Address {
    pub(in crate::input) fn put(&self, out: &mut Out) {
        self.put_unended(out);
        out.put(if self.ended { b"\n" } else { b"" });
    }

    /// The address as a command begins with it.
    pub(in crate::input) fn put_unended(&self, out: &mut Out) {
        for term in &self.terms {
            match term {
                Term::Simple(term) => out.put(term.value()),
                Term::Join(sign) => out.put(sign.value()),
                Term::Forward(regex) => {
                    out.put(b"/");
                    regex.put(out);
                    out.put(b"/");
                }
                Term::Backward(regex) => {
                    out.put(b"?");
                    regex.put(out);
                    out.put(b"?");
                }
            }
        }
    }
}
