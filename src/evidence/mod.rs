//! Evidence: which memories answer a question, and why.
//!
//! # Idea
//!
//! Every memory gets a number for each kind of evidence: words in common with the question, words
//! that are near, meaning, the memories around it, its time, its section. The score is a weighted
//! sum. The weights were fitted on questions with known answers, so that the sum becomes the
//! probability that the memory answers.
//!
//! A memory is looked at as a whole and by its best passage: a run of sentences of about forty
//! words. Without passages, long memories win because they hold many words.
//!
//! | file | subject |
//! |---|---|
//! | `words`, `passages`, `texts` | the index: vocabulary, passages, memories |
//! | `vectors` | vectors as whole numbers |
//! | `neighbours`, `question`, `function_words` | what a question asks, and the words that it stands for |
//! | `meaning` | what embeddings say, and how much it counts |
//! | `collect`, `bounds` | the evidence of every memory, and what its sum cannot exceed |
//! | `runs`, `windows` | memories that were made one after the other, and what they hold together |
//! | `snapshot` | the index as bytes |
//! | `likeness` | how alike two memories are |
//! | `spans` | the places of words and passages in a text |
//! | `traits` | what a memory is like |
//! | `weights`, `fitted` | the kinds of evidence and their weights |
//! | `learning` | weights of traits that follow use |
//!
//! # Invariants
//!
//! - There is one source of evidence: [`Evidence::values`]. Ranking, explanation and the fit read
//!   it.
//! - Sums are added in a fixed order, so that results have the same bits on every platform.
//!
//! # Cost
//!
//! Walking the postings of each word and its neighbours, one pass over the vectors of all passages,
//! and one over all memories.

mod bounds;
mod collect;
pub(crate) mod config;
mod fitted;
mod flags;
mod function_words;
mod learning;
mod likeness;
mod meaning;
mod neighbours;
mod passages;
mod question;
mod runs;
mod snapshot;
mod spans;
mod texts;
mod traits;
mod vectors;
mod weights;
mod windows;
mod words;

pub use bounds::Bounds;
pub use collect::{Asked, BestPassage, Circumstances, Evidence, MatchedWord, OfMeaning};
pub use config::Preset;
pub use fitted::{ANSWERABLE, GENERAL, GENERAL_EMBEDDED, TRADING, TRADING_EMBEDDED};
pub use learning::{Learned, MAX_LEARNED, Shown, trait_names};
pub use meaning::EmbeddingScale;
pub use question::Question;
pub use snapshot::{RestoringTexts, TEXT_VERSION, TextCounts, TextSnapshot};
pub use spans::{Field, Span};
pub use texts::{Moment, ParsedTexts, Text, Texts};
pub use traits::{TraitColumn, Traits};
pub use weights::{Fit, Fits, KINDS, NAMES, Odds, OfQuestion, TRAITS, Values};
pub use words::{Embed, Stemming, WordOptions};
