//! Questions over text in the scratch. Places in a text cross in UTF-16 units, so that JavaScript
//! cuts its own string: a lone surrogate, which arrives here as another character, stays what it
//! is.

use wasm_bindgen::prelude::*;

use super::Engine;
use super::intent::matcher;
use crate::query::{
    self, Category, Classification, DecomposeOptions, Fate, Level, Part, Piece, Reformulation,
    Retrieved, Scored, TitleSearch,
};
use crate::search::{TermMode, terms};
use crate::text::{Span, lower_case};

/// Stands where nothing was found.
const NONE: f64 = -1.0;
/// Numbers that tell of a classification: rank of the pattern, type, confidence, the entity's ends,
/// the attribute.
const CLASSIFIED: usize = 8;
/// Numbers that tell of a part: two pieces, the first of which may be missing.
const PART: usize = 6;

/// Converts places in a text, quickest when they rise.
pub(super) struct Units<'a> {
    text: &'a str,
    is_ascii: bool,
    byte: usize,
    unit: usize,
}

impl<'a> Units<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, is_ascii: text.is_ascii(), byte: 0, unit: 0 }
    }

    pub(super) fn at(&mut self, byte: usize) -> usize {
        if self.is_ascii {
            return byte;
        }
        // Terms may overlap. Counting from the start of the text each time would be quadratic.
        if byte < self.byte {
            self.unit -= crate::text::units(&self.text[byte..self.byte]);
        } else {
            self.unit += crate::text::units(&self.text[self.byte..byte]);
        }
        self.byte = byte;
        self.unit
    }

    pub(super) fn span(&mut self, span: Span) -> [u32; 2] {
        [self.at(span.start) as u32, self.at(span.end) as u32]
    }

    /// Kind and place: 0 nothing, 1 a stretch of the text, 2 an attribute word, 3 a symbol.
    fn piece(&mut self, piece: Option<Piece>) -> [u32; 3] {
        match piece {
            None => [0, 0, 0],
            Some(Piece::Text(span)) => {
                let [start, end] = self.span(span);
                [1, start, end]
            }
            Some(Piece::Attribute(place)) => [2, u32::from(place), 0],
            Some(Piece::Symbol(place)) => [3, u32::from(place), 0],
        }
    }

    fn part(&mut self, part: &Part) -> [u32; PART] {
        let ([a, b, c], [d, e, f]) = (self.piece(part.lead), self.piece(Some(part.rest)));
        [a, b, c, d, e, f]
    }
}

#[wasm_bindgen]
impl Engine {
    /// Numbers get what the first `length` bytes are: see [`CLASSIFIED`].
    pub fn classify_query(&mut self, length: usize) {
        let classification = query::classify(self.text(0, length));
        self.tell(length, &classification);
    }

    /// Everything about the first `length` bytes. Numbers get the classification, and after it the
    /// intents, one bit each; the answer holds the number of parts, the parts, and the ends of the
    /// terms in the text in lower case.
    pub fn understand(
        &mut self,
        length: usize,
        words: bool,
        max_parts: usize,
        by_subject: bool,
        unicode: bool,
    ) -> Vec<u32> {
        let text = self.text(0, length);
        let classification = query::classify(text);
        let intents = self.intent.classify(text, matcher(words));
        let has_entity = classification.lookup.entity.is_some_and(|span| span.start < span.end);
        let category = classification.disqualifier.map(|it| it.category);
        let parts =
            query::decompose(text, category, has_entity, &self.parts(max_parts, by_subject));
        let lower = lower_case(text);
        let mode = if unicode { TermMode::Unicode } else { TermMode::Ascii };
        let terms = terms(&lower, mode);
        let mut told = Vec::with_capacity(1 + parts.len() * PART + terms.len() * 2);
        told.push(parts.len() as u32);
        let mut units = Units::new(text);
        told.extend(parts.iter().flat_map(|part| units.part(part)));
        let mut units = Units::new(&lower);
        told.extend(terms.iter().flat_map(|&term| units.span(term)));
        self.tell(length, &classification);
        self.numbers[CLASSIFIED] = f64::from(intents.bits());
        told
    }

    /// The ends of the things that the first `length` bytes name.
    pub fn extract_query_entities(&self, length: usize) -> Vec<u32> {
        let text = self.text(0, length);
        let mut units = Units::new(text);
        query::extract_entities(text, self.query)
            .into_iter()
            .flat_map(|span| units.span(span))
            .collect()
    }

    /// The piece of the first `length` bytes that is asked of something.
    pub fn extract_query_attribute(&self, length: usize) -> Vec<u32> {
        let text = self.text(0, length);
        Units::new(text).piece(query::extract_attribute(text)).into()
    }

