//! Laws that hold for every input, and kernels against plain implementations.

mod configuration;
mod context;
mod fading;
mod intent;
mod json;
mod merging;
mod order;
mod prompts;
mod ranking;

use crate::common::naive::{self, Ported};
use crate::common::{NOW, PLAIN, assert_is};
use nous_wasm::{
    Candidate, Config, ContextRow, Curve, DecayColumns, Hit, IntentClassifier, Lifecycle, Matcher,
    MergeOptions, Query, Ranked, Reranker, Section, SectionSet, SectionTable, Selected, Weighting,
    Weights, co_recall_pairs, decay, format_context, merge_and_select,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const DAY: f64 = naive::DAY;

fn any_section() -> impl Strategy<Value = Section> {
    select(Section::ALL.as_slice())
}

fn config(json: &str) -> Config {
    Config::from_json(json).expect("a valid configuration")
}
