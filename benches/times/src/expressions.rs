//! Expressions of time by regular expressions: the same rules as the scanner's, as far as patterns
//! of a reasonable length express them. The calendar is the scanner's.

#[path = "../../../src/times/calendar.rs"]
#[allow(dead_code)]
mod calendar;

use std::sync::LazyLock;

#[cfg(feature = "regex")]
use regex::{Captures, Regex};
#[cfg(all(feature = "regex-lite", not(feature = "regex")))]
use regex_lite::{Captures, Regex};

use crate::text::Span;
use calendar::{
    DAY_MS, HOUR_MS, LATEST, MINUTE_MS, Range, Recurring, Unit, date, days, month_of, months,
    shifted, unit_at,
};

/// The unit of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Season,
    Year,
    Decade,
}

impl Grain {
    pub const NAMES: [&str; 9] =
        ["minute", "hour", "day", "week", "month", "quarter", "season", "year", "decade"];
}

/// An expression and its range.
pub struct Found {
    pub span: Span,
    pub start: f64,
    pub end: f64,
    pub grain: Grain,
}

#[derive(Clone, Copy)]
enum When {
    Known(Range),
    OneOf(Recurring),
}

use When::{Known, OneOf};

type Rule = (Regex, fn(&Captures<'_>, i64) -> Option<When>);

const MONTH: &str = "(?P<month>january|januar|february|februar|march|märz|april|may|mai|june|juni|july|juli|august|september|october|oktober|november|december|dezember|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)";
const WEEKDAY: &str = "(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)";
const SEASON: &str = "(?P<season>spring|summer|autumn|fall|winter|frühling|sommer|herbst)";
const UNIT: &str = "(?P<unit>seconds?|minutes?|hours?|days?|weekends?|weeks?|months?|quarters?|years?|decades?|tage?n?|wochenende|wochen?|monate?n?|jahre?n?|stunden?)";
const COUNT: &str = "(?P<count>[0-9]{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a couple of|couple of|a few|few|several|eine[mnr]?|ein|zwei|drei|vier|fünf|ein paar)";
const WHICH: &str = "(?P<which>last|previous|this past|this coming|this|current|next|coming|letzte[nrs]?|vergangene[nrs]?|diese[nrs]?|nächste[nrs]?)";
const YEAR: &str = "(?P<year>[12][0-9]{3})";
const DAY: &str = "(?P<day>[0-9]{1,2})";
const LEAD: &str = "(?:in|im|during|throughout|of|since|seit|until|bis|before|vor|after|nach|between|zwischen|from|von|by)";

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let rule =
        |pattern: String, read| (Regex::new(&format!("(?i){pattern}")).expect("a pattern"), read);
    let is = |pattern: String, read: fn(&Captures<'_>, i64) -> Option<When>| -> Rule {
        rule(pattern, read)
    };
    vec![
        is(format!(r"\b{YEAR}[-/](?P<number>[0-9]{{1,2}})[-/]{DAY}\b(?:T[0-9:.]+Z?)?"), |found, _| {
            by_numbers(number(found, "year")?, number(found, "number")?, number(found, "day")?)
        }),
        is(format!(r"\b{YEAR}-(?P<number>[0-9]{{1,2}})\b"), |found, _| {
            let month = number(found, "number").filter(|month| (1..=12).contains(month))?;
            Some(Known(months(number(found, "year")? * 12 + month - 1, 1, Grain::Month)))
        }),
        is(r"\b(?P<one>[0-9]{1,2})[-/](?P<two>[0-9]{1,2})[-/](?P<end>[0-9]{4}|[0-9]{2})\b".into(), |found, _| {
            let (one, two) = (number(found, "one")?, number(found, "two")?);
            let (month, day) = if one > 12 { (two, one) } else { (one, two) };
            by_numbers(full_year(number(found, "end")?), month, day)
        }),
        is(r"\b(?P<one>[0-9]{1,2})\.(?P<two>[0-9]{1,2})\.(?P<end>[0-9]{4}|[0-9]{2})\b".into(), |found, _| {
            by_numbers(full_year(number(found, "end")?), number(found, "two")?, number(found, "one")?)
        }),
        is(format!(r"\b(?:{WEEKDAY},? (?:the |den )?)?{DAY}(?:st|nd|rd|th|\.)? ?(?:of )?{MONTH}\b\.?(?:(?:,| of)? {YEAR}\b)?"), month_and_day),
        is(format!(r"\b(?:{WEEKDAY},? )?{MONTH}\b\.? (?:the )?{DAY}(?:st|nd|rd|th)?\b(?:(?:,| of)? {YEAR}\b)?"), month_and_day),
        is(format!(r"\b{MONTH}\b\.?(?:,| of)? {YEAR}\b"), |found, _| in_year(month(found)?, number(found, "year")?)),
        is(format!(r"\b{MONTH}(?: of)? {WHICH} (?:year|jahr)\b"), |found, now| in_year(month(found)?, year_of(now) + steps(found)?)),
        is(format!(r"\b{WHICH} {MONTH}\b"), |found, now| choose(month(found)?, steps(found)?, now)),
        is(format!(r"\b{LEAD} {MONTH}\b"), |found, _| Some(OneOf(month(found)?))),
        is(r"\b(?P<month>january|february|july|september|october|november|december|märz|juni|juli|oktober|dezember)\b".into(), |found, _| Some(OneOf(month(found)?))),
        is(format!(r"\b{WHICH} {WEEKDAY}\b"), |found, now| choose(weekday(found)?, steps(found)?, now)),
        is(format!(r"\b{WEEKDAY}(?: of)? {WHICH} (?:week|woche)\b"), |found, now| {
            let Recurring::Weekday(weekday) = weekday(found)? else { return None };
            let day = unit_at(now, Unit::Week, steps(found)?).from / DAY_MS + i64::from(weekday);
            Some(Known(days(day, day + 1, Grain::Day)))
        }),
        is(format!(r"\b{WEEKDAY}\b"), |found, _| Some(OneOf(weekday(found)?))),
        is(format!(r"\b{SEASON}(?: of)? {YEAR}\b"), |found, _| in_year(season(found)?, number(found, "year")?)),
        is(format!(r"\b{WHICH} {SEASON}\b"), |found, now| choose(season(found)?, steps(found)?, now)),
        is(format!(r"\b{LEAD} (?:the )?{SEASON}\b"), |found, _| Some(OneOf(season(found)?))),
        is(format!(r"\bQ(?P<quarter>[1-4])(?:[ /]{YEAR})?\b"), |found, _| {
            let quarter = Recurring::Quarter(number(found, "quarter")? as u8 - 1);
            match number(found, "year") {
                Some(year) => in_year(quarter, year),
                None => Some(OneOf(quarter)),
            }
        }),
        is(r"\b(?P<decade>[12][0-9]{2}0)'?s\b".into(), |found, _| {
            Some(Known(months(number(found, "decade")? * 12, 120, Grain::Decade)))
        }),
        is(format!(r"\b(?:{LEAD}|year|jahr) {YEAR}\b"), |found, _| {
            Some(Known(months(number(found, "year")? * 12, 12, Grain::Year)))
        }),
        is(format!(r"\b{WHICH} {UNIT}\b"), |found, now| {
            let unit = unit(found)?;
            let is_long = !matches!(unit, Unit::Second | Unit::Minute | Unit::Hour | Unit::Day);
            let steps = steps(found)?;
            is_long.then(|| Known(unit_at(now, unit, steps)))
        }),
        is(format!(r"\b(?:last|past|letzten) (?:{COUNT} )?{UNIT}\b"), |found, now| {
            let is_past = found.get(0)?.as_str().to_lowercase().starts_with("past");
            let most = if found.name("count").is_some() { count(found)?.1 } else if is_past { 1 } else { return None };
            let unit = unit(found)?;
            let whole = unit_at(now, unit, 0).grain;
            let small = if matches!(whole, Grain::Minute | Grain::Hour) { Unit::Minute } else { Unit::Day };
            let from = unit_at(shifted(now, unit, -max), small, 0).from;
            Some(Known(Range { from, to: now + 1, grain: whole }))
        }),
        is(format!(r"\b{COUNT} {UNIT} ago\b"), |found, now| away(found, now, -1)),
        is(format!(r"\bvor {COUNT} {UNIT}\b"), |found, now| away(found, now, -1)),
        is(format!(r"\bin {COUNT} {UNIT}\b"), |found, now| away(found, now, 1)),
        is(format!(r"\b{COUNT} {UNIT} from now\b"), |found, now| away(found, now, 1)),
        is(r"\b(?P<name>day before yesterday|day after tomorrow|today|yesterday|tomorrow|vorgestern|gestern|heute)\b(?: (?:at|um) (?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2}))? ?(?P<half>am|pm|uhr)?| (?P<part>morning|afternoon|evening|abend))?".into(), |found, now| {
            let steps = match found.name("name")?.as_str().to_lowercase().as_str() {
                "day before yesterday" | "vorgestern" => -2,
                "yesterday" | "gestern" => -1,
                "tomorrow" => 1,
                "day after tomorrow" => 2,
                _ => 0,
            };
            let day = unit_at(now, Unit::Day, steps);
            Some(Known(hours(found, day).unwrap_or(day)))
        }),
        is(r"\b(?:this (?P<part>morning|afternoon|evening)|(?P<night>tonight|last night))\b".into(), |found, now| {
            let today = unit_at(now, Unit::Day, 0);
            match found.name("night").map(|night| night.as_str().to_lowercase()) {
                Some(night) => {
                    let day = today.from - if night == "tonight" { 0 } else { DAY_MS };
                    Some(Known(Range { from: day + 18 * HOUR_MS, to: day + 30 * HOUR_MS, grain: Grain::Hour }))
                }
                None => hours(found, today).map(Known),
            }
        }),
        is(r"\b(?:at|um) (?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2}))? ?(?P<half>am|pm|uhr)\b".into(), |found, now| {
            hours(found, unit_at(now, Unit::Day, 0)).map(Known)
        }),
        is(r"(?P<year>[0-9]{4})年(?:(?P<number>[0-9]{1,2})月(?:(?P<day>[0-9]{1,2})日)?)?".into(), |found, _| {
            let year = number(found, "year")?;
            match (number(found, "number"), number(found, "day")) {
                (Some(month), Some(day)) => by_numbers(year, month, day),
                (Some(month), None) => in_year(Recurring::Month(month as u8 - 1), year),
                _ => Some(Known(months(year * 12, 12, Grain::Year))),
            }
        }),
        is(r"(?P<name>一昨日|昨日|今日|明日|先週|今週|来週|先月|今月|来月|去年|今年|来年)".into(), |found, now| {
            let (unit, steps) = match found.name("name")?.as_str() {
                "一昨日" => (Unit::Day, -2),
                "昨日" => (Unit::Day, -1),
                "今日" => (Unit::Day, 0),
                "明日" => (Unit::Day, 1),
                "先週" => (Unit::Week, -1),
                "今週" => (Unit::Week, 0),
                "来週" => (Unit::Week, 1),
                "先月" => (Unit::Month, -1),
                "今月" => (Unit::Month, 0),
                "来月" => (Unit::Month, 1),
                "去年" => (Unit::Year, -1),
                "今年" => (Unit::Year, 0),
                _ => (Unit::Year, 1),
            };
            Some(Known(unit_at(now, unit, steps)))
        }),
    ]
});

