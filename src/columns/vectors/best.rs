//! The best rows of a search for similar vectors.

use super::VectorHit;
use crate::columns::Row;

/// The best rows so far.
pub(super) struct Best<'a> {
    limit: usize,
    /// The least score that can still enter the list.
    pub(super) bar: f64,
    /// The rows. A heap with the worst on top as soon as there are `limit` of them.
    standings: Vec<VectorHit>,
    sequence: &'a dyn Fn(Row) -> f64,
}

impl<'a> Best<'a> {
    pub(super) fn new(limit: usize, max: usize, sequence: &'a dyn Fn(Row) -> f64) -> Self {
        Self {
            limit,
            bar: f64::NEG_INFINITY,
            standings: Vec::with_capacity(limit.min(max)),
            sequence,
        }
    }

    #[inline(never)]
    pub(super) fn enter(&mut self, newcomer: VectorHit) {
        if self.standings.len() < self.limit {
            self.standings.push(newcomer);
            if self.standings.len() < self.limit {
                return;
            }
            self.make_heap();
        } else if self.is_behind(&self.standings[0], &newcomer) {
            self.standings[0] = newcomer;
            self.sink(0, self.limit);
        }
        self.bar = self.standings[0].score;
    }

    fn make_heap(&mut self) {
        for place in (0..self.standings.len() / 2).rev() {
            self.sink(place, self.standings.len());
        }
    }

    /// Returns the rows from the best to the worst. Heap sort: the worst moves to the end, again
    /// and again.
    pub(super) fn take(mut self) -> Vec<VectorHit> {
        if self.standings.len() < self.limit {
            self.make_heap();
        }
        for end in (1..self.standings.len()).rev() {
            self.standings.swap(0, end);
            self.sink(0, end);
        }
        self.standings
    }

    fn is_behind(&self, one: &VectorHit, other: &VectorHit) -> bool {
        let place = |row| ((self.sequence)(row), row);
        one.score < other.score || (one.score == other.score && place(one.row) > place(other.row))
    }

    /// Moves an entry down the heap, which ends before `end`, until no entry below it is worse.
    #[inline(never)]
    fn sink(&mut self, mut place: usize, end: usize) {
        let moving = self.standings[place];
        loop {
            let heap = &self.standings[..end];
            let mut below = 2 * place + 1;
            if below + 1 < end && self.is_behind(&heap[below + 1], &heap[below]) {
                below += 1;
            }
            if below >= end || !self.is_behind(&heap[below], &moving) {
                self.standings[place] = moving;
                return;
            }
            self.standings[place] = heap[below];
            place = below;
        }
    }
}
