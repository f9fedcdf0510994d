//! From two texts to one number: does the newer statement replace the older one?
//!
//! # Idea
//!
//! Both texts go through the layers as one, so that words of one take up words of the other. The
//! layers are those of the model. An adapter adds a product of low rank to each linear layer, and
//! has norms of its own.
//!
//! # Invariants
//!
//! - The number of a pair does not depend on the other pairs.
//! - A model with an adapter has word pieces, as many layers as the adapter, and places for
//!   [`PLACES`] codes: `adapt` checks it.
//!
//! # Cost
//!
//! With ranks of 8 a twentieth more than the vector of a text with as many pieces.

use crate::adapter::{Adapter, Judge};
use crate::error::{Error, Result};
use crate::lanes::Floats;
use crate::layer::State;
use crate::model::{Memory, Model, product, sum_of, together};
use crate::tokenizer::{Tokenizer, WordPiece};

/// The most word pieces of each text of a pair that count.
pub const MAX_PAIR_PIECES: usize = 44;

/// Codes of the longest pair.
pub(crate) const PLACES: usize = 2 * MAX_PAIR_PIECES + 3;

/// The codes of pairs, one pair after the other.
#[derive(Default)]
pub(crate) struct Pairs {
    codes: Vec<u32>,
    /// The codes of each pair.
    lengths: Vec<usize>,
    /// Those of them that belong to the older text.
    older: Vec<usize>,
}

impl Model {
    /// Returns a number for each pair of an older and a newer text: the larger, the likelier it is
    /// that the newer one replaces the older one. 1 / (1 + e⁻ˣ) of it is the probability.
    ///
    /// Of each text the first [`MAX_PAIR_PIECES`] word pieces count. A text may have none.
    ///
    /// # Errors
    /// If the model has no adapter; if a number is not finite, which is a fault of the files.
    ///
    /// ```no_run
    /// use nous_minilm::{Adapter, Model};
    /// let mut model = Model::read(&std::fs::read("minilm-l6.bin")?)?;
    /// model.adapt(Adapter::read(&std::fs::read("replacing.bin")?)?)?;
    /// let numbers = model.replacing(&[("Mira drinks tea.", "Mira drinks coffee now.")])?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn replacing(&mut self, pairs: &[(impl AsRef<str>, impl AsRef<str>)]) -> Result<Vec<f32>> {
        let mut read = Pairs::default();
        for (older, newer) in pairs {
            self.add_pair(older.as_ref(), newer.as_ref(), &mut read);
        }
        self.run_pairs(&read)
    }

    /// Adds a pair to those that `run_pairs` reads. Without an adapter that one is an error.
    pub(crate) fn add_pair(&self, older: &str, newer: &str, pairs: &mut Pairs) {
        let Ok((tokenizer, _)) = self.reader() else { return };
        let before = pairs.codes.len();
        let first = tokenizer.write_pair(older, newer, MAX_PAIR_PIECES, &mut pairs.codes);
        pairs.older.push(first);
        pairs.lengths.push(pairs.codes.len() - before);
    }

    /// Returns the numbers of pairs.
    pub(crate) fn run_pairs(&mut self, pairs: &Pairs) -> Result<Vec<f32>> {
        let mut memory = std::mem::take(&mut self.memory);
        let numbers = self.reader().map(|(_, reader)| {
            let mut numbers = Vec::with_capacity(pairs.lengths.len());
            let mut codes = pairs.codes.as_slice();
            while numbers.len() < pairs.lengths.len() {
                let done = numbers.len();
                let lengths = &pairs.lengths[done..];
                let lengths = &lengths[..together(lengths)];
                let (these, others) = codes.split_at(lengths.iter().sum());
                let older = &pairs.older[done..];
                self.run_some(reader, these, lengths, older, &mut memory, &mut numbers);
                codes = others;
            }
            numbers
        });
        self.memory = memory;
        let numbers = numbers?;
        if let Some(pair) = numbers.iter().position(|number| !number.is_finite()) {
            let problem = "has no number: those of the adapter file are too large";
            return Err(Error::new(format!("pairs[{pair}] {problem}")));
        }
        Ok(numbers)
    }

    /// Adds the numbers of a batch.
    fn run_some(
        &self,
        (adapter, judge): (&Adapter, &Judge),
        codes: &[u32],
        lengths: &[usize],
        older: &[usize],
        Memory { states, scratch }: &mut Memory,
        numbers: &mut Vec<f32>,
    ) {
        states.clear();
        let places = lengths.iter().zip(older).flat_map(|(&length, &older)| {
            (0..length).map(move |place| (place, &judge.rows[usize::from(place >= older)]))
        });
        let first = codes.iter().zip(places);
        states.extend(first.map(|(&code, (place, row))| self.first(code, place, Some(row))));
        for (layer, adapted) in self.layers.iter().zip(&adapter.layers) {
            layer.run(Some(adapted), states, lengths, scratch);
        }
        let mut rest = states.as_slice();
        for &length in lengths {
            let (pair, others) = rest.split_at(length);
            numbers.push(judge.number(pair));
            rest = others;
        }
    }

    fn reader(&self) -> Result<(&WordPiece, (&Adapter, &Judge))> {
        if let (Tokenizer::WordPiece(tokenizer), Some(adapter)) = (&self.tokenizer, &self.pairs)
            && let Some(judge) = &adapter.judge
        {
            return Ok((tokenizer, (adapter, judge)));
        }
        Err(Error::new("the model reads no pairs: give it an adapter first"))
    }
}

impl Judge {
    /// Returns the number of a pair, of its last states.
    fn number(&self, states: &[State]) -> f32 {
        let [of_first, of_mean] = &self.head;
        let share = Floats::all(1.0 / states.len() as f32);
        let mean = sum_of(states).map(|quad| Floats::of(&quad).times(share).quad());
        product(of_first, &states[0]) + product(of_mean, &mean) + self.bias
    }
}
