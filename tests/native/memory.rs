//! The memory index: golden graphs, due moments against a plain scan, rounding against exact
//! arithmetic, and valid and forged snapshots.

use std::collections::HashMap;

use nous_wasm::columns::{ALWAYS, Due, Edge, Graph, NEVER, Row, StoredState, VectorForm};
use nous_wasm::decay;
use nous_wasm::evidence::{Stemming, TEXT_VERSION, Text, WordOptions};
use nous_wasm::fsrs::{ForgettingCurve, Parameters};
use nous_wasm::memory::{
    Access, Answer, Ask, Columns, EdgeChange, Embedding, EntryText, Filters, MemoryIndex, NameKind,
    NodeChange, Options, RankingWeights, Restoring, Search, Target,
};
use nous_wasm::search::{SearchHit, Serendipity, edge_weight, rank, seed, spread};
use nous_wasm::{Candidate, Config, Curve, Lifecycle, Query, Reranker, SectionTable, Weighting};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;
use xxhash_rust::xxh64::xxh64;

use crate::common::NOW;
use crate::common::golden_search::{candidate_of, config_of, golden, level_of, list, number};

const DAY: f64 = 86_400_000.0;

fn options(dimensions: usize, form: VectorForm) -> Options {
    Options { dimensions, form, embedding_id: "größe".into(), max_bytes: usize::MAX }
}

/// A new node with default fields.
const NODE: NodeChange<'static> = NodeChange {
    target: Target::New,
    sequence: None,
    created_at: None,
    last_accessed: Access::Kept,
    access_count: None,
    stability: None,
    retrievability: None,
    difficulty: None,
    salience: None,
    state: None,
    node_type: None,
    subtype: None,
    tags: None,
    clusters: None,
    embedding: Embedding::Kept,
};

const fn edge(source: Row, target: Row) -> EdgeChange {
    EdgeChange {
        target: Target::New,
        ends: Some((source, target)),
        edge_type: None,
        strength: None,
        sequence: None,
    }
}

fn search<'a>(bm25: &'a [SearchHit], filters: &'a Filters) -> Search<'a> {
    Search {
        embedding: None,
        bm25,
        filters,
        limit: None,
        max_seeds: None,
        now: NOW,
        weights: RankingWeights::OfSections,
        connections: false,
        serendipity: Serendipity::Off,
    }
}

// ---- as in the documentation --------------------------------------------------------------------

#[test]
fn a_memory_is_filled_searched_read_and_saved() {
    let mut memory = MemoryIndex::new(options(2, VectorForm::F32), Config::default()).unwrap();
    let lesson = memory.name(NameKind::Subtype, "custom:lesson").unwrap();
    let nodes = [
        NodeChange { subtype: Some(lesson), embedding: Embedding::Given(&[1.0, 0.0]), ..NODE },
        NodeChange { embedding: Embedding::Given(&[0.0, 1.0]), ..NODE },
    ];
    let rows = memory.upsert(&nodes, NOW).unwrap();
    assert_eq!(memory.link(&[edge(rows[0], rows[1])]).unwrap(), [Some(0)]);
    let found = [SearchHit { row: Some(rows[1]), score: 2.0 }];
    let filters = Filters::default();
    let search = Search { embedding: Some(&[1.0, 0.1]), ..search(&found, &filters) };
    let outcome = memory.search(&search).unwrap();
    let ranked: Vec<Row> =
        outcome.ranked.iter().map(|ranked| outcome.kept[ranked.index].row).collect();
    assert_eq!(ranked, rows);
    assert_eq!(memory.explain(rows[0], &search).unwrap().rank, Some(1));

    assert_eq!(memory.recall(&rows, NOW + DAY), Ok(2));
    let sweep = memory.decay(NOW + 900.0 * DAY).unwrap();
    assert_eq!(sweep.transitions, memory.transitions(NOW + 900.0 * DAY).unwrap());
    let changes: Vec<_> = sweep.changes().collect();
    assert_eq!(memory.apply_decay(&changes), Ok(2));
    assert_eq!(memory.transitions(NOW + 900.0 * DAY), Ok(vec![]));

    let mut restored = restored(&parts(&memory), Config::default()).unwrap();
    assert_eq!(restored.search(&search), memory.search(&search));
    assert_eq!(memory.remove(&rows), [0]);
    assert!(memory.is_empty() && !restored.is_empty());
}

// ---- golden graphs ------------------------------------------------------------------------------

/// Creates the memory of a golden graph. The rows are the places of its nodes. A cosine becomes an
/// embedding with this cosine to [1, 0].
fn memory_of(case: &Value, dimensions: usize) -> MemoryIndex {
    let config = Config { search: config_of(&case["config"]), ..Config::default() };
    let mut memory = MemoryIndex::new(options(dimensions, VectorForm::F32), config).unwrap();
    let cosines: HashMap<&str, f64> = list(&case["vector"])
        .iter()
        .map(|it| (it["nodeId"].as_str().unwrap(), number(&it["score"])))
        .collect();
    let nodes = list(&case["nodes"]);
    for (node, row) in nodes.iter().zip(0..) {
        let cosine = cosines.get(node["id"].as_str().unwrap()).copied().unwrap_or(0.0);
        let embedding = [cosine, (1.0 - cosine * cosine).sqrt()];
        let subtype =
            node["subtype"].as_str().map(|name| memory.name(NameKind::Subtype, name).unwrap());
        let change = NodeChange {
            created_at: Some(number(&node["created_at"])),
            last_accessed: node["last_accessed"].as_f64().map_or(Access::Never, Access::At),
            access_count: Some(number(&node["access_count"]) as u32),
            node_type: Some(memory.name(NameKind::Type, node["type"].as_str().unwrap()).unwrap()),
            subtype,
            embedding: if dimensions > 0 { Embedding::Given(&embedding) } else { Embedding::Kept },
            ..NODE
        };
        assert_eq!(memory.upsert(&[change], NOW).unwrap(), [row]);
    }
    let row_of = |id: &Value| nodes.iter().position(|node| node["id"] == *id).map(|row| row as Row);
    for each in list(&case["edges"]) {
        let change = EdgeChange {
            ends: row_of(&each["source_id"]).zip(row_of(&each["target_id"])),
            edge_type: Some(
                memory.name(NameKind::EdgeType, each["type"].as_str().unwrap()).unwrap(),
            ),
            strength: Some(number(&each["strength"])),
            ..edge(0, 0)
        };
        memory.link(&[change]).unwrap();
    }
    memory
}

fn filters_of(case: &Value, memory: &MemoryIndex) -> Filters {
    let codes = |kind: NameKind, names: &Value| {
        let code = |name: &Value| {
            memory.code(kind, name.as_str().unwrap()).unwrap_or(nous_wasm::memory::NO_CODE)
        };
        list(names).iter().map(code).collect()
    };
    let filters = &case["filters"];
    for key in filters.as_object().into_iter().flatten().map(|(key, _)| key.as_str()) {
        assert!(
            ["types", "relationship_types"].contains(&key),
            "the test does not know the filter {key}"
        );
    }
    Filters {
        types: codes(NameKind::Type, &filters["types"]),
        relationship_types: codes(NameKind::EdgeType, &filters["relationship_types"]),
        ..Filters::default()
    }
}

fn hits_of(case: &Value) -> Vec<SearchHit> {
    let nodes = list(&case["nodes"]);
    let found = |hit: &Value| SearchHit {
        row: nodes.iter().position(|node| node["id"] == hit["nodeId"]).map(|row| row as Row),
        score: number(&hit["score"]),
    };
    list(&case["bm25"]).iter().map(found).collect()
}

