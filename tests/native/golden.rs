//! The golden vectors, to the bit: inputs with the outputs with which existing memories were
//! ranked, decayed and merged.

use crate::common::assert_is;
use nous_wasm::signal::SIGNALS;
use nous_wasm::{
    AlgorithmType, Candidate, ContextRow, Hit, IntentClassifier, Matcher, MergeOptions, Query,
    Ranked, Reranker, Section, SectionSet, SectionTable, Weighting, Weights, decay, format_context,
    memory_guidance, merge_and_select,
};
use serde_json::Value;

fn golden(name: &str) -> Value {
    let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn section(name: &Value) -> Section {
    Section::ALL.into_iter().find(|section| name == section.name()).expect("a section")
}

mod ranking {
    use super::*;

    fn candidate(row: &Value, table: &SectionTable) -> Candidate {
        let score = |name: &str| row[name].as_f64().unwrap_or(0.0);
        Candidate {
            semantic_score: score("semantic_score"),
            bm25_score: score("bm25_score"),
            graph_score: score("graph_score"),
            last_accessed: number(&row["last_accessed"]),
            created_at: number(&row["created_at"]),
            access_count: number(&row["access_count"]),
            inbound_edge_count: number(&row["inbound_edge_count"]),
            section: table.section_of(row["subtype"].as_str()),
        }
    }

    fn assert_ranking(ranking: &[Ranked], candidates: &[Value], expected: &[Value], what: &str) {
        assert_eq!(ranking.len(), expected.len(), "{what}");
        for (place, (ranked, expected)) in ranking.iter().zip(expected).enumerate() {
            let what = format!("{what}, place {place}");
            assert_eq!(candidates[ranked.index]["id"], expected["id"], "{what}");
            assert_is(ranked.score, number(&expected["score"]), &what);
            assert_eq!(
                expected["breakdown"].as_object().expect("signals").len(),
                SIGNALS.len(),
                "{what}"
            );
            for (signal, value) in SIGNALS.iter().zip(ranked.breakdown) {
                assert_is(
                    value,
                    number(&expected["breakdown"][signal]),
                    format!("{what}, {signal}"),
                );
            }
            assert_eq!(expected["primary_signal"], SIGNALS[ranked.primary_signal], "{what}");
        }
    }

    #[test]
    fn every_batch_ranks_as_recorded_whole_and_cut() {
        let vectors = golden("rerank");
        let table = SectionTable::default();
        let mut reranker = Reranker::default();
        for (number_of_batch, batch) in list(&vectors["batches"]).iter().enumerate() {
            let rows = list(&batch["candidates"]);
            let candidates: Vec<Candidate> =
                rows.iter().map(|row| candidate(row, &table)).collect();
            let custom =
                Weights::from_array(SIGNALS.map(|signal| number(&batch["custom_weights"][signal])));
            for (name, weighting) in [
                ("by_section", Weighting::Sections(&table)),
                ("global", Weighting::Uniform(Weights::GLOBAL)),
                ("custom", Weighting::Uniform(custom)),
            ] {
                let avg_inbound_edges = number(&batch["metrics"]["avg_inbound_edges"]);
                let query = Query { weighting, avg_inbound_edges, now: number(&vectors["now"]) };
                let expected = list(&batch[name]);
                for limit in [0, 1, 7, 20, expected.len(), expected.len() + 1] {
                    let what = format!("batch {number_of_batch}, {name}, first {limit}");
                    let ranking = reranker.rerank_top(&candidates, &query, limit).unwrap();
                    assert_ranking(&ranking, rows, &expected[..limit.min(expected.len())], &what);
                }
                let what = format!("batch {number_of_batch}, {name}");
                assert_ranking(
                    &reranker.rerank(&candidates, &query).unwrap(),
                    rows,
                    expected,
                    &what,
                );
            }
        }
    }
}

mod fading {
    use super::*;
    use nous_wasm::salience::NEUTRAL;

    fn algorithm_type(name: &Value) -> Option<AlgorithmType> {
        AlgorithmType::ALL.into_iter().find(|known| name == known.name())
    }

    #[test]
    fn retrievability() {
        for row in list(&golden("decay")["retrievability"]) {
            assert_is(
                decay::retrievability(number(&row[0]), number(&row[1])),
                number(&row[2]),
                row,
            );
        }
    }

    #[test]
    fn lifecycle_by_section_and_without_one() {
        let table = SectionTable::default();
        for row in list(&golden("decay")["lifecycle"]) {
            let (r, days_dormant) = (number(&row["retrievability"]), number(&row["days_dormant"]));
            let profile = &table.profile(section(&row["section"])).decay;
            assert_eq!(
                row["by_section"],
                decay::lifecycle_for_section(r, days_dormant, profile).name(),
                "{row}"
            );
            assert_eq!(row["global"], decay::lifecycle(r, days_dormant).name(), "{row}");
        }
    }

    #[test]
    fn growth_on_recall_by_section_and_without_one() {
        let table = SectionTable::default();
        for row in list(&golden("decay")["growth"]) {
            let (stability, difficulty) = (number(&row["stability"]), number(&row["difficulty"]));
            let profile = &table.profile(section(&row["section"])).decay;
            let grown =
                decay::stability_on_access_for_section(stability, difficulty, NEUTRAL, profile);
            assert_is(grown, number(&row["by_section"]), row);
            assert_is(
                decay::stability_on_access(stability, difficulty, NEUTRAL),
                number(&row["global"]),
                row,
            );
        }
    }

    #[test]
    fn cascade() {
        for row in list(&golden("decay")["cascade"]) {
            assert_is(decay::cascade(number(&row[0]), number(&row[1])), number(&row[2]), row);
        }
    }

    #[test]
    fn difficulty() {
        for row in list(&golden("decay")["difficulty"]) {
            let (length, edges) = (number(&row["content_length"]), number(&row["edge_count"]));
            let difficulty = decay::difficulty(algorithm_type(&row["type"]), length, edges);
            assert_is(difficulty, number(&row["difficulty"]), row);
        }
    }
}

#[test]
fn every_query_has_the_recorded_intents() {
    let classifier = IntentClassifier::default();
    for row in list(&golden("intent")) {
        let query = row["query"].as_str().expect("a query");
        let asked: Vec<_> =
            classifier.classify(query, Matcher::Substring).iter().map(Section::name).collect();
        assert_eq!(row["sections"], Value::from(asked), "{query:?}");
        let explained: Vec<_> = classifier
            .explain(query, Matcher::Substring)
            .iter()
            .map(|found| found.section.name())
            .collect();
        assert_eq!(row["sections"], Value::from(explained), "{query:?}, explained");
    }
}

mod merging {
    use super::*;

    /// Reads a score as callers pass it: a number, a number as text, or a value that counts as 0.
    fn score(value: &Value) -> f64 {
        match value {
            Value::String(text) => text.trim().parse().unwrap_or(0.0),
            value => value.as_f64().unwrap_or(0.0),
        }
    }

    fn options(case: &Value, classifier: &IntentClassifier) -> MergeOptions {
        let options = &case["options"];
        let enabled = options["sectionsEnabled"].as_bool().expect("a switch");
        let query = case["query"].as_str().expect("a query");
        MergeOptions {
            intents: if enabled {
                classifier.classify(query, Matcher::Substring)
            } else {
                SectionSet::default()
            },
            intent_boost: number(&options["intentBoost"]),
            relevance_ratio: number(&options["relevanceRatio"]),
            max_results: number(&options["maxResults"]) as usize,
        }
    }

    #[test]
    fn every_case_selects_as_recorded() {
        let (table, classifier) = (SectionTable::default(), IntentClassifier::default());
        for (number_of_case, case) in list(&golden("merge")).iter().enumerate() {
            let sub_results: Vec<&[Value]> =
                list(&case["sub_results"]).iter().map(|entry| list(&entry[1])).collect();
            let hit = |row| {
                let row: &Value = row;
                let section = table.section_of(row["subtype"].as_str());
                Hit { id: row["id"].as_str(), score: score(&row["score"]), section }
            };
            let hits: Vec<Vec<Hit>> =
                sub_results.iter().map(|rows| rows.iter().map(hit).collect()).collect();
            let groups: Vec<&[Hit]> = hits.iter().map(Vec::as_slice).collect();

            let selected = merge_and_select(&groups, &options(case, &classifier), &table);
            let expected = list(&case["selected"]);
            assert_eq!(selected.len(), expected.len(), "case {number_of_case}");
            for (place, (it, expected)) in selected.iter().zip(expected).enumerate() {
                let what = format!("case {number_of_case}, place {place}");
                let row = &sub_results[it.group][it.row];
                assert_eq!(row["id"], expected["id"], "{what}");
                assert_eq!(row["row"], expected["row"], "{what}");
                assert_is(it.score, number(&expected["score"]), &what);
                assert_eq!(expected["boosted"], it.boosted, "{what}");
                match it.boosted {
                    true => assert_is(
                        hits[it.group][it.row].score,
                        number(&expected["original"]),
                        &what,
                    ),
                    false => assert!(expected["original"].is_null(), "{what}"),
                }
            }
        }
    }
}

#[test]
fn every_context_reads_as_recorded() {
    let table = SectionTable::default();
    for case in list(&golden("context_lines")) {
        let row = |row| {
            let row: &Value = row;
            ContextRow {
                subtype: row["subtype"].as_str(),
                node_type: row["type"].as_str(),
                memory_section: row["memory_section"].as_str(),
                title: row["content_title"].as_str(),
                body: row["content_body"].as_str(),
                summary: row["content_summary"].as_str(),
                created_at: row["provenance_created_at"].as_str(),
            }
        };
        let rows: Vec<ContextRow> = list(&case["results"]).iter().map(row).collect();
        let text = format_context(&rows, number(&case["max_tokens"]), &table);
        assert_eq!(case["text"], text.map_or(Value::Null, Value::String), "{case}");
    }
}

#[test]
fn the_guidance_reads_as_recorded() {
    assert_eq!(memory_guidance(), include_str!("../golden/memory_guidance.txt"));
}

mod stakes {
    use super::*;
    use nous_wasm::{Config, SalienceTable};

    #[test]
    fn saliences_and_stabilities_equal_the_golden_vectors() {
        let config = Config::default();
        let table = SalienceTable::new(&config.salience, &config.sections);
        let all = golden("salience");
        assert!(list(&all).len() > 100);
        for row in list(&all) {
            let subtype = row["subtype"].as_str().filter(|subtype| !subtype.is_empty());
            let signals = row["signals"].as_object().filter(|signals| !signals.is_empty());
            let salience = match (row["salience_in"].as_f64(), subtype, signals) {
                (Some(given), ..) => given,
                (None, Some(subtype), Some(signals)) => {
                    table.of(subtype).salience(|field| signals.get(field).and_then(Value::as_f64))
                }
                _ => nous_wasm::salience::NEUTRAL,
            };
            if let Some(expected) = row["salience"].as_f64() {
                assert_is(salience, expected, row.to_string());
            }
            let stability =
                subtype.and_then(|subtype| table.of(subtype).modulated_stability(salience));
            assert_eq!(stability, row["stability"].as_f64(), "{row}");
        }
    }
}
