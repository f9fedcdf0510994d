//! Playbooks: finds those that an anomaly triggers, and updates them with the outcome of a trade.
//!
//! A playbook has a trigger: kinds of anomalies, symbols, a least severity and perhaps conditions
//! on the market. An index from kind and symbol to triggers, by severity, makes matching
//! proportional to the number of matches, not to the size of the book. Kinds, symbols and variables
//! are numbers, which the caller assigns.
//!
//! ```
//! use nous_wasm::playbook::{Event, PlaybookBook, Trigger};
//! let mut book = PlaybookBook::default();
//! let trigger =
//!     Trigger { kinds: vec![1], symbols: vec![], min_severity: 0.5, condition: vec![] };
//! let row = book.add(trigger, 9.0, 12.0);
//! let found = book.matches(&[Event { kind: 1, symbol: None, severity: 0.8 }], &|_| None);
//! assert_eq!((found.matches[0].row, found.matches[0].success_rate), (row, 0.75));
//! ```

use rustc_hash::{FxHashMap, FxHashSet};

use crate::decay;
use crate::order::sort_descending;
use crate::salience::NEUTRAL;
use crate::section::{DecayProfile, Section, SectionTable};

/// The trigger of a playbook.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trigger {
    /// Kinds of anomalies. A trigger without kinds never matches.
    pub kinds: Vec<u32>,
    /// Symbols. A trigger without symbols matches events with any symbol or none.
    pub symbols: Vec<u32>,
    /// The least severity of an event, in [0, 1].
    pub min_severity: f64,
    /// A tree of conditions in prefix order: each node precedes its parts. An empty one always
    /// holds.
    pub condition: Vec<Step>,
}

/// One node of a tree of conditions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// All of the next parts, this many, must hold.
    All(u32),
    /// At least one of the next parts, this many, must hold.
    Any(u32),
    /// The next part must not hold.
    Not,
    /// The present value of a variable is compared with a number.
    Compare(u32, Comparison, f64),
    /// The present value of a variable lies between two numbers, both included.
    Between(u32, f64, f64),
    /// Each of the last values of a variable, this many, is above the one before it.
    Rising(u32, usize),
    /// Each of the last values of a variable, this many, is below the one before it.
    Falling(u32, usize),
}

/// A comparison of a value with a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The value is less than the bound.
    Below,
    /// The value is the bound or less.
    AtMost,
    /// The value is more than the bound.
    Above,
    /// The value is the bound or more.
    AtLeast,
    /// The value is the bound.
    Equal,
    /// The value is another number than the bound.
    Unequal,
}

impl Comparison {
    fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Self::Below => value < bound,
            Self::AtMost => value <= bound,
            Self::Above => value > bound,
            Self::AtLeast => value >= bound,
            Self::Equal => value == bound,
            Self::Unequal => value != bound,
        }
    }
}

/// An anomaly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// The kind of the anomaly.
    pub kind: u32,
    /// The symbol, or `None` for an anomaly without a symbol.
    pub symbol: Option<u32>,
    /// The severity, in [0, 1].
    pub severity: f64,
}

/// A playbook that was triggered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// The row of the playbook.
    pub row: u32,
    /// The place of the first event that matches.
    pub event: usize,
    /// Successes over samples; 0 without samples.
    pub success_rate: f64,
    /// Success rate · severity · min(samples / 10, 1).
    pub relevance: f64,
}

/// The playbooks that events triggered.
#[derive(Debug, Default, PartialEq)]
pub struct PlaybookMatches {
    /// The matches by relevance, highest first. Equal ones are in the order of addition.
    pub matches: Vec<Match>,
    /// Rows, each with a variable of its condition that the market data lacks, in the order in
    /// which the playbooks were added.
    pub missing: Vec<(u32, u32)>,
}

/// The number of samples from which a success rate counts in full.
const FULL_SAMPLE: f64 = 10.0;

#[derive(Clone, Debug, Default)]
struct StoredPlaybook {
    /// The number of its addition, from 1 on, or 0 for a free row.
    sequence: u64,
    condition: Vec<Step>,
    success_count: f64,
    sample_size: f64,
    /// The last call of [`PlaybookBook::matches`] that found it.
    found: u64,
}

