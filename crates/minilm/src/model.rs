//! From texts to vectors.

use std::fmt;

use crate::adapter::Adapter;
use crate::error::{Error, Result};
use crate::file::Reader;
use crate::lanes::Floats;
use crate::layer::{Layer, Norm, Scratch, State};
use crate::pairs::PLACES;
use crate::tokenizer::Tokenizer;

/// Components of a vector.
pub const DIMENSIONS: usize = 384;

/// The most places of a text, of any model.
pub const MAX_PLACES: usize = 512;

/// Bytes of a row of a word piece: two numbers each.
pub(crate) const WORD: usize = DIMENSIONS / 2;

/// Pieces that go through the layers together: their states and queries take 8 MB.
const TOGETHER: usize = 1024;

/// What a text is to be compared with. A model of the format `NOUSMLM1` treats both alike without
/// an adapter for questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// The text is one that questions find.
    #[default]
    Passage,
    /// The text is a question, or what else asks for others.
    Question,
}

/// A sentence transformer.
///
/// The vector of a text is the mean of the last states of its word pieces, with length 1. A model
/// of the format `NOUSMLM2` turns it by its head.
pub struct Model {
    pub(crate) id: String,
    pub(crate) tokenizer: Tokenizer,
    /// For each piece, the scale of its row.
    pub(crate) word_scales: Box<[f32]>,
    /// Rows of four bits, in blocks of sixteen numbers: byte *i* of a block holds number *i* in its
    /// low half and number *i* + 8 in its high half, each plus 8.
    pub(crate) words: Box<[u8]>,
    pub(crate) places: Box<[State]>,
    pub(crate) norm: Norm,
    pub(crate) layers: Vec<Layer>,
    pub(crate) head: Option<Head>,
    /// For pairs of texts.
    pub(crate) pairs: Option<Adapter>,
    /// For questions.
    pub(crate) questions: Option<Adapter>,
    pub(crate) memory: Memory,
}

/// Turns vectors: it takes the centre of all away, and multiplies the rest with a matrix.
///
/// Without it vectors of texts in one language are near each other, whatever they say.
pub(crate) struct Head {
    /// The centre of vectors of passages.
    pub passages: State,
    /// The centre of vectors of questions.
    pub questions: State,
    /// For each component, the shares of all components.
    pub rows: Box<[State]>,
}

/// Memory that is used again for each batch.
#[derive(Default)]
pub(crate) struct Memory {
    pub states: Vec<State>,
    pub scratch: Scratch,
}

/// Vectors of texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedded {
    /// A vector of [`DIMENSIONS`] numbers for each text, one after the other. A text without a word
    /// piece has no vector, and its numbers are 0.
    pub vectors: Vec<f32>,
    /// The word pieces of each text. The vector is that of the first [`Model::max_pieces`].
    pub pieces: Vec<u32>,
}

impl Model {
    /// Reads a whole file in the format `NOUSMLM1` or `NOUSMLM2`.
    ///
    /// # Errors
    /// If the bytes are not a whole model file, or break a rule of the format.
    pub fn read(file: &[u8]) -> Result<Self> {
        let mut reader = Reader::default();
        reader.add(file)?;
        reader.finish()
    }

    /// Makes the model a reader of pairs or of questions, by the format of the adapter, in place of
    /// one of that format that it has. Vectors of passages stay as they are.
    ///
    /// # Errors
    /// If the adapter belongs to another model; if it has more or fewer layers than the model; if
    /// the model has too few places for a pair.
    pub fn adapt(&mut self, adapter: Adapter) -> Result<()> {
        let fault = |problem: String| Err(Error::new(format!("the adapter file {problem}")));
        if adapter.model != self.id {
            return fault(format!("is for {}, and the model is {}", adapter.model, self.id));
        }
        let (expected, found) = (self.layers.len(), adapter.layers.len());
        if found != expected {
            return fault(format!("must have {expected} layers as its model, found {found}"));
        }
        if self.places.len() < PLACES {
            let found = self.places.len();
            return fault(format!("needs a model with {PLACES} places, found {found}"));
        }
        let slot = if adapter.reads_pairs() { &mut self.pairs } else { &mut self.questions };
        *slot = Some(adapter);
        Ok(())
    }

