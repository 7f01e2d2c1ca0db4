//! Campaigns with the fuzz target itself, where its build is to be had: what they find, and what
//! becomes of them when something goes wrong.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use common::campaigns::{self, Checkout, said};
use common::disk::on_small_disk;
use monkey9p::sandbox::{process, tokened};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

fn checkout(test: &str, plant: Option<&'static str>) -> Option<Checkout> {
    Some(Checkout::new(common::fuzzer(test)?, plant))
}

fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let all = fs::read_dir(folder).unwrap().flatten();
    let read = |entry: fs::DirEntry| {
        (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap())
    };
    all.map(read).collect()
}

#[test]
fn a_sound_target_gives_a_campaign_that_ends_by_itself_with_nothing() {
    let test = "a_sound_target_gives_a_campaign_that_ends_by_itself_with_nothing";
    let Some(checkout) = checkout(test, None) else { return };
    let committed = checkout.root().join("corpus/monkey9p");
    let before = contents(&committed);
    let done = checkout.start("sound", &["--seconds", "4", "--jobs", "2", "--wait"]);
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let status = checkout.status("sound");
    assert_eq!(status["phase"], "ended", "{status}");
    assert_eq!((&status["exit"], &status["signatures"]), (&0.into(), &0.into()), "{status}");
    assert!(status["elapsed_s"].as_f64().unwrap() >= 4.0);
    assert!(status["executions"].as_u64().unwrap() > 0 && status["features"].as_u64().unwrap() > 0);
    assert_eq!(contents(&checkout.path("sound").join("artifacts")).len(), 0);
    // Merged beside what grew; what is committed stays as it is.
    let [grown, merged] =
        ["corpus", "merged"].map(|name| contents(&checkout.path("sound").join(name)));
    assert!(!merged.is_empty() && merged.len() <= grown.len());
    assert_eq!(contents(&committed), before);
    assert_eq!(checkout.left(&checkout.token("sound")), None);
    // It is over, and another of its name would be another's.
    for arguments in [&["start", "--name", "sound"][..], &["resume", "sound"]] {
        let done = checkout.run(&[&["campaign"], arguments].concat());
        assert_eq!(done.status.code(), Some(2), "{}", said(&done));
    }
}

#[test]
fn a_planted_defect_is_one_finding_however_often_it_is_met() {
    let test = "a_planted_defect_is_one_finding_however_often_it_is_met";
    for (plant, kind) in [
        ("err-missing", "one_failure_rule"),
        ("crash-on-rmessage", "crash"),
        ("crash-double-clunk", "crash"),
    ] {
        let Some(checkout) = checkout(test, Some(plant)) else { return };
        checkout.started("planted", &["--seconds", "600", "--jobs", "2"]);
        // It goes on after a finding, and meets it again.
        checkout.wait("planted", "met again", |status| status["crashes"].as_u64() > Some(1));
        checkout.wait("planted", "judged", |_| {
            checkout.path("planted").join("bugs/index.json").is_file()
                && bugs(&checkout).iter().all(|bug| bug["verdict"].is_string())
        });
        assert!(said(&checkout.run(&["campaign", "stop", "planted"])).contains("stopped"));
        let status = checkout.status("planted");
        assert_eq!((&status["phase"], &status["exit"]), (&"stopped".into(), &1.into()), "{status}");
        assert_eq!(status["signatures"], 1, "{plant}: {status} {:?}", bugs(&checkout));
        let found = bugs(&checkout);
        assert!(found.len() == 1 && found[0]["kind"] == kind, "{found:?}");
        assert_eq!(checkout.left(&checkout.token("planted")), None);
        let page = fs::read_to_string(checkout.path("planted").join("report.html")).unwrap();
        assert!(page.contains(found[0]["directory"].as_str().unwrap()) && page.contains("<pre>"));
        assert_eq!(page.matches("class=\"finding\"").count(), 1);
    }
}

