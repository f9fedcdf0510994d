//! Search over the graph: combines vector and BM25 results, spreads activation, and ranks.
//!
//! The results of both searches become *seeds*. Activation spreads from them over edges, weaker
//! with every hop (spreading activation, Collins and Loftus 1975), and reaches memories that share
//! no word with the question. Active nodes are ranked by their signals, one of which is the
//! activation. Nodes are rows; the caller keeps their ids.

use serde::Deserialize;

use crate::settings::{Amount, AmountOrNull, Count, changes, read_over_default};

mod rank;
mod seed;
mod spread;
mod terms;

pub use rank::{Ranking, Serendipity, rank};
pub use seed::{SearchHit, Seed, seed};
pub use spread::{Activated, Arrival, MAX_STEPS, Spread, Termination, spread};
pub use terms::{TermMode, terms};

/// The settings of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchConfig {
    /// Weight of the vector score in a seed's combined score.
    pub dense_weight: f64,
    /// Weight of the BM25 score in a seed's combined score.
    pub bm25_weight: f64,
    /// The least combined score of a seed. `None`: 0.15 for a query with an embedding, else 0.05.
    pub seed_threshold: Option<f64>,
    /// The most seeds.
    pub max_seeds: usize,
    /// The activation of a seed with a combined score of 1.
    pub initial_activation: f64,
    /// The factor of an activation for each hop.
    pub hop_decay: f64,
    /// Activations below this are not passed on.
    pub min_threshold: f64,
    /// The most rounds of spreading.
    pub max_hops: u32,
    /// Spreading stops at this many active nodes, seeds included.
    pub max_nodes: usize,
    /// How several activations of one node are combined.
    pub aggregation: Aggregation,
    /// The limit of results for a search without a limit.
    pub default_limit: usize,
    /// The weight of an edge for spreading.
    pub edge_weight: EdgeWeight,
    /// Whether every active node is ranked. If false, only seeds are.
    pub graph_reach: bool,
}

/// The weight of an edge for spreading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeWeight {
    /// The [`edge_weight`] of its type.
    Type,
    /// The [`stored_edge_strength`] of its type.
    StoredType,
    /// Its own strength, which grows when its ends are recalled together.
    Learned,
}

/// How several activations of one node are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aggregation {
    /// Their sum.
    Sum,
    /// The largest of them.
    Max,
}

impl Aggregation {
    /// Combines what a node has with an amount that arrives.
    #[inline]
    fn add(self, known: &mut f64, amount: f64) {
        match self {
            Self::Sum => *known += amount,
            Self::Max => *known = known.max(amount),
        }
    }
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
            edge_weight: EdgeWeight::Type,
            graph_reach: false,
        }
    }
}

/// The least combined score of a seed for a query with an embedding, and for one without. The
/// second also holds for a node whose vector is not computed yet.
pub const SEED_THRESHOLDS: [f64; 2] = [0.15, 0.05];

/// The number of vector results requested per possible seed.
pub const RESULTS_PER_SEED: usize = 3;

/// The most rounds that a configuration can set. After a hundred hops of 0.8, 2 · 10⁻¹⁰ of an
/// activation is left.
const MAX_HOPS: u32 = 100;

changes! {
    SearchChanges to SearchConfig {
        dense_weight: Amount,
        bm25_weight: Amount,
        seed_threshold: AmountOrNull,
        max_seeds: Count<0, { u32::MAX }>,
        initial_activation: Amount,
        hop_decay: Amount,
        min_threshold: Amount,
        max_hops: Count<0, MAX_HOPS>,
        max_nodes: Count<0, { u32::MAX }>,
        aggregation: Aggregation,
        default_limit: Count<0, { u32::MAX }>,
        edge_weight: EdgeWeight,
        graph_reach: bool,
    }
}

read_over_default!(SearchConfig, SearchChanges);

/// The weight of an edge of an unknown type.
pub const UNKNOWN_EDGE_WEIGHT: f64 = 0.5;

/// Returns the weight of an edge of this type.
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

/// The initial strengths of stored edges, by type. The types differ from those of [`edge_weight`].
pub const STORED_EDGE_STRENGTHS: [(&str, f64); 8] = [
    ("user_linked", 0.90),
    ("part_of", 0.85),
    ("causes", 0.80),
    ("applied_to", 0.75),
    ("generalizes", 0.70),
    ("mentioned_in", 0.60),
    ("similar_to", 0.45),
    ("precedes", 0.40),
];

/// Returns the initial strength of a stored edge of this type.
pub fn stored_edge_strength(edge_type: &str) -> f64 {
    let known = STORED_EDGE_STRENGTHS.iter().find(|(name, _)| *name == edge_type);
    known.map_or(UNKNOWN_EDGE_WEIGHT, |&(_, strength)| strength)
}
