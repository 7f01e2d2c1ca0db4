//! What each step of the drill does.

use std::fs;
use std::path::Path;

use super::{Step, Verdict};
use crate::feedback::{TargetCoverage, coverage_counters};
use crate::ops::{Chunks, Op};
use crate::runner::{End, Runner, replay};
use crate::sandbox::{LaunchPlan, Layout, SandboxError, tokened};
use crate::session::{Launcher, Needs, Session};
use crate::wire::msg::OWRITE;

/// Every step, in the order they run.
pub const STEPS: [Step; 5] = [
    Step { number: 0, shows: "isolation is proven for what will be used", run: isolation },
    Step {
        number: 1,
        shows: "the target launches, answers over 9P, and leaves nothing",
        run: launch,
    },
    Step { number: 2, shows: "a planted defect is caught and replays", run: caught },
    Step { number: 3, shows: "a world that is not as it should be is refused", run: refused },
    Step { number: 6, shows: "the target's coverage is seen from outside", run: covered },
];

fn failed(why: impl ToString) -> (Verdict, Vec<String>) {
    (Verdict::Fail, vec![why.to_string()])
}

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
        Err(why) => failed(why),
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

fn caught(launcher: &Launcher) -> (Verdict, Vec<String>) {
    if launcher.target.name != "standin" {
        let why =
            format!("{} has no planted defects: only the stand-in does", launcher.target.name);
        return (Verdict::Skip, vec![why]);
    }
    let mut evidence = Vec::new();
    for (plant, want) in [(None, None), (Some(PLANT), Some("one_failure_rule"))] {
        let target = launcher.target.clone().with_plant(plant);
        let mut runner = Runner::new(Launcher { target, ..launcher.clone() }, false);
        for _ in 0..2 {
            let replayed = match replay(&mut runner, &failed_write(), |_, _, _: &End| {}) {
                Ok(replayed) => replayed,
                Err(why) => return failed(why),
            };
            let found = replayed.found.map(|(_, finding)| finding);
            if found.as_ref().map(|finding| finding.kind.as_str()) != want {
                return failed(format!("with {plant:?}: wanted {want:?}, found {found:?}"));
            }
            let seen = found
                .map_or("nothing".into(), |finding| format!("{}: {}", finding.kind, finding.why));
            evidence.push(format!("with {}: {seen}", plant.unwrap_or("no plant")));
        }
    }
    (Verdict::Pass, evidence)
}

/// Each way of spoiling a world must give a refusal; nothing is launched.
fn refused(launcher: &Launcher) -> (Verdict, Vec<String>) {
    let mut evidence = Vec::new();
    for (what, spoil) in SPOILERS {
        let attempt = || -> Result<Result<(), String>, SandboxError> {
            let mut sandbox = launcher.sandbox()?;
            let mut plan = launcher.target.plan(sandbox.layout(), sandbox.token());
            spoil(&mut plan, sandbox.reached())?;
            let outcome = match sandbox.prove(plan) {
                Ok(_) => Ok(()),
                Err(SandboxError::Refused(refusal)) => Err(refusal.to_string()),
                Err(why) => return Err(why),
            };
            sandbox.teardown()?;
            Ok(outcome)
        };
        match attempt() {
            Ok(Err(refusal)) => evidence.push(format!("{what}: {refusal}")),
            Ok(Ok(())) => return failed(format!("{what}: was not refused")),
            Err(why) => return failed(format!("{what}: {why}")),
        }
    }
    (Verdict::Pass, evidence)
}

type Spoiler = fn(&mut LaunchPlan, &Layout) -> std::io::Result<()>;

const SPOILERS: [(&str, Spoiler); 4] = [
    ("a socket that is there already", |plan, here| {
        fs::write(here.runtime.join(plan.socket.file_name().unwrap_or_default()), "")
    }),
    ("a HOME outside", |plan, _| {
        set(plan, "HOME", "/");
        Ok(())
    }),
    ("no HOME at all", |plan, _| {
        plan.environment.retain(|(name, _)| name != "HOME");
        Ok(())
    }),
    ("a link that leads outside", |plan, here| {
        std::os::unix::fs::symlink("/", here.home.join("out"))?;
        let led = plan.directory.join("out/var");
        set(plan, "XDG_STATE_HOME", &led.to_string_lossy());
        Ok(())
    }),
];

fn set(plan: &mut LaunchPlan, name: &str, value: &str) {
    for (variable, there) in &mut plan.environment {
        if variable == name {
            *there = value.into();
        }
    }
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
