//! e^x, e^x − 1 and tanh to the bit of V8, one value at a time, in lanes and from tables.
//!
//! A score must come out the same whether a host computes it in JavaScript, the engine in
//! WebAssembly or the engine natively. The standard library's functions come from the platform and
//! differ in the last bit, so the three that ranking and decay need are written out here with V8's
//! steps: nothing but IEEE additions, multiplications and divisions in a fixed order, which every
//! target rounds alike.
//!
//! - [`exp()`], [`expm1()`], [`tanh()`]: one value; natively also `pow`, for which WebAssembly asks
//!   its host.
//! - [`exp_x2`] and [`exp_pairs`] over [`F64x2`]: two and more values at once, equal per lane to
//!   [`exp()`]; for loops
//!   over columns.
//!
//! Inside the crate there are also the natural logarithm and dot products, of which the same holds.
//!
//! There is no `unsafe`, here or elsewhere in the crate: arrays become vectors of lanes by
//! `bytemuck`'s casts, whose sizes are checked when they are compiled, and which become the same
//! loads and stores.

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
