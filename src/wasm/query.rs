//! Questions over text in the scratch. Places in a text cross in UTF-16 units, and JavaScript cuts
//! its own string with them, so that a lone surrogate, which is another character here, survives.

use wasm_bindgen::prelude::*;

use super::Engine;
use super::intent::matcher;
use super::layout::{
    CLASSIFIED, CLASSIFIED_ATTRIBUTE, CLASSIFIED_CONFIDENCE, CLASSIFIED_ENTITY_END,
    CLASSIFIED_ENTITY_START, CLASSIFIED_PATTERN, CLASSIFIED_TYPE, CONFIDENCE, CONFIDENCE_CLARITY,
    CONFIDENCE_DISTINCTNESS, CONFIDENCE_FLAGS, CONFIDENCE_LEVEL, CONFIDENCE_QUALITY,
    CONFIDENCE_SCORE, FATE_BUDGET, FATE_KEPT, FATE_NO_TITLE, FATE_NOTHING_BETTER, FATE_TO_SEARCH,
    FATE_UNDECIDED, NOTHING, PART, PART_LEAD, PART_REST, PIECE, PIECE_ATTRIBUTE, PIECE_END,
    PIECE_KIND, PIECE_NONE, PIECE_START, PIECE_SYMBOL, PIECE_TEXT, REFORMULATED_ENTITY,
    REFORMULATED_NOT, REFORMULATED_TEXT, SEARCHED_FAILED, SEARCHED_NO_TITLE, SEARCHED_NOT_YET,
    SPAN, SPAN_END, SPAN_START, TIME, TIME_END, TIME_GRAIN, TIME_SPAN, TIME_START,
    UNDERSTOOD_CLASSIFIED, UNDERSTOOD_INTENTS,
};
use crate::query::{
    self, Category, Classification, DecomposeOptions, Fate, Level, Part, Piece, Reformulation,
    Retrieved, Scored, TitleSearch,
};
use crate::search::{TermMode, terms};
use crate::text::{Span, lower_case};
use crate::times::{self, TimeExpression};

/// Converts places in a text from bytes to UTF-16 units; fastest if they rise.
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
        // Terms may overlap, so places may fall. Counting from the start each time would be
        // quadratic.
        if byte < self.byte {
            self.unit -= crate::text::units(&self.text[byte..self.byte]);
        } else {
            self.unit += crate::text::units(&self.text[self.byte..byte]);
        }
        self.byte = byte;
        self.unit
    }

    pub(super) fn span(&mut self, span: Span) -> [u32; SPAN] {
        let mut ends = [0; SPAN];
        ends[SPAN_START] = self.at(span.start) as u32;
        ends[SPAN_END] = self.at(span.end) as u32;
        ends
    }

    fn piece(&mut self, piece: Option<Piece>) -> [u32; PIECE] {
        let (kind, [start, end]) = match piece {
            None => (PIECE_NONE, [0, 0]),
            Some(Piece::Text(span)) => (PIECE_TEXT, self.span(span)),
            Some(Piece::Attribute(place)) => (PIECE_ATTRIBUTE, [place.into(), 0]),
            Some(Piece::Symbol(place)) => (PIECE_SYMBOL, [place.into(), 0]),
        };
        let mut numbers = [0; PIECE];
        numbers[PIECE_KIND] = kind;
        numbers[PIECE_START] = start;
        numbers[PIECE_END] = end;
        numbers
    }

    fn part(&mut self, part: &Part) -> [u32; PART] {
        let mut numbers = [0; PART];
        numbers[PART_LEAD..PART_LEAD + PIECE].copy_from_slice(&self.piece(part.lead));
        numbers[PART_REST..PART_REST + PIECE].copy_from_slice(&self.piece(Some(part.rest)));
        numbers
    }
}

#[wasm_bindgen]
impl Engine {
    /// Classifies the first `length` bytes. Writes a `CLASSIFIED` to the numbers.
    pub fn classify_query(&mut self, length: usize) {
        let classification = query::classify(self.scratch.text(0, length), &self.query);
        self.write_classification(length, &classification);
    }

