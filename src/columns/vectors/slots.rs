//! Storage of vector components in segments.

use crate::columns::SEGMENT;
use crate::columns::column::{doubled, growth, room};
use crate::math::{Block, LANES};

/// Components in blocks, the last one padded with zeros.
pub(super) fn blocks<T: Copy + Default>(components: &[T]) -> Vec<Block<T>> {
    let mut blocks = vec![[T::default(); LANES]; components.len().div_ceil(LANES)];
    blocks.as_flattened_mut()[..components.len()].copy_from_slice(components);
    blocks
}

/// The size of a segment in bytes, or up to half as much. Smaller if a segment of a column holds
/// fewer vectors.
const SEGMENT_BYTES: usize = 4 << 20;
/// The components of vectors side by side, without gaps, in segments. Growing copies only the first
/// segment.
#[derive(Debug)]
pub(super) struct Slots<T> {
    /// The number of blocks of a vector.
    pub(super) width: usize,
    /// Bits of a place within its segment.
    bits: u32,
    /// All are full but the last one in use. At most one spare segment follows it.
    segments: Vec<Vec<Block<T>>>,
}

impl<T: Copy + Default> Slots<T> {
    pub(super) fn new(dimensions: usize) -> Self {
        let mut slots = Self { width: dimensions.div_ceil(LANES), bits: 0, segments: Vec::new() };
        slots.bits = (SEGMENT_BYTES / slots.bytes_each().max(1)).clamp(1, SEGMENT).ilog2();
        slots
    }

    /// Returns the number of vectors of a segment.
    pub(super) fn per_segment(&self) -> usize {
        1 << self.bits
    }

    pub(super) fn bytes_each(&self) -> usize {
        self.width * size_of::<Block<T>>()
    }

    /// Returns the most bytes that `more` vectors beside `length` can take beyond the allocated
    /// ones.
    pub(super) fn need(&self, length: usize, more: usize) -> usize {
        let each = self.bytes_each().max(1);
        growth(self.capacity_bytes() / each, length.saturating_add(more), self.per_segment())
            .saturating_mul(each)
    }

    pub(super) fn capacity_bytes(&self) -> usize {
        room(&self.segments, self.width << self.bits) * size_of::<Block<T>>()
    }

    /// Returns the segment of a slot, and the place of its blocks there.
    #[inline(always)]
    fn place(&self, slot: usize) -> (usize, usize) {
        (slot >> self.bits, (slot & ((1 << self.bits) - 1)) * self.width)
    }

    pub(super) fn vector(&self, slot: usize) -> &[Block<T>] {
        let (at, start) = self.place(slot);
        &self.segments[at][start..][..self.width]
    }

    /// Returns the segment that begins with a slot.
    pub(super) fn segment(&self, first: usize) -> &[Block<T>] {
        &self.segments[first >> self.bits]
    }

    /// Writes into a slot, or appends to the next one.
    pub(super) fn write(&mut self, slot: usize, components: &[T]) {
        let blocks = blocks(components);
        let (at, start) = self.place(slot);
        if at == self.segments.len() {
            self.segments.push(Vec::new());
        }
        let segment = &mut self.segments[at];
        if start < segment.len() {
            segment[start..][..self.width].copy_from_slice(&blocks);
            return;
        }
        if start == segment.capacity() {
            let whole = 1 << self.bits;
            let room = if at == 0 { doubled(slot).min(whole) } else { whole };
            segment.reserve_exact(room * self.width - start);
        }
        segment.extend_from_slice(&blocks);
    }

    /// Moves the last vector into a slot.
    pub(super) fn swap_remove(&mut self, slot: usize, last: usize) {
        let ((to, start), (from, end)) = (self.place(slot), self.place(last));
        let mut segment = std::mem::take(&mut self.segments[from]);
        if from == to {
            segment.copy_within(end.., start);
        } else {
            self.segments[to][start..][..self.width].copy_from_slice(&segment[end..]);
        }
        segment.truncate(end);
        self.segments[from] = segment;
        self.segments.truncate(last.div_ceil(1 << self.bits) + 1);
    }
}
