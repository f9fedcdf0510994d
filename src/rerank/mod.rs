//! Reranking: a batch of candidates becomes a ranking by the weighted sum of six signals.
//!
//! All candidates of a query are ranked together, whatever their sections, and share one BM25
//! maximum.

mod bounds;
mod columns;
mod neutral;

use std::cell::OnceCell;

pub(crate) use bounds::Peaks;
pub(crate) use columns::CandidateColumns;

use crate::check::{
    AMOUNT, COUNT, DAY_MS, INSTANT, MAX_INSTANT_MS, check_instant, is_amount, is_count, is_instant,
    is_score,
};
use crate::error::{Error, Result};
use crate::math::{F64x2, low_bits};
use crate::order::Selection;
use crate::section::{Section, SectionTable, Weights};
use crate::signal::{self, NEUTRAL, NEW_BONUS, NEW_DAYS, RecencyTable, SaturationTable};

/// A memory to be ranked. Instants are milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Similarity of meaning, a cosine; 0 if unknown.
    pub semantic_score: f64,
    /// BM25 score, at least 0; 0 if unknown.
    pub bm25_score: f64,
    /// Activation over the graph, at least 0; 0 if unknown.
    pub graph_score: f64,
    /// Last access.
    pub last_accessed: f64,
    /// Creation.
    pub created_at: f64,
    /// Number of accesses, whole.
    pub access_count: f64,
    /// Number of edges that point here, whole.
    pub inbound_edge_count: f64,
    /// The section that decides the weights.
    pub section: Section,
}

/// A candidate at its place of the ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// The place of the candidate in the batch.
    pub index: usize,
    /// The weighted sum of the signals.
    pub score: f64,
    /// The six signals, in the order of [`SIGNALS`](signal::SIGNALS).
    pub breakdown: [f64; 6],
    /// The place in [`SIGNALS`](signal::SIGNALS) of the signal that contributes most.
    pub primary_signal: usize,
}

/// The weights of a ranking.
#[derive(Clone, Copy, Debug)]
pub enum Weighting<'a> {
    /// The same for every candidate.
    Uniform(Weights),
    /// Those of each candidate's section.
    Sections(&'a SectionTable),
}

impl Weighting<'_> {
    fn by_section(self) -> [Weights; 4] {
        match self {
            Self::Uniform(weights) => [weights; 4],
            Self::Sections(table) => table.weights(),
        }
    }
}

/// The weights, the graph and the time that a batch is ranked by.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The weights.
    pub weighting: Weighting<'a>,
    /// The average number of inbound edges of a node; 0 if unknown.
    pub avg_inbound_edges: f64,
    /// The present, in milliseconds since 1970.
    pub now: f64,
}

/// One candidate as eight numbers. Going in: the three scores, last access, creation, accesses,
/// inbound edges, section code. Coming out: the six signals, the score, the place of the primary
/// signal.
pub(crate) type Record = [f64; 8];

const SCORE: usize = 6;

impl Candidate {
    fn to_record(self) -> Record {
        [
            self.semantic_score,
            self.bm25_score,
            self.graph_score,
            self.last_accessed,
            self.created_at,
            self.access_count,
            self.inbound_edge_count,
            f64::from(self.section as u8),
        ]
    }
}

/// Look-up tables of the signals, made for the first batch. They are one allocation, so that a loop
/// over candidates holds one pointer.
#[derive(Default)]
struct Tables {
    recency: RecencyTable,
    saturation: SaturationTable,
}

/// Ranks batches. Holds tables and scratch, so keep one and use it again.
///
/// ```
/// use nous_wasm::{Candidate, Query, Reranker, Section, SectionTable, Weighting};
/// let day = 86_400_000.0;
/// let now = 20_000.0 * day;
/// let seen = |days: f64, section| Candidate {
///     semantic_score: 0.5, bm25_score: 0.0, graph_score: 0.0,
///     last_accessed: now - days * day, created_at: now - days * day,
///     access_count: 1.0, inbound_edge_count: 0.0, section,
/// };
/// let table = SectionTable::default();
/// let query = Query { weighting: Weighting::Sections(&table), avg_inbound_edges: 0.0, now };
/// let batch = [seen(40.0, Section::Signals), seen(1.0, Section::Signals)];
/// let ranking = Reranker::default().rerank(&batch, &query)?;
/// assert_eq!(ranking[0].index, 1); // the fresh one
/// # Ok::<(), nous_wasm::Error>(())
/// ```
#[derive(Default)]
pub struct Reranker {
    tables: OnceCell<Box<Tables>>,
    best: Selection,
    buffers: columns::RatingBuffers,
}