/// Triggers under one kind and symbol.
#[derive(Clone, Debug, Default)]
struct TriggerList {
    /// Least severity, row, and the number of the addition of its playbook. An entry with another
    /// number than that of the row belongs to a removed playbook.
    triggers: Vec<(f64, u32, u64)>,
    sorted: bool,
    /// The last call of [`PlaybookBook::matches`] that read this list, and the place that it
    /// reached.
    looked: u64,
    place: usize,
}

/// The symbol number of triggers without symbols.
const EVERY: u32 = u32::MAX;

/// Playbooks, found by their triggers.
#[derive(Clone, Debug, Default)]
pub struct PlaybookBook {
    rows: Vec<StoredPlaybook>,
    free: Vec<u32>,
    lists: FxHashMap<(u32, u32), TriggerList>,
    sequence: u64,
    call: u64,
    /// The number of entries of all lists, and of those whose playbook was removed.
    listed: usize,
    removed: usize,
    /// The number of list entries of each row.
    entries: Vec<u32>,
}

impl PlaybookBook {
    /// Adds a playbook. Returns its row.
    pub fn add(&mut self, mut trigger: Trigger, success_count: f64, sample_size: f64) -> u32 {
        let row = self.free.pop().unwrap_or_else(|| {
            self.rows.push(StoredPlaybook::default());
            self.entries.push(0);
            self.rows.len() as u32 - 1
        });
        self.sequence += 1;
        if trigger.symbols.is_empty() {
            trigger.symbols.push(EVERY);
        }
        // A repeated name counts once.
        let mut seen = FxHashSet::default();
        trigger.kinds.retain(|&kind| seen.insert(kind));
        seen.clear();
        trigger.symbols.retain(|&symbol| seen.insert(symbol));
        let mut entries = 0;
        for &kind in &trigger.kinds {
            for &symbol in &trigger.symbols {
                let list = self.lists.entry((kind, symbol)).or_default();
                list.triggers.push((trigger.min_severity, row, self.sequence));
                list.sorted = false;
                entries += 1;
            }
        }
        self.listed += entries;
        self.entries[row as usize] = entries as u32;
        self.rows[row as usize] = StoredPlaybook {
            sequence: self.sequence,
            condition: trigger.condition,
            success_count,
            sample_size,
            found: 0,
        };
        row
    }

    /// Removes the playbook of a row. The row may be used again.
    pub fn remove(&mut self, row: u32) {
        self.rows[row as usize] = StoredPlaybook::default();
        self.free.push(row);
        self.removed += self.entries[row as usize] as usize;
        if self.removed > self.listed / 2 {
            self.drop_removed();
        }
    }

    fn drop_removed(&mut self) {
        let rows = &self.rows;
        self.lists.retain(|_, list| {
            list.triggers.retain(|&(_, row, sequence)| rows[row as usize].sequence == sequence);
            !list.triggers.is_empty()
        });
        self.listed -= self.removed;
        self.removed = 0;
    }

    /// Returns for each playbook the first event that triggers it, if its conditions hold. `values`
    /// returns the values of a variable in the market data, the present one last.
    pub fn matches<'a>(
        &mut self,
        events: &[Event],
        values: &impl Fn(u32) -> Option<&'a [f64]>,
    ) -> PlaybookMatches {
        self.call += 1;
        let mut called: Vec<(u32, usize)> = Vec::new();
        for (place, event) in events.iter().enumerate() {
            for symbol in [Some(EVERY), event.symbol].into_iter().flatten() {
                let Some(list) = self.lists.get_mut(&(event.kind, symbol)) else { continue };
                list.look(self.call);
                while let Some(&(min, row, sequence)) = list.triggers.get(list.place) {
                    if min > event.severity {
                        break;
                    }
                    list.place += 1;
                    let entry = &mut self.rows[row as usize];
                    if entry.sequence == sequence && entry.found != self.call {
                        entry.found = self.call;
                        called.push((row, place));
                    }
                }
            }
        }
        sort_descending(&mut called, |&(row, _)| -(self.rows[row as usize].sequence as f64));
        let mut found = PlaybookMatches::default();
        for (row, event) in called {
            let StoredPlaybook { condition, success_count, sample_size, .. } =
                &self.rows[row as usize];
            let first = found.missing.len();
            let mut market = Market { values, row, first, missing: &mut found.missing };
            if !condition.is_empty() && !market.holds(&mut condition.iter()) {
                continue;
            }
            let success_rate = if *sample_size == 0.0 { 0.0 } else { success_count / sample_size };
            let relevance =
                success_rate * events[event].severity * f64::min(1.0, sample_size / FULL_SAMPLE);
            found.matches.push(Match { row, event, success_rate, relevance });
        }
        sort_descending(&mut found.matches, |it| it.relevance);
        found
    }
}

