//! The settings of retrieval in several passes. The passes wait for searches, so the host runs
//! them.

use serde::Serialize;

use super::MAX_PARTS;
use crate::error::{Error, Result};
use crate::merge::MergeOptions;
use crate::value::{Path, Rule, Value, leaf, number, unknown_key};

/// The settings of retrieval in several passes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OrchestratorConfig {
    /// If false, retrieval is one plain search.
    pub enabled: bool,
    /// The most parts of a question. 1: questions are not split.
    pub max_parts: usize,
    /// Whether a question may have a part for each known symbol or quoted phrase that it names.
    pub by_subject: bool,
    /// The most results of each search.
    pub search_limit_per_query: usize,
    /// The best score below which an answer is poor.
    pub quality_threshold: f64,
    /// The most further searches after a poor answer.
    pub max_retries: usize,
    /// How the results of a further search are combined with those of a poor answer.
    pub retry: Retry,
    /// The most seconds of the whole retrieval.
    pub timeout_seconds: f64,
    /// The most results in all.
    pub max_results: usize,
    /// The share of the best score below which results are left out.
    pub relevance_ratio: f64,
    /// The most weak results that are replaced. 0: no result is replaced or dropped.
    pub max_replacements: usize,
    /// The score below which a result is weak. `None`: no result is weak.
    pub replacement_floor: Option<f64>,
    /// What to do if every search failed.
    pub fallback: Fallback,
}

/// How the results of a further search are combined with those of a poor answer. If the first
/// answer is empty, the further one always replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Retry {
    /// Both results are merged. A memory in both has its better score.
    Merge,
    /// The further answer replaces the first if its best score is higher.
    Replace,
}

leaf!(Retry, "must be merge or replace", Value::Text(text) => match text.as_str() {
    "merge" => Some(Retry::Merge),
    "replace" => Some(Retry::Replace),
    _ => None,
});

/// What to do if every search failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// Return the failure.
    None,
    /// Search once for the whole question.
    Plain,
}

leaf!(Fallback, "must be none or plain", Value::Text(text) => match text.as_str() {
    "none" => Some(Fallback::None),
    "plain" => Some(Fallback::Plain),
    _ => None,
});

impl Default for OrchestratorConfig {
    fn default() -> Self {
        let merge = MergeOptions::default();
        Self {
            enabled: true,
            max_parts: MAX_PARTS,
            by_subject: false,
            search_limit_per_query: 25,
            quality_threshold: 0.20,
            max_retries: 1,
            retry: Retry::Merge,
            timeout_seconds: 3.0,
            max_results: merge.max_results,
            relevance_ratio: merge.relevance_ratio,
            max_replacements: 2,
            replacement_floor: Some(0.25),
            fallback: Fallback::Plain,
        }
    }
}

/// The range of the parts of a question.
const PARTS: Rule = Rule::Count(1, 16);
const TWO_NAMES: &str = "has another number under its other name: max_parts and max_sub_queries are one \
    setting, so give one of them";
/// The most seconds of a timer of the host, whose milliseconds have 31 bits.
const SECONDS: u32 = 2_147_483;

impl OrchestratorConfig {
    /// Reads the `orchestrator` part of a configuration over the defaults; see
    /// [`Config`](crate::Config).
    pub(crate) fn read(value: &Value, path: &Path<'_>) -> Result<Self> {
        let mut config = Self::default();
        // The most parts, which has two names.
        let mut max_parts: Option<f64> = None;
        for (key, path, value) in value.entries(path)? {
            let count = |min: u32| Ok(number(value, &path, Rule::Count(min, u32::MAX))? as usize);
            match key {
                "enabled" => config.enabled = value.read(&path)?,
                "max_parts" | "max_sub_queries" => {
                    let max = number(value, &path, PARTS)?;
                    if max_parts.is_some_and(|other| other != max) {
                        return Err(Error::config(path, TWO_NAMES).found(max));
                    }
                    max_parts = Some(max);
                    config.max_parts = max as usize;
                }
                "by_subject" => config.by_subject = value.read(&path)?,
                "search_limit_per_query" => config.search_limit_per_query = count(1)?,
                "quality_threshold" => {
                    config.quality_threshold = number(value, &path, Rule::Amount)?
                }
                "max_retries" => {
                    config.max_retries = number(value, &path, Rule::Count(0, 1))? as usize
                }
                "retry" => config.retry = value.read(&path)?,
                "timeout_seconds" => {
                    config.timeout_seconds = number(value, &path, Rule::PositiveUpTo(SECONDS))?
                }
                "max_results" => config.max_results = count(1)?,
                "relevance_ratio" => config.relevance_ratio = number(value, &path, Rule::Unit)?,
                "max_replacements" => config.max_replacements = count(0)?,
                "replacement_floor" if *value == Value::Null => config.replacement_floor = None,
                "replacement_floor" => {
                    config.replacement_floor = Some(number(value, &path, Rule::Amount)?)
                }
                "fallback" => config.fallback = value.read(&path)?,
                _ => return Err(unknown_key(path)),
            }
        }
        Ok(config)
    }
}
