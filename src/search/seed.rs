//! Seeds: the nodes from which activation starts.

use rustc_hash::FxHashMap;

use super::SearchConfig;
use crate::columns::Row;
use crate::order::sort_descending;

/// A result of one search: a node with a cosine or a BM25 score. A node that was removed has no
/// row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchHit {
    /// The node.
    pub row: Option<Row>,
    /// The score.
    pub score: f64,
}

/// A node from which activation starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seed {
    /// The node.
    pub row: Row,
    /// The cosine similarity to the query, or 0 if the vector search did not find the node.
    pub vector_score: f64,
    /// The BM25 score, divided by the largest if that is above 1. 0 if the BM25 search did not find
    /// the node.
    pub bm25_score: f64,
    /// `dense_weight` · vector + `bm25_weight` · BM25.
    pub combined_score: f64,
}

/// Returns the best nodes of both searches, highest combined score first. Equal ones keep the order
/// in which they were found, vector results before BM25 results. `threshold` returns the least
/// score of a node, or `None` if a filter excludes it.
pub fn seed(
    vector: &[SearchHit],
    bm25: &[SearchHit],
    config: &SearchConfig,
    threshold: impl Fn(Row) -> Option<f64>,
) -> Vec<Seed> {
    let largest = bm25
        .iter()
        .fold(1.0, |largest, found| if found.score > largest { found.score } else { largest });
    let mut found: Vec<Seed> = Vec::new();
    let mut places: FxHashMap<Row, u32> = FxHashMap::default();
    let mut place_of = |row: Row, found: &mut Vec<Seed>| {
        *places.entry(row).or_insert_with(|| {
            found.push(Seed { row, vector_score: 0.0, bm25_score: 0.0, combined_score: 0.0 });
            found.len() as u32 - 1
        }) as usize
    };
    for (row, score) in vector.iter().filter_map(|it| Some((it.row?, it.score))) {
        let place = place_of(row, &mut found);
        found[place].vector_score = score;
    }
    for (row, score) in bm25.iter().filter_map(|it| Some((it.row?, it.score))) {
        let place = place_of(row, &mut found);
        found[place].bm25_score = score / largest;
    }
    for seed in &mut found {
        seed.combined_score =
            config.dense_weight * seed.vector_score + config.bm25_weight * seed.bm25_score;
    }
    found.retain(|seed| {
        threshold(seed.row).is_some_and(|threshold| seed.combined_score >= threshold)
    });
    sort_descending(&mut found, |seed| seed.combined_score);
    found.truncate(config.max_seeds);
    found
}
