//! Vectors as whole-number codes with one scale each, and their scores.

use super::slots::Slots;
use super::{BATCH, PreparedQuery};
use crate::columns::Column;
use crate::math::{AT_ONCE, dots_i8, offset_binary};

/// Vectors as codes, with a scale for each.
#[derive(Debug)]
pub(super) struct Codes {
    pub(super) slots: Slots<i8>,
    pub(super) scales: Column<f32>,
}

impl Codes {
    pub(super) fn new(dimensions: usize) -> Self {
        Self { slots: Slots::new(dimensions), scales: Column::default() }
    }

    /// Writes into a slot, or appends to the next one.
    pub(super) fn write(&mut self, slot: usize, scale: f32, mut codes: Vec<i8>) {
        offset_binary(&mut codes);
        self.slots.write(slot, &codes);
        self.scales.put(slot, scale);
    }

    /// The first `count` codes of a slot.
    pub(super) fn get(&self, slot: usize, count: usize) -> Vec<i8> {
        let mut codes = self.slots.vector(slot).as_flattened()[..count].to_vec();
        offset_binary(&mut codes);
        codes
    }

    pub(super) fn swap_remove(&mut self, slot: usize, last: usize) {
        self.slots.swap_remove(slot, last);
        self.scales.swap_remove(slot);
    }

    pub(super) fn bytes_each(&self) -> usize {
        self.slots.bytes_each() + size_of::<f32>()
    }

    pub(super) fn capacity_bytes(&self) -> usize {
        self.slots.capacity_bytes() + self.scales.capacity_bytes()
    }

    pub(super) fn need(&self, length: usize, more: usize) -> usize {
        self.slots.need(length, more).saturating_add(self.scales.need(more))
    }

    /// Scores some places of the segment that begins with a slot.
    #[inline(never)]
    pub(super) fn scores(
        &self,
        query: &PreparedQuery,
        first: usize,
        places: &[usize],
        scores: &mut [f64; BATCH],
    ) {
        let (codes, scales) =
            (self.slots.segment(first), self.scales.part(first, self.slots.per_segment()));
        let (places, scores) =
            (places.as_chunks::<AT_ONCE>().0, scores.as_chunks_mut::<AT_ONCE>().0);
        for (scores, places) in scores.iter_mut().zip(places) {
            let sums =
                dots_i8(&query.codes, places.map(|place| &codes[place * query.codes.width()..]));
            *scores = std::array::from_fn(|row| {
                f64::from(sums[row]) * f64::from(scales[places[row]]) * f64::from(query.scale)
            });
        }
    }
}
