//! Where things lie in a sandbox, and the environment that says so.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::limits::{MARKER, TOKEN_VARIABLE};

/// The directories of one sandbox, all below its root.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Holds all the rest; removed at the end.
    pub root: PathBuf,
    /// The target's HOME and working directory.
    pub home: PathBuf,
    /// Its XDG_RUNTIME_DIR.
    pub runtime: PathBuf,
    /// Its TMPDIR.
    pub temporary: PathBuf,
    /// Where its standard error goes.
    pub stderr: PathBuf,
}

/// The XDG directories in HOME, and what they are called there.
const XDG: [(&str, &str); 4] = [
    ("XDG_CONFIG_HOME", "config"),
    ("XDG_STATE_HOME", "state"),
    ("XDG_DATA_HOME", "data"),
    ("XDG_CACHE_HOME", "cache"),
];

/// Where commands are looked for: the system's, not the person's.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

impl Layout {
    /// The layout of the sandbox at `root`, which need not be there yet.
    pub fn new(root: &Path) -> Layout {
        Layout {
            root: root.into(),
            home: root.join("home"),
            runtime: root.join("run"),
            temporary: root.join("tmp"),
            stderr: root.join("stderr"),
        }
    }

    /// Makes the directories and what must be in them, in a root that is there; `token` marks it.
    pub fn make(&self, token: &str) -> io::Result<()> {
        fs::write(self.root.join(MARKER), format!("{token}\n"))?;
        for directory in [&self.home, &self.runtime, &self.temporary] {
            fs::create_dir(directory)?;
        }
        for (_, name) in XDG {
            fs::create_dir(self.home.join(name))?;
        }
        File::options().create_new(true).write(true).mode(0o600).open(&self.stderr)?;
        Ok(())
    }

    /// What lies in HOME from the start.
    pub fn in_home(&self) -> impl Iterator<Item = PathBuf> {
        XDG.iter().map(|(_, name)| self.home.join(name))
    }

    /// Where a crash file may be.
    pub fn config(&self) -> PathBuf {
        self.home.join("config")
    }

    /// The environment that every target gets: made from nothing, so that nothing of the person's
    /// leaks in. A target adds what is its own.
    pub fn environment(&self, token: &str) -> Vec<(String, String)> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut env = vec![
            ("HOME".to_owned(), text(&self.home)),
            ("XDG_RUNTIME_DIR".to_owned(), text(&self.runtime)),
            ("TMPDIR".to_owned(), text(&self.temporary)),
            (TOKEN_VARIABLE.to_owned(), token.to_owned()),
        ];
        for (variable, name) in XDG {
            env.push((variable.to_owned(), text(&self.home.join(name))));
        }
        for (variable, value) in [
            ("PATH", PATH),
            ("SHELL", "/bin/sh"),
            ("USER", "m9p"),
            ("LOGNAME", "m9p"),
            ("LANG", "C.UTF-8"),
        ] {
            env.push((variable.to_owned(), value.to_owned()));
        }
        env
    }
}
