//! Vectors of words and texts from a table of tokens: embeddings without a network at run time.
//!
//! A [`TokenTable`] holds a vector for each token, that is a word or a piece of one. The vector of
//! a text is the sum of the vectors of its tokens, divided by its length. Such a table is distilled
//! from a sentence transformer; the package `nous-embedder` ships two.
//!
//! Tokens are those of BERT without case: [`normalised`] and [`words`] give the words of a text,
//! and [`TokenTable::pieces`] the tokens of a word. They equal those of the library `tokenizers`.

mod table;

use std::borrow::Cow;

pub use nous_wordpiece::{Word, words};
pub use table::{TokenTable, WordsOfText};

/// Returns a text in lower case, decomposed (NFD), and without controls and combining marks.
///
/// ```
/// use nous_wasm::embed::normalised;
/// assert_eq!(normalised("Café ΣΑΣ"), "cafe σασ");
/// ```
pub fn normalised(text: &str) -> Cow<'_, str> {
    nous_wordpiece::normalised(text, crate::host::decomposed_lower_case)
}
