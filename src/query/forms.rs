//! Forms of a question that name a thing and one of its attributes. *Two* stands for one or two runs
//! of characters, the second taken whenever the rest still fits.

use crate::text::Span;
use crate::text::runs::{runs, skip_white_space, without_possessive};

/// A thing, and what is asked of it.
#[derive(Clone, Copy)]
pub struct Pair {
    /// The thing.
    pub entity: Span,
    /// What is asked of it.
    pub attribute: Option<Span>,
}

/// *two* `'s` and a run, from here on.
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

/// `what's` or `what is` has ended here.
pub fn after_what_is(text: &str, end: usize) -> Option<Pair> {
    let start = skip_white_space(text, end);
    if start == end { None } else { possessive(text, runs(text, start)) }
}