#[test]
fn every_golden_graph_is_searched_as_recorded_with_cosines_in_f32() {
    let golden = golden();
    for (place, case) in list(&golden["graphs"]).iter().enumerate() {
        let mut memory = memory_of(case, 2);
        let (filters, hits) = (filters_of(case, &memory), hits_of(case));
        let search = Search {
            embedding: Some(&[1.0, 0.0]),
            limit: case["limit"].as_f64().map(|limit| limit as usize),
            now: number(&golden["now"]),
            serendipity: level_of(case),
            ..search(&hits, &filters)
        };
        let outcome = memory.search(&search).unwrap();
        let id_of = |row: Row| case["nodes"][row as usize]["id"].clone();
        let ranked: Vec<Value> =
            outcome.ranked.iter().map(|ranked| id_of(outcome.kept[ranked.index].row)).collect();
        let expected = list(&case["ranked"]);
        assert_eq!(
            ranked,
            expected.iter().map(|it| it["id"].clone()).collect::<Vec<_>>(),
            "graph {place}"
        );
        for (ranked, expected) in outcome.ranked.iter().zip(expected) {
            assert!(
                (ranked.score - number(&expected["score"])).abs() < 1e-6,
                "graph {place}: {}",
                expected["id"]
            );
        }
        let finds: Vec<Value> = outcome.serendipity.iter().map(|&(row, _)| id_of(row)).collect();
        assert_eq!(finds, list(&case["serendipity"]), "graph {place}");
        let spread = &case["spread"];
        assert_eq!(outcome.spread.terminated.name(), spread["terminated"], "graph {place}");
        assert_eq!(f64::from(outcome.spread.hops), number(&spread["hops"]), "graph {place}");
        assert_eq!(
            outcome.spread.edges_traversed as f64,
            number(&spread["edges_traversed"]),
            "graph {place}"
        );
        assert_eq!(outcome.seeds.len(), list(&case["seeds"]).len(), "graph {place}");
    }
}

#[test]
fn a_word_search_equals_its_steps_to_the_bit() {
    let golden = golden();
    let now = number(&golden["now"]);
    for (place, case) in list(&golden["graphs"]).iter().enumerate() {
        let (mut memory, nodes) = (memory_of(case, 0), list(&case["nodes"]));
        let (filters, hits, config) =
            (filters_of(case, &memory), hits_of(case), config_of(&case["config"]));
        let limit = case["limit"].as_f64().map_or(config.default_limit, |limit| limit as usize);
        let asked = Search {
            limit: Some(limit),
            now,
            serendipity: level_of(case),
            ..search(&hits, &filters)
        };
        let outcome = memory.search(&asked).unwrap();

        let mut graph = Graph::default();
        let mut types = Vec::new();
        let row_of =
            |id: &Value| nodes.iter().position(|node| node["id"] == *id).map(|row| row as Row);
        for (each, sequence) in list(&case["edges"]).iter().zip(0..) {
            let Some((source, target)) = row_of(&each["source_id"]).zip(row_of(&each["target_id"]))
            else {
                continue;
            };
            graph.add(Edge { source, target, edge_type: 0, strength: 0.5, sequence });
            types.push(&each["type"]);
        }
        let is_in =
            |wanted: &Value, value: &Value| list(wanted).is_empty() || list(wanted).contains(value);
        let passes = |row: Row| is_in(&case["filters"]["types"], &nodes[row as usize]["type"]);
        let threshold = config.seed_threshold.unwrap_or(0.05);
        let seeds = seed(&[], &hits, &config, |row| passes(row).then_some(threshold));
        assert_eq!(outcome.seeds, seeds, "graph {place}");
        let weight = |slot: u32, row: Row| {
            let edge_type = types[slot as usize];
            let may_pass = is_in(&case["filters"]["relationship_types"], edge_type) && passes(row);
            may_pass.then(|| edge_weight(edge_type.as_str().unwrap()))
        };
        let reached = spread(&graph, &seeds, &config, usize::MAX, weight, None).unwrap();
        assert_eq!(outcome.spread, reached, "graph {place}");
        let (kept, finds) = rank(&seeds, &reached.activated, &config, level_of(case));
        assert_eq!((&outcome.kept, &outcome.serendipity), (&kept, &finds), "graph {place}");

        let table = SectionTable::default();
        let candidates: Vec<Candidate> =
            kept.iter().map(|kept| candidate_of(kept, nodes, &graph, &table)).collect();
        let average = graph.len() as f64 / nodes.len() as f64;
        let query =
            Query { weighting: Weighting::Sections(&table), avg_inbound_edges: average, now };
        let ranked = Reranker::default().rerank_top(&candidates, &query, limit).unwrap();
        assert_eq!(outcome.ranked, ranked, "graph {place}");
    }
}

// ---- reranking resident rows --------------------------------------------------------------------

/// Weights of 0 and 1.
const ONE_SIDED: &str = r#"{ "sections": { "profiles": {
    "EPISODIC": { "reranking_weights": { "semantic": 1, "keyword": 0, "graph": 0, "recency": 0, "authority": 0, "affinity": 0 } },
    "KNOWLEDGE": { "reranking_weights": { "semantic": 0, "keyword": 0, "graph": 0, "recency": 0.5, "authority": 0, "affinity": 0.5 } }
} } }"#;

/// A factor for scores: mostly 1, else one that takes numbers to the ends of their range.
fn scale() -> impl Strategy<Value = f64> {
    prop_oneof![6 => Just(1.0), 1 => prop::sample::select(vec![5e-324, 1e-310, 1e-110, 1e-15, 1e15, 1e150, 1e201, 1e306])]
}

