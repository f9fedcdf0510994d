//! The six signals of a ranking, one function each.
//!
//! Instants are milliseconds since 1970. Nothing is clamped unless the function says so: results
//! equal those of the same formulas in JavaScript, to the bit.

use crate::check::DAY_MS;
use crate::math::{F64x2, WHOLE_IN_LOW_BITS, exp, low_bits, tanh};

/// Days in which recency falls to 1/e.
pub const RECENCY_DAYS: f64 = 30.0;
/// The number of accesses at which the argument of affinity's tanh is 1.
pub const AFFINITY_ACCESSES: f64 = 10.0;
/// Age in days below which a memory counts as new.
pub const NEW_DAYS: f64 = 7.0;
/// The affinity that a new memory gets in addition.
pub const NEW_BONUS: f64 = 0.2;
/// The value of a signal without data: keyword without any BM25 score, authority in a graph without
/// inbound edges.
pub const NEUTRAL: f64 = 0.5;

/// The names of the signals, in order. Sums are added in this order, and of equal contributions the
/// first is the primary signal.
pub const SIGNALS: [&str; 6] = ["semantic", "keyword", "graph", "recency", "authority", "affinity"];

/// Returns the whole days from `from` to `to`, rounded down; negative if `to` is earlier.
#[inline(always)]
pub fn days_between(from: f64, to: f64) -> f64 {
    ((to - from) / DAY_MS).floor()
}

/// Returns the semantic signal: the cosine as given, or 0 if absent. It may be negative.
#[inline(always)]
pub fn semantic(semantic_score: Option<f64>) -> f64 {
    semantic_score.unwrap_or(0.0)
}

/// Returns the keyword signal: the BM25 score divided by the batch's maximum. 0.5 if that maximum
/// is 0, and 1 for the only candidate of a batch. An absent score is 0.
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

/// Returns the graph signal: the activation as given, or 0 if absent.
#[inline(always)]
pub fn graph(graph_score: Option<f64>) -> f64 {
    graph_score.unwrap_or(0.0)
}

/// Returns the recency signal: exp(−days / 30) over whole days since the last access. Above 1 for
/// an access in the future.
pub fn recency(last_accessed: f64, now: f64) -> f64 {
    recency_of_days(days_between(last_accessed, now))
}

/// [`recency`] of a number of days.
#[inline]
pub fn recency_of_days(days: f64) -> f64 {
    exp(-days / RECENCY_DAYS)
}

/// Returns the authority signal: half the inbound edges relative to the average, at most 1. 0.5 if
/// the average is 0.
#[inline(always)]
pub fn authority(inbound_edges: f64, avg_inbound_edges: f64) -> f64 {
    if avg_inbound_edges == 0.0 {
        NEUTRAL
    } else {
        at_most_one((inbound_edges / avg_inbound_edges) / 2.0)
    }
}

/// Returns the affinity signal: tanh(accesses / 10) · recency, plus 0.2 for a memory less than 7
/// days old; at most 1.
pub fn affinity(access_count: f64, created_at: f64, last_accessed: f64, now: f64) -> f64 {
    let new = if days_between(created_at, now) < NEW_DAYS { NEW_BONUS } else { 0.0 };
    at_most_one(saturation(access_count) * recency(last_accessed, now) + new)
}

/// Returns tanh(accesses / 10), in [0, 1].
#[inline]
pub fn saturation(access_count: f64) -> f64 {
    tanh(access_count / AFFINITY_ACCESSES)
}

/// A table of [`recency_of_days`]. Days are whole numbers, and mostly small.
#[derive(Clone)]
pub struct RecencyTable {
    by_day: [f64; Self::DAYS],
}

impl RecencyTable {
    /// The number of days in the table, from 0 on: 2.8 years. Other days are computed.
    pub const DAYS: usize = 1024;

    /// Returns the recency of a whole number of days between −2³¹ and 2³¹. Above 1 for a negative
    /// number.
    #[inline(always)]
    pub fn get(&self, days: f64) -> f64 {
        self.by_day.get(low_bits(days)).copied().unwrap_or_else(|| far_from_now(days))
    }
}

impl RecencyTable {
    /// [`RecencyTable::get`] for two numbers of days in the table, and the bitwise or of their
    /// places. That is [`RecencyTable::DAYS`] or more if one of them is not in the table.
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

/// A table of [`saturation`]. Accesses are whole numbers, and saturation is 1 from some count on.
#[derive(Clone)]
pub struct SaturationTable {
    by_count: [f64; 256],
}

impl SaturationTable {
    /// The count from which saturation is exactly 1.
    ///
    /// tanh(x) is computed as 1 − 2/(e^2x + 1). The difference rounds to 1 if the quotient is at
    /// most 2⁻⁵⁴, half the step below 1. That is the case from e^2x = 2⁵⁵ on, x = 19.062, count
    /// 191.
    pub const ONE_FROM: usize = 191;

    /// Returns the saturation of a whole number of accesses, at least 0.
    #[inline(always)]
    pub fn get(&self, access_count: f64) -> f64 {
        let max = Self::ONE_FROM as f64;
        self.by_count[low_bits(if access_count < max { access_count } else { max }) & 0xFF]
    }

    /// [`SaturationTable::get`] for an integer count.
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

/// Returns min(x, 1). NaN stays NaN, as in JavaScript.
#[inline(always)]
fn at_most_one(x: f64) -> f64 {
    if x > 1.0 { 1.0 } else { x }
}
