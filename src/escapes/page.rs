//! The page that says of each attempt what becomes of it at each level.

use std::fmt::Write as _;

use super::{Expected, attempts};
use crate::sandbox::{Level, limits};

/// `docs/sandbox.md`, whole.
pub fn page() -> String {
    let mut page = String::from(HEAD);
    let _ = write!(page, "{}", bounds());
    page.push_str(TABLE);
    let cell = |expected: Expected| match expected {
        Expected::Blocked => "blocked".to_owned(),
        Expected::Open => "**open**".to_owned(),
        Expected::If(who, _) => format!("**open** {who}"),
    };
    for one in attempts() {
        let cells: Vec<String> = Level::ALL.map(|level| cell(one.expected(level))).to_vec();
        let _ = writeln!(page, "| `{}` | {} | {} |", one.name, one.tries, cells.join(" | "));
    }
    let _ = writeln!(page, "\n{} attempts.", attempts().count());
    page
}

const HEAD: &str = "\
# What a sandbox holds

*Made from the code: `UPDATE_DOCS=1 cargo test --test escapes`.*

A target is held by one of three [levels](../README.md#safety). The escape suite makes each attempt below for real, as a
target in a sandbox of its own, and reads from outside whether it worked: `cargo test --test escapes`, as root and as an
ordinary user, and step 5 of `monkey9p drill`. The attempts are aimed at files, sockets, processes and a terminal that the suite
makes for it, and do no harm where they work.

";

const TABLE: &str = "
## Attempts

*Open* is what works at that level, to whom, or where. At the kernel level nothing does, whoever tries.

| attempt | tries | `kernel` | `landlock` | `environment` |
| --- | --- | --- | --- | --- |
";

fn bounds() -> String {
    let rows = [
        (
            "processes",
            format!("{}", limits::PROCESSES),
            "`kernel`; of root's, with Linux 6.14 or later",
        ),
        ("space", format!("{} MiB, in memory", limits::SPACE_BYTES >> 20), "`kernel`"),
        ("files", format!("{}", limits::SPACE_FILES), "`kernel`"),
        ("pseudo-terminals", format!("{}", limits::TERMINALS), "`kernel`"),
        ("length of a file", format!("{} MiB", limits::FILE_BYTES >> 20), "every level"),
        (
            "address space of a process",
            format!("{} GiB", limits::ADDRESS_SPACE_BYTES >> 30),
            "every level, but not of a build with AddressSanitizer",
        ),
        ("life of a sandbox", format!("{} h", limits::LIFE_S / 3600), "every level"),
        ("core dumps", "none".to_owned(), "every level"),
    ];
    let mut text = String::from("## Bounds\n\n| of | at most | held at |\n| --- | --- | --- |\n");
    for (of, most, at) in rows {
        let _ = writeln!(text, "| {of} | {most} | {at} |");
    }
    text
}
