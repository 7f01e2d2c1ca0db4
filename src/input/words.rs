//! The words that payloads and names are made of, as tables.

tables! {
    /// A word that some file of the tree may take for an instruction, or plain text.
    pub table Word: &'static [u8] = [
        b"alpha", b"beta", b"foo", b"bar", b"x", b"hello", b"zz", b"0", b"1", b"-1",
        b"99999999999", b"on", b"off", b"follow", b"follow new", b"lock", b"unlock", b"clean",
        b"dirty", b"show", b"dot=addr", b"addr=dot", b"limit=addr", b"nomark", b"mark", b"get",
        b"put", b"del", b"delete", b"name", b"cleartag", b"answer", b"answer -", b"size 80 24",
        b"size 20 6", b"size 5000 5000", b"winsize 80 24", b"winsize 0 0", b"sig INT", b"sig TERM",
        b"sig HUP", b"sig KILL", b"sig BOGUS", b"exec", b"Placement acme", b"Placement pardes",
        b"Wrap on", b"Wrap off", b"gamma", b"second line", b"m9pdump",
    ];

    /// A command that the editor knows by itself.
    pub table Builtin: &'static [u8] = [
        b"Look", b"Exec", b"Kill", b"Dump", b"Msg", b"NextColor", b"Themes", b"DumpThemes",
        b"TreeContext", b"PdfFit", b"PdfTint", b"PdfSections", b"Petscii", b"Palette", b"Ascii",
        b"Save", b"New", b"Newcol", b"Del", b"Filter", b"Mode", b"Togglettymode", b"Edit", b"Undo",
        b"Redo", b"Collapse", b"Delcol", b"DelAbove", b"DelBelow", b"Tty", b"Repl", b"Joincol",
        b"Config", b"LocationsConfig", b"Messages", b"Mini", b"Find", b"Grep", b"Left", b"Down",
        b"Up", b"Right", b"Back", b"Forward", b"Last", b"Recent", b"Jumplist", b"Colors", b"Wrap",
        b"Tagbottom", b"Debug", b"FocusTint", b"Verbose", b"Motion", b"InactiveDim", b"DumpDir",
        b"Theme", b"Placement", b"BootShell", b"LookWord", b"Get", b"Put", b"Zerox", b"Snarf",
        b"Paste", b"Cut", b"Sort", b"Font", b"Local",
    ];

    /// A line for a shell, without metacharacters.
    pub table ShellWords: &'static [u8] = [
        b"true", b"false", b"echo hi", b"echo m9p", b"sleep 1", b"ls", b"cat nonexist",
        b"printf abc", b"exit 3", b"seq 1 2000", b"date", b"pwd", b"env", b"wc", b"exit",
        b"seq 1 20000", b"head -n 1", b"printf %s", b"nosuchcommand", b"stty -echo", b"cat",
    ];

    /// A character whose bytes or width are not those of ASCII: composed, combining, wide, outside
    /// the first plane, a line separator, none at all, control characters of two bytes; then more of
    /// four bytes, side by side, joined, and the last of all.
    pub table Rune: &'static str = [
        "é", "e\u{301}", "日本", "\u{1f600}", "Δ", "\u{2028}", "", "\u{80}", "\u{9f}", "\u{feff}",
        "\u{200d}", "\u{1f600}\u{1f601}", "a\u{1d11e}", "\u{1f468}\u{200d}\u{1f469}", "\u{10ffff}",
    ];

    /// Bytes that parsers trip over: ends of lines, NUL, what is no UTF-8, escape sequences.
    pub table Odd: &'static [u8] = [
        b"", b"\n", b"\r\n", b"\0", b"\xff", b"\xfe\xff", b"\xe6\x97", b"\xc0\x80", b"\x1b[2J",
        b"\x7f", b"\t", b"\n\n\n", b" ", b"  \n", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
    ];

    /// A file in the target's HOME. The last one is not there at first.
    pub table FileName: &'static [u8] = [
        b"alpha.txt", b"utf8.txt", b"crlf.txt", b"bad.txt", b"empty.txt", b"noeol.txt",
        b"fresh.txt",
    ];
}
