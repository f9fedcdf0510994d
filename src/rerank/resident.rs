//! Reranking of resident nodes: scores are handed in, the rest lies in columns.
//!
//! A node's fields are far apart in memory, and fetching them is most of the work. So candidates that cannot rank are passed
//! over by a bound: first a quick one with all signals of their node at their most, then with the recency they have.

use std::ops::Range;

use super::{Batch, Pairs, Query, Ranked, Reranker, Tables, not_a_number, primary, sum};
use crate::error::Result;
use crate::index::{Column, Row};
use crate::math::F64x2;
use crate::order::Selection;
use crate::section::Section;
use crate::signal::{NEW_BONUS, days_between};

impl Reranker {
    /// Hands over the first `limit` of resident candidates, highest first, whose scores are in range and have these peaks.
    /// False, and none handed over, where a candidate's row has no node.
    pub(crate) fn rank_resident(
        &mut self,
        candidates: &Resident<'_>,
        peaks: Peaks,
        limit: usize,
        query: &Query<'_>,
        each: impl FnMut(Ranked),
    ) -> Result<bool> {
        Batch::check(query)?;
        let count = candidates.rows.len();
        let batch = &Batch::new(count, peaks.bm25, query);
        let limit = limit.min(count);
        let tables = self.tables.get_or_init(Tables::default);
        // None is passed over where accesses may lie ahead.
        let outline = (count > RUN && candidates.accessed_by_now).then(|| Outline::new(batch, peaks));
        let outline = outline.as_ref();
        let (rated, best) = (&mut self.rated, &mut self.best);
        // Memories of one segment are many, and looking a column up there costs half as much.
        match &candidates.as_one() {
            Some(nodes) => Race { candidates, nodes, batch, outline, tables }.rank(limit, rated, best, each),
            None => Race { candidates, nodes: candidates, batch, outline, tables }.rank(limit, rated, best, each),
        }
    }
}

/// What a candidate is rated by.
#[derive(Clone, Copy)]
pub(super) struct Rated {
    signals: Pairs,
    section: usize,
    score: f64,
}

impl Rated {
    #[inline(always)]
    fn new(signals: Pairs, section: usize, batch: &Batch) -> Self {
        Self { signals, section, score: sum(&batch.parts_of(&signals, section)) }
    }

    fn ranked(&self, index: u32, batch: &Batch) -> Ranked {
        let [[semantic, keyword], [graph, recency], [authority, affinity]] = self.signals.map(F64x2::to_array);
        let breakdown = [semantic, keyword, graph, recency, authority, affinity];
        let primary_signal = primary(&batch.parts_of(&self.signals, self.section)) as usize;
        Ranked { index: index as usize, score: self.score, breakdown, primary_signal }
    }
}

/// The greatest scores of some candidates; of the semantic ones the greatest magnitude.
#[derive(Clone, Copy)]
pub(crate) struct Peaks {
    pub semantic: f64,
    pub bm25: f64,
    pub graph: f64,
}

/// A quick bound of scores: what a candidate's score is at most, whatever its node. Two products at a time, which are not
/// added in the order of [`sum`].
struct Outline {
    /// By section: what semantic and BM25 score are multiplied by; what the graph score is, and what the rest comes to.
    weights: [[F64x2; 2]; 4],
    /// How far rounding may take a bound below the score.
    slack: f64,
}

impl Outline {
    /// Products below this round coarsely, and no score depends on them.
    const TINY: f64 = 1e-100;

