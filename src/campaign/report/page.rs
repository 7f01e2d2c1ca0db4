//! The report as one page that needs nothing else: no network, no script.

use std::collections::BTreeSet;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::super::{local, plain};
use super::plot::{GRID_MARK, INK_MARK, LINE_MARK, plot, time};
use super::text::facts;
use super::{Finding, Report};
use crate::runner::{Answers, AskedOf, Operation};

/// The pictures' sizes: one for a desk and one for a phone, whose letters would be too small if it
/// were the same.
const WIDE: (u32, u32) = (860, 240);
const NARROW: (u32, u32) = (360, 220);
/// Seeds that are named: a corpus that grew before is among them.
const SEEDS: usize = 50;
/// Events that are shown, the last ones.
const EVENTS: usize = 100;

/// The page.
pub fn page(report: &Report) -> String {
    let name = &report.manifest.name;
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { "monkey9p campaign " (name) }
                style { (PreEscaped(style())) }
            }
            body {
                h1 { "Campaign " (name) }
                (summary(report))
                (plots(report))
                (findings(report))
                (files(&report.files))
                (growth(report))
                (times(report))
                (events(report))
                (beginnings(report))
            }
        }
    };
    markup.into_string()
}

fn summary(report: &Report) -> Markup {
    html! {
        dl {
            @for (what, value) in facts(report).into_iter().skip(1) {
                dt { (what) } dd { (plain(&value)) }
            }
        }
    }
}

fn plots(report: &Report) -> Markup {
    let line = |of: fn(&super::Point) -> u64| -> Vec<(f64, f64)> {
        report.series.iter().map(|point| (point.elapsed_s, of(point) as f64)).collect()
    };
    let all = [("Features", line(|it| it.features)), ("Executions", line(|it| it.executions))];
    html! {
        h2 { "Over time" }
        @for (what, points) in &all {
            h3 { (what) }
            @match (plot(points, WIDE), plot(points, NARROW)) {
                (Some(wide), Some(narrow)) => {
                    div.plot.wide role="img" aria-label=(what) { (PreEscaped(wide)) }
                    div.plot.narrow role="img" aria-label=(what) { (PreEscaped(narrow)) }
                }
                _ => { p { "Too short to plot." } }
            }
        }
    }
}

fn findings(report: &Report) -> Markup {
    html! {
        h2 { "Findings" }
        @if report.findings.is_empty() {
            p { "Nothing was found." }
        }
        @for it in &report.findings {
            section.finding {
                h3 { (it.kind) }
                p { (it.why) }
                p.small { (met(it)) }
                @if let Some(story) = &it.story {
                    details {
                        summary { "The story, step by step" }
                        pre { (visible(story)) }
                    }
                }
            }
        }
    }
}

fn met(finding: &Finding) -> String {
    let verdict = finding.verdict.as_deref().unwrap_or("not judged");
    let mut text = format!("Verdict: {verdict}. Met {} times", finding.seen);
    if let Some(after) = finding.after_s {
        text += &format!(", first after {}", time(after));
    }
    if let Some(ops) = finding.minimized {
        text += &format!("; {ops} ops show it");
    }
    text + &format!(". Record: bugs/{}", finding.directory)
}

