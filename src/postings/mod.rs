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
pub(crate) const MAX_BYTES: usize = 2 * numbers::MAX_BYTES;
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
            if before - self.bytes.len() < MAX_BYTES {
                self.bytes.reserve_exact(MAX_BYTES.max(SPARE + self.bytes.len() / 4));
            }
            put_text(&mut self.bytes, self.last - self.written, self.last_count);
            self.written = self.last;
        }
        (self.last, self.last_count) = (slot, count);
        self.documents += 1;
        self.bytes.capacity() - before
    }

    /// Returns the most bytes that [`Postings::put_all`] writes.
    pub fn max_bytes(&self) -> usize {
        self.bytes.len() + MAX_BYTES
    }

    /// Writes the texts that `renumbered` gives a number to, in the form of the bytes. Numbers rise
    /// with the slots, and none is higher than its slot. Returns how many texts it wrote.
    pub fn put_all(&self, out: &mut Vec<u8>, renumbered: impl Fn(Slot) -> Option<Slot>) -> u32 {
        let (mut texts, mut before) = (0, 0);
        self.for_each(|slot, count| {
            if let Some(slot) = renumbered(slot) {
                put_text(out, slot - before, count);
                before = slot;
                texts += 1;
            }
        });
        texts
    }

    /// Reads texts from the front of bytes that [`Postings::put_all`] wrote. Returns `None` if the
    /// bytes are no such texts, or if a slot is not below `end`.
    pub fn take_all(bytes: &mut &[u8], texts: u32, end: Slot) -> Option<Self> {
        let all = *bytes;
        let (mut slot, mut count, mut written, mut length) = (0_u32, 0, 0, 0);
        for text in 0..texts {
            (written, length) = (slot, all.len() - bytes.len());
            let step = numbers::take(bytes)?;
            slot = slot.checked_add(step >> 1)?;
            count = if step & 1 == 1 { 1 } else { numbers::take(bytes)? };
            let is_once = step & 1 == 1;
            if slot >= end || text > 0 && slot == written || !is_once && count < 2 {
                return None;
            }
        }
        Some(Self {
            bytes: all[..length].to_vec(),
            written,
            last: slot,
            last_count: count,
            documents: texts,
        })
    }

    /// Returns the bytes of capacity.
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
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

/// Writes a text by its distance from the one before, and its count.
fn put_text(bytes: &mut Vec<u8>, distance: Slot, count: u32) {
    let once = count == 1;
    numbers::put(bytes, distance << 1 | u32::from(once));
    if !once {
        numbers::put(bytes, count);
    }
}
