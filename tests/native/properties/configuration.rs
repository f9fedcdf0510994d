//! Configuration: valid values are read, and invalid ones are refused by their path.

use super::*;
use nous_wasm::Value;
use nous_wasm::evidence::{Fits, TRADING, TRADING_EMBEDDED};
use serde_json::{Value as Json, json};

/// A configuration with every key, each with a value that is not the default.
fn full() -> Json {
    json!({
        "sections": {
            "enabled": false,
            "intent_boost": 1.5,
            "default_section": "EPISODIC",
            "subtypes": { "custom:recipe": { "section": "PROCEDURAL", "stability": 200 } },
            "profiles": { "SIGNALS": {
                "name": "Alarms",
                "reranking_weights": {
                    "semantic": 0.1, "keyword": 0.2, "graph": 0.3, "recency": 0.25, "authority": 0.05, "affinity": 0.1
                },
                "decay": {
                    "initial_stability_days": 3, "growth_rate": 1.25, "active_threshold": 0.625,
                    "weak_threshold": 0.25, "max_stability_days": 60
                },
                "encoding": { "base_difficulty": 0.75, "salience_enabled": true, "max_salience_multiplier": 4 },
                "consolidation_role": "target",
                "intent_boost": 2
            } }
        },
        "intent": { "matcher": "words", "strings": { "SIGNALS": ["beep"] } },
        "curve": "fsrs6",
        "salience_growth": true,
        "search": {
            "dense_weight": 0.5, "bm25_weight": 0.25, "seed_threshold": 0.125, "max_seeds": 7, "initial_activation": 2,
            "hop_decay": 0.75, "min_threshold": 0.0625, "max_hops": 4, "max_nodes": 50, "aggregation": "max",
            "default_limit": 12, "edge_weight": "learned", "graph_reach": true
        },
        "evidence": { "preset": "trading", "weights": { "lastrec": 1.5 } },
        "known_symbols": ["gold", "oil"],
        "query": { "adjacent_possessives": true },
        "orchestrator": {
            "enabled": false, "max_parts": 3, "by_subject": true, "search_limit_per_query": 10, "quality_threshold": 0.5,
            "max_retries": 0, "retry": "replace", "timeout_seconds": 1.5, "max_results": 7, "relevance_ratio": 0.25, "max_replacements": 1,
            "replacement_floor": 0.125, "fallback": "none"
        },
        "salience": {
            "sources": { "custom:match": { "field": "goals", "scale": 3, "weight": 0.5, "loss_bonus": 0.25 } },
            "rarity": { "weight": 0.125 },
            "surprise": { "weight": 0.375 },
            "consequence": { "weight": 0.25 }
        }
    })
}

fn read(json: &Json) -> nous_wasm::Result<Config> {
    Config::from_json(&json.to_string())
}

/// Returns the paths and values of everything in a configuration.
fn walk(json: &Json) -> Vec<(String, Json)> {
    fn visit(json: &Json, path: &str, out: &mut Vec<(String, Json)>) {
        out.push((path.into(), json.clone()));
        for (key, value) in json.as_object().into_iter().flatten() {
            visit(value, &if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, out);
        }
    }
    let mut out = Vec::new();
    visit(json, "", &mut out);
    out
}

/// Returns the value at a path. Its keys have no dots.
fn at<'a>(json: &'a mut Json, path: &str) -> &'a mut Json {
    path.split('.').filter(|key| !key.is_empty()).fold(json, |json, key| &mut json[key])
}

#[track_caller]
fn assert_refused(json: &Json, field: &str, problem: &str) {
    let error = read(json).expect_err(&format!("{json} is not valid"));
    assert_eq!(error.code(), "invalid_config");
    assert_eq!((error.field(), error.problem()), (field, problem));
    assert_eq!(error.index(), None);
    assert!(error.to_string().starts_with(&format!("{field} {problem}")), "{error}");
}

