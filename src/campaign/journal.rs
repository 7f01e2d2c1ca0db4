//! What a supervisor writes down as it goes: samples and events, by a clock that nobody sets.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::limits::RATE_SAMPLES;
use super::lines::Lines;
use super::{Campaign, CampaignError, EVENTS, Event, Kind, STATS, Sample, now};

/// A campaign's time: what earlier supervisors spent, and this one's.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    before: Duration,
    began: Instant,
}

impl Clock {
    /// Runs from now on.
    pub fn start(before_ms: u64) -> Clock {
        Clock { before: Duration::from_millis(before_ms), began: Instant::now() }
    }

    /// What is spent, in milliseconds.
    pub fn elapsed_ms(&self) -> u64 {
        u64::try_from((self.before + self.began.elapsed()).as_millis()).unwrap_or(u64::MAX)
    }
}

/// The two files.
#[derive(Debug)]
pub struct Journal {
    stats: Lines,
    events: Lines,
    clock: Clock,
    recent: VecDeque<(u64, u64)>,
}

impl Journal {
    /// Opens both, or makes them.
    pub fn open(campaign: &Campaign, clock: Clock) -> Result<Journal, CampaignError> {
        let open = |name: &str| campaign.io(name, Lines::open(&campaign.directory.join(name)));
        let (stats, events) = (open(STATS)?, open(EVENTS)?);
        Ok(Journal { stats, events, clock, recent: VecDeque::new() })
    }

    /// Writes that something happened; an error names the file.
    pub fn event(&mut self, kind: Kind, what: impl Into<String>) -> Result<(), String> {
        let elapsed_ms = self.clock.elapsed_ms();
        let event = Event { at: now(), elapsed_ms, kind, what: what.into() };
        self.events.append(&event).map_err(|why| format!("{EVENTS}: {why}"))
    }

    /// Writes how far it is; the time and the rate are filled in.
    pub fn sample(&mut self, mut sample: Sample) -> Result<(), String> {
        (sample.at, sample.elapsed_ms) = (now(), self.clock.elapsed_ms());
        sample.executions_per_s = self.rate(sample.elapsed_ms, sample.executions);
        self.stats.append(&sample).map_err(|why| format!("{STATS}: {why}"))
    }

    fn rate(&mut self, elapsed_ms: u64, executions: u64) -> f64 {
        if self.recent.len() > RATE_SAMPLES {
            self.recent.pop_front();
        }
        self.recent.push_back((elapsed_ms, executions));
        let Some(&(since, before)) = self.recent.front() else { return 0.0 };
        let seconds = elapsed_ms.saturating_sub(since) as f64 / 1_000.0;
        match seconds > 0.0 {
            // By tenths: more would be noise.
            true => (executions.saturating_sub(before) as f64 / seconds * 10.0).round() / 10.0,
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_last_samples() {
        let folder = tempfile::tempdir().unwrap();
        let campaign = Campaign::create(folder.path(), "one").unwrap();
        let mut journal = Journal::open(&campaign, Clock::start(0)).unwrap();
        assert_eq!(journal.rate(1_000, 50), 0.0);
        assert_eq!(journal.rate(3_000, 150), 50.0);
        for second in 0..20 {
            journal.rate(10_000 + second * 1_000, 1_000 + second * 7);
        }
        assert_eq!(journal.rate(30_000, 1_140), 7.0);
        // A count that went back is none.
        assert_eq!(journal.rate(31_000, 0), 0.0);
    }

    #[test]
    fn a_clock_goes_on_from_where_the_last_one_was() {
        let clock = Clock::start(5_000);
        assert!(clock.elapsed_ms() >= 5_000);
    }
}
