//! Quantisation of vectors of length 1, and bounds of its error.

use crate::math::LANES;

/// Returns the sum of the squares of all components, added from the first to the last.
pub(super) fn squares(embedding: &[f64]) -> f64 {
    embedding.iter().fold(0.0, |sum, component| sum + component * component)
}

/// Returns the embedding scaled to length 1: each component is divided in f64, then rounded.
#[inline(never)]
pub(super) fn unit(embedding: &[f64]) -> Vec<f32> {
    let length = squares(embedding).sqrt();
    embedding.iter().map(|component| (component / length) as f32).collect()
}

/// The largest code of a stored vector.
pub(super) const MAX_CODE: u16 = 127;

/// Returns the largest code of a query: it fits into an i16, and the sum of products of all
/// components fits into an i32.
pub(super) fn max_query_code(dimensions: usize) -> u16 {
    let max = i32::MAX as u64 / (u64::from(MAX_CODE) * dimensions as u64);
    max.min(i16::MAX as u64) as u16
}

/// Returns the codes of a vector and their scale.
///
/// The step is the largest component divided by the largest code in f64, rounded to f32. A code is
/// its component divided by the step in f64, rounded, halves away from zero. The scale is 1 / the
/// product of codes and vector, which is added in f64 from the first component to the last; the
/// scale is rounded to f32.
///
/// That product is never 0. Each code has the sign of its component, so no term is below 0, and the
/// largest component, which is above 0 in a vector of length 1, has the largest code.
#[inline(never)]
pub(super) fn quantise(unit: &[f32], max_code: u16) -> (Vec<i16>, f32) {
    let largest = unit.iter().fold(0.0, |largest: f32, component| largest.max(component.abs()));
    let step = f64::from((f64::from(largest) / f64::from(max_code)) as f32);
    let codes: Vec<i16> =
        unit.iter().map(|&component| (f64::from(component) / step).round() as i16).collect();
    let products =
        codes.iter().zip(unit).map(|(&code, &component)| f64::from(code) * f64::from(component));
    let along = products.fold(0.0, |sum, product| sum + product);
    (codes, (1.0 / along) as f32)
}

/// Returns the codes of an outline and its scale: the largest component has the code 127. All in
/// f32, unlike [`quantise`], because the error is measured anyway.
#[inline(never)]
pub(super) fn outline(unit: &[f32]) -> (Vec<i8>, f32) {
    let largest = unit.iter().fold(0.0, |largest: f32, component| largest.max(component.abs()));
    let per_unit = f32::from(MAX_CODE) / largest;
    // Adding this constant rounds the component, and the last byte of the sum is the code. The
    // compiler does this in lanes.
    let code = |component: &f32| (component * per_unit + WHOLE_NUMBERS).to_bits() as i8;
    (unit.iter().map(code).collect(), largest / f32::from(MAX_CODE))
}

/// The middle of the range of f32 whose last bit counts one.
const WHOLE_NUMBERS: f32 = 12_582_912.0;

/// The greatest length of a vector that was scaled to length 1 or read from a snapshot.
pub(super) const LONGEST: f64 = 1.001;

/// Whether a vector can have been scaled to length 1.
pub fn is_unit(components: &[f32]) -> bool {
    let length = length(components, components, |component, _| f64::from(component));
    (2.0 - LONGEST..=LONGEST).contains(&length)
}

/// Returns an upper bound of the distance between a vector and its codes. Includes the rounding of
/// this computation.
pub(super) fn rounding_error<C: Copy + Into<f64>>(unit: &[f32], codes: &[C], scale: f32) -> f64 {
    let off = |component: f32, code: C| f64::from(component) - code.into() * f64::from(scale);
    length(unit, codes, off) * (1.0 + 1e-9)
}

/// Returns the most that a sum of products in f32, as used for scores, can differ from the exact
/// one if both vectors have length 1. Each step rounds by at most 2⁻²⁴ of its sum; the bound allows
/// for twice that.
pub(super) fn summing_error(dimensions: usize) -> f64 {
    (dimensions.div_ceil(LANES) + LANES.ilog2() as usize + 1) as f64 * f64::from(f32::EPSILON)
}

/// Returns the length of a vector whose components come from two numbers each. The squares are
/// added in eight lanes.
#[inline(always)]
pub(super) fn length<A: Copy, B: Copy>(
    first: &[A],
    second: &[B],
    component: impl Fn(A, B) -> f64,
) -> f64 {
    let square = |(&first, &second): (&A, &B)| {
        let component = component(first, second);
        component * component
    };
    let ((firsts, first_rest), (seconds, second_rest)) =
        (first.as_chunks::<8>(), second.as_chunks::<8>());
    let mut lanes = [0.0; 8];
    for (first, second) in firsts.iter().zip(seconds) {
        lanes
            .iter_mut()
            .zip(first.iter().zip(second))
            .for_each(|(lane, pair)| *lane += square(pair));
    }
    let rest = first_rest.iter().zip(second_rest).fold(0.0, |sum, pair| sum + square(pair));
    (lanes.iter().sum::<f64>() + rest).sqrt()
}
