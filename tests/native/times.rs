//! Expressions of time natively: the cases written by hand.

use nous_wasm::times::{Era, Grain, era, find, holds_name, holds_number, holds_time, sought};
use proptest::prelude::*;
use serde_json::Value;

const DAY_MS: f64 = 86_400_000.0;
const LAST: f64 = 8.64e15;

fn golden(name: &str) -> Value {
    let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Reads "2023-06-20" or "2023-06-20T10:00"; counts the days one by one.
fn instant(text: &str, now: f64) -> f64 {
    match text {
        "-" => return -LAST,
        "+" => return LAST,
        "now" => return now + 1.0,
        _ => {}
    }
    let part = |from: usize, to: usize| text[from..to].parse::<u32>().expect("a number");
    let (year, month, day) = (part(0, 4), part(5, 7), part(8, 10));
    let is_leap = |year: u32| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let days_before =
        |year: u32| (1..year).map(|year| if is_leap(year) { 366.0 } else { 365.0 }).sum::<f64>();
    let february = if is_leap(year) { 29 } else { 28 };
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let days = days_before(year) - days_before(1970)
        + f64::from(lengths[..month as usize - 1].iter().sum::<u32>())
        + f64::from(day - 1);
    let minutes = if text.len() > 10 { part(11, 13) * 60 + part(14, 16) } else { 0 };
    days * DAY_MS + f64::from(minutes) * 60_000.0
}

#[test]
fn expressions_of_time_are_found_with_their_ranges() {
    let file = golden("times");
    let now = instant(file["now"].as_str().expect("an instant"), 0.0);
    let cases = file["cases"].as_array().expect("a list");
    assert!(cases.len() >= 300);
    let mut wrong = Vec::new();
    for case in cases {
        let texts: Vec<&str> = case
            .as_array()
            .expect("a case")
            .iter()
            .map(|text| text.as_str().expect("a text"))
            .collect();
        let expected: Vec<(&str, f64, f64, &str)> = texts[1..]
            .chunks(4)
            .map(|found| (found[0], instant(found[1], now), instant(found[2], now), found[3]))
            .collect();
        let found = find(texts[0], now);
        let found: Vec<(&str, f64, f64, &str)> = found
            .iter()
            .map(|it| (it.span.of(texts[0]), it.start, it.end, Grain::NAMES[it.grain as usize]))
            .collect();
        if found != expected {
            wrong.push(format!("{}:\n   found {found:?}\nexpected {expected:?}", texts[0]));
        }
        if !expected.is_empty() {
            assert!(holds_time(texts[0]), "{}", texts[0]);
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// The text of a case, and the words that belong to it.
fn texts(case: &Value) -> (&str, Vec<&str>) {
    let texts = case.as_array().expect("a case").iter().map(|text| text.as_str().expect("a text"));
    let mut texts: Vec<&str> = texts.collect();
    (texts.remove(0), texts)
}

/// The names whose flags are set.
fn named<'a>(flags: &[(&'a str, bool)]) -> Vec<&'a str> {
    flags.iter().filter(|(_, flag)| *flag).map(|&(name, _)| name).collect()
}

/// The names of what a question seeks.
fn names_of_sought(text: &str) -> Vec<&'static str> {
    let found = sought(text);
    named(&[
        ("time", found.time),
        ("number", found.number),
        ("place", found.place),
        ("person", found.person),
    ])
}

/// The names of what a text holds.
fn names_of_held(text: &str) -> Vec<&'static str> {
    named(&[("time", holds_time(text)), ("number", holds_number(text)), ("name", holds_name(text))])
}

#[test]
fn generated_texts_hold_what_is_recorded() {
    let file = golden("generated_times");
    let mut found_in = 0;
    for row in file.as_array().expect("a list") {
        let text = row["text"].as_str().expect("a text");
        let times: Vec<Value> = find(text, row["now"].as_f64().expect("an instant"))
            .iter()
            .map(|it| {
                let name = Grain::NAMES[it.grain as usize];
                serde_json::json!([it.span.of(text), it.start, it.end, name])
            })
            .collect();
        found_in += usize::from(!times.is_empty());
        let recorded: Vec<Value> = row["times"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|it| serde_json::json!([it[0], it[1].as_f64(), it[2].as_f64(), it[3]]))
            .collect();
        assert_eq!(times, recorded, "{text:?} at {}", row["now"]);
        assert_eq!(row["sought"], serde_json::json!(names_of_sought(text)), "{text:?}");
        assert_eq!(row["holds"], serde_json::json!(names_of_held(text)), "{text:?}");
    }
    assert!(found_in >= 3000);
}

