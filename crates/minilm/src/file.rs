//! The model file, in the formats `NOUSMLM1` and `NOUSMLM2`.
//!
//! # Format
//!
//! Numbers are little-endian, and nothing stands between two parts. `NOUSMLM1` has BERT's word
//! pieces:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `NOUSMLM1` |
//! | 4, 4, 4 | number of word pieces, of places, of layers: u32 |
//! | 4, 4 | bits of a weight, 4, 6 or 8; bytes of the vocabulary: u32 |
//! | … | vocabulary: the pieces in UTF-8, joined by line feeds; zeros up to a multiple of 4 |
//! | 4 · pieces | scale of each piece: f32 |
//! | 192 · pieces | rows of four bits: sixteen numbers take eight bytes, as in `NOUSEMB2` |
//! | 1536 · places | numbers of each place: f32 |
//! | norm | of the sum of piece and place |
//! | layers | each: linear for queries, keys and values, 384 to 1152; linear, 384 to 384; norm; linear, 384 to 1536; linear, 1536 to 384; norm |
//! | 8 | XXH64 of all bytes before: u64 |
//!
//! `NOUSMLM2` has the pieces of a unigram model, and a head, which turns vectors. The last three
//! pieces have no text: they stand for what is unknown, before a text, and after it.
//!
//! | bytes | content |
//! |---|---|
//! | 28 | as above, with `NOUSMLM2` |
//! | 4, 4 | bytes of the replacements, of the prefixes: u32 |
//! | … | vocabulary: the other pieces, ordered by their bytes; as above |
//! | 4 · (pieces − 3) | score of each other piece: f32 |
//! | … | replacements: pairs of texts, each with a zero after it, ordered by the first; zeros up to a multiple of 4 |
//! | … | prefixes: what stands before a text of a memory, and before a question, joined by a line feed; zeros up to a multiple of 4 |
//! | … | scales, rows, places, norm and layers, as above |
//! | 3072 | head: the centres of vectors of memories and of questions, 384 each: f32 |
//! | 589824 | head: rows of 384 numbers, one for each component of a vector: f32 |
//! | 8 | XXH64 of all bytes before: u64 |
//!
//! A norm is 384 weights and 384 biases, f32. A linear is a scale and then a bias for each output,
//! f32, and a row of weights for each output: i8, or six bits each plus 32, of which four stand in
//! three bytes, the first in the lowest bits. With four bits a factor for each 32 weights stands
//! before all rows, i16; 32 weights take sixteen bytes, the first sixteen in the low halves, each
//! plus 8. Such a weight times its factor / 2048, rounded, is i8.
//!
//! # Idea
//!
//! A file has 14 or 32 MB, and memory of WebAssembly never shrinks. So a file is read in parts of
//! any size, and what is whole is unpacked at once: the file never lies in memory as a whole.
//!
//! # Invariants
//!
//! - A scale is 0 or lies in [10⁻¹², 10³]; other numbers are finite, of magnitude 10⁶ at most.
//! - Counts are bounded before anything is reserved.
//! - A whole file with the right hash is read to its last byte.

use xxhash_rust::xxh64::Xxh64;

use crate::bytes::{Bytes, HASH, MAX_LAYERS, NORM, SHARING, quads};
use crate::error::{Error, Result};
use crate::layer::{INNER, Layer, Norm, State};
use crate::model::{DIMENSIONS, Head, MAX_PLACES, Memory, Model, WORD};
use crate::tokenizer::{SPECIAL, Tokenizer, Unigram, WordPiece};

/// What the formats begin with.
const WORD_PIECE: &[u8; 8] = b"NOUSMLM1";
const UNIGRAM: &[u8; 8] = b"NOUSMLM2";
/// Bytes of a header, and the further ones of `NOUSMLM2`.
const HEADER: usize = 28;
const FURTHER: usize = 8;
const MAX_PIECES: usize = 1 << 18;
const MAX_VOCABULARY: usize = 1 << 23;
const MAX_REPLACEMENTS: usize = 1 << 20;
const MAX_PREFIXES: usize = 1 << 8;

