//! A campaign's report, made of what stands in its directory, and opened as a person opens it.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::chromium::{browser, seen};
use monkey9p::campaign::{Campaign, Fuzzed, Hashed, Machine, Manifest, Report, Status};
use serde_json::{Value, json};
use tempfile::TempDir;

const HOSTILE: &str = "</style><script>document.title='owned'</script><img src=x onerror=alert(1)>";

/// A campaign that is over, with a finding whose words are the target's.
fn over() -> (TempDir, Campaign) {
    let folder = tempfile::tempdir().unwrap();
    let campaign = Campaign::create(folder.path(), "over").unwrap();
    let fuzzer = folder.path().join("fuzz-target");
    fs::write(&fuzzer, "x").unwrap();
    let target = Fuzzed {
        name: "standin".into(),
        binary: "the embedded standin".into(),
        program: None,
        inferred: true,
        plant: None,
        level: None,
    };
    let manifest = Manifest {
        name: "over".into(),
        version: "0".into(),
        target,
        fuzzer: Hashed::of(&fuzzer).unwrap(),
        flags: vec![HOSTILE.into()],
        environment: Default::default(),
        seconds: 600,
        jobs: 2,
        started: "2026-01-01T10:00:00Z".into(),
        machine: Machine::default(),
    };
    campaign.lay_out(&manifest, &[]).unwrap();
    let put = |name: &str, text: String| fs::write(campaign.directory().join(name), text).unwrap();
    let state = json!({"phase": "ended", "reason": HOSTILE, "exit": 1,
        "process": {"pid": 1, "start": 1, "boot": "x"}, "token": "t",
        "since": "2026-01-01T10:00:00Z", "until": "2026-01-01T10:10:00Z", "elapsed_ms": 600_000});
    put("state.json", state.to_string());
    let sample = |second: u64| {
        let features = 30_000 + second * 40;
        let line = json!({"at": "2026-01-01T10:00:00Z", "elapsed_ms": second * 1_000,
            "executions": second * 70, "executions_per_s": 70.0, "features": features,
            "signatures": 1, "crashes": 12, "jobs": 2});
        line.to_string() + "\n"
    };
    put("stats.jsonl", (0..=600).map(sample).collect::<String>() + "{\"torn");
    let event = json!({"at": "2026-01-01T10:01:00Z", "elapsed_ms": 60_000, "kind": "found",
        "what": "crash-00000001"});
    put("events.jsonl", event.to_string() + "\nnone\n");
    fs::create_dir(campaign.directory().join("bugs/crash-00000001")).unwrap();
    put("bugs/crash-00000001/story.md", format!("# Story\n{}\n{HOSTILE}\n", "long".repeat(300)));
    let bug = json!({"bugs": [{"directory": "crash-00000001", "kind": "crash", "why": HOSTILE,
        "signature": HOSTILE, "verdict": "alone", "seen": 12, "minimized": 2}]});
    put("bugs/index.json", bug.to_string());
    let asked = |file: &str| json!({"file": file, "operation": "write", "done": 3, "refused": 2, "held": 0});
    let totals = json!({"told": {"executions": 42_000, "level": "kernel", "coverage": "none: x",
        "asked": [asked("/pane/N/body"), asked(HOSTILE)],
        "ops": {"write": {"count": 5, "total_us": 5_000, "longest_us": 3_000}},
        "slowest": [{"op": HOSTILE, "us": 3_000}]}});
    put("jobs/total.json", totals.to_string());
    (folder, campaign)
}

/// Each key that an object has stands in the page of documentation, in code.
fn documented(value: &Value, what: &str) {
    let page = fs::read_to_string(common::project().join("docs/campaigns.md")).unwrap();
    let words: BTreeSet<&str> = page.split('`').skip(1).step_by(2).collect();
    let missing: Vec<&String> =
        value.as_object().unwrap().keys().filter(|key| !words.contains(key.as_str())).collect();
    assert!(missing.is_empty(), "{what}: docs/campaigns.md lacks {missing:?}");
}

