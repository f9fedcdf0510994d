//! Order by score, high to low, stable: the whole of it, or its first places.
//!
//! Scores are turned into whole numbers that order the other way round, and are compared as such. −0 counts as 0.
//! Scores must not be NaN.

use std::collections::BinaryHeap;

/// A whole number that orders as scores do from high to low.
#[inline(always)]
fn descending_key(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    let ascending = bits ^ (((bits as i64 >> 63) as u64) | (1 << 63));
    !ascending
}

/// Sorts a batch of scores.
#[derive(Debug, Default)]
pub(crate) struct Sorter {
    keys: Vec<u64>,
    words: Vec<u64>,
    spare: Vec<u64>,
}

/// Bits of a word that hold the index; the other half holds the part of the key that is sorted by.
const INDEX_BITS: u32 = 32;

impl Sorter {
    /// Begins a batch.
    pub fn clear(&mut self, expected: usize) {
        self.keys.clear();
        self.keys.reserve(expected);
    }

    /// Adds the score of the next index.
    #[inline(always)]
    pub fn push(&mut self, score: f64) {
        self.keys.push(descending_key(score));
    }

    /// The indices by score, high to low; equal scores in the order they came.
    ///
    /// What all keys have in common is taken off, and the highest 32 bits of the rest share a word with the index.
    /// Sorting these words sorts nearly everything; runs that agree so far are sorted by the bits below.
    pub fn sort(&mut self) -> impl Iterator<Item = u32> {
        let Self { keys, words, spare } = self;
        let (least, most) = keys.iter().fold((u64::MAX, 0), |(least, most), &key| (least.min(key), most.max(key)));
        let range_bits = u64::BITS - most.saturating_sub(least).leading_zeros();
        let low_bits = range_bits.saturating_sub(u64::BITS - INDEX_BITS);
        let low_mask = (1 << low_bits) - 1;
        words.clear();
        let word = |(index, &key): (usize, &u64)| ((key - least) >> low_bits) << INDEX_BITS | index as u64;
        words.extend(keys.iter().enumerate().map(word));
        spare.resize(words.len(), 0);
        sort_by_high_half(words, spare);
        if low_bits > 0 {
            let low = |index: u64| (keys[index as usize] - least) & low_mask;
            for run in words.chunk_by_mut(|a, b| a >> INDEX_BITS == b >> INDEX_BITS).filter(|run| run.len() > 1) {
                for word in run.iter_mut() {
                    let index = *word & u64::from(u32::MAX);
                    *word = low(index) << INDEX_BITS | index;
                }
                sort_by_high_half(run, &mut spare[..run.len()]);
            }
        }
        words.iter().map(|&word| word as u32)
    }
}

/// Below this many words, merging is quicker than counting digits.
const FEW: usize = 512;
/// Words that are sorted by insertion before merging begins.
const RUN: usize = 16;
const DIGIT_BITS: u32 = 8;
const DIGITS: usize = 1 << DIGIT_BITS;
/// Passes over the high half.
const PASSES: usize = ((u64::BITS - INDEX_BITS) / DIGIT_BITS) as usize;

/// Sorts words by their high half, stable in the low one: digit by digit from the lowest, each word moved to where
/// the counts of its digit say. A digit that all words share is skipped.
fn sort_by_high_half(words: &mut [u64], spare: &mut [u64]) {
    if words.len() < FEW {
        return merge_sort(words, spare);
    }
    let digit = |word: u64, pass: usize| (word >> (INDEX_BITS + DIGIT_BITS * pass as u32)) as usize % DIGITS;
    let mut counts = [[0u32; DIGITS]; PASSES];
    for &word in words.iter() {
        for (pass, counts) in counts.iter_mut().enumerate() {
            counts[digit(word, pass)] += 1;
        }
    }
    let (mut from, mut to) = (&mut *words, spare);
    let mut swapped = false;
    for (pass, counts) in counts.iter_mut().enumerate() {
        if counts[digit(from[0], pass)] as usize == from.len() {
            continue;
        }
        let mut start = 0;
        for count in counts.iter_mut() {
            start += std::mem::replace(count, start);
        }
        for &word in from.iter() {
            let place = &mut counts[digit(word, pass)];
            to[*place as usize] = word;
            *place += 1;
        }
        (from, to) = (to, from);
        swapped = !swapped;
    }
    if swapped {
        to.copy_from_slice(from);
    }
}

/// Sorts words, which are unique and whose low halves rise, from short runs to the whole.
fn merge_sort(words: &mut [u64], spare: &mut [u64]) {
    words.chunks_mut(RUN).for_each(insert_each);
    let (mut from, mut to) = (&mut *words, spare);
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

/// Merges two sorted runs, without a branch on which one is next.
fn merge(left: &[u64], right: &[u64], to: &mut [u64]) {
    let (mut l, mut r) = (0, 0);
    for place in to.iter_mut() {
        if l == left.len() || r == right.len() {
            break;
        }
        let (a, b) = (left[l], right[r]);
        let take_left = a < b;
        *place = if take_left { a } else { b };
        l += usize::from(take_left);
        r += usize::from(!take_left);
    }
    let rest = &mut to[l + r..];
    let (left, right) = (&left[l..], &right[r..]);
    rest.copy_from_slice(if right.is_empty() { left } else { right });
}

fn insert_each(words: &mut [u64]) {
    for end in 1..words.len() {
        let word = words[end];
        let mut place = end;
        while place > 0 && words[place - 1] > word {
            words[place] = words[place - 1];
            place -= 1;
        }
        words[place] = word;
    }
}

/// Keeps the best of a stream of scores, in memory proportional to how many are wanted.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    limit: usize,
    /// A key has to lie below this to be among the best so far.
    bar: u64,
    /// The worst of them on top.
    best: BinaryHeap<(u64, u32)>,
}

impl Selection {
    /// Begins a stream of which the first `limit` are wanted.
    pub fn clear(&mut self, limit: usize) {
        self.limit = limit;
        self.bar = if limit == 0 { 0 } else { u64::MAX };
        self.best.clear();
    }

    /// Offers the next score; indices must rise, since of equal scores the earlier stays.
    #[inline(always)]
    pub fn offer(&mut self, score: f64, index: u32) {
        let key = descending_key(score);
        if key < self.bar {
            self.admit(key, index);
        }
    }

    #[inline(never)]
    fn admit(&mut self, key: u64, index: u32) {
        if self.best.len() < self.limit {
            self.best.push((key, index));
        } else if let Some(mut worst) = self.best.peek_mut() {
            *worst = (key, index);
        }
        if self.best.len() == self.limit {
            self.bar = self.best.peek().map_or(0, |&(worst, _)| worst);
        }
    }

    /// The indices of the best, high to low; equal scores in the order they came. Ends the stream.
    pub fn take(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.best).into_sorted_vec().into_iter().map(|(_, index)| index).collect()
    }
}
