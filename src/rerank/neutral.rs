//! Ranking of candidates whose numbers need not be valid. A signal that a candidate's numbers do
//! not define counts as missing; every other signal is computed as usual, and every candidate is
//! ranked.

use super::{Batch, Candidate, Query, Ranked, Record, Reranker, Tables};
use crate::check::is_instant;
use crate::error::Result;
use crate::signal::{self, NEW_BONUS, NEW_DAYS, SIGNALS, SaturationTable, days_between};

impl Reranker {
    /// As [`Reranker::rerank`], but no candidate is refused, and every score is finite.
    ///
    /// A number is used as the formulas use it, even out of its range: a count may have a fraction,
    /// and a score may be negative. Values that the formulas do not define are neutral:
    ///
    /// - A score that is not finite is 0, as an absent one. It does not count towards the batch's
    ///   maximum.
    /// - `last_accessed` that is not an instant, or so far ahead that recency is infinite: recency
    ///   is 0, and the accesses do not count.
    /// - `created_at` that is not an instant: the memory is not new.
    /// - `access_count` that is NaN is 0; an infinite one has the limit of tanh.
    /// - `inbound_edge_count` that is NaN or −∞: authority is 0, unless the average is 0; +∞ is the
    ///   greatest authority, 1.
    /// - A weighted sum beyond the range of numbers is the greatest number of its sign. One that is
    ///   NaN is 0.
    ///
    /// # Errors
    /// `invalid_argument` without index for weights, average or `now` out of range.
    pub fn rerank_neutral(
        &mut self,
        candidates: &[Candidate],
        query: &Query<'_>,
    ) -> Result<Vec<Ranked>> {
        let mut records: Vec<Record> =
            candidates.iter().map(|candidate| candidate.to_record()).collect();
        let mut order = vec![0.0; records.len()];
        self.rank_neutral(&mut records, &mut order, query)?;
        Ok(super::results(&records, &order))
    }

    /// As [`Reranker::rank`]; all records are rewritten.
    pub(crate) fn rank_neutral(
        &mut self,
        records: &mut [Record],
        order: &mut [f64],
        query: &Query<'_>,
    ) -> Result<()> {
        Batch::check(query)?;
        let weights = query.weighting.by_section().map(|weights| weights.to_array());
        let max_bm25 =
            records.iter().map(|record| finite(record[1])).fold(f64::NEG_INFINITY, f64::max);
        let count = records.len();
        self.best.clear(order.len(), count);
        let tables = self.tables.get_or_init(Box::default);
        for (record, index) in records.iter_mut().zip(0..) {
            let weights = &weights[record[7] as usize & 3];
            let signals = signals(record, max_bm25, count, query, tables);
            let parts: [f64; 6] = std::array::from_fn(|place| weights[place] * signals[place]);
            let score =
                in_range(parts.into_iter().reduce(|sum, part| sum + part).unwrap_or_default());
            let primary = (1..SIGNALS.len())
                .fold(0, |best, place| if parts[place] > parts[best] { place } else { best });
            record[..6].copy_from_slice(&signals);
            (record[6], record[7]) = (score, primary as f64);
            self.best.offer(score, index);
        }
        for (place, &index) in order.iter_mut().zip(self.best.take()) {
            *place = f64::from(index);
        }
        Ok(())
    }
}

/// The six signals of [`signal`], each finite.
fn signals(
    record: &Record,
    max_bm25: f64,
    count: usize,
    query: &Query<'_>,
    tables: &Tables,
) -> [f64; 6] {
    let &[semantic, bm25, graph, last_accessed, created_at, accesses, inbound_edges, _] = record;
    let recency = if is_instant(last_accessed) {
        finite(tables.recency.get(days_between(last_accessed, query.now)))
    } else {
        0.0
    };
    let is_new = is_instant(created_at) && days_between(created_at, query.now) < NEW_DAYS;
    let used = finite(saturation(accesses, &tables.saturation) * recency);
    let affinity = used + if is_new { NEW_BONUS } else { 0.0 };
    [
        finite(semantic),
        finite(signal::keyword(Some(finite(bm25)), max_bm25, count)),
        finite(graph),
        recency,
        finite(signal::authority(inbound_edges, query.avg_inbound_edges)),
        affinity.min(1.0),
    ]
}

/// [`signal::saturation`] of any number.
fn saturation(accesses: f64, table: &SaturationTable) -> f64 {
    if accesses >= 0.0 && accesses.floor() == accesses {
        table.get(accesses)
    } else {
        signal::saturation(accesses)
    }
}

fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

fn in_range(sum: f64) -> f64 {
    if sum.is_nan() { 0.0 } else { sum.clamp(-f64::MAX, f64::MAX) }
}
