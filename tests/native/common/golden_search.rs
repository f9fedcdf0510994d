//! The golden searches, and what reads them.

use nous_wasm::Config;
use nous_wasm::search::SearchConfig;
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

/// The configuration of a case, as users' are read.
pub fn config_of(value: &Value) -> SearchConfig {
    let config = if value.is_null() { json!({}) } else { json!({ "search": value }) };
    Config::from_json(&config.to_string()).expect("a configuration").search
}
