//! How much of one text another has, by their words.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::{ContextMode, is_stop_word};
use crate::text::{lower_case, words};

/// A run of fewer characters is no word.
pub(super) const SHORTEST_WORD: usize = 3;

/// For each text the most that it has in common with one of the others: the words that both have, as a share of the words of
/// whichever has fewer, in [0, 1]. 0 without others, and where one has no words.
///
/// Words are runs of letters, digits and underscores of at least three characters, in lower case, each counted once. In the
/// default mode stop words are none.
///
/// ```
/// use nous_wasm::context::{ContextMode, similarities};
/// let shared = similarities(&["a brown fox, jumping"], &["The quick brown fox"], ContextMode::Default);
/// assert_eq!(shared, [2.0 / 3.0]);
/// ```
pub fn similarities(texts: &[&str], others: &[&str], mode: ContextMode) -> Vec<f64> {
    let lower: Vec<Cow<'_, str>> = texts.iter().chain(others).map(|text| lower_case(text)).collect();
    let mut all = Words::default();
    let sets: Vec<Vec<u32>> = lower.iter().map(|text| all.numbers(words_of(text, mode))).collect();
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

/// The words of a text in lower case.
fn words_of(text: &str, mode: ContextMode) -> impl Iterator<Item = &str> {
    words(text)
        .map(|word| &text[word.start..word.end])
        .filter(|word| is_long_enough(word))
        .filter(move |word| mode == ContextMode::SeedCompatible || !is_stop_word(word))
}

/// Whether a run of characters is a word.
pub(super) fn is_long_enough(word: &str) -> bool {
    word.chars().nth(SHORTEST_WORD - 1).is_some()
}

/// Words as numbers, so that sets of them are compared in one pass.
#[derive(Default)]
pub(super) struct Words<'a> {
    numbers: FxHashMap<&'a str, u32>,
    /// For each word the set that had it last, or that is marked.
    sets: Vec<u32>,
    /// Sets so far, and marks.
    count: u32,
}

impl<'a> Words<'a> {
    /// The number of a word: a new one where it is new.
    pub fn number(&mut self, word: &'a str) -> u32 {
        let next = self.sets.len() as u32;
        let number = *self.numbers.entry(word).or_insert(next);
        if number == next {
            self.sets.push(0);
        }
        number
    }

    /// The different words of a text.
    pub fn numbers(&mut self, words: impl Iterator<Item = &'a str>) -> Vec<u32> {
        self.count += 1;
        let mut set = Vec::new();
        for word in words {
            let number = self.number(word);
            let last = &mut self.sets[number as usize];
            if *last != self.count {
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
