//! The stand-in: a small editor served as a 9P2000 tree, for tests that have no editor at hand.

mod address;
mod args;
mod buffer;
mod builtins;
mod column;
mod command;
mod conn;
mod content;
mod crash;
mod ctl;
mod dump;
mod edit;
mod editor;
mod event;
mod files;
mod host;
mod host_tree;
mod hostile;
mod in_process;
mod jobs;
mod limits;
mod log;
mod look;
mod notes;
mod output;
mod outputs;
mod pane;
mod pipe;
mod plants;
mod printed;
mod processes;
mod refusal;
mod regexp;
mod render;
mod request;
mod runes;
mod running;
mod scan;
mod screen;
mod server;
mod settings;
mod sys;
mod terminal;
mod tokens;
mod tree;

use std::io::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use self::args::{Args, Serve};
use self::buffer::Buffer;
use self::editor::{Editor, Place};
use self::host::{Host, os_name};
use self::server::Server;

pub use self::hostile::hostile;
pub use self::in_process::{CLIENTS, InProcess, ROOT_FID};
pub use self::plants::{Plant, plants};

const USAGE_CODE: i32 = 2;

/// Runs the server with the process's arguments; returns the exit code.
pub fn main() -> i32 {
    let args = std::env::args_os().skip(1).map(|arg| runes::from_bytes(arg.as_bytes()));
    match Args::parse(args) {
        Ok(Args::Help) => tell(args::USAGE),
        Ok(Args::Version) => tell(concat!("pardes-standin ", env!("CARGO_PKG_VERSION"), "\n")),
        Ok(Args::Plants { json }) => tell(&format!("{}\n", plants::print(json))),
        Ok(Args::Serve(serve)) => match run(&serve) {
            Ok(code) => sys::exit_now(code),
            Err(why) => return usage(&why),
        },
        Err(why) => return usage(&format!("{why}\n{}", args::USAGE)),
    }
    0
}

/// Standard output may be closed by a reader that has had enough.
fn tell(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn usage(why: &str) -> i32 {
    eprintln!("pardes-standin: {why}");
    USAGE_CODE
}

fn run(serve: &Serve) -> Result<i32, String> {
    let plant = args::plant()?;
    let socket = serve.socket()?;
    free(&socket)?;
    crash::on_panic();
    sys::ignore_broken_pipes();
    let here = std::env::current_dir().map_err(|why| format!("no current directory: {why}"))?;
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_dir());
    let home = home.unwrap_or_else(|| here.clone());
    let sources = std::env::var_os("STANDIN_SRC").map_or_else(|| here.clone(), PathBuf::from);
    let server = Server::listen(&socket).map_err(|why| format!("{}: {why}", socket.display()))?;
    let host = Host::real(home, sources, server.registry());
    let mut editor = Editor::new(host, plant);
    editor.settings.address = socket.display().to_string();
    let opened = open(&mut editor, &here, &serve.files);
    if let Err(why) = opened {
        let _ = std::fs::remove_file(&socket);
        return Err(why);
    }
    server.serve(&mut editor).map_err(|why| why.to_string())
}

/// Makes the first panes: one for each file, or an empty one.
fn open(editor: &mut Editor, here: &Path, files: &[String]) -> Result<(), String> {
    for file in files {
        let path = here.join(os_name(file));
        let path = runes::from_bytes(path.as_os_str().as_bytes());
        content::open(editor, &path, Place::Anywhere).map_err(|why| format!("{file}: {why}"))?;
    }
    if files.is_empty() {
        editor.add_pane(Buffer::new("", ""), Place::Anywhere).map_err(|why| why.to_string())?;
    }
    Ok(())
}

/// Makes sure that no server is there already; a socket that nobody answers on is taken away.
fn free(socket: &Path) -> Result<(), String> {
    if UnixStream::connect(socket).is_ok() {
        return Err(format!("a server answers at {} already", socket.display()));
    }
    match std::fs::remove_file(socket) {
        Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{}: {why}", socket.display()))
        }
        _ => Ok(()),
    }
}
