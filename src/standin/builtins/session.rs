//! Commands on the session as a whole: its settings, its commands, its dumps, its end.

use super::bare;
use crate::standin::buffer::Buffer;
use crate::standin::command::Origin;
use crate::standin::dump as dumps;
use crate::standin::editor::{Editor, Ending, Place};
use crate::standin::notes::Note;
use crate::standin::refusal::{Done, refuse};
use crate::standin::runes::printable;
use crate::standin::settings::THEMES;

pub(super) fn exec(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    if args.is_empty() {
        return Err("there is no command to run".into());
    }
    editor.start_job(origin.serial, args)
}

pub(super) fn kill(editor: &mut Editor, _: &Origin, args: &str) -> Done {
    let killed = match args {
        "" => editor.jobs.kill(""),
        names => names.split_whitespace().map(|name| editor.jobs.kill(name)).sum(),
    };
    if killed == 0 { Err("no such command runs".into()) } else { Ok(()) }
}

pub(super) fn msg(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    if args.is_empty() {
        return Err("Msg wants something to say".into());
    }
    editor.notes.push(Note::Msg(origin.owner, args.into()));
    Ok(())
}

pub(super) fn id(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("ID", args)?;
    let serial = origin.pane()?;
    editor.notes.push(Note::Msg(Some(serial), format!("ID {serial}")));
    Ok(())
}

pub(super) fn dump(editor: &mut Editor, _: &Origin, args: &str) -> Done {
    dumps::dump(editor, args)
}

pub(super) fn restore(editor: &mut Editor, _: &Origin, args: &str) -> Done {
    dumps::restore(editor, args)
}

pub(super) fn dump_dir(editor: &mut Editor, _: &Origin, args: &str) -> Done {
    if args.chars().any(char::is_control) {
        return Err("name with a control character".into());
    }
    editor.settings.dump_dir = args.into();
    Ok(())
}

pub(super) fn exit(editor: &mut Editor, _: &Origin, args: &str) -> Done {
    bare("Exit", args)?;
    let unsaved = editor.buffers.values().filter(|b| b.dirty && !b.is_dir && !b.name.is_empty());
    let count = unsaved.count();
    if count > 0 {
        return refuse!("{count} panes have changes: put them, or close them");
    }
    editor.ending = Some(Ending::Quit);
    Ok(())
}

pub(super) fn theme(editor: &mut Editor, _: &Origin, args: &str) -> Done {
    if args.is_empty() {
        return Err("Theme wants a name".into());
    }
    editor.settings.choose_theme(args)
}

pub(super) fn next_theme(editor: &mut Editor, _: &Origin, args: &str) -> Done {
    bare("NextColor", args)?;
    editor.settings.choose_theme("")
}

pub(super) fn themes(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Themes", args)?;
    let list: String = THEMES.iter().map(|name| format!("{name}\n")).collect();
    page(editor, origin, "+Themes", &list)
}

pub(super) fn palette(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Palette", args)?;
    let list: String = (0..16).map(|n| format!("colour {n:>2}\n")).collect();
    page(editor, origin, "+Palette", &list)
}

pub(super) fn ascii(editor: &mut Editor, origin: &Origin, args: &str) -> Done {
    bare("Ascii", args)?;
    let row = |row: u8| -> String {
        (0..16).map(|n| format!("{:02x} {}  ", row * 16 + n, char::from(row * 16 + n))).collect()
    };
    let list: String = (2..8).map(|n| format!("{}\n", row(n).trim_end())).collect();
    page(editor, origin, "+Ascii", &list)
}

pub(super) fn placement(editor: &mut Editor, _: &Origin, args: &str) -> Done {
    match args {
        "acme" | "pardes" => {
            editor.settings.placement = args.into();
            Ok(())
        }
        other => refuse!("Placement is acme or pardes, not \"{}\"", printable(other, 40)),
    }
}

pub(super) fn boot_shell(editor: &mut Editor, _: &Origin, args: &str) -> Done {
    editor.settings.boot_shell = printable(args, 200);
    Ok(())
}

pub(super) fn switch(editor: &mut Editor, origin: &Origin, name: &'static str, args: &str) -> Done {
    let on = editor.settings.switch(name, args)?;
    if name == "Wrap"
        && let Some(serial) = origin.serial
    {
        editor.pane_mut(serial)?.wrap = on;
    }
    Ok(())
}

/// Shows a text in a new pane of that name, or in the one there is.
fn page(editor: &mut Editor, origin: &Origin, name: &str, text: &str) -> Done {
    if let Some(serial) = editor.find_name(name) {
        editor.focus = serial;
        return Ok(());
    }
    let place = origin.serial.map_or(Place::Anywhere, Place::Below);
    editor.add_pane(Buffer::new(name, text), place).map(drop)
}
