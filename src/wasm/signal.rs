//! The six signals, as numbers in and out.

use wasm_bindgen::prelude::*;

use crate::signal;

/// See [`signal::keyword`]; an absent score is 0.
#[wasm_bindgen]
pub fn keyword(bm25_score: f64, max_bm25: f64, candidates: usize) -> f64 {
    signal::keyword(Some(bm25_score), max_bm25, candidates)
}

/// See [`signal::recency`].
#[wasm_bindgen]
pub fn recency(last_accessed: f64, now: f64) -> f64 {
    signal::recency(last_accessed, now)
}

/// See [`signal::authority`].
#[wasm_bindgen]
pub fn authority(inbound_edges: f64, avg_inbound_edges: f64) -> f64 {
    signal::authority(inbound_edges, avg_inbound_edges)
}

/// See [`signal::affinity`].
#[wasm_bindgen]
pub fn affinity(access_count: f64, created_at: f64, last_accessed: f64, now: f64) -> f64 {
    signal::affinity(access_count, created_at, last_accessed, now)
}