fn bugs(checkout: &Checkout) -> Vec<Value> {
    let index = fs::read(checkout.path("planted").join("bugs/index.json")).unwrap();
    let index: Value = serde_json::from_slice(&index).unwrap();
    index["bugs"].as_array().unwrap().clone()
}

fn end(pid: i32) {
    let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
}

/// The processes of a campaign by what they are: fuzzing processes, and what those started.
fn family(token: &str, supervisor: i32) -> (Vec<i32>, Vec<i32>) {
    tokened(token)
        .into_iter()
        .partition(|&pid| process(pid).is_some_and(|it| it.parent == supervisor))
}

/// Each in turn: the state stays true, what was counted stays counted, and nothing is left.
#[test]
fn any_process_may_be_killed_and_nothing_that_was_recorded_is_lost() {
    let test = "any_process_may_be_killed_and_nothing_that_was_recorded_is_lost";
    let Some(checkout) = checkout(test, None) else { return };
    checkout.started("k", &["--seconds", "600", "--jobs", "2"]);
    let running = |status: &Value| status["jobs"] == 2 && status["executions"].as_u64() > Some(30);
    checkout.wait("k", "it runs", running);
    let token = checkout.token("k");
    let supervisor =
        i32::try_from(checkout.status("k")["supervisor_pid"].as_i64().unwrap()).unwrap();
    // A second of the same name is refused, and the first is not touched.
    let second = checkout.start("k", &["--seconds", "1"]);
    assert_eq!(second.status.code(), Some(2), "{}", said(&second));
    assert!(said(&second).contains("there is a campaign of this name"), "{}", said(&second));
    let resumed = checkout.run(&["campaign", "resume", "k"]);
    assert!(resumed.status.code() == Some(2) && said(&resumed).contains("it is running"));
    // A fuzzing process.
    let (jobs, _) = family(&token, supervisor);
    end(jobs[0]);
    let deaths = |count: u64| move |status: &Value| status["deaths"].as_u64() >= Some(count);
    checkout.wait("k", "a death is counted", deaths(1));
    checkout.wait("k", "another takes its place", |status| {
        status["restarts"].as_u64() >= Some(1) && status["jobs"] == 2
    });
    assert!(checkout.events("k").contains("signal: 9"), "{}", checkout.events("k"));
    // What a fuzzing process started: whichever it is, the campaign goes on.
    let (_, inner) = family(&token, supervisor);
    inner.into_iter().for_each(end);
    let before = checkout.status("k")["executions"].as_u64();
    checkout.wait("k", "it goes on", |status| {
        status["jobs"] == 2 && status["executions"].as_u64() > before
    });
    // The warden, which the supervisor alone knows.
    let wardens = monkey9p::sandbox::family(supervisor);
    let direct = wardens.values().filter(|it| it.parent == supervisor).map(|it| it.pid);
    let of_jobs = family(&token, supervisor).0;
    let warden: Vec<i32> = direct.filter(|pid| !of_jobs.contains(pid)).collect();
    assert_eq!(warden.len(), 1, "{warden:?}");
    end(warden[0]);
    let mended = || checkout.events("k").contains("the warden was gone");
    assert!(common::wait_until(campaigns::SOON, mended), "{}", checkout.events("k"));
    // The corpus, all at once: the fuzzing processes write into it meanwhile.
    let corpus = checkout.path("k").join("corpus");
    fs::rename(&corpus, checkout.root().join("gone")).unwrap();
    let mended = || checkout.events("k").contains("the corpus directory was gone");
    assert!(common::wait_until(campaigns::SOON, mended), "{}", checkout.events("k"));
    assert!(corpus.join("seed-failed-write").is_file());
    // A terminal that goes.
    kill(Pid::from_raw(supervisor), Signal::SIGHUP).unwrap();
    checkout.wait("k", "it goes on", |status| status["phase"] == "running" && status["jobs"] == 2);
    // The supervisor: all it started ends with it.
    let before = checkout.status("k");
    end(supervisor);
    let cleared = common::wait_until(Duration::from_secs(30), || checkout.left(&token).is_none());
    assert!(cleared, "{:?}", checkout.left(&token));
    let status = checkout.status("k");
    assert_eq!(status["phase"], "killed", "{status}");
    assert!(status["reason"].as_str().unwrap().contains("left no word"), "{status}");
    assert!(status["executions"].as_u64() >= before["executions"].as_u64());
    // Another goes on with what is left of the time.
    let resumed = checkout.run(&["campaign", "resume", "k"]);
    assert!(resumed.status.success(), "{}", said(&resumed));
    checkout.wait("k", "it goes on", |now| {
        now["jobs"] == 2 && now["executions"].as_u64() > status["executions"].as_u64()
    });
    assert!(checkout.status("k")["elapsed_s"].as_f64() > status["elapsed_s"].as_f64());
    let token = checkout.token("k");
    let stopped = checkout.run(&["campaign", "stop", "k"]);
    assert!(
        stopped.status.success() && said(&stopped).contains("k: stopped"),
        "{}",
        said(&stopped)
    );
    assert_eq!(checkout.left(&token), None);
    assert_eq!(checkout.status("k")["phase"], "stopped");
}

