//! Two doubles side by side ([`F64x2`]), e^x over them, and reductions of columns: the inner loops
//! of ranking and of the decay sweep.
//!
//! # Idea
//!
//! On wasm32 with `simd128` a pair is one `v128`. On other targets it is an array of two with the
//! same operations, which the compiler turns into vector instructions if the target has them. There
//! is no wider type: WebAssembly has 128 bits.
//!
//! # Invariants
//!
//! - Every operation rounds as its scalar counterpart does, so lanes agree with scalar code to the
//!   bit.
//! - Comparisons with NaN are false in both versions. `greater` and `lesser` return `self` if the
//!   lanes are equal or do not compare, as `pmax` and `pmin` of WebAssembly do. They are not
//!   `f64::max`.
//! - [`exp_pairs`] takes the steps of [`exp`](crate::math::exp()) in their order. It replaces the
//!   branches of `exp` by values for which the formula of the main branch gives the same bits.
//!
//! # Cost
//!
//! An operation on a pair costs what one on a double does. Steps that wait for each other do not
//! become quicker, so loops interleave several independent pairs: four in [`exp_pairs`], four
//! chains in the reductions.

mod exp;
mod reduce;

use core::ops::{Add, Div, Mul, Sub};

pub use exp::{exp_pairs, exp_x2};
pub(crate) use reduce::{greatest_high_bits, greatest_of, range_of};

/// Two doubles that are computed at once.
///
/// `+ − · /` work lane by lane. Comparisons and masks stay inside this crate.
#[derive(Clone, Copy)]
pub struct F64x2(Pair);

