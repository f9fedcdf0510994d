//! The Gregorian calendar in UTC: days since 1970, months since the year 0, ranges of time.

use super::Grain;

/// Milliseconds of a day.
pub const DAY_MS: i64 = 86_400_000;
/// Milliseconds of an hour.
pub const HOUR_MS: i64 = 3_600_000;
/// Milliseconds of a minute.
pub const MINUTE_MS: i64 = 60_000;
/// The latest instant of ECMAScript's calendar; the earliest is its negative.
pub const LATEST: i64 = 8_640_000_000_000_000;

/// A unit by which people count time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A second.
    Second,
    /// A minute.
    Minute,
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// A Saturday and the Sunday after it.
    Weekend,
    /// A week from Monday to Sunday.
    Week,
    /// A month.
    Month,
    /// Three months, from January, April, July or October.
    Quarter,
    /// A year.
    Year,
    /// Ten years, from a year that ends in 0.
    Decade,
}

/// A range of time, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first instant.
    pub from: i64,
    /// The instant after the last.
    pub to: i64,
    /// The unit of the range.
    pub grain: Grain,
}

/// Returns the day of a date, in days since 1970. Days beyond the month count on.
#[inline(never)]
pub fn day_of(month: i64, day: i64) -> i64 {
    // Years from March on end in the day that a leap year adds.
    let shifted = month - 2;
    let (year, place) = (shifted.div_euclid(12), shifted.rem_euclid(12));
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (153 * place + 2) / 5 + day - 719_469
}

/// Returns the month of a day, in months since January of the year 0.
#[inline(never)]
pub fn month_of(day: i64) -> i64 {
    // The average month has 30.436875 days. The guess is off by a few months at most.
    let mut month = ((day + 719_528) * 10_000).div_euclid(304_369);
    while day_of(month + 1, 1) <= day {
        month += 1;
    }
    while day_of(month, 1) > day {
        month -= 1;
    }
    month
}

/// Returns the number of days of a month.
#[inline(never)]
pub fn days_in(month: i64) -> i64 {
    day_of(month + 1, 1) - day_of(month, 1)
}

/// Returns the weekday of a day, from 0 for Monday to 6 for Sunday.
#[inline(never)]
pub fn weekday_of(day: i64) -> i64 {
    (day + 3).rem_euclid(7)
}

/// Returns the range of whole days.
#[inline(never)]
pub fn days(from: i64, to: i64, grain: Grain) -> Range {
    Range { from: from * DAY_MS, to: to * DAY_MS, grain }
}

/// Returns the range of whole months.
#[inline(never)]
pub fn months(from: i64, count: i64, grain: Grain) -> Range {
    days(day_of(from, 1), day_of(from + count, 1), grain)
}

/// Returns the unit that holds an instant, or the unit `steps` after that.
#[inline(never)]
pub fn unit_at(instant: i64, unit: Unit, steps: i64) -> Range {
    let day = instant.div_euclid(DAY_MS);
    let small = |length: i64, grain| {
        let from = (instant.div_euclid(length) + steps) * length;
        Range { from, to: from + length, grain }
    };
    let monday = day - weekday_of(day) + 7 * steps;
    let large =
        |count: i64, grain| months((month_of(day).div_euclid(count) + steps) * count, count, grain);
    match unit {
        Unit::Second => {
            let from = (instant + steps * 1000).div_euclid(MINUTE_MS) * MINUTE_MS;
            Range { from, to: from + MINUTE_MS, grain: Grain::Minute }
        }
        Unit::Minute => small(MINUTE_MS, Grain::Minute),
        Unit::Hour => small(HOUR_MS, Grain::Hour),
        Unit::Day => small(DAY_MS, Grain::Day),
        Unit::Weekend => days(monday + 5, monday + 7, Grain::Day),
        Unit::Week => days(monday, monday + 7, Grain::Week),
        Unit::Month => large(1, Grain::Month),
        Unit::Quarter => large(3, Grain::Quarter),
        Unit::Year => large(12, Grain::Year),
        Unit::Decade => large(120, Grain::Decade),
    }
}

