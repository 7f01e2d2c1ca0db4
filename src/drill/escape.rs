//! The escape suite as a step: every attempt at the level that holds the target.

use super::Verdict;
use crate::escapes::{Fate, Machine, attempts};
use crate::sandbox::Level;
use crate::session::Launcher;

/// Each attempt must go as it is to go: at the kernel level, all are blocked.
pub fn escapes(launcher: &Launcher) -> (Verdict, Vec<String>) {
    let failed = |why: String| (Verdict::Fail, vec![why]);
    let level = match launcher.sandbox().and_then(|sandbox| {
        let level = sandbox.level();
        sandbox.teardown().map(|()| level)
    }) {
        Ok(level) => level,
        Err(why) => return failed(why.to_string()),
    };
    let machine = match Machine::look(&launcher.executable) {
        Ok(machine) => machine,
        Err(why) => return failed(why.to_string()),
    };
    let mut told = Told::default();
    for one in attempts() {
        match one.make(&launcher.executable, level) {
            Ok(Fate::Blocked) => told.blocked.push(one.name),
            Ok(Fate::Untried(why)) => told.untried.push(format!("{}: {why}", one.name)),
            // What is open is open by the table; that it could be done is no failure then.
            Ok(Fate::Escaped(_)) if one.expected(level).is_open(&machine) => {
                told.open.push(one.name);
            }
            Ok(Fate::Escaped(seen)) => told.escaped.push(format!("{}: {seen}", one.name)),
            Err(why) => told.escaped.push(format!("{}: {why}", one.name)),
        }
    }
    told.verdict(level)
}

#[derive(Debug, Default)]
struct Told {
    blocked: Vec<&'static str>,
    open: Vec<&'static str>,
    untried: Vec<String>,
    escaped: Vec<String>,
}

impl Told {
    fn verdict(self, level: Level) -> (Verdict, Vec<String>) {
        let Told { blocked, open, untried, escaped } = self;
        let mut evidence = vec![format!(
            "at the level {level}, blocked, {} of {}: {}",
            blocked.len(),
            attempts().count(),
            blocked.join(", ")
        )];
        if !open.is_empty() {
            evidence.push(format!("not held by this level: {}", open.join(", ")));
        }
        evidence.extend(untried.into_iter().map(|why| format!("not tried: {why}")));
        let verdict = if escaped.is_empty() { Verdict::Pass } else { Verdict::Fail };
        evidence.extend(escaped.into_iter().map(|seen| format!("not blocked: {seen}")));
        (verdict, evidence)
    }
}
