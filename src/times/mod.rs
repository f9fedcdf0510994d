//! Expressions of time in questions and memories, as ranges: "last week", "in May 2023", "two
//! months ago", "seit Freitag", "先週".
//!
//! There is no clock: relative expressions refer to an instant that the caller names. For a
//! question this is the present, for a memory the time at which it was made. All ranges are in UTC.
//!
//! The rules:
//!
//! - A weekday, date, month, season or quarter without a year is the latest that has begun: on 20
//!   June 2023, "in May" is May 2023 and "in July" is July 2022.
//! - "last Friday" is the latest before today, "next Friday" the first after today, "this Friday"
//!   that of this week. Months and seasons likewise, within the year.
//! - Weeks begin on Monday. "last week" is the whole week before this one; "two weeks ago" is the
//!   whole week before that; "two months ago" is a whole month.
//! - "the past week", "the last three days" and "since" end at the present.
//! - "before" and "until" begin with the first instant of ECMAScript's calendar, and "after" ends
//!   with its last.
//! - "05/07/2023" is the 7th of May, unless another date of the text is certain to begin with its
//!   day and none with its month: "13/04/2025". "7.5.2023" is the 7th of May.
//! - A year of two digits is one of 1950 to 2049: "3 Apr 25", "'98".
//! - "the last Friday of March", "the first half of 2025" and the like are parts of what is named;
//!   without a year, the latest that has begun. "the Friday before last" is the one before "last
//!   Friday". "the week of 5 May" is the week with that day.
//! - Seasons are those of the northern half of the Earth, of three whole months each.
//! - "morning" is 6 to 12, "afternoon" 12 to 18, "evening" 18 to 24, "night" 18 to 6.
//! - "may", "march", "fall", "second" and the like count only where they must mean a time.
//!
//! Languages: English, and the common forms of German and Japanese.
//!
//! ```
//! use nous_wasm::times::{Grain, find};
//! let now = 1_687_255_200_000.0; // 2023-06-20T10:00:00Z
//! let text = "What did Mira buy in May 2023?";
//! let [found] = find(text, now)[..] else { panic!() };
//! assert_eq!(found.span.of(text), "May 2023");
//! assert_eq!(found.start, 1_682_899_200_000.0); // 2023-05-01
//! assert_eq!(found.end, 1_685_577_600_000.0); // 2023-06-01
//! assert_eq!(found.grain, Grain::Month);
//! ```

mod asked;
mod calendar;
mod era;
mod grammar;
mod lexicon;
mod tokens;

pub use asked::{Sought, count_capitals, holds_name, holds_number, sought};
pub use era::{Era, era};

use crate::text::Span;
use grammar::Reader;
use lexicon::Word;

/// The unit of an expression of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// A minute: "at 17:30".
    Minute,
    /// An hour, or a part of the day: "at 5pm", "this morning".
    Hour,
    /// A day, or two that are a weekend.
    Day,
    /// A week.
    Week,
    /// A month.
    Month,
    /// A quarter of a year.
    Quarter,
    /// A season.
    Season,
    /// A year.
    Year,
    /// Ten years.
    Decade,
}

impl Grain {
    /// The names of the grains, in order.
    pub const NAMES: [&str; 9] =
        ["minute", "hour", "day", "week", "month", "quarter", "season", "year", "decade"];
}

/// An expression of time in a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeExpression {
    /// Its place. Words that change the range belong to it ("since Friday"), others do not ("in
    /// May").
    pub span: Span,
    /// The first instant of the range, in milliseconds since 1970.
    pub start: f64,
    /// The instant after the range, in milliseconds since 1970; greater than `start`.
    pub end: f64,
    /// The unit of the expression.
    pub grain: Grain,
}