/// A supervisor that hears nothing is killed, and what it started with it.
#[test]
fn one_that_does_not_stop_when_asked_is_killed() {
    let test = "one_that_does_not_stop_when_asked_is_killed";
    let Some(checkout) = checkout(test, None) else { return };
    checkout.started("deaf", &["--seconds", "600"]);
    checkout.wait("deaf", "it runs", |status| status["executions"].as_u64() > Some(0));
    let token = checkout.token("deaf");
    let supervisor = checkout.status("deaf")["supervisor_pid"].as_i64().unwrap();
    kill(Pid::from_raw(i32::try_from(supervisor).unwrap()), Signal::SIGSTOP).unwrap();
    let stopped = checkout.run(&["campaign", "stop", "deaf"]);
    assert!(stopped.status.success(), "{}", said(&stopped));
    let status = checkout.status("deaf");
    assert_eq!(status["phase"], "stopped", "{status}");
    assert!(status["reason"].as_str().unwrap().contains("was killed"), "{status}");
    assert_eq!(checkout.left(&token), None);
}

/// The target's program is gone when the fuzzing processes want to start it.
#[test]
fn a_target_that_cannot_start_stops_the_campaign_with_the_reason() {
    let test = "a_target_that_cannot_start_stops_the_campaign_with_the_reason";
    let Some(checkout) = checkout(test, None) else { return };
    let program = checkout.root().join("pardes");
    let standin = Path::new(env!("CARGO_BIN_EXE_pardes-standin"));
    fs::copy(standin, &program).unwrap();
    let pardes = ["--pardes", program.to_str().unwrap()];
    checkout.started("gone", &[&["--seconds", "600"], &pardes[..]].concat());
    checkout.wait("gone", "it runs", |status| status["executions"].as_u64() > Some(0));
    assert!(checkout.run(&["campaign", "stop", "gone"]).status.success());
    fs::write(&program, "#!/bin/sh\nexit 3\n").unwrap();
    let other = checkout.run(&["campaign", "resume", "gone"]);
    assert!(
        other.status.code() == Some(2) && said(&other).contains("not the program"),
        "{}",
        said(&other)
    );
    // As if it had been that program all along.
    let manifest = checkout.path("gone").join("manifest.json");
    let mut changed: Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    let hash = monkey9p::campaign::Hashed::of(&program).unwrap().sha1;
    changed["target"]["program"]["sha1"] = hash.into();
    fs::write(&manifest, changed.to_string()).unwrap();
    let resumed = checkout.run(&["campaign", "resume", "gone", "--wait"]);
    assert_eq!(resumed.status.code(), Some(2), "{}", said(&resumed));
    let status = checkout.status("gone");
    assert_eq!(status["phase"], "failed", "{status}");
    let reason = status["reason"].as_str().unwrap();
    assert!(reason.contains("cannot be started") && reason.contains("pardes"), "{reason}");
}