#[test]
fn every_key_is_read() {
    use nous_wasm::query::{Fallback, OrchestratorConfig, Retry};
    use nous_wasm::salience::{OwnSource, SalienceConfig};
    use nous_wasm::search::{Aggregation, EdgeWeight, SearchConfig};
    use nous_wasm::section::ConsolidationRole;
    let Config {
        sections,
        intent,
        curve,
        salience_growth,
        search,
        evidence,
        known_symbols,
        query,
        orchestrator,
        salience,
    } = read(&full()).unwrap();
    assert!(!sections.enabled());
    assert_eq!(sections.intent_boost(), 1.5);
    assert_eq!(sections.default_section(), Section::Episodic);
    assert_eq!(sections.section_of(Some("custom:recipe")), Section::Procedural);
    assert_eq!(sections.initial_stability(Some("custom:recipe")), 200.0);
    let profile = sections.profile(Section::Signals);
    assert_eq!(profile.name, "Alarms");
    assert_eq!(profile.reranking_weights, Weights::from_array([0.1, 0.2, 0.3, 0.25, 0.05, 0.1]));
    let decay = profile.decay;
    assert_eq!(
        (decay.initial_stability_days, decay.growth_rate, decay.max_stability_days),
        (3.0, 1.25, 60.0)
    );
    assert_eq!((decay.active_threshold, decay.weak_threshold), (0.625, 0.25));
    let encoding = profile.encoding;
    assert!(encoding.salience_enabled);
    assert_eq!((encoding.base_difficulty, encoding.max_salience_multiplier), (0.75, 4.0));
    assert_eq!(profile.consolidation_role, ConsolidationRole::Target);
    assert_eq!(profile.intent_boost, 2.0);
    assert_eq!(
        (sections.own_boost(Section::Signals), sections.own_boost(Section::Episodic)),
        (Some(2.0), None)
    );
    assert_eq!((intent.matcher, curve, salience_growth), (Matcher::Words, Curve::Fsrs6, true));
    let Fits { plain, embedded } = evidence;
    assert_eq!((plain.weights.lastrec, embedded.weights.lastrec), (1.5, 1.5));
    assert_eq!(plain.weights.bm, TRADING.weights.bm);
    assert_eq!(embedded.weights.emb, TRADING_EMBEDDED.weights.emb);
    assert_eq!(intent.strings, [None, Some(vec!["beep".into()]), None, None]);
    let expected = SearchConfig {
        dense_weight: 0.5,
        bm25_weight: 0.25,
        seed_threshold: Some(0.125),
        max_seeds: 7,
        initial_activation: 2.0,
        hop_decay: 0.75,
        min_threshold: 0.0625,
        max_hops: 4,
        max_nodes: 50,
        aggregation: Aggregation::Max,
        default_limit: 12,
        edge_weight: EdgeWeight::Learned,
        graph_reach: true,
    };
    assert_eq!(search, expected);
    let without = read(&json!({ "search": { "seed_threshold": null } })).unwrap();
    assert_eq!(without.search, SearchConfig::default());
    assert_eq!(known_symbols, ["gold", "oil"]);
    assert!(query.adjacent_possessives);
    let expected = OrchestratorConfig {
        enabled: false,
        max_parts: 3,
        by_subject: true,
        search_limit_per_query: 10,
        quality_threshold: 0.5,
        max_retries: 0,
        retry: Retry::Replace,
        timeout_seconds: 1.5,
        max_results: 7,
        relevance_ratio: 0.25,
        max_replacements: 1,
        replacement_floor: Some(0.125),
        fallback: Fallback::None,
    };
    assert_eq!(orchestrator, expected);
    let source = OwnSource { field: "goals".into(), scale: 3.0, weight: 0.5, loss_bonus: 0.25 };
    let sources = vec![("custom:match".to_string(), source)];
    assert_eq!(
        salience,
        SalienceConfig {
            sources,
            rarity_weight: 0.125,
            surprise_weight: 0.375,
            consequence_weight: 0.25
        }
    );
    let without = read(&json!({ "orchestrator": { "replacement_floor": null } })).unwrap();
    assert_eq!(
        without.orchestrator,
        OrchestratorConfig { replacement_floor: None, ..OrchestratorConfig::default() }
    );

    // All else equals the default, except for the general boost.
    let default = SectionTable::default();
    for section in [Section::Episodic, Section::Knowledge, Section::Procedural] {
        let expected =
            nous_wasm::SectionProfile { intent_boost: 1.5, ..default.profile(section).clone() };
        assert_eq!(sections.profile(section), &expected);
    }
    assert_eq!(&sections.subtypes()[..15], default.subtypes());
}

