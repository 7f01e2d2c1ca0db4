//! pardes, and the stand-in that is launched just as it is.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::{PLANT_VARIABLE, Program, STANDIN_ROLE, Target, TargetError};

/// Where the real pardes is, if it is to be fuzzed.
pub const PARDES_VARIABLE: &str = "PARDES";
/// Whether inferred rules are asserted: 1 or 0; what the target itself says, if it is not set.
pub const INFERRED_VARIABLE: &str = "M9P_INFERRED";
/// The session's name on the target's command line.
const SESSION: &str = "m9p";
/// Languages whose servers are turned off.
const LANGUAGES: [&str; 6] = ["RS", "C", "GO", "TS", "PY", "ZIG"];

/// The real pardes at `path`. `origin` says who named it, for the error.
pub fn pardes(path: &Path, origin: &'static str) -> Result<Target, TargetError> {
    let fail = |why: String| TargetError::NoProgram { origin, path: path.into(), why };
    let program = fs::canonicalize(path).map_err(|why| fail(why.to_string()))?;
    let meta = fs::metadata(&program).map_err(|why| fail(why.to_string()))?;
    if !meta.is_file() || meta.permissions().mode() & 0o111 == 0 {
        return Err(fail("expected an executable file".into()));
    }
    Ok(launched_like_pardes("pardes", Program::Path(program), false))
}

/// The embedded stand-in, a role of `executable`; it has the planted defect that
/// [`PLANT_VARIABLE`] names in this process's environment.
pub fn standin(executable: PathBuf) -> Target {
    let program = Program::Role(executable, STANDIN_ROLE);
    let mut target = launched_like_pardes("standin", program, true);
    // A leak report at its end would look like a failure of the server's.
    target.variables.push(("RUST_BACKTRACE".into(), "1".into()));
    target.variables.push(("ASAN_OPTIONS".into(), "detect_leaks=0".into()));
    let plant = env::var(PLANT_VARIABLE).ok().filter(|plant| !plant.is_empty());
    target.with_plant(plant.as_deref())
}

/// The target that the environment asks for: pardes if `PARDES` is set, else the stand-in.
pub fn from_environment(executable: PathBuf) -> Result<Target, TargetError> {
    let mut target = match env::var_os(PARDES_VARIABLE).filter(|path| !path.is_empty()) {
        Some(path) => pardes(Path::new(&path), PARDES_VARIABLE)?,
        None => standin(executable),
    };
    match env::var(INFERRED_VARIABLE).as_deref() {
        Ok("1") => target.inferred = true,
        Ok("0") => target.inferred = false,
        Ok("") | Err(_) => {}
        Ok(other) => return Err(TargetError::Inferred(other.into())),
    }
    Ok(target)
}

fn launched_like_pardes(name: &str, program: Program, inferred: bool) -> Target {
    let mut variables = vec![
        ("PARDES_NOTIME".to_owned(), "1".to_owned()),
        ("PARDES_DUMP".to_owned(), "{home}/m9p.dump.zon".to_owned()),
    ];
    variables.extend(LANGUAGES.map(|language| (format!("PARDES_LSP_{language}"), String::new())));
    Target {
        name: name.into(),
        program,
        arguments: vec![format!("--detach={SESSION}"), "alpha.txt".into()],
        socket: format!("pardes-9p-{SESSION}.sock"),
        // So that one close does not end the session.
        opened: vec!["utf8.txt".into(), "crlf.txt".into()],
        variables,
        inferred,
    }
}
