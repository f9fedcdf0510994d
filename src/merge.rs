//! Merges the results of several sub-queries into one selection, and finds the pairs of memories
//! that were recalled together.

use std::collections::HashMap;
use std::hash::Hash;

use rustc_hash::FxHashSet;

use crate::order::Selection;
use crate::section::{INTENT_BOOST, Section, SectionSet, SectionTable};

/// A result of a sub-query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit<'a> {
    /// The id of the memory. A result with an empty id, or without one, is dropped.
    pub id: Option<&'a str>,
    /// The score. A score that is not finite counts as 0.
    pub score: f64,
    /// The section of the memory.
    pub section: Section,
}

/// The options of merging.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MergeOptions {
    /// The sections that the question asks for; see [`IntentClassifier`](crate::IntentClassifier).
    pub intents: SectionSet,
    /// Factor for results of these sections. A section's own factor in the table wins. 1 or less is
    /// no boost.
    pub intent_boost: f64,
    /// Results below this share of the best score are left out.
    pub relevance_ratio: f64,
    /// The most results to select.
    pub max_results: usize,
}

impl Default for MergeOptions {
    fn default() -> Self {
        Self {
            intents: SectionSet::default(),
            intent_boost: INTENT_BOOST,
            relevance_ratio: 0.4,
            max_results: 20,
        }
    }
}

/// A selected result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Selected {
    /// The index of the sub-query that this instance comes from.
    pub group: usize,
    /// The place of the instance among that sub-query's results.
    pub row: usize,
    /// The score, boosted if `boosted` is true.
    pub score: f64,
    /// Whether the score was boosted.
    pub boosted: bool,
}