#[test]
fn the_keys_of_status_and_report_are_documented() {
    let (_folder, campaign) = over();
    let status = json!(Status::of(&campaign).unwrap());
    documented(&status, "status");
    documented(&status["events"][0], "an event");
    let report = json!(Report::of(&campaign).unwrap());
    documented(&report, "report");
    for list in ["series", "findings", "files", "events"] {
        documented(&report[list][0], list);
    }
    documented(&report["growth"], "growth");
}

#[test]
fn json_and_text_tell_the_same() {
    let (_folder, campaign) = over();
    let report = Report::of(&campaign).unwrap();
    report.write(&campaign).unwrap();
    let read = |name: &str| fs::read_to_string(campaign.directory().join(name)).unwrap();
    let json: Value = serde_json::from_str(&read("report.json")).unwrap();
    assert_eq!(json["findings"][0]["after_s"], 60.0);
    assert_eq!((&json["last"]["features"], &json["torn"]), (&54_000.into(), &1.into()));
    let text = read("report.txt");
    for want in ["30000 to 54000", "1 found", "alone, met 12 times, first after 60 s", "ended "] {
        assert!(text.contains(want), "{want}: {text}");
    }
}

#[test]
fn the_page_is_readable_at_a_desk_and_on_a_phone_by_day_and_by_night() {
    let test = "the_page_is_readable_at_a_desk_and_on_a_phone_by_day_and_by_night";
    let (_folder, campaign) = over();
    Report::of(&campaign).unwrap().write(&campaign).unwrap();
    let page = campaign.page_path();
    alone(&page);
    let Some(browser) = browser() else {
        return common::skip(test, "no Chromium (apt-get install chromium)");
    };
    let script = r##"JSON.stringify({title: d.title, wide: d.documentElement.scrollWidth - d.documentElement.clientWidth,
        plots: [...d.querySelectorAll('.plot')].filter(it => it.getBoundingClientRect().width > 0).length,
        letters: Math.min(...[...d.querySelectorAll('.plot text')].filter(it => it.getBoundingClientRect().width > 0)
            .map(it => it.getBoundingClientRect().height)),
        paper: w.getComputedStyle(d.body).backgroundColor,
        line: w.getComputedStyle(d.querySelector('polyline[stroke="#010101"]')).stroke,
        finding: d.querySelector('.finding p').textContent, scripts: d.scripts.length, images: d.images.length})"##;
    let (day, night) = (1, 0);
    for (width, scheme) in [(1280, day), (390, day), (390, night)] {
        let said = seen(browser, &page, width, scheme, script);
        let said: Value =
            serde_json::from_str(&said.replace("&lt;", "<").replace("&gt;", ">")).unwrap();
        let wants = [
            ("title", json!("monkey9p campaign over")),
            // Nothing is wider than the window, and of each plot the one that fits is shown.
            ("wide", json!(0)),
            ("plots", json!(2)),
            ("finding", json!(HOSTILE)),
            ("scripts", json!(0)),
            ("images", json!(0)),
        ];
        for (key, want) in wants {
            assert_eq!(said[key], want, "{key} at {width}: {said}");
        }
        assert!(said["letters"].as_f64() > Some(9.0), "at {width}: {said}");
        let (paper, line) = match scheme == day {
            true => ("rgb(255, 255, 255)", "rgb(10, 88, 202)"),
            false => ("rgb(16, 20, 24)", "rgb(110, 168, 254)"),
        };
        assert_eq!((&said["paper"], &said["line"]), (&paper.into(), &line.into()), "{said}");
    }
}

/// The page asks for nothing outside itself, and holds no script.
fn alone(page: &Path) {
    let text = fs::read_to_string(page).unwrap();
    for never in ["<script", "<img", "<link", "<iframe", "@import", "url("] {
        assert!(!text.contains(never), "{never}");
    }
    let goes_on = regex::Regex::new(r"<[^>]*\s(src|href|on\w+)=").unwrap();
    assert!(!goes_on.is_match(&text), "{:?}", goes_on.find(&text));
    // The name of a language of pictures is no address that is gone to.
    let addresses = regex::Regex::new(r#"https?://[^"]*"#).unwrap();
    for address in addresses.find_iter(&text) {
        assert_eq!(address.as_str(), "http://www.w3.org/2000/svg");
    }
}
