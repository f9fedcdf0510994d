//! x to the power of y with the steps, and so the bits, of V8's `Math.pow`; for native builds. In
//! WebAssembly the host's own is called, which later versions of V8 may compute otherwise.
//!
//! Idea: x^y = 2^(y · log2 x). The logarithm is computed in two parts, with more bits than a double
//! has, multiplied by y in two parts, and split into a whole number and a rest for 2^z.
//!
//! Soundness: the extra bits are needed because an error of the logarithm is multiplied by y.
//! Numbers whose lower half is 0 (`high_part`) have exact products, which is how the parts are
//! formed. What is 0, infinite or NaN, negative x and |y| above 2³¹ are left to the standard
//! library.
//!
//! Cost: some 70 operations, two of them divisions. FSRS-6 and the confidence of an answer use it.
//!
//! Adapted from FreeBSD msun `e_pow.c` (fdlibm), the source of `ieee754::pow` in V8, under this
//! notice:
//!
//! > Copyright (C) 2004 by Sun Microsystems, Inc. All rights reserved.
//! >
//! > Permission to use, copy, modify, and distribute this software is freely granted, provided that
//! > this notice is preserved.

/// log2 1.5, in two parts.
const LOG2_OF_MIDDLE: (f64, f64) =
    (f64::from_bits(0x3FE2_B803_4000_0000), f64::from_bits(0x3E4C_FDEB_43CF_D006));

// Polynomial for 3/2·(ln x − 2s − 2/3·s³), s = (x − 1)/(x + 1).
/// 5.99999999999994648725e-01
const L1: f64 = f64::from_bits(0x3FE3_3333_3333_3303);
/// 4.28571428578550184252e-01
const L2: f64 = f64::from_bits(0x3FDB_6DB6_DB6F_ABFF);
/// 3.33333329818377432918e-01
const L3: f64 = f64::from_bits(0x3FD5_5555_518F_264D);
/// 2.72728123808534006489e-01
const L4: f64 = f64::from_bits(0x3FD1_7460_A91D_4101);
/// 2.30660745775561754067e-01
const L5: f64 = f64::from_bits(0x3FCD_864A_93C9_DB65);
/// 2.06975017800338417784e-01
const L6: f64 = f64::from_bits(0x3FCA_7E28_4A45_4EEF);

// Polynomial for 2^z on [−½, ½].
/// 1.66666666666666019037e-01
const P1: f64 = f64::from_bits(0x3FC5_5555_5555_553E);
/// −2.77777777770155933842e-03
const P2: f64 = f64::from_bits(0xBF66_C16C_16BE_BD93);
/// 6.61375632143793436117e-05
const P3: f64 = f64::from_bits(0x3F11_566A_AF25_DE2C);
/// −1.65339022054652515390e-06
const P4: f64 = f64::from_bits(0xBEBB_BD41_C5D2_6BF1);
/// 4.13813679705723846039e-08
const P5: f64 = f64::from_bits(0x3E66_3769_72BE_A4D0);

const LN2: f64 = f64::from_bits(0x3FE6_2E42_FEFA_39EF);
const LN2_HIGH: f64 = f64::from_bits(0x3FE6_2E43_0000_0000);
const LN2_LOW: f64 = f64::from_bits(0xBE20_5C61_0CA8_6C39);
/// 2/(3 ln 2), whole and in two parts.
const FACTOR: f64 = f64::from_bits(0x3FEE_C709_DC3A_03FD);
const FACTOR_HIGH: f64 = f64::from_bits(0x3FEE_C709_E000_0000);
const FACTOR_LOW: f64 = f64::from_bits(0xBE3E_2FE0_145B_01F5);

/// Mantissas (the upper bits) up to √1.5, and below √3.
const TO_ONE: u32 = 0x3988E;
const TO_MIDDLE: u32 = 0xBB67A;
/// The largest |y| that the steps below are valid for: 2³¹.
const LARGEST_EXPONENT: f64 = 2_147_483_648.0;

fn high_word(x: f64) -> u32 {
    (x.to_bits() >> 32) as u32
}

/// Returns the upper half of the bits.
fn high_part(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0xFFFF_FFFF_0000_0000)
}

fn from_high_word(word: u32) -> f64 {
    f64::from_bits(u64::from(word) << 32)
}

