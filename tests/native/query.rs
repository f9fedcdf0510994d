//! Questions natively: the golden vectors, two thousand generated questions with the results of the
//! reference (made by `parity/inputs/query-oracle.mjs`), and texts of a size at which a quadratic
//! rule would take minutes.

use crate::common::assert_is;
use nous_wasm::query::{
    Category, Confidence, DecomposeOptions, FLAGS, Fate, KNOWN_SYMBOLS, Level, Piece, QueryConfig,
    QueryType, Reformulation, Retrieved, Scored, TitleSearch, classify, confidence, decompose,
    extract_attribute, extract_entities, reformulate, settle_weak,
};
use nous_wasm::search::{TermMode, terms};
use nous_wasm::{IntentClassifier, Matcher};
use serde_json::Value;

fn golden(name: &str) -> Value {
    let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn rows<'a>(file: &'a Value, name: &str) -> &'a [Value] {
    let rows = file[name].as_array().expect("a list");
    assert!(!rows.is_empty());
    rows
}

fn symbols() -> Vec<String> {
    KNOWN_SYMBOLS.map(String::from).to_vec()
}

fn text_of(piece: Option<Piece>, query: &str) -> Value {
    piece.map_or(Value::Null, |piece| piece.text(query, &[]).into())
}

fn category_of(row: &Value) -> Option<Category> {
    Category::ALL.into_iter().find(|category| row["disqualifier_category"] == category.name())
}

fn entity_of(row: &Value) -> Option<&str> {
    row["entity"].as_str().filter(|entity| !entity.is_empty())
}

fn reformulated(query: &str, entity: Option<&str>) -> Value {
    match reformulate(query, entity.map(|entity| entity.encode_utf16().count())) {
        None => Value::Null,
        Some(Reformulation::Entity) => entity.into(),
        Some(Reformulation::Text(span)) => span.of(query).into(),
    }
}

fn parts_of(query: &str, classified: &Value, max_parts: usize, by_subject: bool) -> Vec<String> {
    let symbols = symbols();
    let options = DecomposeOptions { max_parts, subjects: by_subject.then_some(&symbols[..]) };
    let parts =
        decompose(query, category_of(classified), entity_of(classified).is_some(), &options);
    parts.iter().map(|part| part.text(query, &symbols)).collect()
}

fn assert_classified(query: &str, row: &Value) {
    let classification = classify(query, &QueryConfig::default());
    let lookup = classification.lookup;
    let query_type = QueryType::NAMES[lookup.query_type as usize];
    assert_eq!(
        row["category"].as_str(),
        classification.disqualifier.map(|it| it.category.name()),
        "{query:?}"
    );
    assert_eq!(row["type"], query_type, "{query:?}");
    assert_is(lookup.confidence, row["confidence"].as_f64().expect("a number"), query);
    assert_eq!(row["entity"].as_str(), lookup.entity.map(|span| span.of(query)), "{query:?}");
    assert_eq!(row["attribute"], text_of(lookup.attribute, query), "{query:?}");
}

fn assert_extracted(query: &str, row: &Value) {
    let entities: Vec<&str> = extract_entities(query, &QueryConfig::default())
        .iter()
        .map(|span| span.of(query))
        .collect();
    assert_eq!(row["entities"], Value::from(entities), "{query:?}");
    assert_eq!(row["attribute"], text_of(extract_attribute(query), query), "{query:?}");
}

#[test]
fn classifications_equal_the_golden_vectors() {
    for row in rows(&golden("query"), "classify") {
        let query = row["query"].as_str().expect("text");
        assert_classified(query, row);
        let reason =
            classify(query, &QueryConfig::default()).disqualifier.map(|it| it.category.reason());
        assert_eq!(row["reason"].as_str(), reason, "{query:?}");
    }
    for row in rows(&golden("query"), "extract") {
        assert_extracted(row["query"].as_str().expect("text"), row);
    }
}

#[test]
fn parts_and_reformulations_equal_the_golden_vectors() {
    for row in rows(&golden("query"), "decompose") {
        let query = row["query"].as_str().expect("text");
        let most = row["max_parts"].as_u64().expect("a count") as usize;
        assert_eq!(
            row["parts"],
            Value::from(parts_of(query, &row["qcs"], most, false)),
            "{query:?}"
        );
    }
    for row in rows(&golden("query"), "reformulate") {
        let query = row["query"].as_str().expect("text");
        assert_eq!(row["result"], reformulated(query, entity_of(&row["qcs"])), "{query:?}");
    }
}

