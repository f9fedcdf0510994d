//! Dot products of vectors, summed in a fixed order, so that every platform gives the same bits.
//!
//! A vector is a row of [`Block`]s, the last one padded with zeros. Lane *l* multiplies and adds the components *l*,
//! *l* + 16, *l* + 32 …, each product and each sum rounded to f32. Then the lanes are added in pairs: *l* and *l* + 8, of
//! the eight sums *l* and *l* + 4, then + 2, then + 1. Sums of whole numbers are exact in any order.

/// Sums kept apart while a product is summed.
pub(crate) const LANES: usize = 16;

/// Components that are loaded together, one a lane.
pub(crate) type Block<T> = [T; LANES];

/// Rows that [`dots_i8`] takes at once: they share the loads of the vector.
pub(crate) const AT_ONCE: usize = 4;

/// The product of a vector with a row.
///
/// # Panics
/// When the row has fewer blocks than the vector.
#[inline(always)]
pub(crate) fn dot_f32(vector: &[Block<f32>], row: &[Block<f32>]) -> f32 {
    let mut sums = lanes::Sums::ZERO;
    for (vector, row) in vector.iter().zip(&row[..vector.len()]) {
        sums.add_products(vector, row);
    }
    sums.total()
}

/// The products of a vector with some rows over whole numbers, exactly: those of the rows in [−127, 127], those of `vector`
/// in twice the room, in which all are multiplied.
///
/// The caller sees to it that no sum overflows an i32: with numbers of up to *Q* in `vector`, none is further from 0 than
/// 127 · *Q* · the number of components, in whatever order and however many lanes the products are added, and that has to
/// be less than 2³¹.
///
/// A function of its own, and rows by name instead of by number: what a loop around it keeps would have V8 put sums on the
/// stack, and LLVM keeps looking whether a row by number ends. Either costs a tenth.
///
/// # Panics
/// When a row has fewer blocks than `vector`.
#[inline(never)]
pub(crate) fn dots_i8(vector: &[Block<i16>], rows: [&[Block<i8>]; AT_ONCE]) -> [i32; AT_ONCE] {
    let [a, b, c, d] = rows.map(|row| &row[..vector.len()]);
    let mut sums = [lanes::WholeSums::ZERO; AT_ONCE];
    for ((((vector, a), b), c), d) in vector.iter().zip(a).zip(b).zip(c).zip(d) {
        for (sum, row) in sums.iter_mut().zip([a, b, c, d]) {
            sum.add_products(vector, row);
        }
    }
    sums.map(lanes::WholeSums::total)
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
        pub fn add_products(&mut self, a: &Block<i16>, b: &Block<i8>) {
            let (a, b) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
            for (&a, &b) in a.iter().zip(b) {
                let b = i16x8_extend_low_i8x16(i64x2(bytemuck::must_cast(b), 0));
                self.0 = i32x4_add(self.0, i32x4_dot_i16x8(bytemuck::must_cast(a), b));
            }
        }

        #[inline(always)]
        pub fn total(self) -> i32 {
            let two = i32x4_add(self.0, i32x4_shuffle::<2, 3, 0, 1>(self.0, self.0));
            i32x4_extract_lane::<0>(two) + i32x4_extract_lane::<1>(two)
        }
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod lanes {
    //! The sums in arrays, which the compiler turns into vector instructions where the target has them.

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
        pub fn add_products(&mut self, a: &Block<i16>, b: &Block<i8>) {
            let products = a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b));
            self.0 += products.sum::<i32>();
        }

        #[inline(always)]
        pub fn total(self) -> i32 {
            self.0
        }
    }
}
