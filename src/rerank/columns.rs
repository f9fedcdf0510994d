//! Ranking of candidates whose fields lie in columns: the semantic, BM25 and graph scores are
//! passed in, and the other five numbers of a candidate are fetched by its row.
//!
//! # Idea
//!
//! The columns of one row are far apart in memory, and fetching them is most of the work. So the
//! aim is to fetch the fields of few rows:
//!
//! ```text
//! up to 128    rate all, keep their signals, sort                     SmallBuffer,  6 KB
//! up to 2,048  the same                                               MediumBuffer, 90 KB
//! more         for each run of 128 candidates:
//!                1. quick bound:    section          -> contenders
//!                2. recency bound:  + last access    -> fewer contenders
//!                3. if at most 32 are left: score each of them; else: score the whole run
//!                offer every score to the list of the best
//! ```
//!
//! The two bounds are used only while [`Selection`] keeps a list of the best (few results are
//! wanted of many candidates) and that list is full. Then its last score is the *bar*. A candidate
//! enters the list only if its score is above the bar, because of equal scores the earlier one
//! ranks first. So a candidate may be skipped if an upper bound of its score is at most the bar.
//!
//! Candidates are rated two at a time, one per lane of a [`F64x2`], by the formula that also rates
//! records: [`Batch::rated`].
//!
//! # Invariants
//!
//! - The ranking has the same order and the same bits as one that rates every candidate.
//! - A candidate is kept if `!(bound <= bar)`, which is not `bound > bar`: a bound that is NaN
//!   keeps its candidate, which is then scored, and a score that is NaN becomes an error.
//! - The section code of every row is read, whether its candidate is skipped or not. The codes are
//!   combined with `|`: a row without a node has the code 4, and codes of sections are below 4. So
//!   one comparison at the end finds whether a row has no node.
//! - Weights of an index are at least 0. Of a memory that was not accessed after `now`, recency,
//!   authority and affinity lie in [0, 1]. A later access makes recency greater than 1, so the
//!   bounds are off if there is one (`accessed_by_now` is false).
//!
//! # Why the bounds hold in floating point
//!
//! The **quick bound** takes recency, authority and affinity as 1. It adds
//!
//! ```text
//! (semantic · w0 + bm25 · (w1 / max_bm25)) + (graph · w2 + (w1 · fixed keyword + w3 + w4 + w5))
//! ```
//!
//! which is not the order of the score, so rounding may take it below the score. Score and bound
//! are sums of a few products. Each rounding is off by at most half a unit of the largest possible
//! sum (`peak`, from the [`Peaks`] of the batch). There are fewer than 32 of them, so a slack of 32
//! units is enough. [`QuickBound::TINY`] covers products that are too small to have a unit of their
//! own. If the greatest BM25 score is so large that the quotient loses bits, the slack is infinite,
//! and the bound skips no candidate.
//!
//! The **recency bound** needs no slack. It adds the same products in the order of the score, each
//! with a factor that is at least as large: authority is taken as 1, affinity as recency plus the
//! bonus for new memories, at most 1, and the keyword as `bm25 · (1 + 4ε) / max`, which rounds to
//! no less than the quotient. Products with weights of at least 0 and sums keep `≤` when they are
//! rounded. Recency is looked up with the place cut to the length of the table: a number of days
//! beyond the table is taken as a smaller number, for which recency is greater.
//!
//! # Cost
//!
//! A skipped candidate costs one byte of its columns (and eight more, if the quick bound did not
//! skip it) instead of 25. The buffers are made when a batch first needs them, and stay. Clearing
//! them takes as long as rating some candidates, so they are not cleared.

use std::ops::Range;

use super::bounds::{Peaks, QuickBound, can_exceed};
use super::{Batch, CandidatePair, Query, Ranked, Rated, Reranker, Tables, not_a_number};
use crate::check::DAY_MS;
use crate::columns::{Column, Row};
use crate::error::Result;
use crate::math::F64x2;
use crate::order::{FewSorter, Selection};
use crate::section::Section;
use crate::signal::{NEW_BONUS, RecencyTable};

impl Reranker {
    /// Bytes for ranking this many candidates in columns, beyond the buffers that exist already.
    pub(crate) fn need(&self, candidates: usize) -> usize {
        let RatingBuffers { small, medium } = &self.buffers;
        if candidates <= SmallBuffer::MOST {
            if small.is_some() { 0 } else { SmallBuffer::BYTES }
        } else if candidates <= MediumBuffer::MOST {
            if medium.is_some() { 0 } else { MediumBuffer::BYTES }
        } else {
            // Buffers for sorting, or a list of the best.
            candidates * 64
        }
    }

