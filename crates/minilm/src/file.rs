//! The model file, in the format `NOUSMLM1`.
//!
//! # Format
//!
//! Numbers are little-endian, and nothing stands between two parts.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `NOUSMLM1` |
//! | 4, 4, 4 | number of word pieces, of places, of layers: u32 |
//! | 4, 4 | bits of a weight, 6 or 8; bytes of the vocabulary: u32 |
//! | … | vocabulary: the pieces in UTF-8, joined by line feeds; zeros up to a multiple of 4 |
//! | 4 · pieces | scale of each piece: f32 |
//! | 192 · pieces | rows of four bits: sixteen numbers take eight bytes, as in `NOUSEMB2` |
//! | 1536 · places | numbers of each place: f32 |
//! | norm | of the sum of piece and place |
//! | layers | each: linear for queries, keys and values, 384 to 1152; linear, 384 to 384; norm; linear, 384 to 1536; linear, 1536 to 384; norm |
//! | 8 | XXH64 of all bytes before: u64 |
//!
//! A norm is 384 weights and 384 biases, f32. A linear is a scale and then a bias for each output,
//! f32, and a row of weights for each output: i8, or six bits each plus 32, of which four stand in
//! three bytes, the first in the lowest bits.
//!
//! # Idea
//!
//! A file is 14 MB, and memory of WebAssembly never shrinks. So a file is read in parts of any size,
//! and what is whole is unpacked at once: the file never lies in memory as a whole.
//!
//! # Invariants
//!
//! - A scale is 0 or lies in [10⁻¹², 10³]; other numbers are finite, of magnitude 10⁶ at most.
//! - Counts are bounded before anything is reserved.
//! - A whole file with the right hash is read to its last byte.

use nous_wordpiece::{Fault, MAX_CHARACTERS, Pieces};
use xxhash_rust::xxh64::Xxh64;

use crate::error::{Error, Result};
use crate::lanes::Quad;
use crate::layer::{INNER, Layer, Norm, State};
use crate::linear::Linear;
use crate::model::{DIMENSIONS, MAX_PLACES, Memory, Model, Vocabulary, WORD};

const MAGIC: &[u8; 8] = b"NOUSMLM1";
const HEADER: usize = 28;
const HASH: usize = 8;
const MAX_PIECES: usize = 1 << 18;
const MAX_VOCABULARY: usize = 1 << 23;
const MAX_LAYERS: usize = 48;
/// Bytes of a norm.
const NORM: usize = 2 * 4 * DIMENSIONS;

/// Reads a model file in parts.
#[derive(Default)]
pub struct Reader {
    /// Bytes of the part that is not whole yet.
    pending: Vec<u8>,
    hash: Xxh64,
    header: Option<Header>,
    /// Bytes that were given.
    given: u64,
    parts: Parts,
}

/// What was read.
#[derive(Default)]
struct Parts {
    vocabulary: Option<Vocabulary>,
    word_scales: Option<Box<[f32]>>,
    words: Option<Box<[u8]>>,
    places: Option<(Box<[State]>, Norm)>,
    layers: Vec<Layer>,
    /// The name of the model, if the hash is right.
    id: Option<String>,
}

/// The counts of a file.
#[derive(Clone, Copy, Debug)]
struct Header {
    pieces: usize,
    places: usize,
    layers: usize,
    bits: usize,
    vocabulary: usize,
}

impl Header {
    fn read(bytes: &[u8]) -> Result<Self> {
        let Some(bytes) = bytes.strip_prefix(MAGIC) else {
            return Err(Error::new("the model file must begin with NOUSMLM1"));
        };
        let mut counts = bytes.as_chunks::<4>().0.iter().map(|&count| u32::from_le_bytes(count));
        let mut next = |what: &str, least: usize, most: usize| {
            let count = counts.next().unwrap_or_default() as usize;
            if (least..=most).contains(&count) {
                return Ok(count);
            }
            let problem = format!("must have from {least} to {most} {what}, found {count}");
            Err(Error::new(format!("the model file {problem}")))
        };
        let header = Self {
            pieces: next("word pieces", 4, MAX_PIECES)?,
            places: next("places", 3, MAX_PLACES)?,
            layers: next("layers", 1, MAX_LAYERS)?,
            bits: next("bits of a weight", 6, 8)?,
            vocabulary: next("bytes of the vocabulary", 1, MAX_VOCABULARY)?,
        };
        if header.bits == 7 {
            return Err(Error::new("the model file must have 6 or 8 bits of a weight, found 7"));
        }
        Ok(header)
    }

    /// Bytes of a linear layer.
    fn linear(&self, inputs: usize, outputs: usize) -> usize {
        8 * outputs + inputs * outputs * self.bits / 8
    }

    /// Bytes of a layer.
    fn layer(&self) -> usize {
        self.linear(DIMENSIONS, 3 * DIMENSIONS)
            + self.linear(DIMENSIONS, DIMENSIONS)
            + self.linear(DIMENSIONS, INNER)
            + self.linear(INNER, DIMENSIONS)
            + 2 * NORM
    }