static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    let words = "since|ever since|until|till|by|before|after|seit|bis|vor|nach|between|zwischen|from|von|vom";
    Regex::new(&format!(r"(?i)\b(?P<word>{words})\s+(?:the\s+|dem\s+)?$")).expect("a pattern")
});
static BETWEEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:and|to|until|through|und|bis|-|–)\s*(?:the\s+)?$").expect("a pattern")
});
/// Words that lead to an expression and do not belong to it.
static LED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r"(?i)^(?:(?:{LEAD}|at|um)\s+(?:the\s+)?)+")).expect("a pattern")
});

fn number(found: &Captures<'_>, name: &str) -> Option<i64> {
    found.name(name)?.as_str().parse().ok()
}

fn full_year(year: i64) -> i64 {
    match year {
        0..70 => 2000 + year,
        70..100 => 1900 + year,
        _ => year,
    }
}

fn by_numbers(year: i64, month: i64, day: i64) -> Option<When> {
    (1..=12).contains(&month).then(|| date(year * 12 + month - 1, day))?.map(Known)
}

fn in_year(recurring: Recurring, year: i64) -> Option<When> {
    recurring.of_year(year).map(Known)
}

fn year_of(now: i64) -> i64 {
    month_of(now.div_euclid(DAY_MS)).div_euclid(12)
}

