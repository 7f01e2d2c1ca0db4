//! The commands that `exec` and the `ctl` files know by name: one table, each done or refused.

mod panes;
mod places;
mod session;
mod texts;

pub use panes::remove_column;

use super::command::Origin;
use super::editor::Editor;
use super::refusal::{Done, refuse};

/// A command by name.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    name: &'static str,
    about: &'static str,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// Does it.
    Does(fn(&mut Editor, &Origin, &str) -> Done),
    /// Turns a setting on and off.
    Switches,
    /// Refuses, always for the same reason.
    Refuses(&'static str),
}

use What::{Does, Refuses, Switches};

const fn does(
    name: &'static str,
    about: &'static str,
    run: fn(&mut Editor, &Origin, &str) -> Done,
) -> Builtin {
    Builtin { name, about, what: Does(run) }
}

const fn switches(name: &'static str) -> Builtin {
    Builtin { name, about: "on, off, or nothing to change over", what: Switches }
}

const fn refuses(name: &'static str, why: &'static str) -> Builtin {
    Builtin { name, about: why, what: Refuses(why) }
}

const NO_SERVER: &str = "there is no language server";
const NO_SCREEN: &str = "there is no screen of pixels";
const NO_CLIPBOARD: &str = "there is no clipboard";
const NO_PDF: &str = "pane shows no PDF";
const NO_CLIENT: &str = "there is no terminal client";

