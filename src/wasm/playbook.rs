//! Playbooks over numbers. JavaScript keeps ids and texts, and numbers the names of kinds, symbols
//! and variables.

use rustc_hash::FxHashMap;
use wasm_bindgen::prelude::*;

use super::Engine;
use super::layout::{
    EVENT, EVENT_KIND, EVENT_SEVERITY, EVENT_SYMBOL, MATCH, MATCH_EVENT, MATCH_RELEVANCE,
    MATCH_ROW, MATCH_SUCCESS_RATE, MISSING, MISSING_ROW, MISSING_VARIABLE, NO_SYMBOL, STEP_ABOVE,
    STEP_ALL, STEP_ANY, STEP_AT_LEAST, STEP_AT_MOST, STEP_BELOW, STEP_BETWEEN, STEP_EQUAL,
    STEP_FALLING, STEP_NOT, STEP_RISING,
};
use super::scratch::Scratch;
use crate::playbook::{Comparison, Event, PlaybookBook, Step, TrackRecord, Trigger, apply_outcome};

/// A book of playbooks, with scratch for batches.
#[wasm_bindgen]
#[derive(Default)]
pub struct Playbooks {
    book: PlaybookBook,
    scratch: Scratch,
}

/// Reads numbers one after the other.
struct Numbers<'a>(std::slice::Iter<'a, f64>);

impl Numbers<'_> {
    fn next(&mut self) -> f64 {
        self.0.next().copied().unwrap_or_default()
    }

    fn code(&mut self) -> u32 {
        self.next() as u32
    }

    fn codes(&mut self) -> Vec<u32> {
        let count = self.code();
        (0..count).map(|_| self.code()).collect()
    }

    /// The kind of a step, its count or variable, and the two numbers that it may have.
    fn step(&mut self) -> Step {
        let (kind, first, a, b) = (self.code(), self.code(), self.next(), self.next());
        match kind {
            STEP_ALL => Step::All(first),
            STEP_ANY => Step::Any(first),
            STEP_NOT => Step::Not,
            STEP_BETWEEN => Step::Between(first, a, b),
            STEP_RISING => Step::Rising(first, a as usize),
            STEP_FALLING => Step::Falling(first, a as usize),
            STEP_BELOW => Step::Compare(first, Comparison::Below, a),
            STEP_AT_MOST => Step::Compare(first, Comparison::AtMost, a),
            STEP_ABOVE => Step::Compare(first, Comparison::Above, a),
            STEP_AT_LEAST => Step::Compare(first, Comparison::AtLeast, a),
            STEP_EQUAL => Step::Compare(first, Comparison::Equal, a),
            _ => Step::Compare(first, Comparison::Unequal, a),
        }
    }
}

#[wasm_bindgen]
impl Playbooks {
    /// A book without playbooks.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for numbers. Returns `false` if the host has too little memory. Moves the
    /// scratch.
    pub fn reserve(&mut self, numbers: usize) -> bool {
        self.scratch.reserve(numbers, 0, 0)
    }

    /// Address of the numbers, in bytes from the beginning of memory.
    pub fn numbers_at(&self) -> usize {
        self.scratch.numbers.as_ptr() as usize
    }

    /// Numbers, read in order: of each playbook its successes, samples and least severity; the
    /// count of kinds, and these; the count of symbols, and these; the count of steps, and four
    /// numbers of each. Returns the rows of the playbooks.
    pub fn add(&mut self, count: usize) -> Vec<u32> {
        let mut numbers = Numbers(self.scratch.numbers.iter());
        let book = &mut self.book;
        let mut add = || {
            let (success_count, sample_size, min_severity) =
                (numbers.next(), numbers.next(), numbers.next());
            let (kinds, symbols, steps) = (numbers.codes(), numbers.codes(), numbers.code());
            let condition = (0..steps).map(|_| numbers.step()).collect();
            book.add(
                Trigger { kinds, symbols, min_severity, condition },
                success_count,
                sample_size,
            )
        };
        (0..count).map(|_| add()).collect()
    }

    /// Removes the playbook of a row.
    pub fn remove(&mut self, row: u32) {
        self.book.remove(row);
    }

    /// Numbers: an `EVENT` each; then each variable, the count of its values, and these. Returns
    /// the count of matches, a `MATCH` each, and a `MISSING` for each variable that was missed.
    pub fn matches(&mut self, events: usize, variables: usize) -> Vec<f64> {
        let (events, market) = self.scratch.numbers.split_at(events * EVENT);
        let event = |event: &[f64; EVENT]| Event {
            kind: event[EVENT_KIND] as u32,
            symbol: (event[EVENT_SYMBOL] != NO_SYMBOL).then_some(event[EVENT_SYMBOL] as u32),
            severity: event[EVENT_SEVERITY],
        };
        let events: Vec<Event> = events.as_chunks().0.iter().map(event).collect();
        let mut rest = market;
        let mut read = || {
            let (&[variable, count], others) = rest.split_first_chunk()?;
            let (values, others) = others.split_at_checked(count as usize)?;
            rest = others;
            Some((variable as u32, values))
        };
        let market: FxHashMap<u32, &[f64]> = (0..variables).map_while(|_| read()).collect();
        let found = self.book.matches(&events, &|variable| market.get(&variable).copied());
        let mut answer = vec![found.matches.len() as f64];
        answer.extend(found.matches.iter().flat_map(|it| {
            let mut numbers = [0.0; MATCH];
            numbers[MATCH_ROW] = it.row.into();
            numbers[MATCH_EVENT] = it.event as f64;
            numbers[MATCH_SUCCESS_RATE] = it.success_rate;
            numbers[MATCH_RELEVANCE] = it.relevance;
            numbers
        }));
        answer.extend(found.missing.iter().flat_map(|&(row, variable)| {
            let mut numbers = [0.0; MISSING];
            numbers[MISSING_ROW] = row.into();
            numbers[MISSING_VARIABLE] = variable.into();
            numbers
        }));
        answer
    }
}

#[wasm_bindgen]
impl Engine {
    /// Stability of a playbook after a trade that followed it. If the difficulty is NaN, that of
    /// the section is used.
    pub fn stability_after_outcome(
        &self,
        stability: f64,
        difficulty: f64,
        profitable: bool,
    ) -> f64 {
        let record = TrackRecord { success_count: 0.0, sample_size: 0.0, stability };
        let difficulty = Some(difficulty).filter(|difficulty| !difficulty.is_nan());
        apply_outcome(&record, difficulty, profitable, &self.table).stability
    }
}

/// A rate in whole percent; halves go to the even one.
#[wasm_bindgen]
pub fn whole_percent(rate: f64) -> f64 {
    crate::math::whole_percent(rate)
}
