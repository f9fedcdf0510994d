//! Which of the memories that were found go into a prompt, and in which order.

use rustc_hash::FxHashMap;

use super::overlap::{Words, all_lower_case, is_long_enough};
use super::usage::weight;
use super::{ContextMode, MemoryType};
use crate::order::sort_descending;
use crate::text::is_white_space;

/// Least relevance of a memory of each type, where relevance is a cosine.
pub const MIN_SCORES: [f64; 5] = [0.20, 0.25, 0.30, 0.30, 0.30];

/// How many memories may be about the same: decisions of a category, facts of a subject, episodes
/// of a tag.
const MOST_ALIKE: [Option<u32>; 5] = [Some(3), Some(2), None, Some(2), None];
/// What a memory is about that does not say.
const UNKNOWN_TOPIC: &str = "unknown";

/// Factor for a memory of the present frame.
const SAME_FRAME: f64 = 1.3;
/// What the censors that are active as they were add to a factor, at most.
const SAME_CENSORS: f64 = 0.2;

/// Decisions with the same outcome that have more words in common say the same.
const SAME_DECISION: f64 = 0.80;
/// How much of a decision is compared, in code points.
const COMPARED_CHARACTERS: usize = 150;

/// A memory that was found for a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundMemory<'a> {
    /// What it is shown as.
    pub memory_type: MemoryType,
    /// The number of its id in the order of ids: what has the same one is the same memory.
    pub id: u32,
    /// How well it fits. Finite.
    pub relevance: f64,
    /// Whether it was stored in the frame of the turn.
    pub same_frame: bool,
    /// Censors that were active then, by number, each once.
    pub censors: &'a [u32],
    /// When it was stored, in milliseconds since 1970; −∞ where that is unknown.
    pub created_at: f64,
    /// See [`usage_boost`](super::usage_boost).
    pub usage_boost: f64,
    /// Of a decision: what was decided.
    pub text: &'a str,
    /// Of a decision: what came of it.
    pub outcome: &'a str,
    /// What it is about: a decision's category, a fact's subject, an episode's first tag; empty for
    /// nothing.
    pub topic: &'a str,
}

/// What memories are selected by.
#[derive(Clone, Copy, Debug)]
pub struct Selecting<'a> {
    /// How context is prepared.
    pub mode: ContextMode,
    /// The least relevance of each type.
    pub min_scores: [f64; 5],
    /// Censors that are active, by number, each once.
    pub censors: &'a [u32],
    /// How much the turn asks for something recent, in [0, 1]: see
    /// [`TurnSignals::recency`](super::TurnSignals::recency).
    pub recency: f64,
    /// The present, in milliseconds since 1970.
    pub now: f64,
}

/// Why a memory is not selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unselected {
    /// Found twice; the instance that fits better, or of equal ones the first, stands for both.
    Repeated,
    /// Its relevance is below the least.
    Threshold,
    /// A newer decision says the same.
    NearDuplicate,
    /// Enough others are about the same.
    Diversity,
}

impl Unselected {
    /// Their names in data, in order.
    pub const NAMES: [&str; 4] = ["repeated", "threshold", "near_duplicate", "diversity"];
}

/// Memories in the order of a prompt, and the others.
#[derive(Debug, Default, PartialEq)]
pub struct SelectedMemories {
    /// Places of the selected ones: by type, the best first.
    pub order: Vec<u32>,
    /// For each memory why it is not among them.
    pub unselected: Vec<Option<Unselected>>,
}

/// How much more a memory counts that was stored in circumstances like the present ones: in [1,
/// 1.56].
///
/// In the same frame 1.3 times as much; with censors on both sides up to a fifth more, by how many
/// are the same (their Jaccard coefficient).
pub fn frame_boost(same_frame: bool, stored: &[u32], active: &[u32]) -> f64 {
    let factor = if same_frame { SAME_FRAME } else { 1.0 };
    if stored.is_empty() || active.is_empty() {
        return factor;
    }
    let shared = stored.iter().filter(|censor| active.contains(censor)).count();
    let all = stored.len() + active.len() - shared;
    factor * (1.0 + SAME_CENSORS * (shared as f64 / all as f64))
}

