//! Learns from use what the memories of one agent that answer are like.
//!
//! # Idea
//!
//! After a question, some of the memories that were shown were used. The loss is the cross-entropy
//! between the softmax of the sums of the shown and equal shares of the used. One step against its
//! gradient moves the weights of the traits, and of nothing else: w ← w − 0.2 · (gradient + 0.02 ·
//! (w − w₀)), where w₀ is the weight of the configuration. What is kept is the shift w − w₀.
//!
//! # Invariants
//!
//! - Words, runs and times weigh what they were fitted to weigh, whatever is used.
//! - A shift lies between −2 and 2: more than use ever taught in the measurements of
//!   docs/quality.md, and less than words and runs weigh together. Wrong feedback fades: each step
//!   takes back a part.
//! - Scores stay probabilities. A shift adds to the sums of all memories at once: if long texts
//!   answer, the sums of all long texts rise. So the mean traits of the memories that were shown
//!   are kept, and their contribution is taken off the offset. The order is the same for every
//!   offset.
//!
//! # Cost
//!
//! A step collects the evidence for its question, as an answer does.

use super::traits::Traits;
use super::weights::{Fit, KINDS, NAMES, TRAITS, Values};
use crate::math::exp;

/// The share of the gradient that a step moves.
const RATE: f64 = 0.2;
/// The share of a shift that pulls it back.
const DECAY: f64 = 0.02;
/// The greatest size of a shift. No trait is larger, so that it bounds means, too.
pub const MAX_LEARNED: f64 = 2.0;
/// The least share of the last memories shown in the means.
const MIN_SHARE: f64 = 0.05;

/// What use has taught of the memories of one agent. By trait, in the order of the last [`NAMES`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Learned {
    /// The number of steps.
    pub steps: u32,
    /// What is added to the weight of each trait.
    pub shifts: [f64; TRAITS],
    /// The mean traits of the memories that were shown.
    pub means: [f64; TRAITS],
}

/// A memory that was shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// The weighted sum of its evidence.
    pub sum: f64,
    /// What it is like.
    pub traits: [f64; TRAITS],
    /// Whether it was used.
    pub is_used: bool,
}

impl Learned {
    /// Whether all numbers are from −2 to 2.
    pub fn is_sound(&self) -> bool {
        let within = |number: &f64| (-MAX_LEARNED..=MAX_LEARNED).contains(number);
        self.shifts.iter().chain(&self.means).all(within)
    }

    /// Returns the weights and the offset with which answers are ranked.
    pub fn applied_to(&self, fit: &Fit) -> Fit {
        let mut weights = fit.weights.to_array();
        let mut usual = 0.0;
        let shifted = weights[KINDS - TRAITS..].iter_mut().zip(self.shifts).zip(self.means);
        for ((weight, shift), mean) in shifted {
            *weight += shift;
            usual += shift * mean;
        }
        Fit {
            weights: Values::from_array(weights),
            // The best sum of a question rises like the others.
            offset: fit.offset - (fit.scale + fit.of_best) * usual,
            ..*fit
        }
    }

    /// Moves the shifts by one step. Does nothing and returns `false` if nothing can be told apart:
    /// none of the shown was used, or all were.
    pub fn learn(&mut self, shown: &[Shown]) -> bool {
        let used = shown.iter().filter(|one| one.is_used).count();
        if used == 0 || used == shown.len() {
            return false;
        }
        let best = shown.iter().fold(f64::NEG_INFINITY, |best, one| best.max(one.sum));
        let mass: f64 = shown.iter().map(|one| exp(one.sum - best)).sum();
        let mut gradient = [0.0; TRAITS];
        let mut means = [0.0; TRAITS];
        for one in shown {
            let target = if one.is_used { 1.0 / used as f64 } else { 0.0 };
            let over = exp(one.sum - best) / mass - target;
            for (place, value) in one.traits.into_iter().enumerate() {
                gradient[place] += over * value;
                means[place] += value / shown.len() as f64;
            }
        }
        self.steps = self.steps.saturating_add(1);
        let share = (1.0 / f64::from(self.steps)).max(MIN_SHARE);
        for place in 0..TRAITS {
            let shift = &mut self.shifts[place];
            *shift = (*shift - RATE * (gradient[place] + DECAY * *shift))
                .clamp(-MAX_LEARNED, MAX_LEARNED);
            let mean = &mut self.means[place];
            *mean += share * (means[place] - *mean);
        }
        true
    }
}

/// Returns the names of the traits, in order.
pub fn trait_names() -> &'static [&'static str] {
    &NAMES[KINDS - TRAITS..]
}

impl Traits {
    /// Returns the numbers in the order of [`trait_names`].
    pub fn to_array(self) -> [f64; TRAITS] {
        let Self { qm, prevq, len, num, cap, pos } = self;
        [qm, prevq, len, num, cap, pos]
    }
}