/// Reads a model file in parts.
#[derive(Default)]
pub struct Reader {
    /// Bytes of the part that is not whole yet.
    pending: Vec<u8>,
    hash: Xxh64,
    header: Option<Header>,
    /// Bytes that were given.
    given: u64,
    /// The parts after the header that were read.
    done: usize,
    read: Read,
}

/// What was read.
#[derive(Default)]
struct Read {
    /// Until the tokenizer is whole.
    vocabulary: Vec<u8>,
    scores: Box<[f32]>,
    replacements: Vec<u8>,
    tokenizer: Option<Tokenizer>,
    word_scales: Box<[f32]>,
    words: Box<[u8]>,
    places: Option<(Box<[State]>, Norm)>,
    layers: Vec<Layer>,
    head: Option<Head>,
    /// The hash, if it is right.
    hash: Option<u64>,
}

/// A part of a file after its header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Vocabulary,
    Scores,
    Replacements,
    Prefixes,
    WordScales,
    Words,
    Places,
    Layer,
    Head,
    Hash,
}

/// The counts of a file.
#[derive(Clone, Copy, Debug)]
struct Header {
    is_unigram: bool,
    pieces: usize,
    places: usize,
    layers: usize,
    bits: usize,
    vocabulary: usize,
    replacements: usize,
    prefixes: usize,
}

impl Header {
    /// Reads the counts. `None` if bytes of a header of `NOUSMLM2` are missing.
    fn read(bytes: &[u8]) -> Result<Option<Self>> {
        let (magic, counts) = bytes.split_at(WORD_PIECE.len());
        let is_unigram = magic == UNIGRAM;
        if !is_unigram && magic != WORD_PIECE {
            return Err(Error::new("the model file must begin with NOUSMLM1 or NOUSMLM2"));
        }
        let mut counts = counts.as_chunks::<4>().0.iter().map(|&count| u32::from_le_bytes(count));
        let mut next = |what: &str, least: usize, most: usize| {
            let count = counts.next().unwrap_or_default() as usize;
            if (least..=most).contains(&count) {
                return Ok(count);
            }
            let problem = format!("must have from {least} to {most} {what}, found {count}");
            Err(Error::new(format!("the model file {problem}")))
        };
        let mut header = Self {
            is_unigram,
            pieces: next("word pieces", 4, MAX_PIECES)?,
            places: next("places", 3, MAX_PLACES)?,
            layers: next("layers", 1, MAX_LAYERS)?,
            bits: next("bits of a weight", 4, 8)?,
            vocabulary: next("bytes of the vocabulary", 1, MAX_VOCABULARY)?,
            replacements: 0,
            prefixes: 0,
        };
        if header.bits % 2 == 1 {
            let found = header.bits;
            let problem = format!("must have 4, 6 or 8 bits of a weight, found {found}");
            return Err(Error::new(format!("the model file {problem}")));
        }
        if !is_unigram {
            return Ok(Some(header));
        }
        if bytes.len() == HEADER {
            return Ok(None);
        }
        header.replacements = next("bytes of the replacements", 0, MAX_REPLACEMENTS)?;
        header.prefixes = next("bytes of the prefixes", 1, MAX_PREFIXES)?;
        Ok(Some(header))
    }

    /// Bytes of a linear layer.
    fn linear(&self, inputs: usize, outputs: usize) -> usize {
        let factors = if self.bits == 4 { 2 * inputs * outputs / SHARING } else { 0 };
        8 * outputs + factors + inputs * outputs * self.bits / 8
    }

    /// Bytes of a layer.
    fn layer(&self) -> usize {
        self.linear(DIMENSIONS, 3 * DIMENSIONS)
            + self.linear(DIMENSIONS, DIMENSIONS)
            + self.linear(DIMENSIONS, INNER)
            + self.linear(INNER, DIMENSIONS)
            + 2 * NORM
    }

