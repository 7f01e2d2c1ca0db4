//! The process that a campaign is: it keeps the jobs going, writes down what becomes of them, and
//! ends them when their time is up.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::job::Site;
use super::journal::{Clock, Journal};
use super::libfuzzer::Ending;
use super::limits::{JOB_END_MS, JUDGE_MS, MERGE_MS, POLL_MS, REFUSALS, SAMPLE_MS, TICK_MS};
use super::merge::merge;
use super::slot::{Gone, Slot};
use super::{
    BUGS, CORPUS, Campaign, CampaignError, FUZZER, Identity, JOBS, Kind, Manifest, Phase, RESERVE,
    Report, STATE, Sample, State, Totals, now, tell,
};
use crate::record::RECORD_FILE;
use crate::sandbox::Warden;

/// A supervisor at work.
struct Supervisor {
    campaign: Campaign,
    site: Site,
    state: State,
    clock: Clock,
    journal: Journal,
    warden: Option<Warden>,
    slots: Vec<Slot>,
    totals: Totals,
    found: BTreeSet<String>,
    /// Processes in a row that refused before they had run anything.
    refusals: u32,
    /// Somebody asked it to stop.
    asked: Arc<AtomicBool>,
}

/// Why the fuzzing is over.
#[derive(Debug)]
enum Over {
    Time,
    Asked,
    Failed(String),
}

/// Begins a campaign or goes on with it, and gives its exit code once it is over. The process that
/// calls this is the campaign's from then on.
pub fn supervise(folder: &Path, name: &str) -> Result<i32, CampaignError> {
    let campaign = Campaign::open(folder, name)?;
    let _lock = campaign.lock()?;
    let mut supervisor = Supervisor::take_up(campaign)?;
    let over = supervisor.fuzz();
    Ok(supervisor.end(over))
}

