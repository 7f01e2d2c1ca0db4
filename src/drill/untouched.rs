//! Shows that a session touches nothing outside its sandbox, and that nothing of it survives.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::outside::Snapshot;
use super::{Verdict, failed};
use crate::ops::{Chunks, HostAction, Op};
use crate::sandbox::{descendants, roots, tokened};
use crate::session::{Launcher, Needs, Session, Step};
use crate::wire::msg::OWRITE;

/// The most changes that are told one by one.
const TOLD: usize = 20;

/// How often what the target did is done again, where the machine outside has changed meanwhile.
const ROUNDS: usize = 3;

/// A machine that is in use changes by itself: what it does without the target, or does not do each
/// time, is none of the target's.
pub fn untouched(launcher: &Launcher) -> (Verdict, Vec<String>) {
    let mut evidence = Vec::new();
    let mut once = BTreeMap::new();
    let mut again: Option<BTreeMap<String, &str>> = None;
    for _ in 0..ROUNDS {
        let (begun, before) = (Instant::now(), Snapshot::take());
        if let Err(why) = lived(launcher) {
            return failed(why);
        }
        let after = Snapshot::take();
        let took = begun.elapsed();
        let mut left = before.changes(&after);
        evidence.push(format!("before and after {} steps: {}", steps().len(), before.tell()));
        if !left.is_empty() {
            std::thread::sleep(took);
            let idle = after.changes(&Snapshot::take());
            left.retain(|name, _| !idle.contains_key(name));
        }
        once.extend(left.clone());
        if let Some(again) = &again {
            left.retain(|name, _| again.contains_key(name));
        }
        let none = left.is_empty();
        again = Some(left);
        if none {
            break;
        }
    }
    let told = |changes: BTreeMap<String, &str>| {
        let told = changes.into_iter().take(TOLD).map(|(name, what)| format!("{name} {what}"));
        told.collect::<Vec<String>>()
    };
    let again = again.unwrap_or_default();
    if !again.is_empty() {
        evidence.extend(told(again));
        return (Verdict::Fail, evidence);
    }
    evidence.push("nothing changes outside whenever the target runs, and only then".into());
    // Whose that was cannot be told.
    let once = told(once).into_iter().map(|change| format!("meanwhile, once: {change}"));
    evidence.extend(once);
    match survivors() {
        Ok(()) => evidence.push("no process and no directory of this run is left".into()),
        Err(why) => return failed(why),
    }
    (Verdict::Pass, evidence)
}

/// What of this process's sandboxes is there still.
fn survivors() -> Result<(), String> {
    let own = std::process::id();
    let prefix = format!("{own}-");
    let processes: BTreeSet<i32> =
        tokened(&prefix).into_iter().chain(descendants(own.cast_signed())).collect();
    let left = roots(&prefix).map_err(|why| why.to_string())?;
    match processes.is_empty() && left.is_empty() {
        true => Ok(()),
        false => Err(format!("left over: processes {processes:?}, {left:?}")),
    }
}

/// A short life: files, commands, a dump.
fn lived(launcher: &Launcher) -> Result<(), String> {
    let mut session = Session::start(launcher, false).map_err(|why| why.to_string())?;
    for op in steps() {
        match session.run(&op, Needs::default()) {
            Ok(Step::Done(_)) => {}
            Ok(Step::Quit) => break,
            Err(failure) => return Err(failure.why),
        }
    }
    session.teardown().map_err(|why| why.to_string())
}

fn steps() -> Vec<Op> {
    let write = |path: &str, data: &str| Op::Write {
        path: path.into(),
        data: data.into(),
        mode: OWRITE,
        chunks: Chunks::Whole,
        offset: None,
        stop_on_error: true,
    };
    let host = Op::Host {
        action: HostAction::Write,
        name: "utf8.txt".into(),
        data: Some("changed outside the editor\n".into()),
    };
    vec![
        write("/pane/{p0}/body", "a line\n"),
        write("/exec", "date\n"),
        host,
        write("/pane/{p0}/ctl", "Tty\n"),
        write("/ctl", "Dump\n"),
        Op::Stat { path: "/index".into() },
    ]
}
