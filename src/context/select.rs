//! Selection: which of the memories found go into a prompt, and in which order.

use rustc_hash::FxHashMap;

use super::overlap::{Words, all_lower_case, is_long_enough};
use super::usage::weight;
use super::{ContextMode, MemoryType};
use crate::order::sort_descending;
use crate::text::is_white_space;

/// The least relevance (cosine) of a memory of each type, in the order of [`MemoryType::ALL`].
pub const MIN_SCORES: [f64; 5] = [0.20, 0.25, 0.30, 0.30, 0.30];

/// The most memories of one topic, by type: decisions of a category, facts of a subject, episodes
/// of a tag. `None` is no limit.
const MAX_OF_A_TOPIC: [Option<u32>; 5] = [Some(3), Some(2), None, Some(2), None];
/// The topic of a memory without a topic.
const UNKNOWN_TOPIC: &str = "unknown";

/// Factor for a memory that was stored in the frame of the turn.
const SAME_FRAME: f64 = 1.3;
/// The most that equal active censors add to the factor.
const SAME_CENSORS: f64 = 0.2;

/// Two decisions of one outcome are duplicates if their word overlap exceeds this.
const SAME_DECISION: f64 = 0.80;
/// The number of code points of a decision that are compared.
const COMPARED_CHARACTERS: usize = 150;

/// A memory that was found for a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundMemory<'a> {
    /// The type of the memory in the prompt.
    pub memory_type: MemoryType,
    /// The place of its id in the order of ids. Equal numbers are the same memory.
    pub id: u32,
    /// The relevance to the turn, a finite number.
    pub relevance: f64,
    /// Whether it was stored in the frame of the turn.
    pub same_frame: bool,
    /// The censors that were active when it was stored, by number, each once.
    pub censors: &'a [u32],
    /// The time of its creation, in milliseconds since 1970, or −∞ if unknown.
    pub created_at: f64,
    /// See [`usage_boost`](super::usage_boost).
    pub usage_boost: f64,
    /// The text of a decision.
    pub text: &'a str,
    /// The outcome of a decision.
    pub outcome: &'a str,
    /// The topic: a decision's category, a fact's subject or an episode's first tag. Empty for no
    /// topic.
    pub topic: &'a str,
}

/// The parameters of a selection.
#[derive(Clone, Copy, Debug)]
pub struct Selecting<'a> {
    /// The set of rules.
    pub mode: ContextMode,
    /// The least relevance of each type, in the order of [`MemoryType::ALL`].
    pub min_scores: [f64; 5],
    /// The active censors, by number, each once.
    pub censors: &'a [u32],
    /// How strongly the turn asks for something recent, in [0, 1]; see
    /// [`TurnSignals::recency`](super::TurnSignals::recency).
    pub recency: f64,
    /// The present, in milliseconds since 1970.
    pub now: f64,
}

/// Why a memory is not selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unselected {
    /// It was found twice. The instance with the higher relevance stays, of equal ones the first.
    Repeated,
    /// Its relevance is below the minimum of its type.
    Threshold,
    /// It duplicates a newer decision.
    NearDuplicate,
    /// The most memories of its topic are selected already.
    Diversity,
}

impl Unselected {
    /// The names in data, in order.
    pub const NAMES: [&str; 4] = ["repeated", "threshold", "near_duplicate", "diversity"];
}

/// The result of a selection.
#[derive(Debug, Default, PartialEq)]
pub struct SelectedMemories {
    /// The places of the selected memories: by type, the best first.
    pub order: Vec<u32>,
    /// For each memory the reason why it is not selected, or `None` if it is selected.
    pub unselected: Vec<Option<Unselected>>,
}

/// Returns the factor for a memory that was stored in circumstances like the present ones, in [1,
/// 1.56].
///
/// The same frame gives a factor of 1.3. If both sides have active censors, up to a fifth is added,
/// by the share of equal censors (their Jaccard coefficient).
pub fn frame_boost(same_frame: bool, stored: &[u32], active: &[u32]) -> f64 {
    let factor = if same_frame { SAME_FRAME } else { 1.0 };
    if stored.is_empty() || active.is_empty() {
        return factor;
    }
    let shared = stored.iter().filter(|censor| active.contains(censor)).count();
    let all = stored.len() + active.len() - shared;
    factor * (1.0 + SAME_CENSORS * (shared as f64 / all as f64))
}