    /// The parts after the header, in order, with their bytes. None is above 2²⁶, so a sum is below
    /// 2³².
    fn parts(&self) -> impl Iterator<Item = (Part, usize)> {
        let &Self { pieces, places, .. } = self;
        let of_unigram = [
            (Part::Scores, 4 * (pieces - SPECIAL)),
            (Part::Replacements, self.replacements.next_multiple_of(4)),
            (Part::Prefixes, self.prefixes.next_multiple_of(4)),
        ];
        let of_unigram = of_unigram.into_iter().filter(|_| self.is_unigram);
        let rows = [
            (Part::WordScales, 4 * pieces),
            (Part::Words, WORD * pieces),
            (Part::Places, 4 * DIMENSIONS * places + NORM),
        ];
        std::iter::once((Part::Vocabulary, self.vocabulary.next_multiple_of(4)))
            .chain(of_unigram)
            .chain(rows)
            .chain(std::iter::repeat_n((Part::Layer, self.layer()), self.layers))
            .chain(self.is_unigram.then_some((Part::Head, 4 * DIMENSIONS * (2 + DIMENSIONS))))
            .chain([(Part::Hash, HASH)])
    }

    /// Bytes of the whole file.
    fn whole(&self) -> u64 {
        let header = HEADER + if self.is_unigram { FURTHER } else { 0 };
        header as u64 + self.parts().map(|(_, bytes)| bytes as u64).sum::<u64>()
    }

    /// Bytes of memory that the model and its longest part take.
    fn needed(&self) -> usize {
        let weights =
            3 * DIMENSIONS * DIMENSIONS + DIMENSIONS * DIMENSIONS + 2 * DIMENSIONS * INNER;
        let others = self.parts().filter(|&(part, _)| part != Part::Layer);
        let others: usize = others.map(|(_, bytes)| bytes).sum();
        others + self.layers * weights + self.layer().max(WORD * self.pieces)
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
                match self.header.and_then(|header| header.parts().nth(self.done)) {
                    None => self.read_header(part)?,
                    Some((part_of, _)) => self.read_part(part_of, part)?,
                }
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
        let least = self
            .header
            .map_or(self.length_of_part().unwrap_or_default() as u64, |header| header.whole());
        let Read { tokenizer, word_scales, words, places, layers, head, hash, .. } = self.read;
        let (Some(tokenizer), Some((places, norm)), Some(hash)) = (tokenizer, places, hash) else {
            let problem = format!("the model file is cut off: {given} bytes of at least {least}");
            return Err(Error::new(problem));
        };
        let id = format!("{}-{DIMENSIONS}-{:08x}", tokenizer.family(), hash >> 32);
        let memory = Memory::default();
        Ok(Model {
            id,
            tokenizer,
            word_scales,
            words,
            places,
            norm,
            layers,
            head,
            pairs: None,
            questions: None,
            memory,
        })
    }

    /// Returns the bytes of the part that is read now; `None` after the last one.
    fn length_of_part(&self) -> Option<usize> {
        let Some(header) = &self.header else {
            let is_longer = self.pending.starts_with(UNIGRAM);
            return Some(HEADER + if is_longer { FURTHER } else { 0 });
        };
        header.parts().nth(self.done).map(|(_, bytes)| bytes)
    }

    fn read_header(&mut self, bytes: Vec<u8>) -> Result<()> {
        let Some(header) = Header::read(&bytes)? else {
            // More of it comes.
            self.pending = bytes;
            return Ok(());
        };
        self.hash.update(&bytes);
        // Once, so that too little memory is an error now, and no end of the program later.
        if Vec::<u8>::new().try_reserve_exact(header.needed()).is_err() {
            let needed = header.needed();
            return Err(Error::new(format!("the model takes {needed} bytes of memory")));
        }
        self.header = Some(header);
        self.skip_empty(&header)
    }