#[test]
fn an_unknown_key_is_refused_by_its_path_at_any_depth() {
    for (path, value) in walk(&full()) {
        // The keys of these maps are names of the user's, or of sections.
        let named =
            ["sections.subtypes", "sections.profiles", "intent.strings", "salience.sources"]
                .contains(&path.as_str());
        if !value.is_object() || named {
            continue;
        }
        let mut json = full();
        at(&mut json, &path)["unheard_of"] = json!(1);
        let field =
            if path.is_empty() { "unheard_of".into() } else { format!("{path}.unheard_of") };
        assert_refused(&json, &field, "is not a known key");
    }
}

#[test]
fn a_value_of_another_kind_is_refused_by_its_path_at_any_depth() {
    for (path, value) in walk(&full()) {
        let (wrong, field) = match &value {
            Json::Array(_) => (json!({ "0": "beep" }), path.as_str()),
            Json::Object(_) if path.is_empty() => (json!([]), "config"),
            Json::Object(_) => (json!([]), path.as_str()),
            Json::Bool(_) => (json!("true"), path.as_str()),
            Json::Number(_) => (json!("1"), path.as_str()),
            _ => (json!(true), path.as_str()),
        };
        for wrong in [wrong, Json::Null] {
            // The keys for which null is a valid value.
            if wrong.is_null()
                && ["search.seed_threshold", "orchestrator.replacement_floor"]
                    .contains(&path.as_str())
            {
                continue;
            }
            let mut json = full();
            *at(&mut json, &path) = wrong;
            let error = read(&json).expect_err(&path);
            assert_eq!((error.code(), error.field()), ("invalid_config", field), "{error}");
            assert!(error.problem().starts_with("must be "), "{error}");
        }
    }
}

#[test]
fn a_number_out_of_range_is_refused_by_its_path() {
    const POSITIVE: &str = "must be a positive number";
    const UNIT: &str = "must lie between 0 and 1";
    const FACTOR: &str = "must be a number of at least 1";
    let rules: [(&str, &[f64], &str); 3] = [
        (
            POSITIVE,
            &[0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY],
            "stability days rate scale",
        ),
        (
            UNIT,
            &[-0.001, 1.001, -5e-324, f64::NAN, f64::INFINITY],
            "weights weight loss_bonus threshold difficulty",
        ),
        (FACTOR, &[0.999, 0.0, -1.0, f64::NAN, f64::INFINITY], "boost multiplier"),
    ];
    let numbers: Vec<String> = walk(&full())
        .into_iter()
        .filter(|(_, value)| value.is_number())
        .map(|(path, _)| path)
        .collect();
    let (weights, numbers): (Vec<String>, Vec<String>) =
        numbers.into_iter().partition(|path| path.starts_with("evidence.weights."));
    assert_eq!(weights.len(), 1);
    for wrong in [-1000.5, 1000.5, f64::NAN, f64::INFINITY] {
        assert_number_refused(&weights[0], wrong, "must lie between -1000 and 1000");
    }
    let (counts, numbers): (Vec<String>, Vec<String>) = numbers
        .into_iter()
        .partition(|path| path.starts_with("search.") || path.starts_with("orchestrator."));
    for path in &counts {
        let (problem, wrong): (_, &[f64]) = match path.as_str() {
            "orchestrator.max_parts" => {
                ("must be a whole number from 1 to 16", &[0.0, 1.5, 17.0, f64::NAN])
            }
            "orchestrator.max_retries" => {
                ("must be a whole number from 0 to 1", &[-1.0, 0.5, 2.0, f64::NAN])
            }
            "orchestrator.search_limit_per_query" | "orchestrator.max_results" => (
                "must be a whole number from 1 to 4294967295",
                &[0.0, 0.5, 4_294_967_296.0, f64::INFINITY],
            ),
            "orchestrator.timeout_seconds" => (
                "must be a positive number of at most 2147483",
                &[0.0, -1.0, 2_147_483.5, f64::NAN, f64::INFINITY],
            ),
            "orchestrator.relevance_ratio" => {
                ("must lie between 0 and 1", &[-0.001, 1.001, f64::NAN])
            }
            "search.max_hops" => {
                ("must be a whole number from 0 to 100", &[-1.0, 0.5, 101.0, f64::NAN])
            }
            _ if path.contains(".max_") || path.ends_with("_limit") => (
                "must be a whole number from 0 to 4294967295",
                &[-1.0, 0.5, 4_294_967_296.0, f64::NAN, f64::INFINITY],
            ),
            _ => ("must be a finite number of at least 0", &[-0.001, f64::NAN, f64::INFINITY]),
        };
        wrong.iter().for_each(|&wrong| assert_number_refused(path, wrong, problem));
    }
    assert_eq!((counts.len(), numbers.len()), (19, 22));
    for path in numbers {
        let rule = rules.iter().filter(|(_, _, names)| {
            let (above, key) = path.rsplit_once('.').expect("no number at the top");
            names.split(' ').any(|name| key.contains(name) || above.ends_with(name))
        });
        let &[&(problem, wrong, _)] = &rule.collect::<Vec<_>>()[..] else {
            panic!("{path} has one rule")
        };
        wrong.iter().for_each(|&wrong| assert_number_refused(&path, wrong, problem));
    }
}

