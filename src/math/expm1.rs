//! e^x − 1 with the steps, and so the bits, of V8's `Math.expm1`.
//!
//! Idea: as in [`exp`](super::exp()), x = k · ln 2 + r. But e^x − 1 cancels for small x, so the
//! polynomial gives e^r − 1 itself, and the bits that rounding took from r are put back into it.
//!
//! Soundness: 2^k and the − 1 are combined in an order that depends on k, so that neither cancels:
//! for k of −1, 0 and 1 by formulas of their own, up to 19 with 1 − 2^−k before, up to 56 with it
//! behind, and beyond that the − 1 only rounds. The result is off by less than one unit in the last
//! place.
//!
//! Cost: some 30 operations, one of them a division. Ranking looks tanh up in a table, so this runs
//! when the table is filled.
//!
//! Adapted from FreeBSD msun `s_expm1.c` (fdlibm), the source of `ieee754::expm1` in V8, under this
//! notice:
//!
//! > Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
//! >
//! > Developed at SunSoft, a Sun Microsystems, Inc. business. Permission to use, copy, modify, and
//! > distribute this software is freely granted, provided that this notice is preserved.

use super::exp::{
    INFINITE_HIGH_WORD, LN2_HIGH, LN2_LOW, OVERFLOW, high_word_of_magnitude, power_of_two,
    whole_ln2s,
};

/// High word of 56 ln 2: from it on down, e^x − 1 is −1.
const MINUS_ONE_HIGH_WORD: u32 = 0x4043_687A;
/// High word of 2⁻⁵⁴: below it e^x − 1 is x.
const TINY_HIGH_WORD: u32 = 0x3C90_0000;

// Remez polynomial for 6/r·((e^r + 1)/(e^r − 1) − 2/r) in r² on [0, ½ ln 2], scaled; error below
// 2⁻⁶¹.
/// −3.33333333333331316428e-02
const Q1: f64 = f64::from_bits(0xBFA1_1111_1111_10F4);
/// 1.58730158725481460165e-03
const Q2: f64 = f64::from_bits(0x3F5A_01A0_19FE_5585);
/// −7.93650757867487942473e-05
const Q3: f64 = f64::from_bits(0xBF14_CE19_9EAA_DBB7);
/// 4.00821782732936239552e-06
const Q4: f64 = f64::from_bits(0x3ED0_CFCA_86E6_5239);
/// −2.01099218183624371326e-07
const Q5: f64 = f64::from_bits(0xBE8A_FDB7_6E09_C32D);

/// e^x − 1, accurate for small x too, equal to the bit to `Math.expm1(x)` of V8 (error below 1
/// ulp).
///
/// x = k·ln 2 + r with |r| ≤ ½ ln 2; e^r − 1 = r − (r·e − r²/2); the scaling by 2^k and the
/// subtraction of 1 are ordered by `k` so that neither cancels. NaN gives NaN, +∞ gives +∞, −∞
/// gives −1, a zero gives itself.
///
/// ```
/// assert_eq!(nous_wasm::math::expm1(1.0), 1.718281828459045);
/// ```
#[must_use]
pub fn expm1(x: f64) -> f64 {
    let magnitude = high_word_of_magnitude(x);

    if magnitude >= MINUS_ONE_HIGH_WORD {
        if x.is_nan() {
            return x;
        }
        if x.is_sign_negative() {
            return -1.0;
        }
        if magnitude >= INFINITE_HIGH_WORD || x > OVERFLOW {
            return f64::INFINITY;
        }
    }

    if magnitude < TINY_HIGH_WORD {
        return x;
    }

    let k = whole_ln2s(x);
    let high = x - f64::from(k) * LN2_HIGH;
    let low = f64::from(k) * LN2_LOW;
    let r = high - low;
    let lost = (high - r) - low; // what rounding took from r
    let half_r = 0.5 * r;
    let half_rr = r * half_r;
    let r1 = 1.0 + half_rr * (Q1 + half_rr * (Q2 + half_rr * (Q3 + half_rr * (Q4 + half_rr * Q5))));
    let t = 3.0 - r1 * half_r;
    let e = half_rr * ((r1 - t) / (6.0 - r * t));
    if k == 0 {
        return r - (r * e - half_rr);
    }
    let e = (r * (e - lost) - lost) - half_rr;

    match k {
        -1 => 0.5 * (r - e) - 0.5,
        1 if r < -0.25 => -2.0 * (e - (r + 0.5)),
        1 => 1.0 + 2.0 * (r - e),
        1024 => (1.0 - (e - r)) * 2.0 * power_of_two(1023) - 1.0,
        ..=-2 | 57.. => (1.0 - (e - r)) * power_of_two(k) - 1.0,
        2..20 => ((1.0 - power_of_two(-k)) - (e - r)) * power_of_two(k),
        _ => ((r - (e + power_of_two(-k))) + 1.0) * power_of_two(k),
    }
}