    /// Reads parts without bytes.
    fn skip_empty(&mut self, header: &Header) -> Result<()> {
        while let Some((part, 0)) = header.parts().nth(self.done) {
            self.read_part(part, Vec::new())?;
        }
        Ok(())
    }

    /// Reads a whole part.
    fn read_part(&mut self, part: Part, content: Vec<u8>) -> Result<()> {
        let Some(header) = self.header else { return Ok(()) };
        if part == Part::Hash {
            self.read_hash(&content)?;
        } else {
            self.hash.update(&content);
            self.read.part(part, content, &header)?;
        }
        self.done += 1;
        self.skip_empty(&header)
    }

    fn read_hash(&mut self, part: &[u8]) -> Result<()> {
        let found = self.hash.digest();
        if part != found.to_le_bytes() {
            let problem = "is damaged: its bytes have another hash than its last 8 say";
            return Err(Error::new(format!("the model file {problem}")));
        }
        self.read.hash = Some(found);
        Ok(())
    }
}

impl Read {
    fn part(&mut self, part: Part, content: Vec<u8>, header: &Header) -> Result<()> {
        let mut bytes = Bytes::new(&content, "model file");
        match part {
            Part::Vocabulary => {
                let text = without_zeros(content, header.vocabulary, "vocabulary")?;
                if header.is_unigram {
                    self.vocabulary = text;
                } else {
                    let tokenizer = WordPiece::new(text, header.pieces)?;
                    self.tokenizer = Some(Tokenizer::WordPiece(tokenizer));
                }
            }
            Part::Scores => {
                self.scores = bytes.numbers(header.pieces - SPECIAL, "word pieces")?.into();
            }
            Part::Replacements => {
                self.replacements = without_zeros(content, header.replacements, "replacements")?;
            }
            Part::Prefixes => {
                let prefixes = without_zeros(content, header.prefixes, "prefixes")?;
                let vocabulary = std::mem::take(&mut self.vocabulary);
                let scores = std::mem::take(&mut self.scores);
                let replacements = std::mem::take(&mut self.replacements);
                let tokenizer = Unigram::new(vocabulary, scores, replacements, &prefixes)?;
                let longest = tokenizer.longest_prefix();
                if longest + 3 > header.places {
                    let places = header.places;
                    let problem = format!("prefixes of {longest} word pieces in {places} places");
                    return Err(Error::new(format!("the model file leaves no room: {problem}")));
                }
                self.tokenizer = Some(Tokenizer::Unigram(tokenizer));
            }
            Part::WordScales => {
                self.word_scales = bytes.scales(header.pieces, "word pieces")?.into();
            }
            Part::Words => self.words = content.into(),
            Part::Places => {
                let places = bytes.numbers(header.places * DIMENSIONS, "places")?;
                let places: Box<[State]> = quads(&places).as_chunks().0.into();
                self.places = Some((places, bytes.norm("places")?));
            }
            Part::Layer => self.layers.push(bytes.layer(header.bits, self.layers.len())?),
            Part::Head => {
                let numbers = bytes.numbers((2 + DIMENSIONS) * DIMENSIONS, "the head")?;
                let states: &[State] = quads(&numbers).as_chunks().0;
                self.head = states.split_first_chunk().map(|(centres, rows)| {
                    let [passages, questions] = *centres;
                    Head { passages, questions, rows: rows.into() }
                });
            }
            // It is none of these.
            Part::Hash => {}
        }
        Ok(())
    }
}

/// Returns a text without the zeros that fill it up.
fn without_zeros(mut text: Vec<u8>, length: usize, of: &str) -> Result<Vec<u8>> {
    if text.split_off(length).iter().any(|&byte| byte != 0) {
        return Err(Error::new(format!("the {of} of the model file must end with zeros alone")));
    }
    Ok(text)
}
