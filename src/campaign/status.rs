//! A campaign's status: its state, how far it is, and what happened last.

use serde::Serialize;

use super::limits::EVENTS_SHOWN;
use super::{Campaign, CampaignError, Event, Phase, Sample};

/// What there is to say of a campaign at one moment. The keys are documented in docs/campaigns.md.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// Its name.
    pub name: String,
    /// How far it is.
    pub phase: Phase,
    /// Why it is there, where that needs to be said.
    pub reason: Option<String>,
    /// Its exit code, once it is over.
    pub exit: Option<i32>,
    /// What is fuzzed.
    pub target: String,
    /// When it began, in ISO 8601.
    pub started: String,
    /// Until when it ran.
    pub until: Option<String>,
    /// How long it is to run, in seconds.
    pub seconds: u64,
    /// How long it has run, in seconds.
    pub elapsed_s: f64,
    /// Jobs that were asked for.
    pub jobs_wanted: u32,
    /// The supervisor, as long as there is one.
    pub supervisor_pid: Option<i32>,
    /// What holds the target.
    pub level: String,
    /// What is read of the target's coverage, or why nothing is.
    pub coverage: String,
    /// How far it was last.
    #[serde(flatten)]
    pub sample: Sample,
    /// What happened last.
    pub events: Vec<Event>,
    /// Lines of its statistics that are torn.
    pub torn: usize,
    /// Its directory.
    pub directory: String,
}

impl Status {
    /// Of a campaign, now.
    pub fn of(campaign: &Campaign) -> Result<Status, CampaignError> {
        let manifest = campaign.manifest()?;
        let state = campaign.state()?;
        let (samples, torn) = match state.as_ref().is_some_and(|state| state.phase.active()) {
            true => (campaign.last_sample().into_iter().collect(), 0),
            false => campaign.samples()?,
        };
        let mut sample = samples.into_iter().next_back().unwrap_or_default();
        let mut events = campaign.events()?;
        events.drain(..events.len().saturating_sub(EVENTS_SHOWN));
        let told = campaign.totals().told;
        let phase = state.as_ref().map_or(Phase::Failed, |state| state.phase);
        if !phase.active() {
            (sample.jobs, sample.executions_per_s) = (0, 0.0);
        }
        let before_ms = state.as_ref().map_or(0, |state| state.elapsed_ms);
        let process = state.as_ref().filter(|_| phase.active()).map(|state| state.process.pid);
        Ok(Status {
            name: manifest.name,
            phase,
            reason: match &state {
                Some(state) => state.reason.clone(),
                None => Some("no supervisor has taken it up; its log may say why".into()),
            },
            exit: state.as_ref().and_then(|state| state.exit),
            target: manifest.target.binary,
            started: manifest.started,
            until: state.and_then(|state| state.until),
            seconds: manifest.seconds,
            elapsed_s: sample.elapsed_ms.max(before_ms) as f64 / 1_000.0,
            jobs_wanted: manifest.jobs,
            supervisor_pid: process,
            level: told.level,
            coverage: told.coverage,
            sample,
            events,
            torn,
            directory: campaign.directory().display().to_string(),
        })
    }
}