/// Two conditions, one per lane.
#[derive(Clone, Copy)]
pub(crate) struct Mask(Conditions);

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
type Conditions = core::arch::wasm32::v128;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
type Conditions = [bool; 2];

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
type Pair = core::arch::wasm32::v128;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
type Pair = [f64; 2];

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod pair {
    //! The operations on a `v128`.

    use core::arch::wasm32::*;

    use super::{F64x2, Mask};

    impl F64x2 {
        #[inline(always)]
        pub(super) fn make(first: f64, second: f64) -> Self {
            Self(f64x2(first, second))
        }

        #[inline(always)]
        pub(super) fn read(from: &[f64; 2]) -> Self {
            Self(bytemuck::must_cast(*from))
        }

        #[inline(always)]
        pub(super) fn write(self, to: &mut [f64; 2]) {
            *to = bytemuck::must_cast(self.0);
        }

        #[inline(always)]
        pub(super) fn split(self) -> [f64; 2] {
            [f64x2_extract_lane::<0>(self.0), f64x2_extract_lane::<1>(self.0)]
        }

        #[inline(always)]
        pub(super) fn plus(self, other: Self) -> Self {
            Self(f64x2_add(self.0, other.0))
        }

        #[inline(always)]
        pub(super) fn minus(self, other: Self) -> Self {
            Self(f64x2_sub(self.0, other.0))
        }

        #[inline(always)]
        pub(super) fn times(self, other: Self) -> Self {
            Self(f64x2_mul(self.0, other.0))
        }

        #[inline(always)]
        pub(super) fn over(self, other: Self) -> Self {
            Self(f64x2_div(self.0, other.0))
        }

        /// Whether all lanes of all pairs lie in [low, high]. False for NaN.
        #[inline(always)]
        pub(super) fn all_within<const N: usize>(pairs: &[Self; N], low: f64, high: f64) -> bool {
            let mut inside = i64x2_splat(-1);
            for pair in pairs {
                inside = v128_and(inside, f64x2_ge(pair.0, f64x2_splat(low)));
                inside = v128_and(inside, f64x2_le(pair.0, f64x2_splat(high)));
            }
            i64x2_bitmask(inside) == 0b11
        }

        /// Rounds lanes in (−2³¹, 0] towards zero.
        #[inline(always)]
        pub(super) fn truncate_negative(self) -> Self {
            Self(f64x2_ceil(self.0))
        }

        /// The lanes of `self` where `x` ≤ `bound`, and +0 elsewhere.
        #[inline(always)]
        pub(crate) fn where_at_most(self, x: Self, bound: f64) -> Self {
            Self(v128_and(self.0, f64x2_le(x.0, f64x2_splat(bound))))
        }

        /// The lanes of `self` where `x` > `bound`, and +0 elsewhere.
        #[inline(always)]
        pub(crate) fn where_above(self, x: Self, bound: f64) -> Self {
            Self(v128_and(self.0, f64x2_gt(x.0, f64x2_splat(bound))))
        }

        /// The lanes of `self` where `x` < `bound`, and +0 elsewhere.
        #[inline(always)]
        pub(crate) fn where_below(self, x: Self, bound: f64) -> Self {
            Self(v128_and(self.0, f64x2_lt(x.0, f64x2_splat(bound))))
        }

        /// Rounds down to whole numbers.
        #[inline(always)]
        pub(crate) fn floor(self) -> Self {
            Self(f64x2_floor(self.0))
        }

        /// The greater of each two lanes, or `self` if they are equal or do not compare.
        #[inline(always)]
        pub(crate) fn greater(self, other: Self) -> Self {
            Self(f64x2_pmax(self.0, other.0))
        }

        /// The lesser of each two lanes, or `self` if they are equal or do not compare.
        #[inline(always)]
        pub(crate) fn lesser(self, other: Self) -> Self {
            Self(f64x2_pmin(self.0, other.0))
        }

        /// The magnitudes.
        #[inline(always)]
        pub(crate) fn magnitude(self) -> Self {
            Self(f64x2_abs(self.0))
        }

        /// For each 32-bit half of each two lanes, the greater.
        #[inline(always)]
        pub(super) fn greater_halves(self, other: Self) -> Self {
            Self(u32x4_max(self.0, other.0))
        }

        /// The first lanes of both.
        #[inline(always)]
        pub(crate) fn firsts(self, other: Self) -> Self {
            Self(i64x2_shuffle::<0, 2>(self.0, other.0))
        }

        /// The second lanes of both.
        #[inline(always)]
        pub(crate) fn seconds(self, other: Self) -> Self {
            Self(i64x2_shuffle::<1, 3>(self.0, other.0))
        }

        /// Whether each lane lies in [low, high]. False for NaN.
        #[inline(always)]
        pub(crate) fn lies_in(self, low: Self, high: Self) -> Mask {
            Mask(v128_and(f64x2_ge(self.0, low.0), f64x2_le(self.0, high.0)))
        }

        /// Whether each two lanes are equal.
        #[inline(always)]
        pub(crate) fn equals(self, other: Self) -> Mask {
            Mask(f64x2_eq(self.0, other.0))
        }

        /// Whether each lane is below the other.
        #[inline(always)]
        pub(crate) fn below(self, other: Self) -> Mask {
            Mask(f64x2_lt(self.0, other.0))
        }

        /// Whether each lane is at most the other.
        #[inline(always)]
        pub(crate) fn at_most(self, other: Self) -> Mask {
            Mask(f64x2_le(self.0, other.0))
        }
    }

    impl Mask {
        #[inline(always)]
        pub(crate) fn and(self, other: Self) -> Self {
            Self(v128_and(self.0, other.0))
        }

        /// Whether both lanes hold.
        #[inline(always)]
        pub(crate) fn all(self) -> bool {
            i64x2_all_true(self.0)
        }

        /// One bit per lane, the first lowest.
        #[inline(always)]
        pub(crate) fn bits(self) -> u32 {
            u32::from(i64x2_bitmask(self.0))
        }

        /// For each lane of four pairs, the number of its four masks that hold, as a byte.
        #[inline(always)]
        pub(crate) fn counts(masks: [[Self; 4]; 4]) -> [u8; 8] {
            // A mask that holds is −1.
            let sums =
                masks.map(|[a, b, c, d]| i64x2_add(i64x2_add(a.0, b.0), i64x2_add(c.0, d.0)));
            let words = narrow(sums);
            let bytes = i8x16_neg(i8x16_narrow_i16x8(words, words));
            i64x2_extract_lane::<0>(bytes).to_le_bytes()
        }

        /// One bit per lane of eight pairs, the first lowest.
        #[inline(always)]
        pub(crate) fn bits_of([a, b, c, d, e, f, g, h]: [Self; 8]) -> u16 {
            let [low, high] =
                [[a, b, c, d], [e, f, g, h]].map(|masks| narrow(masks.map(|mask| mask.0)));
            i8x16_bitmask(i8x16_narrow_i16x8(low, high))
        }
    }

    /// Narrows eight small numbers of 64 bits to 16 bits.
    #[inline(always)]
    fn narrow([a, b, c, d]: [v128; 4]) -> v128 {
        i16x8_narrow_i32x4(i32x4_shuffle::<0, 2, 4, 6>(a, b), i32x4_shuffle::<0, 2, 4, 6>(c, d))
    }

    /// The highest bit of each byte, the first lowest.
    #[inline(always)]
    pub(crate) fn highest_bits(bytes: &[u8; 16]) -> u16 {
        i8x16_bitmask(bytemuck::must_cast(*bytes))
    }

    impl F64x2 {
        /// Adds the low 12 bits of `k` to sign and exponent: times 2^k, if both factor and product
        /// are normal.
        #[inline(always)]
        pub(super) fn add_to_exponent(self, k: Self) -> Self {
            Self(i64x2_add(self.0, i64x2_shl(k.0, 52)))
        }
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod pair {
    //! The same operations on an array, for targets without `simd128`.

    use core::array::from_fn;

    use super::{F64x2, Mask, WHOLE_IN_LOW_BITS};

    impl F64x2 {
        #[inline(always)]
        pub(super) fn make(first: f64, second: f64) -> Self {
            Self([first, second])
        }

        #[inline(always)]
        pub(super) fn read(from: &[f64; 2]) -> Self {
            Self(*from)
        }

        #[inline(always)]
        pub(super) fn write(self, to: &mut [f64; 2]) {
            *to = self.0;
        }

        #[inline(always)]
        pub(super) fn split(self) -> [f64; 2] {
            self.0
        }

        #[inline(always)]
        fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
            Self([f(self.0[0], other.0[0]), f(self.0[1], other.0[1])])
        }

        #[inline(always)]
        pub(super) fn plus(self, other: Self) -> Self {
            self.zip(other, |a, b| a + b)
        }

        #[inline(always)]
        pub(super) fn minus(self, other: Self) -> Self {
            self.zip(other, |a, b| a - b)
        }

        #[inline(always)]
        pub(super) fn times(self, other: Self) -> Self {
            self.zip(other, |a, b| a * b)
        }

        #[inline(always)]
        pub(super) fn over(self, other: Self) -> Self {
            self.zip(other, |a, b| a / b)
        }

        /// Whether all lanes of all pairs lie in [low, high]. False for NaN.
        #[inline(always)]
        pub(super) fn all_within<const N: usize>(pairs: &[Self; N], low: f64, high: f64) -> bool {
            // `&`, not `&&`: one branch for all of them.
            pairs.iter().fold(true, |inside, Self([a, b])| {
                inside & (*a >= low) & (*a <= high) & (*b >= low) & (*b <= high)
            })
        }

        /// Rounds lanes in (−2³¹, 0] towards zero.
        #[inline(always)]
        pub(super) fn truncate_negative(self) -> Self {
            // Not `trunc`: it is a call if the target has no instruction for it.
            self.zip(self, |a, _| {
                let nearest = (a + WHOLE_IN_LOW_BITS) - WHOLE_IN_LOW_BITS;
                nearest + if nearest < a { 1.0 } else { 0.0 }
            })
        }

        /// The lanes of `self` where `x` ≤ `bound`, and +0 elsewhere.
        #[inline(always)]
        pub(crate) fn where_at_most(self, x: Self, bound: f64) -> Self {
            self.zip(x, |a, x| if x <= bound { a } else { 0.0 })
        }

        /// The lanes of `self` where `x` > `bound`, and +0 elsewhere.
        #[inline(always)]
        pub(crate) fn where_above(self, x: Self, bound: f64) -> Self {
            self.zip(x, |a, x| if x > bound { a } else { 0.0 })
        }

        /// The lanes of `self` where `x` < `bound`, and +0 elsewhere.
        #[inline(always)]
        pub(crate) fn where_below(self, x: Self, bound: f64) -> Self {
            self.zip(x, |a, x| if x < bound { a } else { 0.0 })
        }

        /// Rounds down to whole numbers.
        #[inline(always)]
        pub(crate) fn floor(self) -> Self {
            self.zip(self, |a, _| a.floor())
        }

        /// The greater of each two lanes, or `self` if they are equal or do not compare.
        #[inline(always)]
        pub(crate) fn greater(self, other: Self) -> Self {
            self.zip(other, |a, b| if a < b { b } else { a })
        }

        /// The lesser of each two lanes, or `self` if they are equal or do not compare.
        #[inline(always)]
        pub(crate) fn lesser(self, other: Self) -> Self {
            self.zip(other, |a, b| if b < a { b } else { a })
        }

        /// The magnitudes.
        #[inline(always)]
        pub(crate) fn magnitude(self) -> Self {
            self.zip(self, |a, _| a.abs())
        }

        /// For each 32-bit half of each two lanes, the greater.
        #[inline(always)]
        pub(super) fn greater_halves(self, other: Self) -> Self {
            let high = |bits: u64| bits >> 32;
            let low = |bits: u64| bits & u64::from(u32::MAX);
            self.zip(other, |a, b| {
                let (a, b) = (a.to_bits(), b.to_bits());
                f64::from_bits(high(a).max(high(b)) << 32 | low(a).max(low(b)))
            })
        }

        /// The first lanes of both.
        #[inline(always)]
        pub(crate) fn firsts(self, other: Self) -> Self {
            Self([self.0[0], other.0[0]])
        }

        /// The second lanes of both.
        #[inline(always)]
        pub(crate) fn seconds(self, other: Self) -> Self {
            Self([self.0[1], other.0[1]])
        }

        /// Whether each lane lies in [low, high]. False for NaN.
        #[inline(always)]
        pub(crate) fn lies_in(self, low: Self, high: Self) -> Mask {
            let ([a0, a1], [low0, low1], [high0, high1]) = (self.0, low.0, high.0);
            Mask([(a0 >= low0) & (a0 <= high0), (a1 >= low1) & (a1 <= high1)])
        }

        /// Whether each two lanes are equal.
        #[inline(always)]
        pub(crate) fn equals(self, other: Self) -> Mask {
            Mask([self.0[0] == other.0[0], self.0[1] == other.0[1]])
        }

        /// Whether each lane is below the other.
        #[inline(always)]
        pub(crate) fn below(self, other: Self) -> Mask {
            Mask([self.0[0] < other.0[0], self.0[1] < other.0[1]])
        }

        /// Whether each lane is at most the other.
        #[inline(always)]
        pub(crate) fn at_most(self, other: Self) -> Mask {
            Mask([self.0[0] <= other.0[0], self.0[1] <= other.0[1]])
        }
    }

    impl Mask {
        #[inline(always)]
        pub(crate) fn and(self, other: Self) -> Self {
            Self([self.0[0] & other.0[0], self.0[1] & other.0[1]])
        }

        /// Whether both lanes hold.
        #[inline(always)]
        pub(crate) fn all(self) -> bool {
            self.0[0] & self.0[1]
        }

        /// One bit per lane, the first lowest.
        #[inline(always)]
        pub(crate) fn bits(self) -> u32 {
            u32::from(self.0[0]) | u32::from(self.0[1]) << 1
        }

        /// For each lane of four pairs, the number of its four masks that hold, as a byte.
        #[inline(always)]
        pub(crate) fn counts(masks: [[Self; 4]; 4]) -> [u8; 8] {
            from_fn(|lane| masks[lane / 2].iter().map(|mask| u8::from(mask.0[lane % 2])).sum())
        }

        /// One bit per lane of eight pairs, the first lowest.
        #[inline(always)]
        pub(crate) fn bits_of(masks: [Self; 8]) -> u16 {
            masks.iter().rev().fold(0, |bits, mask| bits << 2 | mask.bits() as u16)
        }
    }

    /// The highest bit of each byte, the first lowest.
    #[inline(always)]
    pub(crate) fn highest_bits(bytes: &[u8; 16]) -> u16 {
        bytes.iter().rev().fold(0, |bits, byte| bits << 1 | u16::from(byte >> 7))
    }

    impl F64x2 {
        /// Adds the low 12 bits of `k` to sign and exponent: times 2^k, if both factor and product
        /// are normal.
        #[inline(always)]
        pub(super) fn add_to_exponent(self, k: Self) -> Self {
            self.zip(k, |a, k| f64::from_bits(a.to_bits().wrapping_add(k.to_bits() << 52)))
        }
    }
}

pub(crate) use pair::highest_bits;

impl F64x2 {
    /// Creates a pair of two values.
    #[inline(always)]
    #[must_use]
    pub fn new(first: f64, second: f64) -> Self {
        Self::make(first, second)
    }

    /// Creates a pair of twice the same value.
    #[inline(always)]
    #[must_use]
    pub fn splat(value: f64) -> Self {
        Self::make(value, value)
    }

    /// Creates a pair of the values in `from`, as `as_chunks::<2>()` of a column returns them.
    #[inline(always)]
    #[must_use]
    pub fn load(from: &[f64; 2]) -> Self {
        Self::read(from)
    }

    /// Writes both values to `to`.
    #[inline(always)]
    pub fn store(self, to: &mut [f64; 2]) {
        self.write(to);
    }

    /// Returns both values, the first one first.
    #[inline(always)]
    #[must_use]
    pub fn to_array(self) -> [f64; 2] {
        self.split()
    }
}

impl Add for F64x2 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.plus(other)
    }
}

impl Sub for F64x2 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.minus(other)
    }
}

impl Mul for F64x2 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.times(other)
    }
}

impl Div for F64x2 {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.over(other)
    }
}

/// 1½ · 2⁵². Adding it removes a number's fraction, and the low bits of the sum are the rounded
/// number in two's complement.
pub(crate) const WHOLE_IN_LOW_BITS: f64 = 6_755_399_441_055_744.0;

/// Returns the low 32 bits of a number, rounded to the nearest whole one. An addition takes less
/// time than the saturating conversion.
#[inline(always)]
pub(crate) fn low_bits(whole: f64) -> usize {
    (whole + WHOLE_IN_LOW_BITS).to_bits() as u32 as usize
}
