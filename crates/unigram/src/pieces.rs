//! The pieces of a vocabulary by their texts, and the pieces that cover a word.
//!
//! # Idea
//!
//! Each piece has a score, the logarithm of its share of texts. A word is covered by the pieces with
//! the largest sum of scores. For each place of the word the best sum up to it is known when pieces
//! that begin there are tried, so one pass finds it. A character that begins no piece of its own
//! may be unknown: its score is [`PENALTY`] below all others. Unknown characters in a row are one
//! unknown piece.
//!
//! The texts are ordered. Those that begin a text lie in a range, which each further byte narrows:
//! the order is the tree.
//!
//! # Invariants
//!
//! - Texts are ordered by their bytes, and none stands twice.
//! - Of coverings with equal sums the first that was found stays, as in the library `tokenizers`:
//!   the last piece that begins earliest.
//! - Sums are f64, and scores are added in the order of a word.

use std::fmt;

/// The most bytes of a piece.
pub const MAX_BYTES: usize = 255;

/// How far an unknown character lies below the smallest score.
const PENALTY: f64 = 10.0;

/// The pieces of a vocabulary.
#[derive(Debug)]
pub struct Pieces {
    /// The texts, joined by line feeds.
    text: Vec<u8>,
    /// For each piece, the place after its text.
    ends: Box<[u32]>,
    scores: Box<[f32]>,
    /// The score of an unknown character.
    unknown: f64,
}

/// A fault of a vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PiecesFault {
    /// The texts are not UTF-8.
    NotUtf8,
    /// There are so many texts, and another number of scores.
    Count(usize),
    /// The piece of this code has no text.
    Empty(usize),
    /// The piece of this code has more than [`MAX_BYTES`] bytes.
    Long(usize),
    /// The piece of this code does not stand after the one before it.
    Order(usize),
    /// The score of this code is above 0, or no number.
    Score(usize),
}

impl fmt::Display for PiecesFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => write!(f, "must be UTF-8"),
            Self::Count(found) => write!(f, "must have as many texts as scores, found {found}"),
            Self::Empty(at) => write!(f, "must have no empty word piece, found one at {at}"),
            Self::Long(at) => {
                write!(
                    f,
                    "must have word pieces of {MAX_BYTES} bytes at most, found another at {at}"
                )
            }
            Self::Order(at) => write!(f, "must be ordered by bytes, found another order at {at}"),
            Self::Score(at) => write!(f, "must have scores of 0 at most, found another at {at}"),
        }
    }
}

impl Pieces {
    /// Reads texts, joined by line feeds and ordered by their bytes, with their scores.
    ///
    /// # Errors
    /// If the texts or scores break a rule.
    pub fn new(text: Vec<u8>, scores: Box<[f32]>) -> Result<Self, PiecesFault> {
        if str::from_utf8(&text).is_err() {
            return Err(PiecesFault::NotUtf8);
        }
        let ends = text.split(|&byte| byte == b'\n').scan(0, |from, text| {
            let end = *from + text.len();
            *from = end + 1;
            Some(end as u32)
        });
        let ends: Box<[u32]> = ends.collect();
        if ends.len() != scores.len() {
            return Err(PiecesFault::Count(ends.len()));
        }
        // Not a number is not at most 0.
        if let Some(at) = scores.iter().position(|&score| !(f32::MIN..=0.0).contains(&score)) {
            return Err(PiecesFault::Score(at));
        }
        let least = scores.iter().copied().fold(0.0, f32::min);
        let pieces = Self { text, ends, scores, unknown: f64::from(least) - PENALTY };
        for code in 0..pieces.count() {
            let text = pieces.text(code);
            let fault = if text.is_empty() {
                PiecesFault::Empty
            } else if text.len() > MAX_BYTES {
                PiecesFault::Long
            } else if code > 0 && pieces.text(code - 1) >= text {
                PiecesFault::Order
            } else {
                continue;
            };
            return Err(fault(code));
        }
        Ok(pieces)
    }

    /// Returns the number of pieces. Their codes are smaller.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// Adds the codes of the pieces that cover a word. The code of an unknown piece is
    /// [`Pieces::count`].
    pub fn cover(&self, word: &str, codes: &mut Vec<u32>) {
        let bytes = word.as_bytes();
        // The best sum up to each place, and the bytes of the last piece up to it; 0 of none.
        let mut sums = vec![0.0_f64; bytes.len() + 1];
        let mut lasts = vec![0_u8; bytes.len() + 1];
        for (from, c) in word.char_indices() {
            let before = sums[from];
            let mut add = |length: usize, score: f64| {
                let (sum, last) = (&mut sums[from + length], &mut lasts[from + length]);
                if *last == 0 || before + score > *sum {
                    *sum = before + score;
                    // At most MAX_BYTES.
                    *last = length as u8;
                }
            };
            let mut is_known = false;
            self.begin(&bytes[from..], |code, length| {
                is_known |= length == c.len_utf8();
                add(length, self.scores[code].into());
            });
            if !is_known {
                add(c.len_utf8(), self.unknown);
            }
        }
        let first = codes.len();
        let mut to = bytes.len();
        while to > 0 {
            let from = to - usize::from(lasts[to]);
            let code = self.code(&bytes[from..to]).unwrap_or(self.count() as u32);
            let is_unknown = code as usize == self.count();
            if !(is_unknown && codes[first..].last() == Some(&code)) {
                codes.push(code);
            }
            to = from;
        }
        codes[first..].reverse();
    }

    /// Returns the code of a text.
    fn code(&self, text: &[u8]) -> Option<u32> {
        let mut found = None;
        self.begin(text, |code, length| {
            if length == text.len() {
                found = Some(code as u32);
            }
        });
        found
    }

    /// Calls `each` with the code and the bytes of each piece that begins a text, the shortest first.
    fn begin(&self, text: &[u8], mut each: impl FnMut(usize, usize)) {
        let (mut from, mut to) = (0, self.count());
        for (at, byte) in text.iter().enumerate() {
            from = self.first(from, to, |piece| piece.get(at) >= Some(byte));
            to = self.first(from, to, |piece| piece.get(at) > Some(byte));
            if from == to {
                return;
            }
            if self.text(from).len() == at + 1 {
                each(from, at + 1);
            }
        }
    }

    /// Returns the first code of a range from which on all texts pass a test; else its end.
    fn first(&self, mut from: usize, mut to: usize, passes: impl Fn(&[u8]) -> bool) -> usize {
        while from < to {
            let middle = usize::midpoint(from, to);
            if passes(self.text(middle)) {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        from
    }

    fn text(&self, code: usize) -> &[u8] {
        let start = code.checked_sub(1).map_or(0, |before| self.ends[before] as usize + 1);
        &self.text[start..self.ends[code] as usize]
    }
}
