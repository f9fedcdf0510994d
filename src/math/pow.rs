//! x to the power of y as JavaScript defines it, natively. In WebAssembly the host's own is called.
//! V8 calls the platform's C library for it since Node 24, and so does this.

/// x to the power of y, equal to the bit to `Math.pow(x, y)` of V8 on this platform.
///
/// Unlike C, JavaScript answers NaN to 1 and −1 with an infinite y, and to every x if y is NaN.
#[must_use]
pub fn pow(x: f64, y: f64) -> f64 {
    let is_undefined = y.is_nan() || y.is_infinite() && x.abs() == 1.0;
    if is_undefined { f64::NAN } else { x.powf(y) }
}