    /// Calls `each` for the first `limit` candidates, highest first. Their scores are in range and
    /// have these peaks. Returns `false`, and calls nothing, if the row of a candidate has no node.
    pub(crate) fn rank_columns(
        &mut self,
        candidates: &CandidateColumns<'_>,
        peaks: Peaks,
        limit: usize,
        query: &Query<'_>,
        each: impl FnMut(Ranked),
    ) -> Result<bool> {
        Batch::check(query)?;
        let count = candidates.rows.len();
        let batch = &Batch::new(count, peaks.bm25, query);
        let limit = limit.min(count);
        let tables = self.tables.get_or_init(Box::default);
        // An access after `now` makes recency greater than 1: then no bound holds.
        let quick_bound = (count > MediumBuffer::MOST && candidates.accessed_by_now)
            .then(|| QuickBound::new(batch, peaks));
        let quick_bound = quick_bound.as_ref();
        let (buffers, best) = (&mut self.buffers, &mut self.best);
        // Most indexes have one segment, where fetching a field costs half as much.
        match candidates.as_one() {
            Some(nodes) => Ranker { candidates, nodes, batch, quick_bound, tables }
                .rank(limit, buffers, best, each),
            None => Ranker { candidates, nodes: candidates, batch, quick_bound, tables }
                .rank(limit, buffers, best, each),
        }
    }
}

/// Signals and scores of up to 2 · `PAIRS` candidates.
struct RatingBuffer<const PAIRS: usize> {
    /// The signals that are not passed in, for each pair of candidates: keyword, recency, authority
    /// and affinity.
    signals: [[[f64; 2]; PAIRS]; 4],
    scores: [[f64; 2]; PAIRS],
    sorter: FewSorter,
}

impl<const PAIRS: usize> RatingBuffer<PAIRS> {
    const MOST: usize = 2 * PAIRS;
    const BYTES: usize = size_of::<Self>() + FewSorter::need(Self::MOST);
}

impl<const PAIRS: usize> Default for RatingBuffer<PAIRS> {
    fn default() -> Self {
        Self {
            signals: [[[0.0; 2]; PAIRS]; 4],
            scores: [[0.0; 2]; PAIRS],
            sorter: FewSorter::default(),
        }
    }
}

/// For up to 128 candidates: 6 KB, because a process may have hundreds of small indexes.
type SmallBuffer = RatingBuffer<64>;
/// For up to 2,048 candidates. Of more, skipping most of them is quicker.
type MediumBuffer = RatingBuffer<1024>;

/// Buffers for batches whose candidates are all rated, each made when it is first needed.
#[derive(Default)]
pub(super) struct RatingBuffers {
    small: Option<Box<SmallBuffer>>,
    medium: Option<Box<MediumBuffer>>,
}

/// Candidates in columns. The three columns of scores have the length of `rows`, and every row is
/// within the columns of nodes.
pub(crate) struct CandidateColumns<'a> {
    pub rows: &'a [Row],
    pub semantic: &'a [f64],
    pub bm25: &'a [f64],
    pub graph: &'a [f64],
    pub last_accessed: &'a Column<f64>,
    pub created_at: &'a Column<f64>,
    pub access_count: &'a Column<u32>,
    pub inbound: &'a Column<u32>,
    pub section: &'a Column<u8>,
    /// Whether it is certain that no node was accessed after `now`.
    pub accessed_by_now: bool,
}

/// The columns of nodes of an index whose columns have one segment.
#[derive(Clone, Copy)]
struct OneSegment<'a> {
    last_accessed: &'a [f64],
    created_at: &'a [f64],
    access_count: &'a [u32],
    inbound: &'a [u32],
    section: &'a [u8],
}

