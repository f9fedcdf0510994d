//! The forms of time expressions.
//!
//! # Idea
//!
//! One reader for each form, tried at each token from the left. A reader looks at a bounded number
//! of tokens and returns the place behind its form. Forms nest to a fixed depth: a pair holds
//! moments, a moment holds a base with hours, a base holds no other form.
//!
//! # Invariants
//!
//! - Readers only read tokens, so they accept any text. A place beyond the last token reads as
//!   [`Word::End`].
//! - Ranges lie within the calendar of ECMAScript and are not empty.
//!
//! # Soundness
//!
//! No reader calls itself, so no text makes the stack grow.
//!
//! # Cost
//!
//! Linear in the text: a hash look-up per word, and a constant number of tokens per form. Readers
//! are not inlined: inlining them adds two kilobytes to the module and saves no time.

use super::Grain;
use super::calendar::{
    DAY_MS, LATEST, MINUTE_MS, Range, Recurring, Unit, date, day_of, days, month_of, months,
    shifted, unit_at, weekday_of,
};
use super::lexicon::{Safety, Word};
use super::tokens::{Token, tokens};

/// A stretch of time that is known, or that is one of many.
#[derive(Clone, Copy)]
enum When {
    Known(Range),
    OneOf(Recurring),
}

/// Minutes of a day.
#[derive(Clone, Copy)]
struct Hours {
    from: u16,
    to: u16,
    grain: Grain,
}

/// A stretch of time and the token behind its form.
#[derive(Clone, Copy)]
struct Moment {
    when: When,
    hours: Option<Hours>,
    next: usize,
}

/// A number of units and the token behind it.
struct Amount {
    min: i64,
    max: i64,
    unit: Unit,
    next: usize,
}

/// Reads the expressions of a text.
pub struct Reader<'a> {
    text: &'a str,
    pub tokens: Vec<Token>,
    now: i64,
    /// Whether "03/04/2025" is the 3rd of April.
    day_first: bool,
}

impl When {
    #[inline(never)]
    fn resolve(self, anchor: i64) -> Option<Range> {
        match self {
            Self::Known(range) => Some(range),
            Self::OneOf(recurring) => recurring.latest(anchor),
        }
    }

    /// Whether it is one day.
    #[inline(never)]
    fn is_day(self) -> bool {
        match self {
            Self::Known(Range { from, to, grain }) => grain == Grain::Day && to - from == DAY_MS,
            Self::OneOf(recurring) => matches!(
                recurring,
                Recurring::Weekday(_) | Recurring::Date(..) | Recurring::DayOfMonth(_)
            ),
        }
    }

    /// Returns this day of the same month.
    #[inline(never)]
    fn with_day(self, day: u8) -> Option<Self> {
        match self {
            Self::OneOf(Recurring::Date(month, _)) => {
                Some(Self::OneOf(Recurring::Date(month, day)))
            }
            Self::Known(range) if self.is_day() => {
                date(month_of(range.from.div_euclid(DAY_MS)), day.into()).map(Self::Known)
            }
            _ => None,
        }
    }

    /// Returns the stretch in this year.
    #[inline(never)]
    fn in_year(self, year: i64) -> Option<Self> {
        match self {
            Self::OneOf(recurring) => recurring.of_year(year).map(Self::Known),
            Self::Known(_) => None,
        }
    }
}

impl Moment {
    fn new(when: When, next: usize) -> Self {
        Self { when, hours: None, next }
    }

    fn known(range: Range, next: usize) -> Self {
        Self::new(When::Known(range), next)
    }

    #[inline(never)]
    fn with_hours(self, range: Range) -> Range {
        match self.hours {
            Some(Hours { from, to, grain }) => Range {
                from: range.from + i64::from(from) * MINUTE_MS,
                to: range.from + i64::from(to) * MINUTE_MS,
                grain,
            },
            None => range,
        }
    }

    /// Returns the range; of one that recurs, the latest that has begun at an instant.
    #[inline(never)]
    fn resolve(self, anchor: i64) -> Option<Range> {
        self.when.resolve(anchor).map(|range| self.with_hours(range))
    }
}

/// The year that two digits stand for: 1950 to 2049.
fn full_year(digits: i64) -> i64 {
    if digits < 50 { 2000 + digits } else { 1900 + digits }
}

/// Returns how many smaller units a unit has, and half of it: the least and the most of them.
#[inline(never)]
fn parts_of(unit: Unit) -> (i64, (i64, i64, Unit)) {
    let even = |whole: i64, unit| (whole, (whole / 2, whole / 2, unit));
    match unit {
        Unit::Second | Unit::Minute => even(60, Unit::Second),
        Unit::Hour => even(60, Unit::Minute),
        Unit::Day => even(24, Unit::Hour),
        Unit::Weekend | Unit::Week => (7, (3, 4, Unit::Day)),
        Unit::Month => even(30, Unit::Day),
        Unit::Quarter => even(12, Unit::Week),
        Unit::Year => even(12, Unit::Month),
        Unit::Decade => even(10, Unit::Year),
    }
}

