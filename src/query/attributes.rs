//! Attribute words of a configuration, such as `phone` and `size`, found as whole words.
//!
//! The built-in list is part of the table of all rules, and is matched inside words too, as Hynous
//! does: "avoid" holds "id". A list of one's own is matched as whole words.

use super::table::ATTRIBUTE_MARK;
use crate::automaton::{Automaton, MOST_STATES};
use crate::error::{Error, Result};
use crate::text::Span;
use crate::value::{Path, Value};

/// The most attribute words of a configuration.
const MOST_WORDS: usize = 1_000;

/// Attribute words in the order of their rank.
#[derive(Debug)]
pub struct AttributeWords {
    automaton: Automaton,
    lengths: Vec<usize>,
}

impl AttributeWords {
    /// Reads a list of words.
    pub(crate) fn read(value: &Value, path: &Path<'_>) -> Result<Self> {
        let mut words: Vec<String> = value.read(path)?;
        for word in &mut words {
            *word = word.trim().to_lowercase();
        }
        if words.iter().any(String::is_empty) {
            return Err(Error::config(*path, "must not hold an empty word"));
        }
        let length: usize = words.iter().map(String::len).sum();
        if words.len() > MOST_WORDS || length >= MOST_STATES {
            let problem = format!("must have at most {MOST_WORDS} entries, of 65,535 bytes in all");
            return Err(Error::config(*path, problem).found(words.len() as f64));
        }
        Ok(Self::new(&words))
    }

    fn new(words: &[String]) -> Self {
        Self {
            automaton: Automaton::new(words.iter().map(|word| (word.as_str(), ATTRIBUTE_MARK))),
            lengths: words.iter().map(String::len).collect(),
        }
    }

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
