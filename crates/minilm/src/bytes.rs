//! The numbers of model and adapter files, with their checks.

use crate::error::{Error, Result};
use crate::lanes::Quad;
use crate::layer::{INNER, Layer, Norm};
use crate::linear::Linear;
use crate::model::DIMENSIONS;

/// Bytes of a hash, with which a file ends.
pub(crate) const HASH: usize = 8;
/// Bytes of a norm.
pub(crate) const NORM: usize = 2 * 4 * DIMENSIONS;
pub(crate) const MAX_LAYERS: usize = 48;
/// Weights of four bits that share a factor, and what a factor is divided by.
pub(crate) const SHARING: usize = 32;
const FACTOR_BITS: u32 = 11;

/// The bytes of a file, or of a part of one, that are left.
pub(crate) struct Bytes<'b> {
    rest: &'b [u8],
    /// All of them.
    given: usize,
    /// What they belong to, for errors.
    file: &'static str,
}

impl<'b> Bytes<'b> {
    pub fn new(bytes: &'b [u8], file: &'static str) -> Self {
        Self { rest: bytes, given: bytes.len(), file }
    }

    /// Returns the number of bytes that were taken.
    pub fn taken(&self) -> usize {
        self.given - self.rest.len()
    }

    /// Returns the next bytes.
    pub fn take(&mut self, count: usize) -> Result<&'b [u8]> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            let (given, least) = (self.given, self.taken() + count);
            return Err(self.fault(&format!("is cut off: {given} bytes of at least {least}")));
        };
        self.rest = rest;
        Ok(taken)
    }

    /// Returns an error about the file.
    pub fn fault(&self, problem: &str) -> Error {
        Error::new(format!("the {} {problem}", self.file))
    }

    /// Returns the next numbers, of which each has to keep a rule.
    fn floats(
        &mut self,
        count: usize,
        (of, rule): (&str, &str),
        keeps: impl Fn(f32) -> bool,
    ) -> Result<Vec<f32>> {
        let bytes = self.take(4 * count)?.as_chunks::<4>().0;
        let numbers: Vec<f32> = bytes.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        match numbers.iter().position(|&number| !keeps(number)) {
            None => Ok(numbers),
            // Without the number: what writes f32 as text is a fifth of the module.
            Some(place) => {
                let problem = format!("{of} must have {rule}, found another at {place}");
                Err(self.fault(&format!("is wrong: {problem}")))
            }
        }
    }

    pub fn scales(&mut self, count: usize, of: &str) -> Result<Vec<f32>> {
        let rule = "scales that are 0 or lie between 1e-12 and 1000";
        self.floats(count, (of, rule), |scale| scale == 0.0 || (1e-12..=1e3).contains(&scale))
    }

    pub fn numbers(&mut self, count: usize, of: &str) -> Result<Vec<f32>> {
        let rule = "numbers of magnitude 1000000 at most";
        self.floats(count, (of, rule), |number| number.abs() <= 1e6)
    }

    pub fn norm(&mut self, of: &str) -> Result<Norm> {
        let mut next = || Ok(quads(&self.numbers(DIMENSIONS, of)?).into());
        Ok(Norm { weights: next()?, biases: next()? })
    }

    pub fn linear(
        &mut self,
        inputs: usize,
        outputs: usize,
        bits: usize,
        of: &str,
    ) -> Result<Linear> {
        let scales = self.scales(outputs, of)?;
        let biases = self.numbers(outputs, of)?;
        let factors = self.take(if bits == 4 { 2 * inputs * outputs / SHARING } else { 0 })?;
        let packed = self.take(inputs * outputs * bits / 8)?;
        if bits == 8 {
            let rows = packed.iter().map(|&byte| byte.cast_signed());
            return Ok(Linear::new(inputs, &scales, &biases, rows));
        }
        if bits == 4 {
            let factors = factors.as_chunks::<2>().0.iter().map(|&two| i16::from_le_bytes(two));
            let blocks = packed.as_chunks::<{ SHARING / 2 }>().0.iter().zip(factors);
            let rows = blocks.flat_map(|(block, factor)| {
                let halves = [block.map(|byte| byte & 15), block.map(|byte| byte >> 4)];
                halves.into_iter().flatten().map(move |four| {
                    let product = (i32::from(four) - 8) * i32::from(factor);
                    let rounded = (product + (1 << (FACTOR_BITS - 1))) >> FACTOR_BITS;
                    rounded.clamp(-127, 127) as i8
                })
            });
            return Ok(Linear::new(inputs, &scales, &biases, rows));
        }
        let rows = packed.as_chunks::<3>().0.iter().flat_map(|&[a, b, c]| {
            let four = u32::from_le_bytes([a, b, c, 0]);
            [0, 6, 12, 18].map(|shift| (four >> shift & 63) as i8 - 32)
        });
        Ok(Linear::new(inputs, &scales, &biases, rows))
    }

    pub fn layer(&mut self, bits: usize, number: usize) -> Result<Layer> {
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
pub(crate) fn quads(numbers: &[f32]) -> &[Quad] {
    numbers.as_chunks().0
}
