//! Reformulates a question after a poor answer.

use crate::text::runs::{skip_white_space, trim};
use crate::text::{Span, units};

/// The text to ask instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reformulation {
    /// This span of the question.
    Text(Span),
    /// The entity of the question.
    Entity,
}

/// Question words, and the words that may follow them.
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

/// The least length of the remaining question, in UTF-16 units.
const SHORTEST: usize = 3;
/// The least length of an entity, in UTF-16 units.
const SHORTEST_ENTITY: usize = 2;

/// Returns the question without its opening phrase and its final punctuation, if enough is left and
/// something was removed. Otherwise returns the entity, whose length in UTF-16 units is `entity`.
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

/// Returns the end of the longest phrase that opens the question and of the white space that must
/// follow it.
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
