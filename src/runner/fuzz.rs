//! One libFuzzer input from start to end: the fuzz target is a call of this.

use std::cell::RefCell;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::told::Teller;
use super::{End, Found, Recorded, RunError, Runner, Spending, VERDICT_SPENDING, mutator, record};
use crate::feedback::{self, TargetCoverage, coverage_counters};
use crate::input::Input;
use crate::ops::{Op, write_whole};
use crate::record::{Finding, Verdict, recorded_verdict};
use crate::sandbox::{LEVEL_VARIABLE, Level, own_executable};
use crate::session::{Launcher, Session};
use crate::target::from_environment;

/// Where records go, if not to `bugs/` in the working directory.
pub const OUT_VARIABLE: &str = "M9P_OUT";
/// Steps of one input that are run: more would only be slower.
pub(super) const INPUT_STEPS: usize = 256;

thread_local! {
    /// libFuzzer calls from one thread; the target lives across its calls.
    static RUNNER: RefCell<Option<Runner>> = const { RefCell::new(None) };
    /// The same target's counters.
    static COVERAGE: RefCell<TargetCoverage> = RefCell::default();
    /// Of a campaign's process.
    static TELLER: RefCell<Option<Teller>> = RefCell::new(Teller::from_environment());
}

/// Refuses, with a reason and exit code 2, a target that cannot be, or a choice that there is not:
/// before libFuzzer begins, since afterwards it takes an exit for a crash. Launches nothing: the parent of libFuzzer's fork mode
/// comes here too.
pub fn prepare() {
    let chosen = feedback::wrong_choice().map_or(Ok(()), |why| Err(why.to_owned()));
    if let Err(why) = launcher().map(drop).and(chosen).and(mutator::way().map(drop)) {
        eprintln!("monkey9p: {why}");
        std::process::exit(2);
    }
}

/// What the environment asks for.
fn launcher() -> Result<Launcher, String> {
    let executable = own_executable();
    let target = from_environment(executable.clone()).map_err(|why| why.to_string())?;
    let level = Level::from_environment().map_err(|why| format!("{LEVEL_VARIABLE}: {why}"))?;
    Ok(Launcher { target, executable, level })
}

/// Runs `input` in the living target, and panics if a rule broke: after a verdict, a record and a
/// `DEDUP_TOKEN:` line with the signature, which keeps libFuzzer's minimizing on the same bug. In a
/// campaign what was recorded is no panic. Gives whether the corpus may have the input: one that
/// fails would only be found again.
pub fn fuzz_one(input: &Input) -> bool {
    RUNNER.with_borrow_mut(|runner| {
        let runner = runner.get_or_insert_with(|| match launcher() {
            Ok(launcher) => Runner::new(launcher, false),
            Err(why) => refuse(&why),
        });
        let result = run(runner, input);
        tell_unreachable(runner);
        match result {
            Ok(None) => {
                tell_coverage(runner);
                tell_campaign(runner);
                true
            }
            Ok(Some(report)) => {
                println_err(&format!("DEDUP_TOKEN: {}", report.signature.replace('\n', " ")));
                if !(report.recorded && tell_campaign(runner)) {
                    panic!("{}", report.text);
                }
                // Whose lines they are is seen at their beginnings: some are the target's own words.
                report.text.lines().for_each(|line| println_err(&format!("  {line}")));
                false
            }
            Err(why) => refuse(&why),
        }
    })
}

/// Tells the campaign of an input, and gives whether there is one.
fn tell_campaign(runner: &Runner) -> bool {
    let level = runner.level().map(|level| level.to_string());
    let found = || {
        COVERAGE.with_borrow(|coverage| match coverage.found() {
            Ok((count, program)) => Ok((count, program.display().to_string())),
            Err(why) => Err(why.to_owned()),
        })
    };
    let tell = |teller: &mut Teller| teller.input(level, found);
    TELLER.with_borrow_mut(|teller| teller.as_mut().map(tell).is_some())
}

/// Tells libFuzzer what the input covered of the target, where that can be seen.
fn tell_coverage(runner: &Runner) {
    // A target that quit took its counters with it.
    let pid = runner.session().and_then(Session::target_pid);
    let Some(pid) = pid.filter(|_| feedback::choice().coverage) else { return };
    COVERAGE.with_borrow_mut(|coverage| {
        coverage.read(pid, coverage_counters());
        if let Some(line) = coverage.news(coverage_counters().len()) {
            println_err(&format!("monkey9p: {line}"));
        }
    });
}

/// Says once of each reason that resets do not work: they are what makes this fast.
fn tell_unreachable(runner: &Runner) {
    thread_local! {
        static TOLD: RefCell<usize> = const { RefCell::new(0) };
    }
    let reasons = runner.unreachable_baselines();
    TOLD.with_borrow_mut(|told| {
        if reasons.len() > *told {
            *told = reasons.len();
            println_err(&format!("monkey9p: a reset did not reach the baseline: {reasons:?}"));
        }
    });
}

/// The ops that an input is run as: a `fresh`, and at most 256 more.
pub fn input_ops(input: &Input) -> Vec<Op> {
    let mut ops = input.render();
    ops.truncate(INPUT_STEPS + 1);
    ops
}

/// What a failure is reported as.
struct Report {
    signature: String,
    text: String,
    /// Whether there is a record of it.
    recorded: bool,
}

