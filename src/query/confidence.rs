//! The confidence in an answer, by the scores of its results.

use crate::host::pow;

/// The scores of a retrieval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retrieved {
    /// The best score.
    pub top: f64,
    /// The second-best score, or `None` if there is only one result.
    pub second: Option<f64>,
    /// The number of results.
    pub count: f64,
    /// Whether the question names an attribute.
    pub has_attribute: bool,
}

/// The confidence in an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence {
    /// In [0, 1] for scores in [0, 1].
    pub score: f64,
    /// The level of the score.
    pub level: Level,
    /// The quality of the best match: its score.
    pub quality: f64,
    /// How distinct the best match is, by its gap to the second result and the number of results.
    pub distinctness: f64,
    /// How clearly the question names its subject.
    pub clarity: f64,
    /// Remarks about the answer, one bit each: see [`FLAGS`].
    pub flags: u8,
}

/// A level of confidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A score of at least 0.70.
    High,
    /// A score of at least 0.45.
    Medium,
    /// A score below 0.45.
    Low,
}

impl Level {
    /// The names of the levels, in order.
    pub const NAMES: [&str; 3] = ["HIGH", "MEDIUM", "LOW"];

    /// Returns the level of a score: high from 0.70, medium from 0.45.
    pub fn of(score: f64) -> Self {
        if score >= HIGH {
            Self::High
        } else if score >= MEDIUM {
            Self::Medium
        } else {
            Self::Low
        }
    }
}

/// The remarks about an answer, by bit.
pub const FLAGS: [&str; 5] =
    ["no_results", "disambiguation_needed", "sparse_results", "attribute_unknown", "perfect_match"];

const NO_RESULTS: u8 = 1;
const DISAMBIGUATION_NEEDED: u8 = 1 << 1;
const SPARSE_RESULTS: u8 = 1 << 2;
const ATTRIBUTE_UNKNOWN: u8 = 1 << 3;
const PERFECT_MATCH: u8 = 1 << 4;

const HIGH: f64 = 0.70;
const MEDIUM: f64 = 0.45;

/// Exponents of quality, distinctness and clarity.
const WEIGHTS: [f64; 3] = [0.40, 0.35, 0.25];
/// The least value of each factor.
const LEAST: f64 = 0.1;
/// The gap to the second result from which distinctness is full.
const WIDE_GAP: f64 = 0.3;
/// The gap below which either result could be meant.
const NARROW_GAP: f64 = 0.15;
const CLEAR: f64 = 1.0;
const UNCLEAR: f64 = 0.5;
/// The most confidence if the quality is below `POOR_QUALITY` or the distinctness below
/// `POOR_DISTINCTNESS`.
const POOR: f64 = 0.4;
const POOR_QUALITY: f64 = 0.3;
const POOR_DISTINCTNESS: f64 = 0.2;
/// The most confidence if the question names no attribute.
const MAX_UNCLEAR: f64 = 0.7;
/// Fewer results than `FEW`, all below `SPARSE_QUALITY`, are sparse.
const FEW: f64 = 3.0;
const SPARSE_QUALITY: f64 = 0.6;
const PERFECT_QUALITY: f64 = 0.95;
const PERFECT_DISTINCTNESS: f64 = 0.8;

/// Returns a factor for the number of results: fewer are better.
fn focus(count: f64) -> f64 {
    if count <= 1.0 {
        1.0
    } else if count <= 5.0 {
        0.8
    } else if count <= 15.0 {
        0.5
    } else {
        0.3
    }
}

/// Returns the confidence in an answer: the weighted geometric mean of quality, distinctness and
/// clarity, within bounds.
pub fn confidence(retrieved: &Retrieved) -> Confidence {
    let &Retrieved { top, second, count, has_attribute } = retrieved;
    if count == 0.0 {
        let none = Confidence {
            score: 0.0,
            level: Level::Low,
            quality: 0.0,
            distinctness: 0.0,
            clarity: 0.0,
            flags: NO_RESULTS,
        };
        return none;
    }
    let gap = second.map_or(1.0, |second| top - second);
    let distinctness = f64::min(gap / WIDE_GAP, 1.0) * 0.5 + focus(count) * 0.5;
    let clarity = if has_attribute { CLEAR } else { UNCLEAR };
    let power = |value: f64, weight: f64| pow(f64::max(value, LEAST), weight);
    let [quality_weight, distinctness_weight, clarity_weight] = WEIGHTS;
    let mut score = power(top, quality_weight)
        * power(distinctness, distinctness_weight)
        * power(clarity, clarity_weight);
    if top < POOR_QUALITY || distinctness < POOR_DISTINCTNESS {
        score = f64::min(score, POOR);
    }
    if !has_attribute {
        score = f64::min(score, MAX_UNCLEAR);
    }
    let flag = |bit: u8, when: bool| if when { bit } else { 0 };
    let flags = flag(DISAMBIGUATION_NEEDED, count > 1.0 && gap < NARROW_GAP)
        | flag(SPARSE_RESULTS, count < FEW && top < SPARSE_QUALITY)
        | flag(ATTRIBUTE_UNKNOWN, !has_attribute)
        | flag(
            PERFECT_MATCH,
            top > PERFECT_QUALITY && distinctness > PERFECT_DISTINCTNESS && has_attribute,
        );
    Confidence { score, level: Level::of(score), quality: top, distinctness, clarity, flags }
}
