//! The window as a person sees it in `/screen`.
#![cfg(feature = "standin")]

mod standin_common;

use monkey9p::wire::msg::ORDWR;
use standin_common::{Standin, wait};

const DRAWN: &str = "\
Newcol Putall Dump Exit
New Cut Paste Snarf Sort Zerox Delcol │New Cut Paste Snarf Sort Zerox Delcol
■ alpha.txt Del Snarf Undo Put | Look │▢ shell Del Snarf | Look
alpha beta gamma                      │$ echo $((6*7))
second line                           │42
                                      │$ printf '%s\\n' one two
third after a blank                   │one
changed, and not yet put              │two
□ utf8.txt Del Snarf | Look           │$
naïve café 日本語 é 😀                │
line two                              │
                                      │
                                      │
                                      │
";

#[test]
fn three_panes_and_a_shell_can_be_read() {
    let server = Standin::with(|command| _ = command.env("PS1", "$ "));
    let mut client = server.client();
    client.write("/ctl", "size 77 14\n").unwrap();
    client.write("/look", "utf8.txt\n").unwrap();
    client.write("/exec", "Newcol\n").unwrap();
    client.write("/col/2/exec", "New shell\n").unwrap();
    client.write("/pane/1/body", "changed, and not yet put\n").unwrap();
    client.write("/pane/3/ctl", "Tty\n").unwrap();
    let fid = client.open("/pane/3/pty/run", ORDWR).unwrap();
    wait("the prompt", || client.text("/pane/3/body") == "$ ");
    client.write_to(fid, "echo $((6*7))").unwrap();
    wait("its output", || client.text("/pane/3/body").contains("42\n$ "));
    client.write_to(fid, "printf '%s\\n' one two").unwrap();
    wait("its output", || client.text("/pane/3/body").contains("two\n$ "));
    let screen = client.text("/screen");
    assert_eq!(screen, DRAWN, "\n{screen}");
}
