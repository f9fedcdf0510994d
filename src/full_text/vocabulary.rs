//! The words of an index as codes, and in order, so that those with one beginning stand together.

use crate::columns::Names;

/// The words of an index. One that was seen stays until the index is made anew.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    pub names: Names,
    /// Codes in the order of their words, as far as `settle` has come.
    sorted: Vec<u32>,
}

impl Vocabulary {
    /// Puts the words that are new into their order.
    pub fn settle(&mut self) {
        let Self { names, sorted } = self;
        let known = sorted.len();
        if known == names.count() {
            return;
        }
        let mut fresh: Vec<u32> = (known as u32..names.count() as u32).collect();
        fresh.sort_unstable_by(|&a, &b| names.text(a).cmp(names.text(b)));
        sorted.resize(names.count(), 0);
        // From the back, so that every code is moved once, and those before the first new one not
        // at all.
        let (mut left, mut to) = (known, sorted.len());
        for code in fresh.into_iter().rev() {
            let word = names.text(code);
            let place = sorted[..left].partition_point(|&other| names.text(other) < word);
            let behind = left - place;
            sorted.copy_within(place..left, to - behind);
            to -= behind + 1;
            sorted[to] = code;
            left = place;
        }
    }

    /// The codes of the words that begin so, in the order of the words; all are settled.
    pub fn beginning_with(&self, start: &str) -> &[u32] {
        let Self { names, sorted } = self;
        let from = sorted.partition_point(|&code| names.text(code) < start);
        let count = sorted[from..].partition_point(|&code| names.text(code).starts_with(start));
        &sorted[from..from + count]
    }

    /// Bytes that there is room for, once all words are in their order.
    pub fn capacity_bytes(&self) -> usize {
        self.names.capacity_bytes() + self.names.count() * size_of::<u32>()
    }
}
