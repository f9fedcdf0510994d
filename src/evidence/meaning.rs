//! What the embeddings of a question and of memories say: evidence for answers that share no word
//! with their question.
//!
//! # Idea
//!
//! A sentence transformer knows that "which beverage" asks for tea. It knows less of names and
//! numbers than words do. A fixed blend of both fails: the words of other memories outrank the
//! answer. So the cosine is evidence a second time, multiplied by a gate: the share of the question
//! that no memory holds. If some memory holds all words of the question, the gate is closed.
//!
//! Where words fail, cosines are small and near to each other, and still the order of the nearest
//! memories says most. So the place of a cosine among all is evidence as well, behind a gate of its
//! own.
//!
//! A memory whose embedding is not made yet gets an estimate: what memories with as many words of
//! the question have on average. So it neither jumps up nor falls back when its embedding comes.
//!
//! # Invariants
//!
//! - A gate is one number for all memories of a question. It changes no order among equals.
//! - [`EmbeddingScale::fitted`] keeps the order of cosines.
//! - Without an embedding of the question, its column is empty, and all values are 0.
//!
//! # Cost
//!
//! One pass over the cosines. Where words fail, a second one. What the cosines around a memory say
//! is computed when its evidence is read.

use super::runs::Layout;
use crate::columns::Row;
use crate::error::{Error, Result};

/// The estimate of a cosine: a constant, and what it grows by with `sem` and with `p_soft`. Fitted
/// by least squares over the development sets of docs/quality.md, with all-MiniLM-L6-v2.
const ESTIMATE: [f64; 3] = [0.02, 0.48, 0.4];

/// Where the cosines of a model lie. One model gives texts that have nothing to do with each other
/// .06, another .75.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmbeddingScale {
    /// The mean of a question and memories that have nothing to do with it, from −1 to 1.
    pub of_unrelated: f64,
    /// The mean of a question and a memory that answers it in other words, above `of_unrelated` and
    /// at most 1.
    pub of_related: f64,
}

/// The scale of all-MiniLM-L6-v2, with whose cosines the weights are fitted.
const FITTED: EmbeddingScale = EmbeddingScale { of_unrelated: 0.058, of_related: 0.435 };

impl EmbeddingScale {
    /// # Errors
    /// `invalid_argument` for numbers out of range.
    pub(crate) fn check(&self) -> Result<()> {
        let Self { of_unrelated, of_related } = *self;
        if !(-1.0..=1.0).contains(&of_unrelated) {
            let problem = "must lie between -1 and 1";
            return Err(
                Error::argument("embedding_scale.of_unrelated", problem).found(of_unrelated)
            );
        }
        if !(of_related > of_unrelated && of_related <= 1.0) {
            let problem = "must be above of_unrelated and at most 1";
            return Err(Error::argument("embedding_scale.of_related", problem).found(of_related));
        }
        Ok(())
    }

    /// Returns the cosine that lies in the same place between unrelated and related texts of the
    /// fitted model, from −1 to 1.
    pub(crate) fn fitted(&self, cosine: f64) -> f64 {
        let stretch =
            (FITTED.of_related - FITTED.of_unrelated) / (self.of_related - self.of_unrelated);
        (FITTED.of_unrelated + (cosine - self.of_unrelated) * stretch).clamp(-1.0, 1.0)
    }
}

/// The memories whose place counts.
const NEAREST: usize = 50;
/// The places by which a rank halves.
const HALVING: f64 = 5.0;

/// The shares of a question that no memory holds at which words begin to fail it, and fail it.
const FAILING: (f64, f64) = (0.55, 0.75);

/// Returns how far words fail a question of which no memory holds this share: from 0, where enough
/// words are held, to 1, where the words that are held say little of the question.
pub(super) fn failing(unheld: f64) -> f64 {
    let (from, to) = FAILING;
    ((unheld - from) / (to - from)).clamp(0.0, 1.0)
}

/// The cosines of the embeddings of a question and of memories.
#[derive(Clone, Copy)]
pub(super) struct Cosines<'a> {
    /// By row; NaN for a memory without an embedding.
    pub cosines: &'a [f64],
    /// Memories whose cosine counts as 0.
    pub excluded: &'a [Row],
}

/// The columns of embeddings for one question. Kept for the next question.
#[derive(Debug, Default)]
pub(super) struct Meaning {
    /// Whether the question has an embedding.
    pub is_given: bool,
    /// By row: the cosine, or its estimate.
    pub emb: Vec<f64>,
    /// The share of the question that no memory holds.
    pub unheld: f64,
    /// How far words fail the question; see [`failing`].
    pub failing: f64,
    /// The share of the question to whose words no passage of a memory has near ones.
    pub unlike: f64,
    /// The largest `emb` of memories that may be found, falling. Empty if words do not fail.
    nearest: Vec<f64>,
}

impl Meaning {
    /// Reads the cosines of all rows. `passes` says which memories may be found. `known` returns
    /// `sem` and `p_soft` of a row.
    pub fn read(
        &mut self,
        given: Option<Cosines<'_>>,
        rows: usize,
        layout: &Layout,
        passes: impl Fn(Row) -> bool,
        known: impl Fn(usize) -> (f64, f64),
    ) {
        let Self { is_given, emb, .. } = self;
        emb.clear();
        self.nearest.clear();
        // Without any embedding there is nothing to compare with.
        let given = given.filter(|it| it.cosines.iter().any(|cosine| !cosine.is_nan()));
        *is_given = given.is_some();
        let Some(Cosines { cosines, excluded }) = given else { return };
        emb.extend((0..rows).map(|row| {
            let cosine = cosines.get(row).copied().unwrap_or(f64::NAN);
            if cosine.is_nan() {
                let (sem, soft) = known(row);
                let [least, by_sem, by_soft] = ESTIMATE;
                least + by_sem * sem + by_soft * soft
            } else {
                cosine
            }
        }));
        for &row in excluded {
            if let Some(cosine) = emb.get_mut(row as usize) {
                *cosine = 0.0;
            }
        }
        if self.failing > 0.0 {
            self.find_nearest(layout, passes);
        }
    }

    fn find_nearest(&mut self, layout: &Layout, passes: impl Fn(Row) -> bool) {
        let Self { nearest, emb, .. } = self;
        for &row in layout.rows_of_runs().flatten() {
            let cosine = emb[row as usize];
            let is_far = nearest.len() == NEAREST && cosine <= nearest[NEAREST - 1];
            if is_far || !passes(row) {
                continue;
            }
            nearest.truncate(NEAREST - 1);
            let place = nearest.partition_point(|&other| other > cosine);
            nearest.insert(place, cosine);
        }
    }

    /// Returns the least cosine that has a rank, infinite if none has.
    pub fn least_ranked(&self) -> f64 {
        self.nearest.last().copied().unwrap_or(f64::INFINITY)
    }

    /// Returns 1 for the largest cosine, less with the number of larger ones, and 0 for one that is
    /// not among the nearest, or if words do not fail the question.
    pub fn rank(&self, cosine: f64) -> f64 {
        let place = self.nearest.partition_point(|&other| other > cosine);
        if place < self.nearest.len() { HALVING / (HALVING + place as f64) } else { 0.0 }
    }

    pub fn bytes(&self) -> usize {
        (self.emb.capacity() + self.nearest.capacity()) * size_of::<f64>()
    }
}
