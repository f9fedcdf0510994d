//! Vectors of words and passages, stored as whole numbers.
//!
//! # Idea
//!
//! A component is stored as a code from −127 to 127, times the step of its vector. A question is
//! coded more finely, in 16 bits, and multiplied with four vectors at once. One pass over all
//! vectors is then limited by memory: 128 bytes a vector.
//!
//! # Invariants
//!
//! - Products of codes are exact, so that a cosine has the same bits on every platform.
//! - A vector of zeros has step 0 and length 0, and its cosine with anything is 0. A vector with a
//!   component that is not finite counts as one of zeros.
//!
//! # Soundness
//!
//! The largest code of a question is chosen so that 127 · code · dimensions fits into an i32. A
//! code is off by at most half a step. The cosine of two words moves by less than 0.01 for that
//! reason.
//!
//! # Cost
//!
//! One byte a component and eight bytes a vector.

use crate::math::{AT_ONCE, Block, Factors, LANES, dots_i8, offset_binary};

/// The largest code of a stored component.
const MAX_CODE: f64 = 127.0;

/// A list of coded vectors of one number of dimensions.
#[derive(Debug, Default)]
pub(super) struct CodedVectors {
    /// Blocks of a vector; 0 if vectors have no dimensions.
    width: usize,
    /// In offset binary.
    codes: Vec<Block<i8>>,
    /// The value of one code.
    steps: Vec<f32>,
    /// The lengths of the vectors.
    lengths: Vec<f32>,
}

impl CodedVectors {
    pub fn new(dimensions: usize) -> Self {
        Self { width: dimensions.div_ceil(LANES), ..Self::default() }
    }

    /// Returns the bytes of a vector of these dimensions.
    pub fn bytes_each(dimensions: usize) -> usize {
        dimensions.div_ceil(LANES) * LANES + 2 * size_of::<f32>()
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns the length of a vector, 0 if it is all zeros.
    pub fn length(&self, place: usize) -> f64 {
        self.lengths[place].into()
    }

    /// Adds a vector at the end.
    pub fn push(&mut self, vector: &[f32]) {
        let largest = largest_of(vector);
        if largest == 0.0 {
            self.codes.resize(self.codes.len() + self.width, [0; LANES]);
            self.steps.push(0.0);
            self.lengths.push(0.0);
            return;
        }
        let step = f64::from((largest / MAX_CODE) as f32);
        let mut squares = 0_i64;
        for components in vector.chunks(LANES) {
            let mut block = [0; LANES];
            for (code, &component) in block.iter_mut().zip(components) {
                *code = (f64::from(component) / step).round().clamp(-MAX_CODE, MAX_CODE) as i8;
                squares += i64::from(*code) * i64::from(*code);
            }
            offset_binary(&mut block);
            self.codes.push(block);
        }
        self.steps.push(step as f32);
        self.lengths.push(((squares as f64).sqrt() * step) as f32);
    }

    /// Returns the step and the codes of a vector, as [`CodedVectors::restore`] takes them.
    pub fn stored(&self, place: usize) -> (f32, &[i8]) {
        (self.steps[place], self.blocks(place).as_flattened())
    }

    /// Returns the bytes of a vector's codes.
    pub fn code_bytes(&self) -> usize {
        self.width * LANES
    }

    /// Adds a vector that [`CodedVectors::stored`] returned. Its length follows from its codes.
    pub fn restore(&mut self, step: f32, codes: &[u8]) {
        let (blocks, _) = codes.as_chunks::<LANES>();
        let mut squares = 0_i64;
        for bytes in blocks {
            let block: Block<i8> = bytes.map(u8::cast_signed);
            self.codes.push(block);
            let mut plain = block;
            offset_binary(&mut plain);
            squares += plain.iter().map(|&code| i64::from(code) * i64::from(code)).sum::<i64>();
        }
        let length = (squares as f64).sqrt() * f64::from(step);
        self.steps.push(step);
        self.lengths.push(length as f32);
    }

    /// Copies a vector of another list to the end.
    pub fn push_from(&mut self, other: &Self, place: usize) {
        self.codes.extend_from_slice(other.blocks(place));
        self.steps.push(other.steps[place]);
        self.lengths.push(other.lengths[place]);
    }

    fn blocks(&self, place: usize) -> &[Block<i8>] {
        &self.codes[place * self.width..(place + 1) * self.width]
    }

    /// Adds a vector to a sum.
    pub fn add_to(&self, place: usize, sum: &mut [f32]) {
        let step = self.steps[place];
        if step == 0.0 {
            return;
        }
        for (block, sums) in self.blocks(place).iter().zip(sum.chunks_mut(LANES)) {
            let mut codes = *block;
            offset_binary(&mut codes);
            sums.iter_mut().zip(codes).for_each(|(sum, code)| *sum += f32::from(code) * step);
        }
    }

    /// Returns the cosine of two vectors of the list; 0 if one of them is all zeros.
    pub fn cosine(&self, one: usize, other: usize) -> f64 {
        let lengths = self.length(one) * self.length(other);
        if lengths == 0.0 {
            return 0.0;
        }
        let mut product = 0_i32;
        for (one, other) in self.blocks(one).iter().zip(self.blocks(other)) {
            let (mut a, mut b) = (*one, *other);
            offset_binary(&mut a);
            offset_binary(&mut b);
            product += a.iter().zip(b).map(|(&a, b)| i32::from(a) * i32::from(b)).sum::<i32>();
        }
        f64::from(product) * f64::from(self.steps[one]) * f64::from(self.steps[other]) / lengths
    }

    /// Calls `each` with the product of the question, scaled to length 1, and every vector from a
    /// place on, in order.
    pub fn products(&self, query: &CodedQuery, from: usize, mut each: impl FnMut(usize, f64)) {
        let mut place = from;
        while place < self.len() {
            let rows = std::array::from_fn(|k| self.blocks((place + k).min(self.len() - 1)));
            let products: [i32; AT_ONCE] = dots_i8(&query.factors, rows);
            for product in products {
                if place < self.len() {
                    each(place, f64::from(product) * query.step * f64::from(self.steps[place]));
                    place += 1;
                }
            }
        }
    }

    pub fn capacity_bytes(&self) -> usize {
        self.codes.capacity() * LANES + (self.steps.capacity() + self.lengths.capacity()) * 4
    }
}

/// A vector that is compared with coded ones.
#[derive(Debug)]
pub(super) struct CodedQuery {
    factors: Factors,
    /// The value of one code, of the vector scaled to length 1.
    step: f64,
}

impl CodedQuery {
    /// Codes a vector. Returns `None` if it is all zeros or not finite.
    pub fn new(vector: &[f32]) -> Option<Self> {
        let largest = largest_of(vector);
        if largest == 0.0 {
            return None;
        }
        let max = i64::from(i32::MAX) / (127 * vector.len().next_multiple_of(LANES) as i64);
        let step = largest / max.min(i16::MAX.into()) as f64;
        let codes: Vec<i16> =
            vector.iter().map(|&component| (f64::from(component) / step).round() as i16).collect();
        let squares: i64 = codes.iter().map(|&code| i64::from(code) * i64::from(code)).sum();
        Some(Self { factors: Factors::new(&codes), step: 1.0 / (squares as f64).sqrt() })
    }
}

/// Returns the size of the largest component; 0 if a component is not finite.
fn largest_of(vector: &[f32]) -> f64 {
    if !vector.iter().all(|component| component.is_finite()) {
        return 0.0;
    }
    vector.iter().fold(0.0, |largest: f64, component| largest.max(f64::from(component.abs())))
}
