//! Reads a question: its words with their neighbours, its vector, and what it asks for.

use super::function_words::function_words;
use super::neighbours::{Match, Neighbours, forms_of};
use super::texts::Texts;
use super::vectors::{CodedQuery, CodedVectors};
use super::weights::Values;
use super::words::{Embed, is_content, is_plain, shown};
use crate::order::sort_descending;
use crate::text::is_word;
use crate::text::parts::is_function_pair;
use crate::text::reading::{Held, each_held};
use crate::times::{Era, Sought, TimeExpression, era, find, names_in, sought};

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
    /// Whether it is one of the words by which things are told apart.
    pub is_identifying: bool,
}

/// What a text of a question holds at one place.
#[derive(Debug)]
struct ReadWord {
    text: String,
    /// Whether it is an identifier that the place holds besides its word.
    is_identifier: bool,
    /// The parts of the word.
    parts: Vec<(String, Held)>,
}

/// A question that was read.
#[derive(Debug)]
pub struct Question {
    /// The words that count, in the order of the question.
    pub(super) words: Vec<AskedWord>,
    /// The sum of the vectors of all its words; `None` without vectors.
    pub(super) vector: Option<CodedQuery>,
    /// By the clock of the caller.
    pub(super) times: Vec<TimeExpression>,
    /// Whether it asks for nothing but a time: "What did I do last week?"
    pub(super) is_of_time: bool,
    pub(super) sought: Sought,
    /// Whether the question asks for the latest: it holds "last", "now" or a word like these.
    pub(super) asks_latest: bool,
    /// Whether it asks for what holds, for what held, or how it changed.
    pub era: Era,
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
        max(self.is_of_time, 1.0, weights.cov)
            + max(self.is_of_time, 1.0, weights.p_soft)
            + max(self.is_of_time, 1.0, weights.p_softcov)
            + max(names_time, 2.0, weights.date)
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
        local: Option<f64>,
        texts: &Texts,
        neighbours: &mut Neighbours,
        embed: &mut Embed<'_>,
    ) -> Self {
        let times = local.map_or_else(Vec::new, |now| find(text, now));
        let is_expression = is_expression(text, &times);
        let all = if is_expression {
            words_of(text)
        } else {
            words_of(&without_times(text, &times, true))
        };
        let mut sum = vec![0.0; texts.words.dimensions()];
        let mut others = CodedVectors::new(sum.len());
        let own = || all.iter().filter(|word| !word.is_identifier);
        for word in own().map(|word| &*word.text) {
            match texts.words.names.code(word) {
                Some(code) => texts.words.vectors.add_to(code as usize, &mut sum),
                None => {
                    // Coded like the words of texts, so that a question has the same vector whether
                    // or not a text holds its words.
                    let mut part = vec![0.0; sum.len()];
                    if !part.is_empty() && is_plain(word) && embed(word, &mut part) {
                        others.push(&part);
                        others.add_to(others.len() - 1, &mut sum);
                    }
                }
            }
        }
        let mut asked: Vec<(&ReadWord, String)> = Vec::new();
        let english = own().filter(|word| !is_content(&word.text)).count();
        let left_out = function_words(own().map(|word| &*word.text), english);
        let tells = |word: &&ReadWord| {
            is_content(&word.text)
                && !is_function_pair(&word.text)
                && left_out.binary_search(&&*word.text).is_err()
        };
        let any_tells = all.iter().any(|word| tells(&word));
        let is_of_time = !times.is_empty()
            && !is_expression
            && !words_of(&without_times(text, &times, false)).iter().any(|word| tells(&word));
        for word in all.iter().filter(|word| !is_of_time && (!any_tells || tells(word))) {
            let stem = texts.words.stem_text(&word.text);
            if !asked.iter().any(|(_, other)| *other == stem) {
                asked.push((word, stem));
            }
        }
        let own_count = asked.iter().filter(|(word, _)| !word.is_identifier).count();
        let mut words: Vec<AskedWord> = asked
            .into_iter()
            .filter_map(|(word, stem)| {
                let matches = if word.is_identifier {
                    // One that no text holds says no more than its words.
                    Some(forms_of(&stem, &texts.words)).filter(|forms| texts.hold(forms))?
                } else {
                    let asked = (&*word.text, &*stem);
                    neighbours.of(asked, &word.parts, &texts.words, texts.folds, embed)
                };
                let is_identifying = is_identifying(&word.text);
                Some(AskedWord { text: word.text.clone(), matches, is_identifying })
            })
            .collect();
        keep_rarest(&mut words, texts);
        Self {
            is_vague: own_count <= VAGUE,
            era: era(text, &times, local.unwrap_or_default()),
            words,
            vector: if is_of_time { None } else { CodedQuery::new(&sum) },
            times,
            is_of_time,
            sought: sought(text),
            asks_latest: own().any(|word| LATEST.binary_search(&&*word.text).is_ok()),
        }
    }
}

/// Returns a question without its times, which say when and not what. With `names`, what texts
/// write, too, stays: "May 2023", "weekend".
#[inline(never)]
fn without_times(text: &str, times: &[TimeExpression], names: bool) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    for time in times {
        rest.push_str(&text[at..time.span.start]);
        let expression = time.span.of(text);
        let mut from = 0;
        for span in if names { names_in(expression) } else { Vec::new() } {
            if span.start > from {
                rest.push(' ');
            }
            rest.push_str(span.of(expression));
            from = span.end;
        }
        rest.push(' ');
        at = time.span.end;
    }
    rest.push_str(&text[at..]);
    rest
}

/// Whether a text holds no word but those of its times, and a preposition in front.
#[inline(never)]
fn is_expression(text: &str, times: &[TimeExpression]) -> bool {
    let mut at = 0;
    for (place, time) in times.iter().enumerate() {
        let before = text[at..time.span.start].trim_matches(|c| !is_word(c));
        let leads = || PREPOSITIONS.iter().any(|word| word.eq_ignore_ascii_case(before));
        if !(before.is_empty() || place == 0 && leads()) {
            return false;
        }
        at = time.span.end;
    }
    at > 0 && !text[at..].contains(is_word)
}

/// Words before an expression of time that do not belong to it.
const PREPOSITIONS: [&str; 7] = ["am", "at", "during", "im", "in", "in the", "on"];

/// Returns the words and identifiers of a text, in order.
fn words_of(text: &str) -> Vec<ReadWord> {
    let mut words: Vec<ReadWord> = Vec::new();
    let mut read = 0;
    each_held(text, &mut String::new(), |name, held| match held {
        Held::Word | Held::Identifier => {
            read += 1;
            if read <= MAX_READ {
                words.push(ReadWord {
                    text: name.to_owned(),
                    is_identifier: held == Held::Identifier,
                    parts: Vec::new(),
                });
            }
        }
        _ if read > MAX_READ => {}
        Held::Stem | Held::Ideograph | Held::Bare | Held::Part => {
            if let Some(word) = words.last_mut() {
                word.parts.push((shown(name).to_owned(), held));
            }
        }
    });
    words
}

/// Whether a word is one of those by which things are told apart: it holds a mark, or letters and
/// digits.
fn is_identifying(word: &str) -> bool {
    !is_plain(word)
        || word.bytes().any(|byte| byte.is_ascii_digit())
            && word.bytes().any(|byte| byte.is_ascii_lowercase())
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