    /// Bytes of the parts after the header, in order. None is above 2²⁶, so a sum is below 2³².
    fn parts(&self) -> impl Iterator<Item = usize> {
        let words = [4 * self.pieces, WORD * self.pieces];
        let places = 4 * DIMENSIONS * self.places + NORM;
        let before = [self.vocabulary.next_multiple_of(4), words[0], words[1], places];
        before.into_iter().chain(std::iter::repeat_n(self.layer(), self.layers)).chain([HASH])
    }

    /// Bytes of the whole file.
    fn whole(&self) -> u64 {
        HEADER as u64 + self.parts().map(|part| part as u64).sum::<u64>()
    }

    /// Bytes of memory that the model and its longest part take.
    fn needed(&self) -> usize {
        let weights =
            3 * DIMENSIONS * DIMENSIONS + DIMENSIONS * DIMENSIONS + 2 * DIMENSIONS * INNER;
        let before: usize = self.parts().take(4).sum();
        before + self.layers * weights + self.layer().max(WORD * self.pieces)
    }
}

impl Reader {
    /// Reads the next bytes of a file.
    ///
    /// # Errors
    /// If the bytes break a rule of the format, or are more than the header says; if there is too
    /// little memory. The reader is of no use afterwards.
    pub fn add(&mut self, bytes: &[u8]) -> Result<()> {
        self.given += bytes.len() as u64;
        let mut rest = bytes;
        while !rest.is_empty() {
            let Some(length) = self.length_of_part() else {
                let (whole, given) = (self.given - rest.len() as u64, self.given);
                let problem = format!("must have {whole} bytes by its header, found {given}");
                return Err(Error::new(format!("the model file {problem} or more")));
            };
            let (now, later) = rest.split_at(rest.len().min(length - self.pending.len()));
            self.pending.reserve_exact(length - self.pending.len());
            self.pending.extend_from_slice(now);
            rest = later;
            if self.pending.len() == length {
                let part = std::mem::take(&mut self.pending);
                self.read(part)?;
            }
        }
        Ok(())
    }

    /// Returns the model, after all bytes of its file.
    ///
    /// # Errors
    /// If the file has fewer bytes than its header says.
    pub fn finish(self) -> Result<Model> {
        let given = self.given;
        let Parts { vocabulary, word_scales, words, places, layers, id } = self.parts;
        let read = (vocabulary, word_scales, words, places, id);
        let (Some(vocabulary), Some(word_scales), Some(words), Some((places, norm)), Some(id)) =
            read
        else {
            let expected = self.header.map_or(HEADER as u64, |header| header.whole());
            let problem =
                format!("the model file is cut off: {given} bytes of at least {expected}");
            return Err(Error::new(problem));
        };
        let memory = Memory::default();
        Ok(Model { id, vocabulary, word_scales, words, places, norm, layers, memory })
    }

    /// Returns the bytes of the part that is read now; `None` after the last one.
    fn length_of_part(&self) -> Option<usize> {
        let Some(header) = &self.header else { return Some(HEADER) };
        header.parts().nth(self.done())
    }

    /// Returns the number of parts after the header that were read.
    fn done(&self) -> usize {
        let Parts { vocabulary, word_scales, words, places, layers, id } = &self.parts;
        let first = [vocabulary.is_some(), word_scales.is_some(), words.is_some()];
        let others = [places.is_some(), id.is_some()];
        first.iter().chain(&others).filter(|&&is_read| is_read).count() + layers.len()
    }

    /// Reads a whole part.
    fn read(&mut self, part: Vec<u8>) -> Result<()> {
        let Some(header) = self.header else {
            self.hash.update(&part);
            let header = Header::read(&part)?;
            // Once, so that too little memory is an error now, and no end of the program later.
            if Vec::<u8>::new().try_reserve_exact(header.needed()).is_err() {
                let needed = header.needed();
                return Err(Error::new(format!("the model takes {needed} bytes of memory")));
            }
            self.header = Some(header);
            return Ok(());
        };
        if self.parts.layers.len() == header.layers {
            return self.read_hash(&part);
        }
        self.hash.update(&part);
        let parts = &mut self.parts;
        let mut bytes = Bytes(&part);
        if parts.vocabulary.is_none() {
            parts.vocabulary = Some(read_vocabulary(part, &header)?);
        } else if parts.word_scales.is_none() {
            parts.word_scales = Some(bytes.scales(header.pieces, "word pieces")?.into());
        } else if parts.words.is_none() {
            parts.words = Some(part.into());
        } else if parts.places.is_none() {
            let places = bytes.numbers(header.places * DIMENSIONS, "places")?;
            let places: Box<[State]> = quads(&places).as_chunks().0.into();
            parts.places = Some((places, bytes.norm("places")?));
        } else {
            let layer = bytes.layer(header.bits, parts.layers.len())?;
            parts.layers.push(layer);
        }
        Ok(())
    }

