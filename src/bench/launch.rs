//! How long a launch takes, from the making of its sandbox to the target's first answer over 9P, at
//! each level.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::median;
use crate::sandbox::{Level, SandboxError};
use crate::session::{Launcher, StartError, connect, limits::LAUNCH_MS};
use crate::target::FIXTURES;

/// The parts of a launch, in the order they come.
pub const PARTS: [&str; 5] = ["sandbox", "proof", "launch", "answer", "teardown"];

/// What was measured at one level.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Launches {
    /// Which.
    pub level: &'static str,
    /// How many.
    pub launches: usize,
    /// The median of all up to the first answer, in milliseconds.
    pub median_ms: f64,
    /// The one that nine of ten are no longer than.
    pub ninth_decile_ms: f64,
    /// The medians of the [`PARTS`], in milliseconds.
    pub parts_ms: [f64; PARTS.len()],
}

/// Launches so many times at each level that can be had, the levels in turn, so that what else the
/// machine does meets all alike.
pub fn launches(launcher: &Launcher, count: usize) -> Result<Vec<Launches>, StartError> {
    let mut seen: Vec<(Level, Vec<[f64; PARTS.len()]>)> =
        Level::ALL.map(|level| (level, Vec::new())).to_vec();
    for _ in 0..count {
        for (level, times) in &mut seen {
            match launch(&Launcher { level: Some(*level), ..launcher.clone() }) {
                Ok(parts) => times.push(parts),
                Err(StartError::Sandbox(SandboxError::Refused(_))) => {}
                Err(why) => return Err(why),
            }
        }
    }
    Ok(seen.into_iter().filter_map(|(level, times)| told(level, &times)).collect())
}

/// One, in milliseconds for each of the parts.
fn launch(launcher: &Launcher) -> Result<[f64; PARTS.len()], StartError> {
    let mut at = vec![Instant::now()];
    let mut sandbox = launcher.sandbox()?;
    at.push(Instant::now());
    for (name, bytes) in FIXTURES {
        std::fs::write(sandbox.reached().home.join(name), bytes).map_err(SandboxError::Io)?;
    }
    let plan = launcher.target.plan(sandbox.layout(), sandbox.token());
    let socket = plan.socket.clone();
    let proven = sandbox.prove(plan)?;
    at.push(Instant::now());
    sandbox.launch(proven)?;
    at.push(Instant::now());
    let conn = connect(&mut sandbox, &socket, Duration::from_millis(LAUNCH_MS))
        .map_err(|why| StartError::Target { target: launcher.target.name.clone(), why })?;
    at.push(Instant::now());
    drop(conn);
    sandbox.teardown()?;
    at.push(Instant::now());
    let mut parts = [0.0; PARTS.len()];
    for (part, pair) in parts.iter_mut().zip(at.windows(2)) {
        *part = (pair[1] - pair[0]).as_secs_f64() * 1e3;
    }
    Ok(parts)
}

/// Nothing of a level that cannot be had.
fn told(level: Level, times: &[[f64; PARTS.len()]]) -> Option<Launches> {
    const ANSWERED: usize = 4;
    let mut whole: Vec<f64> = times.iter().map(|parts| parts[..ANSWERED].iter().sum()).collect();
    whole.sort_by(f64::total_cmp);
    let mut parts_ms = [0.0; PARTS.len()];
    for (at, part) in parts_ms.iter_mut().enumerate() {
        *part = median(times.iter().map(|parts| parts[at]).collect())?;
    }
    Some(Launches {
        level: level.name(),
        launches: whole.len(),
        median_ms: median(whole.clone())?,
        ninth_decile_ms: *whole.get(whole.len() * 9 / 10)?,
        parts_ms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_is_what_comes_before_the_teardown() {
        let times = [[1.0, 1.0, 1.0, 2.0, 50.0], [2.0, 1.0, 1.0, 3.0, 60.0]];
        let told = told(Level::Kernel, &times).unwrap();
        assert_eq!((told.launches, told.median_ms, told.ninth_decile_ms), (2, 5.0, 7.0));
        assert_eq!(told.parts_ms, [1.0, 1.0, 1.0, 2.0, 50.0]);
        assert_eq!(super::told(Level::Kernel, &[]), None);
    }
}
