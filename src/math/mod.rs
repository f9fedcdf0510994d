//! e^x, e^x − 1, tanh, ln and powers to the bit of V8: for one value, in lanes and from tables.
//!
//! # Idea
//!
//! A score must come out the same whether a host computes it in JavaScript, the engine in
//! WebAssembly or the engine natively. The standard library's functions come from the platform and
//! differ in the last bit. So the functions that ranking, decay and BM25 need are written out here
//! with V8's steps.
//!
//! - [`exp()`], [`expm1()`], [`tanh()`]: one value.
//! - `pow`, natively: the C library's, which V8 calls too. In WebAssembly the host's is called.
//! - [`exp_x2`] and [`exp_pairs`] over [`F64x2`]: two and more values at once, each lane equal to
//!   [`exp()`]; for loops over columns.
//! - Inside the crate also the natural logarithm (`ln`), dot products (`dot`) and rounding to
//!   decimals (`round`).
//!
//! # Why the bits are the same everywhere
//!
//! The functions consist of IEEE 754 additions, subtractions, multiplications, divisions and bit
//! operations in a fixed order. Every target rounds each of these operations to the nearest double,
//! ties to even. Rust neither reorders them nor fuses a product and a sum. So the order of
//! operations is part of the function: a change that is equal in algebra is a fault here, and the
//! golden files of the tests find it.
//!
//! # Cost
//!
//! The module carries these functions instead of importing them. A call to the host would cost
//! about ten nanoseconds, which is more than most of them take.
//!
//! There is no `unsafe`, here or elsewhere in the crate. `bytemuck` casts arrays to vectors of
//! lanes; it checks their sizes at compile time, and the casts become the same loads and stores.

mod dot;
mod exp;
mod expm1;
mod lanes;
mod ln;
#[cfg(not(target_arch = "wasm32"))]
mod pow;
mod round;
mod tanh;

pub(crate) use dot::{AT_ONCE, Block, Factors, LANES, dot_f32, dots_i8, offset_binary};
pub use exp::exp;
pub use expm1::expm1;
pub use lanes::{F64x2, exp_pairs, exp_x2};
pub(crate) use lanes::{
    Mask, WHOLE_IN_LOW_BITS, greatest_high_bits, greatest_of, highest_bits, low_bits, range_of,
};
pub(crate) use ln::ln;
#[cfg(not(target_arch = "wasm32"))]
pub use pow::pow;
pub(crate) use round::{round_to_hundredths, whole_percent};
pub use tanh::tanh;
