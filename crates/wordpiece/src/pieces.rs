//! The tokens of a vocabulary by their texts, and the tokens that cover a word.
//!
//! # Idea
//!
//! WordPiece covers a word from left to right, each time by the longest token that fits. Tokens
//! that continue a word are written `##ing`. A word of *n* characters takes up to *n*² lookups, so
//! a lookup must not build a string: the map is keyed by (whether it continues a word, text without
//! `##`), and compares with the bytes of the vocabulary, where it lies in the table.
//!
//! # Invariants
//!
//! - More than a quarter of the slots are empty, so that each search for a text ends.
//! - Each token has one slot. Two tokens with the same text are refused.
//! - A text longer than the longest token is no token: a search begins at that length.
//! - Texts are compared as bytes. The vocabulary is UTF-8, so no token ends inside a character.
//!
//! # Cost
//!
//! Four bytes a slot, four bytes a token, beside the vocabulary itself. A word that is a token
//! costs one lookup, about 10 ns.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// The most characters of a word. A longer one cannot be covered.
pub const MAX_CHARACTERS: usize = 100;

/// An empty slot.
const EMPTY: u32 = u32::MAX;

/// The places of tokens in a vocabulary: texts joined by line feeds.
#[derive(Debug)]
pub struct Pieces {
    /// For each token, the place after its text.
    ends: Box<[u32]>,
    /// Codes of tokens by the hash of their texts, in a ring. Its length is a power of two.
    slots: Box<[u32]>,
    /// The bytes of the longest token, without `##`.
    longest: usize,
}

/// A fault of a vocabulary.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault {
    /// The token of this code has no text.
    Empty(usize),
    /// The token of this code has the text of an earlier one.
    Twice(usize),
}

impl Pieces {
    /// Returns the places of the tokens of a vocabulary.
    pub fn new(vocabulary: &[u8]) -> Result<Self, Fault> {
        let ends = vocabulary.split(|&byte| byte == b'\n').scan(0, |from, text| {
            let end = *from + text.len();
            *from = end + 1;
            Some(end as u32)
        });
        let ends: Box<[u32]> = ends.collect();
        let slots = vec![EMPTY; (ends.len() + ends.len() / 2).next_power_of_two()];
        let mut pieces = Self { ends, slots: slots.into(), longest: 0 };
        for code in 0..pieces.ends.len() {
            let (continues, text) = pieces.key(vocabulary, code);
            if text.is_empty() {
                return Err(Fault::Empty(code));
            }
            match pieces.find(vocabulary, continues, text) {
                Ok(_) => return Err(Fault::Twice(code)),
                Err(slot) => pieces.slots[slot] = code as u32,
            }
            pieces.longest = pieces.longest.max(text.len());
        }
        Ok(pieces)
    }

    /// Returns the number of tokens.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// Returns the allocated bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.ends) + size_of_val(&*self.slots)
    }

    /// Returns the text of a token, with `##`.
    pub fn text<'v>(&self, vocabulary: &'v [u8], code: usize) -> &'v [u8] {
        let start = code.checked_sub(1).map_or(0, |before| self.ends[before] as usize + 1);
        &vocabulary[start..self.ends[code] as usize]
    }

    /// Writes the codes of the tokens that cover a word. Returns their number: 0 if the word cannot
    /// be covered.
    pub fn cover(&self, vocabulary: &[u8], word: &str, codes: &mut [u32; MAX_CHARACTERS]) -> usize {
        // A character has at most 4 bytes.
        let is_long = word.len() > MAX_CHARACTERS
            && (word.len() > 4 * MAX_CHARACTERS || word.chars().count() > MAX_CHARACTERS);
        if is_long {
            return 0;
        }
        let mut count = 0;
        let mut rest = word.as_bytes();
        while !rest.is_empty() {
            let Some((code, bytes)) = self.longest_at(vocabulary, count > 0, rest) else {
                return 0;
            };
            codes[count] = code;
            count += 1;
            rest = &rest[bytes..];
        }
        count
    }

    /// Returns the longest token at the start of a text, and its bytes.
    #[inline]
    fn longest_at(&self, vocabulary: &[u8], continues: bool, text: &[u8]) -> Option<(u32, usize)> {
        (1..=text.len().min(self.longest)).rev().find_map(|bytes| {
            let slot = self.find(vocabulary, continues, &text[..bytes]).ok()?;
            Some((self.slots[slot], bytes))
        })
    }

    /// Returns the slot of a token, or the empty slot where it would be.
    #[inline]
    fn find(&self, vocabulary: &[u8], continues: bool, text: &[u8]) -> Result<usize, usize> {
        let mut hasher = FxHasher::default();
        hasher.write(text);
        hasher.write_u8(continues.into());
        let last = self.slots.len() - 1;
        let mut slot = hasher.finish() as usize & last;
        loop {
            let code = self.slots[slot];
            if code == EMPTY {
                return Err(slot);
            }
            if self.key(vocabulary, code as usize) == (continues, text) {
                return Ok(slot);
            }
            slot = (slot + 1) & last;
        }
    }

    /// Returns whether a token continues a word, and its text without `##`.
    #[inline]
    fn key<'v>(&self, vocabulary: &'v [u8], code: usize) -> (bool, &'v [u8]) {
        let text = self.text(vocabulary, code);
        text.strip_prefix(b"##").map_or((false, text), |text| (true, text))
    }
}
