//! [`TokenTable`]: a vector for each token, held as stored.
//!
//! # Idea
//!
//! A row is `dimensions` whole numbers of eight or four bits, and a scale. The vector of a token is
//! the row times the scale; the weight of the token is in its scale. The rows of 20,000 tokens with
//! 128 dimensions take 1.3 MB in four bits, and eight times that as f32. So a table stays as it is
//! read, and a row is widened when it is added.
//!
//! # Format
//!
//! Numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `NOUSEMB1` for rows of eight bits, `NOUSEMB2` for rows of four |
//! | 4, 4, 4 | number of tokens, dimensions, bytes of the vocabulary: u32 |
//! | … | vocabulary: the tokens in UTF-8, joined by line feeds; zeros up to a multiple of 4 |
//! | 4 · tokens | scales: f32 |
//! | tokens · dimensions | rows of eight bits: i8 from −127 on |
//! | tokens · dimensions / 2 | rows of four bits: see below |
//!
//! In four bits, sixteen numbers from −8 to 7 take eight bytes. Each number is stored as the number
//! plus 8. Byte *i* holds number *i* in its low half and number *i* + 8 in its high half, so that
//! one mask and one shift give both halves of a block in order.
//!
//! # Invariants
//!
//! - Dimensions are a multiple of 16, so that a row is whole blocks.
//! - A scale is 0 or lies in [10⁻¹², 10³]. No sum of fewer than 2³² rows overflows, nor does the
//!   sum of its squares.
//! - The order of additions is part of the vector: words in their order, the tokens of a word in
//!   their order. A product and a sum are rounded to f32 each, the sum of squares is that of
//!   `math::dot`, and the division by the length is done in f64. So native code, WebAssembly and
//!   JavaScript agree to the bit.
//!
//! # Cost
//!
//! A token costs one lookup and one pass over its row: about 30 ns with 128 dimensions.

use std::fmt;
use std::ops::Range;

use nous_wordpiece::{Fault, MAX_CHARACTERS, Pieces, Word, words};
use xxhash_rust::xxh64::xxh64;

use super::normalised;
use crate::error::{Error, Result};
use crate::math::{Block, LANES, dot_f32};

/// The bits of a number of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bits {
    Eight,
    Four,
}

impl Bits {
    /// Returns what the first bytes of a table say.
    fn of(table: &[u8]) -> Option<Self> {
        match table.first_chunk()? {
            b"NOUSEMB1" => Some(Self::Eight),
            b"NOUSEMB2" => Some(Self::Four),
            _ => None,
        }
    }

    /// Returns the bytes of a row.
    fn bytes(self, dimensions: usize) -> usize {
        match self {
            Self::Eight => dimensions,
            Self::Four => dimensions / 2,
        }
    }
}

/// The bytes before the vocabulary.
const HEADER: usize = 20;
const MAX_DIMENSIONS: usize = 1024;
const MAX_TOKENS: usize = 1 << 20;

/// Vectors of tokens, which add up to vectors of words and texts.
///
/// ```
/// use nous_wasm::embed::TokenTable;
///
/// let mut bytes = b"NOUSEMB1".to_vec();
/// bytes.extend([2_u32, 16, 7].iter().flat_map(|number| number.to_le_bytes()));
/// bytes.extend(b"tea\n##s\0"); // two tokens, and a zero to a multiple of 4
/// bytes.extend([0.5_f32, 0.25].iter().flat_map(|scale| scale.to_le_bytes()));
/// bytes.extend([2; 16].iter().chain(&[4; 16])); // the rows
/// let table = TokenTable::read(bytes)?;
///
/// let mut vector = [0.0; 16];
/// assert_eq!(table.embed("Teas please!", &mut vector), 0.5); // one of two words
/// assert_eq!(vector, [0.25; 16]);
/// # Ok::<(), nous_wasm::Error>(())
/// ```
pub struct TokenTable {
    bytes: Box<[u8]>,
    vocabulary: Range<usize>,
    pieces: Pieces,
    /// The first byte of the scales.
    scales: usize,
    /// The first byte of the rows.
    rows: usize,
    bits: Bits,
    dimensions: usize,
    id: Box<str>,
}

/// Counts of the words of a text. Punctuation is no word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordsOfText {
    /// The number of words.
    pub all: usize,
    /// The number of words that tokens cover.
    pub covered: usize,
}

impl WordsOfText {
    /// Returns the share of words that tokens cover: 0 for a text without words.
    pub fn coverage(self) -> f64 {
        if self.all == 0 { 0.0 } else { self.covered as f64 / self.all as f64 }
    }
}

