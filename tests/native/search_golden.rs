//! Search against the golden graphs: seeds, spreading, ranked list and finds, equal to the bit.

use std::collections::HashMap;

use nous_wasm::columns::{Edge, Graph, Row};
use nous_wasm::search::{SearchHit, edge_weight, rank, seed, spread};
use nous_wasm::{Candidate, Query, Reranker, SectionTable, Weighting};
use serde_json::Value;

use crate::common::golden_search::{candidate_of, config_of, golden, level_of, list, number};

#[test]
fn every_golden_graph_is_searched_as_recorded() {
    let golden = golden();
    let now = number(&golden["now"]);
    let graphs = list(&golden["graphs"]);
    assert!(!graphs.is_empty());
    for (place, case) in graphs.iter().enumerate() {
        let nodes = list(&case["nodes"]);
        let id_of = |row: Row| nodes[row as usize]["id"].as_str().expect("an id");
        let rows: HashMap<&str, Row> = nodes
            .iter()
            .zip(0..)
            .map(|(node, row)| (node["id"].as_str().expect("an id"), row))
            .collect();
        let row_of = |id: &Value| rows.get(id.as_str().expect("an id")).copied();

        let mut graph = Graph::default();
        let mut weights = Vec::new();
        for (edge, sequence) in list(&case["edges"]).iter().zip(0..) {
            let (Some(source), Some(target)) =
                (row_of(&edge["source_id"]), row_of(&edge["target_id"]))
            else {
                continue;
            };
            graph.add(Edge {
                source,
                target,
                edge_type: 0,
                strength: number(&edge["strength"]),
                sequence,
            });
            weights
                .push((edge_weight(edge["type"].as_str().expect("a type")), edge["type"].clone()));
        }

        let config = config_of(&case["config"]);
        let filters = &case["filters"];
        let is_in =
            |wanted: &Value, value: &Value| list(wanted).is_empty() || list(wanted).contains(value);
        for key in filters.as_object().into_iter().flatten().map(|(key, _)| key.as_str()) {
            assert!(
                ["types", "relationship_types"].contains(&key),
                "the test does not know the filter {key}"
            );
        }
        let passes = |row: Row| is_in(&filters["types"], &nodes[row as usize]["type"]);

        let found = |list: &[Value]| -> Vec<SearchHit> {
            list.iter()
                .map(|it| SearchHit { row: row_of(&it["nodeId"]), score: number(&it["score"]) })
                .collect()
        };
        let (vector, bm25) = (found(list(&case["vector"])), found(list(&case["bm25"])));
        let threshold = config.seed_threshold.unwrap_or(0.15);
        let seeds = seed(&vector, &bm25, &config, |row| passes(row).then_some(threshold));
        let expected = list(&case["seeds"]);
        assert_eq!(seeds.len(), expected.len(), "graph {place}: seeds");
        for (seed, expected) in seeds.iter().zip(expected) {
            assert_eq!(id_of(seed.row), expected["node_id"], "graph {place}");
            for (value, key) in [
                (seed.vector_score, "vector_score"),
                (seed.bm25_score, "bm25_score"),
                (seed.combined_score, "combined_score"),
            ] {
                assert_eq!(
                    value,
                    number(&expected[key]),
                    "graph {place}: {key} of {}",
                    expected["node_id"]
                );
            }
        }

        let weight = |edge: u32, row: Row| {
            let (weight, edge_type) = &weights[edge as usize];
            (is_in(&filters["relationship_types"], edge_type) && passes(row)).then_some(*weight)
        };
        let reached = spread(&graph, &seeds, &config, usize::MAX, weight, None).expect("room");
        let expected = &case["spread"];
        assert_eq!(reached.terminated.name(), expected["terminated"], "graph {place}");
        assert_eq!(f64::from(reached.hops), number(&expected["hops"]), "graph {place}: hops");
        assert_eq!(
            reached.edges_traversed as f64,
            number(&expected["edges_traversed"]),
            "graph {place}: edges"
        );
        let activated = list(&expected["activated"]);
        assert_eq!(reached.activated.len(), activated.len(), "graph {place}: active nodes");
        for (active, expected) in reached.activated.iter().zip(activated) {
            assert_eq!(id_of(active.row), expected["id"], "graph {place}");
            assert_eq!(
                active.activation,
                number(&expected["activation"]),
                "graph {place}: {}",
                expected["id"]
            );
            assert_eq!(
                f64::from(active.hop),
                number(&expected["hop"]),
                "graph {place}: {}",
                expected["id"]
            );
            assert_eq!(
                active.is_seed,
                expected["is_seed"] == true,
                "graph {place}: {}",
                expected["id"]
            );
        }

        let (kept, finds) = rank(&seeds, &reached.activated, &config, level_of(case));
        let expected = list(&case["serendipity"]);
        assert_eq!(finds.len(), expected.len(), "graph {place}: finds");
        for (&(row, _), expected) in finds.iter().zip(expected) {
            assert_eq!(id_of(row), *expected, "graph {place}: find");
        }

        let table = SectionTable::default();
        let candidates: Vec<Candidate> =
            kept.iter().map(|kept| candidate_of(kept, nodes, &graph, &table)).collect();
        let average = if nodes.is_empty() { 0.0 } else { graph.len() as f64 / nodes.len() as f64 };
        let query =
            Query { weighting: Weighting::Sections(&table), avg_inbound_edges: average, now };
        let limit = case["limit"].as_f64().map_or(config.default_limit, |limit| limit as usize);
        let ranked =
            Reranker::default().rerank_top(&candidates, &query, limit).expect("sound candidates");
        let expected = list(&case["ranked"]);
        assert_eq!(ranked.len(), expected.len(), "graph {place}: ranked");
        for (ranked, expected) in ranked.iter().zip(expected) {
            assert_eq!(id_of(kept[ranked.index].row), expected["id"], "graph {place}");
            assert_eq!(
                ranked.score,
                number(&expected["score"]),
                "graph {place}: {}",
                expected["id"]
            );
        }
    }
}