/// Returns a part of a range by its place, from 1; 0 is the last.
#[inline(never)]
fn picked(whole: Range, part: Word, place: i64) -> Option<Range> {
    let (first, end) = (whole.from.div_euclid(DAY_MS), whole.to.div_euclid(DAY_MS));
    let month = month_of(first);
    let count = month_of(end) - month;
    if !matches!(
        whole.grain,
        Grain::Month | Grain::Quarter | Grain::Season | Grain::Year | Grain::Decade
    ) {
        return None;
    }
    // Every seventh day from the first that is this weekday.
    let nth = |weekday: i64| {
        let nearest = first + (weekday - weekday_of(first)).rem_euclid(7);
        nearest + 7 * if place == 0 { (end - 1 - nearest) / 7 } else { place - 1 }
    };
    let nth_months = |length: i64, grain| {
        let from = if place == 0 { count - length } else { length * (place - 1) };
        (count > length && from < count).then(|| months(month + from, length, grain))
    };
    let range = match part {
        Word::Half if count == 1 => {
            let middle = first + 15;
            let (from, to) = if place == 1 { (first, middle) } else { (middle, end) };
            days(from, to, Grain::Day)
        }
        Word::Half if place <= 2 && count % 2 == 0 => nth_months(count / 2, Grain::Month)?,
        Word::Unit(Unit::Day) => {
            let day = if place == 0 { end - 1 } else { first + place - 1 };
            days(day, day + 1, Grain::Day)
        }
        Word::Unit(Unit::Week) => {
            let from = if place == 0 { end - 7 } else { first + 7 * place - 7 };
            days(from, end.min(from + 7), Grain::Week)
        }
        Word::Unit(Unit::Weekend) => days(nth(5), nth(5) + 2, Grain::Day),
        Word::Weekday(weekday, _) => {
            let day = nth(weekday.into());
            days(day, day + 1, Grain::Day)
        }
        Word::Unit(Unit::Month) => nth_months(1, Grain::Month)?,
        Word::Unit(Unit::Quarter) => nth_months(3, Grain::Quarter)?,
        _ => return None,
    };
    (range.from < whole.to).then_some(range)
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str, now: i64) -> Self {
        let mut reader = Self { text, tokens: tokens(text), now, day_first: false };
        reader.day_first = reader.is_day_first();
        reader
    }

    /// Whether a date of the text is certain to begin with its day, and none with its month: one
    /// text has one order.
    #[inline(never)]
    fn is_day_first(&self) -> bool {
        let is_above = |value: u16| (13..=31).contains(&value);
        let mut has_day_first = false;
        for at in 0..self.tokens.len().saturating_sub(4) {
            let Word::Number(first, 1 | 2) = self.word(at) else { continue };
            let Word::Number(second, 1 | 2) = self.word(at + 2) else { continue };
            let is_date = matches!(self.word(at + 1), Word::Mark('/' | '-'))
                && self.begins(at)
                && self.numeric(at).is_some();
            if is_date && is_above(second) {
                return false;
            }
            has_day_first |= is_date && is_above(first);
        }
        has_day_first
    }

    /// Returns the range of the expression that begins at a token, and the token behind it.
    #[inline(never)]
    pub fn expression(&self, at: usize) -> Option<(Range, usize)> {
        if matches!(self.word(at), Word::Other | Word::Mark(_) | Word::End) || !self.begins(at) {
            return None;
        }
        let (range, next) = self.any(at)?;
        let is_sound = range.from < range.to && range.from >= -LATEST && range.to <= LATEST;
        (is_sound && self.ends(next)).then_some((range, next))
    }

    /// Whether a greeting stands before a part of the day: "good morning".
    #[inline(never)]
    pub fn is_greeting(&self, at: usize) -> bool {
        at > 0
            && matches!(self.text_of(at - 1), "good" | "Good" | "guten" | "Guten" | "gute" | "Gute")
    }

    /// Whether the number of years in front of a token is an age: "five years old".
    #[inline(never)]
    pub fn is_age(&self, next: usize) -> bool {
        matches!(self.text_of(next), "old" | "alt")
            || self.word(next) == Word::Mark('-') && self.text_of(next + 1) == "old"
    }

    /// Returns the token behind a number of units: "three years".
    #[inline(never)]
    pub fn duration(&self, at: usize) -> Option<usize> {
        let is_a = self.word(at) == Word::A;
        let Amount { unit, next, max, .. } = self.amount(at)?;
        let is_short = max == 1 && matches!(unit, Unit::Second | Unit::Minute);
        (self.begins(at) && self.ends(next) && !(is_a && is_short)).then_some(next)
    }

    #[inline(never)]
    fn any(&self, at: usize) -> Option<(Range, usize)> {
        match self.word(at) {
            Word::Since => {
                let next = self.behind_article(at + 1);
                let (from, to, grain, next) = match self.moment(next, true) {
                    Some(moment) => {
                        let Range { from, to, grain } = moment.resolve(self.now)?;
                        (from, to, grain, moment.next)
                    }
                    None => {
                        let amount = self.amount(next)?;
                        let Range { from, to, grain } = self.up_to_now(&amount);
                        (from, to, grain, amount.next)
                    }
                };
                let to = if from > self.now { to } else { self.now + 1 };
                Some((Range { from, to, grain }, next))
            }
            Word::Vor if self.amount(at + 1).is_some() => {
                let amount = self.amount(at + 1)?;
                Some((self.away(&amount, -1), amount.next))
            }
            word @ (Word::Until | Word::Before | Word::Vor | Word::After) => {
                let moment = self.moment(self.behind_article(at + 1), true)?;
                let Range { from, to, grain } = moment.resolve(self.now)?;
                let (from, to) = match word {
                    Word::Until => (-LATEST, to),
                    Word::After => (to, LATEST),
                    _ => (-LATEST, from),
                };
                Some((Range { from, to, grain }, moment.next))
            }
            Word::Between | Word::From => self.pair(at + 1, true),
            Word::In if !matches!(self.word(at + 1), Word::Which(_) | Word::Past) => {
                let amount = self.amount(at + 1)?;
                let is_idle = self.word(at + 1) == Word::A
                    && matches!(
                        unit_at(0, amount.unit, 0).grain,
                        Grain::Minute | Grain::Hour | Grain::Day
                    );
                let is_past = self.word(amount.next) == Word::Ago;
                (!is_idle && !is_past).then(|| (self.away(&amount, 1), amount.next))
            }
            _ => self.plain(at),
        }
    }

    /// A moment, or a pair of moments of one grain without a word in front.
    #[inline(never)]
    fn plain(&self, at: usize) -> Option<(Range, usize)> {
        if self.word(at) == Word::The {
            return None;
        }
        let moment = self.moment(at, self.is_led(at));
        let next = match (moment, self.word(at)) {
            (Some(moment), _) => moment.next,
            // "May" is sure to be a month only with its pair: "May to July".
            (None, Word::Month(..)) if self.tokens[at].capital => at + 1,
            (None, _) => self.day_number(at)?.1,
        };
        if self.connector(next, false).is_some() {
            let is_alike = |range: &Range| {
                moment
                    .is_none_or(|it| it.resolve(self.now).is_some_and(|it| it.grain == range.grain))
            };
            if let Some(pair) = self.pair(at, false).filter(|(range, _)| is_alike(range)) {
                return Some(pair);
            }
        }
        let moment = moment?;
        let range = moment.resolve(self.now)?;
        match self.word(moment.next) {
            Word::SinceBehind => {
                let to = if range.from > self.now { range.to } else { self.now + 1 };
                Some((Range { to, ..range }, moment.next + 1))
            }
            Word::UntilBehind => Some((Range { from: -LATEST, ..range }, moment.next + 1)),
            _ => Some((range, moment.next)),
        }
    }

    /// Two moments with a word between: "May and July 2023", "3 to 5 May", "May 7–9, 2023".
    #[inline(never)]
    fn pair(&self, at: usize, with_and: bool) -> Option<(Range, usize)> {
        let at = self.behind_article(at);
        if let Some((day, next)) = self.day_number(at)
            && let Some(second) = self.connector(next, with_and)
            && let Some(last) = self.moment(self.behind_article(second), true)
            && let Some(first) = last.when.with_day(day)
        {
            return self.join(Moment::new(first, next), last);
        }
        let first = self.moment(at, true)?;
        let second = self.behind_article(self.connector(first.next, with_and)?);
        if let Some(last) = self.moment(second, true) {
            return self.join(first, last);
        }
        let (day, next) = self.day_number(second)?;
        let last = first.when.with_day(day)?;
        match (first.when, self.year_behind(next)) {
            (When::OneOf(_), Some((year, next))) => self.join(
                Moment::new(first.when.in_year(year)?, next),
                Moment::new(last.in_year(year)?, next),
            ),
            _ => self.join(first, Moment::new(last, next)),
        }
    }

    /// The range from one moment to another. If one of them recurs, the other says which is meant.
    #[inline(never)]
    fn join(&self, first: Moment, last: Moment) -> Option<(Range, usize)> {
        let begin = match (first.when, last.when) {
            (When::Known(begin), When::OneOf(_)) => Some(begin),
            // "from 2 June to Sunday"
            (When::OneOf(Recurring::Date(..)), When::OneOf(Recurring::Weekday(_))) => {
                Some(first.when.resolve(self.now)?)
            }
            _ => None,
        };
        let end = match (begin, last.when) {
            (Some(begin), When::OneOf(recurring)) => last.with_hours(recurring.first(begin.from)?),
            _ => last.resolve(self.now)?,
        };
        let begin = first.resolve(end.from)?;
        // "まで" behind the second.
        let next = last.next + usize::from(self.word(last.next) == Word::UntilBehind);
        (begin.from < end.to)
            .then_some((Range { from: begin.from, to: end.to, grain: end.grain }, next))
    }

    /// The token behind a word or dash between two moments.
    #[inline(never)]
    fn connector(&self, at: usize, with_and: bool) -> Option<usize> {
        let is_one = match self.word(at) {
            Word::To | Word::Until | Word::SinceBehind => true,
            Word::And => with_and,
            Word::Mark(mark) => matches!(mark, '-' | '–' | '—' | '~' | '〜' | '～'),
            _ => false,
        };
        is_one.then_some(at + 1)
    }

    /// A base; a part of one; a number of units before or after one.
    #[inline(never)]
    fn moment(&self, at: usize, led: bool) -> Option<Moment> {
        let at = self.behind_article(at);
        match self.word(at) {
            Word::Third(third) => self.third(at, i64::from(third)),
            Word::Ordinal(place) => self.part_of(at, i64::from(place)),
            Word::Which(-1) => self.part_of(at, 0),
            Word::Unit(unit @ (Unit::Week | Unit::Weekend)) => self.unit_of_day(at, unit),
            Word::Weekday(..) | Word::Month(..) | Word::Season(_) => self.before_last(at),
            _ => None,
        }
        .or_else(|| self.beside(at))
        .or_else(|| self.base(at, led))
    }

    /// "early May", "mid-2023", "the end of last year".
    #[inline(never)]
    fn third(&self, at: usize, third: i64) -> Option<Moment> {
        let mut next = at + 1;
        if matches!(self.word(next), Word::Mark('-') | Word::Of | Word::In) {
            next += 1;
        }
        let whole = self.base(self.behind_article(next), true)?;
        let range = whole.resolve(self.now)?;
        let first = month_of(range.from.div_euclid(DAY_MS));
        let count = month_of(range.to.div_euclid(DAY_MS)) - first;
        let part = match range.grain {
            Grain::Month => {
                let from = day_of(first, 1) + 10 * third;
                let to = if third == 2 { day_of(first + 1, 1) } else { from + 10 };
                days(from, to, Grain::Day)
            }
            Grain::Quarter | Grain::Season | Grain::Year | Grain::Decade => {
                months(first + count * third / 3, count / 3, Grain::Month)
            }
            _ => return None,
        };
        Some(Moment::known(part, whole.next))
    }

    /// "the first week of May", "the last Friday of March 2024", "the second half of last year",
    /// "the last day of the month". Place 0 is the last.
    #[inline(never)]
    fn part_of(&self, at: usize, place: i64) -> Option<Moment> {
        let part = self.word(at + 1);
        let mut next = at + 2;
        let is_half = part == Word::Half;
        if matches!(self.word(next), Word::Of | Word::In) {
            next += 1;
        } else if !is_half || self.year(next).is_none() {
            return None;
        }
        let start = self.behind_article(next);
        let whole = match self.word(start) {
            Word::Unit(unit @ (Unit::Month | Unit::Quarter | Unit::Year)) if start > next => {
                Moment::known(unit_at(self.now, unit, 0), start + 1)
            }
            _ => self.base(start, true)?,
        };
        let range = whole.resolve(self.now)?;
        let mut picked = picked(range, part, place)?;
        let is_of_unit = matches!(part, Word::Unit(Unit::Week | Unit::Weekend));
        if picked.from > self.now && !is_of_unit && matches!(whole.when, When::OneOf(_)) {
            // As of weekdays and dates, it is the latest that has begun.
            picked = self::picked(whole.resolve(range.from - 1)?, part, place)?;
        }
        Some(Moment::known(picked, whole.next))
    }

    /// "the week of 5 May", "the weekend of the 3rd of June".
    #[inline(never)]
    fn unit_of_day(&self, at: usize, unit: Unit) -> Option<Moment> {
        let is_of = matches!(self.word(at + 1), Word::Of | Word::From)
            || matches!(self.text_of(at + 1), "beginning" | "des");
        let day = self.day(self.behind_article(at + 2), true).filter(|_| is_of)?;
        let range = day.resolve(self.now).filter(|_| day.when.is_day())?;
        Some(Moment::known(unit_at(range.from, unit, 0), day.next))
    }

    /// "the Friday before last", "the summer before last", "the Sunday after next", "the Friday
    /// before 3 May".
    #[inline(never)]
    fn before_last(&self, at: usize) -> Option<Moment> {
        let recurring = match self.word(at) {
            Word::Weekday(weekday, _) => Recurring::Weekday(weekday),
            Word::Month(month, _) => Recurring::Month(month),
            Word::Season(season) => Recurring::Season(season),
            _ => return None,
        };
        let sign = match self.word(at + 1) {
            Word::Before => -1,
            Word::After => 1,
            _ => return None,
        };
        let next = self.behind_article(at + 2);
        if self.word(next) == Word::Which(sign as i8) && !self.is_counted(next + 1) {
            let nearest = self.beyond(recurring, sign)?;
            let range = match sign {
                -1 => recurring.latest(nearest.from - 1)?,
                _ => recurring.first(nearest.to)?,
            };
            return Some(Moment::known(range, next + 1));
        }
        let day = self.day(next, true).filter(|day| day.when.is_day() && day.hours.is_none())?;
        let range = day.resolve(self.now)?;
        let found = match (recurring, sign) {
            (Recurring::Weekday(_), -1) => recurring.latest(range.from - 1)?,
            (Recurring::Weekday(_), _) => recurring.first(range.to)?,
            _ => return None,
        };
        Some(Moment::known(found, day.next))
    }

    /// Whether a word follows "last" or "next" that it counts.
    #[inline(never)]
    fn is_counted(&self, at: usize) -> bool {
        matches!(self.word(at), Word::Unit(_) | Word::Weekday(..) | Word::Month(..))
    }

    /// The last one (−1) before today, or the next one (1) after it.
    #[inline(never)]
    fn beyond(&self, recurring: Recurring, sign: i64) -> Option<Range> {
        let today = unit_at(self.now, Unit::Day, 0);
        if sign > 0 {
            return recurring.first(today.to);
        }
        let latest = recurring.latest(self.now)?;
        if latest.to <= today.from { Some(latest) } else { recurring.latest(latest.from - 1) }
    }

    /// "the day before yesterday", "two weeks after 7 May", "the week before last".
    #[inline(never)]
    fn beside(&self, at: usize) -> Option<Moment> {
        let (amount, next) = match (self.word(at), self.amount(at)) {
            (_, Some(amount)) => {
                let next = amount.next;
                (amount, next)
            }
            (Word::Unit(unit), None) => (Amount { min: 1, max: 1, unit, next: at + 1 }, at + 1),
            _ => return None,
        };
        let sign = match self.word(next) {
            Word::Before => -1,
            Word::After => 1,
            Word::From if self.word(next + 1) == Word::Now => {
                return Some(Moment::known(self.away(&amount, 1), next + 2));
            }
            _ => return None,
        };
        if let Word::Which(which @ (-1 | 1)) = self.word(next + 1)
            && i64::from(which) == sign
            && !self.is_counted(next + 2)
        {
            let range = unit_at(self.now, amount.unit, sign * 2);
            return Some(Moment::known(range, next + 2));
        }
        let whole = self.base(self.behind_article(next + 1), true)?;
        let range = whole.resolve(self.now)?;
        let anchor = if sign < 0 { range.from } else { range.to - 1 };
        let nearest = unit_at(shifted(anchor, amount.unit, sign * amount.min), amount.unit, 0);
        let farthest = unit_at(shifted(anchor, amount.unit, sign * amount.max), amount.unit, 0);
        let (from, to) = (nearest.from.min(farthest.from), nearest.to.max(farthest.to));
        Some(Moment::known(Range { from, to, grain: nearest.grain }, whole.next))
    }

    /// A day, week, month … with or without hours. `led`: a word that stands before times, such as
    /// "in", is in front.
    #[inline(never)]
    fn base(&self, at: usize, led: bool) -> Option<Moment> {
        if let Some((hours, next)) = self.hours(at) {
            let day = self
                .day(self.behind_article(self.behind(next, &[Word::On, Word::Of, Word::Am])), true);
            if let Some(day) = day.filter(|day| day.when.is_day()) {
                return Some(Moment { hours: Some(hours), ..day });
            }
            let is_alone = !matches!(self.word(at), Word::Part(..) | Word::Morgen)
                || matches!(self.text_of(at), "tonight" | "Tonight" | "今夜" | "今晩")
                || (hours.to - hours.from == 60 && at > 0 && self.word(at - 1) == Word::At);
            let today = unit_at(self.now, Unit::Day, 0);
            return is_alone.then_some(Moment { hours: Some(hours), ..Moment::known(today, next) });
        }
        let day = self.day(at, led)?;
        if !day.when.is_day() || day.hours.is_some() {
            return Some(day);
        }
        let mut next = self.behind(day.next, &[Word::Mark(',')]);
        next = self.behind_article(self.behind(next, &[Word::At, Word::In, Word::Am, Word::Of]));
        match self.hours(next) {
            Some((hours, next)) => Some(Moment { hours: Some(hours), next, ..day }),
            None => Some(day),
        }
    }

    /// A part of a day or a time of day.
    #[inline(never)]
    fn hours(&self, at: usize) -> Option<(Hours, usize)> {
        let part = |first: u8, last: u8| Hours {
            from: u16::from(first) * 60,
            to: u16::from(last) * 60,
            grain: Grain::Hour,
        };
        match self.word(at) {
            Word::Part(first, last) => return Some((part(first, last), at + 1)),
            Word::Morgen
                if at > 0
                    && matches!(self.word(at - 1), Word::Day(_) | Word::Weekday(..) | Word::Am) =>
            {
                return Some((part(6, 12), at + 1));
            }
            _ => {}
        }
        let (mut half, number) = match self.word(at) {
            Word::MeridiemBefore(half) => (Some(half), at + 1),
            _ => (None, at),
        };
        let Word::Number(hour, 1 | 2) = self.word(number) else { return None };
        let mut next = number + 1;
        let mut minute = None;
        let mut is_clock = half.is_some();
        if self.word(next) == Word::Mark(':')
            && self.is_attached(next)
            && self.is_attached(next + 1)
            && let Word::Number(value @ 0..60, 2) = self.word(next + 1)
        {
            minute = Some(value);
            next += 2;
        }
        if let Some((value, behind)) = self.meridiem(next) {
            half = Some(value);
            next = behind;
        } else if self.word(next) == Word::Clock {
            is_clock = true;
            next += 1;
            if let (Word::Number(value @ 0..60, 1 | 2), Word::Unit(Unit::Minute)) =
                (self.word(next), self.word(next + 1))
            {
                minute = Some(value);
                next += 2;
            }
        } else if self.word(next) == Word::Letter('o')
            && self.is_apostrophe(next + 1)
            && self.word(next + 2) == Word::Clock
        {
            is_clock = true;
            next += 3;
        }
        if !(is_clock || half.is_some() || minute.is_some()) {
            return None;
        }
        let hour = match half {
            Some(half) if (1..=12).contains(&hour) => hour % 12 + u16::from(half),
            None if hour < 24 => hour,
            _ => return None,
        };
        let from = hour * 60 + minute.unwrap_or(0);
        let (length, grain) = match minute {
            Some(_) => (1, Grain::Minute),
            None => (60, Grain::Hour),
        };
        Some((Hours { from, to: from + length, grain }, next))
    }

    /// "am", "pm", "a.m.", "p.m.": 0 or 12, and the token behind.
    #[inline(never)]
    fn meridiem(&self, at: usize) -> Option<(u8, usize)> {
        let half = match self.word(at) {
            Word::Meridiem(half) => return Some((half, at + 1)),
            Word::Am => return Some((0, at + 1)),
            Word::A => 0,
            Word::Letter('p') => 12,
            _ => return None,
        };
        let is_dotted = self.word(at + 1) == Word::Mark('.')
            && self.is_attached(at + 1)
            && self.word(at + 2) == Word::Letter('m')
            && self.is_attached(at + 2);
        let next = at + 3;
        let next = next + usize::from(self.word(next) == Word::Mark('.') && self.is_attached(next));
        is_dotted.then_some((half, next))
    }

    /// A base without hours in front or behind.
    #[inline(never)]
    fn day(&self, at: usize, led: bool) -> Option<Moment> {
        match self.word(at) {
            Word::Number(..) | Word::Ordinal(_) | Word::Count(..) | Word::A => {
                self.number_first(at, led)
            }
            Word::Half => self.ago(at),
            Word::Month(..) => self.month_first(at, led),
            Word::Weekday(..) => self.weekday_first(at, led),
            Word::Season(_) => self.season_first(at, led),
            Word::Letter('q' | 'h') => self.quarter_first(at),
            Word::Which(_) | Word::Past => self.which_first(at),
            Word::Relative(steps, unit) => {
                Some(self.within(unit_at(self.now, unit, steps.into()), unit, at + 1))
            }
            Word::Day(steps) => {
                Some(Moment::known(unit_at(self.now, Unit::Day, steps.into()), at + 1))
            }
            Word::Morgen if !self.tokens[at].capital || at == 0 => {
                Some(Moment::known(unit_at(self.now, Unit::Day, 1), at + 1))
            }
            Word::LastNight => Some(self.last_night(at + 1)),
            Word::Unit(Unit::Year) => {
                let (year, next) = self.year(at + 1)?;
                Some(Moment::known(months(year * 12, 12, Grain::Year), next))
            }
            _ => None,
        }
    }

    #[inline(never)]
    fn last_night(&self, next: usize) -> Moment {
        let hours = Hours { from: 18 * 60, to: 30 * 60, grain: Grain::Hour };
        let yesterday = unit_at(self.now, Unit::Day, -1);
        Moment { hours: Some(hours), ..Moment::known(yesterday, next) }
    }

    #[inline(never)]
    fn number_first(&self, at: usize, led: bool) -> Option<Moment> {
        self.numeric(at)
            .or_else(|| self.day_and_month(at))
            .or_else(|| self.ago(at))
            .or_else(|| self.japanese(at))
            .or_else(|| self.ordinal_quarter(at))
            .or_else(|| self.year_and_quarter(at))
            .or_else(|| self.decade(at))
            .or_else(|| self.led_number(at, led))
    }

    /// "2023-05-07", "2023-05", "05/07/2023", "7.5.2023".
    #[inline(never)]
    fn numeric(&self, at: usize) -> Option<Moment> {
        let Word::Number(first, digits) = self.word(at) else { return None };
        let separator = self.word(at + 1);
        let Word::Number(second, second_digits @ (1 | 2)) = self.word(at + 2) else { return None };
        let Word::Mark(mark @ ('-' | '/' | '.')) = separator else { return None };
        if !self.is_attached(at + 1) || !self.is_attached(at + 2) {
            return None;
        }
        let third = match self.word(at + 4) {
            Word::Number(value, digits)
                if self.word(at + 3) == separator
                    && self.is_attached(at + 3)
                    && self.is_attached(at + 4) =>
            {
                Some((i64::from(value), digits))
            }
            _ => None,
        };
        let (first, second) = (i64::from(first), i64::from(second));
        let (year, month, day) = match (digits, third) {
            (4, Some((day, 1 | 2))) => (first, second, day),
            (4, None) if mark == '-' && (1..=12).contains(&second) => {
                let range = months(first * 12 + second - 1, 1, Grain::Month);
                return Some(Moment::known(range, at + 3));
            }
            (1 | 2, Some((year, year_digits @ (2 | 4)))) => {
                // "1.2.27" may be a version.
                let is_sure = match mark {
                    '/' => true,
                    '.' => (digits, second_digits) == (2, 2) || self.is_behind_on(at),
                    _ => false,
                };
                if year_digits == 2 && !is_sure {
                    return None;
                }
                let year = if year_digits == 4 { year } else { full_year(year) };
                if mark == '.' || first > 12 || self.day_first && second <= 12 {
                    (year, second, first)
                } else {
                    (year, first, second)
                }
            }
            _ => return None,
        };
        let day = (1..=12).contains(&month).then(|| date(year * 12 + month - 1, day))??;
        let mut next = at + 5;
        // The time of an instant: "T10:00:00Z".
        if self.is_attached(next) && matches!(self.text_of(next), "T" | "t") {
            while self.is_attached(next) && !matches!(self.word(next), Word::Mark(',' | ')' | '?'))
            {
                next += 1;
            }
        }
        Some(Moment::known(day, next))
    }

    /// Whether a word stands before a place that stands before days.
    #[inline(never)]
    fn is_behind_on(&self, at: usize) -> bool {
        let before = if at == 0 { "" } else { self.text_of(at - 1) };
        ["am", "dem", "den", "der", "on", "vom", "zum"]
            .iter()
            .any(|word| word.eq_ignore_ascii_case(before))
    }

    /// "7 May 2023", "7th of May", "7. Mai".
    #[inline(never)]
    fn day_and_month(&self, at: usize) -> Option<Moment> {
        let (day, mut next) = self.day_number(at)?;
        let is_ordinal = matches!(self.word(at), Word::Ordinal(_)) || next > at + 1;
        let of = self.word(next) == Word::Of && !self.tokens[next].unspaced;
        let hyphens = (self.word(next), self.word(next + 2)) == (Word::Mark('-'), Word::Mark('-'));
        next += usize::from(of || hyphens);
        let Word::Month(month, safety) = self.word(next) else { return None };
        let is_sure = safety == Safety::Safe || self.tokens[next].capital || is_ordinal && of;
        next += 1 + usize::from(hyphens);
        let dot = safety == Safety::Short && self.word(next) == Word::Mark('.');
        let behind = next + usize::from(dot && self.is_attached(next));
        let recurring = Recurring::Date(month, day);
        let short = || self.short_year(behind).filter(|_| is_sure && !of);
        match self.year_behind(behind).or_else(short) {
            Some((year, next)) => Some(Moment::known(recurring.of_year(year)?, next)),
            None if is_sure && !hyphens => self.dated(recurring, next),
            None => None,
        }
    }

    /// A day that some year has.
    #[inline(never)]
    fn dated(&self, recurring: Recurring, next: usize) -> Option<Moment> {
        // 2000 was a leap year.
        recurring.of_year(2000)?;
        Some(Moment::new(When::OneOf(recurring), next))
    }

    /// "two months ago", "3日前".
    #[inline(never)]
    fn ago(&self, at: usize) -> Option<Moment> {
        let amount = self.amount(at)?;
        (self.word(amount.next) == Word::Ago)
            .then(|| Moment::known(self.away(&amount, -1), amount.next + 1))
    }

    /// "2023年5月7日", "5月", "2022年の夏".
    #[inline(never)]
    fn japanese(&self, at: usize) -> Option<Moment> {
        match (self.word(at), self.word(at + 1)) {
            (Word::Number(year, 4), Word::YearMark) => {
                let whole = months(i64::from(year) * 12, 12, Grain::Year);
                Some(self.within(whole, Unit::Year, at + 2))
            }
            _ => self.japanese_month(at),
        }
    }

    #[inline(never)]
    fn japanese_month(&self, at: usize) -> Option<Moment> {
        let value = |at| match self.word(at) {
            Word::Number(value, 1 | 2) => Some(value as u8),
            Word::Count(value, max) if value == max && self.tokens[at].unspaced => Some(value),
            _ => None,
        };
        let month = value(at)?;
        if self.word(at + 1) != Word::MonthMark || !(1..=12).contains(&month) {
            return None;
        }
        match value(at + 2) {
            Some(day) if self.word(at + 3) == Word::DayMark => {
                self.dated(Recurring::Date(month - 1, day), at + 4)
            }
            _ => Some(Moment::new(When::OneOf(Recurring::Month(month - 1)), at + 2)),
        }
    }

    /// "the third quarter of 2021".
    #[inline(never)]
    fn ordinal_quarter(&self, at: usize) -> Option<Moment> {
        let Word::Ordinal(place @ 1..=4) = self.word(at) else { return None };
        let next = at + 1 + usize::from(self.word(at + 1) == Word::Mark('.'));
        (self.word(next) == Word::Unit(Unit::Quarter)).then_some(())?;
        Some(self.of_some_year(Recurring::Quarter(place - 1), next + 1))
    }

    /// "1990s", "the 90s".
    #[inline(never)]
    fn decade(&self, at: usize) -> Option<Moment> {
        let Word::Number(year, digits) = self.word(at) else { return None };
        let letter = at + 1 + usize::from(self.is_apostrophe(at + 1));
        if self.word(letter) != Word::Letter('s') || !self.is_attached(letter) || year % 10 != 0 {
            return None;
        }
        let year = match (digits, year) {
            (4, 1000..) => i64::from(year),
            (2, _) if at == 0 || self.word(at - 1) != Word::The => return None,
            (2, 30..) => 1900 + i64::from(year),
            (2, _) => 2000 + i64::from(year),
            _ => return None,
        };
        Some(Moment::known(months(year * 12, 120, Grain::Decade), letter + 1))
    }

    /// A year with a word in front, two years with a hyphen, or "on the 7th".
    #[inline(never)]
    fn led_number(&self, at: usize, led: bool) -> Option<Moment> {
        if let Word::Ordinal(day @ 1..=31) = self.word(at) {
            let is_led = at > 1 && self.word(at - 1) == Word::The && self.word(at - 2) == Word::On;
            let is_last = matches!(self.word(at + 1), Word::End | Word::Mark(_));
            return (is_led && is_last && self.text_of(at).as_bytes()[0].is_ascii_digit())
                .then(|| Moment::new(When::OneOf(Recurring::DayOfMonth(day)), at + 1));
        }
        let (year, next) = self.year(at).filter(|(year, _)| led && (1800..2200).contains(year))?;
        if matches!(self.word(next), Word::Unit(_)) {
            return None;
        }
        let count = match self.year(next + 1) {
            Some((last, _))
                if self.word(next) == Word::Mark('-')
                    && self.is_attached(next + 1)
                    && last > year =>
            {
                let range = months(year * 12, (last + 1 - year) * 12, Grain::Year);
                return Some(Moment::known(range, next + 2));
            }
            _ => 12,
        };
        Some(Moment::known(months(year * 12, count, Grain::Year), next))
    }

    /// "May 7, 2023", "May 2023", "May of last year", "in May".
    #[inline(never)]
    fn month_first(&self, at: usize, led: bool) -> Option<Moment> {
        let Word::Month(month, safety) = self.word(at) else { return None };
        let month = Recurring::Month(month);
        let capital = self.tokens[at].capital;
        let mut next = at + 1;
        // "OCT4" is a name, and no day of October.
        if self.is_attached(next) && matches!(self.word(next), Word::Number(..) | Word::Ordinal(_))
        {
            return None;
        }
        if safety == Safety::Short && self.word(next) == Word::Mark('.') && self.is_attached(next) {
            next += 1;
        }
        if let Some(day) = self.month_and_day(next, month, capital || safety == Safety::Safe) {
            return day;
        }
        if self.is_behind_day(at) {
            return None;
        }
        if let Some((range, next)) = self.in_some_year(month, next) {
            return Some(Moment::known(range, next));
        }
        let before = if at == 0 { Word::End } else { self.word(at - 1) };
        let is_meant = match safety {
            Safety::Safe => true,
            _ if self.is_apostrophe(at + 1) || !led => false,
            Safety::Short => capital,
            Safety::Unsafe => {
                capital
                    || matches!(
                        before,
                        Word::In | Word::Of | Word::Since | Word::During | Word::Third(_)
                    )
            }
        };
        is_meant.then(|| Moment::new(When::OneOf(month), at + 1))
    }

    /// The day behind a month, if a number is there; it may be no day of this month.
    #[inline(never)]
    fn month_and_day(&self, at: usize, month: Recurring, is_sure: bool) -> Option<Option<Moment>> {
        let Recurring::Month(month) = month else { return None };
        let number = self.behind(at, &[Word::The]);
        let (day, is_ordinal) = match self.word(number) {
            Word::Ordinal(day) => (day, true),
            Word::Number(day, 1 | 2) if number == at => (day as u8, false),
            _ => return None,
        };
        let next = number + 1;
        let is_time = matches!(
            self.word(next),
            Word::Mark(':') | Word::MonthMark | Word::Unit(_) | Word::Clock
        ) || self.meridiem(next).is_some();
        if is_time {
            return None;
        }
        let recurring = Recurring::Date(month, day);
        Some(match self.year_behind(next) {
            Some((year, next)) => recurring.of_year(year).map(|day| Moment::known(day, next)),
            None if is_sure || is_ordinal => self.dated(recurring, next),
            None => return None,
        })
    }

    /// Whether a number stands before a month: then it is no day of this month, or it would have
    /// been found with the month.
    #[inline(never)]
    fn is_behind_day(&self, at: usize) -> bool {
        let before = at.wrapping_sub(1);
        let number = if self.word(before) == Word::Of { before.wrapping_sub(1) } else { before };
        matches!(self.word(number), Word::Number(_, 1 | 2) | Word::Ordinal(_))
    }

    /// "Friday", "Friday, May 7, 2023", "Friday of last week".
    #[inline(never)]
    fn weekday_first(&self, at: usize, led: bool) -> Option<Moment> {
        let Word::Weekday(weekday, safety) = self.word(at) else { return None };
        let dot = self.word(at + 1) == Word::Mark('.') && self.is_attached(at + 1);
        let short_next = at + 1 + usize::from(dot && safety == Safety::Short);
        let next = self.behind(short_next, &[Word::Mark(',')]);
        let next = self.behind_article(self.behind(next, &[Word::Am]));
        let date = match self.word(next) {
            Word::Number(..) | Word::Ordinal(_) => self
                .numeric(next)
                .or_else(|| self.day_and_month(next))
                .or_else(|| self.japanese_month(next)),
            Word::Month(..) => self.month_first(next, false),
            _ => None,
        };
        if let Some(date) = date.filter(|date| date.when.is_day()) {
            return Some(date);
        }
        if safety == Safety::Short {
            let is_led = led || at > 0 && matches!(self.word(at - 1), Word::On | Word::Which(_));
            if !is_led || !self.tokens[at].capital {
                return None;
            }
        }
        if let Some((range, next)) = self.relative(self.behind(at + 1, &[Word::Of]), Unit::Week) {
            let day = range.from.div_euclid(DAY_MS) + i64::from(weekday);
            return Some(Moment::known(days(day, day + 1, Grain::Day), next));
        }
        Some(Moment::new(When::OneOf(Recurring::Weekday(weekday)), at + 1))
    }

    /// "summer 2022", "the summer of last year", "in summer".
    #[inline(never)]
    fn season_first(&self, at: usize, led: bool) -> Option<Moment> {
        let Word::Season(season) = self.word(at) else { return None };
        let season = Recurring::Season(season);
        if let Some((range, next)) = self.in_some_year(season, at + 1) {
            return Some(Moment::known(range, next));
        }
        let is_meant = if self.tokens[at].unspaced {
            matches!(self.text_of(at + 1), "に" | "は" | "から" | "まで" | "以来")
        } else {
            led && self.word(at + 1) != Word::Of && !self.is_apostrophe(at + 1)
        };
        is_meant.then(|| Moment::new(When::OneOf(season), at + 1))
    }

    /// "Q3 2021", "Q3 '21", "Q3/21", "Q3", "H1 2025".
    #[inline(never)]
    fn quarter_first(&self, at: usize) -> Option<Moment> {
        let (part, next) = self.letter_and_place(at)?;
        let behind = self.behind(next, &[Word::Mark('/'), Word::Mark('-'), Word::Mark(',')]);
        match self.in_some_year(part, behind) {
            Some((range, next)) => Some(Moment::known(range, next)),
            None => match self.short_year(behind) {
                Some((year, next)) => Some(Moment::known(part.of_year(year)?, next)),
                // "H1" alone is a heading or a form.
                None if matches!(part, Recurring::Half(_)) => None,
                None => Some(Moment::new(When::OneOf(part), next)),
            },
        }
    }

    /// "Q3", "H1".
    #[inline(never)]
    fn letter_and_place(&self, at: usize) -> Option<(Recurring, usize)> {
        if !self.is_attached(at + 1) || !self.tokens.get(at)?.capital {
            return None;
        }
        let part = match (self.word(at), self.word(at + 1)) {
            (Word::Letter('q'), Word::Number(place @ 1..=4, 1)) => {
                Recurring::Quarter(place as u8 - 1)
            }
            (Word::Letter('h'), Word::Number(place @ 1..=2, 1)) => Recurring::Half(place as u8 - 1),
            _ => return None,
        };
        Some((part, at + 2))
    }

    /// "2024 Q3", "2024-Q3", "2025 H1".
    #[inline(never)]
    fn year_and_quarter(&self, at: usize) -> Option<Moment> {
        let (year, next) = self.year(at)?;
        let (part, next) =
            self.letter_and_place(self.behind(next, &[Word::Mark('/'), Word::Mark('-')]))?;
        Some(Moment::known(part.of_year(year)?, next))
    }

    /// "last week", "the past three days", "next Friday", "this morning".
    #[inline(never)]
    fn which_first(&self, at: usize) -> Option<Moment> {
        let (mut which, mut next) = (self.word(at), at + 1);
        if which == Word::Which(0) && matches!(self.word(next), Word::Past | Word::Which(_)) {
            which = self.word(next);
            next += 1;
        }
        let is_past = which == Word::Past;
        let steps = match which {
            Word::Which(steps) => i64::from(steps),
            _ => -1,
        };
        if steps != 0
            && let Some(amount) = self.amount(next)
        {
            let range =
                if steps < 0 { self.up_to_now(&amount) } else { self.beginning_now(&amount) };
            return Some(Moment::known(range, amount.next));
        }
        let recurring = match self.word(next) {
            Word::Unit(Unit::Second | Unit::Minute | Unit::Hour | Unit::Day) => {
                let is_stretch = is_past && self.word(next) != Word::Unit(Unit::Second);
                let Word::Unit(unit) = self.word(next) else { return None };
                let amount = Amount { min: 1, max: 1, unit, next: next + 1 };
                return is_stretch.then(|| Moment::known(self.up_to_now(&amount), next + 1));
            }
            Word::Unit(unit) if is_past && unit != Unit::Weekend => {
                let amount = Amount { min: 1, max: 1, unit, next: next + 1 };
                return Some(Moment::known(self.up_to_now(&amount), next + 1));
            }
            Word::Unit(unit) => {
                return Some(self.within(unit_at(self.now, unit, steps), unit, next + 1));
            }
            Word::Part(18, 30) if steps == -1 => return Some(self.last_night(next + 1)),
            Word::Part(..) if steps <= 0 => {
                let (hours, next) = self.hours(next)?;
                let day = unit_at(self.now, Unit::Day, steps);
                return Some(Moment { hours: Some(hours), ..Moment::known(day, next) });
            }
            Word::Weekday(weekday, _) => Recurring::Weekday(weekday),
            Word::Month(month, safety) => {
                if safety != Safety::Safe && !self.tokens[next].capital && steps == 0 {
                    return None;
                }
                match self.month_and_day(next + 1, Recurring::Month(month), false) {
                    Some(Some(Moment { when: When::OneOf(recurring), next: behind, .. })) => {
                        next = behind - 1;
                        recurring
                    }
                    _ => Recurring::Month(month),
                }
            }
            Word::Season(season) => Recurring::Season(season),
            _ => return None,
        };
        let range = match (steps, recurring) {
            (-1 | 1, _) => self.beyond(recurring, steps)?,
            (_, Recurring::Weekday(weekday)) => {
                let monday = unit_at(self.now, Unit::Week, 0).from.div_euclid(DAY_MS);
                {
                    let day = monday + i64::from(weekday);
                    days(day, day + 1, Grain::Day)
                }
            }
            _ => recurring.of_year(month_of(self.now.div_euclid(DAY_MS)).div_euclid(12))?,
        };
        Some(Moment::known(range, next + 1))
    }

    /// A part of a week or year that follows it: "先週の金曜日", "last year's summer"; else the
    /// week or year itself.
    #[inline(never)]
    fn within(&self, whole: Range, unit: Unit, next: usize) -> Moment {
        let mut part = next;
        if self.word(part) == Word::Of || self.word(part) == Word::Mark(',') {
            part += 1;
        } else if self.is_apostrophe(part) && self.word(part + 1) == Word::Letter('s') {
            part += 2;
        }
        let day = whole.from.div_euclid(DAY_MS);
        let found = match (unit, self.word(part)) {
            (Unit::Week, Word::Weekday(weekday, Safety::Safe)) => {
                let day = day + i64::from(weekday);
                Some(Moment::known(days(day, day + 1, Grain::Day), part + 1))
            }
            (Unit::Year, Word::Season(season)) => {
                let year = month_of(day).div_euclid(12);
                let season = Recurring::Season(season).of_year(year);
                season.map(|range| Moment::known(range, part + 1))
            }
            (Unit::Year, Word::Number(..) | Word::Count(..)) => {
                let year = month_of(day).div_euclid(12);
                self.japanese_month(part)
                    .and_then(|found| Some(Moment::new(found.when.in_year(year)?, found.next)))
            }
            (Unit::Month, Word::Number(day_number, 1 | 2))
                if self.word(part + 1) == Word::DayMark =>
            {
                date(month_of(day), day_number.into()).map(|day| Moment::known(day, part + 2))
            }
            _ => None,
        };
        found.unwrap_or_else(|| Moment::known(whole, next))
    }

    /// A month, season or quarter in the year behind it, if there is one; else the recurring one.
    #[inline(never)]
    fn of_some_year(&self, recurring: Recurring, next: usize) -> Moment {
        match self.in_some_year(recurring, next) {
            Some((range, next)) => Moment::known(range, next),
            None => Moment::new(When::OneOf(recurring), next),
        }
    }

    #[inline(never)]
    fn in_some_year(&self, recurring: Recurring, at: usize) -> Option<(Range, usize)> {
        if let Some((year, next)) = self.year_behind(at) {
            return Some((recurring.of_year(year)?, next));
        }
        let at = self.behind_article(self.behind(at, &[Word::Of]));
        let (range, next) = self.relative(at, Unit::Year)?;
        let year = month_of(range.from.div_euclid(DAY_MS)).div_euclid(12);
        Some((recurring.of_year(year)?, next))
    }

    /// "last week", "先週": a unit counted from the present one, if it is this one.
    #[inline(never)]
    fn relative(&self, at: usize, sought: Unit) -> Option<(Range, usize)> {
        match (self.word(at), self.word(at + 1)) {
            (Word::Which(steps), Word::Unit(unit)) if unit == sought => {
                Some((unit_at(self.now, unit, steps.into()), at + 2))
            }
            (Word::Relative(steps, unit), _) if unit == sought => {
                Some((unit_at(self.now, unit, steps.into()), at + 1))
            }
            _ => None,
        }
    }

    /// A number of units: "two weeks", "a couple of months", "3日", "half a year", "one and a half
    /// years", "a year and a half".
    #[inline(never)]
    fn amount(&self, at: usize) -> Option<Amount> {
        if let Some(amount) = self.half_amount(at) {
            return Some(amount);
        }
        let (min, max) = match (self.word(at), self.word(at + 1)) {
            (Word::A, Word::Count(2, max)) => (2, max.into()),
            (Word::A, _) => (1, 1),
            (Word::Count(min, max), _) => (min.into(), max.into()),
            (Word::Number(value, _), _) => (i64::from(value), i64::from(value)),
            _ => return None,
        };
        let is_double = matches!((self.word(at), self.word(at + 1)), (Word::A, Word::Count(2, _)));
        let next = at + 1 + usize::from(is_double);
        let is_and_half = self.word(next) == Word::And
            && self.word(next + 1) == Word::A
            && self.word(next + 2) == Word::Half;
        if is_and_half {
            let half = self.half_amount(next + 1)?;
            let (whole, _) = parts_of(self.unit(half.next - 1)?);
            let [min, max] = [min * whole + half.min, max * whole + half.max];
            return Some(Amount { min, max, ..half });
        }
        let next = self.behind(next, &[Word::Of]);
        let unit = self.unit(next)?;
        let is_and_half = self.word(next + 1) == Word::And
            && self.word(next + 2) == Word::A
            && self.word(next + 3) == Word::Half
            && self.unit(next + 4).is_none();
        if is_and_half {
            let (whole, (least, most, part)) = parts_of(unit);
            let [min, max] = [min * whole + least, max * whole + most];
            return Some(Amount { min, max, unit: part, next: next + 4 });
        }
        Some(Amount { min, max, unit, next: next + 1 })
    }

    /// "half a year", "a half year", "半年": half a unit in smaller ones.
    #[inline(never)]
    fn half_amount(&self, at: usize) -> Option<Amount> {
        let half = self.behind(at, &[Word::A]);
        if self.word(half) != Word::Half {
            return None;
        }
        let next = self.behind(half + 1, &[Word::A]);
        let (_, (min, max, unit)) = parts_of(self.unit(next)?);
        Some(Amount { min, max, unit, next: next + 1 })
    }

    /// The unit that a token names.
    #[inline(never)]
    fn unit(&self, at: usize) -> Option<Unit> {
        match self.word(at) {
            Word::Unit(unit) => Some(unit),
            Word::YearMark => Some(Unit::Year),
            Word::DayMark => Some(Unit::Day),
            _ => None,
        }
    }

    /// The range that lies a number of units away.
    #[inline(never)]
    fn away(&self, amount: &Amount, sign: i64) -> Range {
        let one = unit_at(self.now, amount.unit, sign * amount.min);
        let other = unit_at(self.now, amount.unit, sign * amount.max);
        Range { from: one.from.min(other.from), to: one.to.max(other.to), grain: one.grain }
    }

    /// The range of a number of units that ends at the present. It begins with a whole day, or with
    /// a whole minute if the unit is shorter than a day.
    #[inline(never)]
    fn up_to_now(&self, amount: &Amount) -> Range {
        let begin = shifted(self.now, amount.unit, -amount.max);
        let grain = unit_at(self.now, amount.unit, 0).grain;
        let is_short = matches!(grain, Grain::Minute | Grain::Hour);
        let unit = if is_short { Unit::Minute } else { Unit::Day };
        Range { from: unit_at(begin, unit, 0).from, to: self.now + 1, grain }
    }

    /// The range of a number of units that begins at the present and ends with a whole day, or with
    /// a whole minute if the unit is shorter than a day.
    #[inline(never)]
    fn beginning_now(&self, amount: &Amount) -> Range {
        let end = shifted(self.now, amount.unit, amount.max);
        let grain = unit_at(self.now, amount.unit, 0).grain;
        let is_short = matches!(grain, Grain::Minute | Grain::Hour);
        let unit = if is_short { Unit::Minute } else { Unit::Day };
        Range { from: self.now, to: unit_at(end, unit, 0).to, grain }
    }

    /// A year of two digits at the end of a clause: "3 Apr 25", and not "3 Apr 25 guests".
    #[inline(never)]
    fn short_year(&self, at: usize) -> Option<(i64, usize)> {
        let Word::Number(year, 2) = self.word(at) else { return None };
        let is_part = match self.word(at + 1) {
            Word::Mark(mark) => {
                self.is_attached(at + 1)
                    && !matches!(
                        mark,
                        '.' | ',' | ';' | '?' | '!' | ')' | ']' | '"' | '”' | '\'' | '’' | '…'
                    )
            }
            Word::End | Word::And | Word::At | Word::In | Word::On | Word::To | Word::Until => {
                false
            }
            _ => true,
        };
        (!is_part && self.ends(at + 1)).then(|| (full_year(year.into()), at + 1))
    }

    /// The number of a day of a month, with the dot of German.
    #[inline(never)]
    fn day_number(&self, at: usize) -> Option<(u8, usize)> {
        match self.word(at) {
            Word::Ordinal(day @ 1..=31) => Some((day, at + 1)),
            Word::Number(day @ 1..=31, 1 | 2) => {
                let dot = self.word(at + 1) == Word::Mark('.') && self.is_attached(at + 1);
                Some((day as u8, at + 1 + usize::from(dot)))
            }
            _ => None,
        }
    }

    /// A year of four digits, or of two behind an apostrophe: "'24".
    #[inline(never)]
    fn year(&self, at: usize) -> Option<(i64, usize)> {
        match (self.word(at), self.word(at + 1)) {
            (Word::Number(year @ 1000..3000, 4), _) => Some((year.into(), at + 1)),
            (Word::Mark('\'' | '’' | '‘'), Word::Number(year, 2))
                if !self.is_attached(at)
                    && self.is_attached(at + 1)
                    && !matches!(self.word(at + 2), Word::Unit(_) | Word::Clock)
                    && (!self.is_attached(at + 2)
                        || !self.is_apostrophe(at + 2)
                            && matches!(self.word(at + 2), Word::Mark(_))) =>
            {
                Some((full_year(year.into()), at + 2))
            }
            _ => None,
        }
    }

    /// A year behind a month or day: "2023", ", 2023", "of 2023".
    #[inline(never)]
    fn year_behind(&self, at: usize) -> Option<(i64, usize)> {
        self.year(self.behind(at, &[Word::Mark(','), Word::Of]))
    }

    /// Whether a word that leads to a time stands before a token, articles aside.
    #[inline(never)]
    fn is_led(&self, at: usize) -> bool {
        let mut before = at;
        if before > 0 && self.word(before - 1) == Word::The {
            before -= 1;
        }
        before > 0
            && matches!(
                self.word(before - 1),
                Word::In
                    | Word::During
                    | Word::Of
                    | Word::Since
                    | Word::Until
                    | Word::Before
                    | Word::Vor
                    | Word::After
                    | Word::Between
                    | Word::From
                    | Word::Third(_)
            )
    }

    #[inline(never)]
    fn word(&self, at: usize) -> Word {
        self.tokens.get(at).map_or(Word::End, |token| token.word)
    }

    #[inline(never)]
    fn text_of(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.span.of(self.text))
    }

    /// The place behind a token, if it is one of these; else the place itself.
    #[inline(never)]
    fn behind(&self, at: usize, words: &[Word]) -> usize {
        at + usize::from(words.contains(&self.word(at)))
    }

    fn behind_article(&self, at: usize) -> usize {
        self.behind(at, &[Word::The])
    }

    fn is_attached(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.attached)
    }

    #[inline(never)]
    fn is_apostrophe(&self, at: usize) -> bool {
        matches!(self.word(at), Word::Mark('\'' | '’')) && self.is_attached(at)
    }

    /// Whether an expression may begin here: not inside a word or number.
    #[inline(never)]
    fn begins(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        if !token.attached || token.unspaced || at == 0 {
            return true;
        }
        let before = self.tokens[at - 1];
        match before.word {
            Word::Mark('$' | '€' | '£' | '¥' | '#' | '@' | '+') => false,
            Word::Mark('.' | ',' | ':' | '/' | '-') if matches!(token.word, Word::Number(..)) => {
                !(before.attached && self.is_digits(at - 2))
            }
            Word::Mark(_) => true,
            _ => before.unspaced,
        }
    }

    /// Whether an expression may end before this token: not inside a word or number.
    #[inline(never)]
    fn ends(&self, next: usize) -> bool {
        let Some(token) = self.tokens.get(next) else { return true };
        if !token.attached || token.unspaced || self.tokens[next - 1].unspaced {
            return true;
        }
        let is_number = self.is_digits(next - 1);
        match token.word {
            Word::Mark('%' | '$' | '€' | '£' | '¥') => !is_number,
            Word::Mark('.' | ',' | ':' | '/' | '-') => {
                !(is_number && self.is_attached(next + 1) && self.is_digits(next + 1))
            }
            Word::Mark(_) => true,
            _ => false,
        }
    }

    /// Whether a token is a run of digits.
    #[inline(never)]
    fn is_digits(&self, at: usize) -> bool {
        self.text_of(at).bytes().next_back().is_some_and(|byte| byte.is_ascii_digit())
    }
}
