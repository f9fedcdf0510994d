//! Explains a score: a tree of numbers, in which each value is computed from those below it.

use serde::Serialize;

use super::{MemoryIndex, Outcome, RankingWeights, Search};
use crate::columns::Row;
use crate::error::Result;
use crate::rerank::Ranked;
use crate::search::{Aggregation, Arrival, SearchHit, Seed};
use crate::section::Weights;
use crate::signal::{self, SIGNALS, days_between};

/// The operation that combines the parts of a value, from left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// They are added.
    Sum,
    /// They are multiplied.
    Product,
    /// The first is divided by the others.
    Quotient,
    /// The largest.
    Maximum,
    /// The smallest.
    Minimum,
}

/// A number and the numbers that it is computed from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The name of the number.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The operation that combines the parts. `None` for a given number, or one that the note
    /// explains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// The numbers that it is computed from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Explanation>,
    /// A note in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The node that passed activation on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Row>,
    /// The slot of the edge that the activation passed over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge: Option<u32>,
}

/// The reasons for a node's rank in a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplainedNode {
    /// The rank, from 1, or `None` if the node is not in the ranking.
    pub rank: Option<usize>,
    /// The reason why the node is not in the ranking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<&'static str>,
    /// The tree of the score, for a node that was ranked.
    pub score: Option<Explanation>,
}

/// The most bytes of a hop in an explanation, tree and text.
const BYTES_A_HOP: usize = 2048;

impl Explanation {
    // Out of line: they have many callers, and explaining is not time-critical.
    #[inline(never)]
    fn given(name: &'static str, value: f64) -> Self {
        Self { name, value, operation: None, parts: Vec::new(), note: None, from: None, edge: None }
    }

    #[inline(never)]
    fn of(name: &'static str, operation: Operation, parts: Vec<Self>) -> Self {
        let values = parts.iter().map(|part| part.value);
        let combine = |a: f64, b: f64| match operation {
            Operation::Sum => a + b,
            Operation::Product => a * b,
            Operation::Quotient => a / b,
            Operation::Maximum => a.max(b),
            Operation::Minimum => {
                if b < a {
                    b
                } else {
                    a
                }
            }
        };
        let value = values.reduce(combine).unwrap_or(0.0);
        Self { operation: Some(operation), parts, ..Self::given(name, value) }
    }

    #[inline(never)]
    fn noted(self, note: &str) -> Self {
        Self { note: Some(note.into()), ..self }
    }
}

impl MemoryIndex {
    /// Searches, and explains the score of one node. A node that the limit cut off has a tree too.
    ///
    /// # Errors
    /// As [`MemoryIndex::search`].
    pub fn explain(&mut self, row: Row, search: &Search<'_>) -> Result<ExplainedNode> {
        // Ranks all kept nodes, so that one below the limit has a score as well.
        let limit = search.limit.unwrap_or(self.search.default_limit);
        let mut arrivals = Vec::new();
        let whole = Search { limit: Some(usize::MAX), ..search.clone() };
        let outcome = self.search_with_arrivals(&whole, Some(&mut arrivals))?;
        let Some(place) =
            outcome.ranked.iter().position(|ranked| outcome.kept[ranked.index].row == row)
        else {
            let is_active = outcome.spread.activated.iter().any(|active| active.row == row);
            let absent = if is_active {
                "below_floor"
            } else if !self.passes(row, search.filters, search.now) {
                "filtered"
            } else {
                "not_reached"
            };
            return Ok(ExplainedNode { rank: None, absent: Some(absent), score: None });
        };
        let is_returned = place < limit;
        // Each arrival takes a tree of some numbers for each of its hops, and its text.
        let hops: usize =
            arrivals.iter().filter(|it| it.row == row).map(|it| it.hop as usize + 1).sum();
        self.afford_for_now("explain", hops.saturating_mul(BYTES_A_HOP))?;
        let path = ExplainedSearch { memory: self, outcome: &outcome, arrivals: &arrivals, search };
        Ok(ExplainedNode {
            rank: is_returned.then_some(place + 1),
            absent: (!is_returned).then_some("below_limit"),
            score: Some(path.score(row, &outcome.ranked[place])),
        })
    }
}

