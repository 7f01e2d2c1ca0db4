//! Weights that learn: families whose new steps libFuzzer kept of late are drawn more.

use crate::input::{Family, Weights};

/// The least and the most that a weight is multiplied by, in quarters: ×1/4 and ×4.
const LEAST_QUARTERS: u64 = 1;
const MOST_QUARTERS: u64 = 16;
/// What multiplies by one.
const QUARTERS: u64 = 4;
/// Draws of the average's worth that each family is taken to have had: what is hardly known is
/// hardly changed.
const PRIOR_DRAWS: u64 = 32;
/// After so many draws all counts are halved, so that the latest count most.
const WINDOW_DRAWS: u64 = 4096;

/// How many steps of each family were drawn, and how many of a base were new. libFuzzer does not say
/// what it keeps an input for; a step that is new when its input comes back as a base to mutate was
/// drawn for the input that it kept.
#[derive(Debug, Default)]
pub struct Favour {
    drawn: [u64; Family::ALL.len()],
    kept: [u64; Family::ALL.len()],
}

impl Favour {
    /// A step of the family was drawn.
    pub fn draw(&mut self, family: Family) {
        self.drawn[family as usize] += 1;
        if self.drawn.iter().sum::<u64>() >= WINDOW_DRAWS {
            self.drawn.iter_mut().chain(&mut self.kept).for_each(|count| *count /= 2);
        }
    }

    /// A new step of the family was in a base.
    pub fn keep(&mut self, family: Family) {
        self.kept[family as usize] += 1;
    }

    /// The weights, each multiplied by how often its family's steps are kept, beside the average.
    pub fn weigh(&self, weights: &Weights) -> Weights {
        Family::ALL.iter().fold(weights.clone(), |scaled, &family| {
            let quarters = u32::try_from(self.quarters(family)).unwrap_or(u32::MAX);
            scaled.with(family, weights.of(family).saturating_mul(quarters))
        })
    }

    fn quarters(&self, family: Family) -> u64 {
        let (all_drawn, all_kept): (u64, u64) = (self.drawn.iter().sum(), self.kept.iter().sum());
        if all_drawn == 0 || all_kept == 0 {
            return QUARTERS;
        }
        let (drawn, kept) = (self.drawn[family as usize], self.kept[family as usize]);
        let share = QUARTERS * (kept * all_drawn + PRIOR_DRAWS * all_kept);
        let average = (drawn + PRIOR_DRAWS) * all_kept;
        (share / average).clamp(LEAST_QUARTERS, MOST_QUARTERS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factor(favour: &Favour, family: Family) -> (u32, u32) {
        (favour.weigh(&Weights::default()).of(family), Weights::default().of(family))
    }

    #[test]
    fn nothing_known_changes_no_share() {
        let (after, before) = factor(&Favour::default(), Family::Wire);
        assert_eq!(after, before * QUARTERS as u32);
    }

    #[test]
    fn what_is_kept_is_favoured_within_limits() {
        let mut favour = Favour::default();
        for round in 0..3000 {
            favour.draw(Family::Wire);
            favour.draw(Family::Stat);
            favour.draw(Family::Edit);
            if round % 2 == 0 {
                favour.keep(Family::Wire);
            }
            if round % 12 == 0 {
                favour.keep(Family::Edit);
            }
        }
        let quarters = |family| favour.quarters(family);
        assert!(quarters(Family::Wire) > QUARTERS && quarters(Family::Wire) <= MOST_QUARTERS);
        assert!(quarters(Family::Edit) < QUARTERS);
        assert_eq!(quarters(Family::Stat), LEAST_QUARTERS);
        assert_eq!(quarters(Family::Tag), QUARTERS);
    }

    #[test]
    fn what_was_once_kept_is_forgotten() {
        let mut favour = Favour::default();
        for _ in 0..200 {
            favour.draw(Family::Wire);
            favour.draw(Family::Stat);
            favour.keep(Family::Wire);
        }
        assert!(favour.quarters(Family::Wire) > QUARTERS);
        for _ in 0..20_000 {
            favour.draw(Family::Wire);
            favour.draw(Family::Stat);
            favour.keep(Family::Stat);
        }
        assert!(favour.quarters(Family::Wire) < QUARTERS);
    }
}
