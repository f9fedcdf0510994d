//! Rounding to decimals, as texts and stored values show them.

/// 2⁴⁶: from here on, neighbouring doubles are further apart than hundredths.
const LARGE: f64 = 70_368_744_177_664.0;

/// Returns the number with two decimals that is nearest to the exact value of a double, half to
/// even.
pub(crate) fn round_to_hundredths(x: f64) -> f64 {
    if x.abs() >= LARGE {
        return x;
    }
    // 100 x is exactly a + b: the products of the upper and of the lower half of the bits of x are
    // not rounded.
    let upper = f64::from_bits(x.to_bits() & !0x07FF_FFFF);
    let (a, b) = (upper * 100.0, (x - upper) * 100.0);
    let below = (x * 100.0).floor() - 1.0;
    let mut nearest = below;
    // There are three candidates. The next one is taken beyond the middle between two.
    for hundredths in [below, below + 1.0] {
        let over = (a - hundredths - 0.5, -b);
        if over.0 > over.1 || (over.0 == over.1 && hundredths % 2.0 != 0.0) {
            nearest = hundredths + 1.0;
        }
    }
    nearest / 100.0
}

/// A rate in whole percent, rounded half to even.
pub(crate) fn whole_percent(rate: f64) -> f64 {
    (rate * 100.0).round_ties_even()
}