/// How much more a memory counts in a turn that asks for something recent: 1 + `recency` × 0.5^(age
/// in days / 7), so 1 to 2. `recency` lies in [0, 1]; 0 is a factor of 1. A memory that was stored
/// after `now` counts as one of now, one whose age is unknown (−∞) as old.
pub fn recency_boost(created_at: f64, recency: f64, now: f64) -> f64 {
    1.0 + recency * weight((now - created_at).max(0.0))
}

/// Selects and orders memories.
///
/// Of each type in turn: what fits too little is left out; of decisions that say the same the
/// newest stays; of memories about the same only the first few stay. The order is that of relevance
/// × [`frame_boost`] × usage boost × [`recency_boost`], of equals by id.
///
/// In seed-compatible mode frame and usage know nothing of relevance: memories keep the order in
/// which they were found, or in a turn that asks for something recent that of relevance ×
/// [`recency_boost`]; then that of the frame's boosts, which decides what stays, and then that of
/// the usage boosts. Decisions stand in the order of time, without boosts.
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
        if let Some(most) = MOST_ALIKE[memory_type as usize] {
            leave_out_alike(found, memory_type, most, &mut rows, &mut selection.unselected);
        }
        if by.mode == ContextMode::SeedCompatible && memory_type != MemoryType::Decision {
            sort_by(&mut rows, found, &|memory| memory.usage_boost);
        }
        selection.order.append(&mut rows);
    }
    selection
}

/// The order in which memories of a type are judged.
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

/// Sorts by a number of each memory, high to low. Out of line, since every sort of its own takes a
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

/// Leaves the newest first.
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

/// Sorts the words of each set by how many sets have them.
fn sort_rarest_first(sets: &mut [Vec<u32>]) {
    let mut counts: FxHashMap<u32, f64> = FxHashMap::default();
    for &word in sets.iter().flatten() {
        *counts.entry(word).or_insert(0.0) += 1.0;
    }
    for set in sets {
        sort_descending(set, |word| -counts[word]);
    }
}

/// Decisions by outcome and words, so that each is compared with those alone that may say the same.
///
/// A set that shares more than some share of its words with another lacks fewer than the rest; so
/// among as many of its words, whichever they are, is one that the other has. The rarest find the
/// fewest others.
#[derive(Default)]
struct KeptDecisions<'a> {
    sets: Vec<Vec<u32>>,
    outcomes: FxHashMap<&'a str, u32>,
    /// Places of sets by outcome and any of their words.
    by_word: FxHashMap<(u32, u32), Vec<u32>>,
    /// The same by their rare words.
    by_rare_word: FxHashMap<(u32, u32), Vec<u32>>,
}

impl<'a> KeptDecisions<'a> {
    /// The number of an outcome.
    fn outcome(&mut self, outcome: &'a str) -> u32 {
        let next = self.outcomes.len() as u32;
        *self.outcomes.entry(outcome).or_insert(next)
    }

    /// Sets among which are all that say the same; some of them more than once. Larger sets have
    /// one of this one's rare words, of smaller ones this one has one.
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

/// The rarest words of a set, so many that one that says the same has one of them.
fn rare(set: &[u32]) -> &[u32] {
    &set[..set.len() - (SAME_DECISION * set.len() as f64) as usize]
}

fn leave_out_alike(
    found: &[FoundMemory<'_>],
    memory_type: MemoryType,
    most: u32,
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
        if *count > most {
            unselected[row as usize] = Some(Unselected::Diversity);
        }
        *count <= most
    });
}

/// A tag as it is, of anything else the first word.
fn topic_of(memory_type: MemoryType, topic: &str) -> &str {
    let key = match memory_type {
        MemoryType::Episode => topic,
        _ => topic.split(is_white_space).find(|word| !word.is_empty()).unwrap_or_default(),
    };
    if key.is_empty() { UNKNOWN_TOPIC } else { key }
}
