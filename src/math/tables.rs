//! Recency and saturation looked up: days and access counts are whole numbers, and mostly small (spec 02).

use super::{exp, tanh};

/// Days over which recency falls to 1/e.
const RECENCY_DAYS: f64 = 30.0;
/// Accesses at which saturation is tanh(1).
const SATURATION_COUNT: f64 = 10.0;

/// exp(−days / 30), the recency of an access so many days ago.
///
/// Whole days 0 ..= 1023 (2.8 years) are computed when the table is made, which takes some 20 µs; any other number is
/// computed when asked for. Either way the answer is, to the bit, `Math.exp(-days / 30)` of V8.
#[derive(Clone)]
pub struct RecencyTable {
    by_day: Box<[f64; Self::DAYS]>,
}

impl RecencyTable {
    /// How many whole days are in the table, from 0 on.
    pub const DAYS: usize = 1024;

    /// Computes the table.
    #[must_use]
    pub fn new() -> Self {
        let mut by_day = Box::new([0.0; Self::DAYS]);
        for (day, value) in by_day.iter_mut().enumerate() {
            *value = exp(-(day as f64) / RECENCY_DAYS);
        }
        Self { by_day }
    }

    /// Recency after `days`; above 1 for a negative number, NaN for NaN.
    #[inline]
    #[must_use]
    pub fn get(&self, days: f64) -> f64 {
        match self.by_day.get(days as usize) {
            Some(&value) if days as usize as f64 == days => value,
            _ => exp(-days / RECENCY_DAYS),
        }
    }
}

impl Default for RecencyTable {
    fn default() -> Self {
        Self::new()
    }
}

/// tanh(count / 10), how far a number of accesses has saturated.
///
/// Whole counts below [`ONE_FROM`](Self::ONE_FROM) are computed when the table is made, which takes some 5 µs; larger
/// ones are 1, any other number is computed when asked for. Either way the answer is, to the bit,
/// `Math.tanh(count / 10)` of V8.
#[derive(Clone)]
pub struct SaturationTable {
    by_count: Box<[f64; Self::ONE_FROM]>,
}

impl SaturationTable {
    /// From this count on the answer is exactly 1.
    ///
    /// tanh(x) is computed as 1 − 2/(e^2x + 1), and the difference rounds to 1 once the quotient is at most 2⁻⁵⁴, half
    /// the step below 1: that is from e^2x = 2⁵⁵ on, x = 19.062, count 191.
    pub const ONE_FROM: usize = 191;

    /// Computes the table.
    #[must_use]
    pub fn new() -> Self {
        let mut by_count = Box::new([0.0; Self::ONE_FROM]);
        for (count, value) in by_count.iter_mut().enumerate() {
            *value = tanh(count as f64 / SATURATION_COUNT);
        }
        Self { by_count }
    }

    /// Saturation at `count` accesses; negative for a negative number, NaN for NaN.
    #[inline]
    #[must_use]
    pub fn get(&self, count: f64) -> f64 {
        if count >= Self::ONE_FROM as f64 {
            return 1.0;
        }
        match self.by_count.get(count as usize) {
            Some(&value) if count as usize as f64 == count && count.is_sign_positive() => value,
            _ => tanh(count / SATURATION_COUNT),
        }
    }
}

impl Default for SaturationTable {
    fn default() -> Self {
        Self::new()
    }
}
