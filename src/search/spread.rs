//! Spreading activation: from the seeds over edges, in both directions, in rounds.
//!
//! # Idea
//!
//! ```text
//! round 1 begins with the seeds
//! for each round, up to max_hops:
//!     for each amount of the round, for each edge of its node:
//!         passed on = amount · weight of the edge · hop_decay
//!         if passed on >= min_threshold:
//!             add it to the activation of the other node (or take the larger, as configured)
//!             queue it for the next round
//!     stop if no amount was passed on, or as soon as max_nodes are active
//!     if the next round would look at more than MAX_STEPS edges:
//!         merge the queued amounts of each node into one
//! ```
//!
//! A round passes on each *amount* that arrived, not what its node has come to. Two ways to a node
//! are two amounts, and each goes on by itself. Their number grows by a factor with each round
//! where nodes have loops or parallel edges, or where all are linked to all. So the amounts of a
//! node are merged before a round that would be too long: from then on, they go on as one.
//!
//! # Invariants
//!
//! - `activated` is in the order in which nodes became active, seeds first. `places` holds the
//!   place of each active node in it.
//! - Amounts are multiplied and added in one order: that of the rounds, of the amounts in a round,
//!   and of a node's lists of edges. The sums are the same to the bit on every platform, and an
//!   explanation that replays the arrivals adds up to the same activation.
//! - Whether amounts are merged follows from the graph, the seeds and the configuration alone.
//! - Seeds are not cut off at `max_nodes`. If the seeds alone are as many, the first of them that
//!   is not below the threshold still passes on, up to the first node that was not active, and then
//!   spreading ends.
//!
//! # Soundness
//!
//! An amount becomes smaller only if its weight and `hop_decay` are below 1. A configuration may
//! set `hop_decay` above 1, or the threshold to 0. No round but the first looks at more edges than
//! `MAX_STEPS`, or than twice the edges of the graph if that is more. `max_queued` bounds the
//! queue: a round that would need more ends the search with `out_of_memory`.
//!
//! # Cost
//!
//! Time is proportional to the edges looked at, with one look-up in a hash map for each that passes
//! the threshold. The edges of a node are counted once, if it passes activation on. The last round
//! queues nothing.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::{Aggregation, SearchConfig, Seed};
use crate::columns::{Graph, Row};
use crate::error::{Error, Result};

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

/// The result of spreading.
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

/// An amount of activation on its way over an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// The round.
    pub hop: u32,
    /// Which of the round's entries passes it on, from 0. Those of round 1 are the seeds. Those of
    /// a later one are the arrivals of the round before, in order, unless they were merged.
    pub entry: usize,
    /// What all arrivals of the round before at `from` came to, if they were merged.
    pub merged: Option<f64>,
    /// The node that passes it on.
    pub from: Row,
    /// The edge.
    pub edge: u32,
    /// Where it arrives.
    pub row: Row,
    /// The weight of the edge.
    pub weight: f64,
    /// What arrives.
    pub amount: f64,
}

/// The most edges that a round looks at before the amounts of each node are merged. A round of so
/// many takes some 25 ms.
pub const MAX_STEPS: usize = 1 << 20;

/// Stands for a count of edges that was not taken.
const NOT_COUNTED: usize = usize::MAX;

/// Nodes that the map has room for from the beginning: a map that grows is filled again.
const ROOM: usize = 1024;

