//! Salience over numbers. JavaScript knows the place of each subtype in the table and the signals
//! that it reads.

use wasm_bindgen::prelude::*;

use super::Engine;
use crate::salience::{EXPECTATION, LED_TO_ACTION, OUTCOME, Z_SCORE};

#[wasm_bindgen]
impl Engine {
    /// Returns the salience of a memory by the two signals of its subtype and the four that all
    /// subtypes have. NaN stands for a missing signal.
    #[allow(clippy::too_many_arguments)] // each is a number of its own on the stack
    pub fn salience(
        &self,
        place: usize,
        first: f64,
        second: f64,
        z_score: f64,
        outcome: f64,
        expectation: f64,
        led_to_action: f64,
    ) -> f64 {
        let stake = self.salience.at(place);
        let value = |field: &str| match field {
            Z_SCORE => z_score,
            OUTCOME => outcome,
            EXPECTATION => expectation,
            LED_TO_ACTION => led_to_action,
            _ if stake.field(0) == Some(field) => first,
            _ => second,
        };
        stake.salience(|field| Some(value(field)).filter(|value| !value.is_nan()))
    }

    /// Returns the stability in days for a salience, or NaN if the default applies.
    pub fn modulated_stability(&self, place: usize, salience: f64) -> f64 {
        self.salience.at(place).modulated_stability(salience).unwrap_or(f64::NAN)
    }
}
