//! Weights drawn anew for each stretch of a run, so that what is rarely together is so at times.

use super::generate::Draw;
use super::step::Family;
use super::weights::Weights;

/// How long a draw of weights holds, in steps.
pub const STRETCH_STEPS: usize = 500;

/// What each family's weight is multiplied by, each as likely as the others.
const FACTORS: [u32; 4] = [0, 1, 2, 4];

/// How a run weighs the families.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weighing {
    /// By the fixed table.
    Fixed,
    /// By a draw for each stretch.
    #[default]
    Swarm,
}

impl Weighing {
    /// The way as logs and options name it.
    pub fn name(self) -> &'static str {
        match self {
            Weighing::Fixed => "fixed",
            Weighing::Swarm => "swarm",
        }
    }
}

impl Weights {
    /// These weights, each multiplied by a factor that `seed` draws for the `stretch`: many families
    /// are off in it, and those that were off stay so.
    pub fn swarm(&self, seed: u64, stretch: u64) -> Weights {
        let mut draw = Draw::of_stretch(seed, stretch);
        let drawn = Family::ALL.iter().fold(self.clone(), |weights, &family| {
            let weight = self.of(family).saturating_mul(draw.pick(&FACTORS));
            weights.with(family, weight)
        });
        // Every factor was 0, or that of each family that is on.
        if drawn.total() == 0 { self.clone() } else { drawn }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEDS: u64 = 50;
    const STRETCHES: u64 = 40;

    fn all(base: &Weights) -> Vec<Weights> {
        let stretches = |seed| (0..STRETCHES).map(move |stretch| (seed, stretch));
        let draws = (0..SEEDS).flat_map(stretches);
        draws.map(|(seed, stretch)| base.swarm(seed, stretch)).collect()
    }

    #[test]
    fn the_same_seed_and_stretch_draw_the_same_and_others_others() {
        let base = Weights::default();
        assert_eq!(all(&base), all(&base));
        let drawn = all(&base);
        let same = drawn.iter().enumerate().any(|(at, one)| drawn[..at].contains(one));
        assert!(!same, "two stretches drew the same");
    }

    #[test]
    fn each_is_its_weight_times_a_factor_and_all_factors_occur() {
        let base = Weights::default();
        let drawn = all(&base);
        for &family in Family::ALL {
            for factor in FACTORS {
                let weight = base.of(family) * factor;
                assert!(drawn.iter().any(|one| one.of(family) == weight), "{family:?}");
            }
        }
        for one in drawn {
            let fits = |family: &Family| {
                FACTORS.iter().any(|factor| one.of(*family) == base.of(*family) * factor)
            };
            assert!(Family::ALL.iter().all(fits), "{one:?}");
        }
    }

    #[test]
    fn never_all_are_off_and_what_is_off_stays_off() {
        let base = Weights::default().with(Family::Wire, 0).with(Family::Second, 0);
        for one in all(&base) {
            assert!(one.total() > 0);
            assert_eq!((one.of(Family::Wire), one.of(Family::Second)), (0, 0));
        }
        // The hardest case: a factor of 0 for the one that is on.
        let off = |weights: Weights, family: &Family| weights.with(*family, 0);
        let nothing = Family::ALL.iter().fold(Weights::default(), off);
        let one = nothing.clone().with(Family::Stat, 3);
        assert!(all(&one).iter().all(|drawn| drawn.of(Family::Stat) > 0 && drawn.total() > 0));
        assert!(all(&nothing).iter().all(|drawn| drawn == &nothing));
    }
}