/// The place of the first name that a text begins with.
fn place(found: &Captures<'_>, group: &str, names: &[&str]) -> Option<u8> {
    let text = found.name(group)?.as_str().to_lowercase();
    let at = names.iter().position(|name| name.split(' ').any(|name| text.starts_with(name)))?;
    Some(at as u8)
}

fn month(found: &Captures<'_>) -> Option<Recurring> {
    let names = [
        "jan", "feb", "mar mär", "apr", "may mai", "jun", "jul", "aug", "sep", "oct okt", "nov",
        "dec dez",
    ];
    place(found, "month", &names).map(Recurring::Month)
}

fn weekday(found: &Captures<'_>) -> Option<Recurring> {
    let names = ["mon", "tue die", "wed mit", "thu don", "fri fre", "sat sam", "sun son"];
    place(found, "weekday", &names).map(Recurring::Weekday)
}

fn season(found: &Captures<'_>) -> Option<Recurring> {
    place(found, "season", &["spring frü", "su so", "au fa her", "win"]).map(Recurring::Season)
}

fn month_and_day(found: &Captures<'_>, _: i64) -> Option<When> {
    let Recurring::Month(month) = month(found)? else { return None };
    let recurring = Recurring::Date(month, number(found, "day")? as u8);
    match number(found, "year") {
        Some(year) => in_year(recurring, year),
        None => recurring.of_year(2000).map(|_| OneOf(recurring)),
    }
}

