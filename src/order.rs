//! Order by score, high to low, stable: the whole of it, or its first places.
//!
//! Scores are turned into whole numbers that order the other way round, and are compared as such. −0 counts as 0.
//! Scores must not be NaN.

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
    packed: Vec<u64>,
}

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
    /// Key and index share one word, so that the sort moves and compares nothing else: the key loses what all
    /// keys have in common, and where both do not fit, its lowest bits, whose say is restored afterwards.
    pub fn sort(&mut self) -> impl Iterator<Item = u32> {
        let Self { keys, packed } = self;
        let (least, most) = keys.iter().fold((u64::MAX, 0), |(least, most), &key| (least.min(key), most.max(key)));
        let range_bits = u64::BITS - most.saturating_sub(least).leading_zeros();
        let index_bits = u64::BITS - (keys.len() as u64).leading_zeros();
        let lost_bits = (range_bits + index_bits).saturating_sub(u64::BITS);
        let index_of = move |word: u64| (word & ((1 << index_bits) - 1)) as u32;
        packed.clear();
        packed.extend(
            keys.iter().enumerate().map(|(index, &key)| ((key - least) >> lost_bits) << index_bits | index as u64),
        );
        packed.sort_unstable();
        if lost_bits > 0 {
            for run in packed.chunk_by_mut(|a, b| a >> index_bits == b >> index_bits) {
                if run.len() > 1 {
                    run.sort_unstable_by_key(|&word| (keys[index_of(word) as usize], word));
                }
            }
        }
        packed.iter().map(move |&word| index_of(word))
    }
}

/// Keeps the best of a stream of scores, in memory proportional to how many are wanted.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    limit: usize,
    /// A key has to lie below this to be among the best so far.
    bar: u64,
    pool: Vec<(u64, u32)>,
}

impl Selection {
    /// Begins a stream of which the first `limit` are wanted.
    pub fn clear(&mut self, limit: usize) {
        self.limit = limit;
        self.bar = if limit == 0 { 0 } else { u64::MAX };
        self.pool.clear();
    }

    /// Offers the next score; indices must rise, since of equal scores the earlier stays.
    #[inline(always)]
    pub fn offer(&mut self, score: f64, index: u32) {
        let key = descending_key(score);
        if key < self.bar {
            self.admit(key, index);
        }
    }

    fn admit(&mut self, key: u64, index: u32) {
        self.pool.push((key, index));
        if self.pool.len() == 2 * self.limit {
            // Halving a full pool costs its length, and it takes as many newcomers to fill it again.
            let (_, &mut (worst, _), _) = self.pool.select_nth_unstable(self.limit - 1);
            self.pool.truncate(self.limit);
            self.bar = worst;
        }
    }

    /// The indices of the best, high to low; equal scores in the order they came.
    pub fn take(&mut self) -> impl Iterator<Item = u32> {
        self.pool.sort_unstable();
        self.pool.iter().take(self.limit).map(|&(_, index)| index)
    }
}
