//! What there is to tell of a campaign when it is over, or so far: as JSON, as a page, as a text.

mod growth;
mod page;
mod plot;
mod text;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::limits::{PLOT_POINTS, STORY_BYTES};
use super::totals::read_json;
use super::{BUGS, Campaign, CampaignError, Event, Kind, Manifest, Sample, State, plain};
use crate::ops::write_whole;
use crate::record::{INDEX_FILE, STORY_FILE};
use crate::runner::{AskedOf, Slow, Spent};

pub use growth::Growth;

/// The report's files in a campaign's directory.
const PAGE: &str = "report.html";
const JSON: &str = "report.json";
const TEXT: &str = "report.txt";

/// A campaign's report. The keys are documented in docs/campaigns.md.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What it was started as.
    pub manifest: Manifest,
    /// What it is doing.
    pub state: Option<State>,
    /// How far it was last.
    pub last: Sample,
    /// The first sample that has features: those of the seeds, more or less.
    pub first: Sample,
    /// The most inputs that it ran in a second.
    pub most_executions_per_s: f64,
    /// What holds the target.
    pub level: String,
    /// What is read of the target's coverage, or why nothing is.
    pub coverage: String,
    /// How far it was over time, thinned out.
    pub series: Vec<Point>,
    /// What was found, in the order it was.
    pub findings: Vec<Finding>,
    /// What was asked of which kind of file, and how it was answered.
    pub files: Vec<AskedOf>,
    /// Where the inputs that grew came from.
    pub growth: Growth,
    /// The time that ops of each kind took.
    pub ops: BTreeMap<String, Spent>,
    /// The ops that took longest.
    pub slowest: Vec<Slow>,
    /// What happened.
    pub events: Vec<Event>,
    /// Lines of the statistics that are torn.
    pub torn: usize,
}

/// A point of the plots.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// When, in seconds.
    pub elapsed_s: f64,
    /// Features by then.
    pub features: u64,
    /// Inputs run by then.
    pub executions: u64,
}

/// Something that was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Finding {
    /// The directory of its record, below `bugs/`.
    pub directory: String,
    /// A rule's name, or what kind of failure.
    pub kind: String,
    /// What happened.
    pub why: String,
    /// What makes it the same bug.
    pub signature: String,
    /// Whether it happens again; nothing if that was not tried.
    pub verdict: Option<String>,
    /// How often it was met.
    pub seen: u64,
    /// How many ops show it at least.
    pub minimized: Option<u64>,
    /// When it was first met, in seconds of the campaign.
    pub after_s: Option<f64>,
    /// The story of it, step by step.
    pub story: Option<String>,
}

impl Report {
    /// Of a campaign, whatever it is doing.
    pub fn of(campaign: &Campaign) -> Result<Report, CampaignError> {
        let (samples, torn) = campaign.samples()?;
        let events = campaign.events()?;
        let told = campaign.totals().told;
        let most = samples.iter().map(|sample| sample.executions_per_s).fold(0.0, f64::max);
        Ok(Report {
            manifest: campaign.manifest()?,
            state: campaign.state()?,
            last: samples.last().cloned().unwrap_or_default(),
            first: samples.iter().find(|it| it.features > 0).cloned().unwrap_or_default(),
            most_executions_per_s: most,
            level: told.level,
            coverage: told.coverage,
            series: series(&samples),
            findings: findings(&campaign.directory.join(BUGS), &events),
            files: told.asked,
            growth: Growth::of(&campaign.directory),
            ops: told.ops,
            slowest: told.slowest,
            events,
            torn,
        })
    }

    /// The page.
    pub fn page(&self) -> String {
        page::page(self)
    }

    /// The short text.
    pub fn text(&self) -> String {
        text::text(self)
    }

    /// Writes all three into the campaign's directory.
    pub fn write(&self, campaign: &Campaign) -> Result<(), CampaignError> {
        let json = serde_json::to_vec_pretty(self).map_err(io::Error::from);
        let write = |name: &str, bytes: &[u8]| {
            campaign.io(name, write_whole(&campaign.directory.join(name), bytes))
        };
        write(JSON, &campaign.io(JSON, json)?)?;
        write(TEXT, self.text().as_bytes())?;
        write(PAGE, self.page().as_bytes())
    }
}

impl Campaign {
    /// Where its page is, once it is written.
    pub fn page_path(&self) -> std::path::PathBuf {
        self.directory.join(PAGE)
    }
}

