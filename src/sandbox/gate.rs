//! The gate: nothing is launched before what it will use is shown to lie inside the sandbox.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use nix::unistd::geteuid;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::layout::Layout;
use super::limits::{MARKER, PARENT, ROOT_PREFIX, SOCKET_PATH_BYTES, TOKEN_VARIABLE};

/// All that a launch will use: the very values, not a description of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LaunchPlan {
    /// What to execute.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its whole environment.
    pub environment: Vec<(String, String)>,
    /// The variables the target's own definition sets, besides those of [`Layout::environment`].
    pub own_variables: Vec<String>,
    /// Where it starts.
    pub directory: PathBuf,
    /// Where its standard error goes.
    pub stderr: PathBuf,
    /// The socket it will answer on.
    pub socket: PathBuf,
}

/// Why a launch was refused.
#[derive(Debug, Error, Serialize, Deserialize)]
#[error("isolation is not proven: {0}")]
pub struct Refusal(String);

impl Refusal {
    pub(super) fn new(why: String) -> Refusal {
        Refusal(why)
    }
}

/// Says that a plan was shown to be isolated: the sandbox's first process has it, and launches no
/// other.
#[derive(Debug)]
pub struct Proven(pub(super) Vec<String>);

impl Proven {
    /// What was looked at, a sentence each.
    pub fn evidence(&self) -> &[String] {
        &self.0
    }
}

/// Variables whose values must be paths inside the root, and must be there.
const REQUIRED: [&str; 7] = [
    "HOME",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "TMPDIR",
];

/// Variables that may hold paths of the system.
const SYSTEM: [&str; 2] = ["PATH", "SHELL"];

/// Shows that everything `plan` names lies inside the sandbox at `layout`, and gives what was looked
/// at, a sentence each; or says what does not. Paths are followed from this process, which must be
/// where the target will be.
pub fn prove(plan: &LaunchPlan, layout: &Layout, token: &str) -> Result<Vec<String>, Refusal> {
    let mut evidence = Vec::new();
    let root = check_root(layout, token, &mut evidence)?;
    check_environment(plan, layout, &root, token, &mut evidence)?;
    inside(&root, "the working directory", &plan.directory)?;
    inside(&root, "standard error", &plan.stderr)?;
    check_socket(&plan.socket, &root, &mut evidence)?;
    check_program(plan, &mut evidence)?;
    Ok(evidence)
}

/// Turns a false condition into a refusal.
fn ensure(holds: bool, why: impl FnOnce() -> String) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(Refusal(why())) }
}

/// The root must be a directory that this program made for this very token.
fn check_root(
    layout: &Layout,
    token: &str,
    evidence: &mut Vec<String>,
) -> Result<PathBuf, Refusal> {
    let root = &layout.root;
    let shown = root.display();
    ensure(root.is_absolute(), || format!("the root {shown} is a relative path"))?;
    let real = fs::canonicalize(root).map_err(|why| Refusal(format!("the root {shown}: {why}")))?;
    ensure(&real == root, || format!("the root {shown} is a link to {}", real.display()))?;
    let named =
        root.file_name().and_then(OsStr::to_str).is_some_and(|n| n.starts_with(ROOT_PREFIX));
    ensure(root.parent() == Some(Path::new(PARENT)) && named, || {
        format!("the root {shown} is not a {ROOT_PREFIX}… directly below {PARENT}")
    })?;
    let meta =
        fs::symlink_metadata(root).map_err(|why| Refusal(format!("the root {shown}: {why}")))?;
    ensure(meta.is_dir(), || format!("the root {shown} is no directory"))?;
    ensure(meta.uid() == geteuid().as_raw(), || format!("the root {shown} is another user's"))?;
    let mode = meta.permissions().mode() & 0o777;
    ensure(mode == 0o700, || format!("the root {shown} has mode {mode:o}, not 700"))?;
    let marker = fs::read_to_string(root.join(MARKER))
        .map_err(|why| Refusal(format!("the root {shown} has no marker: {why}")))?;
    ensure(marker.trim_end() == token, || {
        format!("the root {shown} bears the marker of another run: {}", marker.trim_end())
    })?;
    evidence.push(format!("root {shown}: a directory of ours, mode 700, marked {token}"));
    Ok(real)
}

