//! The role dispatch: the first thing that any of the executables does.

use crate::escapes::{ESCAPE_ROLE, role_main};
use crate::sandbox::{KEEPER_ROLE, ROLE_VARIABLE, WARDEN_ROLE};
use crate::target::STANDIN_ROLE;

/// If the environment says that this process is a sandbox's first process or one of the others that
/// this program has, plays that role and never returns.
pub fn dispatch() {
    let Ok(role) = std::env::var(ROLE_VARIABLE) else { return };
    let code = match role.as_str() {
        KEEPER_ROLE => crate::sandbox::keeper_main(),
        WARDEN_ROLE => crate::sandbox::warden_main(),
        ESCAPE_ROLE => role_main(),
        #[cfg(feature = "standin")]
        STANDIN_ROLE => crate::standin::main(),
        #[cfg(not(feature = "standin"))]
        STANDIN_ROLE => {
            eprintln!("monkey9p: built without the stand-in (feature \"standin\")");
            2
        }
        other => {
            eprintln!(
                "monkey9p: {ROLE_VARIABLE}={other}: expected {KEEPER_ROLE} or {STANDIN_ROLE}"
            );
            2
        }
    };
    std::process::exit(code);
}
