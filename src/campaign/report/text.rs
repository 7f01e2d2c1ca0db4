//! The report as a short text.

use super::super::{local, plain};
use super::Report;
use super::plot::time;

/// How many of each list the text tells.
const SHOWN: usize = 5;

/// The text; lines end, and hold nothing that a terminal would act on.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    let mut put = |line: String| {
        out += &plain(&line);
        out.push('\n');
    };
    for (what, value) in facts(report) {
        put(format!("{what:<12} {value}"));
    }
    put(String::new());
    put(format!("{} found", report.findings.len()));
    for finding in &report.findings {
        let after =
            finding.after_s.map_or(String::new(), |after| format!(" after {}", time(after)));
        put(format!("  {}: {}", finding.kind, finding.why));
        let verdict = finding.verdict.as_deref().unwrap_or("not judged");
        put(format!(
            "    {verdict}, met {} times, first{after}: bugs/{}",
            finding.seen, finding.directory
        ));
    }
    put(String::new());
    let growth = &report.growth;
    put(format!("{} inputs grew from others", growth.inputs));
    for seed in growth.seeds.iter().take(SHOWN).filter(|seed| seed.inputs > 0) {
        put(format!("  {} from {}", seed.inputs, seed.seed));
    }
    for op in growth.ops.iter().take(SHOWN) {
        put(format!("  {} with more of {}", op.inputs, op.op));
    }
    if !report.slowest.is_empty() {
        put("slowest ops".into());
    }
    for slow in report.slowest.iter().take(SHOWN) {
        put(format!("  {:.1} ms  {}", slow.us as f64 / 1_000.0, slow.op));
    }
    out
}

/// What there is to say first, in text and page.
pub fn facts(report: &Report) -> Vec<(&'static str, String)> {
    let Report { manifest, last, first, .. } = report;
    let mut facts = vec![("campaign", manifest.name.clone()), ("state", state(report))];
    if let Some(reason) = report.state.as_ref().and_then(|state| state.reason.clone()) {
        facts.push(("why", reason));
    }
    let seconds = last.elapsed_ms as f64 / 1_000.0;
    let rate = if seconds > 0.0 { last.executions as f64 / seconds } else { 0.0 };
    facts.extend([
        ("target", manifest.target.binary.clone()),
        ("started", local(&manifest.started)),
        ("ran", format!("{} of {}", time(seconds), time(manifest.seconds as f64))),
        (
            "executions",
            format!(
                "{} ({rate:.1} a second; at most {:.1})",
                last.executions, report.most_executions_per_s
            ),
        ),
        ("features", format!("{} to {}", first.features, last.features)),
        ("edges", format!("{} to {}, of the harness's own", first.edges, last.edges)),
        ("corpus", format!("{} to {} inputs", first.corpus, last.corpus)),
        ("jobs", format!("{}; {} restarts, {} deaths", manifest.jobs, last.restarts, last.deaths)),
        (
            "found",
            format!(
                "{} different, {} in all; {} out of memory, {} timeouts",
                last.signatures, last.crashes, last.ooms, last.timeouts
            ),
        ),
    ]);
    if last.unrecorded > 0 {
        facts
            .push(("unrecorded", format!("{} findings had no room for a record", last.unrecorded)));
    }
    if report.torn > 0 {
        facts.push(("torn", format!("{} lines of the statistics", report.torn)));
    }
    facts.push(("sandbox", report.level.clone()));
    facts.push(("coverage", report.coverage.clone()));
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

fn state(report: &Report) -> String {
    let Some(state) = &report.state else { return "not begun".into() };
    let until = state.until.as_deref().map_or(String::new(), |until| format!(" {}", local(until)));
    let exit = state.exit.map_or(String::new(), |exit| format!(" with {exit}"));
    format!("{}{until}{exit}", state.phase.name())
}
