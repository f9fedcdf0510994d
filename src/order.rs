//! Order by score, high to low and stable: of all scores, or of the first places only.
//!
//! # Idea
//!
//! - [`sort_descending`] sorts anything by a number, with one merge sort. Each type that the
//!   standard library sorts would add kilobytes to the module, so there is one sort, of scores with
//!   places.
//! - [`Selection`] takes a stream of scores. If few results are wanted of many scores (at most 256,
//!   and at most a fifth), a sorted list holds the best so far, and most scores fail at a
//!   comparison with its last one. Otherwise all scores are sorted at the end.
//! - `Sorter` inserts up to 12 scores, and hands up to 512 to [`FewSorter`]. It spreads more scores
//!   over as many buckets as there are scores, evenly over their range. Then they are nearly
//!   sorted, and insertion sort finishes the work. Only buckets that begin before the last wanted
//!   place are finished.
//! - [`FewSorter`] does the same for up to 65,535 scores with 64 buckets. Each bucket is a chain,
//!   and a word has one bit for each bucket that is not empty. Chains are followed from the highest
//!   bucket on, until there are as many places as wanted.
//!
//! # Invariants
//!
//! - Of equal scores the one that was offered first comes first. −0 and 0 are equal.
//! - Scores are not NaN. Only [`FewSorter`] looks for NaN; callers of the others have checked.
//!
//! # Why buckets keep the order
//!
//! The bucket of a score is `(highest − score) · scale`, rounded to the nearest whole number, with
//! a `scale` above 0. Subtraction, multiplication by such a number and rounding are monotonic: a
//! higher score is never in a later bucket, and equal scores are in the same one. Within a bucket
//! scores are in the order of the stream, and insertion moves a score only past lower ones. The
//! greatest product is the number of buckets less one, up to rounding, and rounding to a whole
//! number removes that error. If the range is 0 or infinite, there is no scale: `Sorter` merges,
//! and [`FewSorter`] puts all scores into its first bucket.
//!
//! # Cost
//!
//! Time is linear in the number of scores if they are spread evenly, plus the wanted places. Scores
//! that crowd (more than 32 in one bucket) are merged, in n log n. The lists keep their size for
//! the next batch.

use crate::math::{low_bits, range_of};

/// Sorts by a number, high to low; items with equal numbers keep their order.
pub(crate) fn sort_descending<T: Copy>(items: &mut [T], number: impl Fn(&T) -> f64) {
    let mut order: Vec<Scored> =
        items.iter().zip(0..).map(|(item, place)| (number(item), place)).collect();
    if order.is_sorted_by(|a, b| a.0 >= b.0) {
        return;
    }
    merge_sort(&mut order, &mut Vec::new());
    let sorted: Vec<T> = order.iter().map(|&(_, place)| items[place as usize]).collect();
    items.copy_from_slice(&sorted);
}

/// Sorts a batch of scores. The lists only grow, and their ends hold leftovers of larger batches.
#[derive(Debug, Default)]
struct Sorter {
    sorted: Vec<Scored>,
    spare: Vec<Scored>,
    buckets: Vec<u32>,
    starts: Vec<u32>,
    few: FewSorter,
}

/// A score and its place in the batch.
type Scored = (f64, u32);

fn score(&(score, _): &Scored) -> f64 {
    score
}

/// Up to this many scores are sorted by [`FewSorter`].
const FEW: usize = 512;
/// Buckets of [`FewSorter`]: as many as a u64 has bits, one for each bucket that is not empty.
const CHAINS: usize = 64;
/// The end of a chain.
const END: u16 = u16::MAX;
/// A bucket with more scores is crowded: insertion sort takes the square of their number.
const CROWDED: u32 = 32;
/// Up to this many scores are sorted by insertion alone.
const RUN: usize = 12;

impl Sorter {
    /// The first `limit` places by score, high to low; equal scores in the order they came.
    fn sort(&mut self, scores: &[f64], limit: usize, order: &mut Vec<u32>) {
        let count = scores.len();
        if RUN < count && count <= FEW {
            order.extend(
                self.few.sort(scores, limit).unwrap_or_default().iter().copied().map(u32::from),
            );
            return;
        }
        grow(&mut self.sorted, count);
        if count <= RUN {
            insert_each(self.as_they_came(scores), score);
        } else if self.spread_over_buckets(scores) {
            // Only buckets that begin before the limit can hold a wanted score.
            let end =
                self.starts[..count].iter().map(|&end| end as usize).find(|&end| end >= limit);
            insert_each(&mut self.sorted[..end.unwrap_or(count)], score);
        } else {
            self.as_they_came(scores);
            merge_sort(&mut self.sorted[..count], &mut self.spare);
        }
        order.extend(self.sorted[..count].iter().take(limit).map(|&(_, index)| index));
    }

