//! Context lines over text in the scratch.

use wasm_bindgen::prelude::*;

use super::Engine;
use crate::context::{self, ContextRow};
use crate::host::text_of_json;

/// Fields of a row: subtype, type, section, title, body, summary, creation.
const FIELDS: usize = 7;

#[wasm_bindgen]
impl Engine {
    /// Numbers: for each row the lengths of its seven fields in bytes, −1 for a missing one. Bytes:
    /// the fields, one after the other.
    pub fn format_context(&self, rows: usize, max_tokens: f64) -> Option<String> {
        let mut at = 0;
        let mut field = |length: f64| {
            (length >= 0.0).then(|| {
                let text = self.text(at, length as usize);
                at += length as usize;
                text
            })
        };
        let lengths = self.numbers.as_chunks::<FIELDS>().0[..rows].iter();
        let rows: Vec<ContextRow<'_>> = lengths
            .map(|&[subtype, node_type, section, title, body, summary, created_at]| ContextRow {
                subtype: field(subtype),
                node_type: field(node_type),
                memory_section: field(section),
                title: field(title),
                body: field(body),
                summary: field(summary),
                created_at: field(created_at),
            })
            .collect();
        context::lines(&rows, max_tokens, &self.table, text_of_json)
    }
}

/// See [`context::memory_guidance`].
#[wasm_bindgen]
pub fn memory_guidance() -> String {
    context::memory_guidance().into()
}