/// Spreads activation from the seeds. `weight` returns the weight of an edge to a node, or `None`
/// if a filter keeps activation off it. `arrivals` receives every amount that arrives, if given.
///
/// Spreading stops as soon as `max_nodes` are active.
///
/// # Errors
/// `out_of_memory` when more than `max_queued` amounts would wait for one round.
pub fn spread(
    graph: &Graph,
    seeds: &[Seed],
    config: &SearchConfig,
    max_queued: usize,
    weight: impl Fn(u32, Row) -> Option<f64>,
    mut arrivals: Option<&mut Vec<Arrival>>,
) -> Result<Spread> {
    let start = seeds.iter().map(|seed| Activated {
        row: seed.row,
        activation: config.initial_activation * seed.combined_score,
        hop: 0,
        is_seed: true,
    });
    let mut reached = Spread {
        terminated: Termination::MaxHops,
        hops: 0,
        edges_traversed: 0,
        activated: start.collect(),
    };
    let mut places: FxHashMap<Row, u32> =
        FxHashMap::with_capacity_and_hasher(config.max_nodes.min(ROOM), Default::default());
    places.extend(reached.activated.iter().zip(0..).map(|(active, place)| (active.row, place)));
    let mut round: Vec<(Row, f64)> =
        reached.activated.iter().map(|active| (active.row, active.activation)).collect();
    let mut next = Vec::new();
    // The edges of each active node.
    let mut degrees: Vec<usize> = Vec::new();
    let mut is_merged = false;
    if seeds.is_empty() {
        return Ok(reached);
    }
    while reached.hops < config.max_hops {
        reached.hops += 1;
        let hop = reached.hops;
        // No round takes up the amounts of the last one.
        let is_last = hop == config.max_hops;
        let mut passed = false;
        let mut steps = 0_usize;
        next.clear();
        for (entry, &(row, activation)) in round.iter().enumerate() {
            if activation < config.min_threshold {
                continue;
            }
            for neighbour in graph.neighbours(row) {
                reached.edges_traversed += 1;
                let Some(weight) = weight(neighbour.edge, neighbour.row) else { continue };
                let amount = activation * weight * config.hop_decay;
                if amount < config.min_threshold {
                    continue;
                }
                if let Some(arrivals) = &mut arrivals {
                    if arrivals.len() == max_queued {
                        return Err(too_many());
                    }
                    arrivals.push(Arrival {
                        hop,
                        entry,
                        merged: is_merged.then_some(activation),
                        from: row,
                        edge: neighbour.edge,
                        row: neighbour.row,
                        weight,
                        amount,
                    });
                }
                let place = match places.entry(neighbour.row) {
                    Entry::Occupied(place) => {
                        let place = *place.get() as usize;
                        config.aggregation.add(&mut reached.activated[place].activation, amount);
                        place
                    }
                    Entry::Vacant(entry) => {
                        let place = reached.activated.len();
                        entry.insert(place as u32);
                        let active = Activated {
                            row: neighbour.row,
                            activation: amount,
                            hop,
                            is_seed: false,
                        };
                        reached.activated.push(active);
                        if reached.activated.len() >= config.max_nodes {
                            reached.terminated = Termination::MaxNodes;
                            return Ok(reached);
                        }
                        place
                    }
                };
                passed = true;
                if !is_last {
                    if place >= degrees.len() {
                        degrees.resize(reached.activated.len(), NOT_COUNTED);
                    }
                    if degrees[place] == NOT_COUNTED {
                        degrees[place] = graph.neighbours(neighbour.row).count();
                    }
                    steps = steps.saturating_add(degrees[place]);
                    if next.len() == max_queued {
                        return Err(too_many());
                    }
                    next.push((neighbour.row, amount));
                }
            }
            if reached.activated.len() >= config.max_nodes {
                return Ok(reached);
            }
        }
        if !passed {
            reached.terminated = Termination::NoSpread;
            return Ok(reached);
        }
        is_merged = steps > MAX_STEPS;
        if is_merged {
            merge(&mut next, config.aggregation);
        }
        std::mem::swap(&mut round, &mut next);
    }
    Ok(reached)
}

/// Merges the amounts of each node into one, in the place of its first.
#[cold]
#[inline(never)]
fn merge(round: &mut Vec<(Row, f64)>, aggregation: Aggregation) {
    let mut places: FxHashMap<Row, usize> = FxHashMap::default();
    let mut merged = 0;
    for at in 0..round.len() {
        let (row, amount) = round[at];
        match places.entry(row) {
            Entry::Occupied(place) => aggregation.add(&mut round[*place.get()].1, amount),
            Entry::Vacant(place) => {
                place.insert(merged);
                round[merged] = (row, amount);
                merged += 1;
            }
        }
    }
    round.truncate(merged);
}

#[cold]
fn too_many() -> Error {
    Error::memory(
        "search.min_threshold",
        "is too low for this graph: spreading needs more memory than the index may take",
    )
}
