//! Neighbours: the words of the vocabulary that are near a word of a question.
//!
//! # Idea
//!
//! A memory often answers in other words than those of the question. Each word of a question
//! therefore stands for several words of the vocabulary, each with a nearness from 0 to 1:
//!
//! - The forms of the word itself, which have its stem: 1.
//! - The words whose vectors have a cosine of at least [`MIN_COSINE`] with its own, at most
//!   [`MAX_NEIGHBOURS`] of them: that cosine.
//! - The words whose stem or part it is, and the words that are its stem or its parts: less than 1.
//! - If no text holds the word: words that begin or end with it, and words that differ in one letter,
//!   or in two of a long word. Typing errors and parts of compounds are found so.
//!
//! One pass over the vectors of the vocabulary finds the neighbours. They are kept for the next
//! question, with the number of words that were looked at, so that only newer words are looked at
//! then.
//!
//! # Invariants
//!
//! - Matches are sorted by nearness, highest first. No word is listed twice.
//! - A stop word is no neighbour.
//!
//! # Cost
//!
//! About 0.2 ms for a new word over a vocabulary of 20,000 words. A kept word costs nothing.

use rustc_hash::FxHashMap;

use super::vectors::CodedQuery;
use super::words::{Embed, Words, is_plain};
use crate::order::sort_descending;
use crate::text::reading::{BARE, Held, PART, STEM};

/// The most neighbours of a word by their vectors.
const MAX_NEIGHBOURS: usize = 8;
/// The least cosine of a neighbour.
const MIN_COSINE: f64 = 0.3;
/// The nearness of a word that begins with a word of the question.
const OF_PREFIX: f64 = 0.8;
/// The nearness of a word that ends with a word of the question, but for an ending.
const OF_LAST: f64 = 0.7;
/// The fewest letters before the last part of a compound, and the most of an ending.
const FEWEST_BEFORE: usize = 3;
const MOST_BEHIND: usize = 2;
/// The nearness of a word and its stem without clitics.
const OF_STEM: f64 = 0.95;
/// The nearness of a word and its part.
const OF_PART: f64 = 0.8;
/// The nearness of a pair of ideographs that no text holds, and one of the two.
const OF_IDEOGRAPH: f64 = 0.5;
/// The nearness of a word that some text holds, and the same with signs.
const OF_OTHER_SIGNS: f64 = 0.5;
/// The fewest letters of a word that is compared as a prefix or by its letters.
const FEWEST_LETTERS: usize = 4;
/// The letters from which on two differences are allowed.
const LONG: usize = 8;
/// The nearness of a word with one different letter, and with two.
const OF_TYPO: [f64; 2] = [0.85, 0.7];
/// Words of questions that are kept.
const MAX_KEPT: usize = 4_096;

/// A word of the vocabulary that a word of a question stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Match {
    pub word: u32,
    /// In (0, 1]; 1 for a form of the word itself.
    pub nearness: f64,
    /// Whether the word has the stem of the question's word.
    pub is_form: bool,
}

/// The neighbours of words that questions held before.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    kept: FxHashMap<Box<str>, Kept>,
    /// The count of folds when the words were kept. A fold renumbers all words.
    folds: u64,
}

#[derive(Debug)]
struct Kept {
    vector: Option<CodedQuery>,
    /// The number of words that were looked at.
    seen: usize,
    /// By cosine, highest first, then by code.
    found: Vec<(u32, f64)>,
}

impl Neighbours {
    /// Returns the words that a word of a question with this stem and these parts stands for.
    pub fn of(
        &mut self,
        (word, stem): (&str, &str),
        parts: &[(String, Held)],
        words: &Words,
        folds: u64,
        embed: &mut Embed<'_>,
    ) -> Vec<Match> {
        if self.folds != folds || self.kept.len() >= MAX_KEPT {
            self.kept.clear();
            self.folds = folds;
        }
        let mut matches = forms_of(stem, words);
        let is_held = !matches.is_empty();
        // Numbers that are near are other numbers, and so are signs.
        if is_plain(word) && !word.bytes().any(|byte| byte.is_ascii_digit()) {
            let near = self.near(word, words, words.stem_code(stem), embed);
            let near =
                near.iter().map(|&(word, nearness)| Match { word, nearness, is_form: false });
            matches.extend(near);
        }
        let mut add = |word: u32, nearness: f64, is_form: bool| match matches
            .iter_mut()
            .find(|it| it.word == word)
        {
            Some(found) => {
                found.nearness = found.nearness.max(nearness);
                found.is_form |= is_form;
            }
            None => matches.push(Match { word, nearness, is_form }),
        };
        let mut name = String::new();
        // What stands in another word has the stem of the same word alone.
        let mut add_forms = |within: Option<char>, stem: &str, nearness: f64, is_form: bool| {
            name.clear();
            name.extend(within);
            name.push_str(stem);
            words.of_stem(&name).iter().for_each(|&word| add(word, nearness, is_form));
        };
        add_forms(Some(STEM), stem, OF_STEM, true);
        add_forms(Some(PART), stem, OF_PART, false);
        let of_bare = if is_held { OF_OTHER_SIGNS } else { OF_PART };
        add_forms(Some(BARE), stem, of_bare, false);
        for (part, held) in parts {
            let (nearness, is_form) = match held {
                Held::Stem => (OF_STEM, true),
                _ if is_held => continue,
                Held::Ideograph => (OF_IDEOGRAPH, false),
                _ => (OF_PART, false),
            };
            let stem = &words.stem_text(part);
            add_forms(None, stem, nearness, is_form);
            add_forms(Some(STEM), stem, nearness * OF_STEM, is_form);
            add_forms(Some(PART), stem, nearness * OF_PART, false);
            add_forms(Some(BARE), stem, nearness * OF_OTHER_SIGNS, false);
        }
        if !is_held {
            alike(word, words).into_iter().for_each(|(word, nearness)| add(word, nearness, false));
        }
        sort_descending(&mut matches, |it| it.nearness);
        matches
    }

