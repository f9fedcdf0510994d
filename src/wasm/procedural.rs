//! Playbooks over numbers: JavaScript keeps ids and texts, and numbers the names of kinds, symbols
//! and variables.

use rustc_hash::FxHashMap;
use wasm_bindgen::prelude::*;

use super::{Engine, grow};
use crate::playbook::{Comparison, Event, PlaybookBook, Step, TrackRecord, Trigger, apply_outcome};

/// A book of playbooks, with scratch for batches.
#[wasm_bindgen]
#[derive(Default)]
pub struct Playbooks {
    book: PlaybookBook,
    numbers: Vec<f64>,
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

    /// A kind, a number that is a count or a variable, and two that it may have.
    fn step(&mut self) -> Step {
        let (kind, first, a, b) = (self.code() as usize, self.code(), self.next(), self.next());
        match kind {
            0 => Step::All(first),
            1 => Step::Any(first),
            2 => Step::Not,
            3 => Step::Between(first, a, b),
            4 => Step::Rising(first, a as usize),
            5 => Step::Falling(first, a as usize),
            _ => {
                Step::Compare(first, Comparison::ALL[(kind - 6).min(Comparison::ALL.len() - 1)], a)
            }
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

    /// Makes room for so many numbers; `false` when there is not as much memory. Moves the scratch.
    pub fn reserve(&mut self, numbers: usize) -> bool {
        grow(&mut self.numbers, numbers)
    }

    /// Where the numbers stand, in bytes from the beginning of memory.
    pub fn numbers_at(&self) -> usize {
        self.numbers.as_ptr() as usize
    }

    /// Numbers: of each playbook successes, samples, least severity; how many kinds, and these; how
    /// many symbols, and these; how many steps, and four numbers of each. The answer is their rows.
    pub fn add(&mut self, count: usize) -> Vec<u32> {
        let mut numbers = Numbers(self.numbers.iter());
        let book = &mut self.book;
        let mut add = || {
            let (success_count, sample_size, least_severity) =
                (numbers.next(), numbers.next(), numbers.next());
            let (kinds, symbols, steps) = (numbers.codes(), numbers.codes(), numbers.code());
            let condition = (0..steps).map(|_| numbers.step()).collect();
            book.add(
                Trigger { kinds, symbols, least_severity, condition },
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

    /// Numbers: kind, symbol (−1 for none) and severity of each event; each variable, how many
    /// values it has, and these. The answer begins with the number of matches; each is row, event,
    /// success rate and relevance; row and variable of what is missing follow.
    pub fn matches(&mut self, events: usize, variables: usize) -> Vec<f64> {
        let (told, market) = self.numbers.split_at(events * 3);
        let event = |it: &[f64]| Event {
            kind: it[0] as u32,
            symbol: (it[1] >= 0.0).then_some(it[1] as u32),
            severity: it[2],
        };
        let events: Vec<Event> = told.chunks_exact(3).map(event).collect();
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
        answer.extend(
            found
                .matches
                .iter()
                .flat_map(|it| [f64::from(it.row), it.event as f64, it.success_rate, it.relevance]),
        );
        answer.extend(
            found.missing.iter().flat_map(|&(row, variable)| [f64::from(row), f64::from(variable)]),
        );
        answer
    }
}

#[wasm_bindgen]
impl Engine {
    /// Stability of a playbook after a trade that followed it; a difficulty that is NaN is the
    /// section's.
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