    /// Returns the name of the model: family, dimensions, and a hash of its file, as in
    /// `minilm-384-1a2b3c4d`. Vectors of models with different names do not compare.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the most word pieces of a text that count: those after them are cut off.
    pub fn max_pieces(&self) -> usize {
        self.tokenizer.most(self.places.len())
    }

    /// Returns the number of word pieces that the model knows. Codes are smaller.
    pub fn vocabulary(&self) -> usize {
        self.tokenizer.count()
    }

    /// Writes the codes of the pieces of a text, with those before and after them, at most as many
    /// as the model has places. Returns the number of word pieces of the whole text, without those.
    /// If it is 0, writes nothing.
    pub fn pieces(&self, text: &str, purpose: Purpose, codes: &mut Vec<u32>) -> usize {
        self.tokenizer.pieces(text, purpose, self.max_pieces(), codes)
    }

    /// Returns the vectors of texts.
    ///
    /// # Errors
    /// If a text has no direction, which is a fault of the model file.
    pub fn embed(&mut self, texts: &[impl AsRef<str>], purpose: Purpose) -> Result<Embedded> {
        let mut codes = Vec::new();
        let mut lengths = Vec::new();
        let mut pieces = Vec::with_capacity(texts.len());
        for text in texts {
            let before = codes.len();
            let count = self.pieces(text.as_ref(), purpose, &mut codes);
            pieces.push(u32::try_from(count).unwrap_or(u32::MAX));
            if count > 0 {
                lengths.push(codes.len() - before);
            }
        }
        let found = self.embed_pieces(&codes, &lengths, purpose)?;
        let mut vectors = vec![0.0; texts.len() * DIMENSIONS];
        let with_words = vectors.chunks_exact_mut(DIMENSIONS).zip(&pieces);
        let with_words = with_words.filter(|&(_, &count)| count > 0);
        for ((vector, _), found) in with_words.zip(found.chunks_exact(DIMENSIONS)) {
            vector.copy_from_slice(found);
        }
        Ok(Embedded { vectors, pieces })
    }

    /// Returns the vectors of texts from the codes of their pieces, one text after the other, and
    /// the number of codes of each text. A code of a piece that stands before or after all others
    /// is one like any other here.
    ///
    /// # Errors
    /// If a text has no code, or more than the model has places; if there are more or fewer codes
    /// than the texts have; if a code is none of the model's; if a text has no direction.
    pub fn embed_pieces(
        &mut self,
        codes: &[u32],
        lengths: &[usize],
        purpose: Purpose,
    ) -> Result<Vec<f32>> {
        let most = self.places.len();
        if let Some(text) = lengths.iter().position(|length| !(1..=most).contains(length)) {
            let found = lengths[text];
            let problem = format!("texts[{text}] must have from 1 to {most} pieces, found {found}");
            return Err(Error::new(problem));
        }
        // No sum overflows: each length is small.
        let expected: u64 = lengths.iter().map(|&length| length as u64).sum();
        if codes.len() as u64 != expected {
            let found = codes.len();
            let problem = format!("the texts must have {expected} pieces in all, found {found}");
            return Err(Error::new(problem));
        }
        let known = self.vocabulary();
        if let Some(place) = codes.iter().position(|&code| code as usize >= known) {
            let found = codes[place];
            let problem = format!("codes[{place}] must be less than {known}, found {found}");
            return Err(Error::new(problem));
        }
        let mut vectors = Vec::with_capacity(lengths.len() * DIMENSIONS);
        let (mut codes, mut lengths) = (codes, lengths);
        while !lengths.is_empty() {
            let (batch, rest) = lengths.split_at(together(lengths));
            let (these, others) = codes.split_at(batch.iter().sum());
            self.run(these, batch, purpose, &mut vectors)?;
            (codes, lengths) = (others, rest);
        }
        Ok(vectors)
    }