    fn read_hash(&mut self, part: &[u8]) -> Result<()> {
        let found = self.hash.digest();
        if part != found.to_le_bytes() {
            let problem = "is damaged: its bytes have another hash than its last 8 say";
            return Err(Error::new(format!("the model file {problem}")));
        }
        self.parts.id = Some(format!("minilm-{DIMENSIONS}-{:08x}", found >> 32));
        Ok(())
    }
}

/// Reads the word pieces, among them the three that every text needs.
fn read_vocabulary(mut text: Vec<u8>, header: &Header) -> Result<Vocabulary> {
    let fault = |problem: String| Error::new(format!("the vocabulary of the model file {problem}"));
    if text.split_off(header.vocabulary).iter().any(|&byte| byte != 0) {
        return Err(fault("must end with zeros alone".into()));
    }
    if str::from_utf8(&text).is_err() {
        return Err(fault("must be UTF-8".into()));
    }
    let count = 1 + text.iter().filter(|&&byte| byte == b'\n').count();
    if count != header.pieces {
        let expected = header.pieces;
        return Err(fault(format!("must have {expected} word pieces, found {count}")));
    }
    let pieces = Pieces::new(&text).map_err(|problem| match problem {
        Fault::Empty(code) => fault(format!("must have no empty word piece, found one at {code}")),
        Fault::Twice(code) => fault(format!("must have no word piece twice, found one at {code}")),
    })?;
    let special = |name: &str| {
        let mut codes = [0; MAX_CHARACTERS];
        // The longest piece that fits, which is the whole if there is one.
        match pieces.cover(&text, name, &mut codes) {
            1 => Ok(codes[0]),
            _ => Err(fault(format!("must have the word piece {name}"))),
        }
    };
    let (start, end, unknown) = (special("[CLS]")?, special("[SEP]")?, special("[UNK]")?);
    Ok(Vocabulary { text, pieces, start, end, unknown })
}

/// The bytes of a part that are left.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    /// Returns the next bytes, of which a whole part has enough.
    fn take(&mut self, count: usize) -> &'b [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    /// Returns the next numbers, of which each has to keep a rule.
    fn floats(
        &mut self,
        count: usize,
        (of, rule): (&str, &str),
        keeps: impl Fn(f32) -> bool,
    ) -> Result<Vec<f32>> {
        let bytes = self.take(4 * count).as_chunks::<4>().0;
        let numbers: Vec<f32> = bytes.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        match numbers.iter().position(|&number| !keeps(number)) {
            None => Ok(numbers),
            // Without the number: what writes f32 as text is a fifth of the module.
            Some(place) => {
                let problem = format!("{of} must have {rule}, found another at {place}");
                Err(Error::new(format!("the model file is wrong: {problem}")))
            }
        }
    }

    fn scales(&mut self, count: usize, of: &str) -> Result<Vec<f32>> {
        let rule = "scales that are 0 or lie between 1e-12 and 1000";
        self.floats(count, (of, rule), |scale| scale == 0.0 || (1e-12..=1e3).contains(&scale))
    }

    fn numbers(&mut self, count: usize, of: &str) -> Result<Vec<f32>> {
        let rule = "numbers of magnitude 1000000 at most";
        self.floats(count, (of, rule), |number| number.abs() <= 1e6)
    }

    fn norm(&mut self, of: &str) -> Result<Norm> {
        let mut next = || Ok(quads(&self.numbers(DIMENSIONS, of)?).into());
        Ok(Norm { weights: next()?, biases: next()? })
    }

    fn linear(&mut self, inputs: usize, outputs: usize, bits: usize, of: &str) -> Result<Linear> {
        let scales = self.scales(outputs, of)?;
        let biases = self.numbers(outputs, of)?;
        let packed = self.take(inputs * outputs * bits / 8);
        if bits == 8 {
            let rows = packed.iter().map(|&byte| byte.cast_signed());
            return Ok(Linear::new(inputs, &scales, &biases, rows));
        }
        let rows = packed.as_chunks::<3>().0.iter().flat_map(|&[a, b, c]| {
            let four = u32::from_le_bytes([a, b, c, 0]);
            [0, 6, 12, 18].map(|shift| (four >> shift & 63) as i8 - 32)
        });
        Ok(Linear::new(inputs, &scales, &biases, rows))
    }

    fn layer(&mut self, bits: usize, number: usize) -> Result<Layer> {
        let of = &format!("layer {number}");
        Ok(Layer {
            heads: self.linear(DIMENSIONS, 3 * DIMENSIONS, bits, of)?,
            attended: self.linear(DIMENSIONS, DIMENSIONS, bits, of)?,
            attended_norm: self.norm(of)?,
            inner: self.linear(DIMENSIONS, INNER, bits, of)?,
            outer: self.linear(INNER, DIMENSIONS, bits, of)?,
            outer_norm: self.norm(of)?,
        })
    }
}

/// Returns numbers in fours.
fn quads(numbers: &[f32]) -> &[Quad] {
    numbers.as_chunks().0
}
