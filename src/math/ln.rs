//! The natural logarithm with the steps, and so the bits, of V8's `Math.log`.
//!
//! Idea: x = 2^k · (1 + f) with √½ < 1 + f < √2, so ln x = k · ln 2 + ln(1 + f). With s = f / (2 +
//! f), ln(1 + f) is 2s plus a Remez polynomial in s².
//!
//! Soundness: 1 + f is taken from the bits of x, so f is exact. ln 2 is split as in
//! [`exp`](super::exp()), and k times its first part is exact. The result is off by less than one
//! unit in the last place. Only normal numbers above 0 are taken: BM25, the one caller, has no
//! others.
//!
//! Cost: some 25 operations, one of them a division.
//!
//! Adapted from FreeBSD msun `e_log.c` (fdlibm), the source of `ieee754::log` in V8, under this
//! notice:
//!
//! > Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
//! >
//! > Developed at SunPro, a Sun Microsystems, Inc. business. Permission to use, copy, modify, and
//! > distribute this software is freely granted, provided that this notice is preserved.

use super::exp::{LN2_HIGH, LN2_LOW};

// Remez polynomial for (ln(1 + s) − ln(1 − s) − 2s) / s in s² on [0, 0.1716]; error below 2⁻⁵⁸·⁴⁵.
/// 6.666666666666735130e-01
const L1: f64 = f64::from_bits(0x3FE5_5555_5555_5593);
/// 3.999999999940941908e-01
const L2: f64 = f64::from_bits(0x3FD9_9999_9997_FA04);
/// 2.857142874366239149e-01
const L3: f64 = f64::from_bits(0x3FD2_4924_9422_9359);
/// 2.222219843214978396e-01
const L4: f64 = f64::from_bits(0x3FCC_71C5_1D8E_78AF);
/// 1.818357216161805012e-01
const L5: f64 = f64::from_bits(0x3FC7_4664_96CB_03DE);
/// 1.531383769920937332e-01
const L6: f64 = f64::from_bits(0x3FC3_9A09_D078_C69F);
/// 1.479819860511658591e-01
const L7: f64 = f64::from_bits(0x3FC2_F112_DF3E_5244);

/// ln x of a normal number above 0, equal to the bit to `Math.log(x)` of V8 (error below 1 ulp).
pub(crate) fn ln(x: f64) -> f64 {
    // x = 2^k · (1 + f) with √½ < 1 + f < √2.
    let high = (x.to_bits() >> 32) as u32;
    let fraction = (high & 0x000F_FFFF) as i32;
    let halves = (fraction + 0x9_5F64) & 0x10_0000;
    let k = f64::from((high >> 20) as i32 - 1023 + (halves >> 20));
    let low = x.to_bits() & 0xFFFF_FFFF;
    let f = f64::from_bits(u64::from((fraction | (halves ^ 0x3FF0_0000)) as u32) << 32 | low) - 1.0;
    // |f| below 2⁻²⁰.
    if (fraction + 2) & 0x000F_FFFF < 3 {
        let rest = f * f * (0.5 - 0.333_333_333_333_333_3 * f);
        return k * LN2_HIGH - ((rest - k * LN2_LOW) - f);
    }
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (L2 + w * (L4 + w * L6));
    let odd = z * (L1 + w * (L3 + w * (L5 + w * L7)));
    let rest = odd + even;
    if (fraction - 0x6_147A) | (0x6_B851 - fraction) > 0 {
        let half_square = 0.5 * f * f;
        k * LN2_HIGH - ((half_square - (s * (half_square + rest) + k * LN2_LOW)) - f)
    } else {
        k * LN2_HIGH - ((s * (f - rest) - k * LN2_LOW) - f)
    }
}
