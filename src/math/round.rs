//! Rounding to a number of decimals, as texts and stored values show it.

/// 2⁴⁶: from here on doubles lie further apart than hundredths do.
const LARGE: f64 = 70_368_744_177_664.0;

/// The decimal number with two places that is nearest to the exact value of a double; of two as
/// near, the even one.
pub(crate) fn round_to_hundredths(x: f64) -> f64 {
    if x.abs() >= LARGE {
        return x;
    }
    // 100 x is a + b exactly: the upper and the lower half of its bits are multiplied without
    // rounding.
    let upper = f64::from_bits(x.to_bits() & !0x07FF_FFFF);
    let (a, b) = (upper * 100.0, (x - upper) * 100.0);
    let below = (x * 100.0).floor() - 1.0;
    let mut nearest = below;
    // Of the three that it can be: beyond the middle between two, the upper one.
    for hundredths in [below, below + 1.0] {
        let over = (a - hundredths - 0.5, -b);
        if over.0 > over.1 || (over.0 == over.1 && hundredths % 2.0 != 0.0) {
            nearest = hundredths + 1.0;
        }
    }
    nearest / 100.0
}

/// A rate in whole percent; halves go to the even one.
pub(crate) fn whole_percent(rate: f64) -> f64 {
    (rate * 100.0).round_ties_even()
}
