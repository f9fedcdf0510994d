//! e^x in lanes, with the steps of [`exp()`].

use core::array::from_fn;
use core::f64::consts::LOG2_E;

use super::{F64x2, WHOLE_IN_LOW_BITS};
use crate::math::exp::{HALF_LN2_HIGH_WORD, LN2_HIGH, LN2_LOW, P1, P2, P3, P4, P5, exp};

/// The lanes take arguments from here up to 0. e^−708 is a normal number, e^−709 is not.
const LOWEST: f64 = -708.0;
/// From here down an argument is reduced: its high word is the first beyond that of ½ ln 2.
const REDUCED_FROM: f64 = -f64::from_bits(((HALF_LN2_HIGH_WORD + 1) as u64) << 32);
/// −2⁻²⁸; above it e^x is 1 + x.
const TINY: f64 = f64::from_bits(0xBE30_0000_0000_0000);

/// e^x in both lanes, each equal to the bit to [`exp()`] of it: [`exp_pairs`] for one pair.
#[inline(always)]
#[must_use]
pub fn exp_x2(x: F64x2) -> F64x2 {
    exp_pairs([x])[0]
}

/// Returns e^x in all lanes, each equal to the bit to [`exp()`] of it.
///
/// Made for −t/S, which is never positive. There is no branch while all lanes lie in [−708, 0]. If
/// a pair has another argument (NaN and infinities included), [`exp()`] computes the pairs: correct
/// but slower.
///
/// One pair takes about 25 steps that depend on each other. Several pairs at once use the waiting
/// time. For loops over columns `N` = 4 works well: in WebAssembly it takes a third less time than
/// one pair after the other.
///
/// The steps are those of [`exp()`], with its three regions joined. If the argument is not reduced,
/// k is set to 0, for which the formula of the reduced ones gives the same bits. If |x| < 2⁻²⁸, the
/// quotient is set to 0, which leaves 1 + x.
#[inline(always)]
#[must_use]
pub fn exp_pairs<const N: usize>(x: [F64x2; N]) -> [F64x2; N] {
    if F64x2::all_within(&x, LOWEST, 0.0) { exp_in_lanes(x) } else { exp_one_by_one(x) }
}

/// e^x for lanes in [−708, 0]. Each line takes one step of all pairs, so that they interleave.
#[inline(always)]
fn exp_in_lanes<const N: usize>(x: [F64x2; N]) -> [F64x2; N] {
    let splat = F64x2::splat;

    let k: [F64x2; N] = from_fn(|i| {
        (splat(LOG2_E) * x[i] - splat(0.5)).truncate_negative().where_at_most(x[i], REDUCED_FROM)
    });
    let high: [F64x2; N] = from_fn(|i| x[i] - k[i] * splat(LN2_HIGH));
    let low: [F64x2; N] = from_fn(|i| k[i] * splat(LN2_LOW));
    let r: [F64x2; N] = from_fn(|i| high[i] - low[i]);

    let rr: [F64x2; N] = from_fn(|i| r[i] * r[i]);
    let p: [F64x2; N] = from_fn(|i| splat(P4) + rr[i] * splat(P5));
    let p: [F64x2; N] = from_fn(|i| splat(P3) + rr[i] * p[i]);
    let p: [F64x2; N] = from_fn(|i| splat(P2) + rr[i] * p[i]);
    let p: [F64x2; N] = from_fn(|i| splat(P1) + rr[i] * p[i]);
    let c: [F64x2; N] = from_fn(|i| r[i] - rr[i] * p[i]);
    let quotient: [F64x2; N] =
        from_fn(|i| (r[i].where_at_most(x[i], TINY) * c[i]) / (splat(2.0) - c[i]));
    let e_r: [F64x2; N] = from_fn(|i| splat(1.0) - ((low[i] - quotient[i]) - high[i]));

    from_fn(|i| e_r[i].add_to_exponent(k[i] + splat(WHOLE_IN_LOW_BITS)))
}

/// e^x for any lanes, out of line so that the loop around [`exp_pairs`] stays small.
#[cold]
#[inline(never)]
fn exp_one_by_one<const N: usize>(x: [F64x2; N]) -> [F64x2; N] {
    x.map(|pair| {
        let [first, second] = pair.to_array();
        F64x2::new(exp(first), exp(second))
    })
}