impl TriggerList {
    /// Prepares the list for a call: sorts it by severity, and starts at the first entry if the
    /// call has not read it yet.
    fn look(&mut self, call: u64) {
        if !self.sorted {
            sort_descending(&mut self.triggers, |&(min, ..)| -min);
            self.sorted = true;
        }
        if self.looked != call {
            (self.looked, self.place) = (call, 0);
        }
    }
}

/// The market data for the conditions of one playbook.
struct Market<'m, 'a, Values: Fn(u32) -> Option<&'a [f64]>> {
    values: &'m Values,
    row: u32,
    /// The place of this playbook's first missing variable.
    first: usize,
    missing: &'m mut Vec<(u32, u32)>,
}

impl<'a, Values: Fn(u32) -> Option<&'a [f64]>> Market<'_, 'a, Values> {
    /// Whether the next condition holds. Every part is evaluated, even if the result is clear, so
    /// that every missing variable is found.
    fn holds(&mut self, steps: &mut std::slice::Iter<'_, Step>) -> bool {
        match steps.next().copied() {
            None => true,
            Some(Step::All(parts)) => (0..parts).fold(true, |all, _| self.holds(steps) && all),
            Some(Step::Any(parts)) => (0..parts).fold(false, |any, _| self.holds(steps) || any),
            Some(Step::Not) => !self.holds(steps),
            Some(Step::Compare(variable, comparison, bound)) => {
                self.present(variable).is_some_and(|value| comparison.holds(value, bound))
            }
            Some(Step::Between(variable, low, high)) => {
                self.present(variable).is_some_and(|value| low <= value && value <= high)
            }
            Some(Step::Rising(variable, window)) => self
                .last(variable, window)
                .is_some_and(|last| last.is_sorted_by(|before, after| before < after)),
            Some(Step::Falling(variable, window)) => self
                .last(variable, window)
                .is_some_and(|last| last.is_sorted_by(|before, after| before > after)),
        }
    }

    fn present(&mut self, variable: u32) -> Option<f64> {
        self.last(variable, 1).map(|last| last[0])
    }

    /// Returns the last values of a variable. If there are fewer, records the variable as missing.
    fn last(&mut self, variable: u32, many: usize) -> Option<&'a [f64]> {
        let values = (self.values)(variable).unwrap_or_default();
        if values.len() >= many && many > 0 {
            return Some(&values[values.len() - many..]);
        }
        if self.missing[self.first..].iter().all(|&(_, known)| known != variable) {
            self.missing.push((self.row, variable));
        }
        None
    }
}

/// The track record of a playbook.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackRecord {
    /// The number of trades that followed it and made money.
    pub success_count: f64,
    /// The number of trades that followed it.
    pub sample_size: f64,
    /// The stability in days.
    pub stability: f64,
}

/// The amount that the edge from a playbook to a profitable trade gains.
pub const EDGE_STRENGTHENING: f64 = 0.1;

/// Returns the record after a trade that followed the playbook was closed. A success multiplies the
/// stability by the growth of one recall, and a failure divides it by the same. The result is at
/// most the section's cap, and at least the initial stability of a missed opportunity.
pub fn apply_outcome(
    record: &TrackRecord,
    difficulty: Option<f64>,
    profitable: bool,
    table: &SectionTable,
) -> TrackRecord {
    let profile = table.profile(Section::Procedural);
    let difficulty = difficulty.unwrap_or(profile.encoding.base_difficulty);
    let stability = if profitable {
        decay::stability_on_access_for_section(
            record.stability,
            difficulty,
            NEUTRAL,
            &profile.decay,
        )
    } else {
        let uncapped = DecayProfile { max_stability_days: f64::INFINITY, ..profile.decay };
        record.stability
            / decay::stability_on_access_for_section(1.0, difficulty, NEUTRAL, &uncapped)
    };
    let min = table.initial_stability(Some("custom:missed_opportunity"));
    TrackRecord {
        success_count: record.success_count + f64::from(u8::from(profitable)),
        sample_size: record.sample_size + 1.0,
        stability: f64::min(f64::max(stability, min), profile.decay.max_stability_days),
    }
}
