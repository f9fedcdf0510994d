//! Sums of products of weights and numbers, in whole numbers: in WebAssembly laid out for its
//! instructions, elsewhere as loops that the compiler turns into vector instructions. The sums are
//! exact, so they are the same.

pub(crate) use here::{Inputs, Weights};

use crate::lanes::Floats;

/// Outputs that are summed at once.
pub(crate) const OUTPUTS: usize = 8;

/// Tokens that share the loads of weights. Five do at the end where one would be left, which would
/// need loads of its own.
pub(crate) const TOKENS: usize = 4;

/// Returns the number of tokens that share loads, of those from one on.
pub(crate) fn together(tokens: usize, from: usize) -> usize {
    match tokens - from {
        left if left == TOKENS + 1 => left,
        left => left.min(TOKENS),
    }
}

/// The sums of a token for eight outputs.
pub(crate) type Sums = [Floats; 2];

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod here {
    use core::arch::wasm32::*;

    use bytemuck::must_cast;

    use super::{OUTPUTS, Sums, TOKENS, together};
    use crate::lanes::{Floats, Pair};

    /// Rows of weights: of eight outputs the weights of inputs 0 and 1, then those of inputs 2 and 3,
    /// and so on; then of the next eight outputs.
    pub struct Weights {
        pairs: usize,
        blocks: Box<[[i8; 2 * OUTPUTS]]>,
    }

    impl Weights {
        /// Returns rows that stand one after the other.
        pub fn new(inputs: usize, outputs: usize, rows: impl Iterator<Item = i8>) -> Self {
            let pairs = inputs / 2;
            let mut blocks = vec![[0; 2 * OUTPUTS]; outputs / OUTPUTS * pairs];
            for (at, weight) in rows.take(inputs * outputs).enumerate() {
                let (row, input) = (at / inputs, at % inputs);
                let block = &mut blocks[row / OUTPUTS * pairs + input / 2];
                block[row % OUTPUTS * 2 + input % 2] = weight;
            }
            Self { pairs, blocks: blocks.into() }
        }

        /// Returns the sums of tokens for the eight outputs of a block.
        #[inline(always)]
        pub fn sums<const COUNT: usize>(
            &self,
            block: usize,
            inputs: &Inputs,
            from: usize,
        ) -> [Sums; COUNT] {
            let weights = &self.blocks[block * self.pairs..][..self.pairs];
            let numbers = &inputs.pairs[from * self.pairs..(from + COUNT) * self.pairs];
            let mut sums = [[i32x4_splat(0); 2]; COUNT];
            for (numbers, weights) in numbers.as_chunks::<COUNT>().0.iter().zip(weights) {
                let weights = must_cast(*weights);
                let wide = [i16x8_extend_low_i8x16(weights), i16x8_extend_high_i8x16(weights)];
                for (sums, &pair) in sums.iter_mut().zip(numbers) {
                    let pair = i32x4_splat(must_cast(pair));
                    for (sum, wide) in sums.iter_mut().zip(wide) {
                        *sum = i32x4_add(*sum, i32x4_dot_i16x8(pair, wide));
                    }
                }
            }
            sums.map(|sums| sums.map(Floats::of_whole))
        }
    }

    /// Numbers of tokens: of those that share loads the first pairs, their second pairs, and so on;
    /// then of the next ones.
    #[derive(Default)]
    pub struct Inputs {
        tokens: usize,
        pairs: Vec<Pair>,
    }

    impl Inputs {
        /// Makes room for tokens with so many numbers each.
        pub fn reset(&mut self, tokens: usize, numbers: usize) {
            self.tokens = tokens;
            self.pairs.clear();
            self.pairs.resize(tokens * numbers / 2, [0; 2]);
        }

        /// Sets the numbers of a token, four at a time.
        #[inline(always)]
        pub fn set(&mut self, token: usize, fours: impl ExactSizeIterator<Item = [Pair; 2]>) {
            let first = match token / TOKENS * TOKENS {
                last if last + 1 == self.tokens => last.saturating_sub(TOKENS),
                first => first,
            };
            let (together, place) = (together(self.tokens, first), token - first);
            let pairs = &mut self.pairs[first * 2 * fours.len()..];
            for ([one, two], pairs) in fours.zip(pairs.chunks_exact_mut(2 * together)) {
                pairs[place] = one;
                pairs[together + place] = two;
            }
        }
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod here {
    use super::{OUTPUTS, Sums};
    use crate::lanes::{Floats, Pair};

    /// Rows of weights, one after the other.
    pub struct Weights {
        inputs: usize,
        rows: Box<[i8]>,
    }

    impl Weights {
        pub fn new(inputs: usize, outputs: usize, rows: impl Iterator<Item = i8>) -> Self {
            Self { inputs, rows: rows.take(inputs * outputs).collect() }
        }

        #[inline(always)]
        pub fn sums<const COUNT: usize>(
            &self,
            block: usize,
            inputs: &Inputs,
            from: usize,
        ) -> [Sums; COUNT] {
            let rows = &self.rows[block * OUTPUTS * self.inputs..][..OUTPUTS * self.inputs];
            std::array::from_fn(|token| {
                let numbers = &inputs.numbers[(from + token) * self.inputs..][..self.inputs];
                let mut sums = [0; OUTPUTS];
                for (sum, row) in sums.iter_mut().zip(rows.chunks_exact(self.inputs)) {
                    *sum = dot(numbers, row);
                }
                let [a, b, c, d, e, f, g, h] = sums;
                [[a, b, c, d], [e, f, g, h]].map(Floats::of_whole)
            })
        }
    }

    /// Never wraps; a check would keep the loop from vector instructions.
    fn dot(numbers: &[i16], row: &[i8]) -> i32 {
        let both = numbers.iter().zip(row);
        both.map(|(&number, &weight)| i32::from(number) * i32::from(weight))
            .fold(0, i32::wrapping_add)
    }

    /// Numbers of tokens, one token after the other.
    #[derive(Default)]
    pub struct Inputs {
        numbers: Vec<i16>,
    }

    impl Inputs {
        pub fn reset(&mut self, tokens: usize, numbers: usize) {
            self.numbers.clear();
            self.numbers.resize(tokens * numbers, 0);
        }

        #[inline(always)]
        pub fn set(&mut self, token: usize, fours: impl ExactSizeIterator<Item = [Pair; 2]>) {
            let numbers = &mut self.numbers[token * 4 * fours.len()..];
            for ([one, two], numbers) in fours.zip(numbers.as_chunks_mut::<4>().0) {
                *numbers = [one[0], one[1], two[0], two[1]];
            }
        }
    }
}
