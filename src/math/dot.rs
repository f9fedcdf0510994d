//! Dot products: of f32 vectors in a fixed order of additions, and of whole numbers exactly.
//!
//! # Idea
//!
//! A vector is a row of [`Block`]s of 16 components, the last one padded with zeros, which add
//! nothing.
//!
//! - **f32.** There are 16 sums. Lane *l* adds the products of the components *l*, *l* + 16, *l* +
//!   32 …, each product and each sum rounded to f32. Then the lanes are added in halves: *l* and
//!   *l* + 8, then + 4, + 2, + 1.
//! - **Whole numbers.** A query of i16 is multiplied with four rows of i8 at once, which share the
//!   loads of the query. The rows are in *offset binary*: every other number, from the first on,
//!   has 128 added. The two numbers of a 16-bit word are then separated by a mask and a shift,
//!   which any unit of a processor can do; widening bytes is limited to one or two of them. The
//!   product is too large by 128 times the sum of the query's numbers at these places, a constant
//!   that is subtracted.
//!
//! # Invariants
//!
//! - The order of the f32 additions is part of the result: it is the same in the SIMD and the array
//!   version, and golden files hold its bits.
//! - No whole-number product overflows an i32: 127 · *Q* · components is below 2³¹, where *Q* is
//!   the largest number of the query. The caller chooses *Q* so.
//!
//! # Soundness
//!
//! Partial sums of whole numbers may overflow. They wrap, and addition modulo 2³² is associative,
//! so the final sum, which is in range, is exact in any order. An f32 sum is off by at most 2⁻²⁴ of
//! the sum of magnitudes for each step; the search for similar vectors allows for twice that.
//!
//! # Cost
//!
//! One multiplication and one addition per four f32 components; one `dot` instruction per eight i8.

/// The number of separate sums of a product.
pub(crate) const LANES: usize = 16;

/// Components that are loaded together, one per lane.
pub(crate) type Block<T> = [T; LANES];

/// The number of rows that [`dots_i8`] multiplies at once: they share the loads of the vector.
pub(crate) const AT_ONCE: usize = 4;

/// Returns the product of a vector with a row.
///
/// # Panics
/// If the row has fewer blocks than the vector.
#[inline(always)]
pub(crate) fn dot_f32(vector: &[Block<f32>], row: &[Block<f32>]) -> f32 {
    let mut sums = lanes::Sums::ZERO;
    for (vector, row) in vector.iter().zip(&row[..vector.len()]) {
        sums.add_products(vector, row);
    }
    sums.total()
}

/// Converts whole numbers in [−127, 127] to the form of rows for [`dots_i8`], and back: every other
/// number, from the first on, has 128 added. A mask or a shift, which every unit of a processor can
/// do, then extracts each number of a 16-bit word. Widening bytes would be limited to one or two
/// units.
pub(crate) fn offset_binary(numbers: &mut [i8]) {
    let pairs = numbers.chunks_mut(2);
    pairs.for_each(|pair| pair[0] ^= i8::MIN);
}

/// A vector of whole numbers, prepared for products with rows.
#[derive(Debug)]
pub(crate) struct Factors {
    /// Each block has first the numbers at even places, then those at odd places.
    blocks: Vec<Block<i16>>,
    /// The excess of a product: 128 times the sum of the numbers at even places.
    excess: i32,
}

impl Factors {
    /// The caller ensures that no product overflows an i32: for numbers of magnitude *Q* at most,
    /// 127 · *Q* · the number of components must be less than 2³¹.
    pub(crate) fn new(vector: &[i16]) -> Self {
        let mut blocks = vec![[0; LANES]; vector.len().div_ceil(LANES)];
        for (at, &number) in vector.iter().enumerate() {
            blocks[at / LANES][at % 2 * (LANES / 2) + at % LANES / 2] = number;
        }
        let evens = vector.iter().step_by(2);
        Self { blocks, excess: evens.map(|&number| 128 * i32::from(number)).sum() }
    }

    /// Returns the number of blocks of the vector.
    pub(crate) fn width(&self) -> usize {
        self.blocks.len()
    }
}

