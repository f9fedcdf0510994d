//! Upper bounds of sums, to pass over memories that cannot come up.
//!
//! # Idea
//!
//! The sum of a memory has thirty terms, but for most memories the terms of words, meaning and runs
//! decide. [`Bounds::of`] adds these from the columns, without the divisions that turn sums into
//! shares: the divisors are the same for all memories, so they are divided into the weights once.
//! What only the question decides is one number for all memories: the most that its times, numbers
//! and places can weigh.
//!
//! # Soundness
//!
//! Shares are never negative, so leaving out a factor between 0 and 1 gives no less if the weight is
//! above 0; a weight below 0 counts as 0 there. Rounding differs from that of the exact sum. Both
//! are off by less than thirty roundings of the sum of all magnitudes, and [`ROUNDING`] is more.
//!
//! # Cost
//!
//! A dozen products for each memory, against thirty products, a dozen divisions and branches.

use super::collect::{Evidence, share_of};
use super::question::Question;
use super::texts::Texts;
use super::weights::Values;
use crate::columns::Row;

/// More than the relative error of two sums of thirty products.
const ROUNDING: f64 = 1e-12;

/// Bounds of the sums for one question.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Weights over the divisors of their kinds of evidence.
    factors: Values,
    /// The most that the question's times, numbers and places weigh.
    asked: f64,
}

impl Bounds {
    /// Bounds for a question whose evidence was collected. Circumstances and traits must not weigh.
    pub fn new(evidence: &Evidence, question: &Question, weights: &Values) -> Self {
        let of_all = share_of(1.0, evidence.all_rarity);
        let factors = Values {
            sbm: weights.sbm * share_of(1.0, evidence.best_sbm),
            cov: weights.cov * of_all,
            p_soft: weights.p_soft * of_all,
            p_softcov: weights.p_softcov * of_all,
            p_sbm: weights.p_sbm * share_of(1.0, evidence.best_p_sbm),
            titlecov: weights.titlecov * of_all,
            nb: weights.nb.max(0.0),
            win: weights.win.max(0.0) * of_all,
            ..*weights
        };
        Self { factors, asked: question.most_asked(weights) }
    }

    /// Returns a number no lower than the weighted sum of a memory's evidence.
    #[inline(always)]
    pub fn of(&self, evidence: &Evidence, texts: &Texts, row: Row) -> f64 {
        let at = row as usize;
        let Self { factors, asked } = self;
        let held = &evidence.memories.all[at];
        let around = evidence.windows.sum(texts.runs.layout(), row);
        let terms = [
            factors.sem * evidence.memories.sem[at],
            factors.p_sem * evidence.memories.p_sem[at],
            factors.ses * evidence.run.ses[at],
            factors.sesb * evidence.run.sesb[at],
            factors.nb * evidence.run.nb[at],
            factors.win * (around - held.soft).max(0.0),
            factors.bm * evidence.memories.bm[at],
            factors.sbm * held.sbm,
            factors.cov * held.cov,
            factors.titlecov * held.titlecov,
            factors.p_soft * held.soft,
            factors.p_softcov * held.held,
            factors.p_sbm * held.p_sbm,
            *asked,
        ];
        let mut sum = 0.0;
        // A small difference of large sums has the error of the sums.
        let mut size = factors.win * around;
        for term in terms {
            sum += term;
            size += term.abs();
        }
        sum + ROUNDING * size
    }
}
