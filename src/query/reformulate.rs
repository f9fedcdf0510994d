//! Asking again in other words, after a poor answer.

use crate::text::runs::{skip_white_space, trim};
use crate::text::{Span, units};

/// What to ask instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reformulation {
    /// This part of the question.
    Text(Span),
    /// The thing that it asks about.
    Entity,
}

/// Question words, and what may follow them.
const PHRASES: [(&[&str], &[&str]); 4] = [
    (
        &["what", "how", "why", "when", "where"],
        &["'s", " is", " are", " was", " were", " do", " does", " did", ""],
    ),
    (&["how much", "how many"], &[""]),
    (&["who"], &["'s", " is", " are", " was", " were", ""]),
    (
        &[
            "can you",
            "could you",
            "do you",
            "tell me about",
            "show me",
            "is there",
            "are there",
            "did",
            "does",
            "has",
            "have",
        ],
        &[""],
    ),
];

/// What is left has at least so many UTF-16 units.
const SHORTEST: usize = 3;
/// So has an entity.
const SHORTEST_ENTITY: usize = 2;

/// The question without the phrase it opens with and the marks it ends in, where enough is left and
/// something was taken; else the entity, of which the length in UTF-16 units is told.
pub fn reformulate(text: &str, entity: Option<usize>) -> Option<Reformulation> {
    let start = opening(text);
    let trimmed = trim(text, Span { start, end: text.len() });
    let end = trimmed.start + trimmed.of(text).trim_end_matches('?').len();
    let left = trim(text, Span { start: trimmed.start, end });
    let changed = left.start > 0 || left.end < text.len();
    if changed && units(left.of(text)) >= SHORTEST {
        return Some(Reformulation::Text(left));
    }
    entity.filter(|&units| units >= SHORTEST_ENTITY).map(|_| Reformulation::Entity)
}

/// Where the longest phrase that the question opens with, and the white space that must follow it,
/// end.
fn opening(text: &str) -> usize {
    let mut longest = 0;
    for (words, endings) in PHRASES {
        for (word, ending) in
            words.iter().flat_map(|word| endings.iter().map(move |ending| (word, ending)))
        {
            let end = word.len() + ending.len();
            let is_here = |from: usize, what: &str| {
                text.as_bytes()
                    .get(from..from + what.len())
                    .is_some_and(|here| here.eq_ignore_ascii_case(what.as_bytes()))
            };
            if is_here(0, word) && is_here(word.len(), ending) {
                let after = skip_white_space(text, end);
                if after > end {
                    longest = longest.max(after);
                }
            }
        }
    }
    longest
}
