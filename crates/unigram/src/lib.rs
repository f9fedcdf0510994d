//! Word pieces of texts by SentencePiece's unigram model, as XLM-RoBERTa's tokenizer finds them.
//!
//! [`Replacements::normalised`] and [`words`] give the words of a text, and [`Pieces::cover`] the
//! pieces of a word. They equal those of the library `tokenizers`.

mod pieces;
mod replacements;
mod words;

pub use pieces::{MAX_BYTES, Pieces, PiecesFault};
pub use replacements::{Replacements, ReplacementsFault};
pub use words::{SPACE, words};