impl Reranker {
    /// Returns the whole batch, highest score first. Equal scores keep their order.
    ///
    /// # Errors
    /// `invalid_argument` with field and index for a score that is not finite, a negative BM25 or
    /// graph score, an instant out of range, a count that is not a whole number of at least 0, and
    /// for signals so large that their sum is not a number; without index for weights, average or
    /// `now` out of range.
    pub fn rerank(&mut self, candidates: &[Candidate], query: &Query<'_>) -> Result<Vec<Ranked>> {
        self.rerank_top(candidates, query, candidates.len())
    }

    /// The first `limit` of [`Reranker::rerank`]. If these are few of many, the rest is not sorted.
    ///
    /// # Errors
    /// As [`Reranker::rerank`]: candidates outside the first `limit` are checked too.
    pub fn rerank_top(
        &mut self,
        candidates: &[Candidate],
        query: &Query<'_>,
        limit: usize,
    ) -> Result<Vec<Ranked>> {
        let mut records: Vec<Record> =
            candidates.iter().map(|candidate| candidate.to_record()).collect();
        let mut order = vec![0.0; limit.min(records.len())];
        self.rank(&mut records, &mut order, query)?;
        Ok(results(&records, &order))
    }

    /// Ranks records in place. `order` receives the indices of the first `order.len()` records. At
    /// least these are rewritten from candidate to result.
    pub(crate) fn rank(
        &mut self,
        records: &mut [Record],
        order: &mut [f64],
        query: &Query<'_>,
    ) -> Result<()> {
        let max = Batch::check(query)
            .and_then(|()| check_records(records).ok_or_else(|| first_fault(records)))?;
        let batch = Batch::new(records.len(), max, query);
        if order.len() == records.len() {
            self.rank_all(records, order, &batch)
        } else {
            self.rank_top(records, order, &batch)
        }
    }

    fn rank_all(&mut self, records: &mut [Record], order: &mut [f64], batch: &Batch) -> Result<()> {
        self.best.clear(records.len(), records.len());
        let tables = self.tables.get_or_init(Box::default);
        let mut sound = true;
        let (pairs, rest) = records.as_chunks_mut::<2>();
        for (pair, index) in pairs.iter_mut().zip(0..) {
            let scores = batch.rewrite(pair, tables);
            for (score, index) in scores.into_iter().zip(2 * index..) {
                sound &= !score.is_nan();
                self.best.offer(score, index);
            }
        }
        if let [last] = rest {
            let score = batch.rewrite_one(last, tables);
            sound &= !score.is_nan();
            self.best.offer(score, 2 * pairs.len() as u32);
        }
        if !sound {
            return Err(not_a_number(records.iter().position(|record| record[SCORE].is_nan())));
        }
        for (place, &index) in order.iter_mut().zip(self.best.take()) {
            *place = f64::from(index);
        }
        Ok(())
    }

    fn rank_top(&mut self, records: &mut [Record], order: &mut [f64], batch: &Batch) -> Result<()> {
        self.best.clear(order.len(), records.len());
        let tables = self.tables.get_or_init(Box::default);
        let mut sound = true;
        let (pairs, rest) = records.as_chunks::<2>();
        for (pair, index) in pairs.iter().zip(0..) {
            for (score, index) in
                batch.rate(pair, tables).scores.to_array().into_iter().zip(2 * index..)
            {
                sound &= !score.is_nan();
                self.best.offer(score, index);
            }
        }
        if let [last] = rest {
            let score = batch.rewrite_one(&mut last.clone(), tables);
            sound &= !score.is_nan();
            self.best.offer(score, 2 * pairs.len() as u32);
        }
        if !sound {
            records.iter_mut().for_each(|record| _ = batch.rewrite_one(record, tables));
            return Err(not_a_number(records.iter().position(|record| record[SCORE].is_nan())));
        }
        for (place, &index) in order.iter_mut().zip(self.best.take()) {
            *place = f64::from(index);
            batch.rewrite_one(&mut records[index as usize], tables);
        }
        Ok(())
    }
}