/// Returns the instant that lies `steps` units after another. Of a shorter month it is the last
/// day.
#[inline(never)]
pub fn shifted(instant: i64, unit: Unit, steps: i64) -> i64 {
    let by_months = |count: i64| {
        let day = instant.div_euclid(DAY_MS);
        let month = month_of(day);
        let place = day - day_of(month, 1);
        let target = month + count * steps;
        let day = day_of(target, 1) + place.min(days_in(target) - 1);
        day * DAY_MS + instant.rem_euclid(DAY_MS)
    };
    match unit {
        Unit::Second => instant + steps * 1000,
        Unit::Minute => instant + steps * MINUTE_MS,
        Unit::Hour => instant + steps * HOUR_MS,
        Unit::Day => instant + steps * DAY_MS,
        Unit::Weekend | Unit::Week => instant + steps * 7 * DAY_MS,
        Unit::Month => by_months(1),
        Unit::Quarter => by_months(3),
        Unit::Year => by_months(12),
        Unit::Decade => by_months(120),
    }
}

/// A stretch of time that comes again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recurring {
    /// A weekday, from 0 for Monday.
    Weekday(u8),
    /// A month, from 0 for January.
    Month(u8),
    /// A day of a month, from 0 for January and from 1.
    Date(u8, u8),
    /// A day of any month, from 1.
    DayOfMonth(u8),
    /// A season, from 0 for spring. Seasons are those of the northern half of the Earth, and whole
    /// months: spring begins in March. Winter belongs to the year in which it begins.
    Season(u8),
    /// A quarter of a year, from 0.
    Quarter(u8),
    /// A half of a year, from 0.
    Half(u8),
}

impl Recurring {
    /// Returns the stretch of a year, unless it is a weekday or a day of any month, or the year has
    /// no such day.
    #[inline(never)]
    pub fn of_year(self, year: i64) -> Option<Range> {
        let january = year * 12;
        match self {
            Self::Weekday(_) | Self::DayOfMonth(_) => None,
            Self::Month(month) => Some(months(january + i64::from(month), 1, Grain::Month)),
            Self::Season(season) => {
                Some(months(january + 2 + 3 * i64::from(season), 3, Grain::Season))
            }
            Self::Quarter(quarter) => {
                Some(months(january + 3 * i64::from(quarter), 3, Grain::Quarter))
            }
            Self::Half(half) => Some(months(january + 6 * i64::from(half), 6, Grain::Month)),
            Self::Date(month, day) => date(january + i64::from(month), day.into()),
        }
    }

    /// Returns the one that begins last, but not after the day of an instant.
    pub fn latest(self, instant: i64) -> Option<Range> {
        self.nearest(instant, -1)
    }

    /// Returns the one that begins first, but not before the day of an instant.
    pub fn first(self, instant: i64) -> Option<Range> {
        self.nearest(instant, 1)
    }

    /// Returns the nearest one before (−1) or after (1) an instant; one that begins on its day is
    /// the nearest.
    #[inline(never)]
    fn nearest(self, instant: i64, sign: i64) -> Option<Range> {
        let day = instant.div_euclid(DAY_MS);
        let month = month_of(day);
        let is_beyond = |range: &Range| sign * (range.from - day * DAY_MS) >= 0;
        if let Self::Weekday(weekday) = self {
            let distance = sign * (i64::from(weekday) - weekday_of(day));
            let day = day + sign * distance.rem_euclid(7);
            return Some(days(day, day + 1, Grain::Day));
        }
        // Eight years lie between the 29ths of February around 1900.
        (0..=8)
            .filter_map(|step| match self {
                Self::DayOfMonth(place) => date(month + sign * step, place.into()),
                _ => self.of_year(month.div_euclid(12) + sign * step),
            })
            .find(is_beyond)
    }
}

/// Returns the day of a month, if the month has it.
#[inline(never)]
pub fn date(month: i64, day: i64) -> Option<Range> {
    let at = day_of(month, day);
    (1..=days_in(month)).contains(&day).then(|| days(at, at + 1, Grain::Day))
}
