//! Context lines over text in the scratch.

use wasm_bindgen::prelude::*;

use super::Engine;
use super::layout::{
    LINE, LINE_BODY, LINE_CREATED_AT, LINE_SECTION, LINE_SUBTYPE, LINE_SUMMARY, LINE_TITLE,
    LINE_TYPE,
};
use crate::context::{self, ContextRow};
use crate::host::text_of_json;

#[wasm_bindgen]
impl Engine {
    /// Numbers: a `LINE` for each row. Bytes: the fields that are not missing, one after the other.
    pub fn format_context(&self, rows: usize, max_tokens: f64) -> Option<String> {
        let mut at = 0;
        let mut field = |length: f64| {
            (length >= 0.0).then(|| {
                let text = self.scratch.text(at, length as usize);
                at += length as usize;
                text
            })
        };
        let lengths = self.scratch.numbers.as_chunks::<LINE>().0[..rows].iter();
        let rows: Vec<ContextRow<'_>> = lengths
            .map(|line| ContextRow {
                subtype: field(line[LINE_SUBTYPE]),
                node_type: field(line[LINE_TYPE]),
                memory_section: field(line[LINE_SECTION]),
                title: field(line[LINE_TITLE]),
                body: field(line[LINE_BODY]),
                summary: field(line[LINE_SUMMARY]),
                created_at: field(line[LINE_CREATED_AT]),
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