    /// Returns the bytes of the kept words.
    pub fn bytes(&self) -> usize {
        // The codes of a vector, and the neighbours.
        self.kept.values().map(|kept| 640 + kept.found.capacity() * 16).sum()
    }

    fn near(
        &mut self,
        word: &str,
        words: &Words,
        stem: Option<u32>,
        embed: &mut Embed<'_>,
    ) -> &[(u32, f64)] {
        if words.dimensions() == 0 {
            return &[];
        }
        if !self.kept.contains_key(word) {
            let mut sum = vec![0.0; words.dimensions()];
            let vector = if embed(word, &mut sum) { CodedQuery::new(&sum) } else { None };
            self.kept.insert(word.into(), Kept { vector, seen: 0, found: Vec::new() });
        }
        let Some(Kept { vector, seen, found }) = self.kept.get_mut(word) else { return &[] };
        let Some(vector) = vector else { return &[] };
        words.vectors.products(vector, *seen, |place, product| {
            let length = words.vectors.length(place);
            // Most words are far: compare before dividing.
            if product < MIN_COSINE * length || length == 0.0 {
                return;
            }
            let code = place as u32;
            if !words.is_content(code) || stem == Some(words.stem(code)) {
                return;
            }
            let cosine = (product / length).min(1.0);
            let at = found.partition_point(|&(_, other)| other >= cosine);
            if at < MAX_NEIGHBOURS {
                found.truncate(MAX_NEIGHBOURS - 1);
                found.insert(at, (code, cosine));
            }
        });
        *seen = words.count();
        found
    }
}

/// Returns the words of a stem as forms of a word of a question.
pub(super) fn forms_of(stem: &str, words: &Words) -> Vec<Match> {
    let forms = words.of_stem(stem).iter();
    forms.map(|&word| Match { word, nearness: 1.0, is_form: true }).collect()
}

/// Returns the words that begin with a word, or differ from it in a letter or two, with their
/// nearness.
fn alike(word: &str, words: &Words) -> Vec<(u32, f64)> {
    let letters: Vec<char> = word.chars().collect();
    if letters.len() < FEWEST_LETTERS || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let allowed = if letters.len() >= LONG { 2 } else { 1 };
    let mut alike = Vec::new();
    for (other, code) in words.names.iter().zip(0..) {
        // The first byte tells most words apart.
        let begins = other.as_bytes().first() == word.as_bytes().first();
        let nearness = if begins && other.starts_with(word) {
            OF_PREFIX
        } else if is_last_part(word, other) {
            OF_LAST
        } else if begins
            && other.starts_with(letters[0])
            && other.len().abs_diff(word.len()) <= 4 * allowed
            && let Some(changes) = changes_between(&letters, other, allowed)
        {
            OF_TYPO[changes - 1]
        } else {
            continue;
        };
        if words.is_content(code) {
            alike.push((code, nearness));
        }
    }
    alike
}

/// Whether a word is the last part of a compound, but for an ending.
fn is_last_part(word: &str, compound: &str) -> bool {
    if compound.len() < word.len() + FEWEST_BEFORE || !may_end_with(word, compound) {
        return false;
    }
    let mut rest = compound.chars();
    (0..=MOST_BEHIND).any(|_| {
        let before = rest.as_str().strip_suffix(word);
        rest.next_back();
        before.is_some_and(|before| before.chars().count() >= FEWEST_BEFORE)
    })
}

/// Returns `false` if a word cannot be the last part of a longer compound. Two bytes of the word
/// tell most words of a vocabulary apart from its compounds.
fn may_end_with(word: &str, compound: &str) -> bool {
    let (word, compound) = (word.as_bytes(), compound.as_bytes());
    let (first, last) = (word[0], word[word.len() - 1]);
    (0..=MOST_BEHIND).any(|behind| {
        let end = compound.len() - behind;
        // An ending of other letters has more bytes.
        compound[end - 1] == last && compound[end - word.len()] == first
            || !compound[end - 1].is_ascii()
    })
}

/// Returns the number of letters to insert, delete, replace or swap with their neighbour, from 1
/// to `most`. Returns `None` if there are more.
fn changes_between(word: &[char], other: &str, max: usize) -> Option<usize> {
    if word.len().abs_diff(other.chars().count()) > max {
        return None;
    }
    let other: Vec<char> = other.chars().collect();
    // Rows of the table of distances: the two before, and this one.
    let width = other.len() + 1;
    let (mut before, mut row) = (vec![0; width], vec![0; width]);
    let mut last: Vec<usize> = (0..width).collect();
    for (at, &letter) in word.iter().enumerate() {
        row[0] = at + 1;
        for place in 1..width {
            let same = usize::from(letter != other[place - 1]);
            row[place] = (row[place - 1] + 1).min(last[place] + 1).min(last[place - 1] + same);
            let is_swap = at > 0
                && place > 1
                && letter == other[place - 2]
                && word[at - 1] == other[place - 1];
            if is_swap {
                row[place] = row[place].min(before[place - 2] + 1);
            }
        }
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    Some(last[width - 1]).filter(|changes| (1..=max).contains(changes))
}
