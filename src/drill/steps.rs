//! What each step of the drill does.

use std::path::Path;

use super::escape::escapes;
use super::stale::refused;
use super::untouched::untouched;
use super::{Step, Verdict, failed};
use crate::feedback::{TargetCoverage, coverage_counters};
use crate::ops::{Chunks, Op, read_ops};
use crate::runner::{End, Found, Runner, record, replay};
use crate::sandbox::{SandboxError, tokened};
use crate::session::{Launcher, Needs, Session};
use crate::wire::msg::OWRITE;

/// Every step, in the order they run.
pub const STEPS: [Step; 7] = [
    Step { number: 0, shows: "isolation is proven for what will be used", run: isolation },
    Step {
        number: 1,
        shows: "the target launches, answers over 9P, and leaves nothing",
        run: launch,
    },
    Step { number: 2, shows: "a planted defect is caught, recorded and replays", run: caught },
    Step { number: 3, shows: "a world that is not as it should be is refused", run: refused },
    Step { number: 4, shows: "nothing outside is touched, and nothing survives", run: untouched },
    Step {
        number: 5,
        shows: "each attempt to escape is blocked, as far as its level holds",
        run: escapes,
    },
    Step { number: 6, shows: "the target's coverage is seen from outside", run: covered },
];

fn isolation(launcher: &Launcher) -> (Verdict, Vec<String>) {
    let attempt = || -> Result<Vec<String>, SandboxError> {
        let mut sandbox = launcher.sandbox()?;
        let plan = launcher.target.plan(sandbox.layout(), sandbox.token());
        let proven = sandbox.prove(plan)?;
        let evidence = [sandbox.evidence(), proven.evidence()].concat();
        sandbox.teardown()?;
        Ok(evidence)
    };
    match attempt() {
        Ok(evidence) => (Verdict::Pass, evidence),
        Err(why) => (Verdict::Fail, vec![why.to_string(), "nothing was launched".into()]),
    }
}

fn launch(launcher: &Launcher) -> (Verdict, Vec<String>) {
    let session = match Session::start(launcher, true) {
        Ok(session) => session,
        Err(why) => return failed(why),
    };
    let mut evidence = vec![
        format!("{} runs as process {}", launcher.target.name, session.target_pid().unwrap_or(0)),
        format!("/index lists panes {:?}", session.panes()),
        "its standard input is /dev/null: no target that is known here wants a terminal".into(),
    ];
    let token = session.token().to_owned();
    let root = session.root().to_owned();
    if let Err(why) = session.teardown() {
        return failed(why);
    }
    let left = tokened(&token);
    if !left.is_empty() || Path::new(&root).exists() {
        return failed(format!("left over: processes {left:?}, {}", root.display()));
    }
    evidence.push(format!("no process carries {token}, and {} is gone", root.display()));
    (Verdict::Pass, evidence)
}

fn failed_write() -> Vec<Op> {
    let write = Op::Write {
        path: "/pane/{p0}/addr".into(),
        data: "#99999".into(),
        mode: OWRITE,
        chunks: Chunks::Whole,
        offset: None,
        stop_on_error: true,
    };
    vec![Op::Fresh { follower: false }, Op::Stat { path: "/".into() }, write]
}

/// The defect by which a failed write to an addr file is not logged.
const PLANT: &str = "err-missing";
/// The rule that it breaks.
const BROKEN: &str = "one_failure_rule";

fn caught(launcher: &Launcher) -> (Verdict, Vec<String>) {
    if launcher.target.name != "standin" {
        let why =
            format!("{} has no planted defects: only the stand-in does", launcher.target.name);
        return (Verdict::Skip, vec![why]);
    }
    match sound(launcher).and_then(|sound| Ok([sound, planted(launcher)?].concat())) {
        Ok(evidence) => (Verdict::Pass, evidence),
        Err(why) => failed(why),
    }
}

