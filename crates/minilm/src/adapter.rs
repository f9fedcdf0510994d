//! Adapter files: what makes a model a reader of two texts at once, in the format `NOUSMLA1`, or of
//! questions, in the format `NOUSMLQ1`.
//!
//! # Format
//!
//! Numbers are little-endian, and nothing stands between two parts.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `NOUSMLA1` or `NOUSMLQ1` |
//! | 4 | upper half of the hash of the model file, as in the name of the model: u32 |
//! | 4 | number of layers: u32 |
//! | 3072 | `NOUSMLA1` alone: what the first state of a piece gains: 384 numbers in the first text, 384 in the second: f32 |
//! | layers | each: four pairs of linears, as below; two norms |
//! | 3072 | `NOUSMLA1` alone: head: shares of the last state of the first code, and of the mean of all last states: f32 |
//! | 4 | `NOUSMLA1` alone: bias of the head: f32 |
//! | 8 | XXH64 of all bytes before: u64 |
//!
//! The pairs of linears belong to those of a layer of the model, in their order. Each is its rank,
//! u32, a linear from the inputs to as many numbers as the rank, and one from these to the outputs.
//! A rank is a multiple of 8 between 8 and 64. Linears and norms are those of `NOUSMLM1`, with
//! eight bits. The norms take the place of the model's.
//!
//! # Invariants
//!
//! - Numbers and scales keep the rules of a model file.
//! - Each count is checked before what it counts is read.

use xxhash_rust::xxh64::xxh64;

use crate::attention::QUADS;
use crate::bytes::{Bytes, HASH, MAX_LAYERS, quads};
use crate::error::Result;
use crate::layer::{Adapted, INNER, LowRank, State};
use crate::model::DIMENSIONS;
use crate::tokenizer::WORD_PIECE;

const PAIRS: &[u8; 8] = b"NOUSMLA1";
const QUESTIONS: &[u8; 8] = b"NOUSMLQ1";
/// Ranks are multiples of it.
const RANK_STEP: usize = 8;
const MAX_RANK: usize = 64;
/// Bits of a weight.
const BITS: usize = 8;

/// What makes a model read two texts at once, and judge whether the newer replaces the older one;
/// or what moves the vector of a question towards those of the texts that answer it.
pub struct Adapter {
    id: String,
    /// The name of the model that it belongs to.
    pub(crate) model: String,
    pub(crate) layers: Vec<Adapted>,
    /// What a reader of two texts needs beside the layers. A reader of questions has none.
    pub(crate) judge: Option<Judge>,
}

/// What makes a number of two texts.
pub(crate) struct Judge {
    /// What the first state of a piece gains, in the first text and in the second.
    pub rows: [State; 2],
    /// Shares of the last state of the first code, and of the mean of all.
    pub head: [State; 2],
    pub bias: f32,
}

impl Adapter {
    /// Reads a whole file.
    ///
    /// # Errors
    /// If the bytes are not a whole adapter file, or break a rule of the format.
    pub fn read(file: &[u8]) -> Result<Self> {
        let mut bytes = Bytes::new(file, "adapter file");
        let magic = bytes.take(PAIRS.len())?;
        if magic != PAIRS && magic != QUESTIONS {
            return Err(bytes.fault("must begin with NOUSMLA1 or NOUSMLQ1"));
        }
        let reads_pairs = magic == PAIRS;
        let model = bytes.count()?;
        let layers = bytes.count()?;
        if !(1..=MAX_LAYERS).contains(&layers) {
            let problem = format!("must have from 1 to {MAX_LAYERS} layers, found {layers}");
            return Err(bytes.fault(&problem));
        }
        let rows = reads_pairs.then(|| two_states(&mut bytes, "the rows of both texts"));
        let rows = rows.transpose()?;
        let layers = (0..layers).map(|number| bytes.adapted(number)).collect::<Result<_>>()?;
        let judge = rows.map(|rows| {
            let head = two_states(&mut bytes, "the head")?;
            let bias = bytes.numbers(1, "the bias of the head")?[0];
            Ok(Judge { rows, head, bias })
        });
        let judge = judge.transpose()?;
        let content = &file[..bytes.taken()];
        let stored = bytes.take(HASH)?;
        if bytes.taken() < file.len() {
            let (whole, found) = (bytes.taken(), file.len());
            let problem = format!("must have {whole} bytes by its counts, found {found}");
            return Err(bytes.fault(&problem));
        }
        let hash = xxh64(content, 0);
        if stored != hash.to_le_bytes() {
            let problem = "is damaged: its bytes have another hash than its last 8 say";
            return Err(bytes.fault(problem));
        }
        let family = if reads_pairs { "replacing" } else { "asking" };
        let id = format!("{family}-{DIMENSIONS}-{:08x}", hash >> 32);
        let model = format!("{WORD_PIECE}-{DIMENSIONS}-{model:08x}");
        Ok(Self { id, model, layers, judge })
    }

    /// Returns the name of the adapter, which its format and a hash of its file give, as in
    /// `replacing-384-1a2b3c4d` or `asking-384-1a2b3c4d`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns whether it is for pairs of texts, and not for questions.
    pub fn reads_pairs(&self) -> bool {
        self.judge.is_some()
    }
}

/// Returns the next two states.
fn two_states(bytes: &mut Bytes, of: &str) -> Result<[State; 2]> {
    let numbers = bytes.numbers(2 * DIMENSIONS, of)?;
    let mut states = [[[0.0; 4]; QUADS]; 2];
    states.as_flattened_mut().copy_from_slice(quads(&numbers));
    Ok(states)
}

impl Bytes<'_> {
    fn count(&mut self) -> Result<usize> {
        let mut count = [0; 4];
        count.copy_from_slice(self.take(4)?);
        Ok(u32::from_le_bytes(count) as usize)
    }

    fn adapted(&mut self, number: usize) -> Result<Adapted> {
        let of = &format!("layer {number}");
        Ok(Adapted {
            heads: self.low_rank(DIMENSIONS, 3 * DIMENSIONS, of)?,
            attended: self.low_rank(DIMENSIONS, DIMENSIONS, of)?,
            inner: self.low_rank(DIMENSIONS, INNER, of)?,
            outer: self.low_rank(INNER, DIMENSIONS, of)?,
            attended_norm: self.norm(of)?,
            outer_norm: self.norm(of)?,
        })
    }

    fn low_rank(&mut self, inputs: usize, outputs: usize, of: &str) -> Result<LowRank> {
        let rank = self.count()?;
        if !(RANK_STEP..=MAX_RANK).contains(&rank) || rank % RANK_STEP != 0 {
            let rule = format!("a multiple of {RANK_STEP} between {RANK_STEP} and {MAX_RANK}");
            return Err(self.fault(&format!("must have as a rank {rule}, found {rank} in {of}")));
        }
        Ok(LowRank {
            down: self.linear(inputs, rank, BITS, of)?,
            up: self.linear(rank, outputs, BITS, of)?,
        })
    }
}
