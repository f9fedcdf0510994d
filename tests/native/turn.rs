//! Turns of conversation natively: the golden vectors, a thousand generated turns with the results
//! of the reference (made by `parity/inputs/turn-oracle.mjs`), and texts of a size at which a
//! quadratic rule would take minutes.

use crate::common::assert_is;
use nous_wasm::context::{
    ContextMode, Frame, MemoryType, RetrievalPlan, SignalsToPlan, TurnSignals, classify_turn,
    next_topic, plan_retrieval, plan_turn, select_frame,
};
use nous_wasm::{Config, IntentClassifier, SectionTable, Span, is_stop_word};
use serde_json::{Map, Value};

fn golden(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let rows: Vec<Value> =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert!(!rows.is_empty());
    rows
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().expect("text")
}

fn frame(id: &str) -> Option<Frame> {
    Frame::ALL.into_iter().find(|frame| frame.id() == id)
}

fn named(spans: &[Span], text: &str) -> Vec<String> {
    spans.iter().map(|span| span.of(text).to_string()).collect()
}

fn keywords(signals: &TurnSignals, text: &str) -> Vec<String> {
    named(&signals.keywords, text).iter().map(|keyword| keyword.to_lowercase()).collect()
}

fn hints(signals: &TurnSignals) -> Value {
    let found = MemoryType::ALL.into_iter().zip(signals.hints).filter(|&(_, hint)| hint > 0.0);
    found
        .map(|(its, hint)| (its.name().to_string(), Value::from(hint)))
        .collect::<Map<_, _>>()
        .into()
}

/// Returns the values that are present, by a name of their type.
fn by_type(values: [Option<u32>; 5], name: fn(MemoryType) -> &'static str) -> Value {
    let known =
        MemoryType::ALL.into_iter().zip(values).filter_map(|(its, value)| Some((its, value?)));
    known
        .map(|(its, value)| (name(its).to_string(), Value::from(value)))
        .collect::<Map<_, _>>()
        .into()
}

fn skipped(plan: &RetrievalPlan) -> Vec<&'static str> {
    plan.skipped().iter().map(|its| its.name()).collect()
}

#[test]
fn signals_and_plans_equal_the_golden_vectors() {
    let intent = IntentClassifier::default();
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    for row in golden("context_intent") {
        let input = text(&row, "input");
        let signals = classify_turn(input, &intent, ContextMode::SeedCompatible);
        let plan = plan_retrieval(
            &SignalsToPlan::from((&signals, frame(text(&row, "frame")))),
            ContextMode::SeedCompatible,
        );
        assert_eq!(signals.input, 0, "{input:?}");
        assert_eq!(row["greeting"], signals.is_greeting, "{input:?}");
        assert_eq!(row["question"], signals.is_question, "{input:?}");
        assert_is(signals.recency, row["recency"].as_f64().expect("a number"), input);
        assert_eq!(row["hints"], hints(&signals), "{input:?}");
        assert_eq!(row["keywords"], Value::from(sorted(keywords(&signals, input))), "{input:?}");
        assert_eq!(
            row["entities"],
            Value::from(sorted(named(&signals.entities, input))),
            "{input:?}"
        );
        assert_eq!(row["limits"], by_type(plan.limits, MemoryType::name), "{input:?}");
        assert_eq!(row["overrides"], by_type(plan.budgets, MemoryType::budget), "{input:?}");
        assert_eq!(
            row["query_text_is_input"],
            plan.limits[0].is_some() && !plan.by_keywords,
            "{input:?}"
        );
        let skipped = sorted(skipped(&plan).into_iter().map(String::from).collect());
        assert_eq!(row["skip"], Value::from(skipped), "{input:?}");
    }
}