fn run(runner: &mut Runner, input: &Input) -> Result<Option<Report>, RunError> {
    let ops = input_ops(input);
    let Some((Op::Fresh { follower }, steps)) = ops.split_first() else { return Ok(None) };
    let mut found = runner.next_input(*follower)?.map(|finding| (0, finding));
    for (step, op) in steps.iter().enumerate() {
        if found.is_some() {
            break;
        }
        let began = Instant::now();
        let end = runner.step(op)?;
        tell_step(op, &end, began);
        match end {
            End::Done(outcome) => mutator::listen(&outcome),
            // The rest would run in a target that this input did not make.
            End::Quit => break,
            // The fresh is the first of the ops.
            End::Found(finding) => found = Some((step + 1, finding)),
        }
    }
    match found {
        None => Ok(None),
        Some((step, finding)) => Ok(Some(report(runner, &ops, step, &finding))),
    }
}

fn tell_step(op: &Op, end: &End, began: Instant) {
    let outcome = match end {
        End::Done(outcome) => Some(outcome),
        End::Quit | End::Found(_) => None,
    };
    TELLER.with_borrow_mut(|teller| {
        if let Some(teller) = teller {
            teller.step(op, outcome, began.elapsed());
        }
    });
}

fn report(runner: &mut Runner, ops: &[Op], step: usize, finding: &Finding) -> Report {
    let folder = out_folder().join("bugs");
    let found = Found { finding, seed: None, step, input: Some(ops) };
    let spending = spending().filter(|_| !minimizing() && worth_judging(&folder, finding));
    let recorded = record(runner, &folder, &found, spending);
    TELLER.with_borrow_mut(|teller| teller.iter_mut().for_each(Teller::judged));
    let Finding { kind, why, detail, crash } = finding;
    let mut text = format!("{kind}: {why}\n  seen: {detail}\n");
    let recorded = match recorded {
        Ok(recorded) => recorded,
        // On a full disk, say: what was found is told all the same, and libFuzzer's artifact is left.
        Err(why) => {
            text += &format!("  record: none, {why}\n{crash}");
            return Report { signature: finding.signature(), text, recorded: false };
        }
    };
    if let Some(judged) = &recorded.judged {
        text += &format!("  verdict: {} ({})\n", judged.verdict.text(), judged.evidence);
    }
    if let Some(judged) = &recorded.judged
        && judged.verdict == Verdict::WithHistory
    {
        text += &format!("  an input that fails alone: {}\n", history(finding, &recorded));
    }
    text += &format!("  record: {}\n{crash}", recorded.path.display());
    Report { signature: finding.signature(), text, recorded: true }
}

/// A campaign meets the same bug over and over, and has no time for what it knows.
fn worth_judging(folder: &Path, finding: &Finding) -> bool {
    TELLER.with_borrow_mut(|teller| match teller {
        Some(teller) => {
            let verdict = recorded_verdict(folder, finding);
            teller.found(&finding.signature(), verdict.as_deref())
        }
        None => true,
    })
}

/// Writes an input that needs no history where libFuzzer keeps artifacts: gives its path, or why
/// there is none.
fn history(finding: &Finding, recorded: &Recorded) -> String {
    let Some(bytes) = &recorded.artifact else {
        return format!("none, it needs more than {INPUT_STEPS} steps");
    };
    let prefix =
        std::env::args().find_map(|it| it.strip_prefix(ARTIFACT_PREFIX).map(str::to_owned));
    let path = format!("{}history-{}", prefix.unwrap_or_default(), finding.directory());
    match write_whole(Path::new(&path), bytes) {
        Ok(()) => path,
        Err(why) => format!("{path}: {why}"),
    }
}

/// libFuzzer's flag that says where artifacts go: what their names begin with.
const ARTIFACT_PREFIX: &str = "-artifact_prefix=";

/// How long a verdict may take, in seconds; none is given for 0.
pub const VERDICT_VARIABLE: &str = "M9P_VERDICT_SECONDS";

fn spending() -> Option<Spending> {
    match std::env::var(VERDICT_VARIABLE).ok().and_then(|seconds| seconds.parse().ok()) {
        Some(0) => None,
        Some(seconds) => Some(Spending { seconds, ..VERDICT_SPENDING }),
        None => Some(VERDICT_SPENDING),
    }
}

/// Whether libFuzzer minimizes: by failing again and again, so that it needs the signature alone, and
/// soon. Before each round it runs what the last one left, and then tells so by nothing but the name.
fn minimizing() -> bool {
    let is_left = |argument: String| {
        let name = Path::new(&argument).file_name().map(|name| name.to_string_lossy().into_owned());
        name.is_some_and(|name| name.starts_with(MINIMIZED_PREFIX))
    };
    flag("-minimize_crash") || (flag("-runs=") && std::env::args().any(is_left))
}

/// What libFuzzer's names of minimized inputs begin with.
const MINIMIZED_PREFIX: &str = "minimized-from-";

/// Whether libFuzzer was given a flag that begins so.
fn flag(name: &str) -> bool {
    std::env::args().any(|argument| argument.starts_with(name))
}

fn out_folder() -> PathBuf {
    std::env::var_os(OUT_VARIABLE).map_or_else(|| Path::new(".").into(), PathBuf::from)
}

/// Standard error may be closed; that is no reason to panic.
fn println_err(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// No result can be had. The sandbox is cleared by its first process; libFuzzer is told nothing,
/// since this is no finding.
fn refuse(why: &dyn std::fmt::Display) -> ! {
    println_err(&format!("monkey9p: {why}"));
    crate::quit::quit(2)
}
