//! Merging over the scratch: ids have become numbers, in the order of first sight.

use wasm_bindgen::prelude::*;

use super::Engine;
use crate::merge::{self, MergeOptions, MergeRow, NO_ID};
use crate::section::SectionSet;

/// Numbers that tell of one selected row: group, place in it, score, boosted or not.
const SELECTED: usize = 4;

#[wasm_bindgen]
impl Engine {
    /// Numbers: `rows` scores, `rows` ids (−1 for none, else below `ids`), `groups` lengths; room
    /// for four a row. Bytes: section codes. The answer is how many were selected; each stands in
    /// the numbers as group, row, score, boosted.
    #[allow(clippy::too_many_arguments)] // a call across the boundary
    pub fn merge_and_select(
        &mut self,
        rows: usize,
        ids: usize,
        groups: usize,
        intents: u8,
        intent_boost: f64,
        relevance_ratio: f64,
        max_results: usize,
    ) -> usize {
        let (scores, rest) = self.numbers.split_at(rows);
        let (row_ids, rest) = rest.split_at(rows);
        let lengths: Vec<usize> = rest[..groups].iter().map(|&length| length as usize).collect();
        let rows: Vec<MergeRow> = scores
            .iter()
            .zip(row_ids)
            .zip(&self.bytes)
            .map(|((&score, &id), &section)| MergeRow {
                id: if id < 0.0 { NO_ID } else { id as u32 },
                score,
                section,
            })
            .collect();
        let intents = SectionSet::from_bits(intents);
        let options = MergeOptions { intents, intent_boost, relevance_ratio, max_results };
        let selected = merge::select(&rows, ids, &lengths, &options, &self.table);
        for (out, it) in self.numbers.chunks_exact_mut(SELECTED).zip(&selected) {
            out.copy_from_slice(&[
                it.group as f64,
                it.row as f64,
                it.score,
                f64::from(u8::from(it.boosted)),
            ]);
        }
        selected.len()
    }

    /// Numbers: `count` ids, then their groups. The answer holds two places for each pair.
    pub fn co_recall_pairs(&self, count: usize) -> Vec<u32> {
        let (ids, groups) = self.numbers.split_at(count);
        let selected: Vec<(u32, u32)> =
            ids.iter().zip(groups).map(|(&id, &group)| (id as u32, group as u32)).collect();
        merge::co_recall_pairs(&selected)
            .into_iter()
            .flat_map(|(a, b)| [a as u32, b as u32])
            .collect()
    }
}
