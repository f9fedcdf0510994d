//! The overlap of texts: the share of their words that they have in common.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::ContextMode;
use crate::text::{is_stop_word, lower_case, words};

/// The least number of characters of a word.
const SHORTEST_WORD: usize = 3;

/// Returns for each text its largest overlap with one of the others, in [0, 1]: the words that both
/// texts have, as a share of the words of the text with fewer. Returns 0 if there are no others,
/// and for a pair of which one has no words.
///
/// A word is a run of at least three letters, digits and underscores, in lower case. Each word
/// counts once. In the default mode stop words do not count.
///
/// ```
/// use nous_wasm::context::{ContextMode, similarities};
/// let texts = ["a brown fox, jumping"];
/// let shared = similarities(&texts, &["The quick brown fox"], ContextMode::Default);
/// assert_eq!(shared, [2.0 / 3.0]);
/// ```
pub fn similarities(texts: &[&str], others: &[&str], mode: ContextMode) -> Vec<f64> {
    if others.is_empty() {
        return vec![0.0; texts.len()];
    }
    let lower = all_lower_case(texts.iter().chain(others).copied());
    let counts = |word: &str| {
        is_long_enough(word) && (mode == ContextMode::SeedCompatible || !is_stop_word(word))
    };
    let mut all = Words::new(counts);
    let sets: Vec<Vec<u32>> = lower.iter().map(|text| all.set(words_of(text))).collect();
    let (texts, others) = sets.split_at(texts.len());
    let mut max = vec![0.0; texts.len()];
    for other in others {
        all.mark(other);
        for (text, max) in texts.iter().zip(&mut max) {
            let shared = all.containment(text, other.len());
            if shared > *max {
                *max = shared;
            }
        }
    }
    max
}

/// Returns the texts in lower case, in order. All texts that are not ASCII go to the host in one
/// call.
pub(super) fn all_lower_case<'a>(
    texts: impl Iterator<Item = &'a str> + Clone,
) -> Vec<Cow<'a, str>> {
    let mut others = String::new();
    for text in texts.clone().filter(|text| !text.is_ascii()) {
        others.push_str(text);
        // A line break has no case and does not change the case of its neighbours.
        others.push('\n');
    }
    let others = lower_case(&others);
    let mut lines = others.split_inclusive('\n');
    let mut next = |text: &str| {
        let breaks = text.bytes().filter(|&byte| byte == b'\n').count();
        let mut lower: String = lines.by_ref().take(breaks + 1).collect();
        lower.pop();
        lower
    };
    texts.map(|text| if text.is_ascii() { lower_case(text) } else { next(text).into() }).collect()
}

/// Returns the runs of word characters in a text.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    words(text).map(|word| &text[word.start..word.end])
}

/// Whether a run of characters is long enough for a word.
pub(super) fn is_long_enough(word: &str) -> bool {
    word.chars().nth(SHORTEST_WORD - 1).is_some()
}

/// Words as numbers, so that sets of words are compared in one pass.
pub(super) struct Words<'a, Counts> {
    /// Whether a word counts. Called once for each word.
    counts: Counts,
    numbers: FxHashMap<&'a str, u32>,
    /// For each word the number of the last set that contains it, or of the last mark.
    sets: Vec<u32>,
    /// The number of sets and marks so far.
    count: u32,
}

/// The number of every word that does not count.
const NO_WORD: u32 = u32::MAX;

impl<'a, Counts: Fn(&str) -> bool> Words<'a, Counts> {
    /// Starts without words.
    pub fn new(counts: Counts) -> Self {
        Self { counts, numbers: FxHashMap::default(), sets: Vec::new(), count: 0 }
    }

    /// Returns the words of a text that count, each once.
    pub fn set(&mut self, words: impl Iterator<Item = &'a str>) -> Vec<u32> {
        self.count += 1;
        let mut set = Vec::new();
        for word in words {
            let Self { counts, numbers, sets, .. } = self;
            let number = *numbers.entry(word).or_insert_with(|| {
                if !counts(word) {
                    return NO_WORD;
                }
                sets.push(0);
                sets.len() as u32 - 1
            });
            if let Some(last) = sets.get_mut(number as usize).filter(|last| **last != self.count) {
                *last = self.count;
                set.push(number);
            }
        }
        set
    }

    /// Marks the words of a set, so that other sets can be compared with it.
    pub fn mark(&mut self, set: &[u32]) {
        self.count += 1;
        for &number in set {
            self.sets[number as usize] = self.count;
        }
    }

    /// Returns the overlap of a set with the marked one, which has `marked` words.
    pub fn containment(&self, set: &[u32], marked: usize) -> f64 {
        let fewer = set.len().min(marked);
        if fewer == 0 {
            return 0.0;
        }
        let shared = set.iter().filter(|&&number| self.sets[number as usize] == self.count).count();
        shared as f64 / fewer as f64
    }
}
