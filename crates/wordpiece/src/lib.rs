//! Words and word pieces of texts, as BERT's tokenizer without case finds them.
//!
//! [`normalised`] and [`words`] give the words of a text, and [`Pieces::cover`] the word pieces of a
//! word. They equal those of the library `tokenizers`.

mod characters;
mod pieces;
mod words;

pub use pieces::{Fault, MAX_CHARACTERS, Pieces};
pub use words::{Word, normalised, words};