#[track_caller]
fn assert_number_refused(path: &str, number: f64, problem: &str) {
    // As plain data, because JSON has no NaN.
    let mut value: Value = serde_json::from_value(full()).unwrap();
    set(&mut value, path, number);
    let error = Config::read(&value).expect_err(path);
    assert_eq!((error.code(), error.field(), error.problem()), ("invalid_config", path, problem));
    assert_is(error.number_found().expect("the number"), number, path);
}

fn set(value: &mut Value, path: &str, number: f64) {
    let leaf = path.split('.').fold(value, |value, key| {
        let Value::Map(entries) = value else { panic!("{path}") };
        &mut entries.iter_mut().find(|(name, _)| name == key).expect("a key").1
    });
    *leaf = Value::Number(number);
}

#[test]
fn inconsistent_values_are_refused() {
    let profile = |name: &str, part: &str, changes: Json| json!({ "sections": { "profiles": { name: { part: changes } } } });
    let cases = [
        (
            profile("KNOWLEDGE", "reranking_weights", json!({ "semantic": 0.37 })),
            "sections.profiles.KNOWLEDGE.reranking_weights",
            "must sum to 1 within 0.01",
        ),
        (
            profile("KNOWLEDGE", "decay", json!({ "weak_threshold": 0.4 })),
            "sections.profiles.KNOWLEDGE.decay.weak_threshold",
            "must lie below active_threshold",
        ),
        (
            profile("EPISODIC", "decay", json!({ "active_threshold": 0.1 })),
            "sections.profiles.EPISODIC.decay.weak_threshold",
            "must lie below active_threshold",
        ),
        (
            profile("knowledge", "decay", json!({})),
            "sections.profiles.knowledge",
            "must be EPISODIC, SIGNALS, KNOWLEDGE or PROCEDURAL",
        ),
        (
            json!({ "sections": { "default_section": "Knowledge" } }),
            "sections.default_section",
            "must be EPISODIC, SIGNALS, KNOWLEDGE or PROCEDURAL",
        ),
        (
            json!({ "sections": { "subtypes": { "custom:x": { "stability": 3 } } } }),
            "sections.subtypes.custom:x.section",
            "is missing",
        ),
        (
            json!({ "sections": { "subtypes": { "": { "section": "SIGNALS" } } } }),
            "sections.subtypes.",
            "must not name an empty subtype",
        ),
        (
            json!({ "intent": { "matcher": "regex" } }),
            "intent.matcher",
            "must be substring or words",
        ),
        (
            json!({ "intent": { "strings": { "SIGNALS": ["a", 1] } } }),
            "intent.strings.SIGNALS[1]",
            "must be text",
        ),
        (
            json!({ "intent": { "strings": { "ALL": [] } } }),
            "intent.strings.ALL",
            "must be EPISODIC, SIGNALS, KNOWLEDGE or PROCEDURAL",
        ),
        (json!({ "curve": "linear" }), "curve", "must be exponential or fsrs6"),
        (
            json!({ "known_symbols": ["a", " "] }),
            "known_symbols[1]",
            "must begin and end with a letter, a digit or _ of ASCII",
        ),
        (json!({ "known_symbols": ["gold", "GOLD"] }), "known_symbols", "must not name GOLD twice"),
        (
            json!({ "known_symbols": vec!["a"; 10_001] }),
            "known_symbols",
            "must have at most 10000 entries",
        ),
        (
            json!({ "known_symbols": ["a".repeat(65_536)] }),
            "known_symbols",
            "must not exceed 65535 bytes in all",
        ),
        (
            json!({ "salience": { "sources": { "custom:x": { "scale": 2 } } } }),
            "salience.sources.custom:x.field",
            "is missing",
        ),
        (
            json!({ "orchestrator": { "retry": "both" } }),
            "orchestrator.retry",
            "must be merge or replace",
        ),
        (
            json!({ "orchestrator": { "fallback": "simple" } }),
            "orchestrator.fallback",
            "must be none or plain",
        ),
    ];
    for (json, field, problem) in cases {
        assert_refused(&json, field, problem);
    }
}

