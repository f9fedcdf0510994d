//! Sectioned memory for AI agents: which memories a question should bring up, and how they fade.
//!
//! Every memory belongs to a [`Section`], by its subtype. The section decides how the memory is
//! ranked, how fast it fades and how strongly it is first stored; it never hides one. The parts,
//! each usable by itself:
//!
//! | module | what it answers |
//! |---|---|
//! | [`section`] | where does a memory belong, and what does that mean? |
//! | [`signal`] | what are the six signals of a candidate? |
//! | [`rerank`] | in which order do candidates answer a question? |
//! | [`decay`] | how much of a memory is left, and what does recall do to it? |
//! | [`fsrs`] | the same by the model of spaced-repetition research |
//! | [`playbook`] | which playbooks does an anomaly call up? |
//! | [`salience`] | how much was at stake, and how strongly is it first stored? |
//! | [`intent`] | which sections does a question ask for? |
//! | [`query`] | what is asked, of whom, in how many parts? |
//! | [`merge`] | what remains of the results of several questions? |
//! | [`context`] | what does a turn of conversation ask of memory, and how does a prompt show what was recalled? |
//! | [`consolidate`] | what do many episodes add up to? |
//! | [`full_text`] | which texts hold the words of a question, and how much do the words say? |
//! | [`search`] | from what was found, what does the graph bring up? |
//! | [`columns`] | what are the parts of a memory that stays in place? |
//! | [`memory`] | the whole of it: kept, searched, faded, explained, saved |
//! | [`check`] | which numbers are in range? |
//! | [`config`] | what can be set, and what is it when it is not? |
//! | [`math`] | exp and tanh, the same to the bit on every platform |
//!
//! The crate is pure: no clock (`now` is an argument, in milliseconds since 1970), no randomness,
//! no input or output. The same input gives the same output, to the bit, natively, in WebAssembly
//! and in the TypeScript it stands for.

mod automaton;
pub mod check;
pub mod columns;
pub mod config;
pub mod consolidate;
pub mod context;
pub mod decay;
mod error;
pub mod fsrs;
pub mod full_text;
mod host;
pub mod intent;
pub mod math;
pub mod memory;
pub mod merge;
mod order;
mod parts;
pub mod playbook;
pub mod query;
pub mod rerank;
pub mod salience;
pub mod search;
pub mod section;
pub mod signal;
mod text;
mod value;
#[cfg(target_arch = "wasm32")]
mod wasm;

pub use config::Config;
#[cfg(not(target_arch = "wasm32"))]
pub use context::format_context;
pub use context::{ContextRow, memory_guidance};
pub use decay::{AlgorithmType, Curve, DecayColumns, Lifecycle};
pub use error::{Error, Result};
pub use intent::{Evidence, IntentClassifier, Matcher};
pub use memory::MemoryIndex;
pub use merge::{Hit, MergeOptions, Selected, co_recall_pairs, merge_and_select};
pub use rerank::{Candidate, Query, Ranked, Reranker, Weighting};
pub use salience::SalienceTable;
pub use section::{
    DecayProfile, EncodingProfile, Section, SectionProfile, SectionSet, SectionTable, Weights,
};
pub use text::{Span, is_stop_word};
pub use value::Value;
