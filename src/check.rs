//! The ranges of numbers that callers pass (instants, scores, amounts, counts) and the texts of the
//! errors.

use crate::error::{Error, Result};

/// Milliseconds in a day.
pub const DAY_MS: f64 = 86_400_000.0;
/// The greatest distance of an instant from 1970, in milliseconds: the range of a JavaScript
/// `Date`.
pub const MAX_INSTANT_MS: f64 = 8.64e15;

/// The problem text for a number that is not an [amount](is_amount).
pub(crate) const AMOUNT: &str = "must be a finite number of at least 0";
/// The problem text for a number that is not a [count](is_count).
pub(crate) const COUNT: &str = "must be a whole number of at least 0";
/// The problem text for a number that is not an [instant](is_instant).
pub(crate) const INSTANT: &str = "must be an instant within 8.64e15 milliseconds of 1970";

/// Checks an instant.
///
/// # Errors
/// `invalid_argument` with this field for a number that is not an instant.
pub(crate) fn check_instant(field: &str, instant: f64) -> Result<()> {
    if is_instant(instant) {
        return Ok(());
    }
    Err(Error::argument(field, INSTANT).found(instant))
}

/// Checks how far a clock is before UTC.
///
/// # Errors
/// `invalid_argument` for more than a day.
pub(crate) fn check_offset(utc_offset: f64) -> Result<()> {
    if utc_offset.abs() <= DAY_MS {
        return Ok(());
    }
    Err(Error::argument("utc_offset", "must be at most a day").found(utc_offset))
}

/// Whether a number is an instant: milliseconds since 1970 that a `Date` can hold. NaN is not.
pub(crate) fn is_instant(value: f64) -> bool {
    value.abs() <= MAX_INSTANT_MS
}

/// Whether a number is a score: any finite number.
pub(crate) fn is_score(value: f64) -> bool {
    value.abs() <= f64::MAX
}

/// Whether a number is an amount: finite and at least 0.
pub(crate) fn is_amount(value: f64) -> bool {
    (0.0..=f64::MAX).contains(&value)
}

/// Whether a number is a count: an amount without a fraction.
pub(crate) fn is_count(value: f64) -> bool {
    is_amount(value) && value.floor() == value
}