fn unit(found: &Captures<'_>) -> Option<Unit> {
    let names = [
        "sec",
        "min",
        "hour stu",
        "day tag",
        "weekend wochenende",
        "week woche",
        "mon",
        "qua",
        "year jahr",
        "dec",
    ];
    let units = [
        Unit::Second,
        Unit::Minute,
        Unit::Hour,
        Unit::Day,
        Unit::Weekend,
        Unit::Week,
        Unit::Month,
        Unit::Quarter,
        Unit::Year,
        Unit::Decade,
    ];
    place(found, "unit", &names).map(|at| units[at as usize])
}

fn steps(found: &Captures<'_>) -> Option<i64> {
    let which = found.name("which")?.as_str().to_lowercase();
    Some(match which.as_str() {
        "this past" => -1,
        "this coming" | "next" | "coming" => 1,
        "last" | "previous" => -1,
        which if which.starts_with("letz") || which.starts_with("verg") => -1,
        which if which.starts_with("näch") => 1,
        _ => 0,
    })
}

fn count(found: &Captures<'_>) -> Option<(i64, i64)> {
    let text = found.name("count")?.as_str().to_lowercase();
    let names = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    Some(match text.as_str() {
        "a couple of" | "couple of" | "zwei" => (2, 2),
        "a few" | "few" => (2, 5),
        "several" | "ein paar" => (2, 7),
        "drei" => (3, 3),
        "vier" => (4, 4),
        "fünf" => (5, 5),
        text => match (text.parse::<i64>(), names.iter().position(|name| *name == text)) {
            (Ok(number), _) => (number, number),
            (_, Some(at)) => (at as i64 + 1, at as i64 + 1),
            _ => (1, 1),
        },
    })
}

fn away(found: &Captures<'_>, now: i64, sign: i64) -> Option<When> {
    let ((min, max), unit) = (count(found)?, unit(found)?);
    let (one, other) = (unit_at(now, unit, sign * min), unit_at(now, unit, sign * max));
    Some(Known(Range {
        from: one.from.min(other.from),
        to: one.to.max(other.to),
        grain: one.grain,
    }))
}

fn choose(recurring: Recurring, steps: i64, now: i64) -> Option<When> {
    let today = unit_at(now, Unit::Day, 0);
    let range = match (steps, recurring) {
        (-1, _) => {
            let latest = recurring.latest(now)?;
            if latest.to <= today.from { latest } else { recurring.latest(latest.from - 1)? }
        }
        (1, _) => recurring.first(today.to)?,
        (_, Recurring::Weekday(weekday)) => {
            let day = unit_at(now, Unit::Week, 0).from / DAY_MS + i64::from(weekday);
            days(day, day + 1, Grain::Day)
        }
        _ => recurring.of_year(year_of(now))?,
    };
    Some(Known(range))
}

