//! The files a target finds in its HOME.

/// A file's name and bytes.
pub type Fixture = (&'static str, &'static [u8]);

/// Plain text, wide and combining runes, CRLF, bytes that are no UTF-8, nothing, no last newline.
pub const FIXTURES: [Fixture; 6] = [
    ("alpha.txt", b"alpha beta gamma\nsecond line\n\nthird after a blank\n"),
    (
        "utf8.txt",
        "na\u{ef}ve caf\u{e9} \u{65e5}\u{672c}\u{8a9e} e\u{301} \u{1f600}\nline two\n".as_bytes(),
    ),
    ("crlf.txt", b"one\r\ntwo\r\nthree\r\n"),
    ("bad.txt", b"hello \xff\xfe world\nlatin-1 caf\xe9\ntruncated \xe6\x97 here\n"),
    ("empty.txt", b""),
    ("noeol.txt", b"no newline at the end"),
];
