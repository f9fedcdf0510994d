//! The hyperbolic tangent with the steps, and so the bits, of V8's `Math.tanh`.
//!
//! Idea: tanh is a quotient of e^(2x) − 1 and e^(2x) + 1, and [`expm1`](super::expm1()) gives the
//! first without cancellation. From 1 on, the form 1 − 2/(t + 2) is used; below 1, the form −t/(t +
//! 2). From 22 on the result is 1, and below 2⁻²⁸ it is x.
//!
//! Soundness: the sign is taken off first and put back last, so tanh(−x) is exactly −tanh(x).
//!
//! Cost: that of `expm1`, and a division. Ranking looks it up in a table of access counts.
//!
//! Adapted from FreeBSD msun `s_tanh.c` (fdlibm), the source of `ieee754::tanh` in V8, under this
//! notice:
//!
//! > Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
//! >
//! > Developed at SunSoft, a Sun Microsystems, Inc. business. Permission to use, copy, modify, and
//! > distribute this software is freely granted, provided that this notice is preserved.

use super::expm1::expm1;

/// From this magnitude on, tanh is ±1.
const SATURATED: f64 = 22.0;
/// 2⁻²⁸: below this magnitude tanh(x) is x.
const TINY: f64 = f64::from_bits(0x3E30_0000_0000_0000);

/// tanh(x), equal to the bit to `Math.tanh(x)` of V8.
///
/// With t = e^(2|x|) − 1 it is 1 − 2/(t + 2) from |x| = 1 on; below, with t = e^(−2|x|) − 1, it is
/// −t/(t + 2). NaN gives NaN, ±∞ gives ±1, a zero gives itself.
///
/// ```
/// assert_eq!(nous_wasm::math::tanh(0.5), 0.46211715726000973);
/// ```
#[must_use]
pub fn tanh(x: f64) -> f64 {
    let magnitude = x.abs();
    if x.is_nan() || magnitude < TINY {
        return x;
    }
    let z = if magnitude >= SATURATED {
        1.0
    } else if magnitude >= 1.0 {
        1.0 - 2.0 / (expm1(2.0 * magnitude) + 2.0)
    } else {
        let t = expm1(-2.0 * magnitude);
        -t / (t + 2.0)
    };
    if x.is_sign_negative() { -z } else { z }
}