/// Few candidates, which are all rated, or many, and numbers around that border; each with node,
/// semantic, BM25 and graph score.
fn candidates() -> impl Strategy<Value = Vec<(usize, f64, f64, f64)>> {
    prop_oneof![0..200_usize, 200..2_048_usize, 2_046..2_052_usize, 2_049..3_500_usize]
        .prop_flat_map(|count| vec((any::<usize>(), -0.2..1.0, 0.0..14.0, 0.0..1.0), count))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Bounds skip most of many candidates. Those that rank are equal to the bit.
    #[test]
    fn resident_rows_rank_like_passed_candidates(
        nodes in vec((0..400_i32, 0..400_i32, 0..40_u32, 0..5_usize), 1..60),
        latest in prop_oneof![4 => Just(0), 1 => Just(-300)],
        // A long idle time is not in the table of recency.
        drawn_out in prop_oneof![4 => Just(1), 1 => Just(7)],
        edges in vec(any::<[usize; 2]>(), 0..80),
        picked in candidates(),
        coarse in any::<bool>(),
        wordless in any::<bool>(),
        one_sided in any::<bool>(),
        scales in [scale(), scale(), scale()],
        limit in 0..30_usize,
    ) {
        let config = if one_sided { Config::from_json(ONE_SIDED).unwrap() } else { Config::default() };
        let table = config.sections.clone();
        let mut memory = MemoryIndex::new(options(0, VectorForm::F32), config).unwrap();
        let subtypes = [None, Some("custom:trade_close"), Some("custom:market_event"), Some("custom:playbook"), Some("custom:lesson")];
        let before = |days: i32| NOW - f64::from(days.max(0) + latest) * DAY - 5.0;
        for &(created, idle, accesses, subtype) in &nodes {
            let subtype = subtypes[subtype].map(|name| memory.name(NameKind::Subtype, name).unwrap());
            let change = NodeChange {
                created_at: Some(before(created)),
                last_accessed: Access::At(before(idle * drawn_out)),
                access_count: Some(accesses),
                subtype,
                ..NODE
            };
            memory.upsert(&[change], NOW).unwrap();
        }
        for [source, target] in edges {
            memory.link(&[edge((source % nodes.len()) as Row, (target % nodes.len()) as Row)]).unwrap();
        }
        // Coarse scores produce ties.
        let score = |value: f64| if coarse { (value * 4.0).round() / 4.0 } else { value };
        let rows: Vec<Row> = picked.iter().map(|it| (it.0 % nodes.len()) as Row).collect();
        let semantic: Vec<f64> = picked.iter().map(|it| score(it.1) * scales[0]).collect();
        // −0 is in range too.
        let signed = |place: usize, score: f64| if score == 0.0 && place % 2 == 1 { -score } else { score };
        let amounts = |score: &dyn Fn(usize) -> f64| -> Vec<f64> {
            (0..picked.len()).map(|place| signed(place, score(place))).collect()
        };
        let bm25 = amounts(&|place| if wordless { 0.0 } else { score(picked[place].2) * scales[1] });
        let graph = amounts(&|place| score(picked[place].3) * scales[2]);
        let candidates: Vec<Candidate> = rows.iter().enumerate().map(|(place, &row)| {
            let (created, idle, accesses, subtype) = nodes[row as usize];
            Candidate {
                semantic_score: semantic[place],
                bm25_score: bm25[place],
                graph_score: graph[place],
                last_accessed: before(idle * drawn_out),
                created_at: before(created),
                access_count: f64::from(accesses),
                inbound_edge_count: f64::from(memory.inbound(row)),
                section: table.section_of(subtypes[subtype]),
            }
        }).collect();
        let query = Query {
            weighting: Weighting::Sections(&table),
            avg_inbound_edges: memory.avg_inbound_edges(),
            now: NOW,
        };
        let expected = Reranker::default().rerank_top(&candidates, &query, limit).unwrap();
        let columns = Columns { rows: &rows, semantic: &semantic, bm25: &bm25, graph: &graph };
        let ranked = memory.rerank(columns, limit, NOW, RankingWeights::OfSections).unwrap();
        prop_assert_eq!(ranked, expected);
    }
}

fn large() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![1.0, 1e6, 1e15])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// If all signals of a node are at their maximum, only rounding lies between a score and its
    /// bound.
    #[test]
    fn rounding_never_skips_a_ranked_candidate(
        ulps in vec([0..6_u64, 0..6, 0..6], 2_049..3_000),
        scores in [0.1..1.0, 0.1..14.0, 0.1..1.0_f64],
        scales in [large(), large(), large()],
        wordless in any::<bool>(),
        limit in 1..30_usize,
    ) {
        let mut memory = MemoryIndex::new(options(0, VectorForm::F32), Config::default()).unwrap();
        let change = NodeChange {
            created_at: Some(NOW),
            last_accessed: Access::At(NOW),
            access_count: Some(1_000),
            ..NODE
        };
        memory.upsert(&vec![change; 10], NOW).unwrap();
        memory.link(&[1, 2, 3, 4, 5].map(|source| edge(source, 0))).unwrap();
        let [semantic, bm25, graph] = [0, 1, 2].map(|which| -> Vec<f64> {
            if which == 1 && wordless {
                return vec![0.0; ulps.len()];
            }
            let score = scores[which] * scales[which];
            ulps.iter().map(|ulps| f64::from_bits(score.to_bits() + ulps[which])).collect()
        });
        let candidates: Vec<Candidate> = (0..ulps.len()).map(|place| Candidate {
            semantic_score: semantic[place],
            bm25_score: bm25[place],
            graph_score: graph[place],
            last_accessed: NOW,
            created_at: NOW,
            access_count: 1_000.0,
            inbound_edge_count: 5.0,
            section: SectionTable::default().section_of(None),
        }).collect();
        let query = Query {
            weighting: Weighting::Sections(&SectionTable::default()),
            avg_inbound_edges: memory.avg_inbound_edges(),
            now: NOW,
        };
        let expected = Reranker::default().rerank_top(&candidates, &query, limit).unwrap();
        let rows = vec![0; ulps.len()];
        let columns = Columns { rows: &rows, semantic: &semantic, bm25: &bm25, graph: &graph };
        prop_assert_eq!(memory.rerank(columns, limit, NOW, RankingWeights::OfSections).unwrap(), expected);
    }
}

// ---- due moments --------------------------------------------------------------------------------

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn due_rows_equal_a_plain_scan(
        grown in prop_oneof![0..40_usize, 240..280_usize, 4_080..4_110_usize],
        steps in vec((any::<u32>(), 0..8_u8, 0..3_u8), 1..300),
    ) {
        let (mut due, mut plain) = (Due::default(), Vec::new());
        let push = |due: &mut Due, plain: &mut Vec<u32>| {
            due.push();
            plain.push(NEVER);
        };
        (0..grown).for_each(|_| push(&mut due, &mut plain));
        for (seed, kind, spread) in steps {
            // Near each other, anywhere, or at the ends.
            let moment = match spread {
                0 => 1_000 + seed % 7,
                1 => seed,
                _ => if seed % 2 == 0 { ALWAYS } else { NEVER },
            };
            if kind == 0 || plain.is_empty() {
                push(&mut due, &mut plain);
            } else {
                let row = seed as usize % plain.len();
                due.set(row as Row, moment);
                plain[row] = moment;
                prop_assert_eq!(due.get(row as Row), moment);
            }
            if kind < 3 {
                let until = if kind == 1 { moment } else { moment.saturating_sub(1) };
                let expected: Vec<Row> = (0..plain.len() as Row).filter(|&row| plain[row as usize] <= until).collect();
                prop_assert_eq!(due.rows_under(&due.branches_until(until)), expected);
            }
        }
        prop_assert_eq!(due.rows(), plain.len());
        prop_assert!(due.bytes() <= due.capacity_bytes());
        for until in [ALWAYS, 1_003, NEVER - 1, NEVER] {
            let expected: Vec<Row> = (0..plain.len() as Row).filter(|&row| plain[row as usize] <= until).collect();
            prop_assert_eq!(due.rows_under(&due.branches_until(until)), expected);
        }
    }
}

