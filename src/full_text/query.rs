//! Answers a query: finds the texts of its terms and scores them.
//!
//! The score of a text is the sum over the terms of idf · f · (k1 + 1) / (f + k1 · (1 − b + b ·
//! length / average length)), added in the order of the terms. f is the number of occurrences of
//! the term in the text. Every text that holds a term is read: idf needs their number, which for a
//! prefix is only known by counting.

use super::{NO_SLOT, REMOVED, TextIndex, for_each_number};
use crate::columns::Row;
use crate::error::Result;
use crate::math::ln;
use crate::order::Selection;
use crate::postings::Slot;
use crate::text::is_stop_word;
use crate::text::tokens::{Token, each_token};

/// The most terms of a query that count.
pub const MAX_TERMS: usize = 32;
/// The most terms of a query that are read to find terms that count.
pub const TERMS_READ: usize = 2 * MAX_TERMS;
/// The most words of a term that are matched as a phrase.
const MAX_WORDS: usize = 32;
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// The idf of a term in half of all texts or more.
const MIN_IDF: f64 = 1e-6;

/// A text that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextHit {
    /// Its row.
    pub row: Row,
    /// Its score, above 0.
    pub score: f64,
}

/// A term, tokenized like a text: a phrase of words, of which the last is a prefix.
#[derive(Debug, PartialEq)]
struct Term {
    words: Vec<String>,
    is_stop_word: bool,
}

/// Adds the term in `words`, if there is one.
fn end_term(words: &mut Vec<String>, terms: &mut Vec<Term>) {
    let words = std::mem::take(words);
    if let [first, ..] = &words[..] {
        let is_stop_word = words.len() == 1 && is_stop_word(first);
        terms.push(Term { words, is_stop_word });
    }
}

/// Reads the terms of a query until [`MAX_TERMS`] that are not stop words are found, or
/// [`TERMS_READ`] are read.
fn read(question: &[&str]) -> Vec<Term> {
    let mut terms = Vec::new();
    let mut token = String::new();
    let mut words = Vec::new();
    for term in &question[..question.len().min(TERMS_READ)] {
        each_token(term, &mut token, |piece, kind| match kind {
            _ if terms.len() >= TERMS_READ => {}
            Token::Word => {
                if words.len() < MAX_WORDS {
                    words.push(piece.to_owned());
                }
            }
            Token::Last { alone: false } => {}
            // Such scripts do not mark word boundaries, so each pair is a term.
            Token::Pair | Token::Last { alone: true } => {
                end_term(&mut words, &mut terms);
                words.push(piece.to_owned());
                end_term(&mut words, &mut terms);
            }
        });
        end_term(&mut words, &mut terms);
    }
    terms
}

/// Scratch of a query, by slot.
#[derive(Debug, Default)]
pub(super) struct Tally {
    scores: Vec<f64>,
    /// The occurrences of the current term in each text, and the texts that hold it.
    counts: Vec<u32>,
    holding: Vec<Slot>,
}

impl Tally {
    /// Makes room for `slots` slots.
    pub fn reach(&mut self, slots: usize) {
        self.scores.resize(slots, 0.0);
        self.counts.resize(slots, 0);
        self.holding.reserve(slots);
    }

    #[inline(always)]
    fn count(&mut self, slot: Slot, times: u32) {
        let count = &mut self.counts[slot as usize];
        if *count == 0 {
            self.holding.push(slot);
        }
        *count += times;
    }
}

/// The BM25 weight of a term's occurrences.
struct Weight {
    idf: f64,
    average_length: f64,
}

impl Weight {
    #[inline(always)]
    fn of(&self, times: u32, length: u32) -> f64 {
        let f = f64::from(times);
        self.idf
            * ((f * (K1 + 1.0))
                / (f + K1 * (1.0 - B + B * f64::from(length) / self.average_length)))
    }
}

impl TextIndex {
    /// Returns the `limit` best texts that hold a term, best first. Equal ones keep their order.
    /// With `among` only texts of these rows count.
    ///
    /// A term matches words that begin with it. A term of several words matches them as a phrase.
    /// At most [`MAX_TERMS`] terms count. Stop words and terms in at least half of all texts count
    /// only if no other term is found.
    ///
    /// # Errors
    /// `out_of_memory` if there is no room to sort the results.
    pub fn search(
        &mut self,
        question: &[&str],
        limit: usize,
        among: Option<&[Row]>,
    ) -> Result<Vec<TextHit>> {
        let limit = limit.min(self.documents);
        let wanted = among.map_or(0, |_| self.slots.len());
        self.afford_for_now(
            "limit",
            Selection::need(limit, self.documents) + limit * size_of::<TextHit>() + wanted,
        )?;
        self.vocabulary.settle();
        let terms = read(question);
        let counting = terms.iter().filter(|term| !term.is_stop_word).take(MAX_TERMS);
        let mut found = false;
        for term in counting {
            found |= self.score(term, true);
        }
        if !found {
            for term in terms.iter().take(MAX_TERMS) {
                self.score(term, false);
            }
        }
        Ok(self.best(limit, among))
    }