impl Supervisor {
    fn take_up(campaign: Campaign) -> Result<Supervisor, CampaignError> {
        let directory = campaign.directory.clone();
        let fail = |why| CampaignError::File { path: directory.clone(), why };
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT] {
            signal_hook::flag::register(signal, Arc::clone(&asked)).map_err(fail)?;
        }
        // A terminal that goes is no reason to end; a handler, unlike what is ignored, stays here.
        signal_hook::flag::register(SIGHUP, Arc::default()).map_err(fail)?;
        let manifest = campaign.manifest()?;
        let before = campaign.state()?;
        campaign.reserve()?;
        let spent_ms = before.as_ref().map_or(0, |before| before.elapsed_ms);
        let spent_ms = spent_ms.max(campaign.last_sample().map_or(0, |sample| sample.elapsed_ms));
        let warden = Warden::start().map_err(fail)?;
        let (variable, token) = (warden.token().0, warden.token().1.to_owned());
        let process = Identity::of(std::process::id().cast_signed())
            .ok_or_else(|| fail(std::io::Error::other("this process is not in /proc")))?;
        let state = State {
            phase: Phase::Running,
            reason: None,
            exit: None,
            process,
            token: token.clone(),
            since: now(),
            until: None,
            elapsed_ms: spent_ms,
        };
        let clock = Clock::start(spent_ms);
        let mut journal = Journal::open(&campaign, clock)?;
        let (kind, what) = match &before {
            None => (Kind::Started, format!("for {} s, {} jobs", manifest.seconds, manifest.jobs)),
            Some(before) => (
                Kind::Resumed,
                format!("after {} s; it was {}", spent_ms / 1_000, before.phase.name()),
            ),
        };
        let _ = journal.event(kind, what);
        let totals = campaign.totals();
        let slot = |number| Slot::new(number, totals.folded.get(&number).copied().unwrap_or(0));
        let slots = (1..=manifest.jobs).map(slot).collect();
        campaign.put(STATE, &state)?;
        let jobs = directory.join(JOBS);
        let site = Site { directory, jobs, manifest, token: (variable, token) };
        let (warden, found) = (Some(warden), bugs(&campaign.directory.join(BUGS)));
        Ok(Supervisor {
            campaign,
            site,
            state,
            clock,
            journal,
            warden,
            slots,
            totals,
            found,
            refusals: 0,
            asked,
        })
    }

    fn manifest(&self) -> &Manifest {
        &self.site.manifest
    }

    /// Until something ends it.
    fn fuzz(&mut self) -> Over {
        let end_ms = self.manifest().seconds.saturating_mul(1_000);
        let mut last: Option<Instant> = None;
        loop {
            if self.asked.load(Ordering::Relaxed) {
                return Over::Asked;
            }
            if self.clock.elapsed_ms() >= end_ms {
                return Over::Time;
            }
            let due = last.is_none_or(|last| last.elapsed() >= Duration::from_millis(SAMPLE_MS));
            let looked = self.look().and_then(|()| match due {
                true => {
                    last = Some(Instant::now());
                    self.journal.sample(self.sample())
                }
                false => Ok(()),
            });
            if let Err(why) = looked {
                return Over::Failed(why);
            }
            std::thread::sleep(Duration::from_millis(TICK_MS));
        }
    }

    /// Puts right what can be; an error says what cannot.
    fn look(&mut self) -> Result<(), String> {
        if let Some(warden) = &mut self.warden
            && warden.renew().map_err(|why| format!("the warden: {why}"))?
        {
            self.journal.event(Kind::Mended, "the warden was gone; another took its place")?;
        }
        if !self.site.directory.join(CORPUS).is_dir() {
            self.campaign.seed_corpus().map_err(|why| why.to_string())?;
            let what = "the corpus directory was gone; it was made anew from the seeds";
            self.journal.event(Kind::Mended, what)?;
        }
        for at in 0..self.slots.len() {
            if let Some(failed) = self.slots[at].job.as_ref().and_then(|job| job.log_failed()) {
                return Err(failed);
            }
            if let Some(gone) = self.slots[at].gone().map_err(|why| why.to_string())? {
                self.note(&gone)?;
            }
            let again =
                self.slots[at].start(&self.site).map_err(|why| format!("{FUZZER}: {why}"))?;
            self.totals.restarts += u64::from(again && self.began_before(at));
        }
        if self.slots.iter().all(|slot| slot.given_up) {
            return Err("every job died too often; see the jobs' logs".into());
        }
        self.note_findings()
    }

    /// Tells of what has a record by now, and had none before.
    fn note_findings(&mut self) -> Result<(), String> {
        for name in bugs(&self.site.directory.join(BUGS)) {
            if self.found.insert(name.clone()) {
                self.journal.event(Kind::Found, name)?;
            }
        }
        Ok(())
    }

    /// Whether a job's process is not the first that this campaign had for it.
    fn began_before(&self, at: usize) -> bool {
        self.slots[at].job.as_ref().is_some_and(|job| job.run > 1)
    }

    /// Counts a process that ended, and says so.
    fn note(&mut self, gone: &Gone) -> Result<(), String> {
        let Gone { job, ending, given_up, never_ran } = gone;
        let said = job.said();
        self.totals.fold(job.number, job.run, &job.told());
        self.totals.unrecorded += said.unrecorded;
        self.totals.ended(ending);
        self.totals.write(&self.site.jobs).map_err(|why| format!("{JOBS}: {why}"))?;
        let what = format!("job {}, process {}: {}", job.number, job.pid(), ending.text());
        let why = match ending {
            Ending::Refused => format!(": {}", said.reason()),
            _ => String::new(),
        };
        self.journal.event(Kind::Died, format!("{what}{why}"))?;
        self.refusals =
            if *ending == Ending::Refused && *never_ran { self.refusals + 1 } else { 0 };
        if self.refusals >= REFUSALS {
            return Err(format!("the target cannot be started: {}", said.reason()));
        }
        if *given_up {
            let what = format!("job {} died too often and is given up", job.number);
            self.journal.event(Kind::GivenUp, what)?;
        }
        Ok(())
    }

    /// How far it is, the time left out.
    fn sample(&self) -> Sample {
        let mut totals = self.totals.clone();
        let mut sample = Sample { signatures: self.found.len() as u64, ..Sample::default() };
        for job in self.slots.iter().filter_map(|slot| slot.job.as_ref()) {
            let (said, told) = (job.said(), job.told());
            totals.told.executions += told.executions;
            totals.told.hits += told.hits;
            totals.unrecorded += said.unrecorded;
            sample.jobs += 1;
            sample.features = sample.features.max(said.features);
            sample.edges = sample.edges.max(said.edges);
            sample.corpus = sample.corpus.max(said.corpus);
        }
        sample.executions = totals.told.executions;
        sample.crashes = totals.told.hits;
        (sample.ooms, sample.timeouts) = (totals.ooms, totals.timeouts);
        (sample.deaths, sample.restarts) = (totals.deaths, totals.restarts);
        sample.unrecorded = totals.unrecorded;
        sample
    }

    /// Ends the jobs, then all the rest. Nothing that goes wrong here keeps the state from being told.
    fn end(mut self, over: Over) -> i32 {
        if matches!(over, Over::Time) {
            self.let_judge();
        }
        let last = self.sample();
        self.end_jobs();
        let mut failed = match over {
            Over::Failed(ref why) => {
                tell(&format!("monkey9p: {why}"));
                // Room for what is still to be said.
                let _ = fs::remove_file(self.site.directory.join(RESERVE));
                Some(why.clone())
            }
            _ => None,
        };
        let after = Sample {
            features: last.features,
            edges: last.edges,
            corpus: last.corpus,
            ..self.sample()
        };
        if let Err(why) = self.journal.sample(after) {
            failed.get_or_insert(why);
        }
        self.state.elapsed_ms = self.clock.elapsed_ms();
        if failed.is_none() && matches!(over, Over::Time) {
            self.merge_corpus();
        }
        if let Some(warden) = self.warden.take()
            && let Err(why) = warden.end()
        {
            failed.get_or_insert(why.to_string());
        }
        let found = self.sample();
        let any = found.signatures + found.ooms + found.timeouts + found.unrecorded > 0;
        let (phase, exit) = match (&failed, over) {
            (Some(_), _) => (Phase::Failed, 2),
            (None, Over::Asked) => (Phase::Stopped, i32::from(any)),
            (None, _) => (Phase::Ended, i32::from(any)),
        };
        (self.state.phase, self.state.exit) = (phase, Some(exit));
        (self.state.reason, self.state.until) = (failed, Some(now()));
        self.tell_end();
        exit
    }

    /// Writes the event, the report and the state.
    fn tell_end(&mut self) {
        let phase = self.state.phase;
        let what = self.state.reason.clone().unwrap_or_else(|| match phase {
            Phase::Stopped => "stopped: somebody asked".into(),
            _ => "the time is up".into(),
        });
        let _ = self.journal.event(Kind::Ended, what);
        if phase == Phase::Ended {
            // Nobody goes on with it, and it is large.
            let _ = fs::remove_file(self.site.directory.join(FUZZER));
        }
        let report = || {
            let report = Report::of(&self.campaign)?;
            Report { state: Some(self.state.clone()), ..report }.write(&self.campaign)
        };
        let state = || self.campaign.put(STATE, &self.state);
        // Whoever waits for the state finds the report; but where room is short the state goes first.
        let told = match phase {
            Phase::Failed => [state(), report()],
            _ => [report(), state()],
        };
        for why in told.into_iter().filter_map(Result::err) {
            tell(&format!("monkey9p: {why}"));
        }
    }

    /// What is being judged when the time is up is judged to the end, unless somebody asks to stop.
    fn let_judge(&self) {
        let deadline = Instant::now() + Duration::from_millis(JUDGE_MS);
        let jobs = || self.slots.iter().filter_map(|slot| slot.job.as_ref());
        let judging = || jobs().any(|job| job.told().judging);
        for job in jobs().filter(|job| !job.told().judging) {
            job.ask_to_end();
        }
        while judging() && Instant::now() < deadline && !self.asked.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(TICK_MS));
        }
    }

    fn end_jobs(&mut self) {
        let jobs = |slots: &[Slot], done: fn(&super::job::Job)| {
            slots.iter().filter_map(|slot| slot.job.as_ref()).for_each(done);
        };
        jobs(&self.slots, |job| job.ask_to_end());
        let asked = Instant::now();
        let grace = Duration::from_millis(JOB_END_MS);
        // One that does not even end when it is killed is left to the warden.
        while self.slots.iter().any(|slot| slot.job.is_some()) && asked.elapsed() < 2 * grace {
            if asked.elapsed() > grace {
                jobs(&self.slots, |job| job.kill());
            }
            for slot in &mut self.slots {
                // One that cannot be waited for is as good as gone.
                let Ok(gone) = slot.gone() else { continue };
                if let Some(Gone { job, .. }) = gone {
                    self.totals.fold(job.number, job.run, &job.told());
                    self.totals.unrecorded += job.said().unrecorded;
                }
            }
            std::thread::sleep(Duration::from_millis(POLL_MS));
        }
        if let Err(why) = self.note_findings() {
            tell(&format!("monkey9p: {why}"));
        }
        if let Err(why) = self.totals.write(&self.site.jobs) {
            tell(&format!("monkey9p: {JOBS}: {why}"));
        }
    }

    fn merge_corpus(&mut self) {
        self.state.phase = Phase::Merging;
        if let Err(why) = self.campaign.put(STATE, &self.state) {
            tell(&format!("monkey9p: {why}"));
        }
        let asked = || self.asked.load(Ordering::Relaxed);
        let what = match merge(&self.site, Duration::from_millis(MERGE_MS), asked) {
            Ok((grown, merged)) => format!("{grown} inputs come down to {merged}"),
            Err(why) => format!("the corpus could not be merged: {why}"),
        };
        let _ = self.journal.event(Kind::Merged, what);
    }
}

/// The directories of bugs that have a record.
fn bugs(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let recorded = entries.filter(|entry| entry.path().join(RECORD_FILE).exists());
    recorded.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
