//! The end that somebody else makes of a campaign.

use std::io;
use std::time::{Duration, Instant};

use super::limits::{POLL_MS, STOP_MS};
use super::{Campaign, CampaignError, Phase, STATE, State};
use crate::sandbox::{remove_roots, sweep, tokened};

impl Campaign {
    /// Asks its supervisor to stop, waits, then kills it; never a stranger's process that has its
    /// number now. What it started ends with it, and what is left of that is ended. Gives the state
    /// afterwards; `now` is the time, in ISO 8601.
    pub fn stop(&self, now: &str) -> Result<Option<State>, CampaignError> {
        let Some(state) = self.state()? else { return Ok(None) };
        state.process.ask_to_stop();
        if !wait_for(|| !state.process.alive()) {
            state.process.kill();
            wait_for(|| !state.process.alive());
            if let Some(left) = self.state()?.filter(|left| left.phase == Phase::Killed) {
                let reason = "it did not stop when it was asked to, and was killed".to_owned();
                let until = Some(now.to_owned());
                let elapsed_ms =
                    self.last_sample().map_or(left.elapsed_ms, |sample| sample.elapsed_ms);
                let reason = Some(reason);
                let stopped = State { phase: Phase::Stopped, reason, until, elapsed_ms, ..left };
                self.put(STATE, &stopped)?;
            }
        }
        // Its warden is at it too, unless that was killed.
        wait_for(|| tokened(&state.token).is_empty());
        let swept = sweep(&state.token).and_then(|()| remove_roots(&state.token));
        swept.map_err(|why| CampaignError::File {
            path: self.directory.clone(),
            why: io::Error::other(why.to_string()),
        })?;
        self.state()
    }
}

/// Waits up to [`STOP_MS`] until `done`, and says whether it is.
fn wait_for(done: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_millis(STOP_MS);
    while !done() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(POLL_MS));
    }
    done()
}

#[cfg(test)]
mod tests {
    use super::super::{Fuzzed, Hashed, Identity, Machine, Manifest, Status};
    use super::*;
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    fn manifest(folder: &Path) -> Manifest {
        let fuzzer = folder.join("fuzz-target");
        fs::write(&fuzzer, "x").unwrap();
        let target = Fuzzed {
            name: "standin".into(),
            binary: "x".into(),
            program: None,
            inferred: true,
            plant: None,
            level: None,
        };
        Manifest {
            name: "one".into(),
            version: "0".into(),
            target,
            fuzzer: Hashed::of(&fuzzer).unwrap(),
            flags: vec![],
            environment: BTreeMap::new(),
            seconds: 60,
            jobs: 1,
            started: "2026-01-01T00:00:00Z".into(),
            machine: Machine::this(),
        }
    }

    fn state(process: &Identity) -> State {
        State {
            phase: Phase::Running,
            reason: None,
            exit: None,
            process: process.clone(),
            token: format!("no process has this token {}", std::process::id()),
            since: "2026-01-01T00:00:00Z".into(),
            until: None,
            elapsed_ms: 0,
        }
    }

    #[test]
    fn a_state_stays_true_whatever_became_of_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let campaign = Campaign::create(folder.path(), "one").unwrap();
        assert!(matches!(Campaign::open(folder.path(), "one"), Err(CampaignError::Missing(_))));
        campaign.lay_out(&manifest(folder.path()), &[]).unwrap();
        assert_eq!(campaign.state().unwrap(), None);
        assert_eq!(campaign.stop("now").unwrap(), None);
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let process = Identity::of(child.id().cast_signed()).unwrap();
        campaign.put(STATE, &state(&process)).unwrap();
        assert_eq!(campaign.state().unwrap().unwrap().phase, Phase::Running);
        assert!(matches!(Campaign::create(folder.path(), "one"), Err(CampaignError::Exists(_))));
        // A stranger that has the number now: alive, but begun at another time.
        let stranger = Identity { start: process.start + 1, ..process.clone() };
        campaign.put(STATE, &state(&stranger)).unwrap();
        assert_eq!(campaign.stop("now").unwrap().unwrap().phase, Phase::Killed);
        assert!(process.alive());
        campaign.put(STATE, &state(&process)).unwrap();
        let reaper = std::thread::spawn(move || child.wait());
        let stopped = campaign.stop("2026-01-01T00:01:00Z").unwrap().unwrap();
        reaper.join().unwrap().unwrap();
        // It ended when asked, and as no supervisor does: without a word.
        assert_eq!(stopped.phase, Phase::Killed);
        assert_eq!(Campaign::all(folder.path()).unwrap().len(), 1);
    }

    #[test]
    fn a_torn_state_is_an_error_that_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let campaign = Campaign::create(folder.path(), "one").unwrap();
        campaign.lay_out(&manifest(folder.path()), &[]).unwrap();
        for text in ["", "{\"phase\": \"runn", "[]", "{\"phase\": \"dreaming\"}"] {
            fs::write(campaign.directory().join(STATE), text).unwrap();
            let why = campaign.state().unwrap_err().to_string();
            assert!(why.contains("state.json: "), "{text}: {why}");
            assert!(Status::of(&campaign).is_err());
        }
    }

    #[test]
    fn only_one_is_at_a_campaign() {
        let folder = tempfile::tempdir().unwrap();
        let campaign = Campaign::create(folder.path(), "one").unwrap();
        let held = campaign.lock().unwrap();
        assert!(matches!(campaign.lock(), Err(CampaignError::Busy(_))));
        drop(held);
        assert!(campaign.lock().is_ok());
    }

    #[test]
    fn a_name_is_one_plain_directory() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["", ".", "..", "a/b", ".hidden", "a b", "é"] {
            assert!(
                matches!(Campaign::create(folder.path(), name), Err(CampaignError::Name(_))),
                "{name}"
            );
        }
        assert!(Campaign::create(folder.path(), "nightly-3.x_y").is_ok());
        assert!(Campaign::all(&folder.path().join("gone")).unwrap().is_empty());
    }
}
