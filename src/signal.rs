//! The six signals a ranking is made of, one function each.
//!
//! Instants are milliseconds since 1970. Nothing is clamped unless it says so, so that results equal, to the
//! bit, those of the same formulas in JavaScript.

use crate::math::{exp, tanh};

/// Milliseconds in a day.
pub const DAY_MS: f64 = 86_400_000.0;
/// Days in which recency falls to 1/e.
pub const RECENCY_DAYS: f64 = 30.0;
/// Accesses at which affinity's tanh takes its argument as 1.
pub const AFFINITY_ACCESSES: f64 = 10.0;
/// Age in days below which a memory counts as new.
pub const NEW_DAYS: f64 = 7.0;
/// What affinity grants a new memory.
pub const NEW_BONUS: f64 = 0.2;
/// The value of a signal that nothing is known about: keyword without any BM25 score, authority in a graph
/// without inbound edges.
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

/// Match of words: BM25 relative to the batch's maximum. 0.5 when that maximum is 0, and 1 for the only
/// candidate of a batch; an absent score is 0.
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

/// Freshness: exp(−days / 30) over whole days since the last access. Above 1 for an access in the future.
pub fn recency(last_accessed: f64, now: f64) -> f64 {
    recency_of_days(days_between(last_accessed, now))
}

/// [`recency`] of a number of days.
#[inline]
pub fn recency_of_days(days: f64) -> f64 {
    exp(-days / RECENCY_DAYS)
}

/// Standing in the graph: half the inbound edges relative to the average, at most 1; 0.5 when the average is 0.
#[inline(always)]
pub fn authority(inbound_edges: f64, avg_inbound_edges: f64) -> f64 {
    if avg_inbound_edges == 0.0 { NEUTRAL } else { at_most_one((inbound_edges / avg_inbound_edges) / 2.0) }
}

/// How much the memory is used: tanh(accesses / 10) · recency, and 0.2 for one less than 7 days old; at most 1.
pub fn affinity(access_count: f64, created_at: f64, last_accessed: f64, now: f64) -> f64 {
    affinity_of(saturation(access_count), recency(last_accessed, now), days_between(created_at, now))
}

/// [`affinity`] from its parts: saturation of the accesses, recency, age in whole days.
#[inline(always)]
pub(crate) fn affinity_of(saturation: f64, recency: f64, age_days: f64) -> f64 {
    at_most_one(saturation * recency + if age_days < NEW_DAYS { NEW_BONUS } else { 0.0 })
}

/// tanh(accesses / 10): how far accesses have gone towards counting no more.
#[inline]
pub fn saturation(access_count: f64) -> f64 {
    tanh(access_count / AFFINITY_ACCESSES)
}

/// min(x, 1), NaN staying NaN as in JavaScript.
#[inline(always)]
fn at_most_one(x: f64) -> f64 {
    if x > 1.0 { 1.0 } else { x }
}