/// Returns the exact products of a vector with rows of whole numbers in [`offset_binary`]. Partial
/// sums may overflow and wrap; the products do not overflow and are exact.
///
/// The rows are separate parameters, because LLVM checks the bounds of a row in an array in the
/// loop, which costs a tenth.
///
/// # Panics
/// If a row has fewer blocks than the vector.
#[inline(always)]
pub(crate) fn dots_i8(
    Factors { blocks, excess }: &Factors,
    rows: [&[Block<i8>]; AT_ONCE],
) -> [i32; AT_ONCE] {
    let [a, b, c, d] = rows.map(|row| &row[..blocks.len()]);
    let mut sums = [lanes::WholeSums::ZERO; AT_ONCE];
    for ((((factors, a), b), c), d) in blocks.iter().zip(a).zip(b).zip(c).zip(d) {
        for (sum, row) in sums.iter_mut().zip([a, b, c, d]) {
            sum.add_products(factors, row);
        }
    }
    sums.map(|sum| sum.total().wrapping_sub(*excess))
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod lanes {
    //! The sums in `v128`s.

    use core::arch::wasm32::*;

    use super::Block;

    #[derive(Clone, Copy)]
    pub struct Sums([v128; 4]);

    impl Sums {
        pub const ZERO: Self = Self([f32x4(0.0, 0.0, 0.0, 0.0); 4]);

        #[inline(always)]
        pub fn add_products(&mut self, a: &Block<f32>, b: &Block<f32>) {
            let (a, b) = (a.as_chunks::<4>().0, b.as_chunks::<4>().0);
            for (sum, (&a, &b)) in self.0.iter_mut().zip(a.iter().zip(b)) {
                let (a, b) = (bytemuck::must_cast(a), bytemuck::must_cast(b));
                *sum = f32x4_add(*sum, f32x4_mul(a, b));
            }
        }

        #[inline(always)]
        pub fn total(self) -> f32 {
            let [a, b, c, d] = self.0;
            let four = f32x4_add(f32x4_add(a, c), f32x4_add(b, d));
            let two = f32x4_add(four, i32x4_shuffle::<2, 3, 0, 1>(four, four));
            f32x4_extract_lane::<0>(two) + f32x4_extract_lane::<1>(two)
        }
    }

    #[derive(Clone, Copy)]
    pub struct WholeSums(v128);

    impl WholeSums {
        pub const ZERO: Self = Self(i32x4(0, 0, 0, 0));

        #[inline(always)]
        pub fn add_products(&mut self, factors: &Block<i16>, row: &Block<i8>) {
            let [even_factors, odd_factors]: [v128; 2] = bytemuck::must_cast(*factors);
            let words: v128 = bytemuck::must_cast(*row);
            let (evens, odds) = (v128_and(words, u16x8_splat(0xff)), i16x8_shr(words, 8));
            let products =
                i32x4_add(i32x4_dot_i16x8(even_factors, evens), i32x4_dot_i16x8(odd_factors, odds));
            self.0 = i32x4_add(self.0, products);
        }

        #[inline(always)]
        pub fn total(self) -> i32 {
            let two = i32x4_add(self.0, i32x4_shuffle::<2, 3, 0, 1>(self.0, self.0));
            i32x4_extract_lane::<0>(two).wrapping_add(i32x4_extract_lane::<1>(two))
        }
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod lanes {
    //! The sums in arrays, which the compiler turns into vector instructions if the target has
    //! them.

    use super::{Block, LANES};

    #[derive(Clone, Copy)]
    pub struct Sums([f32; LANES]);

    impl Sums {
        pub const ZERO: Self = Self([0.0; LANES]);

        #[inline(always)]
        pub fn add_products(&mut self, a: &Block<f32>, b: &Block<f32>) {
            for (sum, (a, b)) in self.0.iter_mut().zip(a.iter().zip(b)) {
                *sum += a * b;
            }
        }

        #[inline(always)]
        pub fn total(self) -> f32 {
            let mut sums = self.0;
            for half in [8, 4, 2, 1] {
                for lane in 0..half {
                    sums[lane] += sums[lane + half];
                }
            }
            sums[0]
        }
    }

    #[derive(Clone, Copy)]
    pub struct WholeSums(i32);

    impl WholeSums {
        pub const ZERO: Self = Self(0);

        #[inline(always)]
        pub fn add_products(&mut self, factors: &Block<i16>, row: &Block<i8>) {
            let (even_factors, odd_factors) = factors.split_at(LANES / 2);
            let words = row.as_chunks::<2>().0.iter().zip(even_factors.iter().zip(odd_factors));
            let products = words.map(|(&[even, odd], (&even_factor, &odd_factor))| {
                i32::from(even.cast_unsigned()) * i32::from(even_factor)
                    + i32::from(odd) * i32::from(odd_factor)
            });
            self.0 = products.fold(self.0, i32::wrapping_add);
        }

        #[inline(always)]
        pub fn total(self) -> i32 {
            self.0
        }
    }
}