impl<'a> CandidateColumns<'a> {
    fn as_one(&self) -> Option<OneSegment<'a>> {
        Some(OneSegment {
            last_accessed: self.last_accessed.as_one()?,
            created_at: self.created_at.as_one()?,
            access_count: self.access_count.as_one()?,
            inbound: self.inbound.as_one()?,
            section: self.section.as_one()?,
        })
    }

    /// Rows and semantic, BM25 and graph scores of a run, in pairs, without the last candidate of
    /// an odd number.
    #[inline(always)]
    fn pairs(&self, run: Range<usize>) -> impl Iterator<Item = (&[Row; 2], [F64x2; 3])> {
        let column = |column: &'a [f64]| column[run.clone()].as_chunks::<2>().0;
        let columns = column(self.semantic).iter().zip(column(self.bm25)).zip(column(self.graph));
        let columns =
            columns.map(|((semantic, bm25), graph)| [semantic, bm25, graph].map(F64x2::load));
        self.rows[run].as_chunks::<2>().0.iter().zip(columns)
    }

    /// Semantic, BM25 and graph score of a candidate.
    #[inline(always)]
    fn scores(&self, index: usize) -> [f64; 3] {
        [self.semantic[index], self.bm25[index], self.graph[index]]
    }

    /// Rates one candidate, in both lanes. It may have been accessed at any time.
    #[inline(never)]
    fn rate(&self, index: usize, batch: &Batch, tables: &Tables) -> Rated {
        let two = self.two([self.rows[index]; 2], self.scores(index).map(F64x2::splat), tables);
        batch.rated(&two, |days| tables.recency_of(days))
    }
}

/// Access to the fields of nodes.
trait Nodes: Copy {
    /// The same columns, re-sliced to one length, so that the compiler drops bounds checks.
    fn with_common_length(self) -> Self;
    fn last_accessed(self, row: Row) -> f64;
    fn created_at(self, row: Row) -> f64;
    fn access_count(self, row: Row) -> u32;
    fn inbound(self, row: Row) -> u32;
    fn section(self, row: Row) -> usize;

    /// A pair of candidates.
    #[inline(always)]
    fn two(
        self,
        [one, other]: [Row; 2],
        [semantic, bm25, graph]: [F64x2; 3],
        tables: &Tables,
    ) -> CandidatePair {
        let both = |field: fn(Self, Row) -> f64| F64x2::new(field(self, one), field(self, other));
        let saturation = |row: Row| tables.saturation.of_count(self.access_count(row));
        CandidatePair {
            semantic,
            bm25,
            graph,
            last_accessed: both(Self::last_accessed),
            created_at: both(Self::created_at),
            saturation: F64x2::new(saturation(one), saturation(other)),
            inbound_edges: both(|nodes, row| f64::from(nodes.inbound(row))),
            sections: [self.section(one), self.section(other)],
        }
    }
}

impl Nodes for &CandidateColumns<'_> {
    #[inline(always)]
    fn with_common_length(self) -> Self {
        self
    }

    #[inline(always)]
    fn last_accessed(self, row: Row) -> f64 {
        self.last_accessed.at(row as usize)
    }

    #[inline(always)]
    fn created_at(self, row: Row) -> f64 {
        self.created_at.at(row as usize)
    }

    #[inline(always)]
    fn access_count(self, row: Row) -> u32 {
        self.access_count.at(row as usize)
    }

    #[inline(always)]
    fn inbound(self, row: Row) -> u32 {
        self.inbound.at(row as usize)
    }

    #[inline(always)]
    fn section(self, row: Row) -> usize {
        usize::from(self.section.at(row as usize))
    }
}

impl Nodes for OneSegment<'_> {
    #[inline(always)]
    fn with_common_length(self) -> Self {
        let rows = self.section.len();
        Self {
            last_accessed: &self.last_accessed[..rows],
            created_at: &self.created_at[..rows],
            access_count: &self.access_count[..rows],
            inbound: &self.inbound[..rows],
            section: self.section,
        }
    }

    #[inline(always)]
    fn last_accessed(self, row: Row) -> f64 {
        self.last_accessed[row as usize]
    }

    #[inline(always)]
    fn created_at(self, row: Row) -> f64 {
        self.created_at[row as usize]
    }

    #[inline(always)]
    fn access_count(self, row: Row) -> u32 {
        self.access_count[row as usize]
    }

    #[inline(always)]
    fn inbound(self, row: Row) -> u32 {
        self.inbound[row as usize]
    }

    #[inline(always)]
    fn section(self, row: Row) -> usize {
        usize::from(self.section[row as usize])
    }
}

/// Candidates that are scored before their scores are offered: a loop without calls keeps its
/// numbers in registers.
const RUN: usize = 128;

/// If more contenders of a run are left, scoring the whole run is quicker than scoring each of
/// them.
const MANY: usize = RUN / 4;

