//! Sectioned memory for AI agents: ranking, decay, intent, merging and search of memories.
//!
//! The subtype of a memory decides its [`Section`]. The section decides the ranking weights of the
//! memory, its decay and its initial stability. It never hides a memory. Each module can be used
//! alone:
//!
//! | module | subject |
//! |---|---|
//! | [`section`] | The sections, their profiles, and the section of each subtype. |
//! | [`signal`] | The six signals of a candidate. |
//! | [`rerank`] | Scores candidates by their signals and sorts them. |
//! | [`decay`] | The exponential decay of retrievability, and the growth of stability on recall. |
//! | [`fsrs`] | The FSRS-6 model of decay and growth. |
//! | [`playbook`] | Finds the playbooks that an anomaly triggers, and updates them after a trade. |
//! | [`salience`] | Computes the salience and the initial stability of a memory. |
//! | [`intent`] | Finds the sections that a question asks for. |
//! | [`query`] | Classifies and splits questions, and rates the confidence of answers. |
//! | [`times`] | Finds expressions of time in questions and memories. |
//! | [`merge`] | Merges the results of several sub-queries into one selection. |
//! | [`context`] | Plans retrieval for a turn of conversation, and writes prompts within budgets. |
//! | [`consolidate`] | Groups episodes and finds patterns in trades. |
//! | [`evidence`] | The evidence that a memory answers a question, and its weights. |
//! | [`full_text`] | An index of words with BM25 scores. |
//! | [`pattern`] | Patterns of users, matched in linear time. |
//! | [`embed`] | Vectors of words and texts from a table of tokens. |
//! | [`search`] | Seeds, spreading activation and the search settings. |
//! | [`columns`] | The storage of the memory index: nodes, names, edges, embeddings. |
//! | [`memory`] | The memory index: stores, searches, decays, explains and saves memories. |
//! | [`check`] | The ranges of numeric arguments. |
//! | [`config`] | The configuration and its defaults. |
//! | [`math`] | Functions such as `exp` and `tanh` with equal bits on every platform. |
//!
//! The crate is pure: it has no clock (`now` is an argument, in milliseconds since 1970), no
//! randomness, and no input or output. Equal input gives equal output, to the bit, natively, in
//! WebAssembly and in the TypeScript reference.

mod automaton;
pub mod check;
pub mod columns;
pub mod config;
pub mod consolidate;
pub mod context;
pub mod decay;
pub mod embed;
mod error;
pub mod evidence;
#[cfg(not(target_arch = "wasm32"))]
mod folds;
pub mod fsrs;
pub mod full_text;
mod host;
pub mod intent;
pub mod math;
pub mod memory;
pub mod merge;
mod order;
mod parts;
pub mod pattern;
pub mod playbook;
mod postings;
pub mod query;
pub mod rerank;
pub mod salience;
pub mod search;
pub mod section;
mod settings;
pub mod signal;
mod text;
pub mod times;
#[cfg(target_arch = "wasm32")]
mod wasm;

pub use config::Config;
#[cfg(not(target_arch = "wasm32"))]
pub use context::format_context;
pub use context::{ContextRow, memory_guidance};
pub use decay::{AlgorithmType, Curve, DecayColumns, Lifecycle};
pub use error::{Error, ErrorKind, Result};
pub use intent::{Evidence, IntentClassifier, Matcher};
pub use memory::MemoryIndex;
pub use merge::{Hit, MergeOptions, Selected, co_recall_pairs, merge_and_select};
pub use pattern::PatternSet;
pub use rerank::{Candidate, Query, Ranked, Reranker, Weighting};
pub use salience::SalienceTable;
pub use section::{
    DecayProfile, EncodingProfile, Section, SectionProfile, SectionSet, SectionTable, Weights,
};
pub use settings::Value;
pub use text::{Span, is_stop_word};
