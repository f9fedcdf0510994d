//! From active nodes to the ranked list.

use super::{Activated, SearchConfig, Seed};
use crate::columns::Row;
use crate::order::sort_descending;

/// An active node that ranking considers, with what search knows of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranking {
    /// Which node.
    pub row: Row,
    /// Its vector score, for a seed; else 0.
    pub semantic_score: f64,
    /// Its BM25 score, for a seed; else 0.
    pub bm25_score: f64,
    /// Its activation as a share of the largest.
    pub graph_score: f64,
}

/// How many *finds* a search returns: active memories that are unlike the query.
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
    /// The least activation of a find, and the most finds.
    fn bounds(self) -> (f64, usize) {
        match self {
            Self::Off => (f64::INFINITY, 0),
            Self::Low => (0.4, 2),
            Self::Medium => (0.3, 5),
            Self::High => (0.2, 10),
        }
    }
}

/// A find is unlike the query: its vector score is below this.
const UNLIKE: f64 = 0.5;

/// The active nodes above the relevance floor, in the order in which they became active, ready to
/// be ranked; and the finds, each with its activation, highest first. The active ones are those
/// that the seeds, which they begin with, spread to.
///
/// The floor keeps what a search had found itself, or with `graph_reach` everything active.
/// Activations of the kept are divided by the largest among them.
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
    // What is no seed has no score of its own.
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
    let (least, most) = serendipity.bounds();
    if most == 0 {
        return (kept, Vec::new());
    }
    let mut finds: Vec<(Row, f64)> = activated
        .iter()
        .enumerate()
        .filter(|&(place, _)| scores(place).0 < UNLIKE)
        .map(|(place, active)| {
            (active.row, if is_kept(place) { share(active.activation) } else { active.activation })
        })
        .filter(|&(_, activation)| activation >= least)
        .collect();
    sort_descending(&mut finds, |find| find.1);
    finds.truncate(most);
    (kept, finds)
}