/// The rewritten records in their order.
fn results(records: &[Record], order: &[f64]) -> Vec<Ranked> {
    let ranked = order.iter().map(|&place| {
        let index = place as usize;
        let [breakdown @ .., score, primary_signal] = records[index];
        Ranked { index, score, breakdown, primary_signal: primary_signal as usize }
    });
    ranked.collect()
}

/// The numbers that all candidates of a batch share. Candidates are rated two at a time, one per
/// lane.
struct Batch {
    /// By section code.
    weights: [Pairs; 4],
    /// The same, one by one. Those of a memory index are at least 0.
    flat: [[f64; 6]; 4],
    now: F64x2,
    keyword: Share,
    authority: Share,
    /// The value of the keyword signal, if it is the same for all candidates.
    fixed_keyword: Option<f64>,
    /// Slightly more than 1 over the greatest BM25 score, whichever way that is rounded. So a score
    /// times this rounds to no less than the quotient, and takes a fraction of the time.
    per_bm25: f64,
}

/// A share of a whole, or a fixed value if there is no whole. A fixed value is
/// `amount / ∞ + value`, because an amount over infinity is 0; a share is `amount / whole + −0`,
/// because adding −0 changes no bit.
#[derive(Clone, Copy)]
struct Share {
    of: F64x2,
    plus: F64x2,
}

impl Share {
    fn new(whole: f64, fixed: Option<f64>) -> Self {
        let (of, plus) = fixed.map_or((whole, -0.0), |value| (f64::INFINITY, value));
        Self { of: F64x2::splat(of), plus: F64x2::splat(plus) }
    }

    #[inline(always)]
    fn at(self, amount: F64x2) -> F64x2 {
        amount / self.of + self.plus
    }
}

/// The numbers that two candidates are rated by, one per lane.
struct CandidatePair {
    semantic: F64x2,
    bm25: F64x2,
    graph: F64x2,
    last_accessed: F64x2,
    created_at: F64x2,
    saturation: F64x2,
    inbound_edges: F64x2,
    /// Section codes, of which the two lowest bits count.
    sections: [usize; 2],
}

/// The signals and the scores of two candidates.
struct Rated {
    signals: SignalLanes,
    scores: F64x2,
}

/// A value for each signal, in their order, of two candidates.
type SignalLanes = [F64x2; 6];

impl Batch {
    fn check(query: &Query<'_>) -> Result<()> {
        let [weights, ..] = query.weighting.by_section();
        for (name, weight) in signal::SIGNALS.iter().zip(weights.to_array()) {
            if !weight.is_finite() {
                return Err(Error::argument(format!("weights.{name}"), "must be a finite number")
                    .found(weight));
            }
        }
        if !is_amount(query.avg_inbound_edges) {
            return Err(Error::argument("avg_inbound_edges", AMOUNT).found(query.avg_inbound_edges));
        }
        check_instant("now", query.now)
    }

    /// A batch of this many candidates, whose largest BM25 score is `max_bm25`.
    fn new(candidates: usize, max_bm25: f64, query: &Query<'_>) -> Self {
        let weights = query.weighting.by_section().map(Weights::to_array);
        // Without BM25 scores, or without edges, the signal has a fixed value.
        let no_bm25 = max_bm25 == 0.0;
        let keyword = if no_bm25 { Some(NEUTRAL) } else { (candidates == 1).then_some(1.0) };
        let no_edges = query.avg_inbound_edges == 0.0;
        Self {
            weights: weights.map(pairs),
            flat: weights,
            now: F64x2::splat(query.now),
            keyword: Share::new(max_bm25, keyword),
            // Twice the authority, which is halved.
            authority: Share::new(query.avg_inbound_edges, no_edges.then_some(2.0 * NEUTRAL)),
            fixed_keyword: keyword,
            per_bm25: (1.0 + 4.0 * f64::EPSILON) / max_bm25,
        }
    }

