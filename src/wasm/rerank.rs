//! Ranking over the scratch.
//!
//! Numbers: a header of eight (`now`, average of inbound edges, six weights), eight for each
//! candidate, and room for the order. See [`Record`](crate::rerank::Record) for what the eight are,
//! going in and coming out.

use wasm_bindgen::prelude::*;

use super::{Engine, answer};
use crate::rerank::{Query, Weighting};
use crate::section::Weights;

const HEADER: usize = 8;
const RECORD: usize = 8;

#[wasm_bindgen]
impl Engine {
    /// Ranks `candidates` records; the order receives the first `limit` (at most all), whose
    /// records then hold results. With `by_section` the weights of the header do not count. With
    /// `neutral` no record is refused.
    pub fn rerank(
        &mut self,
        candidates: usize,
        limit: usize,
        by_section: bool,
        neutral: bool,
    ) -> bool {
        let (header, rest) = self.numbers.split_at_mut(HEADER);
        let (records, order) = rest.split_at_mut(RECORD * candidates);
        let weighting = if by_section {
            Weighting::Sections(&self.table)
        } else {
            Weighting::Uniform(Weights::from_array([
                header[2], header[3], header[4], header[5], header[6], header[7],
            ]))
        };
        let query = Query { weighting, avg_inbound_edges: header[1], now: header[0] };
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
