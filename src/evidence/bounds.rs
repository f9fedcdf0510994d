//! Upper bounds of sums, to pass over memories that cannot come up.
//!
//! # Idea
//!
//! The sum of a memory has more than thirty terms, and few memories come up. Three bounds are
//! compared with the sum that a memory must reach, and most memories fail at the first:
//!
//! - [`Bounds::first`] adds three numbers. One is that of the memory: the terms of words, vectors,
//!   embeddings and activation, which are added up for all memories, column by column. One is that
//!   of its segment: the most that is around any memory of the segment in its run can weigh. The
//!   third is what its window weighs. Shares are not divided: the divisors are the same for all
//!   memories, so they are divided into the weights once. What only the question decides is one
//!   number for all memories: the most that its times, numbers and places can weigh.
//! - [`Bounds::max_besides`] is the most that recency, use, section and traits can weigh for any
//!   memory, and [`Bounds::besides`] is what they weigh for one. They are read only of memories
//!   that could come up by the first.
//! - [`Bounds::second`] adds what the memories around this one weigh, in place of the most that
//!   they can weigh in its segment.
//!
//! # Soundness
//!
//! What is around a memory lies in its segment and in those beside it, so that the best of these
//! three is no less than the best around it. Of the memories around it two are at distance 1, two
//! at 2 and two at 3: the sum of their numbers over their distances is no more than the best one,
//! the second best, and 5/3 of the third; for cosines, 11/3 of the best one. A bound counts only
//! with a weight above 0. For a weight below 0 the value counts as the least that it can be: 0, or
//! for the cosines around a memory [`LARGEST`] below it.
//!
//! Shares are never negative, so leaving out a factor between 0 and 1 gives no less if the weight
//! is above 0; a weight below 0 counts as 0 there. Rounding differs from that of the exact sum.
//! Both are off by less than a hundred roundings of the sum of all magnitudes, and [`ROUNDING`] is
//! more. No value but that of activation exceeds [`LARGEST`].
//!
//! # Cost
//!
//! One pass over three columns, one over the memories that hold words of the question, one over the
//! segments and their nearness; then three reads a memory.

use super::collect::{Circumstances, Evidence, INTENT, best_of, share_of};
use super::meaning::Meaning;
use super::question::Question;
use super::runs::Layout;
use super::texts::Texts;
use super::traits::{LONGEST, Traits};
use super::weights::Values;
use crate::columns::Row;
use crate::section::{Section, SectionSet};

/// More than the relative error of two sums of a hundred products.
const ROUNDING: f64 = 1e-12;
/// More than the value of any evidence but activation.
const LARGEST: f64 = 4.0;

/// Bounds of the sums for one question. Kept for the next question, whose columns they then hold.
#[derive(Debug, Default)]
pub struct Bounds {
    /// Weights over the divisors of their kinds of evidence.
    factors: Values,
    /// By section: what its recency weighs, and what the section itself does.
    of_sections: [(f64, f64); 4],
    max_besides: f64,
    /// By row: what a memory with a text weighs without recency, use, section and traits, and
    /// without what is around it in a run.
    own: Vec<f64>,
    /// By segment: the most that is around a memory can weigh, besides its window.
    around: Vec<f64>,
    /// By segment: the best nearness, and the best `emb`.
    best: Vec<[f64; 2]>,
}