fn assert_planned(row: &Value, said: &str, of: &str, mode: ContextMode) {
    let planned = plan_turn(said, frame(text(row, "frame")), &IntentClassifier::default(), mode);
    let (signals, plan, row) = (&planned.signals, &planned.plan, &row[of]);
    assert_eq!(row["dropped"], said[..signals.input], "{said:?}");
    assert_eq!(row["keywords"], Value::from(keywords(signals, said)), "{said:?}");
    assert_eq!(row["entities"], Value::from(named(&signals.entities, said)), "{said:?}");
    assert_is(signals.recency, row["recency"].as_f64().expect("a number"), said);
    let flags = [
        signals.is_question,
        signals.is_greeting,
        signals.is_acknowledgement,
        signals.is_recap,
        planned.is_recent,
    ];
    assert_eq!(row["flags"], Value::from(flags.to_vec()), "{said:?}");
    let expected = row["hints"].as_object().expect("hints");
    for (its, hint) in MemoryType::ALL.into_iter().zip(signals.hints) {
        assert_is(
            hint,
            expected.get(its.name()).map_or(0.0, |hint| hint.as_f64().expect("a number")),
            said,
        );
    }
    assert_eq!(row["limits"], by_type(plan.limits, MemoryType::name), "{said:?}");
    assert_eq!(row["budgets"], by_type(plan.budgets, MemoryType::budget), "{said:?}");
    assert_eq!(row["skipped"], Value::from(skipped(plan)), "{said:?}");
    assert_eq!(row["by_keywords"], plan.by_keywords, "{said:?}");
}

#[test]
fn generated_turns_equal_the_reference() {
    let all = golden("generated_turns");
    assert_eq!(all.len(), 1_000);
    for row in &all {
        let said = text(row, "text");
        let selection = select_frame(said);
        assert_eq!(row["frame"], selection.frame.id(), "{said:?}");
        assert_is(selection.confidence, row["confidence"].as_f64().expect("a number"), said);
        assert_eq!(row["topic"].as_str(), next_topic(said).map(|topic| topic.of(said)), "{said:?}");
        assert_planned(row, said, "default_mode", ContextMode::Default);
        assert_planned(row, said, "seed_compatible", ContextMode::SeedCompatible);
    }
}

#[test]
fn long_turns_take_time_linear_in_them() {
    // A rule that scanned the rest of the text for each of these would take minutes.
    const SIZE: usize = 1 << 17;
    let pieces = [
        "a",
        " ",
        "?",
        "hey ",
        "hey, hi! ",
        "good ",
        "good  ",
        "what's",
        "today ",
        "last ",
        "recap",
        "what is ",
        "Redis ",
        "AI ",
        "Élan. ",
        "is that ",
        "tell me more ",
        "漢字",
        "é",
        "\u{301}",
        "what did we ",
        "…",
        "👋",
        "it ",
        "trade-off",
    ];
    let intent = IntentClassifier::default();
    for piece in pieces {
        let said = piece.repeat(SIZE / piece.len());
        for mode in [ContextMode::Default, ContextMode::SeedCompatible] {
            let planned = plan_turn(&said, None, &intent, mode);
            assert!(planned.signals.keywords.len() < 3, "{piece:?}");
        }
        assert!(select_frame(&said).confidence <= 0.3, "{piece:?}");
        assert!(
            next_topic(&said).is_none_or(|topic| topic.of(&said).chars().count() <= 200),
            "{piece:?}"
        );
    }
}

#[test]
fn memory_types_follow_the_subtype_then_the_section() {
    let config = r#"{ "sections": { "subtypes": { "custom:lesson": { "section": "SIGNALS" } } } }"#;
    let table = Config::from_json(config).expect("a valid configuration").sections;
    let types = |table: &SectionTable| {
        [
            Some("custom:thesis"),
            Some("custom:trade_close"),
            Some("custom:trade"),
            Some("custom:lesson"),
            None,
        ]
        .map(|subtype| MemoryType::of(subtype, table).name())
    };
    assert_eq!(types(&SectionTable::default()), ["decision", "fact", "episode", "fact", "fact"]);
    assert_eq!(types(&table), ["decision", "fact", "episode", "signal", "fact"]);
}

/// The list is searched by halves, so its order matters.
#[test]
fn stop_words_are_sorted_and_each_is_found() {
    let source = include_str!("../../src/text/stop_words.rs");
    let list = &source[source.find("= [").unwrap()..source.find("];").unwrap()];
    let words: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    assert_eq!(words.len(), 63);
    assert!(words.is_sorted());
    assert!(words.into_iter().all(is_stop_word));
}

#[test]
fn stop_words_are_in_lower_case() {
    assert!(["a", "you", "your", "the"].into_iter().all(is_stop_word));
    assert!(!["The", "", "redis", "youre"].into_iter().any(is_stop_word));
}
