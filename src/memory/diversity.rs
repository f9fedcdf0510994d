//! The order of answers in which memories that are alike do not crowd a list.
//!
//! # Idea
//!
//! Maximal marginal relevance: answers are chosen one by one. A memory loses the more of its sum
//! the more it is like one that was chosen before; `diversity` from 0 to 1 says how much. Whatever
//! `diversity` is, a memory that repeats a chosen one stands behind all others: a second copy of an
//! answer tells nothing.
//!
//! # Invariants
//!
//! - Only the best [`POOL`] memories are moved, whatever the limit, so that the first answers do
//!   not depend on it.
//! - The best memory stays first.
//! - Of a line of memories that replace each other the order stays.
//! - Of equally good memories the one that was better without `diversity` is chosen.
//! - A memory that was moved names the one that it is like.
//!
//! # Cost
//!
//! Memories are chosen until the limit is reached. Each chosen one is compared with all others of
//! the pool: without `diversity` by a few words, with it by all words and by vectors.

use crate::columns::Row;
use crate::evidence::Texts;

/// The best memories among which answers are moved.
pub(super) const POOL: usize = 64;
/// What a memory loses at most that is just like a chosen one, with `diversity` 1. Weighted sums of
/// good answers differ by about so much.
const MAX_LOSS: f64 = 4.0;

/// A memory that may be moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub row: Row,
    pub sum: f64,
    /// The memory that it stands behind, of its line.
    pub behind: Option<Row>,
}

/// A memory at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    pub row: Row,
    /// A memory before this one that it is like, if this one stands further back for that reason.
    pub similar_to: Option<Row>,
}

/// A memory that was not chosen yet.
#[derive(Clone, Copy)]
struct Left {
    place: usize,
    candidate: Candidate,
    /// The chosen memory that it repeats.
    repeats: Option<Row>,
    /// The chosen memory that it is most like.
    like: Option<Row>,
    likeness: f64,
}

/// Returns the first `most` memories of a pool, which is best first, in the order in which they
/// answer. `diversity` is from 0 to 1.
pub(super) fn spread_out(
    pool: &[Candidate],
    diversity: f64,
    texts: &Texts,
    max: usize,
) -> Vec<Placed> {
    let mut left: Vec<Left> = pool
        .iter()
        .enumerate()
        .map(|(place, &candidate)| Left {
            place,
            candidate,
            repeats: None,
            like: None,
            likeness: 0.0,
        })
        .collect();
    let mut placed = Vec::with_capacity(pool.len().min(max));
    let mut furthest = 0;
    while placed.len() < max
        && let Some(next) = best_of(&left, diversity)
    {
        let Left { place, candidate: Candidate { row, .. }, repeats, like, .. } = left.remove(next);
        let was_moved = place < furthest;
        furthest = furthest.max(place);
        placed.push(Placed { row, similar_to: repeats.or(like.filter(|_| was_moved)) });
        for it in &mut left {
            let other = it.candidate.row;
            if it.repeats.is_none() && texts.repeat(row, other) {
                it.repeats = Some(row);
            }
            if diversity > 0.0 {
                let likeness = texts.likeness(row, other);
                if likeness > it.likeness {
                    (it.like, it.likeness) = (Some(row), likeness);
                }
            }
        }
    }
    placed
}

/// Returns the place of the memory to choose next.
fn best_of(left: &[Left], diversity: f64) -> Option<usize> {
    let waits = |it: &Left| {
        it.candidate
            .behind
            .is_some_and(|first| left.iter().any(|other| other.candidate.row == first))
    };
    let worth = |it: &Left| it.candidate.sum - diversity * MAX_LOSS * it.likeness;
    // A memory that waits comes last, and can only be chosen if edges go round in a circle.
    let rank = |it: &Left| (waits(it), it.repeats.is_some());
    let mut best: Option<(usize, (bool, bool), f64)> = None;
    for (at, it) in left.iter().enumerate() {
        let (rank, worth) = (rank(it), worth(it));
        let is_better = best.is_none_or(|(_, best_rank, best_worth)| {
            rank < best_rank || rank == best_rank && worth > best_worth
        });
        if is_better {
            best = Some((at, rank, worth));
        }
    }
    best.map(|(at, ..)| at)
}
