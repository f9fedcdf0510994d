//! Attribute words of a configuration, such as `phone` and `size`, found as whole words.
//!
//! The built-in list is part of the table of all rules, and is matched inside words too, as Hynous
//! does: "avoid" holds "id". A list of one's own is matched as whole words.

use std::sync::Arc;

use serde::de::{Deserializer, Error as _};

use super::table::ATTRIBUTE_MARK;
use crate::automaton::{Automaton, read_sought};
use crate::text::{Span, lower_case};

/// Attribute words in the order of their rank.
#[derive(Debug)]
pub struct AttributeWords {
    automaton: Automaton,
    lengths: Vec<usize>,
}

/// Reads a list of words.
pub(super) fn read<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Arc<AttributeWords>>, D::Error> {
    let words = read_sought(deserializer)?;
    if words.iter().any(|word| word.trim() != word || word.is_empty()) {
        return Err(D::Error::custom("must hold words without white space around them"));
    }
    let words: Vec<_> = words.iter().map(|word| lower_case(word)).collect();
    Ok(Some(Arc::new(AttributeWords {
        automaton: Automaton::new(words.iter().map(|word| (&**word, ATTRIBUTE_MARK))),
        lengths: words.iter().map(|word| word.len()).collect(),
    })))
}

impl AttributeWords {
    /// Returns where a text names an attribute: the first word of the list that it holds, where it
    /// occurs first.
    pub(super) fn first(&self, text: &str) -> Option<Span> {
        let mut best: Option<(usize, Span)> = None;
        self.automaton.occurrences(text.as_bytes(), |place, end| {
            let span = Span { start: end - self.lengths[place], end };
            let begins = !text[..span.start].ends_with(char::is_alphanumeric);
            let ends = !text[span.end..].starts_with(char::is_alphanumeric);
            if begins && ends && best.is_none_or(|(before, _)| place < before) {
                best = Some((place, span));
            }
        });
        best.map(|(_, span)| span)
    }
}