/// A difference of 0.001 is ignored and the next larger one is not, at any place among nodes that
/// are compared together, and among any others.
#[test]
fn a_sweep_ignores_differences_up_to_a_thousandth() {
    let computed = nous_wasm::decay::retrievability(3.0, 14.0);
    let around = |sign: f64| {
        let at = computed - sign * 0.001;
        [at.next_down().next_down(), at.next_down(), at, at.next_up(), at.next_up().next_up()]
    };
    let known: Vec<f64> =
        around(1.0).into_iter().chain(around(-1.0)).chain([computed, 0.0, 1.0]).collect();
    let is_off = |known: f64| (computed - known).abs() > 0.001;
    assert!(known[..5].iter().any(|&it| is_off(it)) && known[..5].iter().any(|&it| !is_off(it)));
    assert!(
        known[5..10].iter().any(|&it| is_off(it)) && known[5..10].iter().any(|&it| !is_off(it))
    );
    for count in [1, 2, 63, 64, 65, 511, 512, 513, 1300] {
        let mut memory = MemoryIndex::new(options(0, VectorForm::F32), Config::default()).unwrap();
        // Every fifth is archived, and is not swept.
        let state = |place: usize| {
            StoredState::Living(if place % 5 == 4 { Lifecycle::Archive } else { Lifecycle::Active })
        };
        let nodes: Vec<NodeChange<'_>> = (0..count)
            .map(|place| NodeChange {
                last_accessed: Access::At(NOW),
                stability: Some(14.0),
                retrievability: Some(known[place % known.len()]),
                state: Some(state(place)),
                ..NODE
            })
            .collect();
        memory.upsert(&nodes, NOW).unwrap();
        let sweep = memory.decay(NOW + 3.0 * DAY).unwrap();
        let swept =
            || (0..count).filter(|&place| state(place) != StoredState::Living(Lifecycle::Archive));
        let expected: Vec<Row> = swept()
            .filter(|&place| is_off(known[place % known.len()]))
            .map(|place| place as Row)
            .collect();
        assert_eq!((sweep.processed, &sweep.rows), (swept().count(), &expected), "{count}");
        assert!(sweep.retrievability.iter().all(|&it| it == rounded_exactly(computed)), "{count}");
        assert_eq!((sweep.states.len(), sweep.transitions.len()), (expected.len(), 0), "{count}");
    }
}