/// A finished search and all its arrivals.
struct ExplainedSearch<'a> {
    memory: &'a MemoryIndex,
    outcome: &'a Outcome,
    arrivals: &'a [Arrival],
    search: &'a Search<'a>,
}

impl ExplainedSearch<'_> {
    fn score(&self, row: Row, ranked: &Ranked) -> Explanation {
        let weights = match self.search.weights {
            RankingWeights::OfSections => {
                self.memory.table.weights()[usize::from(self.memory.section(row) as u8)]
            }
            RankingWeights::Global => Weights::GLOBAL,
        };
        let seed = self.outcome.seeds.iter().find(|seed| seed.row == row);
        let signals = [
            self.semantic(seed),
            self.keyword(seed),
            self.graph(row),
            self.recency(row),
            self.authority(row),
            self.affinity(row),
        ];
        let weighted = signals.into_iter().zip(SIGNALS).zip(weights.to_array()).map(
            |((signal, name), weight)| {
                Explanation::of(
                    name,
                    Operation::Product,
                    vec![Explanation::given("weight", weight), signal],
                )
            },
        );
        let section = self.memory.section(row).name();
        let weights_of =
            if self.search.weights == RankingWeights::OfSections && self.memory.table.enabled() {
                section
            } else {
                "all sections"
            };
        let tree = Explanation::of("score", Operation::Sum, weighted.collect());
        debug_assert!(tree.value == ranked.score || tree.value.is_nan(), "the tree adds up");
        tree.noted(&format!("weights of {weights_of}"))
    }

    fn semantic(&self, seed: Option<&Seed>) -> Explanation {
        match seed {
            Some(seed) => Explanation::given("cosine", seed.vector_score),
            None => Explanation::given("cosine", 0.0).noted("not among the seeds"),
        }
    }

    fn keyword(&self, seed: Option<&Seed>) -> Explanation {
        let kept = &self.outcome.kept;
        let max = kept
            .iter()
            .fold(0.0, |max: f64, it| if it.bm25_score > max { it.bm25_score } else { max });
        if max == 0.0 {
            return Explanation::given("keyword", signal::NEUTRAL)
                .noted("no candidate has a BM25 score");
        }
        if kept.len() == 1 {
            return Explanation::given("keyword", 1.0).noted("the only candidate");
        }
        let parts = vec![self.bm25(seed), Explanation::given("largest of the candidates", max)];
        Explanation::of("keyword", Operation::Quotient, parts)
    }

    fn bm25(&self, seed: Option<&Seed>) -> Explanation {
        let Some(seed) = seed else {
            return Explanation::given("bm25", 0.0).noted("not among the seeds");
        };
        let hits = self.search.bm25;
        let Some(hit) = hits.iter().rfind(|hit| hit.row == Some(seed.row)) else {
            return Explanation::given("bm25", 0.0).noted("no word of the query");
        };
        let largest = hits
            .iter()
            .fold(1.0, |max: f64, &SearchHit { score, .. }| if score > max { score } else { max });
        let parts = vec![
            Explanation::given("hit", hit.score),
            Explanation::given("largest hit, at least 1", largest),
        ];
        Explanation::of("bm25", Operation::Quotient, parts)
    }

    fn graph(&self, row: Row) -> Explanation {
        let activation = self.activation(row);
        let activated = &self.outcome.spread.activated;
        let kept: rustc_hash::FxHashSet<Row> =
            self.outcome.kept.iter().map(|kept| kept.row).collect();
        let largest = activated
            .iter()
            .filter(|active| kept.contains(&active.row))
            .fold(0.0, |largest: f64, active| largest.max(active.activation));
        if largest > 0.0 {
            let parts = vec![
                activation,
                Explanation::given("largest activation of the candidates", largest),
            ];
            Explanation::of("graph", Operation::Quotient, parts)
        } else {
            activation
        }
    }

    /// Explains the activation of a node: its own start, and all arrivals, in order.
    fn activation(&self, row: Row) -> Explanation {
        let mut parts = Vec::new();
        if let Some(place) = self.outcome.seeds.iter().position(|seed| seed.row == row) {
            parts.push(self.start(place));
        }
        parts.extend(
            self.arrivals
                .iter()
                .filter(|arrival| arrival.row == row)
                .map(|arrival| self.arrival(arrival)),
        );
        let operation = match self.memory.search.aggregation {
            Aggregation::Sum => Operation::Sum,
            Aggregation::Max => Operation::Maximum,
        };
        Explanation::of("activation", operation, parts)
    }

    fn start(&self, place: usize) -> Explanation {
        let seed = &self.outcome.seeds[place];
        let config = &self.memory.search;
        let by_meaning = vec![
            Explanation::given("dense_weight", config.dense_weight),
            Explanation::given("cosine", seed.vector_score),
        ];
        let by_words =
            vec![Explanation::given("bm25_weight", config.bm25_weight), self.bm25(Some(seed))];
        let combined = vec![
            Explanation::of("by meaning", Operation::Product, by_meaning),
            Explanation::of("by words", Operation::Product, by_words),
        ];
        let parts = vec![
            Explanation::given("initial_activation", config.initial_activation),
            Explanation::of("combined score", Operation::Sum, combined),
        ];
        Explanation::of("seed", Operation::Product, parts)
            .noted(&format!("seed {} of the search", place + 1))
    }

    /// Explains an arrival by the path it took.
    fn arrival(&self, arrival: &Arrival) -> Explanation {
        let before = match (arrival.hop, arrival.merged) {
            (1, _) => self.start(arrival.entry),
            (hop, Some(all)) => Explanation::given("arrivals", all)
                .noted(&format!("all that arrived in hop {}, passed on as one", hop - 1)),
            (hop, None) => {
                let first = self.arrivals.partition_point(|earlier| earlier.hop + 1 < hop);
                self.arrival(&self.arrivals[first + arrival.entry])
            }
        };
        let parts = vec![
            before,
            Explanation::given("edge weight", arrival.weight),
            Explanation::given("hop_decay", self.memory.search.hop_decay),
        ];
        let mut arrived = Explanation::of("arrival", Operation::Product, parts);
        (arrived.from, arrived.edge) = (Some(arrival.from), Some(arrival.edge));
        arrived.noted(&format!("hop {}", arrival.hop))
    }

    fn recency(&self, row: Row) -> Explanation {
        let days =
            days_between(self.memory.nodes.last_accessed().get(row as usize), self.search.now);
        Explanation::given("recency", signal::recency_of_days(days))
            .noted(&format!("exp(-{} / 30), in days", days as i64))
    }

    fn authority(&self, row: Row) -> Explanation {
        let average = self.memory.avg_inbound_edges();
        if average == 0.0 {
            return Explanation::given("authority", signal::NEUTRAL).noted("the graph has no edge");
        }
        let inbound = Explanation::given("inbound edges", f64::from(self.memory.inbound(row)));
        let relative = vec![inbound, Explanation::given("average", average)];
        let halved = vec![
            Explanation::of("relative", Operation::Quotient, relative),
            Explanation::given("two averages are the most", 2.0),
        ];
        let parts = vec![
            Explanation::of("standing", Operation::Quotient, halved),
            Explanation::given("at most", 1.0),
        ];
        Explanation::of("authority", Operation::Minimum, parts)
    }

    fn affinity(&self, row: Row) -> Explanation {
        let node = &self.memory.nodes;
        let count = f64::from(node.access_count.get(row as usize));
        let age = days_between(node.created_at.get(row as usize), self.search.now);
        let used = vec![
            Explanation::given("saturation", signal::saturation(count))
                .noted(&format!("tanh({} / 10), by accesses", count as i64)),
            self.recency(row),
        ];
        let new = if age < signal::NEW_DAYS { signal::NEW_BONUS } else { 0.0 };
        let sum = vec![
            Explanation::of("use", Operation::Product, used),
            Explanation::given("new", new).noted(&format!("{} days old, new below 7", age as i64)),
        ];
        let parts = vec![
            Explanation::of("use and newness", Operation::Sum, sum),
            Explanation::given("at most", 1.0),
        ];
        Explanation::of("affinity", Operation::Minimum, parts)
    }
}