#[test]
fn a_question_says_what_it_seeks() {
    for case in golden("times")["sought"].as_array().expect("a list") {
        let (text, expected) = texts(case);
        assert_eq!(names_of_sought(text), expected, "{text}");
    }
}

#[test]
fn a_question_says_whether_it_asks_for_what_holds_or_for_the_past() {
    let now = 1_687_255_200_000.0; // 2023-06-20T10:00:00Z
    for case in golden("times")["eras"].as_array().expect("a list") {
        let (text, expected) = texts(case);
        let wanted = match expected[0] {
            "present" => Era::Present,
            "before" => Era::Before,
            "course" => Era::Course,
            date => Era::Until(instant(date, now)),
        };
        assert_eq!(era(text, &find(text, now), now), wanted, "{text}");
    }
}

#[test]
fn a_text_holds_times_numbers_and_names() {
    for case in golden("times")["holds"].as_array().expect("a list") {
        let (text, expected) = texts(case);
        assert_eq!(names_of_held(text), expected, "{text}");
    }
}

#[test]
fn an_instant_outside_the_calendar_finds_nothing() {
    for now in [f64::NAN, f64::INFINITY, -9e15, 8.7e15] {
        assert!(find("yesterday and May 7, 2023", now).is_empty());
    }
    // The day before the first of the calendar is not in it.
    assert!(find("yesterday", -LAST).is_empty());
    assert_eq!(find("today", -LAST).len(), 1);
}

const PIECES: &[&str] = &[
    "in",
    "the",
    "of",
    "to",
    "and",
    "-",
    "–",
    ",",
    ".",
    ":",
    "/",
    "since",
    "until",
    "before",
    "after",
    "between",
    "from",
    "vor",
    "seit",
    "last",
    "next",
    "this",
    "past",
    "a",
    "few",
    "two",
    "couple",
    "days",
    "week",
    "months",
    "year",
    "quarter",
    "May",
    "may",
    "March",
    "Dec",
    "Friday",
    "Mon",
    "summer",
    "7",
    "31",
    "2023",
    "7th",
    "first",
    "Q",
    "3",
    "5pm",
    "17:30",
    "at",
    "on",
    "am",
    "morning",
    "night",
    "ago",
    "now",
    "early",
    "end",
    "mid",
    "yesterday",
    "morgen",
    "'s",
    "s",
    "90",
    "0",
    "9999",
    "年",
    "月",
    "日",
    "先週",
    "の",
    "金曜日",
    "から",
    "まで",
    "前",
    "五",
    "間",
    "é",
    "🚀",
];

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>(), now in -8.64e15..8.64e15) {
        check(&text, now)?;
    }

    #[test]
    fn any_sequence_of_pieces_is_read(
        pieces in prop::collection::vec((prop::sample::select(PIECES), any::<bool>()), 0..12),
        now in prop_oneof![-8.64e15..8.64e15, 0.0..2e12],
    ) {
        let mut text = String::new();
        for (piece, spaced) in pieces {
            text.push_str(piece);
            text.push_str(if spaced { " " } else { "" });
        }
        check(&text, now)?;
    }
}

/// Ranges are not empty and lie within the calendar; spans rise, and what they hold is a text of
/// time.
fn check(text: &str, now: f64) -> Result<(), TestCaseError> {
    let found = find(text, now);
    let mut end = 0;
    for it in &found {
        prop_assert!(it.start < it.end && it.start >= -LAST && it.end <= LAST, "{it:?}");
        prop_assert!(end <= it.span.start && it.span.start < it.span.end, "{it:?}");
        prop_assert!(!it.span.of(text).trim().is_empty());
        end = it.span.end;
    }
    let _ = (sought(text), holds_number(text), holds_name(text), era(text, &found, now));
    let at_another = find(text, 1e12);
    prop_assert!(holds_time(text) || at_another.is_empty(), "{text}");
    Ok(())
}