/// Returns the factor for recent memories in a turn that asks for something recent: 1 + `recency` ×
/// 0.5^(age in days / 7), from 1 to 2. `recency` lies in [0, 1]; 0 gives a factor of 1. A memory
/// that was stored after `now` counts as one of now. One of unknown age (−∞) counts as old.
pub fn recency_boost(created_at: f64, recency: f64, now: f64) -> f64 {
    1.0 + recency * weight((now - created_at).max(0.0))
}

/// Selects and orders memories.
///
/// For each type in turn, memories below the least relevance are left out, then all but the newest
/// of duplicate decisions, then all but the first few memories of each topic. The order is by
/// relevance × [`frame_boost`] × usage boost × [`recency_boost`], and by id if that is equal.
///
/// In seed-compatible mode the boosts do not multiply the relevance. Memories keep the order in
/// which they were found, or are sorted by relevance × [`recency_boost`] if the turn asks for
/// something recent. They are then sorted by frame boost, which decides which ones stay, and then
/// by usage boost. All sorts are stable. Decisions are in the order of time, without boosts.
pub fn select(found: &[FoundMemory<'_>], by: &Selecting<'_>) -> SelectedMemories {
    let mut selection = SelectedMemories { order: Vec::new(), unselected: vec![None; found.len()] };
    leave_out_repeated(found, &mut selection.unselected);
    for memory_type in MemoryType::ALL {
        let mut rows: Vec<u32> = Vec::new();
        for (row, memory) in (0..).zip(found) {
            let reason = &mut selection.unselected[row as usize];
            if memory.memory_type != memory_type || reason.is_some() {
                continue;
            }
            if memory.relevance < by.min_scores[memory_type as usize] {
                *reason = Some(Unselected::Threshold);
            } else {
                rows.push(row);
            }
        }
        if memory_type == MemoryType::Decision {
            leave_out_near_duplicates(found, &mut rows, &mut selection.unselected);
        }
        sort(found, by, memory_type, &mut rows);
        if let Some(max) = MAX_OF_A_TOPIC[memory_type as usize] {
            leave_out_same_topic(found, memory_type, max, &mut rows, &mut selection.unselected);
        }
        if by.mode == ContextMode::SeedCompatible && memory_type != MemoryType::Decision {
            sort_by(&mut rows, found, &|memory| memory.usage_boost);
        }
        selection.order.append(&mut rows);
    }
    selection
}

/// Sorts the memories of a type in the order in which the limit per topic is applied.
fn sort(found: &[FoundMemory<'_>], by: &Selecting<'_>, memory_type: MemoryType, rows: &mut [u32]) {
    let boost =
        |memory: &FoundMemory<'_>| frame_boost(memory.same_frame, memory.censors, by.censors);
    let recency = |memory: &FoundMemory<'_>| recency_boost(memory.created_at, by.recency, by.now);
    if by.mode == ContextMode::Default {
        sort_by(rows, found, &|memory| -f64::from(memory.id));
        sort_by(rows, found, &|memory| {
            memory.relevance * boost(memory) * memory.usage_boost * recency(memory)
        });
    } else if memory_type != MemoryType::Decision {
        if by.recency > 0.0 {
            sort_by(rows, found, &|memory| memory.relevance * recency(memory));
        }
        sort_by(rows, found, &boost);
    }
}

/// Sorts by a number of each memory, high to low. Out of line, since each inlined sort takes a
/// kilobyte.
#[inline(never)]
fn sort_by(rows: &mut [u32], found: &[FoundMemory<'_>], number: &dyn Fn(&FoundMemory<'_>) -> f64) {
    sort_descending(rows, |&row| number(&found[row as usize]));
}

fn leave_out_repeated(found: &[FoundMemory<'_>], unselected: &mut [Option<Unselected>]) {
    let mut best: FxHashMap<u32, u32> = FxHashMap::default();
    for (row, memory) in (0..).zip(found) {
        let known = best.entry(memory.id).or_insert(row);
        if *known == row {
            continue;
        }
        let other = std::mem::replace(known, row);
        if memory.relevance <= found[other as usize].relevance {
            *known = other;
        }
        unselected[if *known == row { other } else { row } as usize] = Some(Unselected::Repeated);
    }
}

/// Leaves the newest decision first.
fn leave_out_near_duplicates(
    found: &[FoundMemory<'_>],
    rows: &mut Vec<u32>,
    unselected: &mut [Option<Unselected>],
) {
    sort_by(rows, found, &|memory| memory.created_at);
    let beginning = |&row: &u32| {
        let text = found[row as usize].text;
        &text[..text.char_indices().nth(COMPARED_CHARACTERS).map_or(text.len(), |(end, _)| end)]
    };
    let beginnings = all_lower_case(rows.iter().map(beginning));
    let mut words = Words::new(is_long_enough);
    let mut sets: Vec<Vec<u32>> =
        beginnings.iter().map(|text| words.set(text.split(is_white_space))).collect();
    sort_rarest_first(&mut sets);
    let mut kept = KeptDecisions::default();
    let mut sets = sets.into_iter();
    rows.retain(|&row| {
        let set = sets.next().unwrap_or_default();
        words.mark(&set);
        let outcome = kept.outcome(found[row as usize].outcome);
        if kept
            .candidates(outcome, &set)
            .any(|other| words.containment(other, set.len()) > SAME_DECISION)
        {
            unselected[row as usize] = Some(Unselected::NearDuplicate);
            return false;
        }
        kept.push(outcome, set);
        true
    });
}

/// Sorts the words of each set by the number of sets that have them, the rarest first.
fn sort_rarest_first(sets: &mut [Vec<u32>]) {
    let mut counts: FxHashMap<u32, f64> = FxHashMap::default();
    for &word in sets.iter().flatten() {
        *counts.entry(word).or_insert(0.0) += 1.0;
    }
    for set in sets {
        sort_descending(set, |word| -counts[word]);
    }
}

/// The kept decisions, indexed by outcome and word, so that a decision is compared only with
/// possible duplicates.
///
/// Two sets are duplicates if they share more than the share s of the words of the smaller set,
/// which has n words. So fewer than (1 − s) · n of its words are missing from the larger set. Of
/// any n − ⌊s · n⌋ of its words, the larger set therefore has at least one. Choosing the rarest
/// words finds the fewest other sets.
#[derive(Default)]
struct KeptDecisions<'a> {
    sets: Vec<Vec<u32>>,
    outcomes: FxHashMap<&'a str, u32>,
    /// Places of sets by outcome and each of their words.
    by_word: FxHashMap<(u32, u32), Vec<u32>>,
    /// Places of sets by outcome and each of their rare words.
    by_rare_word: FxHashMap<(u32, u32), Vec<u32>>,
}

impl<'a> KeptDecisions<'a> {
    /// Returns the number of an outcome.
    fn outcome(&mut self, outcome: &'a str) -> u32 {
        let next = self.outcomes.len() as u32;
        *self.outcomes.entry(outcome).or_insert(next)
    }

    /// Returns sets that include all duplicates of this one; some are returned twice. A larger
    /// duplicate has one of the rare words of this set. This set has one of the rare words of a
    /// smaller one.
    fn candidates(&self, outcome: u32, set: &[u32]) -> impl Iterator<Item = &[u32]> {
        let larger = rare(set).iter().filter_map(move |&word| self.by_word.get(&(outcome, word)));
        let smaller = set.iter().filter_map(move |&word| self.by_rare_word.get(&(outcome, word)));
        larger.chain(smaller).flatten().map(|&place| &*self.sets[place as usize])
    }

    fn push(&mut self, outcome: u32, set: Vec<u32>) {
        let place = self.sets.len() as u32;
        for &word in &set {
            self.by_word.entry((outcome, word)).or_default().push(place);
        }
        for &word in rare(&set) {
            self.by_rare_word.entry((outcome, word)).or_default().push(place);
        }
        self.sets.push(set);
    }
}

/// Returns the rarest words of a set, as many as a duplicate needs to have one of them.
fn rare(set: &[u32]) -> &[u32] {
    &set[..set.len() - (SAME_DECISION * set.len() as f64) as usize]
}

fn leave_out_same_topic(
    found: &[FoundMemory<'_>],
    memory_type: MemoryType,
    max: u32,
    rows: &mut Vec<u32>,
    unselected: &mut [Option<Unselected>],
) {
    let topics =
        all_lower_case(rows.iter().map(|&row| topic_of(memory_type, found[row as usize].topic)));
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    let mut next = topics.iter();
    rows.retain(|&row| {
        let count = counts.entry(next.next().map_or(UNKNOWN_TOPIC, |topic| topic)).or_insert(0);
        *count += 1;
        if *count > max {
            unselected[row as usize] = Some(Unselected::Diversity);
        }
        *count <= max
    });
}

/// Returns the key of a topic: the whole tag of an episode, else the first word.
fn topic_of(memory_type: MemoryType, topic: &str) -> &str {
    let key = match memory_type {
        MemoryType::Episode => topic,
        _ => topic.split(is_white_space).find(|word| !word.is_empty()).unwrap_or_default(),
    };
    if key.is_empty() { UNKNOWN_TOPIC } else { key }
}
