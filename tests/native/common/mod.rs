//! Helpers that several test files share.

pub mod golden_search;
pub mod naive;

use nous_wasm::{Candidate, Section};

/// The present of the tests: 2026-02-20, 12:00 UTC.
pub const NOW: f64 = 1_771_588_800_000.0;

/// A candidate without special values, accessed now.
pub const PLAIN: Candidate = Candidate {
    semantic_score: 0.5,
    bm25_score: 1.0,
    graph_score: 0.25,
    last_accessed: NOW,
    created_at: NOW,
    access_count: 3.0,
    inbound_edge_count: 2.0,
    section: Section::Knowledge,
};

/// Equality of `Object.is`: equal bits, or both NaN.
pub fn is(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Asserts that two numbers are equal to the bit. Names the place if they are not.
#[track_caller]
pub fn assert_is(actual: f64, expected: f64, what: impl std::fmt::Display) {
    assert!(is(actual, expected), "{what}: {actual:?} is not {expected:?}");
}
