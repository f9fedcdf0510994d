//! Upper bounds of sums, to pass over memories that cannot come up.
//!
//! # Idea
//!
//! The sum of a memory has more than thirty terms, and few memories come up. Two bounds are
//! compared with the sum that a memory must reach, and most memories fail at the first:
//!
//! - [`Bounds::of_text`] adds the terms of words, embeddings, runs and activation from the columns,
//!   without the divisions that turn sums into shares: the divisors are the same for all memories,
//!   so they are divided into the weights once. What only the question decides is one number for
//!   all memories: the most that its times, numbers and places can weigh.
//! - [`Bounds::max_besides`] is the most that recency, use, section and traits can weigh for any
//!   memory, and [`Bounds::besides`] is what they weigh for one. They are read only of memories
//!   that could come up by the first.
//!
//! # Soundness
//!
//! Shares are never negative, so leaving out a factor between 0 and 1 gives no less if the weight
//! is above 0; a weight below 0 counts as 0 there. The cosines around a memory can be below 0, so
//! that what they weigh counts as 0 or more. Rounding differs from that of the exact sum.
//! Both are off by less than fifty roundings of the sum of all magnitudes, and [`ROUNDING`] is
//! more. No value but that of activation exceeds [`LARGEST`].
//!
//! # Cost
//!
//! A dozen products for each memory, against forty products, a dozen divisions and branches.

use super::collect::{Circumstances, Evidence, INTENT, share_of};
use super::meaning::Meaning;
use super::question::Question;
use super::texts::Texts;
use super::traits::{LONGEST, Traits};
use super::weights::Values;
use crate::columns::Row;
use crate::section::{Section, SectionSet};

/// More than the relative error of two sums of fifty products.
const ROUNDING: f64 = 1e-12;
/// More than the value of any evidence but activation.
const LARGEST: f64 = 4.0;

/// Bounds of the sums for one question.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Weights over the divisors of their kinds of evidence.
    factors: Values,
    /// The most that the question's times, numbers and places weigh, and the error of a sum.
    asked: f64,
    /// By section: what its recency weighs, and what the section itself does.
    of_sections: [(f64, f64); 4],
    max_besides: f64,
}

impl Bounds {
    /// Bounds for a question whose evidence was collected and which asks for these sections.
    pub fn new(
        evidence: &Evidence,
        question: &Question,
        sections: SectionSet,
        weights: &Values,
    ) -> Self {
        let of_all = share_of(1.0, evidence.all_rarity);
        let &Meaning { unheld, failing, unlike, .. } = &evidence.meaning;
        let factors = Values {
            sbm: weights.sbm * share_of(1.0, evidence.best_sbm),
            cov: weights.cov * of_all,
            p_soft: (weights.p_soft + weights.soft_unheld * unheld) * of_all,
            p_softcov: weights.p_softcov * of_all,
            p_sbm: weights.p_sbm * share_of(1.0, evidence.best_p_sbm),
            titlecov: weights.titlecov * of_all,
            nb: weights.nb.max(0.0),
            win: weights.win.max(0.0) * of_all,
            emb: weights.emb + weights.emb_unheld * unheld + weights.emb_unlike * unlike,
            emb_rank: weights.emb_rank * failing,
            ses_emb: weights.ses_emb + weights.ses_unheld * unheld,
            ..*weights
        };
        let if_asked = |asked: bool, weight: f64| if asked { weight } else { 0.0 };
        let always = if_asked(question.asks_latest, weights.lastrec)
            + if_asked(question.is_vague, weights.vaguerec);
        let of_sections = Section::ALL.map(|section| {
            let (recency, own) = match section {
                Section::Episodic => (weights.recency_episodic, weights.section_episodic),
                Section::Signals => (weights.recency_signals, weights.section_signals),
                Section::Knowledge => (weights.recency_knowledge, 0.0),
                Section::Procedural => (weights.recency_procedural, weights.section_procedural),
            };
            let intent = if_asked(sections.contains(section), INTENT * weights.intent);
            (always + recency, own + intent)
        });
        let it = weights;
        let of_traits = it.qm.abs()
            + it.prevq.abs()
            + LONGEST * it.len.abs()
            + it.num.abs()
            + it.cap.abs()
            + it.pos.abs();
        let max_of_sections = of_sections
            .iter()
            .fold(f64::NEG_INFINITY, |max, &(recency, own)| max.max(recency.max(0.0) + own));
        let size: f64 = weights.to_array().iter().map(|weight| weight.abs()).sum();
        Self {
            factors,
            asked: question.max_asked(weights) + ROUNDING * LARGEST * size,
            of_sections,
            max_besides: max_of_sections + it.affinity.max(0.0) + of_traits,
        }
    }

    /// Returns a number no lower than the weighted sum of a memory's evidence without recency, use,
    /// section and traits.
    #[inline(always)]
    pub fn of_text(&self, evidence: &Evidence, texts: &Texts, row: Row, activation: f64) -> f64 {
        let at = row as usize;
        let Self { factors, asked, .. } = self;
        let held = &evidence.memories.all[at];
        let around = evidence.windows.sum(texts.runs.layout(), row);
        let active = factors.graph * activation;
        // Four sums side by side: one would wait for each of its additions.
        let one = factors.sem * evidence.memories.sem[at]
            + factors.ses * evidence.run.ses[at]
            + factors.nb * evidence.run.nb[at]
            + asked;
        let two = factors.p_sem * evidence.memories.p_sem[at]
            + factors.sesb * evidence.run.sesb[at]
            + factors.win * (around - held.soft).max(0.0);
        let three = factors.bm * evidence.memories.bm[at]
            + factors.sbm * held.sbm
            + factors.cov * held.cov
            + factors.titlecov * held.titlecov;
        let four = factors.p_soft * held.soft
            + factors.p_softcov * held.held
            + factors.p_sbm * held.p_sbm
            + (active + ROUNDING * active.abs());
        (one + two) + (three + four) + self.of_meaning(&evidence.meaning, at)
    }

    /// Returns a number no lower than what the embeddings of a row weigh.
    #[inline(always)]
    fn of_meaning(&self, meaning: &Meaning, at: usize) -> f64 {
        if !meaning.is_given {
            return 0.0;
        }
        let it = &self.factors;
        it.emb * meaning.emb[at]
            + it.emb_rank * meaning.rank(meaning.emb[at])
            + it.ses_emb * meaning.ses[at]
            + (it.nb_emb * meaning.nb[at]).max(0.0)
    }

    /// Returns a number no lower than what recency, use, section and traits weigh for any memory.
    pub fn max_besides(&self) -> f64 {
        self.max_besides
    }

    /// Returns what recency, use, section and traits weigh for a memory.
    pub fn besides(&self, circumstances: &Circumstances, traits: &Traits) -> f64 {
        let it = &self.factors;
        let (recency, own) = self.of_sections[circumstances.section as usize];
        let of_circumstances =
            it.affinity * circumstances.affinity + recency * circumstances.recency + own;
        let of_traits = (it.qm * traits.qm + it.prevq * traits.prevq)
            + (it.len * traits.len + it.num * traits.num)
            + (it.cap * traits.cap + it.pos * traits.pos);
        of_circumstances + of_traits
    }
}