impl TokenTable {
    /// Reads a table in the format `NOUSEMB1` or `NOUSEMB2`. Keeps the bytes.
    ///
    /// # Errors
    /// `invalid_argument`, with the field `table`, if the bytes are not a whole table, or if a
    /// token, a scale or a count breaks a rule of the format.
    pub fn read(bytes: impl Into<Box<[u8]>>) -> Result<Self> {
        Self::read_bytes(bytes.into())
    }

    fn read_bytes(bytes: Box<[u8]>) -> Result<Self> {
        let Some(bits) = Bits::of(&bytes).filter(|_| bytes.len() >= HEADER) else {
            return Err(fault("must begin with NOUSEMB1 or NOUSEMB2 and three counts"));
        };
        let [tokens, dimensions, vocabulary] =
            [8, 12, 16].map(|at| u32::from_le_bytes(array(&bytes, at)) as usize);
        if !(1..=MAX_TOKENS).contains(&tokens) {
            let problem = format!("must have at least 1 and at most {MAX_TOKENS} tokens");
            return Err(fault(problem).found(tokens as f64));
        }
        if !(LANES..=MAX_DIMENSIONS).contains(&dimensions) || dimensions % LANES != 0 {
            let problem =
                format!("must have dimensions in steps of {LANES}, at most {MAX_DIMENSIONS}");
            return Err(fault(problem).found(dimensions as f64));
        }
        let scales = (HEADER as u64 + vocabulary as u64).next_multiple_of(4);
        let rows = scales + 4 * tokens as u64;
        let expected = rows + tokens as u64 * bits.bytes(dimensions) as u64;
        if bytes.len() as u64 != expected {
            let problem = format!("must have {expected} bytes by its header");
            return Err(fault(problem).found(bytes.len() as f64));
        }
        // Places in the bytes, since the last byte is one.
        let (scales, rows) = (scales as usize, rows as usize);
        let vocabulary = HEADER..HEADER + vocabulary;
        let pieces = read_pieces(&bytes[vocabulary.clone()], tokens)?;
        if bytes[vocabulary.end..scales].iter().any(|&byte| byte != 0) {
            return Err(fault("must have zeros between vocabulary and scales"));
        }
        let id = format!("nous-{dimensions}-{:08x}", xxh64(&bytes, 0) >> 32).into();
        let table = Self { bytes, vocabulary, pieces, scales, rows, bits, dimensions, id };
        for code in 0..tokens {
            let scale = table.scale(code);
            if !is_scale(scale) {
                let problem = "must have scales that are 0 or lie between 1e-12 and 1000";
                return Err(fault(problem).at(code).found(scale.into()));
            }
            // Without an early end, so that it becomes vector instructions.
            let is_least = |number: &u8| number.cast_signed() == i8::MIN;
            if bits == Bits::Eight
                && table.row(code).iter().fold(false, |found, number| found | is_least(number))
            {
                return Err(fault("must have rows of numbers from -127 on").at(code));
            }
        }
        Ok(table)
    }

    /// Returns the components of a vector: a multiple of 16.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the number of tokens.
    pub fn tokens(&self) -> usize {
        self.pieces.count()
    }

    /// Returns the name of the table: dimensions, and a hash of its bytes, as in
    /// `nous-128-1a2b3c4d`. Vectors of tables with different names do not compare.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the bytes of memory that the table takes.
    pub fn bytes(&self) -> usize {
        self.bytes.len() + self.pieces.bytes() + self.id.len()
    }

    /// Returns the text of a token. A token that continues a word begins with `##`.
    ///
    /// # Panics
    /// If the table has no such token.
    pub fn token(&self, code: u32) -> &str {
        let text = self.pieces.text(self.vocabulary(), code as usize);
        // Never the default: the vocabulary is UTF-8, and a line feed ends no character early.
        str::from_utf8(text).unwrap_or_default()
    }

    /// Adds the codes of a word's tokens to `codes`; returns whether tokens cover the word. If they
    /// do not, adds none. The word is one of [`words`].
    pub fn pieces(&self, word: &str, codes: &mut Vec<u32>) -> bool {
        let mut buffer = [0; MAX_CHARACTERS];
        let count = self.pieces.cover(self.vocabulary(), word, &mut buffer);
        codes.extend_from_slice(&buffer[..count]);
        count > 0
    }

    /// Adds the vectors of a word's tokens to `sum`; returns whether tokens cover the word. If they
    /// do not, adds nothing. The word is one of [`words`].
    ///
    /// # Panics
    /// If `sum` has fewer components than the table.
    pub fn add_word(&self, word: &str, sum: &mut [f32]) -> bool {
        let mut codes = [0; MAX_CHARACTERS];
        let count = self.pieces.cover(self.vocabulary(), word, &mut codes);
        for &code in &codes[..count] {
            self.add_row(code as usize, &mut sum[..self.dimensions]);
        }
        count > 0
    }