/// Merges the results of sub-queries and selects from them.
///
/// 1. Of each id the instance with the highest score is kept, of equal ones the first. Its *origin*
///    is the sub-query that it came from.
/// 2. Results of sections that the question asks for are boosted, once.
/// 3. Results are sorted by score. Those that reach `relevance_ratio` of the best score are
///    selected, up to `max_results`.
/// 4. Each sub-query with results that is the origin of no selected result adds its first result
///    that is not selected yet, while there is room.
/// 5. If there are results and none is selected, the best one is.
///
/// ```
/// use nous_wasm::{Hit, MergeOptions, Section, SectionTable, merge_and_select};
/// let hit = |id, score| Hit { id: Some(id), score, section: Section::Knowledge };
/// let about_btc = [hit("thesis", 0.9), hit("noise", 0.2)];
/// let about_sol = [hit("trade", 0.3), hit("thesis", 0.1)];
/// let (options, table) = (MergeOptions::default(), SectionTable::default());
/// let selected = merge_and_select(&[&about_btc, &about_sol], &options, &table);
/// let places: Vec<_> = selected.iter().map(|it| (it.group, it.row)).collect();
/// assert_eq!(places, [(0, 0), (1, 0)]); // the trade is weak, but all that its question found
/// ```
pub fn merge_and_select(
    sub_results: &[&[Hit<'_>]],
    options: &MergeOptions,
    table: &SectionTable,
) -> Vec<Selected> {
    let count = sub_results.iter().map(|results| results.len()).sum();
    let mut numbers = HashMap::with_capacity(count);
    let mut rows = Vec::with_capacity(count);
    for hit in sub_results.iter().copied().flatten() {
        let id = hit.id.filter(|id| !id.is_empty()).map_or(NO_ID, |id| {
            let next = numbers.len() as u32;
            *numbers.entry(id).or_insert(next)
        });
        let score = if hit.score.is_finite() { hit.score } else { 0.0 };
        rows.push(MergeRow { id, score, section: hit.section as u8 });
    }
    let lengths: Vec<usize> = sub_results.iter().map(|results| results.len()).collect();
    select(&rows, numbers.len(), &lengths, options, table)
}

/// The id of a row without an id.
pub(crate) const NO_ID: u32 = u32::MAX;

/// A result whose id is a number. Ids are numbered from 0 by first occurrence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MergeRow {
    pub id: u32,
    pub score: f64,
    pub section: u8,
}

/// [`merge_and_select`] for the rows of all sub-queries, one sub-query after the other.
pub(crate) fn select(
    rows: &[MergeRow],
    ids: usize,
    lengths: &[usize],
    options: &MergeOptions,
    table: &SectionTable,
) -> Vec<Selected> {
    let boosts = boosts(options, table);
    let boost_of = |row: &MergeRow| boosts[usize::from(row.section & 3)];

    // The kept instance of each id, as its place among all rows.
    let mut kept: Vec<u32> = vec![u32::MAX; ids];
    for (place, row) in rows.iter().enumerate().filter(|(_, row)| row.id != NO_ID) {
        let best = &mut kept[row.id as usize];
        if *best == u32::MAX || row.score > rows[*best as usize].score {
            *best = place as u32;
        }
    }
    let final_score = |id: usize| {
        let row = &rows[kept[id] as usize];
        match boost_of(row) {
            Some(boost) => row.score * boost,
            None => row.score,
        }
    };

    let best =
        (0..ids).map(final_score).reduce(|best, score| if score > best { score } else { best });
    let Some(best) = best else { return Vec::new() };
    let cutoff = best * options.relevance_ratio;
    let mut ranking = Selection::default();
    ranking.clear(options.max_results.min(ids), ids);
    for id in 0..ids {
        let score = final_score(id);
        if score >= cutoff {
            ranking.offer(score, id as u32);
        }
    }

    let starts: Vec<usize> = lengths
        .iter()
        .scan(0, |start, &length| Some(std::mem::replace(start, *start + length)))
        .collect();
    let group_of = |place: u32| starts.partition_point(|&start| start <= place as usize) - 1;
    let instance = |place: u32, boosted: bool| {
        let (group, row) = (group_of(place), &rows[place as usize]);
        let score = match boost_of(row) {
            Some(boost) if boosted => row.score * boost,
            _ => row.score,
        };
        let boosted = boosted && boost_of(row).is_some();
        Selected { group, row: place as usize - starts[group], score, boosted }
    };

    let mut chosen = vec![false; ids];
    let mut covered = vec![false; lengths.len()];
    let mut selected = Vec::new();
    for &id in ranking.take() {
        let kept = instance(kept[id as usize], true);
        chosen[id as usize] = true;
        covered[kept.group] = true;
        selected.push(kept);
    }
    if lengths.len() > 1 {
        for (group, (&start, &length)) in starts.iter().zip(lengths).enumerate() {
            if covered[group] || selected.len() >= options.max_results {
                continue;
            }
            let fresh = |row: &MergeRow| row.id != NO_ID && !chosen[row.id as usize];
            let Some(place) = rows[start..start + length].iter().position(fresh) else { continue };
            let place = (start + place) as u32;
            let id = rows[place as usize].id as usize;
            selected.push(instance(place, place == kept[id]));
            chosen[id] = true;
            // The kept instance may have another origin. Then that origin is the covered one.
            covered[group_of(kept[id])] = true;
        }
    }
    if selected.is_empty() {
        ranking.clear(1, ids);
        (0..ids).for_each(|id| ranking.offer(final_score(id), id as u32));
        selected.extend(ranking.take().iter().map(|&id| instance(kept[id as usize], true)));
    }
    selected
}

/// Returns the boost of each section, by code, or `None` for sections that the question does not
/// ask for.
fn boosts(options: &MergeOptions, table: &SectionTable) -> [Option<f64>; 4] {
    Section::ALL.map(|section| {
        let boost = table.own_boost(section).unwrap_or(options.intent_boost);
        (table.enabled() && options.intents.contains(section) && boost > 1.0).then_some(boost)
    })
}

/// The amount that an automatic recall adds to the strength of an edge between two recalled
/// memories.
pub const AUTOMATIC_RECALL_GAIN: f64 = 0.03;
/// The amount that an explicit recall adds.
pub const EXPLICIT_RECALL_GAIN: f64 = 0.05;

/// Returns the strength of an edge after its two ends were recalled together, at most 1.
pub fn strengthen(strength: f64, gain: f64) -> f64 {
    (strength + gain).min(1.0)
}

/// Returns the pairs of memories recalled together: each unordered pair of different ids in one
/// group, once. A pair holds places in the selection, in its order.
///
/// ```
/// // Two topics asked in one sentence are not tied together.
/// assert_eq!(nous_wasm::co_recall_pairs(&[("a", 0), ("b", 0), ("c", 1)]), [(0, 1)]);
/// ```
pub fn co_recall_pairs<Id: Ord + Hash + Copy>(selected: &[(Id, u32)]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut seen = FxHashSet::default();
    for (first, &(a, group)) in selected.iter().enumerate() {
        for (second, &(b, other)) in selected.iter().enumerate().skip(first + 1) {
            if group == other && a != b && seen.insert((a.min(b), a.max(b))) {
                pairs.push((first, second));
            }
        }
    }
    pairs
}
