//! Where words and passages stand in a text, so that a page can mark them.
//!
//! # Idea
//!
//! The index keeps no texts. Whoever asks for places gives the text of the memory again. It is
//! split into words as it was when it was stored, this time with the place of each word.
//!
//! # Invariants
//!
//! - Places count UTF-16 units, as strings of JavaScript do.
//! - Spans of a word are in order and do not touch: pairs of characters that overlap are one span.

use serde::Serialize;

use super::texts::Text;
use crate::text::reading::{Held, each_held_in};

/// A part of a memory's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Field {
    /// Its title.
    Title,
    /// Its body.
    Text,
}

/// A stretch of a part of a text, in UTF-16 units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The part.
    pub field: Field,
    /// The first unit.
    pub start: u32,
    /// The unit after the last.
    pub end: u32,
}

impl Span {
    /// Returns a number that rises with the places of a memory.
    pub(super) fn place(self) -> f64 {
        let field = if self.field == Field::Title { 0.0 } else { f64::from(u32::MAX) };
        field + f64::from(self.start)
    }
}

/// Returns everything that a text holds, with its place, in order of places.
pub(super) fn held_in(text: &Text<'_>) -> Vec<(String, Held, Span)> {
    let mut all = Vec::new();
    for (field, part) in [(Field::Title, text.title), (Field::Text, text.body)] {
        let units = |from: usize, to: usize| part[from..to].encode_utf16().count() as u32;
        // Words begin one after the other, so that the text before each is counted once.
        let (mut byte, mut unit) = (0, 0);
        each_held_in(part, &mut String::new(), &mut |name, held, place| {
            let start = if place.start >= byte {
                unit += units(byte, place.start);
                byte = place.start;
                unit
            } else {
                unit - units(place.start, byte)
            };
            let span = Span { field, start, end: start + units(place.start, place.end) };
            all.push((name.to_owned(), held, span));
        });
    }
    all
}

/// Returns spans, which are in order, with those that touch made one.
pub(super) fn joined(spans: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut joined: Vec<Span> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if last.field == span.field && span.start <= last.end => {
                last.end = last.end.max(span.end);
            }
            _ => joined.push(span),
        }
    }
    joined
}

/// Returns the stretches of title and body from the first of some spans to the last.
pub(super) fn around(spans: &[Span]) -> Vec<Span> {
    let of = |field: Field| {
        let mut own = spans.iter().filter(move |span| span.field == field);
        let first = own.next()?;
        let end = own.next_back().unwrap_or(first).end;
        Some(Span { field, start: first.start, end })
    };
    [of(Field::Title), of(Field::Text)].into_iter().flatten().collect()
}
