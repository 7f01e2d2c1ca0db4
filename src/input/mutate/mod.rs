//! Mutation and crossover of inputs step by step, for libFuzzer.

mod cross;
mod dictionary;
mod favour;
mod fit;
mod sequence;
mod shares;
mod shrink;
mod within;

use super::generate::Draw;
use super::{Generator, Input, Step, Weights};
use dictionary::{Dictionary, hash};
use favour::Favour;
use shrink::Shrink;

/// The most steps of a mutated input: the fuzz target runs no more.
const MOST_STEPS: usize = 256;
/// The most changes of one call.
const CHANGES: u32 = 4;
/// How often a call that changed nothing tries again.
const TRIES: usize = 4;
/// The longest generated run, in steps; what a step was made for comes with it.
const GENERATED_STEPS: u32 = 3;
/// The longest generated end of an input, in steps.
const END_STEPS: usize = 40;

/// How inputs are mutated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// By steps, with weights that learn.
    #[default]
    Ops,
    /// By steps, with the fixed weights.
    FixedOps,
    /// As bytes, by libFuzzer's own mutations alone.
    Bytes,
}

impl Way {
    /// Every way.
    pub const ALL: [Way; 3] = [Way::Ops, Way::FixedOps, Way::Bytes];

    /// As it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Way::Ops => "ops",
            Way::FixedOps => "fixed-ops",
            Way::Bytes => "bytes",
        }
    }
}

/// Mutates inputs, and remembers what it saw of them. What it does follows from what it is given and
/// what it was given before; there is no other source of chance.
#[derive(Debug, Default)]
pub struct Mutator {
    way: Way,
    dictionary: Dictionary,
    favour: Favour,
    shrink: Shrink,
    /// What was given last: when it comes back, libFuzzer stacks mutations on it, and has not kept it.
    last: Vec<u8>,
    /// The base that was remembered last.
    base: u64,
}

impl Mutator {
    /// One that knows nothing yet.
    pub fn new(way: Way) -> Mutator {
        Mutator { way, ..Mutator::default() }
    }

    /// Changes the input in `data[..size]` in its place, to no more than `max_size` bytes, and gives
    /// its new size. A `max_size` below `size` asks for a smaller input. `own` are libFuzzer's mutations
    /// of bytes: what to mutate, its size, its largest size; they give the new size.
    pub fn mutate(
        &mut self,
        data: &mut [u8],
        size: usize,
        max_size: usize,
        seed: u32,
        own: &mut dyn FnMut(&mut [u8], usize, usize) -> usize,
    ) -> usize {
        let (size, max_size) = (size.min(data.len()), max_size.min(data.len()));
        if self.way == Way::Bytes {
            return own(data, size, max_size);
        }
        let mut draw = Draw::new(seed.into());
        let new_size = match max_size < size {
            true => self.shrunk(data, size, max_size, &mut draw),
            false => self.grown(data, size, max_size, &mut draw, own),
        };
        self.last = data[..new_size].to_vec();
        new_size
    }

    /// Puts an input of both inputs' steps into `out`, and gives its size; 0 leaves it to libFuzzer to
    /// mutate otherwise.
    pub fn crossover(&mut self, one: &[u8], other: &[u8], out: &mut [u8], seed: u32) -> usize {
        let mut draw = Draw::new(seed.into());
        if self.way == Way::Bytes || !draw.percent(shares::CROSSED) {
            return 0;
        }
        let inputs = Input::decode(one).zip(Input::decode(other));
        let Some((one, other)) = inputs else { return 0 };
        let mut crossed = cross::cross(&one, &other, &mut draw);
        crossed.steps.truncate(MOST_STEPS);
        if crossed.steps.is_empty() || crossed == one || crossed == other {
            return 0;
        }
        let room = out.len();
        let size = fit::put(&crossed, out, room);
        self.last = out[..size].to_vec();
        size
    }

    /// Takes note of a word that the target said, for payloads.
    pub fn learn(&mut self, word: &[u8]) {
        self.dictionary.learn(word);
    }

    fn shrunk(&mut self, data: &mut [u8], size: usize, max_size: usize, draw: &mut Draw) -> usize {
        let stacked = !self.last.is_empty() && data.starts_with(&self.last);
        if !(stacked && self.shrink.has(size)) {
            self.shrink.begin(&data[..size]);
        }
        self.shrink.next(data, max_size, draw)
    }

    fn grown(
        &mut self,
        data: &mut [u8],
        size: usize,
        max_size: usize,
        draw: &mut Draw,
        own: &mut dyn FnMut(&mut [u8], usize, usize) -> usize,
    ) -> usize {
        let given = Input::decode(&data[..size]);
        if let Some(given) = &given
            && data[..size] != self.last
        {
            self.meet(&data[..size], given, draw);
        }
        let mut input = match given {
            Some(given) => given,
            None => Input { follower: false, steps: Vec::new() },
        };
        let before = data[..size].to_vec();
        if !input.steps.is_empty() && draw.percent(shares::OWN) {
            let size = own(data, size, max_size).min(data.len());
            if let Some(mutated) = Input::decode(&data[..size]) {
                input = mutated;
            }
        } else {
            if draw.percent(shares::TALKS_GO) {
                input.steps.retain(|step| !matches!(step, Step::Talk(_)));
            }
            if draw.percent(shares::ANOTHER_END) {
                self.go_on(&mut input, draw);
            }
            let more = draw.percent(shares::MORE_CHANGES);
            let changes = if more { 1 + draw.below(CHANGES) } else { 1 };
            (0..changes).for_each(|_| self.change(&mut input, draw));
        }
        let mut new_size = 0;
        for _ in 0..TRIES {
            input.steps.truncate(MOST_STEPS);
            new_size = fit::put(&input, data, max_size);
            if data[..new_size] != before {
                break;
            }
            self.change(&mut input, draw);
        }
        new_size
    }