    /// The six signals, by the formulas of [`signal`]. `recency` looks up the recency of days.
    #[inline(always)]
    fn signals(&self, it: &CandidatePair, recency: impl FnOnce(F64x2) -> F64x2) -> SignalLanes {
        let one = F64x2::splat(1.0);
        let days = ((self.now - it.last_accessed) / F64x2::splat(DAY_MS)).floor();
        // The same as comparing whole days with the bound: the greatest difference below it divides
        // to a quotient below the bound, whichever way that is rounded.
        let new = F64x2::splat(NEW_BONUS).where_below(self.now - it.created_at, NEW_DAYS * DAY_MS);
        let recency = recency(days);
        [
            it.semantic,
            self.keyword.at(it.bm25),
            it.graph,
            recency,
            (self.authority.at(it.inbound_edges) * F64x2::splat(0.5)).lesser(one),
            (it.saturation * recency + new).lesser(one),
        ]
    }

    /// The contribution of each signal to the score: weight · value.
    #[inline(always)]
    fn parts(&self, signals: &SignalLanes, [one, other]: [usize; 2]) -> SignalLanes {
        let (one, other) = (&self.weights[one & 3], &self.weights[other & 3]);
        [
            one[0].firsts(other[0]) * signals[0],
            one[0].seconds(other[0]) * signals[1],
            one[1].firsts(other[1]) * signals[2],
            one[1].seconds(other[1]) * signals[3],
            one[2].firsts(other[2]) * signals[4],
            one[2].seconds(other[2]) * signals[5],
        ]
    }

    #[inline(always)]
    fn rated(&self, it: &CandidatePair, recency: impl FnOnce(F64x2) -> F64x2) -> Rated {
        let signals = self.signals(it, recency);
        Rated { scores: sum(&self.parts(&signals, it.sections)), signals }
    }

    /// An upper bound of the score of a candidate that was not accessed after `now`, with these
    /// upper bounds of its recency and affinity. The sum is [`sum`] with numbers that are at least
    /// as large, and rounding keeps that order.
    #[inline(always)]
    fn at_most(
        &self,
        [semantic, bm25, graph]: [f64; 3],
        section: usize,
        recency: f64,
        affinity: f64,
    ) -> f64 {
        let weights = &self.flat[section & 3];
        let keyword = self.fixed_keyword.unwrap_or(bm25 * self.per_bm25);
        weights[0] * semantic
            + weights[1] * keyword
            + weights[2] * graph
            + weights[3] * recency
            + weights[4]
            + weights[5] * affinity
    }

    /// Rates two records.
    #[inline(always)]
    fn rate(&self, [one, other]: &[Record; 2], tables: &Tables) -> Rated {
        let (one, other) = (one.as_chunks::<2>().0, other.as_chunks::<2>().0);
        let firsts = |place: usize| F64x2::load(&one[place]).firsts(F64x2::load(&other[place]));
        let seconds = |place: usize| F64x2::load(&one[place]).seconds(F64x2::load(&other[place]));
        let two = CandidatePair {
            semantic: firsts(0),
            bm25: seconds(0),
            graph: firsts(1),
            last_accessed: seconds(1),
            created_at: firsts(2),
            saturation: F64x2::new(
                tables.saturation.get(one[2][1]),
                tables.saturation.get(other[2][1]),
            ),
            inbound_edges: firsts(3),
            sections: [low_bits(one[3][1]), low_bits(other[3][1])],
        };
        self.rated(&two, |days| tables.recency_of(days))
    }

    /// Rewrites two records from candidates to results. Returns their scores.
    #[inline(always)]
    fn rewrite(&self, records: &mut [Record; 2], tables: &Tables) -> [f64; 2] {
        let sections = records.map(|record| low_bits(record[7]));
        let Rated { signals, scores } = self.rate(records, tables);
        let [one, other] = records;
        for (place, pair) in signals.as_chunks::<2>().0.iter().enumerate() {
            pair[0].firsts(pair[1]).store(&mut one.as_chunks_mut::<2>().0[place]);
            pair[0].seconds(pair[1]).store(&mut other.as_chunks_mut::<2>().0[place]);
        }
        for ((record, score), section) in records.iter_mut().zip(scores.to_array()).zip(sections) {
            let [signals @ .., place, primary] = record;
            (*place, *primary) = (score, f64::from(self.primary(signals, section)));
        }
        scores.to_array()
    }

