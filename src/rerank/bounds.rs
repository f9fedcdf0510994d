//! Upper bounds of scores: of the scores of a batch, and of a candidate by its scores and section.
//! The header of `columns.rs` proves them.

use super::Batch;
use crate::math::{F64x2, greatest_high_bits, greatest_of, range_of};

/// Upper bounds of the scores of a batch: the greatest BM25 score exactly, the greatest magnitude
/// of a semantic score and the greatest graph score within 2⁻²⁰ above.
#[derive(Clone, Copy)]
pub(crate) struct Peaks {
    semantic: f64,
    pub(super) bm25: f64,
    graph: f64,
}

impl Peaks {
    /// The peaks, or `None` if a score is out of range: not finite, or negative and not semantic.
    pub fn of(semantic: &[f64], bm25: &[f64], graph: &[f64]) -> Option<Self> {
        let semantics = greatest_high_bits(semantic, F64x2::magnitude);
        let [keywords, activations] =
            [bm25, graph].map(|column| greatest_high_bits(column, |pair| pair));
        if semantics.max(keywords).max(activations) < INFINITE {
            let above = |bits: u32| f64::from_bits(u64::from(bits + 1) << 32).min(f64::MAX);
            return Some(Self {
                semantic: above(semantics),
                bm25: greatest_of(bm25),
                graph: above(activations),
            });
        }
        // Slow path: −0, whose sign bit looks like a large number, or a score out of range.
        let [semantics, keywords, activations] =
            [semantic, bm25, graph].map(|column| range_of(column).unwrap_or_default());
        let within = |[min, max]: [f64; 2], low: f64| min >= low && max <= f64::MAX;
        let sound =
            within(semantics, -f64::MAX) && within(keywords, 0.0) && within(activations, 0.0);
        let [min, max] = semantics;
        sound.then(|| Self { semantic: max.max(-min), bm25: keywords[1], graph: activations[1] })
    }
}

/// The high bits of infinity. Those of NaN and of numbers with a sign are greater.
const INFINITE: u32 = (f64::INFINITY.to_bits() >> 32) as u32;

/// The quick bound: an upper bound of a score that is the same for every node of a section. Its
/// products are not added in the order of [`sum`](super::sum).
pub(super) struct QuickBound {
    /// By section: the factors of the semantic and the BM25 score; the factor of the graph score,
    /// and the sum of the rest.
    weights: [[F64x2; 2]; 4],
    /// How far rounding may take the bound below the score.
    pub(super) slack: f64,
}

impl QuickBound {
    /// Products below this may be subnormal and lose bits; they are far below any slack.
    const TINY: f64 = 1e-100;

    pub(super) fn new(batch: &Batch, peaks: Peaks) -> Self {
        let (per_bm25, fixed) =
            batch.fixed_keyword.map_or((batch.per_bm25, 0.0), |keyword| (0.0, keyword));
        let weights = batch.flat.map(|[semantic, keyword, graph, recency, authority, affinity]| {
            let rest = keyword * fixed + recency + authority + affinity;
            [F64x2::new(semantic, keyword * per_bm25), F64x2::new(graph, rest)]
        });
        // No partial sum of a score or of its bound is larger.
        let peak = |[semantic, keyword, graph, recency, authority, affinity]: [f64; 6]| {
            semantic * peaks.semantic
                + keyword
                + graph * peaks.graph
                + recency
                + authority
                + affinity
        };
        let peak = batch.flat.into_iter().map(peak).fold(0.0, f64::max);
        let is_coarse = peaks.bm25 > 1.0 / (Self::TINY * Self::TINY);
        let slack = if is_coarse { f64::INFINITY } else { 32.0 * f64::EPSILON * peak + Self::TINY };
        Self { weights, slack }
    }

    #[inline(always)]
    pub(super) fn at_most(
        &self,
        [semantic, bm25, graph]: [F64x2; 3],
        [one, other]: [usize; 2],
    ) -> F64x2 {
        let ([one, one_rest], [other, other_rest]) =
            (self.weights[one & 3], self.weights[other & 3]);
        (semantic * one.firsts(other) + bm25 * one.seconds(other))
            + (graph * one_rest.firsts(other_rest) + one_rest.seconds(other_rest))
    }
}

/// Whether a score with this upper bound can exceed the bar. Not `most > bar`, which is false if
/// either is NaN.
#[inline(always)]
#[allow(clippy::neg_cmp_op_on_partial_ord)]
pub(super) fn can_exceed(max: f64, bar: f64) -> bool {
    !(max <= bar)
}