fn hours(found: &Captures<'_>, day: Range) -> Option<Range> {
    if let Some(part) = found.name("part") {
        let (from, to) = match part.as_str().to_lowercase().as_str() {
            "morning" => (6, 12),
            "afternoon" => (12, 18),
            _ => (18, 24),
        };
        return Some(Range {
            from: day.from + from * HOUR_MS,
            to: day.from + to * HOUR_MS,
            grain: Grain::Hour,
        });
    }
    let half = found.name("half").map(|half| half.as_str().to_lowercase());
    let hour = number(found, "hour")?;
    let hour = match half.as_deref() {
        Some("am") => hour % 12,
        Some("pm") => hour % 12 + 12,
        _ => hour,
    };
    let minute = number(found, "minute");
    if hour > 23 || minute.is_some_and(|minute| minute > 59) {
        return None;
    }
    let from = day.from + hour * HOUR_MS + minute.unwrap_or(0) * MINUTE_MS;
    Some(match minute {
        Some(_) => Range { from, to: from + MINUTE_MS, grain: Grain::Minute },
        None => Range { from, to: from + HOUR_MS, grain: Grain::Hour },
    })
}

/// Returns where an expression begins behind the words that lead to it.
fn without_lead(text: &str, start: usize, end: usize, when: When, present: i64) -> usize {
    let lower = text[start..end].to_lowercase();
    let is_away = lower.starts_with("vor ")
        || lower.starts_with("in ") && matches!(when, Known(Range { from, .. }) if from > present);
    if is_away {
        return start;
    }
    start + LED.find(&text[start..end]).map_or(0, |led| led.end())
}

/// Returns the expressions of a text: of those that overlap the leftmost, and of these the longest.
pub fn find(text: &str, now: f64) -> Vec<Found> {
    let present = now.floor() as i64;
    let mut moments: Vec<(usize, usize, When)> = Vec::new();
    for (pattern, read) in RULES.iter() {
        for found in pattern.captures_iter(text) {
            let (Some(whole), Some(when)) = (found.get(0), read(&found, present)) else { continue };
            moments.push((
                without_lead(text, whole.start(), whole.end(), when, present),
                whole.end(),
                when,
            ));
        }
    }
    moments.sort_by_key(|&(start, end, _)| (start, usize::MAX - end));
    let mut end_before = 0;
    moments.retain(|&(start, end, _)| {
        let is_free = start >= end_before;
        end_before = if is_free { end } else { end_before };
        is_free
    });
    let resolve = |when: When, anchor: i64| match when {
        Known(range) => Some(range),
        OneOf(recurring) => recurring.latest(anchor),
    };
    let mut rows = Vec::new();
    let mut at = 0;
    while let Some(&(start, end, when)) = moments.get(at) {
        at += 1;
        let lead = BEFORE.captures(&text[..start]);
        let word = lead
            .as_ref()
            .and_then(|lead| lead.name("word"))
            .map_or(String::new(), |word| word.as_str().to_lowercase());
        let begin =
            lead.as_ref().and_then(|lead| lead.name("word")).map_or(start, |word| word.start());
        let next = moments.get(at).filter(|next| BETWEEN.is_match(&text[end..next.0]));
        let is_pair = matches!(word.as_str(), "between" | "zwischen" | "from" | "von" | "vom");
        if let (true, Some(&(_, last, second))) = (is_pair, next) {
            let to = match (when, second) {
                (Known(first), OneOf(recurring)) => recurring.first(first.from),
                _ => resolve(second, present),
            };
            if let Some(to) = to
                && let Some(from) = resolve(when, to.from)
                && from.from < to.to
            {
                at += 1;
                rows.push((begin, last, Range { from: from.from, to: to.to, grain: to.grain }));
                continue;
            }
        }
        let Some(range) = resolve(when, present) else { continue };
        let (from, begin, to) = match word.as_str() {
            "since" | "ever since" | "seit" => (range.from, begin, present + 1),
            "until" | "till" | "by" | "bis" => (-LATEST, begin, range.to),
            "before" | "vor" => (-LATEST, begin, range.from),
            "after" | "nach" => (range.to, begin, LATEST),
            _ => (range.from, start, range.to),
        };
        rows.push((begin, end, Range { from, to, grain: range.grain }));
    }
    rows.retain(|(_, _, range)| range.from < range.to);
    rows.into_iter()
        .map(|(start, end, range)| Found {
            span: Span { start, end },
            start: range.from as f64,
            end: range.to as f64,
            grain: range.grain,
        })
        .collect()
}
