//! Finds the first known symbol in a text.

use crate::automaton::Automaton;
use crate::text::is_ascii_word;

/// Finds known symbols in one pass over a text, for any number of symbols.
#[derive(Debug)]
pub struct SymbolFinder {
    automaton: Automaton,
    lengths: Vec<usize>,
}

impl SymbolFinder {
    /// Creates a finder of symbols that begin and end with an ASCII letter, a digit or `_`, as a
    /// configuration ensures.
    pub fn new(symbols: &[String]) -> Self {
        let lower: Vec<String> = symbols.iter().map(|symbol| symbol.to_ascii_lowercase()).collect();
        Self {
            automaton: Automaton::new(lower.iter().map(|symbol| (symbol.as_str(), 1))),
            lengths: lower.iter().map(String::len).collect(),
        }
    }

    /// Returns the place of the symbol that occurs first in a text as a whole word, in any case of
    /// ASCII. Of symbols that begin at one place, the first of the list wins.
    pub fn first(&self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut first: Option<(usize, usize)> = None;
        self.automaton.occurrences(bytes, |place, end| {
            let start = end - self.lengths[place];
            let begins = || start == 0 || !is_ascii_word(bytes[start - 1]);
            let ends = || bytes.get(end).is_none_or(|&byte| !is_ascii_word(byte));
            if first.is_none_or(|first| (start, place) < first) && begins() && ends() {
                first = Some((start, place));
            }
        });
        first.map(|(_, place)| place)
    }
}
