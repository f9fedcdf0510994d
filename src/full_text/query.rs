//! A question's terms, the texts that hold them, and how much that says.
//!
//! The score of a text is the sum over the terms of idf · f · (k1 + 1) / (f + k1 · (1 − b + b ·
//! length / average length)), added up in the order of the terms, with f the number of times the
//! term stands in it. Every text that holds a term is looked at: how many they are, which idf
//! needs, is known for a word's beginning only by counting.

use super::postings::Slot;
use super::tokens::{Token, each_token};
use super::{GONE, NOWHERE, TextIndex, for_each_number};
use crate::columns::Row;
use crate::error::Result;
use crate::math::ln;
use crate::order::Selection;
use crate::text::is_stop_word;

/// Terms of a question that count.
pub const MOST_TERMS: usize = 32;
/// Terms of a question that are looked at to find so many that say something.
pub const TERMS_READ: usize = 2 * MOST_TERMS;
/// Words of one term that have to follow each other; more are not looked for.
const MOST_WORDS: usize = 32;
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// The idf of a term that half of all texts hold, or more.
const LEAST_IDF: f64 = 1e-6;

/// A text that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextHit {
    /// Its row.
    pub row: Row,
    /// Its score, above 0.
    pub score: f64,
}

/// A term as texts are cut: words that follow each other, of the last of which the beginning is
/// enough.
#[derive(Debug, PartialEq)]
struct Term {
    words: Vec<String>,
    says_nothing: bool,
}

/// Adds the term that stands in `words`, if there is one.
fn end_term(words: &mut Vec<String>, terms: &mut Vec<Term>) {
    let words = std::mem::take(words);
    if let [first, ..] = &words[..] {
        let says_nothing = words.len() == 1 && is_stop_word(first);
        terms.push(Term { words, says_nothing });
    }
}

/// The terms of a question: until [`MOST_TERMS`] that say something have been found, or
/// [`TERMS_READ`] looked at.
fn read(question: &[&str]) -> Vec<Term> {
    let mut terms = Vec::new();
    let mut token = String::new();
    let mut words = Vec::new();
    for term in &question[..question.len().min(TERMS_READ)] {
        each_token(term, &mut token, |piece, kind| match kind {
            _ if terms.len() >= TERMS_READ => {}
            Token::Word => {
                if words.len() < MOST_WORDS {
                    words.push(piece.to_owned());
                }
            }
            Token::Last { alone: false } => {}
            // Nobody says where words of such a script end: each pair is a term.
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

/// Scratch of a question, by slot.
#[derive(Debug, Default)]
pub(super) struct Tally {
    scores: Vec<f64>,
    /// How often the term at hand stands in a text, and which texts hold it.
    counts: Vec<u32>,
    holding: Vec<Slot>,
}

impl Tally {
    /// Has a place for so many slots.
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

/// What a term's occurrences weigh.
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
    /// The best `limit` texts that hold a term, best first, equal ones in their order; `among`
    /// leaves those of these rows alone. A term is found where a word begins with it; of one that
    /// is cut into several words, those have to follow each other. [`MOST_TERMS`] count. Terms that
    /// say nothing, or that half of all texts hold, are asked for where no other term is found.
    ///
    /// # Errors
    /// `out_of_memory` when there is no room to put so many in order.
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
        let telling = terms.iter().filter(|term| !term.says_nothing).take(MOST_TERMS);
        let mut found = false;
        for term in telling {
            found |= self.score(term, true);
        }
        if !found {
            for term in terms.iter().take(MOST_TERMS) {
                self.score(term, false);
            }
        }
        Ok(self.best(limit, among))
    }

    /// Adds what a term says to the scores; whether it was found. A term that half of all texts
    /// hold is passed over where only rare ones are asked for.
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
                    if lengths[slot as usize] != GONE {
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
            idf: if idf <= 0.0 { LEAST_IDF } else { idf },
            average_length: self.words as f64 / all,
        }
    }

    /// Adds what a word says that needs no counting.
    fn score_word(&mut self, code: u32) -> bool {
        let holding = self.postings[code as usize].documents as usize;
        let weight = self.weight(holding);
        let Self { postings, tally, lengths, .. } = self;
        postings[code as usize].for_each(|slot, times| {
            let length = lengths[slot as usize];
            if length != GONE {
                tally.scores[slot as usize] += weight.of(times, length);
            }
        });
        holding > 0
    }

    /// Adds what the counted occurrences say, unless they are passed over, and forgets them.
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

    /// Counts where words follow each other, of the last of which the beginning is told. The rarest
    /// of the others says which texts to look at.
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
            if lengths[slot as usize] == GONE {
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

    /// The best of the scores, which are forgotten.
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
            let score = if slot == NOWHERE { 0.0 } else { scores[slot as usize] };
            if score > 0.0 && wanted.as_ref().is_none_or(|wanted| wanted[row as usize]) {
                selection.offer(score, row);
            }
        }
        let hit = |&row: &Row| TextHit { row, score: scores[slots[row as usize] as usize] };
        let hits = selection.take().iter().map(hit).collect();
        scores.fill(0.0);
        hits
    }
}