/// At most so many points, the last among them; those before the first feature was counted would
/// only show how long a start takes.
fn series(samples: &[Sample]) -> Vec<Point> {
    let counted: Vec<&Sample> = samples.iter().filter(|sample| sample.features > 0).collect();
    let each = counted.len().div_ceil(PLOT_POINTS).max(1);
    let kept = counted.iter().rev().step_by(each).rev();
    let point = |sample: &&Sample| Point {
        elapsed_s: sample.elapsed_ms as f64 / 1_000.0,
        features: sample.features,
        executions: sample.executions,
    };
    kept.map(point).collect()
}

/// From the index of the bugs and what stands beside their records.
fn findings(bugs: &Path, events: &[Event]) -> Vec<Finding> {
    let index: Value = read_json(&bugs.join(INDEX_FILE)).unwrap_or_default();
    let all = index.get("bugs").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut findings: Vec<Finding> = all.iter().map(|bug| finding(bugs, bug, events)).collect();
    findings.sort_by(|a, b| {
        let after = |it: &Finding| it.after_s.unwrap_or(f64::MAX);
        after(a).total_cmp(&after(b)).then_with(|| a.directory.cmp(&b.directory))
    });
    findings
}

fn finding(bugs: &Path, bug: &Value, events: &[Event]) -> Finding {
    let text = |key: &str| bug.get(key).and_then(Value::as_str).map(plain);
    let directory = text("directory").unwrap_or_default();
    let met = |event: &&Event| event.kind == Kind::Found && event.what == directory;
    Finding {
        kind: text("kind").unwrap_or_default(),
        why: text("why").or(text("torn")).unwrap_or_default(),
        signature: text("signature").unwrap_or_default(),
        verdict: text("verdict"),
        seen: bug.get("seen").and_then(Value::as_u64).unwrap_or_default(),
        minimized: bug.get("minimized").and_then(Value::as_u64),
        after_s: events.iter().find(met).map(|event| event.elapsed_ms as f64 / 1_000.0),
        story: story(bugs, &directory),
        directory,
    }
}

/// The index names the directory, which must be one of these.
fn story(bugs: &Path, directory: &str) -> Option<String> {
    let inside = !directory.contains('/') && !matches!(directory, "" | "." | "..");
    let text = std::fs::read(bugs.join(directory).join(STORY_FILE)).ok().filter(|_| inside)?;
    let text = String::from_utf8_lossy(&text[..text.len().min(STORY_BYTES)]).into_owned();
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn sample(second: u64, features: u64) -> Sample {
        let (elapsed_ms, executions) = (second * 1_000, second * 10);
        Sample { elapsed_ms, features, executions, ..Sample::default() }
    }

    #[test]
    fn a_long_series_is_thinned_out_and_keeps_its_end() {
        assert_eq!(series(&[sample(0, 0), sample(1, 0)]), []);
        let samples: Vec<Sample> = (0..=10_000).map(|second| sample(second, second)).collect();
        let thin = series(&samples);
        assert!(thin.len() <= PLOT_POINTS && thin.len() > PLOT_POINTS / 2);
        assert_eq!(thin.last().unwrap().elapsed_s, 10_000.0);
        assert!(thin.windows(2).all(|two| two[0].elapsed_s < two[1].elapsed_s));
    }

    #[test]
    fn findings_are_told_in_the_order_they_were_met_whatever_the_index_holds() {
        let folder = tempfile::tempdir().unwrap();
        let bugs = folder.path().join("bugs");
        fs::create_dir_all(bugs.join("crash-1")).unwrap();
        fs::write(bugs.join("crash-1/story.md"), "words").unwrap();
        fs::write(folder.path().join("story.md"), "of another").unwrap();
        let event = |what: &str, elapsed_ms| Event {
            at: String::new(),
            elapsed_ms,
            kind: Kind::Found,
            what: what.into(),
        };
        let events = [event("hang-2", 9_000), event("crash-1", 4_500)];
        assert_eq!(findings(&bugs, &events), []);
        for torn in ["", "{", "[]", "{\"bugs\": 3}"] {
            fs::write(bugs.join("index.json"), torn).unwrap();
            assert_eq!(findings(&bugs, &events), []);
        }
        let index = r#"{"bugs": [{"directory": ".."}, 7, {"directory": "hang-2", "seen": -1},
            {"directory": "crash-1", "why": "a\u001b[2Jb", "seen": 3, "verdict": null}]}"#;
        fs::write(bugs.join("index.json"), index).unwrap();
        let found = findings(&bugs, &events);
        let names: Vec<&str> = found.iter().map(|it| &*it.directory).collect();
        assert_eq!(names, ["crash-1", "hang-2", "", ".."]);
        assert_eq!((found[0].after_s, found[0].seen), (Some(4.5), 3));
        assert_eq!(found[0].story.as_deref(), Some("words"));
        assert!(!found[0].why.contains('\u{1b}') && found[3].story.is_none());
    }
}
