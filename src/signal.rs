//! The six signals a ranking is made of, one function each.
//!
//! Instants are milliseconds since 1970. Nothing is clamped unless it says so, so that results
//! equal, to the bit, those of the same formulas in JavaScript.

use crate::check::DAY_MS;
use crate::math::{F64x2, WHOLE_IN_LOW_BITS, exp, low_bits, tanh};

/// Days in which recency falls to 1/e.
pub const RECENCY_DAYS: f64 = 30.0;
/// Accesses at which affinity's tanh takes its argument as 1.
pub const AFFINITY_ACCESSES: f64 = 10.0;
/// Age in days below which a memory counts as new.
pub const NEW_DAYS: f64 = 7.0;
/// What affinity grants a new memory.
pub const NEW_BONUS: f64 = 0.2;
/// The value of a signal that nothing is known about: keyword without any BM25 score, authority in
/// a graph without inbound edges.
pub const NEUTRAL: f64 = 0.5;

/// The names of the signals, in their order: sums run along it, and of equals the first is primary.
pub const SIGNALS: [&str; 6] = ["semantic", "keyword", "graph", "recency", "authority", "affinity"];

/// Whole days from `from` to `to`, rounded down; negative when `to` is the earlier.
#[inline(always)]
pub fn days_between(from: f64, to: f64) -> f64 {
    ((to - from) / DAY_MS).floor()
}

/// Similarity of meaning: the score as given, 0 when absent. A cosine, so it may be negative.
#[inline(always)]
pub fn semantic(semantic_score: Option<f64>) -> f64 {
    semantic_score.unwrap_or(0.0)
}

/// Match of words: BM25 relative to the batch's maximum. 0.5 when that maximum is 0, and 1 for the
/// only candidate of a batch; an absent score is 0.
#[inline(always)]
pub fn keyword(bm25_score: Option<f64>, max_bm25: f64, candidates: usize) -> f64 {
    if max_bm25 == 0.0 {
        NEUTRAL
    } else if candidates == 1 {
        1.0
    } else {
        bm25_score.unwrap_or(0.0) / max_bm25
    }
}

/// Activation that reached the memory over the graph: the score as given, 0 when absent.
#[inline(always)]
pub fn graph(graph_score: Option<f64>) -> f64 {
    graph_score.unwrap_or(0.0)
}

/// Freshness: exp(−days / 30) over whole days since the last access. Above 1 for an access in the
/// future.
pub fn recency(last_accessed: f64, now: f64) -> f64 {
    recency_of_days(days_between(last_accessed, now))
}

/// [`recency`] of a number of days.
#[inline]
pub fn recency_of_days(days: f64) -> f64 {
    exp(-days / RECENCY_DAYS)
}

/// Standing in the graph: half the inbound edges relative to the average, at most 1; 0.5 when the
/// average is 0.
#[inline(always)]
pub fn authority(inbound_edges: f64, avg_inbound_edges: f64) -> f64 {
    if avg_inbound_edges == 0.0 {
        NEUTRAL
    } else {
        at_most_one((inbound_edges / avg_inbound_edges) / 2.0)
    }
}

/// How much the memory is used: tanh(accesses / 10) · recency, and 0.2 for one less than 7 days
/// old; at most 1.
pub fn affinity(access_count: f64, created_at: f64, last_accessed: f64, now: f64) -> f64 {
    let new = if days_between(created_at, now) < NEW_DAYS { NEW_BONUS } else { 0.0 };
    at_most_one(saturation(access_count) * recency(last_accessed, now) + new)
}

/// tanh(accesses / 10): how far accesses have gone towards counting no more.
#[inline]
pub fn saturation(access_count: f64) -> f64 {
    tanh(access_count / AFFINITY_ACCESSES)
}

/// [`recency_of_days`] looked up: days are whole numbers, and mostly few.
#[derive(Clone)]
pub struct RecencyTable {
    by_day: [f64; Self::DAYS],
}

impl RecencyTable {
    /// How many days are in the table, from 0 on: 2.8 years. Others are computed when asked for.
    pub const DAYS: usize = 1024;

    /// Recency of a whole number of days, less than 2³¹ either way; above 1 for a negative one.
    #[inline(always)]
    pub fn get(&self, days: f64) -> f64 {
        self.by_day.get(low_bits(days)).copied().unwrap_or_else(|| far_from_now(days))
    }
}

impl RecencyTable {
    /// [`RecencyTable::get`] of two numbers of days that are in the table, and their places
    /// together: one that is not there makes them more than [`RecencyTable::DAYS`].
    #[inline(always)]
    pub(crate) fn near(&self, days: F64x2) -> (F64x2, usize) {
        let [one, other] = (days + F64x2::splat(WHOLE_IN_LOW_BITS))
            .to_array()
            .map(|sum| sum.to_bits() as u32 as usize);
        let recency = |place: usize| self.by_day[place & (Self::DAYS - 1)];
        (F64x2::new(recency(one), recency(other)), one | other)
    }
}

/// Out of line, so that the loop around the table stays small.
#[cold]
#[inline(never)]
fn far_from_now(days: f64) -> f64 {
    recency_of_days(days)
}

impl Default for RecencyTable {
    fn default() -> Self {
        let mut by_day = [0.0; Self::DAYS];
        by_day
            .iter_mut()
            .enumerate()
            .for_each(|(days, value)| *value = recency_of_days(days as f64));
        Self { by_day }
    }
}

/// [`saturation`] looked up: accesses are whole numbers, and from some count on it is 1.
#[derive(Clone)]
pub struct SaturationTable {
    by_count: [f64; 256],
}

impl SaturationTable {
    /// From this count on saturation is exactly 1.
    ///
    /// tanh(x) is computed as 1 − 2/(e^2x + 1), and the difference rounds to 1 once the quotient is
    /// at most 2⁻⁵⁴, half the step below 1: that is from e^2x = 2⁵⁵ on, x = 19.062, count 191.
    pub const ONE_FROM: usize = 191;

    /// Saturation of a whole number of accesses, at least 0.
    #[inline(always)]
    pub fn get(&self, access_count: f64) -> f64 {
        let most = Self::ONE_FROM as f64;
        self.by_count[low_bits(if access_count < most { access_count } else { most }) & 0xFF]
    }

    /// [`SaturationTable::get`] of a count that is a whole number by its type.
    #[inline(always)]
    pub fn of_count(&self, access_count: u32) -> f64 {
        self.by_count[(access_count as usize).min(Self::ONE_FROM) & 0xFF]
    }
}

impl Default for SaturationTable {
    fn default() -> Self {
        let mut by_count = [1.0; 256];
        by_count
            .iter_mut()
            .enumerate()
            .for_each(|(count, value)| *value = saturation(count as f64));
        Self { by_count }
    }
}

/// min(x, 1), NaN staying NaN as in JavaScript.
#[inline(always)]
fn at_most_one(x: f64) -> f64 {
    if x > 1.0 { 1.0 } else { x }
}