    /// Adds the scores of a term. Returns whether it was found. With `rare`, a term in at least
    /// half of all texts is skipped.
    fn score(&mut self, term: &Term, rare: bool) -> bool {
        let [before @ .., last] = &term.words[..] else { return false };
        let is_common = |holding: usize| rare && 2 * holding >= self.documents;
        if before.is_empty() {
            let words = self.vocabulary.beginning_with(last);
            if words.iter().any(|&code| is_common(self.postings[code as usize].documents as usize))
            {
                return false;
            }
            if let &[code] = words {
                return self.score_word(code);
            }
            let Self { postings, tally, lengths, .. } = self;
            for &code in words {
                postings[code as usize].for_each(|slot, times| {
                    if lengths[slot as usize] != REMOVED {
                        tally.count(slot, times);
                    }
                });
            }
        } else {
            self.count_phrase(before, last);
        }
        let is_common = rare && 2 * self.tally.holding.len() >= self.documents;
        self.score_counted(is_common)
    }

    fn weight(&self, holding: usize) -> Weight {
        let (all, holding) = (self.documents as f64, holding as f64);
        let idf = ln((all - holding + 0.5) / (holding + 0.5));
        Weight {
            idf: if idf <= 0.0 { MIN_IDF } else { idf },
            average_length: self.words as f64 / all,
        }
    }

    /// Adds the scores of a single word, which needs no counting.
    fn score_word(&mut self, code: u32) -> bool {
        let holding = self.postings[code as usize].documents as usize;
        let weight = self.weight(holding);
        let Self { postings, tally, lengths, .. } = self;
        postings[code as usize].for_each(|slot, times| {
            let length = lengths[slot as usize];
            if length != REMOVED {
                tally.scores[slot as usize] += weight.of(times, length);
            }
        });
        holding > 0
    }

    /// Adds the scores of the counted occurrences, unless they are skipped, and clears the counts.
    fn score_counted(&mut self, passed_over: bool) -> bool {
        let weight = self.weight(self.tally.holding.len());
        let Self { tally: Tally { scores, counts, holding }, lengths, .. } = self;
        let found = !passed_over && !holding.is_empty();
        for slot in holding.drain(..) {
            let times = std::mem::take(&mut counts[slot as usize]);
            if found {
                scores[slot as usize] += weight.of(times, lengths[slot as usize]);
            }
        }
        found
    }

    /// Counts the occurrences of a phrase whose last word is a prefix. The rarest of the other
    /// words selects the texts to read.
    fn count_phrase(&mut self, before: &[String], last: &str) {
        let names = &self.vocabulary.names;
        let codes: Option<Vec<u32>> = before.iter().map(|word| names.code(word)).collect();
        let Some(codes) = codes else { return };
        let Some(&rarest) =
            codes.iter().min_by_key(|&&code| self.postings[code as usize].documents)
        else {
            return;
        };
        // In sequences codes are one higher.
        let phrase: Vec<u32> = codes.iter().map(|code| code + 1).collect();
        let Self { postings, tally, lengths, sequences, .. } = self;
        let mut sequence = Vec::new();
        postings[rarest as usize].for_each(|slot, _| {
            if lengths[slot as usize] == REMOVED {
                return;
            }
            sequence.clear();
            for_each_number(&sequences[slot as usize], |number| sequence.push(number));
            let follows = |window: &&[u32]| {
                let [start @ .., end] = window else { return false };
                start == phrase
                    && end.checked_sub(1).is_some_and(|code| names.text(code).starts_with(last))
            };
            let times = sequence.windows(phrase.len() + 1).filter(follows).count();
            if times > 0 {
                tally.count(slot, times as u32);
            }
        });
    }

    /// Returns the best of the scores and clears them.
    fn best(&mut self, limit: usize, among: Option<&[Row]>) -> Vec<TextHit> {
        let Self { tally: Tally { scores, .. }, selection, slots, documents, .. } = self;
        let wanted = among.map(|among| {
            let mut wanted = vec![false; slots.len()];
            for &row in among {
                if let Some(wanted) = wanted.get_mut(row as usize) {
                    *wanted = true;
                }
            }
            wanted
        });
        selection.clear(limit, *documents);
        for (&slot, row) in slots.iter().zip(0..) {
            let score = if slot == NO_SLOT { 0.0 } else { scores[slot as usize] };
            if score > 0.0 && wanted.as_ref().is_none_or(|wanted| wanted[row as usize]) {
                selection.offer(score, row);
            }
        }
        scores.fill(0.0);
        selection.take_scored().into_iter().map(|(score, row)| TextHit { row, score }).collect()
    }
}