    /// The parts of the first `length` bytes, a question of the category that has this place.
    pub fn decompose(
        &self,
        length: usize,
        category: usize,
        has_entity: bool,
        max_parts: usize,
        by_subject: bool,
    ) -> Vec<u32> {
        let text = self.text(0, length);
        let category = Category::ALL.get(category).copied();
        let parts =
            query::decompose(text, category, has_entity, &self.parts(max_parts, by_subject));
        let mut units = Units::new(text);
        parts.iter().flat_map(|part| units.part(part)).collect()
    }

    /// What to ask in place of the first `length` bytes: 0 nothing, 1 a part of them, whose ends
    /// the numbers get, 2 the entity, of so many UTF-16 units.
    pub fn reformulate(&mut self, length: usize, entity: Option<usize>) -> u8 {
        let text = self.text(0, length);
        match query::reformulate(text, entity) {
            None => 0,
            Some(Reformulation::Entity) => 2,
            Some(Reformulation::Text(span)) => {
                let [start, end] = Units::new(text).span(span);
                self.numbers[..2].copy_from_slice(&[f64::from(start), f64::from(end)]);
                1
            }
        }
    }

    /// Numbers get score, level, quality, distinctness, clarity and flags.
    pub fn retrieval_confidence(
        &mut self,
        top: f64,
        second: Option<f64>,
        count: f64,
        has_attribute: bool,
    ) {
        let told = query::confidence(&Retrieved { top, second, count, has_attribute });
        let level = f64::from(told.level as u8);
        let told = [
            told.score,
            level,
            told.quality,
            told.distinctness,
            told.clarity,
            f64::from(told.flags),
        ];
        self.numbers[..told.len()].copy_from_slice(&told);
    }

    /// Numbers: `count` ids and scores of what is selected; for each how many were found by its
    /// title, −1 for no title, −2 for not searched yet, −3 for a search that failed; then the
    /// `found` ids and scores of all that was found. They get a fate for each: the place of what
    /// replaces it, else −1 kept, −2 nothing better, −3 no title, −4 budget, −5 to search, −6
    /// undecided.
    pub fn settle_weak(&mut self, count: usize, found: usize, floor: f64, budget: usize) {
        let scored = |ids: &[f64], scores: &[f64]| -> Vec<Scored> {
            ids.iter().zip(scores).map(|(&id, &score)| Scored { id: id as u32, score }).collect()
        };
        let (ids, rest) = self.numbers.split_at(count);
        let (scores, rest) = rest.split_at(count);
        let (searched, rest) = rest.split_at(count);
        let found = scored(&rest[..found], &rest[found..2 * found]);
        let mut rest = &found[..];
        let mut search = |searched: f64| match searched {
            -1.0 => TitleSearch::NoTitle,
            -2.0 => TitleSearch::NotYet,
            -3.0 => TitleSearch::Failed,
            many => {
                let (mine, others) = rest.split_at(many as usize);
                rest = others;
                TitleSearch::Found(mine)
            }
        };
        let searches: Vec<TitleSearch<'_>> =
            searched.iter().map(|&searched| search(searched)).collect();
        let fates = query::settle_weak(&scored(ids, scores), &searches, floor, budget);
        for (number, fate) in self.numbers.iter_mut().zip(fates) {
            *number = match fate {
                Fate::Replaced(place) => place as f64,
                Fate::Kept => -1.0,
                Fate::NothingBetter => -2.0,
                Fate::NoTitle => -3.0,
                Fate::Budget => -4.0,
                Fate::ToSearch => -5.0,
                Fate::Undecided => -6.0,
            };
        }
    }
}

impl Engine {
    fn parts(&self, max_parts: usize, by_subject: bool) -> DecomposeOptions<'_> {
        DecomposeOptions { max_parts, subjects: by_subject.then_some(&self.known_symbols[..]) }
    }

    fn tell(&mut self, length: usize, classification: &Classification) {
        let mut units = Units::new(self.text(0, length));
        let lookup = &classification.lookup;
        let [start, end] = lookup.entity.map_or([NONE; 2], |span| units.span(span).map(f64::from));
        let [kind, a, b] = units.piece(lookup.attribute).map(f64::from);
        let rank = classification.disqualifier.map_or(NONE, |it| f64::from(it.rank));
        let query_type = f64::from(lookup.query_type as u8);
        self.numbers[..CLASSIFIED].copy_from_slice(&[
            rank,
            query_type,
            lookup.confidence,
            start,
            end,
            kind,
            a,
            b,
        ]);
    }
}

/// The place of a score's level among the names of all.
#[wasm_bindgen]
pub fn confidence_level(score: f64) -> u8 {
    Level::of(score) as u8
}
