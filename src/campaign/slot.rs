//! A job of a campaign: one process after the other, with a limit on those that die young.

use std::io;
use std::time::{Duration, Instant};

use super::job::{Job, Site};
use super::libfuzzer::Ending;
use super::limits::{RESTART_MS, SHORT_LIFE_MS, SHORT_LIVES};

/// A job, and its process if one lives.
#[derive(Debug)]
pub struct Slot {
    /// Its number, counted from 1.
    pub number: u32,
    /// Its process.
    pub job: Option<Job>,
    /// How many processes it has had.
    run: u32,
    short_lives: u32,
    next: Instant,
    /// Whether it is not begun again.
    pub given_up: bool,
}

/// What there is to tell of a process that ended.
#[derive(Debug)]
pub struct Gone {
    /// The process.
    pub job: Job,
    /// How it ended.
    pub ending: Ending,
    /// Whether the job is given up with it.
    pub given_up: bool,
    /// Whether it ended before it had run a single input.
    pub never_ran: bool,
}

impl Slot {
    /// A job without a process, which has had `run`.
    pub fn new(number: u32, run: u32) -> Slot {
        let next = Instant::now();
        Slot { number, job: None, run, short_lives: 0, next, given_up: false }
    }

    /// Starts its next process if it is time to. Gives whether it did, in another's place.
    pub fn start(&mut self, site: &Site) -> io::Result<bool> {
        if self.job.is_some() || self.given_up || Instant::now() < self.next {
            return Ok(false);
        }
        self.run += 1;
        self.job = Some(Job::start(site, self.number, self.run)?);
        Ok(true)
    }

    /// Its process, if that has ended.
    pub fn gone(&mut self) -> io::Result<Option<Gone>> {
        let Some(job) = &mut self.job else { return Ok(None) };
        let Some(ending) = job.ended()? else { return Ok(None) };
        let (lived, never_ran) = (job.began.elapsed(), job.told().executions == 0);
        self.note_end(lived);
        let given_up = self.given_up;
        Ok(self.job.take().map(|job| Gone { job, ending, given_up, never_ran }))
    }

    fn note_end(&mut self, lived: Duration) {
        match lived < Duration::from_millis(SHORT_LIFE_MS) {
            true => self.short_lives += 1,
            false => self.short_lives = 1,
        }
        self.given_up = self.short_lives >= SHORT_LIVES;
        let wait = RESTART_MS << self.short_lives.min(SHORT_LIVES);
        self.next = Instant::now() + Duration::from_millis(wait);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_die_young_are_given_up_and_others_are_not() {
        let short = Duration::from_secs(1);
        let long = Duration::from_secs(3_600);
        let mut slot = Slot::new(1, 0);
        (1..SHORT_LIVES).for_each(|_| slot.note_end(short));
        assert!(!slot.given_up);
        slot.note_end(long);
        (2..SHORT_LIVES).for_each(|_| slot.note_end(short));
        assert!(!slot.given_up);
        slot.note_end(short);
        assert!(slot.given_up);
    }
}
