//! Spreading activation: rounds over edges, in both directions.

use std::collections::HashMap;

use super::{Aggregation, SearchConfig, Seed};
use crate::index::{Graph, Row};

/// A node that activation reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Activated {
    /// Which node.
    pub row: Row,
    /// What arrived there in all.
    pub activation: f64,
    /// The round that it became active in; 0 for a seed.
    pub hop: u32,
    /// Whether it is a seed.
    pub is_seed: bool,
}

/// Why spreading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// A round passed nothing on.
    NoSpread,
    /// As many nodes as allowed are active.
    MaxNodes,
    /// The last round allowed is over.
    MaxHops,
}

impl Termination {
    /// The name used in data, such as `max_hops`.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoSpread => "no_spread",
            Self::MaxNodes => "max_nodes",
            Self::MaxHops => "max_hops",
        }
    }
}

/// What spreading came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Why it ended.
    pub terminated: Termination,
    /// Rounds begun.
    pub hops: u32,
    /// Neighbours looked at, before any filter.
    pub edges_traversed: usize,
    /// In the order in which they became active, seeds first.
    pub activated: Vec<Activated>,
}

/// Spreads activation from the seeds. `weight` says how strongly activation passes over an edge to a node, and nothing where
/// a filter lets it not.
///
/// An amount that arrives is passed on as it is, not as what its node has come to. Once `max_nodes` are active, spreading stops
/// at once; so it does after the first node that spread, where the seeds were as many.
pub fn spread(
    graph: &Graph,
    seeds: &[Seed],
    config: &SearchConfig,
    weight: impl Fn(u32, Row) -> Option<f64>,
) -> Spread {
    let start = seeds.iter().map(|seed| Activated {
        row: seed.row,
        activation: config.initial_activation * seed.combined_score,
        hop: 0,
        is_seed: true,
    });
    let mut reached =
        Spread { terminated: Termination::MaxHops, hops: 0, edges_traversed: 0, activated: start.collect() };
    let mut places: HashMap<Row, usize> =
        reached.activated.iter().enumerate().map(|(place, active)| (active.row, place)).collect();
    let mut round: Vec<(Row, f64)> = reached.activated.iter().map(|active| (active.row, active.activation)).collect();
    let mut next = Vec::new();
    if seeds.is_empty() {
        return reached;
    }
    while reached.hops < config.max_hops {
        reached.hops += 1;
        next.clear();
        for &(row, activation) in round.iter().filter(|(_, activation)| *activation >= config.min_threshold) {
            for neighbour in graph.neighbours(row) {
                reached.edges_traversed += 1;
                let Some(weight) = weight(neighbour.edge, neighbour.row) else { continue };
                let amount = activation * weight * config.hop_decay;
                if amount < config.min_threshold {
                    continue;
                }
                if let Some(&place) = places.get(&neighbour.row) {
                    let known = &mut reached.activated[place].activation;
                    match config.aggregation {
                        Aggregation::Sum => *known += amount,
                        Aggregation::Max => *known = known.max(amount),
                    }
                } else {
                    places.insert(neighbour.row, reached.activated.len());
                    let hop = reached.hops;
                    reached.activated.push(Activated { row: neighbour.row, activation: amount, hop, is_seed: false });
                    if reached.activated.len() >= config.max_nodes {
                        reached.terminated = Termination::MaxNodes;
                        return reached;
                    }
                }
                next.push((neighbour.row, amount));
            }
            if reached.activated.len() >= config.max_nodes {
                return reached;
            }
        }
        if next.is_empty() {
            reached.terminated = Termination::NoSpread;
            return reached;
        }
        std::mem::swap(&mut round, &mut next);
    }
    reached
}