    /// The place of the signal that contributes most; of equal ones the first.
    #[inline(always)]
    fn primary(&self, signals: &[f64; 6], section: usize) -> u32 {
        let (weights, signals) = (&self.weights[section & 3], signals.as_chunks::<2>().0);
        let parts = [0, 1, 2].map(|place| weights[place] * F64x2::load(&signals[place]));
        let [even, odd] = parts[0].greater(parts[1]).greater(parts[2]).to_array();
        let largest = F64x2::splat(if even > odd { even } else { odd });
        let [one, two, three] = parts.map(|part| part.equals(largest).bits());
        (one | two << 2 | three << 4).trailing_zeros()
    }

    /// [`Batch::rewrite`] of one record.
    #[inline(never)]
    fn rewrite_one(&self, record: &mut Record, tables: &Tables) -> f64 {
        let mut twice = [*record; 2];
        let [score, _] = self.rewrite(&mut twice, tables);
        [*record, _] = twice;
        score
    }
}

impl Tables {
    #[inline(always)]
    fn recency_of(&self, days: F64x2) -> F64x2 {
        let [one, other] = days.to_array().map(|days| self.recency.get(days));
        F64x2::new(one, other)
    }
}

/// Six numbers in signal order, two by two.
type Pairs = [F64x2; 3];

fn pairs([semantic, keyword, graph, recency, authority, affinity]: [f64; 6]) -> Pairs {
    [F64x2::new(semantic, keyword), F64x2::new(graph, recency), F64x2::new(authority, affinity)]
}

/// The sum from left to right.
#[inline(always)]
fn sum(&[semantic, keyword, graph, recency, authority, affinity]: &SignalLanes) -> F64x2 {
    semantic + keyword + graph + recency + authority + affinity
}

/// The greatest BM25 score, or `None` if a number is out of range; without a branch per number.
fn check_records(records: &[Record]) -> Option<f64> {
    let largest = f64::MAX;
    let [low0, low1, low2, low3] =
        [[-largest, 0.0], [0.0, -MAX_INSTANT_MS], [-MAX_INSTANT_MS, 0.0], [0.0, 0.0]]
            .map(|[a, b]| F64x2::new(a, b));
    let [high0, high1, high2, high3] =
        [[largest, largest], [largest, MAX_INSTANT_MS], [MAX_INSTANT_MS, largest], [largest, 3.0]]
            .map(|[a, b]| F64x2::new(a, b));
    let mut max = F64x2::splat(0.0);
    let mut sound = max.equals(max);
    for record in records {
        let &[semantic, bm25, graph, last_accessed, created_at, accesses, inbound_edges, section] =
            record;
        let scores = F64x2::new(semantic, bm25);
        let counts = F64x2::new(accesses, inbound_edges);
        max = max.greater(scores);
        sound = sound
            .and(scores.lies_in(low0, high0))
            .and(F64x2::new(graph, last_accessed).lies_in(low1, high1))
            .and(F64x2::new(created_at, accesses).lies_in(low2, high2))
            .and(F64x2::new(inbound_edges, section).lies_in(low3, high3))
            .and(counts.floor().equals(counts));
    }
    let [_, max_bm25] = max.to_array();
    sound.all().then_some(max_bm25)
}

/// The error that names the first number out of range.
#[cold]
fn first_fault(records: &[Record]) -> Error {
    type Rule = (&'static str, fn(f64) -> bool, &'static str);
    const RULES: [Rule; 7] = [
        ("semantic_score", is_score, "must be a finite number"),
        ("bm25_score", is_amount, AMOUNT),
        ("graph_score", is_amount, AMOUNT),
        ("last_accessed", is_instant, INSTANT),
        ("created_at", is_instant, INSTANT),
        ("access_count", is_count, COUNT),
        ("inbound_edge_count", is_count, COUNT),
    ];
    let fault = records.iter().enumerate().find_map(|(index, record)| {
        let (&(field, _, wanted), value) =
            RULES.iter().zip(record).find(|((_, holds, _), value)| !holds(**value))?;
        Some(Error::argument(field, wanted).found(*value).at(index))
    });
    fault.unwrap_or_else(|| Error::argument("candidates", "changed while they were read"))
}

#[cold]
pub(crate) fn not_a_number(index: Option<usize>) -> Error {
    let error = Error::argument("score", "is not a number: its signals are too large to add");
    index.map_or(error.clone(), |index| error.at(index))
}