    fn new(batch: &Batch, peaks: Peaks) -> Self {
        let (per_bm25, fixed) = batch.keyword.map_or((batch.per_bm25, 0.0), |keyword| (0.0, keyword));
        let weights = batch.flat.map(|[semantic, keyword, graph, recency, authority, affinity]| {
            let rest = keyword * fixed + recency + authority + affinity;
            [F64x2::new(semantic, keyword * per_bm25), F64x2::new(graph, rest)]
        });
        // No sum on the way to a score or to its bound is larger.
        let peak = |[semantic, keyword, graph, recency, authority, affinity]: [f64; 6]| {
            semantic * peaks.semantic + keyword + graph * peaks.graph + recency + authority + affinity
        };
        let peak = batch.flat.into_iter().map(peak).fold(0.0, f64::max);
        let is_coarse = peaks.bm25 > 1.0 / (Self::TINY * Self::TINY);
        let slack = if is_coarse { f64::INFINITY } else { 32.0 * f64::EPSILON * peak + Self::TINY };
        Self { weights, slack }
    }

    #[inline(always)]
    fn at_most(&self, [semantic, bm25, graph]: [f64; 3], section: usize) -> f64 {
        let [scores, rest] = self.weights[section & 3];
        let [one, other] = (F64x2::new(semantic, bm25) * scores + F64x2::new(graph, 1.0) * rest).to_array();
        one + other
    }
}

/// Candidates whose nodes are in columns. The scores are columns too, of the length of `rows`, and the rows lie within
/// the columns.
pub(crate) struct Resident<'a> {
    pub rows: &'a [Row],
    pub semantic: &'a [f64],
    pub bm25: &'a [f64],
    pub graph: &'a [f64],
    pub last_accessed: &'a Column<f64>,
    pub created_at: &'a Column<f64>,
    pub access_count: &'a Column<u32>,
    pub inbound: &'a Column<u32>,
    pub section: &'a Column<u8>,
    /// Whether no node was accessed after `now`, as far as is known.
    pub accessed_by_now: bool,
}

/// The columns of nodes where they consist of one segment.
struct OneSegment<'a> {
    last_accessed: &'a [f64],
    created_at: &'a [f64],
    access_count: &'a [u32],
    inbound: &'a [u32],
    section: &'a [u8],
}

impl<'a> Resident<'a> {
    fn as_one(&self) -> Option<OneSegment<'a>> {
        Some(OneSegment {
            last_accessed: self.last_accessed.as_one()?,
            created_at: self.created_at.as_one()?,
            access_count: self.access_count.as_one()?,
            inbound: self.inbound.as_one()?,
            section: self.section.as_one()?,
        })
    }

    /// Row, and semantic, BM25 and graph score of some candidates.
    #[inline(always)]
    fn of(&self, run: Range<usize>) -> impl Iterator<Item = (&Row, [f64; 3])> {
        let columns = self.semantic[run.clone()].iter().zip(&self.bm25[run.clone()]).zip(&self.graph[run.clone()]);
        self.rows[run].iter().zip(columns.map(|((&semantic, &bm25), &graph)| [semantic, bm25, graph]))
    }

    /// Semantic, BM25 and graph score of a candidate.
    #[inline(always)]
    fn scores(&self, index: usize) -> [f64; 3] {
        [self.semantic[index], self.bm25[index], self.graph[index]]
    }

    /// Rates a candidate, whenever it was accessed.
    #[inline(never)]
    fn rate(&self, index: usize, batch: &Batch, tables: &Tables) -> Rated {
        let node = self.node(self.rows[index] as usize);
        let [semantic, bm25, graph] = self.scores(index);
        let numbers = [semantic, bm25, graph, node.last_accessed, node.created_at, f64::from(node.inbound)];
        let saturation = tables.saturation.of_count(node.access_count);
        let signals = batch.signals_of(numbers, saturation, |days| tables.recency.get(days));
        Rated::new(signals, usize::from(node.section), batch)
    }
}

/// What ranking reads of a node.
struct ResidentNode {
    last_accessed: f64,
    created_at: f64,
    access_count: u32,
    inbound: u32,
    section: u8,
}

/// Where the fields of nodes lie.
trait Nodes {
    fn node(&self, row: usize) -> ResidentNode;
    fn last_accessed(&self, row: usize) -> f64;
    fn section(&self, row: usize) -> usize;
}

