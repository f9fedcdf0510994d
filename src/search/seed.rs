//! Seeds: where activation starts from.

use rustc_hash::FxHashMap;

use super::SearchConfig;
use crate::columns::Row;
use crate::order::sort_descending;

/// A node that a search found, with its score: a cosine, or a BM25 magnitude. A node that is no
/// longer there has no row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchHit {
    /// Which node.
    pub row: Option<Row>,
    /// How good.
    pub score: f64,
}

/// A node that activation starts from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seed {
    /// Which node.
    pub row: Row,
    /// Cosine similarity to the query; 0 when that search did not find it.
    pub vector_score: f64,
    /// BM25 score as a share of the largest, where that is above 1; 0 when that search did not find
    /// it.
    pub bm25_score: f64,
    /// `dense_weight` · vector + `bm25_weight` · BM25.
    pub combined_score: f64,
}

/// The best of what both searches found, highest combined score first; equal ones as they were
/// found, vector results before BM25 results. `threshold` says what a node needs, and nothing for
/// one that a filter keeps out.
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