const ALL: &[Builtin] = &[
    does("Look", "search for text, or for the selection", texts::look),
    does("LookWord", "search for the word at the selection", texts::look_word),
    does("Exec", "run a shell command", session::exec),
    does("Local", "run a shell command", session::exec),
    does("Kill", "kill the commands of that name, or all", session::kill),
    does("Edit", "edit in sam's language", texts::edit),
    does("Undo", "undo the last change", texts::undo),
    does("Redo", "do again what was undone", texts::redo),
    does("Cut", "take the selection out and keep it", texts::cut),
    does("Snarf", "keep the selection", texts::snarf),
    does("Paste", "put what was kept in the selection's place", texts::paste),
    does("Get", "read the file anew", texts::get),
    does("Put", "write the file", texts::put),
    does("Save", "write the file", texts::put),
    does("Putall", "write every changed file", texts::put_all),
    does("Filter", "send the selection through a command", texts::filter),
    does("New", "make a pane, or open files", panes::new),
    does("Zerox", "make another view of the pane's text", panes::zerox),
    does("Del", "close the pane", panes::del),
    does("Delete", "close the pane, changes or not", panes::delete),
    does("DelAbove", "close the panes above", panes::del_above),
    does("DelBelow", "close the panes below", panes::del_below),
    does("Newcol", "make a column", panes::new_column),
    does("Delcol", "close the column and its panes", panes::del_column),
    does("Joincol", "move the column's panes to the column at its left", panes::join_column),
    does("Sort", "sort the column's panes by name", panes::sort),
    does("Collapse", "show only the pane's tag, or all of it again", panes::collapse),
    does("Tty", "run a shell in the pane", panes::tty),
    does("Togglettymode", "let the terminal keep its end in view, or not", panes::tty_mode),
    does("Left", "go to the column at the left", places::left),
    does("Right", "go to the column at the right", places::right),
    does("Up", "go to the pane above", places::up),
    does("Down", "go to the pane below", places::down),
    does("Back", "go back to where you were", places::back),
    does("Forward", "go forward again", places::forward),
    does("Last", "go to the pane you were in last", places::last),
    does("Jumplist", "list where you were", places::jump_list),
    does("Recent", "list the files opened last", places::recent),
    does("Messages", "list the log", places::messages),
    does("Find", "list the files whose name has the text", places::find),
    does("Grep", "list the lines that match", places::grep),
    does("Dump", "write the session to a file", session::dump),
    does("Restore", "serve a dumped session in this one's place", session::restore),
    does("DumpDir", "set the directory that dumps name", session::dump_dir),
    does("Msg", "say something in the log", session::msg),
    does("Theme", "choose a theme", session::theme),
    does("NextColor", "choose the next theme", session::next_theme),
    does("Themes", "list the themes", session::themes),
    does("DumpThemes", "list the themes", session::themes),
    does("Colors", "list the themes", session::themes),
    does("Palette", "list the colours", session::palette),
    does("Ascii", "list the ASCII characters", session::ascii),
    does("Placement", "where new panes go: acme or pardes", session::placement),
    does("BootShell", "set what a first shell runs", session::boot_shell),
    does("ID", "tell the pane's serial", session::id),
    does("Exit", "end the session", session::exit),
    switches("Wrap"),
    switches("Tagbottom"),
    switches("Debug"),
    switches("FocusTint"),
    switches("Verbose"),
    switches("Motion"),
    switches("InactiveDim"),
    switches("TreeContext"),
    switches("PdfTint"),
    switches("Mini"),
    switches("Mode"),
    refuses("PdfFit", NO_PDF),
    refuses("PdfSections", NO_PDF),
    refuses("Petscii", NO_SCREEN),
    refuses("Font", "there is one font"),
    refuses("EffectCode", NO_SCREEN),
    refuses("Repl", "there is no interpreter"),
    refuses("Config", "there is no configuration"),
    refuses("LocationsConfig", "there is no configuration"),
    refuses("ThemeFile", "themes are built in"),
    refuses("Attach", NO_CLIENT),
    refuses("Detach", NO_CLIENT),
    refuses("Mount", "nothing is mounted here"),
    refuses("Unmount", "nothing is mounted here"),
    refuses("Tty9p", "terminals are local"),
    refuses("Shell", "use Tty"),
    refuses("Help", "see the README file"),
    refuses("Tutor", "see the README file"),
    refuses("Changelog", "see the README file"),
    refuses("ClipYank", NO_CLIPBOARD),
    refuses("ClipYankMain", NO_CLIPBOARD),
    refuses("ClipPaste", NO_CLIPBOARD),
    refuses("ClipPasteBefore", NO_CLIPBOARD),
    refuses("ClipReplace", NO_CLIPBOARD),
    refuses("Rename", NO_SERVER),
    refuses("Hover", NO_SERVER),
    refuses("CodeAction", NO_SERVER),
    refuses("SelectRefs", NO_SERVER),
    refuses("Symbols", NO_SERVER),
    refuses("Diagnostics", NO_SERVER),
    refuses("WsDiagnostics", NO_SERVER),
    refuses("Callers", NO_SERVER),
    refuses("Callees", NO_SERVER),
    refuses("Supertypes", NO_SERVER),
    refuses("Subtypes", NO_SERVER),
    refuses("WsSymbols", NO_SERVER),
    refuses("Lspinfo", NO_SERVER),
    refuses("Lspwhy", NO_SERVER),
];

/// The command of that name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    ALL.iter().find(|builtin| builtin.name == name)
}

/// What `/commands` says: the names, and what each does.
pub fn listed() -> String {
    ALL.iter()
        .map(|builtin| match builtin.what {
            Does(_) | Switches => format!("{}\t{}\n", builtin.name, builtin.about),
            Refuses(why) => format!("{}\trefused: {why}\n", builtin.name),
        })
        .collect()
}

impl Builtin {
    /// Runs it with what stands behind its name.
    pub fn run(&self, editor: &mut Editor, origin: &Origin, args: &str) -> Done {
        match self.what {
            Switches => session::switch(editor, origin, self.name, args),
            Does(run) => run(editor, origin, args),
            Refuses(why) => refuse!("{}: {why}", self.name),
        }
    }
}

/// Refuses an argument to a command that takes none.
fn bare(name: &str, args: &str) -> Done {
    if args.is_empty() { Ok(()) } else { refuse!("{name} takes no argument") }
}