    fn as_they_came(&mut self, scores: &[f64]) -> &mut [Scored] {
        let sorted = &mut self.sorted[..scores.len()];
        sorted
            .iter_mut()
            .zip(scores.iter().zip(0..))
            .for_each(|(entry, (&score, index))| *entry = (score, index));
        sorted
    }

    /// Orders the scores by bucket, and within a bucket as they came. Afterwards `starts` holds the
    /// end of each bucket. Returns `false` if a bucket is crowded, or if the range of the scores is
    /// 0, infinite or NaN.
    fn spread_over_buckets(&mut self, scores: &[f64]) -> bool {
        let Some([lowest, highest]) = range_of(scores) else { return false };
        let count = scores.len();
        let scale = (count - 1) as f64 / (highest - lowest);
        if !(scale > 0.0 && scale.is_finite()) {
            return false;
        }
        grow(&mut self.starts, count);
        grow(&mut self.buckets, count);
        let (starts, buckets) = (&mut self.starts[..count], &mut self.buckets[..count]);
        starts.fill(0);
        for (bucket, &score) in buckets.iter_mut().zip(scores) {
            // The last bucket is `count` − 1.
            *bucket = low_bits((highest - score) * scale) as u32;
            starts[*bucket as usize] += 1;
        }
        let (mut start, mut largest) = (0, 0);
        for size in starts.iter_mut() {
            largest = largest.max(*size);
            start += std::mem::replace(size, start);
        }
        if largest > CROWDED {
            return false;
        }
        let sorted = &mut self.sorted[..count];
        for ((&bucket, &score), index) in buckets.iter().zip(scores).zip(0..) {
            let place = &mut starts[bucket as usize];
            sorted[*place as usize] = (score, index);
            *place += 1;
        }
        true
    }
}

fn grow<T: Copy + Default>(list: &mut Vec<T>, length: usize) {
    if list.len() < length {
        list.resize(length, T::default());
    }
}

/// Insertion sort, for nearly sorted items: each item moves ahead of those with lower numbers.
#[inline(always)]
fn insert_each<T: Copy>(items: &mut [T], number: impl Fn(&T) -> f64) {
    for end in 1..items.len() {
        let item = items[end];
        let (own, mut place) = (number(&item), end);
        while place > 0 && number(&items[place - 1]) < own {
            items[place] = items[place - 1];
            place -= 1;
        }
        items[place] = item;
    }
}

/// Merge sort from the bottom up: runs of 12 are sorted by insertion, then merged.
#[inline(never)]
fn merge_sort(entries: &mut [Scored], spare: &mut Vec<Scored>) {
    entries.chunks_mut(RUN).for_each(|run| insert_each(run, score));
    grow(spare, entries.len());
    let length = entries.len();
    let (mut from, mut to) = (&mut *entries, &mut spare[..length]);
    let mut width = RUN;
    let mut swapped = false;
    while width < from.len() {
        for (from, to) in from.chunks(2 * width).zip(to.chunks_mut(2 * width)) {
            let (left, right) = from.split_at(width.min(from.len()));
            merge(left, right, to);
        }
        (from, to) = (to, from);
        swapped = !swapped;
        width *= 2;
    }
    if swapped {
        to.copy_from_slice(from);
    }
}

fn merge(left: &[Scored], right: &[Scored], to: &mut [Scored]) {
    let (mut l, mut r) = (0, 0);
    for place in to.iter_mut() {
        // Of equal scores the left one came earlier.
        let take_left = r == right.len() || (l < left.len() && left[l].0 >= right[r].0);
        *place = if take_left { left[l] } else { right[r] };
        l += usize::from(take_left);
        r += usize::from(!take_left);
    }
}

/// Finds the best of a stream of scores.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    limit: usize,
    select: bool,
    /// A score must be above this to enter the list of the best; NaN while the list is not full.
    bar: f64,
    best: Vec<Scored>,
    scores: Vec<f64>,
    sorter: Sorter,
    indices: Vec<u32>,
    order: Vec<u32>,
}

/// The longest list of the best.
const LONGEST_LIST: usize = 256;
/// Sorting all scores is quicker if they are fewer than this many times the length of the list.
const MANY: usize = 5;

impl Selection {
    /// Bytes for a stream of at most `expected` scores, of which the first `limit` are wanted.
    pub fn need(limit: usize, expected: usize) -> usize {
        if Self::selects(limit, expected) {
            limit * (size_of::<Scored>() + size_of::<u32>())
        } else {
            // Scores, two lists of entries, and four of indices and places.
            expected * (size_of::<f64>() + 2 * size_of::<Scored>() + 4 * size_of::<u32>())
        }
    }

    fn selects(limit: usize, expected: usize) -> bool {
        limit <= LONGEST_LIST && limit <= expected / MANY
    }