impl Nodes for Resident<'_> {
    #[inline(always)]
    fn node(&self, row: usize) -> ResidentNode {
        ResidentNode {
            last_accessed: self.last_accessed.at(row),
            created_at: self.created_at.at(row),
            access_count: self.access_count.at(row),
            inbound: self.inbound.at(row),
            section: self.section.at(row),
        }
    }

    #[inline(always)]
    fn last_accessed(&self, row: usize) -> f64 {
        self.last_accessed.at(row)
    }

    #[inline(always)]
    fn section(&self, row: usize) -> usize {
        usize::from(self.section.at(row))
    }
}

impl Nodes for OneSegment<'_> {
    #[inline(always)]
    fn node(&self, row: usize) -> ResidentNode {
        ResidentNode {
            last_accessed: self.last_accessed[row],
            created_at: self.created_at[row],
            access_count: self.access_count[row],
            inbound: self.inbound[row],
            section: self.section[row],
        }
    }

    #[inline(always)]
    fn last_accessed(&self, row: usize) -> f64 {
        self.last_accessed[row]
    }

    #[inline(always)]
    fn section(&self, row: usize) -> usize {
        usize::from(self.section[row])
    }
}

/// Candidates that are scored before the best of them are looked for: a loop that calls nothing keeps its numbers in
/// registers.
const RUN: usize = 128;

/// Of a run, the part from which on scoring all of it is quicker than scoring the contenders one by one.
const FEW: usize = RUN / 4;

/// Candidates that run for the best places.
struct Race<'a, N> {
    candidates: &'a Resident<'a>,
    nodes: &'a N,
    batch: &'a Batch,
    /// None where no candidate is passed over.
    outline: Option<&'a Outline>,
    tables: &'a Tables,
}

