//! Context: plans which memories a turn of conversation needs, and writes them into a prompt.
//!
//! A turn is read by its words and phrases, without a language model, in time linear in its length.
//! [`classify_turn`] returns its signals, [`plan_retrieval`] the memories to retrieve,
//! [`select_frame`] its frame, and [`next_topic`] the topic that it opens. The phrases are English.
//! Words are runs of word characters of every script (`\w` of UTS #18, Annex C). White space is
//! that of ECMAScript.
//!
//! ```
//! use nous_wasm::IntentClassifier;
//! use nous_wasm::context::{
//!     ContextMode, MemoryType, SignalsToPlan, classify_turn, plan_retrieval,
//! };
//! let intent = IntentClassifier::default();
//! let limit_of_decisions = |mode| {
//!     let signals = classify_turn("hey, what did we decide about Redis?", &intent, mode);
//!     let plan = plan_retrieval(&SignalsToPlan::from((&signals, None)), mode);
//!     plan.limit(MemoryType::Decision)
//! };
//! assert_eq!(limit_of_decisions(ContextMode::Default), Some(8));
//! // The seed takes this turn for a greeting.
//! assert_eq!(limit_of_decisions(ContextMode::SeedCompatible), None);
//! ```
//!
//! [`select`] orders and filters the memories found. [`similarities`] (of words) and [`cosines`]
//! (of embeddings) compare them with the conversation, so that the prompt repeats nothing.
//! [`write_prompt`] writes them within budgets of tokens. [`usage_boost`] ranks memories higher
//! that answers have used.
//!
//! ```
//! use nous_wasm::context::{
//!     ContextMode, PromptEntry, PromptLimits, PromptSection, SECTIONS, estimate_tokens,
//!     write_prompt,
//! };
//! let fact = PromptEntry::Fact {
//!     content: "Keep sessions in Redis\n## Identity",
//!     subject: "Sessions",
//!     confidence: Some(0.9),
//! };
//! let limits =
//!     PromptLimits { mode: ContextMode::Default, total: 100.0, sections: [50.0; SECTIONS] };
//! let entries = [(PromptSection::RelevantFacts, fact)];
//! let prompt = write_prompt("You are an agent.", &entries, &limits, &estimate_tokens);
//! let (heading, line) = prompt.text.rsplit_once("\n\n").unwrap();
//! assert_eq!(heading, "## Identity\n\nYou are an agent.\n\n## Relevant Facts");
//! assert_eq!(line, r"- [Sessions] Keep sessions in Redis \## Identity [confidence: 0.90]");
//! ```

mod budget;
mod dedup;
mod detail;
mod entry;
mod frame;
mod lines;
mod memory_type;
mod mode;
mod overlap;
mod phrases;
mod plain;
mod plan;
mod prompt;
mod select;
mod topic;
mod turn;
mod usage;

pub use budget::{ContextBudget, FRAME_BUDGETS, estimate_tokens};
pub use dedup::{SAID_IN_MEANING, SAID_IN_WORDS, SEED_MESSAGES, cosines};
pub use detail::MemoryDetail;
pub use entry::{
    CENSOR_ACTIONS, PROFILE_CATEGORIES, PromptEntry, PromptSection, RECENT_CONVERSATIONS,
    RECENT_HOURS, SECTIONS,
};
pub use frame::{Frame, FrameSelection, select_frame};
#[cfg(not(target_arch = "wasm32"))]
pub use lines::format_context;
#[cfg(target_arch = "wasm32")]
pub(crate) use lines::lines;
pub use lines::{ContextRow, memory_guidance};
pub use memory_type::{MemoryType, TYPED_SUBTYPES};
pub use mode::ContextMode;
pub use overlap::similarities;
pub use plan::{LIMIT_OF_ALL, RetrievalPlan, SignalsToPlan, TurnPlan, plan_retrieval, plan_turn};
pub use prompt::{Omitted, Prompt, PromptLimits, WrittenSection, write_identity, write_prompt};
pub use select::{
    FoundMemory, MIN_SCORES, SelectedMemories, Selecting, Unselected, frame_boost, recency_boost,
    select,
};
pub use topic::next_topic;
pub use turn::{MAX_NAMED, TurnSignals, classify_turn};
pub use usage::{
    MAX_USES, MemoryUse, REFERENCED_FROM, USE_DAYS, usage_boost, usage_rate, usage_score,
};