    /// Begins a stream of about `expected` scores, of which the first `limit` are wanted.
    pub fn clear(&mut self, limit: usize, expected: usize) {
        self.limit = limit;
        self.select = Self::selects(limit, expected);
        self.bar = if limit == 0 { f64::INFINITY } else { f64::NAN };
        self.best.clear();
        self.indices.clear();
        self.scores.clear();
        self.scores.reserve(if self.select { 0 } else { expected });
    }

    /// Offers the next score; indices must rise, since of equal scores the earlier comes first.
    #[inline(always)]
    pub fn offer(&mut self, score: f64, index: u32) {
        if !self.select {
            self.scores.push(score);
            self.indices.push(index);
            return;
        }
        // Not `score > bar`: that is false if the bar is NaN.
        #[allow(clippy::neg_cmp_op_on_partial_ord)]
        if !(score <= self.bar) {
            self.insert(score, index);
        }
    }

    /// Whether there can be a bar.
    pub fn has_bar(&self) -> bool {
        self.select
    }

    /// The bar: a score must be above it to enter the list of the best. `None` while any score may.
    pub fn bar(&self) -> Option<f64> {
        (self.select && !self.bar.is_nan()).then_some(self.bar)
    }

    #[inline(never)]
    fn insert(&mut self, score: f64, index: u32) {
        if self.best.len() == self.limit {
            self.best.pop();
        }
        let mut place = self.best.len();
        self.best.push((score, index));
        while place > 0 && self.best[place - 1].0 < score {
            self.best[place] = self.best[place - 1];
            place -= 1;
        }
        self.best[place] = (score, index);
        if self.best.len() == self.limit {
            self.bar = self.best.last().map_or(f64::INFINITY, |&(worst, _)| worst);
        }
    }

    /// The indices of the best, high to low; equal scores in the order they came. Ends the stream.
    pub fn take(&mut self) -> &[u32] {
        let Self { limit, select, best, scores, sorter, indices, order, .. } = self;
        order.clear();
        if *select {
            order.extend(best.iter().map(|&(_, index)| index));
        } else {
            sorter.sort(scores, *limit, order);
            order.iter_mut().for_each(|place| *place = indices[*place as usize]);
        }
        order
    }

    /// The best with their scores, as [`Selection::take`] returns them. Ends the stream.
    pub fn take_scored(&mut self) -> Vec<(f64, u32)> {
        let Self { limit, select, best, scores, sorter, indices, order, .. } = self;
        if *select {
            return best.clone();
        }
        order.clear();
        sorter.sort(scores, *limit, order);
        order.iter().map(|&place| (scores[place as usize], indices[place as usize])).collect()
    }
}

/// Sorts up to 65,535 scores, and only as many of them as are wanted.
#[derive(Debug, Default)]
pub(crate) struct FewSorter {
    /// For each place, the next place in its chain.
    next: Vec<u16>,
    order: Vec<u16>,
}

impl FewSorter {
    /// Bytes for this many scores.
    pub const fn need(scores: usize) -> usize {
        scores * 2 * size_of::<u16>()
    }

    /// The places of the first `limit` of at most 65,535 scores, high to low; equal ones in their
    /// order. `None` if a score is NaN.
    #[inline(never)]
    pub fn sort(&mut self, scores: &[f64], limit: usize) -> Option<&[u16]> {
        let [lowest, highest] = range_of(scores).unwrap_or_default();
        // The range of scores that include an infinity is NaN, too.
        if lowest.is_nan() && scores.iter().any(|score| score.is_nan()) {
            return None;
        }
        grow(&mut self.next, scores.len());
        grow(&mut self.order, scores.len());
        let (next, order) = (&mut self.next[..scores.len()], &mut self.order[..scores.len()]);
        // If the range is 0 or infinite, the products below are 0, infinite or NaN. The low bits of
        // all of these are 0, so all scores are in the first bucket.
        let scale = (CHAINS - 1) as f64 / (highest - lowest);
        let mut heads = [END; CHAINS];
        let mut occupied = 0_u64;
        // From last to first, because each score becomes the head of its chain.
        for ((place, &score), next) in scores.iter().enumerate().zip(&mut *next).rev() {
            let bucket = low_bits((highest - score) * scale) % CHAINS;
            *next = std::mem::replace(&mut heads[bucket], place as u16);
            occupied |= 1 << bucket;
        }
        let limit = limit.min(scores.len());
        let mut count = 0;
        while count < limit {
            let first = count;
            let mut here = heads[occupied.trailing_zeros() as usize % CHAINS];
            occupied &= occupied - 1;
            while here != END {
                order[count] = here;
                count += 1;
                here = next[usize::from(here)];
            }
            let chain = &mut order[first..count];
            let score = |&place: &u16| scores[usize::from(place)];
            if chain.len() <= CROWDED as usize {
                insert_each(chain, score)
            } else {
                sort_descending(chain, score)
            }
        }
        Some(&order[..limit])
    }
}
