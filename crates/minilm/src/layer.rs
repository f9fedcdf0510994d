//! A layer of the transformer: attention, then a layer of inner numbers, each followed by a norm of
//! its sum with what came in.

use crate::attention::{self, QUADS, attend};
use crate::lanes::{Floats, Quad};
use crate::linear::{Linear, Numbers};
use crate::model::DIMENSIONS;

/// Inner numbers of a piece.
pub(crate) const INNER: usize = 4 * DIMENSIONS;

/// The state of a piece between layers.
pub(crate) type State = [Quad; QUADS];

/// Pieces that a linear layer reads at once: their numbers and outputs stay in the cache. A multiple
/// of the pieces that share loads.
const BLOCK: usize = 60;

/// Keeps the norm of equal numbers finite.
const EPSILON: f32 = 1e-12;

/// Gives each state the mean 0 and the variance 1, then other ones by learned numbers.
pub(crate) struct Norm {
    pub weights: Box<[Quad]>,
    pub biases: Box<[Quad]>,
}

impl Norm {
    pub fn apply(&self, state: &mut State) {
        let zero = Floats::all(0.0);
        let sum = state.iter().fold(zero, |sum, quad| sum.plus(Floats::of(quad)));
        let mean = Floats::all(sum.total() / DIMENSIONS as f32);
        let squares = state.iter().fold(zero, |sum, quad| {
            let distance = Floats::of(quad).minus(mean);
            sum.plus(distance.times(distance))
        });
        let factor = Floats::all(1.0 / (squares.total() / DIMENSIONS as f32 + EPSILON).sqrt());
        for (quad, (weight, bias)) in state.iter_mut().zip(self.weights.iter().zip(&self.biases)) {
            let scaled = Floats::of(quad).minus(mean).times(factor);
            *quad = scaled.times(Floats::of(weight)).plus(Floats::of(bias)).quad();
        }
    }
}

/// A layer.
pub(crate) struct Layer {
    /// Queries, keys and values.
    pub heads: Linear,
    pub attended: Linear,
    pub attended_norm: Norm,
    pub inner: Linear,
    pub outer: Linear,
    pub outer_norm: Norm,
}

/// What an adapter changes in a layer.
pub(crate) struct Adapted {
    pub heads: LowRank,
    pub attended: LowRank,
    pub inner: LowRank,
    pub outer: LowRank,
    /// In place of those of the layer.
    pub attended_norm: Norm,
    pub outer_norm: Norm,
}

/// Two linear layers, of few numbers between them: what an adapter adds to a linear layer.
pub(crate) struct LowRank {
    pub down: Linear,
    pub up: Linear,
}

impl LowRank {
    /// Adds the outputs of all tokens to those of the linear layer.
    fn add(
        &self,
        numbers: &Numbers,
        outputs: &mut [Quad],
        Between { outputs: low, numbers: few }: &mut Between,
    ) {
        let quads = self.down.outputs() / 4;
        low.resize(numbers.tokens() * quads, [0.0; 4]);
        self.down.run(numbers, low);
        few.reset(numbers.tokens(), quads);
        low.chunks_exact(quads).enumerate().for_each(|(token, low)| few.set(token, low));
        self.up.add(few, outputs);
    }
}

/// What stands between the two linear layers.
#[derive(Default)]
struct Between {
    outputs: Vec<Quad>,
    numbers: Numbers,
}

/// Memory that is used again for each layer and batch.
#[derive(Default)]
pub(crate) struct Scratch {
    between: Between,
    heads: Vec<[Quad; 3 * QUADS]>,
    taken: Vec<State>,
    outputs: Vec<Quad>,
    numbers: Numbers,
    attention: attention::Scratch,
}

impl Layer {
    /// Changes the states of texts of these lengths, which stand one after the other.
    pub fn run(
        &self,
        adapted: Option<&Adapted>,
        states: &mut [State],
        lengths: &[usize],
        scratch: &mut Scratch,
    ) {
        let Scratch { between, heads, taken, outputs, numbers, attention } = scratch;
        let mut run =
            |linear: &Linear, low: Option<&LowRank>, numbers: &Numbers, outputs: &mut [Quad]| {
                linear.run(numbers, outputs);
                if let Some(low) = low {
                    low.add(numbers, outputs, between);
                }
            };
        let attended_norm = adapted.map_or(&self.attended_norm, |it| &it.attended_norm);
        let outer_norm = adapted.map_or(&self.outer_norm, |it| &it.outer_norm);
        heads.resize(states.len(), [[0.0; 4]; 3 * QUADS]);
        taken.resize(states.len(), [[0.0; 4]; QUADS]);
        for (states, heads) in states.chunks(BLOCK).zip(heads.chunks_mut(BLOCK)) {
            read(numbers, states);
            run(&self.heads, adapted.map(|it| &it.heads), numbers, heads.as_flattened_mut());
        }
        let mut from = 0;
        for &length in lengths {
            let text = from..from + length;
            attend(&heads[text.clone()], &mut taken[text], attention);
            from += length;
        }
        for (states, taken) in states.chunks_mut(BLOCK).zip(taken.chunks(BLOCK)) {
            read(numbers, taken);
            outputs.resize(states.len() * INNER / 4, [0.0; 4]);
            let attended = &mut outputs[..states.len() * QUADS];
            run(&self.attended, adapted.map(|it| &it.attended), numbers, attended);
            add(states, attended, attended_norm);
            read(numbers, states);
            run(&self.inner, adapted.map(|it| &it.inner), numbers, outputs);
            numbers.reset(states.len(), INNER / 4);
            for (place, inner) in outputs.chunks_exact_mut(INNER / 4).enumerate() {
                inner.iter_mut().for_each(|quad| *quad = Floats::of(quad).gelu().quad());
                numbers.set(place, inner);
            }
            let outer = &mut outputs[..states.len() * QUADS];
            run(&self.outer, adapted.map(|it| &it.outer), numbers, outer);
            add(states, outer, outer_norm);
        }
    }
}

/// Reads states as numbers of a linear layer.
fn read(numbers: &mut Numbers, states: &[State]) {
    numbers.reset(states.len(), QUADS);
    for (place, state) in states.iter().enumerate() {
        numbers.set(place, state);
    }
}

/// Adds outputs to the states, and applies a norm.
fn add(states: &mut [State], outputs: &[Quad], norm: &Norm) {
    for (state, outputs) in states.iter_mut().zip(outputs.chunks_exact(QUADS)) {
        for (quad, output) in state.iter_mut().zip(outputs) {
            *quad = Floats::of(quad).plus(Floats::of(output)).quad();
        }
        norm.apply(state);
    }
}
