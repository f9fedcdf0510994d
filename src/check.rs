//! The ranges of numbers that callers pass: instants, scores, amounts and counts, and the words of
//! the errors.

use crate::error::{Error, Result};

/// Milliseconds in a day.
pub const DAY_MS: f64 = 86_400_000.0;
/// The greatest distance of an instant from 1970, in milliseconds: what a JavaScript `Date` can
/// hold.
pub const MAX_INSTANT_MS: f64 = 8.64e15;

pub(crate) const AMOUNT: &str = "must be a finite number of at least 0";
pub(crate) const COUNT: &str = "must be a whole number of at least 0";
pub(crate) const INSTANT: &str = "must be an instant within 8.64e15 milliseconds of 1970";

pub(crate) fn check_instant(field: &str, instant: f64) -> Result<()> {
    if is_instant(instant) {
        return Ok(());
    }
    Err(Error::argument(field, INSTANT).found(instant))
}

pub(crate) fn is_instant(value: f64) -> bool {
    value.abs() <= MAX_INSTANT_MS
}

pub(crate) fn is_score(value: f64) -> bool {
    value.abs() <= f64::MAX
}

pub(crate) fn is_amount(value: f64) -> bool {
    (0.0..=f64::MAX).contains(&value)
}

pub(crate) fn is_count(value: f64) -> bool {
    is_amount(value) && value.floor() == value
}