impl<N: Nodes> Race<'_, N> {
    fn rank(
        &self,
        limit: usize,
        rated: &mut Vec<Rated>,
        best: &mut Selection,
        each: impl FnMut(Ranked),
    ) -> Result<bool> {
        if self.candidates.rows.len() > RUN {
            self.rank_many(limit, best, each)
        } else {
            self.rank_few(limit, rated, best, each)
        }
    }

    /// Of one run at most: what a candidate is rated by is kept, and not taken again should it rank.
    #[inline(never)]
    fn rank_few(
        &self,
        limit: usize,
        rated: &mut Vec<Rated>,
        best: &mut Selection,
        mut each: impl FnMut(Ranked),
    ) -> Result<bool> {
        let count = self.candidates.rows.len();
        rated.resize(RUN, Rated::new([F64x2::splat(0.0); 3], 0, self.batch));
        let rated = &mut rated[..count];
        let (all_near, sections) = self.rate_run(0..count, rated, |place, rated| *place = rated);
        if sections >= Section::ALL.len() {
            return Ok(false);
        }
        if !all_near {
            rated.iter_mut().zip(0..).for_each(|(rated, index)| *rated = self.rate(index));
        }
        if rated.iter().fold(false, |found, rated| found | rated.score.is_nan()) {
            return Err(not_a_number(rated.iter().position(|rated| rated.score.is_nan())));
        }
        for &index in best.of(limit, rated.iter().map(|rated| rated.score)) {
            each(rated[index as usize].ranked(index, self.batch));
        }
        Ok(true)
    }

    #[inline(never)]
    fn rank_many(&self, limit: usize, best: &mut Selection, mut each: impl FnMut(Ranked)) -> Result<bool> {
        let count = self.candidates.rows.len();
        best.clear(limit, count);
        let (mut sound, mut sections) = (true, 0);
        let (mut contenders, mut scores) = ([0; RUN], [0.0; RUN]);
        for from in (0..count).step_by(RUN) {
            let run = from..count.min(from + RUN);
            if let (Some(bar), Some(outline)) = (best.bar(), self.outline) {
                let (many, codes) = self.contend(outline, run.clone(), bar, &mut contenders);
                sections |= codes;
                let few = self.narrow(&mut contenders[..many], bar);
                if few <= FEW {
                    for &index in &contenders[..few] {
                        let score = self.rate(index as usize).score;
                        sound &= !score.is_nan();
                        best.offer(score, index);
                    }
                    continue;
                }
            }
            let (all_near, codes) = self.rate_run(run.clone(), &mut scores, |score, rated| *score = rated.score);
            sections |= codes;
            let scores = &mut scores[..run.len()];
            if !all_near {
                scores.iter_mut().zip(run).for_each(|(score, index)| *score = self.rate(index).score);
            }
            for (&score, index) in scores.iter().zip(from as u32..) {
                sound &= !score.is_nan();
                best.offer(score, index);
            }
        }
        if sections >= Section::ALL.len() {
            return Ok(false);
        }
        if !sound {
            return Err(not_a_number((0..count).position(|index| self.rate(index).score.is_nan())));
        }
        best.take().iter().for_each(|&index| each(self.rate(index as usize).ranked(index, self.batch)));
        Ok(true)
    }

    /// Those of a run that could rise above the bar, written from the front; how many they are, and the codes of all
    /// sections together.
    #[inline(always)]
    fn contend(&self, outline: &Outline, run: Range<usize>, bar: f64, contenders: &mut [u32; RUN]) -> (usize, usize) {
        let (mut count, mut sections) = (0, 0);
        let bar = bar - outline.slack;
        for (index, (&row, scores)) in run.clone().zip(self.candidates.of(run)) {
            let section = self.nodes.section(row as usize);
            sections |= section;
            contenders[count & (RUN - 1)] = index as u32;
            count += usize::from(may_rise(outline.at_most(scores, section), bar));
        }
        (count, sections)
    }

    /// Leaves those contenders at the front that could rise above the bar with the recency they have; how many they are.
    #[inline(always)]
    fn narrow(&self, contenders: &mut [u32], bar: f64) -> usize {
        let mut count = 0;
        let [now, _] = self.batch.now.to_array();
        for at in 0..contenders.len() {
            let index = contenders[at];
            let row = self.candidates.rows[index as usize] as usize;
            let (recency, is_near) = self.tables.recency.near(days_between(self.nodes.last_accessed(row), now));
            let recency = if is_near { recency } else { 1.0 };
            let affinity = if recency + NEW_BONUS > 1.0 { 1.0 } else { recency + NEW_BONUS };
            let scores = self.candidates.scores(index as usize);
            let most = self.batch.at_most(scores, self.nodes.section(row), recency, affinity);
            contenders[count] = index;
            count += usize::from(may_rise(most, bar));
        }
        count
    }

    /// Rates a run, without a call; whether all accesses lie in the table of recency, without which they are to be rated again,
    /// and the codes of all sections together.
    #[inline(always)]
    fn rate_run<O>(&self, run: Range<usize>, out: &mut [O], put: impl Fn(&mut O, Rated)) -> (bool, usize) {
        let (mut all_near, mut sections) = (true, 0);
        for (out, (&row, [semantic, bm25, graph])) in out.iter_mut().zip(self.candidates.of(run)) {
            let node = self.nodes.node(row as usize);
            let numbers = [semantic, bm25, graph, node.last_accessed, node.created_at, f64::from(node.inbound)];
            let saturation = self.tables.saturation.of_count(node.access_count);
            let signals = self.batch.signals_of(numbers, saturation, |days| {
                let (recency, is_near) = self.tables.recency.near(days);
                all_near &= is_near;
                recency
            });
            put(out, Rated::new(signals, usize::from(node.section), self.batch));
            sections |= usize::from(node.section);
        }
        (all_near, sections)
    }

    fn rate(&self, index: usize) -> Rated {
        self.candidates.rate(index, self.batch, self.tables)
    }
}

/// Whether a score of at most this may lie above the bar. Not `>`, which nothing is beside NaN.
#[inline(always)]
#[allow(clippy::neg_cmp_op_on_partial_ord)]
fn may_rise(most: f64, bar: f64) -> bool {
    !(most <= bar)
}