/// Returns the expressions of time in a text, in order; none overlap. Relative expressions refer to
/// `now`, in milliseconds since 1970, fractions cut off.
///
/// Returns nothing if `now` is not within ±8.64e15, the calendar of ECMAScript. An expression whose
/// range leaves that calendar is left out, and so is a date that does not exist, such as 31
/// February.
///
/// ```
/// use nous_wasm::times::find;
/// let now = 1_687_255_200_000.0; // 2023-06-20T10:00:00Z
/// let texts = ["I may go", "on 31 February"];
/// assert!(texts.iter().all(|text| find(text, now).is_empty()));
/// ```
pub fn find(text: &str, now: f64) -> Vec<TimeExpression> {
    let mut found = Vec::new();
    if now.is_nan() || now.abs() > calendar::LATEST as f64 {
        return found;
    }
    let reader = Reader::new(text, now.floor() as i64);
    let mut at = 0;
    while at < reader.tokens.len() {
        match reader.expression(at) {
            Some((range, next)) => {
                let (first, last) = (reader.tokens[at].span, reader.tokens[next - 1].span);
                found.push(TimeExpression {
                    span: Span { start: first.start, end: last.end },
                    start: range.from as f64,
                    end: range.to as f64,
                    grain: range.grain,
                });
                at = next;
            }
            None => at += 1,
        }
    }
    found
}

/// Returns the places of the words of an expression that texts write, too: names of months, weekdays
/// and seasons, years, quarters, units and parts of the day, and the numbers of dates. Words that
/// count or point, such as "two" and "last", are none of them. A mark that joins two of them belongs
/// to them: "10.12.2020".
///
/// ```
/// use nous_wasm::times::names_in;
/// let text = "two weeks before 11 August 2023";
/// let names: Vec<&str> = names_in(text).iter().map(|span| span.of(text)).collect();
/// assert_eq!(names, ["weeks", "11", "August", "2023"]);
/// ```
pub fn names_in(expression: &str) -> Vec<Span> {
    let tokens = tokens::tokens(expression);
    let of_date = |word: Word| {
        matches!(
            word,
            Word::Month(..)
                | Word::Season(_)
                | Word::Number(_, 4)
                | Word::Letter('q' | 'h')
                | Word::YearMark
                | Word::MonthMark
        )
    };
    let is_joined = |at: usize| {
        matches!(tokens[at].word, Word::Mark(_))
            && tokens[at].attached
            && tokens.get(at + 1).is_some_and(|next| next.attached)
    };
    let is_number = |at: usize| matches!(tokens[at].word, Word::Number(..));
    // "10.12.20"
    let is_numeric = tokens.len() > 4
        && (0..tokens.len() - 4).any(|at| {
            [0, 2, 4].iter().all(|place| is_number(at + place))
                && is_joined(at + 1)
                && is_joined(at + 3)
        });
    let is_date = is_numeric || tokens.iter().any(|token| of_date(token.word));
    let is_name = |token: &tokens::Token| {
        let has_digit = token.span.of(expression).starts_with(|c: char| c.is_ascii_digit());
        of_date(token.word)
            || matches!(token.word, Word::Weekday(..) | Word::Unit(_) | Word::Part(..))
            || is_date && has_digit
    };
    let is_kept = |at: usize| {
        let joins = || at > 0 && is_joined(at) && is_name(&tokens[at - 1]);
        is_name(&tokens[at]) || joins() && is_name(&tokens[at + 1])
    };
    (0..tokens.len()).filter(|&at| is_kept(at)).map(|at| tokens[at].span).collect()
}

/// Whether a text holds any expression of time: one that [`find`] returns, a duration ("for three
/// years"), a part of the day ("in the evening") or a vague word ("recently", "on Mondays").
///
/// ```
/// use nous_wasm::times::holds_time;
/// assert!(holds_time("They were married for three years."));
/// assert!(!holds_time("He is three years old."));
/// ```
pub fn holds_time(text: &str) -> bool {
    let reader = Reader::new(text, 0);
    (0..reader.tokens.len()).any(|at| {
        let word = reader.tokens[at].word;
        let has_part = matches!(word, Word::Part(..)) && !reader.is_greeting(at);
        word == Word::Vague
            || has_part
            || reader.duration(at).is_some_and(|next| !reader.is_age(next))
            || reader.expression(at).is_some()
    })
}
