//! Conditions of a trade's entry that are bands of numbers: weekday, hours, funding rate.

use crate::check::DAY_MS;

/// The weekdays, in UTC.
pub const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
/// The weekday of 1 January 1970, a Thursday.
const FIRST_WEEKDAY: f64 = 3.0;
/// Bands of six hours, in UTC.
pub const HOURS: [&str; 4] = ["00-06", "06-12", "12-18", "18-24"];
/// Bands of the funding rate.
pub const FUNDING: [&str; 5] = ["deeply negative", "negative", "neutral", "elevated", "extreme"];
/// In percent an hour. The usual rate of perpetuals, 0.01 % for eight hours, is neutral.
const NEUTRAL_FUNDING: f64 = 0.0015;
/// Percent an hour, about five times the neutral rate.
const EXTREME_FUNDING: f64 = 0.006;

/// Returns the place of an instant's weekday.
pub fn weekday(instant: f64) -> usize {
    let day = (instant / DAY_MS).floor() + FIRST_WEEKDAY;
    day.rem_euclid(WEEKDAYS.len() as f64) as usize
}

/// Returns the place of an instant's band of hours.
pub fn hours(instant: f64) -> usize {
    let of_day = instant - (instant / DAY_MS).floor() * DAY_MS;
    let band = (of_day / (DAY_MS / HOURS.len() as f64)) as usize;
    // Rounding can move the last moment of a day into the next day.
    band.min(HOURS.len() - 1)
}

/// Returns the place of a funding rate's band. The rate is in percent an hour.
pub fn funding(rate: f64) -> usize {
    let above = |bound: f64| usize::from(rate > bound);
    let from = |bound: f64| usize::from(rate >= bound);
    above(-EXTREME_FUNDING)
        + above(-NEUTRAL_FUNDING)
        + from(NEUTRAL_FUNDING)
        + from(EXTREME_FUNDING)
}