fn files(asked: &[AskedOf]) -> Markup {
    let kinds: BTreeSet<&str> = asked.iter().map(|it| &*it.file).collect();
    let of = |file: &str, operation| {
        let found = asked.iter().find(|it| it.file == file && it.operation == operation);
        found.map(|it| it.answers).unwrap_or_default()
    };
    html! {
        h2 { "What was asked of which file" }
        @if kinds.is_empty() {
            p { "Nothing is known of it." }
        } @else {
            p.small { "How often it was done / refused / held until it was flushed. The checks' own requests and raw messages are not counted." }
            div.scroll {
                table {
                    thead { tr { th { "file" } @for operation in Operation::ALL { th { (operation.name()) } } } }
                    tbody {
                        @for kind in kinds {
                            tr {
                                th scope="row" { (kind) }
                                @for operation in Operation::ALL { td { (answers(of(kind, operation))) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn answers(Answers { done, refused, held }: Answers) -> String {
    match (done, refused, held) {
        (0, 0, 0) => "–".into(),
        (done, refused, 0) => format!("{done} / {refused}"),
        (done, refused, held) => format!("{done} / {refused} / {held}"),
    }
}

fn growth(report: &Report) -> Markup {
    let growth = &report.growth;
    let (grown, barren): (Vec<_>, Vec<_>) = growth.seeds.iter().partition(|it| it.inputs > 0);
    let barren: Vec<&str> = barren.iter().map(|it| &*it.seed).collect();
    let more = grown.len().saturating_sub(SEEDS);
    html! {
        h2 { "What brought new features" }
        p { (growth.inputs) " inputs that brought features were made of others; of " (growth.unknown)
            " it is not known which seed they come from, since libFuzzer does not tell when it puts a shorter input in another's place." }
        p { "Inputs that come from each seed:" }
        div.scroll {
            table {
                thead { tr { th { "seed" } th { "inputs" } } }
                tbody { @for it in grown.into_iter().take(SEEDS) { tr { th scope="row" { (it.seed) } td { (it.inputs) } } } }
            }
        }
        @if more > 0 {
            p.small { "Fewer come from each of " (more) " others." }
        }
        @if (1..=SEEDS).contains(&barren.len()) {
            p.small { "None come from " (barren.join(", ")) "." }
        } @else if !barren.is_empty() {
            p.small { "None come from " (barren.len()) " others." }
        }
        p { "Ops that such inputs have more of than what they were made of, in " (growth.compared) " pairs that could be compared:" }
        div.scroll {
            table {
                thead { tr { th { "op" } th { "inputs" } } }
                tbody { @for it in &growth.ops { tr { th scope="row" { (it.op) } td { (it.inputs) } } } }
            }
        }
    }
}

fn times(report: &Report) -> Markup {
    let ms = |us: u64| format!("{:.1} ms", us as f64 / 1_000.0);
    html! {
        h2 { "What took long" }
        p.small { "Each op with the checks after it." }
        div.scroll {
            table {
                thead { tr { th { "slowest" } th { "took" } } }
                tbody { @for it in &report.slowest { tr { th scope="row" { (plain(&it.op)) } td { (ms(it.us)) } } } }
            }
        }
        div.scroll {
            table {
                thead { tr { th { "op" } th { "times" } th { "on average" } th { "at most" } } }
                tbody {
                    @for (op, it) in &report.ops {
                        tr {
                            th scope="row" { (plain(op)) } td { (it.count) }
                            td { (ms(it.total_us / it.count.max(1))) } td { (ms(it.longest_us)) }
                        }
                    }
                }
            }
        }
    }
}

fn events(report: &Report) -> Markup {
    let hidden = report.events.len().saturating_sub(EVENTS);
    html! {
        h2 { "What happened" }
        @if hidden > 0 {
            p.small { (hidden) " earlier events are in events.jsonl." }
        }
        div.scroll {
            table {
                tbody {
                    @for it in report.events.iter().skip(hidden) {
                        tr { td { (local(&it.at)) } td { (it.kind.name()) } td.text { (plain(&it.what)) } }
                    }
                }
            }
        }
    }
}

fn beginnings(report: &Report) -> Markup {
    let it = &report.manifest;
    let program = it.target.program.as_ref().map_or(&it.fuzzer, |program| program);
    let flags = if it.flags.is_empty() { "none".to_owned() } else { it.flags.join(" ") };
    let machine = format!(
        "{}, Linux {}, {} processors",
        it.machine.host, it.machine.kernel, it.machine.processors
    );
    html! {
        h2 { "How it was started" }
        dl {
            dt { "monkey9p" } dd { (it.version) }
            dt { "program" } dd { (program.path.display()) }
            dt { "SHA-1" } dd { (program.sha1) }
            dt { "flags" } dd { (flags) }
            dt { "machine" } dd { (machine) }
        }
    }
}

/// A text of several lines without what no letter stands for.
fn visible(text: &str) -> String {
    text.lines().map(|line| plain(line) + "\n").collect()
}

fn style() -> String {
    let marks = [(LINE_MARK, "line"), (INK_MARK, "soft"), (GRID_MARK, "grid")];
    let mut colours = String::new();
    for (mark, name) in marks {
        for what in ["stroke", "fill"] {
            colours += &format!(".plot [{what}=\"{mark}\"]{{{what}:var(--{name})}}\n");
        }
    }
    STYLE.to_owned() + &colours
}

const STYLE: &str = "
:root{--paper:#fff;--ink:#1b1f24;--soft:#57606a;--grid:#d8dee4;--line:#0a58ca;--box:#f3f5f7;--bad:#b42318}
@media (prefers-color-scheme:dark){
:root{--paper:#101418;--ink:#e6e9ec;--soft:#9aa4ae;--grid:#2d343b;--line:#6ea8fe;--box:#1a2026;--bad:#ff8a7a}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:58rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;margin:.5rem 0}
h2{font-size:1.15rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--grid)}
h3{font-size:1rem;margin:1rem 0 .25rem}
p{margin:.4rem 0}
.small{color:var(--soft);font-size:.875rem}
dl{display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;gap:.15rem 1rem;margin:.5rem 0}
dt{color:var(--soft)}dd{margin:0}
.plot svg{width:100%;height:auto;display:block}
.narrow{display:none}
@media (max-width:600px){.wide{display:none}.narrow{display:block}}
.finding{background:var(--box);border-left:4px solid var(--bad);padding:.5rem .75rem;margin:.75rem 0}
.finding h3{margin-top:0;color:var(--bad)}
pre{white-space:pre-wrap;font-size:.8rem;margin:.5rem 0}
summary{cursor:pointer}
.scroll{overflow-x:auto;margin:.5rem 0}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .6rem;border-bottom:1px solid var(--grid);text-align:right;white-space:nowrap;vertical-align:top}
th:first-child,tbody tr td:first-child,td.text{text-align:left}
td.text{white-space:normal;min-width:16rem}
tbody th{font-weight:normal}
thead th{white-space:normal}
";