fn check_environment(
    plan: &LaunchPlan,
    layout: &Layout,
    root: &Path,
    token: &str,
    evidence: &mut Vec<String>,
) -> Result<(), Refusal> {
    let known = layout.environment(token);
    for (name, value) in &plan.environment {
        let expected = known.iter().any(|(k, _)| k == name) || plan.own_variables.contains(name);
        ensure(expected, || {
            format!("the variable {name} is neither the sandbox's nor the target's")
        })?;
        let again = plan.environment.iter().filter(|(other, _)| other == name).count();
        ensure(again == 1, || format!("the variable {name} is set {again} times"))?;
        let foreign = matches!(name.as_str(), "NINE_MOUNT" | "NAMESPACE");
        if foreign || (value.contains('/') && !SYSTEM.contains(&name.as_str())) {
            inside(root, name, Path::new(value))?;
        }
    }
    for name in REQUIRED.iter().chain([&TOKEN_VARIABLE]) {
        let value = plan.environment.iter().find(|(k, _)| k == name).map(|(_, v)| v);
        let value = value.ok_or_else(|| Refusal(format!("the variable {name} is not set")))?;
        match *name {
            TOKEN_VARIABLE => ensure(value == token, || format!("{name} is {value}, not {token}"))?,
            _ => inside(root, name, Path::new(value))?,
        }
    }
    evidence.push(format!(
        "environment: {} variables, all of the sandbox's or the target's own; every path in them is below the root",
        plan.environment.len()
    ));
    Ok(())
}

/// The path must lead into the root by its real directories, whatever links lie on the way.
fn inside(root: &Path, what: &str, path: &Path) -> Result<(), Refusal> {
    let shown = path.display();
    ensure(path.is_absolute(), || format!("{what} is a relative path: {shown:?}"))?;
    let plain =
        path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    ensure(plain, || format!("{what} is no plain path: {shown}"))?;
    let real = real_path(path).map_err(|why| Refusal(format!("{what}: {shown}: {why}")))?;
    ensure(real.starts_with(root) && real != root, || {
        let to = if real == path { String::new() } else { format!(" (really {})", real.display()) };
        format!("{what} is outside the root: {shown}{to}")
    })
}

/// The real path of a file that is there, or of one that could be made in a directory that is.
fn real_path(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(why)
            if why.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(path).is_err() =>
        {
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                return Err(why);
            };
            Ok(fs::canonicalize(parent)?.join(name))
        }
        real => real,
    }
}

fn check_socket(socket: &Path, root: &Path, evidence: &mut Vec<String>) -> Result<(), Refusal> {
    let shown = socket.display();
    // Before where it leads: a link is not free, wherever it leads.
    let free = fs::symlink_metadata(socket).is_err();
    ensure(free, || format!("the socket is there already: {shown}"))?;
    inside(root, "the socket", socket)?;
    let length = socket.as_os_str().len();
    ensure(length <= SOCKET_PATH_BYTES, || {
        format!("the socket's path has {length} bytes, more than {SOCKET_PATH_BYTES}: {shown}")
    })?;
    evidence.push(format!("socket {shown}: below the root, {length} bytes, free"));
    Ok(())
}

fn check_program(plan: &LaunchPlan, evidence: &mut Vec<String>) -> Result<(), Refusal> {
    let shown = plan.program.display();
    ensure(plan.program.is_absolute(), || format!("the program is a relative path: {shown}"))?;
    let meta = fs::metadata(&plan.program)
        .map_err(|why| Refusal(format!("the program {shown}: {why}")))?;
    ensure(meta.is_file() && meta.permissions().mode() & 0o111 != 0, || {
        format!("the program {shown} is no executable file")
    })?;
    evidence.push(format!("program {shown}: an executable file"));
    Ok(())
}
