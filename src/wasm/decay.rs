//! Decay and growth: numbers in and out, and columns over the scratch.

use wasm_bindgen::prelude::*;

use super::{Engine, answer};
use crate::decay::{self, AlgorithmType, DecayColumns};
use crate::fsrs;
use crate::salience::NEUTRAL;
use crate::section::DecayProfile;

#[wasm_bindgen]
impl Engine {
    /// See [`decay::retrievability_on`].
    pub fn retrievability(&self, days: f64, stability: f64) -> f64 {
        decay::retrievability_on(self.curve, days, stability)
    }

    /// Numbers: last accesses, stabilities, and room for retrievabilities. Bytes: section codes,
    /// and room for lifecycle codes.
    pub fn decay_columns(&mut self, nodes: usize, now: f64) -> bool {
        let (last_accessed, rest) = self.scratch.numbers.split_at_mut(nodes);
        let (stability, retrievability) = rest.split_at_mut(nodes);
        let (section, lifecycle) = self.scratch.bytes.split_at_mut(nodes);
        let columns = DecayColumns { last_accessed, stability, section };
        let (retrievability, lifecycle) = (&mut retrievability[..nodes], &mut lifecycle[..nodes]);
        answer(decay::decay_columns(
            columns,
            now,
            &self.table,
            self.curve,
            retrievability,
            lifecycle,
        ))
        .is_some()
    }
}

/// The number, or the fallback if it is NaN.
fn or(given: f64, fallback: f64) -> f64 {
    if given.is_nan() { fallback } else { given }
}

/// See [`decay::stability_on_access`]. A salience of NaN is neutral.
#[wasm_bindgen]
pub fn stability_on_access(stability: f64, difficulty: f64, salience: f64) -> f64 {
    decay::stability_on_access(stability, difficulty, or(salience, NEUTRAL))
}

/// See [`decay::stability_on_access_for_section`]. The three arguments are followed by the
/// profile's five numbers. A salience of NaN is neutral.
#[wasm_bindgen]
pub fn stability_on_access_for_section(
    stability: f64,
    difficulty: f64,
    salience: f64,
    initial_stability_days: f64,
    growth_rate: f64,
    active_threshold: f64,
    weak_threshold: f64,
    max_stability_days: f64,
) -> f64 {
    let decay = profile(
        initial_stability_days,
        growth_rate,
        active_threshold,
        weak_threshold,
        max_stability_days,
    );
    decay::stability_on_access_for_section(stability, difficulty, or(salience, NEUTRAL), &decay)
}

/// See [`decay::fsrs_stability_on_access`]. A salience of NaN is neutral. A retrievability of NaN
/// stands for a recall that was due.
#[wasm_bindgen]
pub fn fsrs_stability_on_access(
    stability: f64,
    difficulty: f64,
    salience: f64,
    retrievability: f64,
    max: f64,
) -> f64 {
    let retrievability = or(retrievability, fsrs::RETRIEVABILITY_AT_STABILITY);
    decay::fsrs_stability_on_access(
        stability,
        difficulty,
        or(salience, NEUTRAL),
        retrievability,
        max,
    )
}

/// See [`fsrs::fsrs_stability_from_exponential`].
#[wasm_bindgen]
pub fn fsrs_stability_from_exponential(stability: f64) -> f64 {
    fsrs::fsrs_stability_from_exponential(stability)
}

/// See [`fsrs::exponential_stability_from_fsrs`].
#[wasm_bindgen]
pub fn exponential_stability_from_fsrs(stability: f64) -> f64 {
    fsrs::exponential_stability_from_fsrs(stability)
}

/// See [`decay::lifecycle`]. Returns a code.
#[wasm_bindgen]
pub fn lifecycle(retrievability: f64, days_dormant: f64) -> u8 {
    decay::lifecycle(retrievability, days_dormant) as u8
}

fn profile(
    initial_stability_days: f64,
    growth_rate: f64,
    active_threshold: f64,
    weak_threshold: f64,
    max_stability_days: f64,
) -> DecayProfile {
    DecayProfile {
        initial_stability_days,
        growth_rate,
        active_threshold,
        weak_threshold,
        max_stability_days,
    }
}

/// See [`decay::lifecycle_for_section`]. The two arguments are followed by the profile's five
/// numbers. Returns a code.
#[wasm_bindgen]
pub fn lifecycle_for_section(
    retrievability: f64,
    days_dormant: f64,
    initial_stability_days: f64,
    growth_rate: f64,
    active_threshold: f64,
    weak_threshold: f64,
    max_stability_days: f64,
) -> u8 {
    let decay = profile(
        initial_stability_days,
        growth_rate,
        active_threshold,
        weak_threshold,
        max_stability_days,
    );
    decay::lifecycle_for_section(retrievability, days_dormant, &decay) as u8
}

/// See [`decay::cascade`].
#[wasm_bindgen]
pub fn cascade(edge_weight: f64, retrievability: f64) -> f64 {
    decay::cascade(edge_weight, retrievability)
}

/// See [`decay::difficulty`]; a code outside the types is an unknown type.
#[wasm_bindgen]
pub fn difficulty(type_code: usize, content_length: f64, edge_count: f64) -> f64 {
    decay::difficulty(AlgorithmType::ALL.get(type_code).copied(), content_length, edge_count)
}