/// The curve's values are rounded, which moves the end of a state by seconds to days. `transitions`
/// equals a sweep there too, also for values stored near the end, and for those that an earlier
/// sweep stored.
#[test]
fn transitions_equal_a_sweep_around_every_end_of_a_state() {
    let thresholds = [
        (0.123456783, 2.7e-9),
        (0.123456787, 1.23456787e-4),
        (0.5, 0.0),
        (1e-9, 0.0),
        (3e-9, 1e-9),
        (0.5, 1e-306),
        (0.5, 5e-324),
        (0.9999999999995, 0.9999999999994),
        (1.0, 0.99),
    ];
    let own = thresholds.map(|(active, weak)| {
        let decay = format!(r#"{{ "active_threshold": {active}, "weak_threshold": {weak} }}"#);
        format!(r#"{{ "sections": {{ "profiles": {{ "SIGNALS": {{ "decay": {decay} }} }} }} }}"#)
    });
    let configs = || ["{}"].into_iter().chain(own.iter().map(String::as_str));
    let subtypes = ["custom:trade", "custom:signal", "custom:lesson", "custom:playbook"];
    let forgetting = ForgettingCurve::new(&Parameters::PUBLISHED);
    let mut found = 0;
    for (curve, json) in [Curve::Exponential, Curve::Fsrs6]
        .into_iter()
        .flat_map(|curve| configs().map(move |it| (curve, it)))
    {
        let config = Config { curve, ..Config::from_json(json).unwrap() };
        let sections = config.sections.clone();
        let mut memory = MemoryIndex::new(options(0, VectorForm::F32), config).unwrap();
        for (stability, subtype) in [0.0, 1e-10, 1e-3, 0.1, 0.5, 14.0, 365.0, 36_500.0, 1e14]
            .into_iter()
            .flat_map(|it| subtypes.map(|of| (it, of)))
        {
            let name = memory.name(NameKind::Subtype, subtype).unwrap();
            let node = NodeChange {
                subtype: Some(name),
                stability: Some(stability),
                last_accessed: Access::At(NOW),
                ..NODE
            };
            let stored =
                [Lifecycle::Active, Lifecycle::Weak, Lifecycle::Dormant, Lifecycle::Compress]
                    .map(|state| NodeChange { state: Some(StoredState::Living(state)), ..node });
            let rows = memory.upsert(&stored, NOW).unwrap();
            let again: Vec<NodeChange<'_>> = stored
                .iter()
                .zip(&rows)
                .map(|(&node, &row)| NodeChange { target: Target::There(row), ..node })
                .collect();
            let profile = sections.profile(sections.section_of(Some(subtype))).decay;
            let end = |threshold: f64| match curve {
                Curve::Exponential => -threshold.ln() * stability * DAY,
                Curve::Fsrs6 => forgetting.days_until(threshold.max(1e-12), stability) * DAY,
            };
            let mut alike = |memory: &mut MemoryIndex, now: f64| {
                let transitions = memory.transitions(now).unwrap();
                let swept = memory.decay(now).unwrap().transitions;
                assert_eq!(transitions, swept, "{curve:?} {subtype} {stability} {}", now - NOW);
                found += transitions.len();
            };
            let ends = [profile.active_threshold, profile.weak_threshold]
                .into_iter()
                .flat_map(|threshold| {
                    [-5e-9, -1e-9, 0.0, 1e-9, 5e-9].map(|off| end(threshold + off))
                })
                .chain([59.0, 61.0, 80.0, 119.0, 121.0, 745.0 * stability].map(|days| days * DAY));
            let besides = [0.0, 1.0, 999.0, 1_001.0, 10_000.0, 61_000.0, 130_000.0, 3_600_000.0];
            for end in ends {
                let moments = besides.into_iter().flat_map(|ms| [NOW + end - ms, NOW + end + ms]);
                for now in moments.filter(|now| now.abs() < 8.6e15) {
                    alike(&mut memory, now);
                    memory.upsert(&again, now).unwrap();
                    alike(&mut memory, now);
                    let ahead: Vec<_> = memory.decay(now + 1e6).unwrap().changes().collect();
                    memory.apply_decay(&ahead).unwrap();
                    alike(&mut memory, now + 1e6);
                    alike(&mut memory, now);
                    memory.upsert(&again, now).unwrap();
                }
            }
            memory.remove(&rows);
        }
    }
    assert!(found > 10_000, "{found}");
}

#[test]
fn the_need_of_due_rows_covers_their_use() {
    for steps in [[1, 15, 1, 1, 240, 1], [17, 3, 300, 1, 1, 70_000], [70_000, 1, 1, 1, 1, 1]] {
        let mut due = Due::default();
        for more in steps {
            let (need, before) = (due.need(more), due.capacity_bytes());
            (0..more).for_each(|_| due.push());
            assert!(due.capacity_bytes() - before <= need, "{more} rows: {need}");
        }
        assert_eq!(due.need(0), 0);
    }
}

// ---- rounding -----------------------------------------------------------------------------------

/// Rounds the exact value of a double, a whole number times a power of two, to four decimals, half
/// to even.
fn rounded_exactly(share: f64) -> f64 {
    let bits = share.to_bits();
    let (exponent, fraction) = ((bits >> 52) as i32, u128::from(bits & ((1 << 52) - 1)));
    let (whole, shift) =
        if exponent == 0 { (fraction, 1074) } else { (fraction | 1 << 52, 1075 - exponent) };
    let scaled = whole * 10_000;
    if shift >= 127 {
        return 0.0;
    }
    let (below, rest, half) = (scaled >> shift, scaled & ((1 << shift) - 1), 1_u128 << (shift - 1));
    let up = rest > half || (rest == half && below % 2 == 1);
    (below + u128::from(up)) as f64 / 10_000.0
}

#[test]
fn exact_rounding_rounds() {
    for (share, expected) in [
        (0.0, 0.0),
        (1.0, 1.0),
        (0.5, 0.5),
        (1.0 / 32.0, 0.0312),
        (3.0 / 32.0, 0.0938),
        (31.0 / 32.0, 0.9688),
        (f64::from_bits((1.0_f64 / 32.0).to_bits() + 1), 0.0313),
        (f64::from_bits((3.0_f64 / 32.0).to_bits() - 1), 0.0937),
        (0.00005, 0.0001),
        (0.000_049_999, 0.0),
        (5e-324, 0.0),
        (0.123_45, 0.1235),
    ] {
        assert_eq!(rounded_exactly(share), expected, "{share:?}");
    }
}

/// Returns the retrievabilities that a sweep proposes for nodes of these stabilities, last accessed
/// `days` ago.
fn swept(days: f64, stabilities: &[f64]) -> Vec<f64> {
    let mut memory = MemoryIndex::new(options(0, VectorForm::F32), Config::default()).unwrap();
    let nodes: Vec<NodeChange<'_>> = stabilities
        .iter()
        .map(|&stability| NodeChange {
            created_at: Some(NOW - days * DAY),
            stability: Some(stability),
            // Never the result, so that all are proposed.
            retrievability: Some(if decay::retrievability(days, stability) < 0.5 {
                1.0
            } else {
                0.0
            }),
            ..NODE
        })
        .collect();
    memory.upsert(&nodes, NOW).unwrap();
    let sweep = memory.decay(NOW).unwrap();
    assert_eq!(sweep.rows.len(), stabilities.len());
    sweep.retrievability
}

#[test]
fn stored_retrievability_is_rounded_half_to_even_on_the_exact_value() {
    let mut seen: HashMap<u64, i32> = HashMap::new();
    // A tie is an odd multiple of 1/32: 10,000 times it is a whole number and a half.
    for odd in (1..32).step_by(2) {
        let tie = f64::from(odd) / 32.0;
        for days in (1..40).map(|quarter| f64::from(quarter) / 4.0) {
            let around = (-days / tie.ln()).to_bits();
            let stabilities: Vec<f64> =
                (0..16).map(|step| f64::from_bits(around - 8 + step)).collect();
            for (rounded, stability) in swept(days, &stabilities).into_iter().zip(&stabilities) {
                let share = decay::retrievability(days, *stability);
                assert_eq!(rounded, rounded_exactly(share), "{share:?}, {odd}/32");
                let off = share.to_bits() as i64 - tie.to_bits() as i64;
                if off.abs() <= 1 {
                    *seen.entry(tie.to_bits()).or_default() |= 1 << (off + 1);
                }
            }
        }
    }
    // The curve reaches most of the 16 ties, and both neighbours of most.
    let count = |wanted: i32| seen.values().filter(|&&sides| sides & wanted == wanted).count();
    assert!(count(0b010) >= 14 && count(0b111) >= 9, "{seen:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_retrievability_is_rounded_exactly(
        days in prop_oneof![Just(0.0), 0.0..1e3_f64, 0.0..1e-3_f64, Just(1e5)],
        stabilities in vec(prop_oneof![0.0..400.0_f64, 0.0..1e-6_f64, Just(0.0), Just(-1.0), Just(1e300)], 1..40),
    ) {
        let days = (days * DAY).round() / DAY;
        for (rounded, stability) in swept(days, &stabilities).into_iter().zip(&stabilities) {
            let share = decay::retrievability(decay::days_without_access(NOW - days * DAY, NOW), *stability);
            prop_assert_eq!(rounded, rounded_exactly(share), "{:?} of {:?} days", share, stability);
        }
    }
}

#[test]
fn edges_in_several_groups_are_strengthened_once() {
    let bound = Options { max_bytes: 96 << 20, ..options(0, VectorForm::F32) };
    let mut memory = MemoryIndex::new(bound, Config::default()).unwrap();
    let rows = memory.upsert(&[NODE; 60_000], NOW).unwrap();
    let parallel = vec![EdgeChange { strength: Some(0.5), ..edge(rows[0], rows[1]) }; 10_000];
    let slots = memory.link(&parallel).unwrap();
    memory.link(&[edge(rows[0], rows[0]), edge(rows[2], rows[3])]).unwrap();
    // Groups of the same two nodes, groups that differ in a third, and two nodes that are in many
    // groups but never in the same one.
    let with_third: Vec<[Row; 3]> = rows.iter().map(|&third| [rows[1], third, rows[0]]).collect();
    let apart: Vec<[Row; 1]> = (0..30_000).flat_map(|_| [[rows[2]], [rows[3]]]).collect();
    let groups: Vec<&[Row]> = (with_third.iter().map(|group| &group[..]))
        .chain(with_third.iter().map(|_| &rows[..2]))
        .collect();
    let began = std::time::Instant::now();
    let changed = memory.strengthen(&groups, 0.25).unwrap();
    assert_eq!(changed, slots.into_iter().flatten().collect::<Vec<_>>());
    assert!(changed.iter().all(|&slot| memory.edge(slot).unwrap().strength == 0.75));
    let groups: Vec<&[Row]> = apart.iter().map(|group| &group[..]).collect();
    assert_eq!(memory.strengthen(&groups, 0.25), Ok(vec![]));
    assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
}

// ---- snapshots ----------------------------------------------------------------------------------

fn parts(memory: &MemoryIndex) -> Vec<Vec<u8>> {
    let mut snapshot = memory.snapshot().unwrap();
    std::iter::from_fn(|| memory.next_part(&mut snapshot).unwrap()).collect()
}

/// How the indexes of these tests read words.
fn words() -> WordOptions {
    WordOptions { dimensions: 17, stemming: Stemming::English, source: "letters".into() }
}

/// Adds the vector of a word: one component for each of its first letters.
fn embed(word: &str, sum: &mut [f32]) -> bool {
    for (place, letter) in word.bytes().enumerate() {
        sum[place % 17] += f32::from(letter) - 108.5;
    }
    word != "unknown"
}

/// Gives memories a title and a body.
fn tell(memory: &mut MemoryIndex, texts: &[(Row, &str, &str)]) {
    let batch: Vec<_> =
        texts.iter().map(|&(row, ..)| NodeChange { target: Target::There(row), ..NODE }).collect();
    let texts: Vec<_> = (0..)
        .zip(texts)
        .map(|(entry, &(_, title, body))| {
            let event = title.is_empty().then_some(NOW - 3.0 * DAY);
            EntryText { entry, text: Text { title, body, event, utc_offset: 0.0 } }
        })
        .collect();
    memory.upsert_with_texts(&batch, &texts, NOW, &mut embed).unwrap();
}

fn answers(memory: &mut MemoryIndex, text: &str) -> Vec<Answer> {
    let filters = Filters::default();
    let (limit, min_score, diversity) = (100, 0.0, 0.5);
    let ask = Ask {
        text,
        embedding: None,
        embedding_scale: None,
        filters: &filters,
        among: None,
        limit,
        min_score,
        diversity,
        now: NOW,
        utc_offset: Some(0.0),
    };
    memory.ask(&ask, &mut embed).unwrap()
}

fn restored(parts: &[Vec<u8>], config: Config) -> nous_wasm::Result<MemoryIndex> {
    let [first, rest @ ..] = parts else { panic!("no part") };
    let mut restoring = Restoring::begin(first, usize::MAX, 0, config, words())?;
    for part in rest {
        assert_eq!(Restoring::part_length(part), Ok(part.len()));
        restoring.read(part)?;
    }
    restoring.finish()
}

/// The kinds of snapshots: by the form of embeddings, and by whether nodes have a salience.
const KINDS: [(VectorForm, bool); 4] = [
    (VectorForm::F32, false),
    (VectorForm::I8, false),
    (VectorForm::F32, true),
    (VectorForm::I8, true),
];

fn config(salience_growth: bool) -> Config {
    Config { salience_growth, ..Config::default() }
}

/// A small memory with every feature: names, labels, embeddings, reused rows, sequence numbers out
/// of order.
fn small(form: VectorForm) -> MemoryIndex {
    small_under(Config::default(), form)
}

fn small_under(config: Config, form: VectorForm) -> MemoryIndex {
    let mut memory = MemoryIndex::new(options(3, form), config).unwrap();
    memory.keep_texts(words());
    let names = [(NameKind::Subtype, "custom:lesson"), (NameKind::Tag, "t"), (NameKind::Tag, "u")];
    let [lesson, t, u] = names.map(|(kind, name)| memory.name(kind, name).unwrap());
    let cluster = memory.name(NameKind::Cluster, "größe").unwrap();
    let (both, clusters) = ([t, u], [cluster]);
    let nodes = [
        NodeChange { subtype: Some(lesson), tags: Some(&both), clusters: Some(&clusters), ..NODE },
        NodeChange {
            embedding: Embedding::Given(&[1.0, 2.0, 3.0]),
            access_count: Some(u32::MAX),
            ..NODE
        },
        NodeChange {
            embedding: Embedding::Given(&[-1.0, 0.5, 0.0]),
            state: Some(StoredState::Deleted),
            salience: Some(0.9),
            ..NODE
        },
        NodeChange {
            sequence: Some(9_007),
            created_at: Some(-8.64e15),
            stability: Some(5e-324),
            ..NODE
        },
    ];
    let rows = memory.upsert(&nodes, NOW).unwrap();
    memory
        .link(&[
            edge(0, 1),
            edge(2, 2),
            edge(1, 0),
            EdgeChange { sequence: Some(70), ..edge(3, 1) },
        ])
        .unwrap();
    tell(
        &mut memory,
        &[
            (rows[0], "A text that goes", "with the memory, and its words with it."),
            (rows[1], "Mira moved", "On Friday she moved to Köln. Her 3 cats came along."),
            (rows[2], "", LONG),
            (rows[3], DRINKS.0, DRINKS.1),
        ],
    );
    // The passages of the first text of a memory are removed.
    tell(&mut memory, &[(rows[1], MOVED.0, MOVED.1)]);
    memory.remove(&rows[..1]);
    let again = NodeChange { tags: Some(&both[1..]), sequence: Some(2_000), ..NODE };
    memory
        .upsert(&[again, NodeChange { embedding: Embedding::Given(&[0.0, 0.0, 1.0]), ..NODE }], NOW)
        .unwrap();
    memory.link(&[EdgeChange { sequence: Some(3), strength: Some(0.25), ..edge(0, 3) }]).unwrap();
    memory
}

const DRINKS: (&str, &str) = ("Tea or coffee?", "Unknown, what Mira drinks on 24 December 2025.");
const MOVED: (&str, &str) = ("Mira moved again", "Yesterday she moved to Bonn.");
/// A text of several passages.
const LONG: &str = "The rollout on Friday failed because the disk was full. Ops freed forty \
    gigabytes by removing old logs, and the second try passed. Since then an alarm rings at eighty \
    percent, and a job removes logs that are older than a week. The job runs at night. Mira wrote \
    it, and Jonas reviewed it on 3 March 2026 before it went live. Nobody has had to free disk by \
    hand since.";

/// Returns all data of a memory about its nodes, in order of sequence, without their rows.
fn report(memory: &mut MemoryIndex) -> Vec<String> {
    let mut rows: Vec<Row> =
        (0..memory.rows() as Row).filter(|&row| memory.node(row).is_some()).collect();
    rows.sort_by_key(|&row| memory.node(row).unwrap().sequence);
    let place = |row: Row| rows.iter().position(|&it| it == row).unwrap();
    let mut lines = Vec::new();
    for &row in &rows {
        let node = memory.node(row).unwrap();
        let names = (
            memory.text(NameKind::Type, node.node_type.into()),
            memory.text(NameKind::Subtype, node.subtype.into()),
        );
        let labels: Vec<&str> = memory
            .labels(&node)
            .iter()
            .map(|label| match (label.as_tag(), label.as_cluster()) {
                (Some(tag), _) => memory.text(NameKind::Tag, tag),
                (_, Some(cluster)) => memory.text(NameKind::Cluster, cluster),
                _ => "",
            })
            .collect();
        let node = nous_wasm::columns::Node { labels: 0, ..node };
        lines.push(format!(
            "{node:?} {names:?} {labels:?} {} {}",
            memory.inbound(row),
            memory.has_embedding(row)
        ));
    }
    let mut edges: Vec<Edge> = (0..1_000).filter_map(|slot| memory.edge(slot)).collect();
    edges.sort_by_key(|edge| edge.sequence);
    for Edge { source, target, edge_type, strength, sequence } in edges {
        let name = memory.text(NameKind::EdgeType, edge_type.into());
        lines.push(format!("{} {} {name} {strength:?} {sequence}", place(source), place(target)));
    }
    let similar = memory.similar(&[1.0, 1.0, -1.0], 100, &Filters::default(), NOW).unwrap();
    lines.extend(
        similar.into_iter().map(|(row, cosine)| format!("{} {:x}", place(row), cosine.to_bits())),
    );
    for days in [0.0, 61.0, 900.0] {
        let transitions = memory.transitions(NOW + days * DAY).unwrap();
        lines.extend(
            transitions
                .into_iter()
                .map(|it| format!("{} {:?} {:?}", place(it.row), it.from, it.to)),
        );
        let sweep = memory.decay(NOW + days * DAY).unwrap();
        lines.extend(
            sweep
                .changes()
                .map(|it| format!("{} {:?} {:?}", place(it.row), it.retrievability, it.state)),
        );
    }
    lines
}

/// Returns all data of the answers to all questions, with the sequence numbers of memories.
fn answered(memory: &mut MemoryIndex) -> Vec<String> {
    let mut lines = Vec::new();
    for question in QUESTIONS {
        for it in answers(memory, question) {
            let sequence = |row: Row| memory.node(row).unwrap().sequence;
            let others = [it.superseded_by, it.similar_to].map(|row| row.map(sequence));
            let evidence = it.evidence.to_array().map(f64::to_bits);
            let numbers = [it.score, it.sum].map(f64::to_bits);
            lines.push(format!("{} {numbers:x?} {evidence:x?} {others:?}", sequence(it.row)));
        }
    }
    lines
}

/// Questions that find texts by words, by vectors, by time, and by nothing.
const QUESTIONS: [&str; 6] = [
    "where does Mira live since she moved?",
    "who removed the logs last week?",
    "what happened three days ago?",
    "beverages",
    "does it go with the memory?",
    "",
];

#[test]
fn a_restored_index_answers_as_if_the_texts_were_given_anew() {
    let memory = small(VectorForm::F32);
    let mut copy = restored(&parts(&memory), Config::default()).unwrap();
    assert_eq!((memory.texts(), copy.texts()), (3, 3));
    // A removed text leaves words that are near others, until they are folded away.
    let mut anew = memory;
    anew.keep_texts(words());
    let row_of = |memory: &MemoryIndex, sequence: u64| {
        (0..10).find(|&row| memory.node(row).is_some_and(|it| it.sequence == sequence)).unwrap()
    };
    let [first, second, third] = [2, 9_007, 1].map(|sequence| row_of(&anew, sequence));
    tell(&mut anew, &[(first, "", LONG)]);
    tell(&mut anew, &[(second, DRINKS.0, DRINKS.1)]);
    tell(&mut anew, &[(third, MOVED.0, MOVED.1)]);
    assert_eq!(answered(&mut copy), answered(&mut anew));
    assert!(QUESTIONS[..4].iter().all(|question| !answers(&mut copy, question).is_empty()));
    // Both go on in the same way.
    for memory in [&mut anew, &mut copy] {
        let row = row_of(memory, 9_007);
        tell(memory, &[(row, "Tea", "Mira drinks tea by now, and the disk is full of it.")]);
    }
    assert_eq!(answered(&mut copy), answered(&mut anew));
}

#[test]
fn a_snapshot_holds_no_word_of_a_text_that_was_removed_or_replaced() {
    let saved = parts(&small(VectorForm::F32)).concat();
    let holds = |word: &str| saved.windows(word.len()).any(|it| it == word.as_bytes());
    assert!(["gigabytes", "drinks", "bonn"].into_iter().all(holds));
    assert!(!["goes", "cats", "koln"].into_iter().any(holds));
}

/// By kind: texts, and questions that they answer. The module reads them, too.
fn golden_words() -> Vec<(String, String)> {
    let path = format!("{}/tests/golden/words.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the golden file");
    let kinds: HashMap<String, Vec<(String, String)>> = serde_json::from_str(&text).expect("JSON");
    let mut all: Vec<_> = kinds.into_values().flatten().collect();
    all.sort();
    all
}

/// Returns an index of these texts.
fn index_of(texts: &[&str], words: WordOptions) -> MemoryIndex {
    let mut memory = MemoryIndex::new(options(0, VectorForm::F32), Config::default()).unwrap();
    memory.keep_texts(words);
    let rows = memory.upsert(&vec![NODE; texts.len()], NOW).unwrap();
    let told: Vec<_> = rows.iter().zip(texts).map(|(&row, &text)| (row, "A note", text)).collect();
    tell(&mut memory, &told);
    memory
}

#[test]
fn words_of_all_scripts_are_read_as_in_the_module() {
    for (text, question) in golden_words() {
        let without_vectors = WordOptions { dimensions: 0, ..words() };
        let mut memory =
            index_of(&["The kettle is new.", "昨日は雨でした。", &text], without_vectors);
        let found = answers(&mut memory, &question);
        assert_eq!(found.first().map(|answer| answer.row), Some(2), "{text} for {question}");
    }
}

#[test]
fn texts_that_are_read_in_another_way_have_another_version() {
    let golden = golden_words();
    let texts: Vec<_> = golden.iter().map(|(text, _)| &**text).collect();
    let of_words = index_of(&texts, words());
    let content: Vec<u8> = [small(VectorForm::F32), of_words]
        .iter()
        .flat_map(parts)
        .filter(|part| matches!(part[4], 5 | 6))
        .flat_map(|part| part[32..].to_vec())
        .collect();
    let message = "raise TEXT_VERSION if texts get other words, passages, vectors or traits";
    assert_eq!((TEXT_VERSION, xxh64(&content, 0)), (3, 8_855_770_247_801_116_214), "{message}");
}

#[test]
fn texts_whose_words_were_read_in_another_way_are_left_out() {
    let others = [
        WordOptions { dimensions: 16, ..words() },
        WordOptions { stemming: Stemming::None, ..words() },
        WordOptions { source: "sounds".into(), ..words() },
        WordOptions::default(),
    ];
    let saved = parts(&small(VectorForm::F32));
    for other in others {
        let mut restoring =
            Restoring::begin(&saved[0], usize::MAX, 0, Config::default(), other).unwrap();
        for part in &saved[1..] {
            restoring.read(part).unwrap();
        }
        let copy = restoring.finish().unwrap();
        assert_eq!((copy.len(), copy.texts()), (5, 0));
    }
}

#[test]
fn texts_with_vectors_of_no_name_are_not_written() {
    let mut memory = MemoryIndex::new(options(0, VectorForm::F32), Config::default()).unwrap();
    memory.keep_texts(WordOptions { source: String::new(), ..words() });
    let rows = memory.upsert(&[NODE], NOW).unwrap();
    tell(&mut memory, &[(rows[0], "Tea", "Mira drinks tea.")]);
    let saved = parts(&memory);
    assert_eq!((saved.len(), saved[0][32]), (3, 3), "start, nodes, end, and the version");
    assert_eq!(restored(&saved, Config::default()).unwrap().texts(), 0);
    // Words without vectors need no name.
    memory.keep_texts(WordOptions::default());
    tell(&mut memory, &[(rows[0], "Tea", "Mira drinks tea.")]);
    let saved = parts(&memory);
    assert_eq!((saved.len(), saved[0][32]), (5, 7));
}

#[test]
fn a_restored_snapshot_is_saved_with_equal_bytes() {
    for (form, growth) in KINDS {
        let mut memory = small_under(config(growth), form);
        let saved = parts(&memory);
        let mut copy = restored(&saved, config(growth)).unwrap();
        assert_eq!(parts(&copy), saved);
        assert_eq!((copy.len(), copy.edge_count(), copy.avg_inbound_edges()), (5, 3, 0.6));
        assert_eq!(report(&mut copy), report(&mut memory));
        assert_eq!(
            copy.node(0).map(|node| node.state),
            Some(StoredState::Living(Lifecycle::Active))
        );
    }
}

#[test]
fn recalls_and_snapshots_use_salience_if_kept() {
    let stakes = [None, Some(0.0), Some(0.5), Some(1.0)];
    let nodes = stakes.map(|salience| NodeChange {
        salience,
        stability: Some(16.0),
        difficulty: Some(0.5),
        ..NODE
    });
    let kept = |memory: &MemoryIndex| [0, 1, 2, 3].map(|row| memory.node(row).unwrap().salience);
    let grown = |memory: &mut MemoryIndex| {
        memory.recall(&[0, 1, 2, 3], NOW).unwrap();
        [0, 1, 2, 3].map(|row| memory.node(row).unwrap().stability)
    };
    // Without a subtype they are KNOWLEDGE, whose stability triples, reduced by a quarter at that
    // difficulty.
    let (plain, emphasised) = ([36.0; 4], [36.0, 27.0, 36.0, 45.0]);
    let memory = |growth| {
        let mut memory = MemoryIndex::new(options(0, VectorForm::F32), config(growth)).unwrap();
        memory.upsert(&nodes, NOW).unwrap();
        memory
    };
    for (from, to, expected) in [
        (true, true, emphasised),
        (true, false, plain),
        (false, true, plain),
        (false, false, plain),
    ] {
        let saved = parts(&memory(from));
        let mut memory = restored(&saved, config(to)).unwrap();
        assert_eq!(memory.keeps_salience(), to);
        assert_eq!(kept(&memory), if from && to { [0.5, 0.0, 0.5, 1.0] } else { [0.5; 4] });
        assert_eq!(grown(&mut memory), expected);
        assert_eq!(saved[0][32], if from { 4 } else { 3 }, "the version");
    }
    let [on, off] = [true, false].map(|growth| memory(growth).bytes());
    assert_eq!(on.nodes - off.nodes, 4 * 8);
}

#[test]
fn a_callers_own_parts_come_back_in_their_places() {
    let memory = small(VectorForm::F32);
    let mut snapshot = memory.snapshot().unwrap();
    let mut saved = vec![memory.next_part(&mut snapshot).unwrap().unwrap()];
    saved.push(snapshot.own_part(0, b"ids"));
    saved.push(snapshot.own_part(4_000_000, b""));
    while let Some(part) = memory.next_part(&mut snapshot).unwrap() {
        saved.push(part);
    }
    let mut restoring =
        Restoring::begin(&saved[0], usize::MAX, 0, Config::default(), words()).unwrap();
    let own: Vec<Option<(u32, &[u8])>> =
        saved[1..].iter().map(|part| restoring.read(part).unwrap()).collect();
    assert_eq!(own[..3], [Some((0, &b"ids"[..])), Some((4_000_000, &b""[..])), None]);
    assert!(restoring.finish().is_ok());
}

#[test]
fn a_change_ends_a_snapshot() {
    let changes: [fn(&mut MemoryIndex); 6] = [
        |memory| drop(memory.upsert(&[NODE], NOW)),
        |memory| drop(memory.remove(&[0])),
        |memory| drop(memory.link(&[edge(0, 1)])),
        |memory| memory.unlink(&[0]),
        |memory| drop(memory.touch(&[0], NOW)),
        |memory| drop(memory.strengthen(&[&[0, 1]], 0.1)),
    ];
    for change in changes {
        let mut memory = small(VectorForm::F32);
        let mut snapshot = memory.snapshot().unwrap();
        memory.next_part(&mut snapshot).unwrap();
        change(&mut memory);
        assert_eq!(memory.next_part(&mut snapshot).unwrap_err().code(), "invalid_snapshot");
        assert!(restored(&parts(&memory), Config::default()).is_ok());
    }
}

/// Returns the code of the refusal, or `None` if the parts are restored.
fn refusal(parts: &[Vec<u8>]) -> Option<&'static str> {
    let read = || {
        for part in parts {
            Restoring::part_length(part)?;
        }
        restored_unchecked(parts, Config::default())
    };
    read().err().map(|error: nous_wasm::Error| error.code())
}

fn restored_unchecked(parts: &[Vec<u8>], config: Config) -> nous_wasm::Result<MemoryIndex> {
    let mut restoring = Restoring::begin(&parts[0], 1 << 26, 0, config, words())?;
    for part in &parts[1..] {
        restoring.read(part)?;
    }
    restoring.finish()
}

#[test]
fn a_snapshot_with_any_bit_changed_or_cut_off_anywhere_is_refused() {
    for (form, growth) in KINDS {
        let saved = parts(&small_under(config(growth), form));
        assert_eq!(refusal(&saved), None);
        for (place, part) in saved.iter().enumerate() {
            for bit in 0..part.len() * 8 {
                let mut damaged = saved.clone();
                damaged[place][bit / 8] ^= 1 << (bit % 8);
                assert_eq!(
                    refusal(&damaged),
                    Some("invalid_snapshot"),
                    "bit {bit} of part {place}"
                );
            }
            for length in 0..part.len() {
                let mut cut = saved.clone();
                cut[place].truncate(length);
                assert_eq!(
                    refusal(&cut),
                    Some("invalid_snapshot"),
                    "{length} bytes of part {place}"
                );
            }
            let mut missing = saved.clone();
            missing.remove(place);
            assert_eq!(refusal(&missing), Some("invalid_snapshot"), "without part {place}");
            let mut twice = saved.clone();
            twice.insert(place, part.clone());
            assert_eq!(refusal(&twice), Some("invalid_snapshot"), "twice part {place}");
        }
    }
}

/// Returns a part whose content was changed, with a checksum that fits.
fn sealed(mut part: Vec<u8>) -> Vec<u8> {
    let content = (part.len() - 32) as u64;
    part[16..24].copy_from_slice(&content.to_le_bytes());
    let summed: Vec<u8> = part[..24].iter().chain(&part[32..]).copied().collect();
    part[24..32].copy_from_slice(&xxh64(&summed, 0).to_le_bytes());
    part
}

#[test]
fn sealing_equals_that_of_snapshots() {
    for part in parts(&small(VectorForm::F32)) {
        assert_eq!(sealed(part.clone()), part);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn content_under_a_right_checksum_is_refused_or_works(
        (form, growth) in prop::sample::select(&KINDS[..]),
        place in any::<prop::sample::Index>(),
        edits in vec((any::<prop::sample::Index>(), prop_oneof![Just(0_u8), Just(1), Just(127), Just(128), Just(255), any::<u8>()]), 1..6),
        length in -8..9_isize,
        cuts in any::<bool>(),
    ) {
        let mut forged = parts(&small_under(config(growth), form));
        let place = place.index(forged.len());
        let part = &mut forged[place];
        let content = part.len() - 32;
        for (at, byte) in edits {
            part[32 + at.index(content)] = byte;
        }
        if cuts {
            part.resize((part.len() as isize + length).max(32) as usize, 0);
        }
        *part = sealed(std::mem::take(part));
        match restored_unchecked(&forged, config(growth)) {
            Err(error) => prop_assert_eq!(error.code(), "invalid_snapshot", "{:?}", error),
            Ok(mut memory) => {
                report(&mut memory);
                answered(&mut memory);
                let again = parts(&memory);
                let copy = restored_unchecked(&again, config(growth));
                prop_assert!(copy.is_ok(), "it can be saved, and restored: {:?}", copy.err());
                prop_assert_eq!(parts(&copy.unwrap()), again);
            }
        }
    }
}

#[test]
fn counts_beyond_the_content_allocate_nothing() {
    let saved = parts(&small(VectorForm::F32));
    // The contents of nodes, edges and embeddings begin with their counts. The first part has
    // counts of names, the first of them after six numbers and the model's name.
    for part in 1..saved.len() - 1 {
        for count in
            [u64::MAX, u64::MAX / 2 + 1, 1 << 53, 1 << 32, u64::from(u32::MAX), 1 << 24, 100]
        {
            let mut forged = saved.clone();
            forged[part][32..40].copy_from_slice(&count.to_le_bytes());
            forged[part] = sealed(std::mem::take(&mut forged[part]));
            assert_eq!(refusal(&forged), Some("invalid_snapshot"), "{count} in part {part}");
        }
    }
    let names = 32 + 24 + 4 + "größe".len();
    for at in (names..names + 8).step_by(4) {
        for count in [u32::MAX, 1 << 31, 1 << 24, 100] {
            let mut forged = saved.clone();
            forged[0][at..at + 4].copy_from_slice(&count.to_le_bytes());
            forged[0] = sealed(std::mem::take(&mut forged[0]));
            assert_eq!(refusal(&forged), Some("invalid_snapshot"), "{count} at {at}");
        }
    }
}

#[test]
fn a_snapshot_that_is_larger_than_the_bound_is_refused_while_it_is_read() {
    let mut memory = MemoryIndex::new(options(256, VectorForm::F32), Config::default()).unwrap();
    let embedding = [0.5; 256];
    let nodes = vec![NodeChange { embedding: Embedding::Given(&embedding), ..NODE }; 4_000];
    memory.upsert(&nodes, NOW).unwrap();
    let saved = parts(&memory);
    for max in [0, 1 << 10, 1 << 20, 4 << 20] {
        let read = || {
            let mut restoring = Restoring::begin(&saved[0], max, 0, Config::default(), words())?;
            for part in &saved[1..] {
                restoring.read(part)?;
            }
            restoring.finish()
        };
        assert_eq!(read().err().map(|error| error.code()), Some("out_of_memory"), "{max} bytes");
    }
}
