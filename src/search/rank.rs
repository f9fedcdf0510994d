//! Turns active nodes into candidates of the ranking.

use super::{Activated, SearchConfig, Seed};
use crate::columns::Row;
use crate::order::sort_descending;

/// A candidate of the ranking, with its scores from the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranking {
    /// The node.
    pub row: Row,
    /// The vector score of a seed. 0 for other nodes.
    pub semantic_score: f64,
    /// The BM25 score of a seed. 0 for other nodes.
    pub bm25_score: f64,
    /// The activation as a share of the largest.
    pub graph_score: f64,
}

/// The number of *finds* that a search returns. A find is an active memory that is unlike the
/// query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Serendipity {
    /// No finds.
    #[default]
    Off,
    /// At most 2 finds, with an activation of at least 0.4.
    Low,
    /// At most 5 finds, with an activation of at least 0.3.
    Medium,
    /// At most 10 finds, with an activation of at least 0.2.
    High,
}

impl Serendipity {
    /// Returns the least activation of a find, and the most finds.
    fn bounds(self) -> (f64, usize) {
        match self {
            Self::Off => (f64::INFINITY, 0),
            Self::Low => (0.4, 2),
            Self::Medium => (0.3, 5),
            Self::High => (0.2, 10),
        }
    }
}

/// The vector score below which a memory is unlike the query.
const UNLIKE: f64 = 0.5;

/// Returns the active nodes above the relevance floor, in the order in which they became active,
/// and the finds with their activations, highest first. `activated` begins with the seeds.
///
/// The floor keeps the seeds, or with `graph_reach` every active node. Activations of the kept
/// nodes are divided by the largest of them.
pub fn rank(
    seeds: &[Seed],
    activated: &[Activated],
    config: &SearchConfig,
    serendipity: Serendipity,
) -> (Vec<Ranking>, Vec<(Row, f64)>) {
    let scores = |place: usize| {
        seeds.get(place).map_or((0.0, 0.0), |seed| (seed.vector_score, seed.bm25_score))
    };
    let is_kept = |place: usize| {
        let (vector, bm25) = scores(place);
        config.graph_reach || vector > 0.0 || bm25 > 0.0
    };
    // Only seeds have scores of their own.
    let reach = if config.graph_reach { activated.len() } else { seeds.len() };
    let considered = || activated[..reach].iter().enumerate().filter(|&(place, _)| is_kept(place));
    let largest =
        considered().fold(0.0, |largest: f64, (_, active)| largest.max(active.activation));
    let share = |activation: f64| if largest > 0.0 { activation / largest } else { activation };
    let kept = considered().map(|(place, active)| {
        let (semantic_score, bm25_score) = scores(place);
        Ranking {
            row: active.row,
            semantic_score,
            bm25_score,
            graph_score: share(active.activation),
        }
    });
    let kept = kept.collect();
    let (min, max) = serendipity.bounds();
    if max == 0 {
        return (kept, Vec::new());
    }
    let mut finds: Vec<(Row, f64)> = activated
        .iter()
        .enumerate()
        .filter(|&(place, _)| scores(place).0 < UNLIKE)
        .map(|(place, active)| {
            (active.row, if is_kept(place) { share(active.activation) } else { active.activation })
        })
        .filter(|&(_, activation)| activation >= min)
        .collect();
    sort_descending(&mut finds, |find| find.1);
    finds.truncate(max);
    (kept, finds)
}
