//! Merging over the scratch: JavaScript numbers ids in the order in which it first sees them.

use wasm_bindgen::prelude::*;

use super::Engine;
use super::layout::{
    self, PAIR, PAIR_ONE, PAIR_OTHER, SELECTED, SELECTED_BOOSTED, SELECTED_GROUP, SELECTED_ROW,
    SELECTED_SCORE,
};
use crate::merge::{self, MergeOptions, MergeRow, NO_ID};
use crate::section::SectionSet;

#[wasm_bindgen]
impl Engine {
    /// Numbers: `rows` scores, `rows` codes of ids (`layout::NO_ID` or below `ids`), `groups`
    /// lengths; room for a `SELECTED` for each row. Bytes: section codes. Writes the selected rows
    /// to the numbers and returns their count.
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
        let (scores, rest) = self.scratch.numbers.split_at(rows);
        let (row_ids, rest) = rest.split_at(rows);
        let lengths: Vec<usize> = rest[..groups].iter().map(|&length| length as usize).collect();
        let rows: Vec<MergeRow> = scores
            .iter()
            .zip(row_ids)
            .zip(&self.scratch.bytes)
            .map(|((&score, &id), &section)| MergeRow {
                id: if id == layout::NO_ID { NO_ID } else { id as u32 },
                score,
                section,
            })
            .collect();
        let intents = SectionSet::from_bits(intents);
        let options = MergeOptions { intents, intent_boost, relevance_ratio, max_results };
        let selected = merge::select(&rows, ids, &lengths, &options, &self.table);
        let places = self.scratch.numbers.as_chunks_mut::<SELECTED>().0;
        for (out, it) in places.iter_mut().zip(&selected) {
            out[SELECTED_GROUP] = it.group as f64;
            out[SELECTED_ROW] = it.row as f64;
            out[SELECTED_SCORE] = it.score;
            out[SELECTED_BOOSTED] = f64::from(u8::from(it.boosted));
        }
        selected.len()
    }

    /// Numbers: `count` codes of ids, then of their groups. Returns a `PAIR` for each pair.
    pub fn co_recall_pairs(&self, count: usize) -> Vec<u32> {
        let (ids, groups) = self.scratch.numbers.split_at(count);
        let selected: Vec<(u32, u32)> =
            ids.iter().zip(groups).map(|(&id, &group)| (id as u32, group as u32)).collect();
        merge::co_recall_pairs(&selected)
            .into_iter()
            .flat_map(|(one, other)| {
                let mut pair = [0; PAIR];
                pair[PAIR_ONE] = one as u32;
                pair[PAIR_OTHER] = other as u32;
                pair
            })
            .collect()
    }
}
