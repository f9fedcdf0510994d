//! Linear layers: products of rows of weights with the numbers of each token, in whole numbers.
//!
//! # Idea
//!
//! A row of weights is i8 times a scale. The numbers of a token are i16 times a scale of that token:
//! its largest magnitude becomes [`limit`]. A product of both is a sum of whole numbers, times both
//! scales, plus a bias. Sixteen bits cost as much as eight here, since the instruction that
//! multiplies and adds pairs takes i16, and are 256 times as exact.
//!
//! Weights lie as the loops of `products` read them: in WebAssembly of eight outputs those of two
//! neighbouring inputs, then of the next two. Four tokens share each load of weights.
//!
//! # Invariants
//!
//! - No sum overflows an i32: weights are at least −128, numbers at most `limit(K)`, and
//!   128 · K · `limit(K)` < 2³¹ by the definition of `limit`. So is each part of a sum.
//! - The sum of a token does not depend on the tokens that share its loads.
//!
//! # Cost
//!
//! In WebAssembly about nine multiplications and additions a cycle, with weights in the cache: eight
//! outputs of all tokens come before the next eight.

use crate::lanes::{Floats, Quad};
use crate::products::{Inputs, OUTPUTS, TOKENS, Weights, together};

/// Returns the largest magnitude of the numbers of a token with so many of them.
const fn limit(inputs: usize) -> i16 {
    let most = i32::MAX as usize / (128 * inputs);
    if most > i16::MAX as usize { i16::MAX } else { most as i16 }
}

// The inputs of this model.
const _: () = assert!(128 * 384 * limit(384) as i64 <= i32::MAX as i64 && limit(384) == i16::MAX);
const _: () = assert!(128 * 1536 * limit(1536) as i64 <= i32::MAX as i64 && limit(1536) > 10_000);

/// A linear layer.
pub(crate) struct Linear {
    weights: Weights,
    /// For each eight outputs.
    scales: Box<[[Quad; 2]]>,
    biases: Box<[[Quad; 2]]>,
}

impl Linear {
    /// Returns a layer with `scales.len()` outputs, which is a multiple of eight.
    ///
    /// `rows` gives the weights of one output after the other, each as many as `inputs`, which is a
    /// multiple of four.
    pub fn new(
        inputs: usize,
        scales: &[f32],
        biases: &[f32],
        rows: impl Iterator<Item = i8>,
    ) -> Self {
        let weights = Weights::new(inputs, scales.len(), rows);
        let eights = |numbers: &[f32]| numbers.as_chunks().0.as_chunks().0.into();
        Self { weights, scales: eights(scales), biases: eights(biases) }
    }

    /// Returns the number of outputs of a token.
    pub fn outputs(&self) -> usize {
        self.scales.len() * OUTPUTS
    }

    /// Writes the outputs of all tokens, one token after the other.
    pub fn run(&self, numbers: &Numbers, outputs: &mut [Quad]) {
        self.run_all(numbers, outputs, false);
    }

    /// Adds the outputs of all tokens to what is there.
    pub fn add(&self, numbers: &Numbers, outputs: &mut [Quad]) {
        self.run_all(numbers, outputs, true);
    }

    /// Writes or adds the outputs of all tokens.
    fn run_all(&self, numbers: &Numbers, outputs: &mut [Quad], adds: bool) {
        for block in 0..self.scales.len() {
            let mut from = 0;
            let tokens = numbers.tokens();
            while from < tokens {
                let count = together(tokens, from);
                match count {
                    1 => self.run_some::<1>(block, numbers, from, outputs, adds),
                    2 => self.run_some::<2>(block, numbers, from, outputs, adds),
                    3 => self.run_some::<3>(block, numbers, from, outputs, adds),
                    TOKENS => self.run_some::<TOKENS>(block, numbers, from, outputs, adds),
                    _ => self.run_some::<{ TOKENS + 1 }>(block, numbers, from, outputs, adds),
                }
                from += count;
            }
        }
    }

    /// Writes or adds the eight outputs of a block of a few tokens.
    #[inline(always)]
    fn run_some<const COUNT: usize>(
        &self,
        block: usize,
        numbers: &Numbers,
        from: usize,
        outputs: &mut [Quad],
        adds: bool,
    ) {
        let sums = self.weights.sums::<COUNT>(block, &numbers.inputs, from);
        let scales = &numbers.scales[from..from + COUNT];
        let tokens = outputs.chunks_exact_mut(self.outputs() / 4).skip(from);
        for ((token, sums), &scale) in tokens.zip(sums).zip(scales) {
            let outputs = token[2 * block..2 * block + 2].iter_mut();
            let rows = self.scales[block].iter().zip(&self.biases[block]).zip(sums);
            for (output, ((row, bias), sum)) in outputs.zip(rows) {
                let factor = Floats::of(row).times(Floats::all(scale));
                let product = sum.times(factor).plus(Floats::of(bias));
                let all = if adds { Floats::of(output).plus(product) } else { product };
                *output = all.quad();
            }
        }
    }
}

/// The numbers of tokens in sixteen bits: what a linear layer reads.
#[derive(Default)]
pub(crate) struct Numbers {
    inputs: Inputs,
    /// For each token.
    scales: Vec<f32>,
}

impl Numbers {
    /// Returns the number of tokens.
    pub fn tokens(&self) -> usize {
        self.scales.len()
    }

    /// Makes room for tokens with so many quads of numbers each.
    pub fn reset(&mut self, tokens: usize, quads: usize) {
        self.inputs.reset(tokens, 4 * quads);
        self.scales.clear();
        self.scales.resize(tokens, 0.0);
    }

    /// Sets the numbers of a token.
    #[inline]
    pub fn set(&mut self, token: usize, quads: &[Quad]) {
        let zero = Floats::all(0.0);
        let top = quads.iter().fold(zero, |top, quad| top.larger(Floats::of(quad).magnitude()));
        // Numbers of almost nothing become 0, as they should.
        let top = if top.top() > 1e-20 { top.top() } else { 1e-20 };
        let limit = f32::from(limit(4 * quads.len()));
        self.scales[token] = top / limit;
        let factor = Floats::all(limit / top);
        let whole = quads.iter().map(|quad| Floats::of(quad).times(factor).rounded().pairs());
        self.inputs.set(token, whole);
    }
}