#[test]
fn a_blank_string_is_refused_by_its_place() {
    for blank in ["", " ", "\t\n\u{A0}\u{FEFF}"] {
        let config =
            read(&json!({ "intent": { "strings": { "KNOWLEDGE": ["a", blank] } } })).unwrap();
        let error = IntentClassifier::new(&config.intent).unwrap_err();
        assert_eq!(
            (error.code(), error.field()),
            ("invalid_config", "intent.strings.KNOWLEDGE[1]")
        );
    }
}

#[test]
fn invalid_or_ambiguous_json_is_refused() {
    let deep = "[".repeat(100_000);
    for (text, part) in [
        ("", "EOF"),
        ("{", "EOF"),
        ("{} {}", "trailing"),
        ("sections: {}", "expected value"),
        (r#"{ "curve": "fsrs6", "curve": "exponential" }"#, "the key `curve` is given twice"),
        (
            r#"{ "sections": { "profiles": {}, "profiles": { "SIGNALS": { "typo": 1 } } } }"#,
            "the key `profiles` is given twice",
        ),
        (&deep, "recursion limit"),
    ] {
        let error = Config::from_json(text).unwrap_err();
        assert_eq!((error.code(), error.field()), ("invalid_config", "config"));
        assert!(error.problem().starts_with("could not be read as JSON: "), "{error}");
        assert!(error.problem().contains(part), "{error}");
    }
    assert_eq!(Config::from_json("null").unwrap_err().field(), "config");
}

#[test]
fn a_repeated_key_in_plain_data_is_refused_by_its_path() {
    let profiles = || ("profiles".to_string(), Value::Map(Vec::new()));
    let sections = Value::Map(vec![profiles(), profiles()]);
    let error = Config::read(&Value::Map(vec![("sections".into(), sections)])).unwrap_err();
    assert_eq!((error.field(), error.problem()), ("sections.profiles", "is given twice"));
}

#[test]
fn an_unknown_key_is_refused_with_the_known_ones() {
    let keys = |json| read(&json).unwrap_err().known_keys().to_vec();
    assert_eq!(keys(json!({ "intent": { "string": {} } })), ["matcher", "strings"]);
    assert_eq!(
        keys(json!({ "evidence": { "weights": { "last": 1 } } })),
        nous_wasm::evidence::NAMES
    );
    assert!(keys(json!({ "curve": "steep" })).is_empty());
}

fn weights() -> impl Strategy<Value = [f64; 6]> {
    // Shares of 1, so that they sum to it within rounding.
    [1..100, 1..100, 1..100, 1..100, 1..100, 1..100i32].prop_map(|shares| {
        let sum: i32 = shares.iter().sum();
        shares.map(|share| f64::from(share) / f64::from(sum))
    })
}

proptest! {
    #[test]
    fn every_valid_configuration_is_read_unchanged(
        section in any_section(),
        weights in weights(),
        (days, rate, max) in (1e-6..1e6, 1e-6..100.0, 1e-6..1e6),
        (weak, gap) in (0.0..0.5, 1e-9..0.5),
        (difficulty, multiplier, boost, general) in (0.0..=1.0, 1.0..10.0, 1.0..10.0, 1.0..10.0),
        subtype in "[a-z:_.é ]{1,12}",
        stability in prop::option::of(1e-6..1e6),
    ) {
        let [semantic, keyword, graph, recency, authority, affinity] = weights;
        let mut entry = json!({ "section": section.name() });
        if let Some(stability) = stability {
            entry["stability"] = json!(stability);
        }
        let json = json!({ "sections": {
            // The general boost comes last: a profile's own boost wins in any order.
            "profiles": { section.name(): {
                "reranking_weights": {
                    "semantic": semantic, "keyword": keyword, "graph": graph, "recency": recency,
                    "authority": authority, "affinity": affinity
                },
                "decay": {
                    "initial_stability_days": days, "growth_rate": rate, "weak_threshold": weak,
                    "active_threshold": weak + gap, "max_stability_days": max
                },
                "encoding": { "base_difficulty": difficulty, "max_salience_multiplier": multiplier },
                "intent_boost": boost
            } },
            "subtypes": { subtype.clone(): entry },
            "intent_boost": general
        } });
        let table = read(&json).unwrap().sections;
        let profile = table.profile(section);
        prop_assert_eq!(profile.reranking_weights.to_array(), weights);
        let decay = profile.decay;
        let read_days = (decay.initial_stability_days, decay.growth_rate, decay.max_stability_days);
        prop_assert_eq!(read_days, (days, rate, max));
        prop_assert_eq!((decay.weak_threshold, decay.active_threshold), (weak, weak + gap));
        let encoding = profile.encoding;
        prop_assert_eq!((encoding.base_difficulty, encoding.max_salience_multiplier), (difficulty, multiplier));
        prop_assert_eq!((profile.intent_boost, table.own_boost(section)), (boost, Some(boost)));
        for other in Section::ALL.into_iter().filter(|&other| other != section) {
            prop_assert_eq!((table.profile(other).intent_boost, table.own_boost(other)), (general, None));
        }
        prop_assert_eq!(table.section_of(Some(&subtype)), section);
        prop_assert_eq!(table.initial_stability(Some(&subtype)), stability.unwrap_or(days));
    }

    #[test]
    fn weights_are_valid_up_to_a_hundredth_from_1(off in -0.02..0.02f64) {
        let json = json!({ "sections": { "profiles": { "SIGNALS": { "reranking_weights": {
            "semantic": 0.5 + off, "keyword": 0.125, "graph": 0.125, "recency": 0.125,
            "authority": 0.0625, "affinity": 0.0625
        } } } } });
        prop_assert_eq!(read(&json).is_ok(), off.abs() <= 0.01 + 1e-9);
    }

    #[test]
    fn a_subtype_is_looked_up_exactly(subtype in "[a-z]{0,3}(custom:)?(lesson|signal|LESSON|)[ ]?") {
        let table = SectionTable::default();
        let known = table.subtypes().iter().find(|known| known.name == subtype);
        prop_assert_eq!(table.section_of(Some(&subtype)), known.map_or(Section::Knowledge, |known| known.section));
    }
}
