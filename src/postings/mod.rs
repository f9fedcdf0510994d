//! Postings: the texts in which a word occurs, with the number of its occurrences in each.
//!
//! # Idea
//!
//! The slots of the texts rise, so each is stored as its distance from the one before, in seven
//! bits a byte ([`numbers`]). Most words occur once in a text, so the lowest bit of the number says
//! whether that is so, and only another count takes a number of its own:
//!
//! ```text
//! slot 5, once          (5 − 0) << 1 | 1    = 11
//! slot 9, three times   (9 − 5) << 1        = 8,  3
//! ```
//!
//! # Invariants
//!
//! - Occurrences come in the order of texts. The last text is stored outside of the bytes, because
//!   it may still get more occurrences. It is written when a later text comes.
//! - A removed text stays in the bytes: [`Postings::for_each`] returns it, and readers skip it. The
//!   count of `documents` is without it. A rebuild of the index drops it.
//!
//! # Soundness
//!
//! Slots are u32, and a distance is shifted by one bit. The index has fewer than 2³¹ texts long
//! before that, as each takes more than two bytes and 4 GiB are the most that a module addresses.
//!
//! # Cost
//!
//! One byte for most texts of a frequent word. A word that occurs in one text allocates no bytes.
//! The bytes grow by a quarter and not by doubling: there are many words, and most lists stay
//! short.

pub(crate) mod numbers;

/// The place of a text in the index; a later text has a higher one.
pub(crate) type Slot = u32;

/// The postings of one word. The last text is kept apart, since it may get more occurrences, and a
/// word of one text needs no more.
#[derive(Debug, Default)]
pub(crate) struct Postings {
    /// For each text but the last: twice the distance from the one before, plus one if the word
    /// occurs once there. Otherwise the count follows.
    bytes: Vec<u8>,
    written: Slot,
    last: Slot,
    /// The occurrences in the last text, or 0 before the first text.
    last_count: u32,
    /// The texts that hold the word and have not been removed.
    pub documents: u32,
}

/// The most bytes that a text adds.
pub(crate) const MOST_BYTES: usize = 2 * numbers::MOST_BYTES;
/// The extra capacity that is reserved: this many bytes, and a quarter of all.
pub(crate) const SPARE: usize = 8;

impl Postings {
    /// Adds an occurrence in the last text or a later one. Returns the bytes of capacity that it
    /// allocated.
    pub fn add(&mut self, slot: Slot) -> usize {
        if self.last_count > 0 && self.last == slot {
            self.last_count += 1;
            return 0;
        }
        self.put(slot, 1)
    }

    /// Adds a later text with its count, at least 1. Returns the bytes of capacity that it
    /// allocated.
    pub fn put(&mut self, slot: Slot, count: u32) -> usize {
        let before = self.bytes.capacity();
        if self.last_count > 0 {
            if before - self.bytes.len() < MOST_BYTES {
                self.bytes.reserve_exact(MOST_BYTES.max(SPARE + self.bytes.len() / 4));
            }
            let once = self.last_count == 1;
            numbers::put(&mut self.bytes, (self.last - self.written) << 1 | u32::from(once));
            if !once {
                numbers::put(&mut self.bytes, self.last_count);
            }
            self.written = self.last;
        }
        (self.last, self.last_count) = (slot, count);
        self.documents += 1;
        self.bytes.capacity() - before
    }

    /// Calls `with` for every text, with the number of occurrences, in order. Includes removed
    /// texts.
    #[inline(always)]
    pub fn for_each(&self, mut with: impl FnMut(Slot, u32)) {
        let mut bytes = &self.bytes[..];
        let mut slot = 0;
        while let Some(step) = numbers::take(&mut bytes) {
            slot += step >> 1;
            let count = if step & 1 == 1 { 1 } else { numbers::take(&mut bytes).unwrap_or(1) };
            with(slot, count);
        }
        if self.last_count > 0 {
            with(self.last, self.last_count);
        }
    }
}