#[test]
fn confidences_equal_the_golden_vectors() {
    for row in rows(&golden("query"), "confidence") {
        let Confidence { score, level, quality, distinctness, clarity, flags } =
            confidence(&Retrieved {
                top: row["top"].as_f64().unwrap_or(0.0),
                second: row["second"].as_f64(),
                count: row["count"].as_f64().expect("a count"),
                has_attribute: row["attribute"] == true,
            });
        let context = row.to_string();
        assert_is(score, row["score"].as_f64().expect("a number"), &context);
        assert_eq!(row["level"], Level::NAMES[level as usize], "{context}");
        for (value, name) in [(quality, "mq"), (distinctness, "dt"), (clarity, "cm")] {
            assert_is(value, row["breakdown"][name].as_f64().expect("a number"), &context);
        }
        let named: Vec<&str> =
            (0..).zip(FLAGS).filter(|(bit, _)| flags & (1 << bit) != 0).map(|it| it.1).collect();
        assert_eq!(row["flags"], Value::from(named), "{context}");
    }
}

#[test]
fn generated_questions_equal_the_reference() {
    let file = golden("generated_queries");
    let intent = IntentClassifier::default();
    let all = file.as_array().expect("a list");
    assert_eq!(all.len(), 2_000);
    for row in all {
        let query = row["query"].as_str().expect("text");
        assert_classified(query, row);
        let pattern = classify(query, &QueryConfig::default()).disqualifier.map(|it| it.pattern);
        assert_eq!(row["pattern"].as_str(), pattern, "{query:?}");
        assert_extracted(query, &row["extracted"]);
        let most = row["max_parts"].as_u64().expect("a count") as usize;
        let parts = parts_of(query, &row["classified"], most, row["by_subject"] == true);
        assert_eq!(row["parts"], Value::from(parts), "{query:?}");
        assert_eq!(
            row["reformulation"],
            reformulated(query, entity_of(&row["classified"])),
            "{query:?}"
        );
        let matcher = if row["matcher"] == "words" { Matcher::Words } else { Matcher::Substring };
        let intents: Vec<&str> =
            intent.classify(query, matcher).iter().map(|section| section.name()).collect();
        assert_eq!(row["intents"], Value::from(intents), "{query:?}");
        let mode = if row["term_mode"] == "unicode" { TermMode::Unicode } else { TermMode::Ascii };
        let lower = query.to_lowercase();
        let terms: Vec<&str> = terms(&lower, mode).iter().map(|span| span.of(&lower)).collect();
        assert_eq!(row["terms"], Value::from(terms), "{query:?}");
    }
}

#[test]
fn long_texts_take_time_linear_in_them() {
    // A rule that scanned the rest of the text for each of these would take minutes.
    const SIZE: usize = 1 << 17;
    let pieces = [
        "a",
        " ",
        "?",
        "? ",
        "\n",
        "from ",
        "from x",
        " to",
        "from\nto",
        "also ",
        "also\n",
        "what's ",
        "what's",
        "what is x ",
        "'s ",
        "a's ",
        "'s's",
        " for ",
        "x for ",
        "who is ",
        "\u{2028}",
        "漢字",
        "and what ",
        "in 2024",
        "like ",
        "like 漢字 ",
        "what's ",
        "x's ",
        "for\u{2028}",
        "\"",
    ];
    for piece in pieces {
        let text = piece.repeat(SIZE / piece.len());
        classify(&text, &QueryConfig::default());
        extract_entities(&text, &QueryConfig::default());
        extract_entities(
            &text,
            &QueryConfig { adjacent_possessives: true, ..QueryConfig::default() },
        );
        extract_attribute(&text);
        let parts = decompose(&text, Some(Category::Compound), true, &DecomposeOptions::default());
        assert_eq!(parts.len(), 1, "a long question is not divided");
        reformulate(&text, None);
        terms(&text, TermMode::Unicode);
    }
}

#[test]
fn weak_results_are_settled_in_rounds() {
    let selected =
        [(0, 0.9), (1, 0.2), (2, 0.1), (3, 0.05)].map(|(id, score)| Scored { id, score });
    let better =
        [Scored { id: 9, score: 0.5 }, Scored { id: 8, score: 0.7 }, Scored { id: 0, score: 0.9 }];
    let mut searches = [TitleSearch::NotYet; 4];
    let settle = |searches: &[TitleSearch<'_>]| settle_weak(&selected, searches, 0.25, 2);
    assert_eq!(settle(&searches), [Fate::Kept, Fate::ToSearch, Fate::ToSearch, Fate::Undecided]);
    searches[1] = TitleSearch::Found(&better);
    searches[2] = TitleSearch::Found(&[]);
    assert_eq!(
        settle(&searches),
        [Fate::Kept, Fate::Replaced(1), Fate::NothingBetter, Fate::ToSearch]
    );
    searches[3] = TitleSearch::Found(&better);
    assert_eq!(
        settle(&searches),
        [Fate::Kept, Fate::Replaced(1), Fate::NothingBetter, Fate::Replaced(0)]
    );
    // The best is never dropped, even if all are weak.
    let all_weak = settle_weak(&selected[1..], &[TitleSearch::NoTitle; 3], 0.25, 2);
    assert_eq!(all_weak, [Fate::Kept, Fate::NoTitle, Fate::NoTitle]);
}
