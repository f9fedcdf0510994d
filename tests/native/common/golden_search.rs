//! The golden searches, and functions that read them.

use nous_wasm::columns::Graph;
use nous_wasm::search::{Ranking, SearchConfig, Serendipity};
use nous_wasm::{Candidate, Config, SectionTable};
use serde_json::{Value, json};

/// The golden file.
pub fn golden() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/search.json");
    let text = std::fs::read_to_string(path).expect("the golden file");
    serde_json::from_str(&text).expect("JSON")
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Reads the configuration of a case like a user's.
pub fn config_of(value: &Value) -> SearchConfig {
    let config = if value.is_null() { json!({}) } else { json!({ "search": value }) };
    Config::from_json(&config.to_string()).expect("a configuration").search
}

/// Returns the level of serendipity of a case.
pub fn level_of(case: &Value) -> Serendipity {
    match case["serendipity_level"].as_str() {
        Some("low") => Serendipity::Low,
        Some("medium") => Serendipity::Medium,
        Some("high") => Serendipity::High,
        _ => Serendipity::Off,
    }
}

/// Returns the candidate of a kept node, with the fields of the case.
pub fn candidate_of(
    kept: &Ranking,
    nodes: &[Value],
    graph: &Graph,
    table: &SectionTable,
) -> Candidate {
    let node = &nodes[kept.row as usize];
    let created_at = number(&node["created_at"]);
    Candidate {
        semantic_score: kept.semantic_score,
        bm25_score: kept.bm25_score,
        graph_score: kept.graph_score,
        last_accessed: node["last_accessed"].as_f64().unwrap_or(created_at),
        created_at,
        access_count: number(&node["access_count"]),
        inbound_edge_count: f64::from(graph.inbound(kept.row)),
        section: table.section_of(node["subtype"].as_str()),
    }
}