/// It ends with the reason, what was recorded stays, and it goes on when there is room.
#[test]
fn a_full_disk_ends_a_campaign_that_says_so() {
    let test = "a_full_disk_ends_a_campaign_that_says_so";
    let Some(fuzzer) = common::fuzzer(test) else { return };
    let script = r#"
mkdir seeds fuzz corpus; touch fuzz/Cargo.toml; ln -s "SEEDS" corpus/monkey9p
soon() { n=0; until eval "$1"; do n=$((n+1)); [ $n -gt 1000 ] && echo "never: $1" && break; sleep .1; done; }
status() { "$M9P" campaign status f --json; }
"$M9P" campaign start --name f --fuzzer "FUZZER" --seconds 600 --quiet; echo "started: $?"
soon 'status | grep -q "\"signatures\":1"'
soon 'grep -q "\"verdict\": *\"alone" campaigns/f/bugs/index.json'
lines=$(wc -l <campaigns/f/stats.jsonl)
dd if=/dev/zero of=fill bs=4k 2>&-
"$M9P" campaign wait f; echo "full: $?"
[ "$(wc -l <campaigns/f/stats.jsonl)" -ge "$lines" ] && echo no line is gone
"$M9P" replay campaigns/f/bugs/one_failure_rule-*/record.jsonl; echo "replayed: $?"
status | grep -o '"torn":[0-9]*'
[ -e campaigns/f/.reserve ] || echo its reserve is spent
rm fill
"$M9P" campaign resume f; echo "resumed: $?"
soon 'status | grep -q "\"jobs\":1"'
"$M9P" campaign stop f; echo "stopped: $?"
"#;
    let seeds = common::project().join("corpus/monkey9p");
    let script = script.replace("SEEDS", seeds.to_str().unwrap());
    let script = script.replace("FUZZER", fuzzer.to_str().unwrap());
    let Some((_, said)) = on_small_disk(test, "160m", &script) else { return };
    for want in [
        "started: 0\n",
        "failed ",
        "No space left on device",
        "full: 2\n",
        "no line is gone\n",
        "replayed: 1\n",
        "\"torn\":0\n",
        "its reserve is spent\n",
        "resumed: 0\n",
        "f: stopped\n",
        "stopped: 0\n",
    ] {
        assert!(said.contains(want), "{want}: {said}");
    }
    assert!(!said.contains("never: "), "{said}");
}

/// What grew comes into the corpus by a merge alone, and changes no seed.
#[test]
fn the_corpus_grows_by_a_merge_and_its_seeds_stay() {
    let test = "the_corpus_grows_by_a_merge_and_its_seeds_stay";
    let Some(fuzzer) = common::fuzzer(test) else { return };
    let checkout = Checkout::new(fuzzer.clone(), None);
    let committed = checkout.root().join("corpus/monkey9p");
    let before = contents(&committed);
    let done = checkout.start("grown", &["--seconds", "5", "--wait", "--quiet"]);
    assert!(done.status.code() == Some(0) && said(&done).is_empty(), "{}", said(&done));
    let fuzzer = ["--fuzzer", fuzzer.to_str().unwrap()];
    let merge = || checkout.run(&[&["corpus", "merge", "grown"], &fuzzer[..]].concat());
    let done = merge();
    assert!(done.status.success(), "{}", said(&done));
    let after = contents(&committed);
    assert!(after.len() > before.len(), "{}", said(&done));
    assert!(before.iter().all(|(name, bytes)| after.get(name) == Some(bytes)));
    // No input is there twice.
    let different: BTreeSet<&Vec<u8>> = after.values().collect();
    assert_eq!(different.len(), after.len());
    let stats = checkout.run(&["corpus", "stats", "--json"]);
    let stats: Value = serde_json::from_slice(&stats.stdout).unwrap();
    assert_eq!((&stats["seeds"], &stats["inputs"]), (&before.len().into(), &after.len().into()));
    assert_eq!(stats["undecodable"], 0);
    let stats = said(&checkout.run(&["corpus", "stats", "grown"]));
    assert!(stats.contains("/merged: ") && stats.contains("files: "), "{stats}");
}