/// x to the power of y, equal to the bit to `Math.pow(x, y)` of V8 in Node 20: log2 x in two parts,
/// times y in two parts, and 2 to the power of that.
///
/// The standard library computes 0, infinities, NaN, negative x and |y| above 2³¹.
#[must_use]
pub fn pow(x: f64, y: f64) -> f64 {
    let ordinary = x > 0.0 && x.is_finite() && y != 0.0 && y.abs() <= LARGEST_EXPONENT;
    match y {
        _ if !ordinary => x.powf(y),
        _ if y == 1.0 => x,
        _ if y == -1.0 => 1.0 / x,
        _ if y == 2.0 => x * x,
        _ if y == 0.5 => x.sqrt(),
        _ if x == 1.0 => 1.0,
        _ => {
            let (high, low) = log2(x);
            let y_high = high_part(y);
            exp2(y_high * high, (y - y_high) * high + y * low)
        }
    }
}

/// Returns the binary logarithm in two parts. The lower half of the first part's bits is 0.
fn log2(x: f64) -> (f64, f64) {
    let (x, mut exponent) = if x < f64::MIN_POSITIVE { (x * 2f64.powi(53), -53) } else { (x, 0) };
    exponent += (high_word(x) >> 20) as i32 - 0x3FF;
    let mantissa = high_word(x) & 0x000F_FFFF;
    let mut word = mantissa | 0x3FF0_0000;
    let middle = mantissa > TO_ONE && mantissa < TO_MIDDLE;
    if mantissa >= TO_MIDDLE {
        exponent += 1;
        word -= 0x0010_0000;
    }
    let x = f64::from_bits(u64::from(word) << 32 | x.to_bits() & 0xFFFF_FFFF);
    let (base, (base_high, base_low)) =
        if middle { (1.5, LOG2_OF_MIDDLE) } else { (1.0, (0.0, 0.0)) };

    // s = (x − base)/(x + base), in two parts.
    let u = x - base;
    let v = 1.0 / (x + base);
    let s = u * v;
    let s_high = high_part(s);
    let sum_high =
        from_high_word((word >> 1 | 0x2000_0000) + 0x0008_0000 + (u32::from(middle) << 18));
    let sum_low = x - (sum_high - base);
    let s_low = v * ((u - s_high * sum_high) - s_high * sum_low);

    let s2 = s * s;
    let mut r = s2 * s2 * (L1 + s2 * (L2 + s2 * (L3 + s2 * (L4 + s2 * (L5 + s2 * L6)))));
    r += s_low * (s_high + s);
    let s2 = s_high * s_high;
    let t_high = high_part(3.0 + s2 + r);
    let t_low = r - ((t_high - 3.0) - s2);

    let u = s_high * t_high;
    let v = s_low * t_high + t_low * s;
    let p_high = high_part(u + v);
    let p_low = v - (p_high - u);
    let z_high = FACTOR_HIGH * p_high;
    let z_low = FACTOR_LOW * p_high + p_low * FACTOR + base_low;
    let whole = f64::from(exponent);
    let high = high_part(((z_high + z_low) + base_high) + whole);
    (high, z_low - (((high - whole) - base_high) - z_high))
}

/// Returns 2 to the power of a number in two parts.
fn exp2(high: f64, low: f64) -> f64 {
    let z = low + high;
    if z >= 1025.0 {
        return f64::INFINITY;
    }
    if z <= -1076.0 {
        return 0.0;
    }
    // Halves are rounded away from 0.
    let whole = if z.abs() > 0.5 { (z.abs() + 0.5).floor().copysign(z) } else { 0.0 };
    let high = high - whole;
    let t = high_part(low + high);
    let u = t * LN2_HIGH;
    let v = (low - (t - high)) * LN2 + t * LN2_LOW;
    let z = u + v;
    let w = v - (z - u);
    let t = z * z;
    let t1 = z - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5))));
    // The divisor is V8's: fdlibm subtracts the second difference from the quotient.
    let r = (z * t1) / ((t1 - 2.0) - (w + z * w));
    let z = 1.0 - (r - z);
    // In two steps, because 2^k may leave the range of normal numbers before the product does.
    let n = whole as i32;
    z * 2f64.powi(n / 2) * 2f64.powi(n - n / 2)
}