fn runner(launcher: &Launcher, plant: Option<&str>) -> Runner {
    let target = launcher.target.clone().with_plant(plant);
    Runner::new(Launcher { target, ..launcher.clone() }, false)
}

/// Without the defect, nothing may be found.
fn sound(launcher: &Launcher) -> Result<Vec<String>, String> {
    let replayed = replay(&mut runner(launcher, None), &failed_write(), |_, _, _| {});
    match replayed.map_err(|why| why.to_string())?.found {
        None => Ok(vec!["with no plant: nothing is found".into()]),
        Some((_, finding)) => Err(format!("with no plant: {}: {}", finding.kind, finding.why)),
    }
}

/// With it, it is found and recorded, and the record gives it again.
fn planted(launcher: &Launcher) -> Result<Vec<String>, String> {
    let told = |why: &dyn std::fmt::Display| why.to_string();
    let folder = tempfile::tempdir().map_err(|why| told(&why))?;
    let mut runner = runner(launcher, Some(PLANT));
    let mut seen = None;
    for (step, op) in failed_write().iter().enumerate() {
        if let End::Found(finding) = runner.step(op).map_err(|why| told(&why))? {
            seen = Some((step, finding));
            break;
        }
    }
    let (step, finding) = seen.ok_or_else(|| format!("with {PLANT}: nothing was found"))?;
    if finding.kind != BROKEN {
        return Err(format!("with {PLANT}: {}, not {BROKEN}: {}", finding.kind, finding.why));
    }
    let found = Found { finding: &finding, seed: None, step, input: None };
    let recorded = record(&mut runner, folder.path(), &found, None).map_err(|why| told(&why))?;
    runner.end().map_err(|why| told(&why))?;
    let ops = read_ops(&recorded.path).map_err(|why| told(&why))?.ops;
    let again = replay(&mut runner, &ops, |_, _, _| {}).map_err(|why| told(&why))?.found;
    let again = again.ok_or("its record gives nothing")?.1;
    if again.signature() != finding.signature() {
        return Err(format!("its record gives another: {}: {}", again.kind, again.why));
    }
    let name = recorded.path.strip_prefix(folder.path()).unwrap_or(&recorded.path);
    Ok(vec![
        format!("with {PLANT}: {}: {}", finding.kind, finding.why),
        format!("{}, {} ops, gives the same again", name.display(), ops.len()),
    ])
}

/// How often the target is asked for one thing before its counters are read again.
const ASKED: usize = 3;

/// The counters must be there, and change when the target is asked something.
fn covered(launcher: &Launcher) -> (Verdict, Vec<String>) {
    let mut session = match Session::start(launcher, false) {
        Ok(session) => session,
        Err(why) => return failed(why),
    };
    let seen = see(&mut session);
    match session.teardown() {
        Ok(()) => seen,
        Err(why) => failed(why),
    }
}

fn see(session: &mut Session) -> (Verdict, Vec<String>) {
    let mut coverage = TargetCoverage::default();
    let Some(pid) = session.target_pid() else { return failed("there is no process") };
    let start = coverage.read(pid, coverage_counters());
    let mut evidence = match coverage.found() {
        Ok((count, program)) => vec![format!("{count} counters in {}", program.display())],
        Err(why) => return (Verdict::Skip, vec![why.to_owned()]),
    };
    evidence.push(format!("its start changed {start} of them"));
    for _ in 0..ASKED {
        let asked = session.run(&Op::Stat { path: "/index".into() }, Needs::default());
        if let Err(why) = asked {
            return failed(format!("a stat: {}", why.why));
        }
        let changed = coverage.read(pid, coverage_counters());
        if let Err(why) = coverage.found() {
            return failed(why);
        }
        if changed == 0 {
            return failed("a stat that was answered changed none of its counters");
        }
        evidence.push(format!("a stat of /index changed {changed}"));
    }
    (Verdict::Pass, evidence)
}
