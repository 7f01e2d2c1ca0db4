//! How much a sandbox holds: the levels, strongest last.

use std::env;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The environment variable that asks for a level where there is no option to ask with.
pub const LEVEL_VARIABLE: &str = "M9P_LEVEL";

/// What keeps a target inside.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// An environment made from nothing, and a first process that ends whatever it finds: holds no
    /// target that sets out to escape.
    #[default]
    Environment,
    /// Landlock besides: writes below the root alone.
    Landlock,
    /// Namespaces of its own, and Landlock where the kernel has it.
    Kernel,
}

/// Not the name of a level.
#[derive(Debug, Error)]
#[error("{0:?} is no level: expected \"kernel\", \"landlock\" or \"environment\"")]
pub struct LevelError(String);

impl Level {
    /// Every level, the strongest first.
    pub const ALL: [Level; 3] = [Level::Kernel, Level::Landlock, Level::Environment];

    /// As options and records have it.
    pub fn name(self) -> &'static str {
        match self {
            Level::Environment => "environment",
            Level::Landlock => "landlock",
            Level::Kernel => "kernel",
        }
    }

    /// The level that the environment asks for; nothing if it leaves that open.
    pub fn from_environment() -> Result<Option<Level>, LevelError> {
        match env::var(LEVEL_VARIABLE) {
            Ok(name) if !name.is_empty() => name.parse().map(Some),
            _ => Ok(None),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = LevelError;

    fn from_str(name: &str) -> Result<Level, LevelError> {
        let named = Level::ALL.into_iter().find(|level| level.name() == name);
        named.ok_or_else(|| LevelError(name.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_has_a_name_and_the_strongest_is_first() {
        for level in Level::ALL {
            assert_eq!(level.to_string().parse::<Level>().unwrap(), level);
        }
        assert!(Level::ALL.is_sorted_by(|one, next| one > next));
        let why = "Kernel".parse::<Level>().unwrap_err().to_string();
        assert!(why.contains("\"Kernel\" is no level"), "{why}");
    }
}
