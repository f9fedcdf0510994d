//! Attention: each word piece of a text takes up values of all pieces of the text, by shares that
//! its query and their keys decide.
//!
//! # Idea
//!
//! The keys of a head are turned, so that one vector holds one component of four keys: products of a
//! query with eight keys then need no sum within a vector. Up to four queries share the loads of
//! keys, and later of values.
//!
//! # Invariants
//!
//! - The order of additions depends on the number of pieces of the text alone: components of a key in
//!   their order, values in the order of pieces, shares in four lanes.
//! - Keys are filled up to a multiple of eight with zeros. Their products are replaced by [`NOTHING`]
//!   before shares are made.
//!
//! # Cost
//!
//! 64 multiplications and additions for each pair of pieces in each head. With 256 pieces that is
//! a third of the whole, with 15 hardly anything.

use crate::lanes::{Floats, Quad};
use crate::model::DIMENSIONS;

const HEADS: usize = 12;
/// Components of a head, and their quads.
const HEAD: usize = DIMENSIONS / HEADS;
const HEAD_QUADS: usize = HEAD / 4;
/// Quads of queries, of keys and of values of a piece. They stand in this order.
pub(crate) const QUADS: usize = DIMENSIONS / 4;
/// Keys that are multiplied at once.
const KEYS: usize = 8;
/// Queries that share loads.
const TOGETHER: usize = 4;
/// Below every product: its share is nothing.
const NOTHING: f32 = -1e30;

/// Memory that is used again for each text.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The keys of a head: of eight keys the first components, the second ones, and so on.
    keys: Vec<[[Quad; 2]; HEAD]>,
    /// Products with the keys, and then shares, for each of the queries that are done together.
    shares: Vec<[Quad; 2]>,
}

/// Writes for each piece of a text the values that it takes up, head by head.
///
/// `states` has queries, keys and values of each piece. The queries carry the factor 1 / √32.
pub(crate) fn attend(
    states: &[[Quad; 3 * QUADS]],
    taken: &mut [[Quad; QUADS]],
    scratch: &mut Scratch,
) {
    let blocks = states.len().div_ceil(KEYS);
    let Scratch { keys, shares } = scratch;
    keys.clear();
    keys.resize(blocks, [[[0.0; 4]; 2]; HEAD]);
    shares.clear();
    shares.resize(TOGETHER * blocks, [[0.0; 4]; 2]);
    for head in 0..HEADS {
        for (place, state) in states.iter().enumerate() {
            let key = state[QUADS + head * HEAD_QUADS..][..HEAD_QUADS].as_flattened();
            let (block, half, lane) = (place / KEYS, place % KEYS / 4, place % 4);
            for (components, &component) in keys[block].iter_mut().zip(key) {
                components[half][lane] = component;
            }
        }
        let head = Head { states, keys, number: head };
        let mut from = 0;
        while from < states.len() {
            match states.len() - from {
                1 => head.run::<1>(from, taken, shares),
                2 => head.run::<2>(from, taken, shares),
                3 => head.run::<3>(from, taken, shares),
                _ => head.run::<TOGETHER>(from, taken, shares),
            }
            from += TOGETHER;
        }
    }
}

/// A head of a layer, with the states of a text.
struct Head<'s> {
    states: &'s [[Quad; 3 * QUADS]],
    keys: &'s [[[Quad; 2]; HEAD]],
    number: usize,
}

impl Head<'_> {
    /// Writes what a few pieces take up.
    #[inline(always)]
    fn run<const QUERIES: usize>(
        &self,
        from: usize,
        taken: &mut [[Quad; QUADS]],
        shares: &mut [[Quad; 2]],
    ) {
        let blocks = self.keys.len();
        let at = self.number * HEAD_QUADS;
        let queries: [&[f32]; QUERIES] = std::array::from_fn(|query| {
            self.states[from + query][at..at + HEAD_QUADS].as_flattened()
        });
        for (block, keys) in self.keys.iter().enumerate() {
            let mut sums = [[Floats::all(0.0); 2]; QUERIES];
            for (place, components) in keys.iter().enumerate() {
                let [low, high] = [Floats::of(&components[0]), Floats::of(&components[1])];
                for (sum, query) in sums.iter_mut().zip(queries) {
                    let component = Floats::all(query[place]);
                    *sum = [sum[0].plus(component.times(low)), sum[1].plus(component.times(high))];
                }
            }
            for (query, sum) in sums.into_iter().enumerate() {
                shares[query * blocks + block] = sum.map(Floats::quad);
            }
        }
        for row in shares.chunks_exact_mut(blocks).take(QUERIES) {
            row.as_flattened_mut().as_flattened_mut()[self.states.len()..].fill(NOTHING);
            to_shares(row.as_flattened_mut());
        }
        let rows: [&[f32]; QUERIES] = std::array::from_fn(|query| {
            shares[query * blocks..][..blocks].as_flattened().as_flattened()
        });
        for two in (0..HEAD_QUADS).step_by(2) {
            let mut sums = [[Floats::all(0.0); 2]; QUERIES];
            for (place, state) in self.states.iter().enumerate() {
                let values = &state[2 * QUADS + at + two..][..2];
                let [low, high] = [Floats::of(&values[0]), Floats::of(&values[1])];
                for (sum, row) in sums.iter_mut().zip(rows) {
                    let share = Floats::all(row[place]);
                    *sum = [sum[0].plus(share.times(low)), sum[1].plus(share.times(high))];
                }
            }
            for (taken, sum) in taken[from..].iter_mut().zip(sums) {
                taken[at + two..at + two + 2].copy_from_slice(&sum.map(Floats::quad));
            }
        }
    }
}

/// Turns products into positive shares, which add up to 1.
#[inline(always)]
fn to_shares(row: &mut [Quad]) {
    let least = Floats::all(NOTHING);
    let top = row.iter().fold(least, |top, quad| top.larger(Floats::of(quad)));
    let top = Floats::all(top.top());
    let mut sum = Floats::all(0.0);
    for quad in row.iter_mut() {
        let power = Floats::of(quad).minus(top).exponential();
        *quad = power.quad();
        sum = sum.plus(power);
    }
    let factor = Floats::all(1.0 / sum.total());
    for quad in row {
        *quad = Floats::of(quad).times(factor).quad();
    }
}