/// One ranking of candidates in columns.
struct Ranker<'a, N> {
    candidates: &'a CandidateColumns<'a>,
    nodes: N,
    batch: &'a Batch,
    /// `None` if no candidate may be skipped.
    quick_bound: Option<&'a QuickBound>,
    tables: &'a Tables,
}

impl<N: Nodes> Ranker<'_, N> {
    fn rank(
        &self,
        limit: usize,
        buffers: &mut RatingBuffers,
        best: &mut Selection,
        each: impl FnMut(Ranked),
    ) -> Result<bool> {
        let count = self.candidates.rows.len();
        if count <= SmallBuffer::MOST {
            self.rank_all_rated(limit, buffers.small.get_or_insert_default(), each)
        } else if count <= MediumBuffer::MOST {
            self.rank_all_rated(limit, buffers.medium.get_or_insert_default(), each)
        } else {
            self.rank_pruned(limit, best, each)
        }
    }

    /// Rates all candidates and keeps their signals for those that rank.
    #[inline(never)]
    fn rank_all_rated<const PAIRS: usize>(
        &self,
        limit: usize,
        few: &mut RatingBuffer<PAIRS>,
        mut each: impl FnMut(Ranked),
    ) -> Result<bool> {
        let count = self.candidates.rows.len();
        let RatingBuffer { signals, scores, sorter } = few;
        let scores = scores.as_flattened_mut();
        let (all_near, sections) = self.rate_run(0..count, scores, |place, it| {
            let [_, keyword, _, recency, authority, affinity] = it.signals;
            for (signal, lanes) in signals.iter_mut().zip([keyword, recency, authority, affinity]) {
                lanes.store(&mut signal[place % PAIRS]);
            }
        });
        let scores = &scores[..count];
        if sections >= Section::ALL.len() {
            return Ok(false);
        }
        let Some(order) = sorter.sort(scores, limit) else {
            return Err(not_a_number(scores.iter().position(|score| score.is_nan())));
        };
        for &index in order {
            let index = usize::from(index);
            let signals = if all_near {
                let [semantic, _, graph] = self.candidates.scores(index);
                let [keyword, recency, authority, affinity] =
                    signals.each_ref().map(|signal| signal.as_flattened()[index]);
                [semantic, keyword, graph, recency, authority, affinity]
            } else {
                self.rate_one(index).0
            };
            each(self.ranked(index, scores[index], signals));
        }
        Ok(true)
    }

    #[inline(never)]
    fn rank_pruned(
        &self,
        limit: usize,
        best: &mut Selection,
        mut each: impl FnMut(Ranked),
    ) -> Result<bool> {
        let count = self.candidates.rows.len();
        best.clear(limit, count);
        let (mut sound, mut sections) = (true, 0);
        let (mut contenders, mut scores) = ([0; RUN], [0.0; RUN]);
        for from in (0..count).step_by(RUN) {
            let run = from..count.min(from + RUN);
            if let (Some(bar), Some(quick_bound)) = (best.bar(), self.quick_bound) {
                let (many, codes) =
                    self.filter_by_quick_bound(quick_bound, run.clone(), bar, &mut contenders);
                sections |= codes;
                let few = self.filter_by_recency(&mut contenders[..many], bar);
                if few <= MANY {
                    for &index in &contenders[..few] {
                        let score = self.score(index as usize);
                        sound &= !score.is_nan();
                        best.offer(score, index);
                    }
                    continue;
                }
            }
            let (_, codes) = self.rate_run(run.clone(), &mut scores, |_, _| {});
            sections |= codes;
            for (&score, index) in scores[..run.len()].iter().zip(from as u32..) {
                sound &= !score.is_nan();
                best.offer(score, index);
            }
        }
        if sections >= Section::ALL.len() {
            return Ok(false);
        }
        if !sound {
            return Err(not_a_number((0..count).position(|index| self.score(index).is_nan())));
        }
        for &index in best.take() {
            let index = index as usize;
            let (signals, score) = self.rate_one(index);
            each(self.ranked(index, score, signals));
        }
        Ok(true)
    }

    /// Writes the candidates of a run that could rise above the bar to the front of `contenders`.
    /// Returns their number, and all section codes combined with `|`.
    #[inline(always)]
    fn filter_by_quick_bound(
        &self,
        quick_bound: &QuickBound,
        run: Range<usize>,
        bar: f64,
        contenders: &mut [u32; RUN],
    ) -> (usize, usize) {
        let (mut count, mut sections) = (0, 0);
        let bar = F64x2::splat(bar - quick_bound.slack);
        let mut put = |index: usize, rises: u32| {
            contenders[count & (RUN - 1)] = index as u32;
            count += rises as usize;
        };
        for (index, (&[one, other], scores)) in
            run.clone().step_by(2).zip(self.candidates.pairs(run.clone()))
        {
            let codes = [self.nodes.section(one), self.nodes.section(other)];
            sections |= codes[0] | codes[1];
            // Not `above`: a bound that is NaN must keep its candidate.
            let stay = quick_bound.at_most(scores, codes).at_most(bar).bits();
            put(index, !stay & 1);
            put(index + 1, !stay >> 1 & 1);
        }
        // The last candidate of an odd number is always kept.
        if run.len() % 2 == 1 {
            put(run.end - 1, 1);
            sections |= self.nodes.section(self.candidates.rows[run.end - 1]);
        }
        (count, sections)
    }

    /// Keeps the contenders that could rise above the bar with their true recency, at the front.
    /// Returns their number.
    #[inline(always)]
    fn filter_by_recency(&self, contenders: &mut [u32], bar: f64) -> usize {
        let mut count = 0;
        let [now, _] = self.batch.now.to_array();
        for at in 0..contenders.len() {
            let index = contenders[at];
            let row = self.candidates.rows[index as usize];
            let days = ((now - self.nodes.last_accessed(row)) / DAY_MS).floor();
            // A number of days beyond the table is looked up as a smaller one, which is more
            // recent.
            let [recency, _] = self.tables.recency.near(F64x2::splat(days)).0.to_array();
            let affinity = if recency + NEW_BONUS > 1.0 { 1.0 } else { recency + NEW_BONUS };
            let scores = self.candidates.scores(index as usize);
            let max = self.batch.at_most(scores, self.nodes.section(row), recency, affinity);
            contenders[count] = index;
            count += usize::from(can_exceed(max, bar));
        }
        count
    }

    /// Rates a run, and calls `each` with every pair and its place. Returns whether all accesses
    /// are in the table of recency, and all section codes combined with `|`. If an access is not in
    /// the table, the scores are computed again, and the pairs that `each` got are wrong.
    #[inline(always)]
    fn rate_run(
        &self,
        run: Range<usize>,
        scores: &mut [f64],
        mut each: impl FnMut(usize, &Rated),
    ) -> (bool, usize) {
        let (mut places, mut sections) = (0, 0);
        let nodes = self.nodes.with_common_length();
        let near = |days: F64x2, places: &mut usize| {
            let (recency, place) = self.tables.recency.near(days);
            *places |= place;
            recency
        };
        let (out, _) = scores.as_chunks_mut::<2>();
        for ((place, out), (&rows, given)) in
            out.iter_mut().enumerate().zip(self.candidates.pairs(run.clone()))
        {
            let two = nodes.two(rows, given, self.tables);
            let rated = self.batch.rated(&two, |days| near(days, &mut places));
            rated.scores.store(out);
            each(place, &rated);
            sections |= two.sections[0] | two.sections[1];
        }
        if run.len() % 2 == 1 {
            let last = run.end - 1;
            let rated = self.rate(last);
            [scores[run.len() - 1], _] = rated.scores.to_array();
            each(run.len() / 2, &rated);
            sections |= nodes.section(self.candidates.rows[last]);
        }
        let all_near = places < RecencyTable::DAYS;
        if !all_near {
            scores.iter_mut().zip(run).for_each(|(score, index)| *score = self.score(index));
        }
        (all_near, sections)
    }

    fn rate(&self, index: usize) -> Rated {
        self.candidates.rate(index, self.batch, self.tables)
    }

    fn ranked(&self, index: usize, score: f64, signals: [f64; 6]) -> Ranked {
        let section = self.nodes.section(self.candidates.rows[index]);
        Ranked {
            index,
            score,
            breakdown: signals,
            primary_signal: self.batch.primary(&signals, section) as usize,
        }
    }

    fn rate_one(&self, index: usize) -> ([f64; 6], f64) {
        let Rated { signals, scores } = self.rate(index);
        (signals.map(|lanes| lanes.to_array()[0]), scores.to_array()[0])
    }

    fn score(&self, index: usize) -> f64 {
        let [score, _] = self.rate(index).scores.to_array();
        score
    }
}