    /// Remembers the steps of an input that libFuzzer chose to mutate.
    fn meet(&mut self, bytes: &[u8], input: &Input, draw: &mut Draw) {
        let base = hash(bytes);
        if self.base == base {
            return;
        }
        self.base = base;
        for step in self.dictionary.remember(&input.steps, draw) {
            self.favour.keep(step.family());
        }
    }

    fn change(&mut self, input: &mut Input, draw: &mut Draw) {
        let steps = &mut input.steps;
        match draw.share(&shares::CHANGES) {
            _ if steps.is_empty() => self.insert(steps, draw),
            0 => self.insert(steps, draw),
            1 => sequence::remove(steps, draw),
            2 => sequence::double(steps, draw),
            3 => sequence::swap(steps, draw),
            4 => sequence::shift(steps, draw),
            5 => self.change_step(steps, draw),
            6 => {
                let (one, other) = (draw.place(steps.len()), draw.place(steps.len()));
                let mut like = steps[other].clone();
                within::same_pane(&mut steps[one], &mut like, draw);
            }
            _ => input.follower = !input.follower,
        }
    }

    fn insert(&mut self, steps: &mut Vec<Step>, draw: &mut Draw) {
        let at = sequence::place(steps, draw);
        let past = draw.percent(shares::FROM_PAST);
        let run = self.dictionary.run(draw).filter(|_| past).map(<[Step]>::to_vec);
        let mut run = run.unwrap_or_else(|| self.generate(&steps[..at], draw));
        if !steps.is_empty() && draw.percent(shares::SAME_PANE) {
            let mut like = steps[draw.place(steps.len())].clone();
            run.iter_mut().for_each(|step| within::same_pane(step, &mut like, draw));
        }
        sequence::insert(steps, at, run);
    }

    /// Another end from anywhere on, long and all new: what a session costs to begin is paid once for
    /// many new steps.
    fn go_on(&mut self, input: &mut Input, draw: &mut Draw) {
        let steps = &mut input.steps;
        steps.truncate(draw.place(steps.len() + 1));
        let mut generator = self.generator(draw);
        steps.iter().for_each(|step| generator.see(step));
        let length = steps.len() + 1 + draw.place(END_STEPS);
        while steps.len() < length.min(MOST_STEPS) {
            let run = generator.next_run();
            run.iter().for_each(|step| self.favour.draw(step.family()));
            steps.extend(run);
        }
        input.follower = draw.coin();
    }

    /// Generated steps that know which handles the steps before them left open.
    fn generate(&mut self, before: &[Step], draw: &mut Draw) -> Vec<Step> {
        let mut generator = self.generator(draw);
        before.iter().for_each(|step| generator.see(step));
        if draw.percent(shares::STORY) {
            return generator.next_story();
        }
        let count = 1 + draw.below(GENERATED_STEPS);
        let count = 1 + draw.below(count);
        let run: Vec<Step> = (0..count).flat_map(|_| generator.next_run()).collect();
        run.iter().for_each(|step| self.favour.draw(step.family()));
        run
    }

    fn generator(&self, draw: &mut Draw) -> Generator {
        let seed = u64::from(draw.below(u32::MAX)) << 32 | u64::from(draw.below(u32::MAX));
        let weights = match self.way {
            Way::FixedOps | Way::Bytes => Weights::default(),
            Way::Ops => self.favour.weigh(&Weights::default()),
        };
        Generator::with_weights(seed, weights)
    }

    /// Changes one step in one of its parts.
    fn change_step(&mut self, steps: &mut [Step], draw: &mut Draw) {
        let at = draw.place(steps.len());
        if draw.percent(shares::LITERAL) {
            return within::write_out(steps, at);
        }
        let done = match draw.share(&shares::WITHIN) {
            0 => {
                let mut donor = self.donor(steps, draw);
                within::graft(&mut steps[at], &mut donor, draw)
            }
            1 => false,
            2 => {
                within::tweak(&mut steps[at], draw);
                true
            }
            _ => match self.dictionary.word(draw) {
                Some(word) => within::put_word(&mut steps[at], word, draw),
                None => false,
            },
        };
        if !done {
            within::redraw(&mut steps[at], draw);
        }
    }

    /// A step to take a part of.
    fn donor(&self, steps: &[Step], draw: &mut Draw) -> Step {
        let own = steps.get(draw.place(steps.len()));
        let past = self.dictionary.run(draw).and_then(<[Step]>::first);
        let donor = match draw.share(&shares::DONORS) {
            0 => own,
            1 => past,
            _ => None,
        };
        donor.cloned().unwrap_or_else(|| self.generator(draw).next_step())
    }
}
