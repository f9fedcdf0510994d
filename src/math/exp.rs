//! e^x with the steps, and so the bits, of V8's `Math.exp`.
//!
//! Idea: x = k · ln 2 + r with |r| ≤ ½ ln 2, so e^x = 2^k · e^r. A rational function of r, from a
//! Remez polynomial, gives e^r. Three regions need less: above the overflow and below the underflow
//! the result is known, and below 2⁻²⁸ it is 1 + x.
//!
//! Soundness: ln 2 is split in two parts, of which the first has 32 bits, so that k times it is
//! exact and r loses no bits by cancellation. The result is off by less than one unit in the last
//! place. V8 returns `Math.E` for 1, where the formula is one unit off. 2^k is applied in two steps
//! at both ends, where it is not a normal number.
//!
//! Cost: some 25 operations, one of them a division.
//!
//! Adapted from FreeBSD msun `e_exp.c` (fdlibm), the source of `ieee754::exp` in V8, under this
//! notice:
//!
//! > Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
//! >
//! > Developed at SunSoft, a Sun Microsystems, Inc. business. Permission to use, copy, modify, and
//! > distribute this software is freely granted, provided that this notice is preserved.

use core::f64::consts::{E, LOG2_E};

/// High 32 bits of a double, without the sign: comparing them compares magnitudes in steps of 2⁻²⁰.
#[inline(always)]
pub(super) fn high_word_of_magnitude(x: f64) -> u32 {
    (x.to_bits() >> 32) as u32 & 0x7FFF_FFFF
}

/// 2^k for a `k` whose power is a normal number (−1022 ..= 1023).
#[inline(always)]
pub(super) fn power_of_two(k: i32) -> f64 {
    f64::from_bits(((0x3FF + k) as u64) << 52)
}

/// How often ln 2 goes into a finite `x`, rounded half away from zero; 0 as long as the high word
/// of |x| is at most that of ½ ln 2.
#[inline(always)]
pub(super) fn whole_ln2s(x: f64) -> i32 {
    if high_word_of_magnitude(x) > HALF_LN2_HIGH_WORD {
        (LOG2_E * x + 0.5_f64.copysign(x)) as i32
    } else {
        0
    }
}

/// Above this, e^x overflows: 7.09782712893383973096e+02.
pub(super) const OVERFLOW: f64 = f64::from_bits(0x4086_2E42_FEFA_39EF);
/// Below this, e^x is less than half the smallest subnormal: −7.45133219101941108420e+02.
const UNDERFLOW: f64 = f64::from_bits(0xC087_4910_D52D_3051);
/// ln 2 to 32 bits, so that `k · LN2_HIGH` is exact: 6.93147180369123816490e-01.
pub(super) const LN2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
/// ln 2 − `LN2_HIGH`: 1.90821492927058770002e-10.
pub(super) const LN2_LOW: f64 = f64::from_bits(0x3DEA_39EF_3579_3C76);
/// High word of ½ ln 2: up to it the argument is not reduced.
pub(super) const HALF_LN2_HIGH_WORD: u32 = 0x3FD6_2E42;
/// High word of 2⁻²⁸: below it e^x is 1 + x.
const TINY_HIGH_WORD: u32 = 0x3E30_0000;
/// High word of the infinities. Greater words are NaN.
pub(super) const INFINITE_HIGH_WORD: u32 = 0x7FF0_0000;

// Remez polynomial for r·(e^r + 1)/(e^r − 1) − 2 in r² on [0, ½ ln 2], error below 2⁻⁵⁹.
/// 1.66666666666666019037e-01
pub(super) const P1: f64 = f64::from_bits(0x3FC5_5555_5555_553E);
/// −2.77777777770155933842e-03
pub(super) const P2: f64 = f64::from_bits(0xBF66_C16C_16BE_BD93);
/// 6.61375632143793436117e-05
pub(super) const P3: f64 = f64::from_bits(0x3F11_566A_AF25_DE2C);
/// −1.65339022054652515390e-06
pub(super) const P4: f64 = f64::from_bits(0xBEBB_BD41_C5D2_6BF1);
/// 4.13813679705723846039e-08
pub(super) const P5: f64 = f64::from_bits(0x3E66_3769_72BE_A4D0);

/// e^x, equal to the bit to `Math.exp(x)` of V8 (error below 1 ulp).
///
/// x = k·ln 2 + r with |r| ≤ ½ ln 2; e^r = 1 + r + r·c/(2 − c), where c = r − r²·P(r²); e^x = 2^k ·
/// e^r. NaN gives NaN, +∞ gives +∞, −∞ gives 0, e⁰ is 1 for both zeros, and `exp(1.0)` is `E`.
///
/// ```
/// assert_eq!(nous_wasm::math::exp(-1.0), 0.36787944117144233);
/// ```
#[must_use]
pub fn exp(x: f64) -> f64 {
    let magnitude = high_word_of_magnitude(x);

    if magnitude >= high_word_of_magnitude(OVERFLOW) {
        if x.is_nan() {
            return x;
        }
        if x > OVERFLOW {
            return f64::INFINITY;
        }
        if x < UNDERFLOW {
            return 0.0;
        }
    }

    if magnitude < TINY_HIGH_WORD {
        return 1.0 + x;
    }
    if x == 1.0 {
        return E; // the formula is one ulp off here, and V8 answers Math.E
    }

    let k = whole_ln2s(x);
    let high = x - f64::from(k) * LN2_HIGH;
    let low = f64::from(k) * LN2_LOW;
    let r = high - low;
    let rr = r * r;
    let c = r - rr * (P1 + rr * (P2 + rr * (P3 + rr * (P4 + rr * P5))));
    let e_r = 1.0 - ((low - (r * c) / (2.0 - c)) - high);

    // 2^k leaves the normal numbers at both ends before 2^k · e^r does.
    match k {
        1024.. => e_r * 2.0 * power_of_two(1023),
        -1021..1024 => e_r * power_of_two(k),
        ..-1021 => e_r * power_of_two(k + 1000) * power_of_two(-1000),
    }
}
