//! Patterns of users. They are rare and short, so they and their texts cross as strings.

use wasm_bindgen::prelude::*;

use super::answer;
use crate::pattern::PatternSet;

/// Compiled patterns.
#[wasm_bindgen]
pub struct Patterns(PatternSet);

#[wasm_bindgen]
impl Patterns {
    /// Compiles patterns.
    pub fn create(patterns: Vec<String>) -> Option<Patterns> {
        answer(PatternSet::new(patterns.iter().map(String::as_str))).map(Self)
    }

    /// Returns the place of the first pattern that matches, −1 if none does.
    pub fn first_match(&self, text: &str) -> i32 {
        self.0.first_match(text).map_or(-1, |place| place as i32)
    }
}
