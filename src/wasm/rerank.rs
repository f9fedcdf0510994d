//! Ranking over the scratch. Numbers: a `HEADER`, a `CANDIDATE` for each candidate, and room for
//! the order.

use wasm_bindgen::prelude::*;

use super::layout::{
    CANDIDATE, CANDIDATE_SECTION, HEADER, HEADER_AVERAGE, HEADER_NOW, HEADER_WEIGHTS, RESULT,
    RESULT_SCORE,
};
use super::{Engine, answer};
use crate::rerank::{Query, Record, Weighting};
use crate::section::Weights;

// The ranking reads a candidate and writes its result in one place, `crate::rerank::Record`.
const _: () = assert!(CANDIDATE == RESULT && CANDIDATE * 8 == size_of::<Record>());
const _: () = assert!(CANDIDATE_SECTION == CANDIDATE - 1 && RESULT_SCORE == RESULT - 2);

#[wasm_bindgen]
impl Engine {
    /// Ranks `candidates` records. Writes the places of the first `limit` (at most all) to the
    /// order; their records become results. With `by_section` the weights of the header are not
    /// read. With `neutral` no record is refused.
    pub fn rerank(
        &mut self,
        candidates: usize,
        limit: usize,
        by_section: bool,
        neutral: bool,
    ) -> bool {
        let (header, rest) = self.scratch.numbers.split_at_mut(HEADER);
        let (records, order) = rest.split_at_mut(CANDIDATE * candidates);
        let weighting = if by_section {
            Weighting::Sections(&self.table)
        } else {
            let mut weights = [0.0; HEADER - HEADER_WEIGHTS];
            weights.copy_from_slice(&header[HEADER_WEIGHTS..]);
            Weighting::Uniform(Weights::from_array(weights))
        };
        let query =
            Query { weighting, avg_inbound_edges: header[HEADER_AVERAGE], now: header[HEADER_NOW] };
        let records = records.as_chunks_mut().0;
        let order = &mut order[..limit];
        let ranked = if neutral {
            self.reranker.rank_neutral(records, order, &query)
        } else {
            self.reranker.rank(records, order, &query)
        };
        answer(ranked).is_some()
    }
}
