//! Forms of questions that name a thing and one of its attributes.
//!
//! *Two* stands for one or two runs of characters. The second run is taken if the rest still fits.

use crate::text::Span;
use crate::text::runs::{runs, skip_white_space, without_possessive};

/// A thing and its attribute that a question asks for.
#[derive(Clone, Copy)]
pub struct Pair {
    /// The thing.
    pub entity: Span,
    /// The attribute.
    pub attribute: Option<Span>,
}

/// Matches *two* `'s` and a run, from the first of these runs on.
pub fn possessive(text: &str, mut runs: impl Iterator<Item = Span>) -> Option<Pair> {
    let first = runs.next()?;
    let second = runs.next()?;
    if let (Some(end), Some(attribute)) = (without_possessive(text, second), runs.next()) {
        return Some(Pair {
            entity: Span { start: first.start, end: end.end },
            attribute: Some(attribute),
        });
    }
    let entity = without_possessive(text, first)?;
    Some(Pair { entity, attribute: Some(second) })
}

/// Matches the same form behind `what's` or `what is`, which ends at `end`.
pub fn after_what_is(text: &str, end: usize) -> Option<Pair> {
    let start = skip_white_space(text, end);
    if start == end { None } else { possessive(text, runs(text, start)) }
}