    /// Understands the first `length` bytes. Writes an `UNDERSTOOD` to the numbers. Returns the
    /// count of parts, a `PART` each, and the spans of the terms in the text in lower case.
    pub fn understand(
        &mut self,
        length: usize,
        words: bool,
        max_parts: usize,
        by_subject: bool,
        unicode: bool,
    ) -> Vec<u32> {
        let text = self.scratch.text(0, length);
        let classification = query::classify(text, &self.query);
        let intents = self.intent.classify(text, matcher(words));
        let has_entity = classification.lookup.entity.is_some_and(|span| span.start < span.end);
        let category = classification.disqualifier.map(|it| it.category);
        let parts =
            query::decompose(text, category, has_entity, &self.parts(max_parts, by_subject));
        let lower = lower_case(text);
        let mode = if unicode { TermMode::Unicode } else { TermMode::Ascii };
        let terms = terms(&lower, mode);
        let mut answer = Vec::with_capacity(1 + parts.len() * PART + terms.len() * SPAN);
        answer.push(parts.len() as u32);
        let mut units = Units::new(text);
        answer.extend(parts.iter().flat_map(|part| units.part(part)));
        let mut units = Units::new(&lower);
        answer.extend(terms.iter().flat_map(|&term| units.span(term)));
        self.write_classification(length, &classification);
        self.scratch.numbers[UNDERSTOOD_INTENTS] = f64::from(intents.bits());
        answer
    }

    /// Returns the code of the era for which the first `length` bytes ask, and their expressions of
    /// time, relative to `now`, a `TIME` each.
    pub fn find_times(&self, length: usize, now: f64) -> Vec<f64> {
        let text = self.scratch.text(0, length);
        let mut units = Units::new(text);
        let record = |found: TimeExpression| {
            let mut numbers = [0.0; TIME];
            numbers[TIME_SPAN..TIME_SPAN + SPAN]
                .copy_from_slice(&units.span(found.span).map(f64::from));
            numbers[TIME_START] = found.start;
            numbers[TIME_END] = found.end;
            numbers[TIME_GRAIN] = f64::from(found.grain as u8);
            numbers
        };
        let found = times::find(text, now);
        let era = times::era(text, &found, now).code() as f64;
        std::iter::once(era).chain(found.into_iter().flat_map(record)).collect()
    }

    /// Returns the spans of the things that the first `length` bytes name.
    pub fn extract_query_entities(&self, length: usize) -> Vec<u32> {
        let text = self.scratch.text(0, length);
        let mut units = Units::new(text);
        query::extract_entities(text, &self.query)
            .into_iter()
            .flat_map(|span| units.span(span))
            .collect()
    }

    /// Returns the attribute that the first `length` bytes ask for, as a `PIECE`.
    pub fn extract_query_attribute(&self, length: usize) -> Vec<u32> {
        let text = self.scratch.text(0, length);
        Units::new(text).piece(query::extract_attribute(text)).into()
    }

    /// Returns the parts of the first `length` bytes, a question of the category at this place.
    pub fn decompose(
        &self,
        length: usize,
        category: usize,
        has_entity: bool,
        max_parts: usize,
        by_subject: bool,
    ) -> Vec<u32> {
        let text = self.scratch.text(0, length);
        let category = Category::ALL.get(category).copied();
        let parts =
            query::decompose(text, category, has_entity, &self.parts(max_parts, by_subject));
        let mut units = Units::new(text);
        parts.iter().flat_map(|part| units.part(part)).collect()
    }

    /// Reformulates the first `length` bytes, whose entity has `entity` UTF-16 units. Returns a
    /// code `REFORMULATED_…`; for a part of the text, writes its `SPAN` to the numbers.
    pub fn reformulate(&mut self, length: usize, entity: Option<usize>) -> u8 {
        let text = self.scratch.text(0, length);
        match query::reformulate(text, entity) {
            None => REFORMULATED_NOT,
            Some(Reformulation::Entity) => REFORMULATED_ENTITY,
            Some(Reformulation::Text(span)) => {
                let span = Units::new(text).span(span).map(f64::from);
                self.scratch.numbers[..SPAN].copy_from_slice(&span);
                REFORMULATED_TEXT
            }
        }
    }