impl Bounds {
    /// Bounds the sums for a question whose evidence was collected and which asks for these
    /// sections. `activated` are the memories that activation reached, each with what arrived.
    pub fn set(
        &mut self,
        evidence: &Evidence,
        texts: &Texts,
        question: &Question,
        sections: SectionSet,
        weights: &Values,
        activated: impl Iterator<Item = (Row, f64)>,
    ) {
        let of_all = share_of(1.0, evidence.all_rarity);
        let &Meaning { unheld, failing, unlike, .. } = &evidence.meaning;
        self.factors = Values {
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
        self.of_sections = Section::ALL.map(|section| {
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
        let max_of_sections = self
            .of_sections
            .iter()
            .fold(f64::NEG_INFINITY, |max, &(recency, own)| max.max(recency.max(0.0) + own));
        self.max_besides = max_of_sections + it.affinity.max(0.0) + of_traits;
        let size: f64 = weights.to_array().iter().map(|weight| weight.abs()).sum();
        let asked = question.max_asked(weights) + ROUNDING * LARGEST * size;
        self.add_own(evidence, texts, asked, activated);
        self.add_around(evidence, texts.runs.layout());
    }

    fn add_own(
        &mut self,
        evidence: &Evidence,
        texts: &Texts,
        asked: f64,
        activated: impl Iterator<Item = (Row, f64)>,
    ) {
        let Self { factors: it, own, .. } = self;
        let Evidence { memories, meaning, windows, .. } = evidence;
        let layout = texts.runs.layout();
        own.clear();
        let vectors = memories.sem.iter().zip(&memories.p_sem);
        own.extend(vectors.map(|(sem, p_sem)| it.sem * sem + it.p_sem * p_sem + asked));
        let least_ranked = meaning.least_ranked();
        for (own, &emb) in own.iter_mut().zip(&meaning.emb) {
            *own += it.emb * emb;
            if emb >= least_ranked {
                *own += it.emb_rank * meaning.rank(emb);
            }
        }
        for &row in &memories.touched_by_any {
            let at = row as usize;
            let held = &memories.all[at];
            let around = windows.sum(layout.spot(row).cell);
            // Sums side by side: one would wait for each of its additions.
            own[at] += (it.bm * memories.bm[at] + it.sbm * held.sbm)
                + (it.cov * held.cov + it.titlecov * held.titlecov)
                + (it.p_soft * held.soft + it.p_softcov * held.held)
                + (it.p_sbm * held.p_sbm - it.win * held.soft.min(around));
        }
        for &row in &layout.singles {
            let at = row as usize;
            let of_emb = meaning.emb.get(at).map_or(0.0, |emb| it.ses_emb * emb.max(0.0));
            own[at] += it.ses * memories.nearness[at].max(0.0)
                + it.sesb * evidence.sesb(layout.spot(row), row)
                + of_emb;
        }
        for (row, activation) in activated {
            if let Some(own) = own.get_mut(row as usize) {
                let active = it.graph * activation;
                *own += active + ROUNDING * active.abs();
            }
        }
    }

    fn add_around(&mut self, evidence: &Evidence, layout: &Layout) {
        let Self { factors: it, around, best, .. } = self;
        let Evidence { memories, meaning, segments, .. } = evidence;
        let best_of_rows = |rows: &[Row], numbers: &[f64]| {
            rows.iter().fold(0.0, |best: f64, &row| best.max(numbers[row as usize]))
        };
        best.clear();
        best.extend((0..layout.segments.len()).map(|segment| {
            let rows = layout.rows_of(segment);
            let of_emb = if meaning.is_given { best_of_rows(rows, &meaning.emb) } else { 0.0 };
            [best_of_rows(rows, &memories.nearness), of_emb]
        }));
        let of_emb_around = (11.0 / 3.0 * it.nb_emb).max(0.0);
        let least_of_emb = if meaning.is_given { LARGEST * (-it.nb_emb).max(0.0) } else { 0.0 };
        around.clear();
        for run in layout.runs() {
            for segment in run.clone() {
                let beside = run.start.max(segment.saturating_sub(1))..run.end.min(segment + 2);
                let [near, emb] = best[beside.clone()]
                    .iter()
                    .fold([0.0; 2], |[near, emb]: [f64; 2], it| [near.max(it[0]), emb.max(it[1])]);
                let three = best_of(&segments.three[beside]);
                around.push(
                    it.ses.max(0.0) * near
                        + it.nb * (three[0] + three[1] + 5.0 / 3.0 * three[2])
                        + it.sesb * segments.sesb[segment]
                        + (it.ses_emb.max(0.0) + of_emb_around) * emb
                        + least_of_emb,
                );
            }
        }
    }

    /// Returns a number no lower than the weighted sum of a memory's evidence without recency, use,
    /// section and traits.
    #[inline(always)]
    pub fn first(&self, evidence: &Evidence, texts: &Texts, row: Row) -> f64 {
        let spot = texts.runs.layout().spot(row);
        self.own[row as usize]
            + self.around[spot.segment as usize]
            + self.factors.win * evidence.windows.sum(spot.cell)
    }

    /// Returns such a number, no higher than the first but for rounding, by what is around the
    /// memory.
    pub fn second(&self, evidence: &Evidence, texts: &Texts, row: Row) -> f64 {
        let layout = texts.runs.layout();
        let spot = layout.spot(row);
        let Self { factors: it, own, .. } = self;
        let of_window = it.win * evidence.windows.sum(spot.cell);
        if spot.segment == 0 {
            return own[row as usize] + of_window;
        }
        let emb = &evidence.meaning.emb;
        let of_emb = if evidence.is_embedded() {
            it.ses_emb * layout.best_around(row, emb)
                + (it.nb_emb * layout.sum_around(row, emb)).max(0.0)
        } else {
            0.0
        };
        own[row as usize]
            + of_window
            + it.ses * evidence.ses(layout, row)
            + it.nb * evidence.nb(layout, row)
            + it.sesb * evidence.sesb(spot, row)
            + of_emb
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

    /// Returns the allocated bytes.
    pub fn bytes(&self) -> usize {
        (self.own.capacity() + self.around.capacity() + 2 * self.best.capacity()) * size_of::<f64>()
    }
}
