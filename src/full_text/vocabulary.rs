//! The words of an index: their codes, and their order for prefix queries.

use crate::columns::Names;

/// The words of an index. A word stays until the index is rebuilt.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    pub names: Names,
    /// Codes in the order of their words, without the words added since `settle`.
    sorted: Vec<u32>,
}

/// The code of a word that was added. Not `Copy`: the standard library sorts small copies by a network
/// that takes twelve kilobytes of the module.
struct Fresh(u32);

impl Vocabulary {
    /// Sorts the words that were added.
    pub fn settle(&mut self) {
        let Self { names, sorted } = self;
        let known = sorted.len();
        if known == names.count() {
            return;
        }
        let mut fresh: Vec<Fresh> = (known as u32..names.count() as u32).map(Fresh).collect();
        fresh.sort_unstable_by(|a, b| names.text(a.0).cmp(names.text(b.0)));
        sorted.resize(names.count(), 0);
        // Merges from the back: each code moves once, and those before the first new one do not
        // move.
        let (mut left, mut to) = (known, sorted.len());
        for Fresh(code) in fresh.into_iter().rev() {
            let word = names.text(code);
            let place = sorted[..left].partition_point(|&other| names.text(other) < word);
            let behind = left - place;
            sorted.copy_within(place..left, to - behind);
            to -= behind + 1;
            sorted[to] = code;
            left = place;
        }
    }

    /// Returns the codes of the words with a prefix, in the order of the words. All words must be
    /// sorted.
    pub fn beginning_with(&self, start: &str) -> &[u32] {
        let Self { names, sorted } = self;
        let from = sorted.partition_point(|&code| names.text(code) < start);
        let count = sorted[from..].partition_point(|&code| names.text(code).starts_with(start));
        &sorted[from..from + count]
    }

    /// Returns the allocated bytes once all words are sorted.
    pub fn capacity_bytes(&self) -> usize {
        self.names.capacity_bytes() + self.names.count() * size_of::<u32>()
    }
}