    /// Writes the vector of a text with length 1. Returns the share of words that tokens cover, in
    /// [0, 1]. If it is 0, the text has no vector, and the components are 0. Punctuation adds to
    /// the vector, and does not count as a word.
    ///
    /// # Panics
    /// If `vector` has fewer components than the table.
    pub fn embed(&self, text: &str, vector: &mut [f32]) -> f64 {
        let vector = &mut vector[..self.dimensions];
        vector.fill(0.0);
        let counts = self.add_text(text, vector);
        if counts.covered == 0 || !normalise(vector) {
            vector.fill(0.0);
            return 0.0;
        }
        counts.coverage()
    }

    /// Adds the vectors of a text's tokens to `sum`, and returns the counts of its words.
    ///
    /// # Panics
    /// If `sum` has fewer components than the table.
    pub fn add_text(&self, text: &str, sum: &mut [f32]) -> WordsOfText {
        let mut counts = WordsOfText::default();
        for Word { text, is_mark } in words(&normalised(text)) {
            let is_covered = self.add_word(text, sum);
            if !is_mark {
                counts.all += 1;
                counts.covered += usize::from(is_covered);
            }
        }
        counts
    }

    fn vocabulary(&self) -> &[u8] {
        &self.bytes[self.vocabulary.clone()]
    }

    fn scale(&self, code: usize) -> f32 {
        f32::from_le_bytes(array(&self.bytes, self.scales + 4 * code))
    }

    fn row(&self, code: usize) -> &[u8] {
        let length = self.bits.bytes(self.dimensions);
        &self.bytes[self.rows + code * length..][..length]
    }

    #[inline]
    fn add_row(&self, code: usize, sum: &mut [f32]) {
        let (scale, row) = (self.scale(code), self.row(code));
        let sums = sum.as_chunks_mut::<LANES>().0.iter_mut();
        match self.bits {
            Bits::Eight => {
                let blocks = row.as_chunks::<LANES>().0;
                sums.zip(blocks).for_each(|(sum, block)| {
                    add_block(sum, scale, block.map(u8::cast_signed));
                });
            }
            Bits::Four => {
                let halves = row.as_chunks::<{ LANES / 2 }>().0;
                sums.zip(halves).for_each(|(sum, half)| add_block(sum, scale, widened(half)));
            }
        }
    }
}

/// Adds a block of numbers times a scale.
#[inline]
fn add_block(sum: &mut Block<f32>, scale: f32, numbers: Block<i8>) {
    for (sum, number) in sum.iter_mut().zip(numbers) {
        *sum += scale * f32::from(number);
    }
}

/// Returns the sixteen numbers of eight bytes.
#[inline]
fn widened(half: &[u8; LANES / 2]) -> Block<i8> {
    let mut numbers = [0; LANES];
    let (low, high) = numbers.split_at_mut(LANES / 2);
    for ((low, high), byte) in low.iter_mut().zip(high).zip(half) {
        *low = (byte & 15).cast_signed() - 8;
        *high = (byte >> 4).cast_signed() - 8;
    }
    numbers
}

/// Returns the places of the tokens of a vocabulary, which must hold `tokens` different texts.
fn read_pieces(vocabulary: &[u8], tokens: usize) -> Result<Pieces> {
    if str::from_utf8(vocabulary).is_err() {
        return Err(fault("must have a vocabulary in UTF-8"));
    }
    let count = 1 + vocabulary.iter().filter(|&&byte| byte == b'\n').count();
    if count != tokens {
        let problem = format!("must have a vocabulary of {tokens} tokens by its header");
        return Err(fault(problem).found(count as f64));
    }
    Pieces::new(vocabulary).map_err(|problem| match problem {
        Fault::Empty(code) => fault("must have no empty token").at(code),
        Fault::Twice(code) => fault("must have no token twice").at(code),
    })
}

// Without the bytes.
impl fmt::Debug for TokenTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenTable")
            .field("id", &self.id)
            .field("tokens", &self.tokens())
            .finish_non_exhaustive()
    }
}

/// Gives a vector the length 1. Returns whether it has a direction; if not, leaves it as it is.
fn normalise(vector: &mut [f32]) -> bool {
    let blocks: &[Block<f32>] = vector.as_chunks().0;
    let length = f64::from(dot_f32(blocks, blocks)).sqrt();
    if length == 0.0 {
        return false;
    }
    for component in vector {
        *component = (f64::from(*component) / length) as f32;
    }
    true
}

fn is_scale(scale: f32) -> bool {
    scale == 0.0 || (1e-12..=1e3).contains(&scale)
}

fn array(bytes: &[u8], at: usize) -> [u8; 4] {
    [0, 1, 2, 3].map(|offset| bytes[at + offset])
}

fn fault(problem: impl Into<String>) -> Error {
    Error::argument("table", problem)
}
