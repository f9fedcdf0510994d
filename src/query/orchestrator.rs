//! The settings of retrieval in several passes. The passes wait for searches, so the host runs
//! them.

use serde::{Deserialize, Deserializer, Serialize};

use super::MAX_PARTS;
use crate::merge::MergeOptions;
use crate::settings::{Amount, AmountOrNull, Count, Seconds, Unit, changes, wrong_number};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Retry {
    /// Both results are merged. A memory in both has its better score.
    Merge,
    /// The further answer replaces the first if its best score is higher.
    Replace,
}

/// What to do if every search failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// Return the failure.
    None,
    /// Search once for the whole question.
    Plain,
}

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

const TWO_NAMES: &str = "`max_sub_queries` has another number under its other name: max_parts and max_sub_queries are one \
    setting, so give one of them";

changes! {
    OrchestratorChanges to OrchestratorConfig {
        enabled: bool,
        max_parts: Count<1, 16>,
        by_subject: bool,
        search_limit_per_query: Count<1, { u32::MAX }>,
        quality_threshold: Amount,
        max_retries: Count<0, 1>,
        retry: Retry,
        timeout_seconds: Seconds,
        max_results: Count<1, { u32::MAX }>,
        relevance_ratio: Unit,
        max_replacements: Count<0, { u32::MAX }>,
        replacement_floor: AmountOrNull,
        fallback: Fallback,
    } besides {
        max_sub_queries: Count<1, 16>,
    }
}

impl<'de> Deserialize<'de> for OrchestratorConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut changes = OrchestratorChanges::deserialize(deserializer)?;
        match (&changes.max_parts, changes.max_sub_queries.take()) {
            (Some(one), Some(other)) if one.0 != other.0 => {
                return Err(wrong_number(f64::from(other.0), TWO_NAMES));
            }
            (None, other) => changes.max_parts = other,
            _ => {}
        }
        let mut config = Self::default();
        changes.apply(&mut config);
        Ok(config)
    }
}
