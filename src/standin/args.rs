//! The command line, and the environment that the server is told its place by.

use std::path::PathBuf;

use super::limits::SOCKET_PATH_BYTES;
use super::plants::{self, Defect};

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Args {
    /// Serve.
    Serve(Serve),
    /// Print the planted defects, as JSON or as a table.
    Plants { json: bool },
    /// Print how it is called.
    Help,
    /// Print the version.
    Version,
}

/// What to serve, and where.
#[derive(Debug, PartialEq, Eq)]
pub struct Serve {
    /// The session's name, part of the socket's.
    pub name: String,
    /// Files to open.
    pub files: Vec<String>,
}

/// How it is called.
pub const USAGE: &str = "\
usage: pardes-standin --detach=NAME [FILE...]
       pardes-standin --plants [--json]

Serves an editor session as a 9P2000 tree on $XDG_RUNTIME_DIR/pardes-9p-NAME.sock, in the
foreground, until its last pane is closed. It stands in for an editor in tests.

  --detach=NAME   the session's name
  --plants        list the planted defects; STANDIN_PLANT=NAME turns one on
  --json          with --plants: as JSON
  --help          this text
  --version       the version
";

impl Args {
    /// Reads the arguments behind the program's name.
    pub fn parse(args: impl Iterator<Item = String>) -> Result<Args, String> {
        let mut name = None;
        let mut files = Vec::new();
        let (mut plants, mut json, mut only_files) = (false, false, false);
        for arg in args {
            if only_files || !arg.starts_with('-') || arg == "-" {
                files.push(arg);
                continue;
            }
            match arg.as_str() {
                "--" => only_files = true,
                "--help" | "-h" => return Ok(Args::Help),
                "--version" | "-V" => return Ok(Args::Version),
                "--plants" => plants = true,
                "--json" => json = true,
                other => match other.strip_prefix("--detach=") {
                    Some(given) => name = Some(given.to_string()),
                    None => return Err(format!("unknown option {other}")),
                },
            }
        }
        if plants && name.is_none() && files.is_empty() {
            return Ok(Args::Plants { json });
        }
        if plants || json {
            return Err("--plants and --json go with nothing else".into());
        }
        let name = name.ok_or("--detach=NAME is missing")?;
        if name.is_empty() || name.contains('/') || name.contains('\0') {
            return Err(format!("\"{name}\" is no name for a session"));
        }
        Ok(Args::Serve(Serve { name, files }))
    }
}

impl Serve {
    /// The socket's path.
    pub fn socket(&self) -> Result<PathBuf, String> {
        let directory = std::env::var_os("XDG_RUNTIME_DIR").filter(|dir| !dir.is_empty());
        let directory = directory.ok_or("XDG_RUNTIME_DIR is not set")?;
        let path = PathBuf::from(directory).join(format!("pardes-9p-{}.sock", self.name));
        let bytes = path.as_os_str().len();
        if bytes > SOCKET_PATH_BYTES {
            return Err(format!(
                "the socket's path has {bytes} bytes, and {SOCKET_PATH_BYTES} is the most: {}",
                path.display()
            ));
        }
        Ok(path)
    }
}

/// The planted defect that the environment turns on.
pub(super) fn plant() -> Result<Option<Defect>, String> {
    let Some(name) = std::env::var_os("STANDIN_PLANT").filter(|name| !name.is_empty()) else {
        return Ok(None);
    };
    let name = name.to_string_lossy();
    if let Some(defect) = plants::named(&name) {
        return Ok(Some(defect));
    }
    let known: Vec<&str> = plants::plants().iter().map(|plant| plant.name).collect();
    Err(format!("no planted defect {name}; there are: {}", known.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Args, String> {
        Args::parse(args.iter().map(|arg| arg.to_string()))
    }

    #[test]
    fn arguments_are_read() {
        let serve = Serve { name: "m9p".into(), files: vec!["a".into(), "-b".into()] };
        assert_eq!(parse(&["--detach=m9p", "a", "--", "-b"]), Ok(Args::Serve(serve)));
        assert_eq!(parse(&["--plants", "--json"]), Ok(Args::Plants { json: true }));
        for bad in [&["a"][..], &["--detach="], &["--detach=a/b"], &["--nope"], &["--json"]] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }
}