    /// Writes a `CONFIDENCE` to the numbers.
    pub fn retrieval_confidence(
        &mut self,
        top: f64,
        second: Option<f64>,
        count: f64,
        has_attribute: bool,
    ) {
        let confidence = query::confidence(&Retrieved { top, second, count, has_attribute });
        let out = &mut self.scratch.numbers[..CONFIDENCE];
        out[CONFIDENCE_SCORE] = confidence.score;
        out[CONFIDENCE_LEVEL] = f64::from(confidence.level as u8);
        out[CONFIDENCE_QUALITY] = confidence.quality;
        out[CONFIDENCE_DISTINCTNESS] = confidence.distinctness;
        out[CONFIDENCE_CLARITY] = confidence.clarity;
        out[CONFIDENCE_FLAGS] = f64::from(confidence.flags);
    }

    /// Numbers: `count` codes of ids and as many scores of the selected; for each the count of
    /// results that the search for its title found, or a code `SEARCHED_…`; then `found` codes of
    /// ids and as many scores of all these results. Writes a fate for each selected to the numbers:
    /// the place of its replacement, or a code `FATE_…`.
    pub fn settle_weak(&mut self, count: usize, found: usize, floor: f64, budget: usize) {
        let scored = |ids: &[f64], scores: &[f64]| -> Vec<Scored> {
            ids.iter().zip(scores).map(|(&id, &score)| Scored { id: id as u32, score }).collect()
        };
        let (ids, rest) = self.scratch.numbers.split_at(count);
        let (scores, rest) = rest.split_at(count);
        let (searched, rest) = rest.split_at(count);
        let found = scored(&rest[..found], &rest[found..2 * found]);
        let mut rest = &found[..];
        let mut search = |searched: f64| match searched {
            SEARCHED_NO_TITLE => TitleSearch::NoTitle,
            SEARCHED_NOT_YET => TitleSearch::NotYet,
            SEARCHED_FAILED => TitleSearch::Failed,
            many => {
                let (mine, others) = rest.split_at(many as usize);
                rest = others;
                TitleSearch::Found(mine)
            }
        };
        let searches: Vec<TitleSearch<'_>> =
            searched.iter().map(|&searched| search(searched)).collect();
        let fates = query::settle_weak(&scored(ids, scores), &searches, floor, budget);
        for (number, fate) in self.scratch.numbers.iter_mut().zip(fates) {
            *number = match fate {
                Fate::Replaced(place) => place as f64,
                Fate::Kept => FATE_KEPT,
                Fate::NothingBetter => FATE_NOTHING_BETTER,
                Fate::NoTitle => FATE_NO_TITLE,
                Fate::Budget => FATE_BUDGET,
                Fate::ToSearch => FATE_TO_SEARCH,
                Fate::Undecided => FATE_UNDECIDED,
            };
        }
    }
}

impl Engine {
    fn parts(&self, max_parts: usize, by_subject: bool) -> DecomposeOptions<'_> {
        DecomposeOptions { max_parts, subjects: by_subject.then_some(&self.known_symbols[..]) }
    }

    fn write_classification(&mut self, length: usize, classification: &Classification) {
        let mut units = Units::new(self.scratch.text(0, length));
        let lookup = &classification.lookup;
        let entity = lookup.entity.map(|span| units.span(span).map(f64::from));
        let [start, end] = entity.unwrap_or([NOTHING; SPAN]);
        let attribute = units.piece(lookup.attribute).map(f64::from);
        let rank = classification.disqualifier.map_or(NOTHING, |it| f64::from(it.rank));
        let out = &mut self.scratch.numbers[UNDERSTOOD_CLASSIFIED..][..CLASSIFIED];
        out[CLASSIFIED_PATTERN] = rank;
        out[CLASSIFIED_TYPE] = f64::from(lookup.query_type as u8);
        out[CLASSIFIED_CONFIDENCE] = lookup.confidence;
        out[CLASSIFIED_ENTITY_START] = start;
        out[CLASSIFIED_ENTITY_END] = end;
        out[CLASSIFIED_ATTRIBUTE..].copy_from_slice(&attribute);
    }
}

/// The code of a score's level.
#[wasm_bindgen]
pub fn confidence_level(score: f64) -> u8 {
    Level::of(score) as u8
}
