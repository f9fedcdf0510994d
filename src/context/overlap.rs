//! How much of one text another has, by their words.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::ContextMode;
use crate::text::{is_stop_word, lower_case, words};

/// A run of fewer characters is no word.
const SHORTEST_WORD: usize = 3;

/// For each text the most that it has in common with one of the others: the words that both have,
/// as a share of the words of whichever has fewer, in [0, 1]. 0 without others, and where one has
/// no words.
///
/// Words are runs of at least three letters, digits and underscores, in lower case, each counted
/// once. In the default mode stop words do not count.
///
/// ```
/// use nous_wasm::context::{ContextMode, similarities};
/// let shared = similarities(&["a brown fox, jumping"], &["The quick brown fox"],
/// ContextMode::Default);
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
    let mut most = vec![0.0; texts.len()];
    for other in others {
        all.mark(other);
        for (text, most) in texts.iter().zip(&mut most) {
            let shared = all.containment(text, other.len());
            if shared > *most {
                *most = shared;
            }
        }
    }
    most
}

/// Texts in lower case. The host is asked once for all those that are not of ASCII.
pub(super) fn all_lower_case<'a>(
    texts: impl Iterator<Item = &'a str> + Clone,
) -> Vec<Cow<'a, str>> {
    let mut others = String::new();
    for text in texts.clone().filter(|text| !text.is_ascii()) {
        others.push_str(text);
        // A line's end has no case, and says nothing of the case of its neighbours.
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

/// The runs of word characters in a text.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    words(text).map(|word| &text[word.start..word.end])
}

/// Whether a run of characters is a word.
pub(super) fn is_long_enough(word: &str) -> bool {
    word.chars().nth(SHORTEST_WORD - 1).is_some()
}

/// Words as numbers, so that sets of them are compared in one pass.
pub(super) struct Words<'a, Counts> {
    /// Whether a word counts; asked once for each.
    counts: Counts,
    numbers: FxHashMap<&'a str, u32>,
    /// For each word the set that had it last, or that is marked.
    sets: Vec<u32>,
    /// Sets so far, and marks.
    count: u32,
}

/// In place of the number of a word that does not count.
const NO_WORD: u32 = u32::MAX;

impl<'a, Counts: Fn(&str) -> bool> Words<'a, Counts> {
    /// None so far.
    pub fn new(counts: Counts) -> Self {
        Self { counts, numbers: FxHashMap::default(), sets: Vec::new(), count: 0 }
    }

    /// The different words of a text that count.
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

    /// Marks the words of a set, for comparing others with it.
    pub fn mark(&mut self, set: &[u32]) {
        self.count += 1;
        for &number in set {
            self.sets[number as usize] = self.count;
        }
    }

    /// What a set has in common with the marked one, which has so many words.
    pub fn containment(&self, set: &[u32], marked: usize) -> f64 {
        let fewer = set.len().min(marked);
        if fewer == 0 {
            return 0.0;
        }
        let shared = set.iter().filter(|&&number| self.sets[number as usize] == self.count).count();
        shared as f64 / fewer as f64
    }
}
