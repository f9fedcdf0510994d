//! Reads a question: its words with their neighbours, its vector, and what it asks for.

use super::function_words::function_words;
use super::neighbours::{Match, Neighbours};
use super::texts::Texts;
use super::vectors::{CodedQuery, CodedVectors};
use super::weights::Values;
use super::words::{Embed, is_content};
use crate::order::sort_descending;
use crate::text::tokens::{Token, each_token};
use crate::times::{Sought, TimeExpression, find, sought};

/// The most words of a question that count: the rarest ones.
const MAX_WORDS: usize = 32;
/// The most words of a question that are read.
const MAX_READ: usize = 1_024;
/// A question of at most so many words is vague.
const VAGUE: usize = 2;

/// A word of a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AskedWord {
    pub text: String,
    pub matches: Vec<Match>,
}

/// A question that was read.
#[derive(Debug)]
pub struct Question {
    /// The words that count, in the order of the question.
    pub(super) words: Vec<AskedWord>,
    /// The sum of the vectors of all its words; `None` without vectors.
    pub(super) vector: Option<CodedQuery>,
    pub(super) times: Vec<TimeExpression>,
    pub(super) sought: Sought,
    /// Whether the question asks for the latest: it holds "last", "now" or a word like these.
    pub(super) asks_latest: bool,
    /// Whether the question has hardly any words.
    pub(super) is_vague: bool,
}

/// Words of questions about the latest or the present.
const LATEST: [&str; 12] = [
    "current",
    "currently",
    "last",
    "lately",
    "latest",
    "new",
    "newest",
    "now",
    "recent",
    "recently",
    "still",
    "today",
];

impl Question {
    /// Returns the most that the evidence of a memory can weigh by what the question asks for
    /// besides words and meaning.
    pub fn max_asked(&self, weights: &Values) -> f64 {
        let Sought { time, number, place, .. } = self.sought;
        let max = |asked: bool, value: f64, weight: f64| {
            if asked { value * weight.max(0.0) } else { 0.0 }
        };
        let names_time = !self.times.is_empty();
        max(names_time, 2.0, weights.date)
            + max(names_time, 2.0, weights.told)
            + max(time, 1.0, weights.p_temp)
            + max(number, 1.0, weights.p_numq)
            + max(place, 1.0, weights.p_where)
    }

    /// Whether the question asks for anything besides words and meaning: a time, a number, a place.
    pub(super) fn asks_for_more(&self) -> bool {
        let Sought { time, number, place, .. } = self.sought;
        time || number || place || !self.times.is_empty()
    }

    pub(super) fn read(
        text: &str,
        now: f64,
        texts: &Texts,
        neighbours: &mut Neighbours,
        embed: &mut Embed<'_>,
    ) -> Self {
        let all = words_of(text);
        let mut sum = vec![0.0; texts.words.dimensions()];
        let mut others = CodedVectors::new(sum.len());
        for word in &all {
            match texts.words.names.code(word) {
                Some(code) => texts.words.vectors.add_to(code as usize, &mut sum),
                None => {
                    // Coded like the words of texts, so that a question has the same vector whether
                    // or not a text holds its words.
                    let mut part = vec![0.0; sum.len()];
                    if !part.is_empty() && embed(word, &mut part) {
                        others.push(&part);
                        others.add_to(others.len() - 1, &mut sum);
                    }
                }
            }
        }
        let mut stems: Vec<String> = Vec::new();
        let mut asked: Vec<&String> = Vec::new();
        let english = all.iter().filter(|word| !is_content(word)).count();
        let left_out = function_words(all.iter().map(String::as_str), english);
        let tells = |word: &str| is_content(word) && left_out.binary_search(&word).is_err();
        let any_tells = all.iter().any(|word| tells(word));
        for word in all.iter().filter(|word| !any_tells || tells(word)) {
            let stem = texts.words.stem_text(word);
            if !stems.contains(&stem) {
                stems.push(stem);
                asked.push(word);
            }
        }
        let mut words: Vec<AskedWord> = asked
            .into_iter()
            .map(|word| AskedWord {
                matches: neighbours.of(word, &texts.words, texts.folds, embed),
                text: word.clone(),
            })
            .collect();
        keep_rarest(&mut words, texts);
        Self {
            is_vague: words.len() <= VAGUE,
            words,
            vector: CodedQuery::new(&sum),
            times: find(text, now),
            sought: sought(text),
            asks_latest: all.iter().any(|word| LATEST.binary_search(&&**word).is_ok()),
        }
    }
}

/// Returns the words of a text, in order.
fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_token(text, &mut String::new(), |word, kind| {
        if words.len() < MAX_READ && !matches!(kind, Token::Last { alone: false }) {
            words.push(word.to_owned());
        }
    });
    words
}

/// Keeps the words that the fewest passages hold, in their order. Words that occur nowhere go
/// first.
fn keep_rarest(words: &mut Vec<AskedWord>, texts: &Texts) {
    if words.len() <= MAX_WORDS {
        return;
    }
    let frequency = |word: &AskedWord| -> u32 {
        let mut count = 0;
        for form in word.matches.iter().filter(|it| it.is_form) {
            texts.words.postings[form.word as usize].for_each(|passage, _| {
                count += u32::from(texts.row_of(passage).is_some());
            });
        }
        if count == 0 { u32::MAX } else { count }
    };
    let mut order: Vec<(u32, usize)> =
        words.iter().enumerate().map(|(place, word)| (frequency(word), place)).collect();
    sort_descending(&mut order, |&(frequency, _)| -f64::from(frequency));
    let mut is_kept = vec![false; words.len()];
    order[..MAX_WORDS].iter().for_each(|&(_, place)| is_kept[place] = true);
    let mut kept = is_kept.into_iter();
    words.retain(|_| kept.next() == Some(true));
}