    /// Adds the vectors of a batch.
    fn run(
        &mut self,
        codes: &[u32],
        lengths: &[usize],
        purpose: Purpose,
        vectors: &mut Vec<f32>,
    ) -> Result<()> {
        let mut memory = std::mem::take(&mut self.memory);
        let Memory { states, scratch } = &mut memory;
        states.clear();
        let places = lengths.iter().flat_map(|&length| 0..length);
        states.extend(codes.iter().zip(places).map(|(&code, place)| self.first(code, place, None)));
        let adapter = self.questions.as_ref().filter(|_| purpose == Purpose::Question);
        for (number, layer) in self.layers.iter().enumerate() {
            let adapted = adapter.map(|adapter| &adapter.layers[number]);
            layer.run(adapted, states, lengths, scratch);
        }
        let mut rest = states.as_slice();
        let mut outcome = Ok(());
        for &length in lengths {
            let (text, others) = rest.split_at(length);
            rest = others;
            match direction(text).and_then(|vector| self.turned(vector, purpose)) {
                Some(vector) => vectors.extend_from_slice(vector.as_flattened()),
                None => {
                    let text = vectors.len() / DIMENSIONS;
                    let problem = "has no direction: the numbers of the model file are too large";
                    outcome = Err(Error::new(format!("texts[{text}] {problem}")));
                    break;
                }
            }
        }
        self.memory = memory;
        outcome
    }

    /// Returns a vector as the head turns it, with length 1.
    fn turned(&self, mut vector: State, purpose: Purpose) -> Option<State> {
        let Some(Head { passages, questions, rows }) = &self.head else { return Some(vector) };
        let centre = match purpose {
            Purpose::Passage => passages,
            Purpose::Question => questions,
        };
        for (quad, centre) in vector.iter_mut().zip(centre) {
            *quad = Floats::of(quad).minus(Floats::of(centre)).quad();
        }
        let mut turned: State = [[0.0; 4]; DIMENSIONS / 4];
        for (component, row) in turned.as_flattened_mut().iter_mut().zip(rows) {
            *component = product(&vector, row);
        }
        unit(turned)
    }

    /// Returns the state of a piece at a place, before the first layer. An adapter adds a row.
    pub(crate) fn first(&self, code: u32, place: usize, row: Option<&State>) -> State {
        let scale = Floats::all(self.word_scales[code as usize]);
        let word = &self.words[code as usize * WORD..][..WORD];
        let mut state = self.places[place];
        for (quads, half) in state.chunks_exact_mut(4).zip(word.as_chunks::<8>().0) {
            let low = half.map(|byte| f32::from(byte & 15) - 8.0);
            let high = half.map(|byte| f32::from(byte >> 4) - 8.0);
            let numbers = low.as_chunks::<4>().0.iter().chain(high.as_chunks::<4>().0);
            for (quad, numbers) in quads.iter_mut().zip(numbers) {
                *quad = Floats::of(numbers).times(scale).plus(Floats::of(quad)).quad();
            }
        }
        if let Some(row) = row {
            add(&mut state, row);
        }
        self.norm.apply(&mut state);
        state
    }
}

/// Returns how many of the next texts go through the layers together.
pub(crate) fn together(lengths: &[usize]) -> usize {
    let mut sum = 0;
    let texts = lengths.iter().take_while(|&&length| {
        sum += length;
        sum <= TOGETHER
    });
    texts.count()
}

fn add(state: &mut State, other: &State) {
    for (quad, other) in state.iter_mut().zip(other) {
        *quad = Floats::of(quad).plus(Floats::of(other)).quad();
    }
}

/// Returns the sum of states.
pub(crate) fn sum_of(states: &[State]) -> State {
    let mut sum: State = [[0.0; 4]; DIMENSIONS / 4];
    states.iter().for_each(|state| add(&mut sum, state));
    sum
}

/// Returns the sum of products of the numbers of two states.
pub(crate) fn product(state: &State, other: &State) -> f32 {
    let both = state.iter().zip(other);
    let sum = both.fold(Floats::all(0.0), |sum, (quad, other)| {
        sum.plus(Floats::of(quad).times(Floats::of(other)))
    });
    sum.total()
}

/// Returns the sum of the states of a text, with length 1. `None` if it has no length, or none that
/// is a number.
fn direction(states: &[State]) -> Option<State> {
    unit(sum_of(states))
}

/// Returns a vector with length 1. `None` if it has no length, or none that is a number.
fn unit(mut vector: State) -> Option<State> {
    let squares = product(&vector, &vector);
    if !(squares.is_finite() && squares > 0.0) {
        return None;
    }
    let factor = Floats::all(1.0 / squares.sqrt());
    vector.iter_mut().for_each(|quad| *quad = Floats::of(quad).times(factor).quad());
    Some(vector)
}

// Without the weights.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model")
            .field("id", &self.id)
            .field("vocabulary", &self.vocabulary())
            .finish_non_exhaustive()
    }
}
