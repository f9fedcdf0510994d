//! Search: from what the searches by meaning and by words found, over the graph, to a ranked list.
//!
//! What both found is combined into *seeds*. Activation spreads from them over edges, weaker with every hop (spreading
//! activation, Collins and Loftus 1975), and reaches memories that share no word with the question. What has become active
//! is ranked by its signals, the activation being one of them. Rows come and go by number; who they are is the caller's.

use std::cmp::Ordering;

mod rank;
mod seed;
mod spread;

pub use rank::{Ranking, Serendipity, rank};
pub use seed::{Found, Seed, seed};
pub use spread::{Activated, Spread, Termination, spread};

/// How a search goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchConfig {
    /// Weight of the vector score in a seed's combined score.
    pub dense_weight: f64,
    /// Weight of the BM25 score in it.
    pub bm25_weight: f64,
    /// The least combined score of a seed; none: 0.15 for a query with an embedding, else 0.05.
    pub seed_threshold: Option<f64>,
    /// The most seeds.
    pub max_seeds: usize,
    /// Activation of a seed whose combined score is 1.
    pub initial_activation: f64,
    /// What is left of an activation after each hop.
    pub hop_decay: f64,
    /// An activation below this neither spreads nor arrives.
    pub min_threshold: f64,
    /// The most rounds of spreading.
    pub max_hops: u32,
    /// Spreading stops at this many active nodes, seeds included.
    pub max_nodes: usize,
    /// What several activations of one node come to.
    pub aggregation: Aggregation,
    /// Results when a search does not say how many.
    pub default_limit: usize,
    /// Whether every active node is ranked, or those alone that a search had found.
    pub graph_reach: bool,
}

/// What several activations of one node come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // plain words
pub enum Aggregation {
    Sum,
    Max,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            dense_weight: 0.7,
            bm25_weight: 0.3,
            seed_threshold: None,
            max_seeds: 15,
            initial_activation: 1.0,
            hop_decay: 0.8,
            min_threshold: 0.01,
            max_hops: 3,
            max_nodes: 500,
            aggregation: Aggregation::Sum,
            default_limit: 30,
            graph_reach: false,
        }
    }
}

/// Orders numbers from high to low; −0 and 0 are equal.
fn descending(a: f64, b: f64) -> Ordering {
    b.partial_cmp(&a).unwrap_or(Ordering::Equal)
}

/// The weight of an edge of a type that no table knows.
pub const UNKNOWN_EDGE_WEIGHT: f64 = 0.5;

/// How strongly activation passes over an edge of this type.
pub fn edge_weight(edge_type: &str) -> f64 {
    match edge_type {
        "same_entity" => 0.95,
        "user_linked" => 0.90,
        "part_of" => 0.85,
        "caused_by" => 0.80,
        "applied_to" => 0.75,
        "generalizes" => 0.70,
        "mentioned_together" => 0.60,
        "related_to" => 0.50,
        "similar_to" => 0.45,
        "temporal_adjacent" => 0.40,
        _ => UNKNOWN_EDGE_WEIGHT,
    }
}

/// The strength that a store gives a new edge of this type: its vocabulary is another.
pub fn stored_edge_strength(edge_type: &str) -> f64 {
    match edge_type {
        "user_linked" => 0.90,
        "part_of" => 0.85,
        "causes" => 0.80,
        "applied_to" => 0.75,
        "generalizes" => 0.70,
        "mentioned_in" => 0.60,
        "similar_to" => 0.45,
        "precedes" => 0.40,
        _ => UNKNOWN_EDGE_WEIGHT,
    }
}
