//! Four numbers of f32 at once: as `v128` in WebAssembly, as an array elsewhere. Both give the same
//! bits.
//!
//! # Invariants
//!
//! - Every operation on f32 rounds as IEEE 754 says. None is fused or relaxed.
//! - [`Floats::larger`] and [`Floats::smaller`] are comparisons, and return the first operand if one
//!   is not a number. The instructions of processors that take a maximum disagree there.
//! - Rounding to whole numbers takes the even one of two neighbours that are equally near. Numbers
//!   beyond the range become its ends, and what is not a number becomes 0.

/// Four numbers of f32 in memory.
pub(crate) type Quad = [f32; 4];

/// Two neighbouring whole numbers.
pub(crate) type Pair = [i16; 2];

pub(crate) use here::Floats;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod here {
    use core::arch::wasm32::*;

    use bytemuck::must_cast;

    use super::{Pair, Quad};

    #[derive(Clone, Copy)]
    pub struct Floats(v128);

    impl Floats {
        #[inline(always)]
        pub fn all(value: f32) -> Self {
            Self(f32x4_splat(value))
        }

        #[inline(always)]
        pub fn of(quad: &Quad) -> Self {
            Self(must_cast(*quad))
        }

        /// Whole numbers of i32, rounded.
        #[inline(always)]
        pub fn of_whole(numbers: v128) -> Self {
            Self(f32x4_convert_i32x4(numbers))
        }

        #[inline(always)]
        pub fn quad(self) -> Quad {
            must_cast(self.0)
        }

        #[inline(always)]
        pub fn plus(self, other: Self) -> Self {
            Self(f32x4_add(self.0, other.0))
        }

        #[inline(always)]
        pub fn minus(self, other: Self) -> Self {
            Self(f32x4_sub(self.0, other.0))
        }

        #[inline(always)]
        pub fn times(self, other: Self) -> Self {
            Self(f32x4_mul(self.0, other.0))
        }

        #[inline(always)]
        pub fn over(self, other: Self) -> Self {
            Self(f32x4_div(self.0, other.0))
        }

        #[inline(always)]
        pub fn magnitude(self) -> Self {
            Self(f32x4_abs(self.0))
        }

        /// The larger of two numbers each.
        #[inline(always)]
        pub fn larger(self, other: Self) -> Self {
            Self(f32x4_pmax(self.0, other.0))
        }

        /// The smaller of two numbers each.
        #[inline(always)]
        pub fn smaller(self, other: Self) -> Self {
            Self(f32x4_pmin(self.0, other.0))
        }

        /// The nearest whole numbers.
        #[inline(always)]
        pub fn rounded(self) -> Self {
            Self(f32x4_nearest(self.0))
        }

        /// 2 to the power of whole numbers from −126 to 127.
        #[inline(always)]
        pub fn power_of_two(self) -> Self {
            let exponent = i32x4_add(i32x4_trunc_sat_f32x4(self.0), i32x4_splat(127));
            Self(i32x4_shl(exponent, 23))
        }

        /// Whole numbers as two pairs. They are cut off at the ends of i16.
        #[inline(always)]
        pub fn pairs(self) -> [Pair; 2] {
            let wide = i32x4_trunc_sat_f32x4(self.0);
            let [first, second, ..]: [Pair; 4] = must_cast(i16x8_narrow_i32x4(wide, wide));
            [first, second]
        }
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod here {
    use super::{Pair, Quad};

    #[derive(Clone, Copy)]
    pub struct Floats(Quad);

    impl Floats {
        #[inline(always)]
        pub fn all(value: f32) -> Self {
            Self([value; 4])
        }

        #[inline(always)]
        pub fn of(quad: &Quad) -> Self {
            Self(*quad)
        }

        #[inline(always)]
        pub fn of_whole(numbers: [i32; 4]) -> Self {
            Self(numbers.map(|number| number as f32))
        }

        #[inline(always)]
        pub fn quad(self) -> Quad {
            self.0
        }

        #[inline(always)]
        pub fn plus(self, other: Self) -> Self {
            self.with(other, |a, b| a + b)
        }

        #[inline(always)]
        pub fn minus(self, other: Self) -> Self {
            self.with(other, |a, b| a - b)
        }

        #[inline(always)]
        pub fn times(self, other: Self) -> Self {
            self.with(other, |a, b| a * b)
        }

        #[inline(always)]
        pub fn over(self, other: Self) -> Self {
            self.with(other, |a, b| a / b)
        }

        #[inline(always)]
        pub fn magnitude(self) -> Self {
            Self(self.0.map(f32::abs))
        }

        #[inline(always)]
        pub fn larger(self, other: Self) -> Self {
            self.with(other, |a, b| if a < b { b } else { a })
        }

        #[inline(always)]
        pub fn smaller(self, other: Self) -> Self {
            self.with(other, |a, b| if b < a { b } else { a })
        }

        #[inline(always)]
        pub fn rounded(self) -> Self {
            // Numbers of this magnitude have no bits for fractions.
            const LARGE: f32 = 1.5 * 8_388_608.0;
            let is_small = |number: f32| number.abs() < 4_194_304.0;
            let rounded = |number| if is_small(number) { number + LARGE - LARGE } else { number };
            Self(self.0.map(rounded))
        }

        #[inline(always)]
        pub fn power_of_two(self) -> Self {
            let bits = |number: f32| (number as i32).wrapping_add(127) << 23;
            Self(self.0.map(|number| f32::from_bits(bits(number).cast_unsigned())))
        }

        #[inline(always)]
        pub fn pairs(self) -> [Pair; 2] {
            // A conversion of a float cuts off at the ends.
            let [a, b, c, d] = self.0.map(|number| number as i16);
            [[a, b], [c, d]]
        }

        #[inline(always)]
        fn with(self, other: Self, operation: impl Fn(f32, f32) -> f32) -> Self {
            let mut result = self.0;
            for (a, b) in result.iter_mut().zip(other.0) {
                *a = operation(*a, b);
            }
            Self(result)
        }
    }
}

impl Floats {
    /// The sum of the four numbers: first of those two apart, then of both.
    #[inline(always)]
    pub fn total(self) -> f32 {
        let [a, b, c, d] = self.quad();
        (a + c) + (b + d)
    }

    /// The largest of the four numbers.
    #[inline(always)]
    pub fn top(self) -> f32 {
        let [a, b, c, d] = self.quad();
        let larger = |a: f32, b: f32| if a < b { b } else { a };
        larger(larger(a, c), larger(b, d))
    }

    /// e to the power of numbers up to 0. Below −87 it stays at e⁻⁸⁷, which is next to nothing.
    ///
    /// With *n* the nearest whole number to x / ln 2, eˣ is 2ⁿ times e to the rest, which is at most
    /// 0.35. ln 2 is taken away in two parts, of which the first times *n* is exact. The polynomial
    /// for the rest is that of the library Cephes, and is off by two units of the last place.
    #[inline(always)]
    pub fn exponential(self) -> Self {
        const LN_2_HIGH: f32 = 355.0 / 512.0;
        const LN_2_LOW: f32 = -2.121_944_4e-4;
        let x = self.larger(Self::all(-87.0));
        let n = x.times(Self::all(std::f32::consts::LOG2_E)).rounded();
        let high = x.minus(n.times(Self::all(LN_2_HIGH)));
        let rest = high.minus(n.times(Self::all(LN_2_LOW)));
        let coefficients = [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];
        let polynomial = coefficients
            .into_iter()
            .fold(Self::all(1.987_569_1e-4), |sum, next| sum.times(rest).plus(Self::all(next)));
        let power = polynomial.times(rest.times(rest)).plus(rest).plus(Self::all(1.0));
        power.times(n.power_of_two())
    }

    /// The activation GELU: a number times the share of normally distributed numbers below it.
    ///
    /// The share is (1 + erf(x / √2)) / 2. The quotient of polynomials for erf, between −4 and 4, is
    /// that of the library Eigen, and is off by less than 3 · 10⁻⁷.
    #[inline(always)]
    pub fn gelu(self) -> Self {
        let scaled = self.times(Self::all(std::f32::consts::FRAC_1_SQRT_2));
        let x = scaled.smaller(Self::all(4.0)).larger(Self::all(-4.0));
        let square = x.times(x);
        let sum = |first: f32, others: &[f32]| {
            others
                .iter()
                .fold(Self::all(first), |sum, &next| sum.times(square).plus(Self::all(next)))
        };
        let above = sum(
            -2.726_142_3e-10,
            &[
                2.770_681_4e-8,
                -2.101_024e-6,
                -5.692_506_5e-5,
                -7.349_906_3e-4,
                -2.954_6e-3,
                -1.609_603_3e-2,
            ],
        );
        let below =
            sum(-1.456_607_2e-5, &[-2.133_740_5e-4, -1.682_827e-3, -7.373_329e-3, -1.426_473_9e-2]);
        let erf = x.times(above).over(below);
        let half = self.times(Self::all(0.5));
        half.plus(half.times(erf))
    }
}
