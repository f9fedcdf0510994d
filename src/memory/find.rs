//! Reranking of nodes, the nodes that are most similar to an embedding, and the whole search.

use super::succession::guesses_among;
use super::{Filters, MemoryIndex};
use crate::check::{AMOUNT, check_instant, is_amount, is_score};
use crate::columns::{Row, VectorHit, VectorQuery};
use crate::error::{Error, Result};
use crate::rerank::{CandidateColumns, Peaks, Query, Ranked, Weighting, not_a_number};
use crate::search::{
    Activated, Arrival, EdgeWeight, RESULTS_PER_SEED, Ranking, SEED_THRESHOLDS, SearchConfig,
    SearchHit, Seed, Serendipity, Spread, rank, seed, spread,
};
use crate::section::Weights;

/// Candidates as columns of one length.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// The nodes.
    pub rows: &'a [Row],
    /// Cosines; finite.
    pub semantic: &'a [f64],
    /// BM25 scores, at least 0.
    pub bm25: &'a [f64],
    /// Activations, at least 0.
    pub graph: &'a [f64],
}

/// The weights that a memory index ranks by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankingWeights {
    /// Those of each memory's section, if the configuration enables sections.
    #[default]
    OfSections,
    /// [`Weights::GLOBAL`] for every memory.
    Global,
}

/// A search.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    /// The query's embedding.
    pub embedding: Option<&'a [f64]>,
    /// The hits of a full-text index, each node once, in its order.
    pub bm25: &'a [SearchHit],
    /// The memories that may be found, and the edges that activation may pass over.
    pub filters: &'a Filters,
    /// The most results. Default: that of the configuration.
    pub limit: Option<usize>,
    /// The most seeds. Default: that of the configuration.
    pub max_seeds: Option<usize>,
    /// The present, in milliseconds since 1970.
    pub now: f64,
    /// The weights of the ranking.
    pub weights: RankingWeights,
    /// Whether the edges between active nodes are listed.
    pub connections: bool,
    /// How many active memories that are unlike the query are returned as finds.
    pub serendipity: Serendipity,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The nodes that activation started from.
    pub seeds: Vec<Seed>,
    /// The nodes that activation reached.
    pub spread: Spread,
    /// The active nodes above the relevance floor, in the order in which they became active.
    pub kept: Vec<Ranking>,
    /// The best of them; `index` is a place in `kept`.
    pub ranked: Vec<Ranked>,
    /// Active nodes unlike the query, with their activation, highest first.
    pub serendipity: Vec<(Row, f64)>,
    /// The slots of edges between active nodes, in order of sequence.
    pub connections: Vec<u32>,
}

impl MemoryIndex {
    /// The first `limit` of candidates by score, highest first; equal scores keep their order.
    ///
    /// # Errors
    /// `invalid_argument` with field and index for a row without a node and for scores out of
    /// range; for a `now` that is not an instant.
    ///
    /// # Panics
    /// When the columns differ in length.
    pub fn rerank(
        &mut self,
        columns: Columns<'_>,
        limit: usize,
        now: f64,
        weights: RankingWeights,
    ) -> Result<Vec<Ranked>> {
        let mut ranking = Vec::with_capacity(limit.min(columns.rows.len()));
        self.rerank_each(columns, limit, now, weights, |ranked| ranking.push(ranked))?;
        Ok(ranking)
    }

    /// [`MemoryIndex::rerank`], calling `each` with one result after the other. Calls nothing if
    /// there is an error.
    pub(crate) fn rerank_each(
        &mut self,
        columns: Columns<'_>,
        limit: usize,
        now: f64,
        weights: RankingWeights,
        each: impl FnMut(Ranked),
    ) -> Result<()> {
        let Columns { rows, semantic, bm25, graph } = columns;
        let length = rows.len();
        assert!([semantic.len(), bm25.len(), graph.len()] == [length; 3], "columns of one length");
        // Whole columns are checked first. A single fault is searched only if there is one.
        let last_row = rows.iter().fold(0, |last, &row| last.max(row)) as usize;
        let peaks = Peaks::of(semantic, bm25, graph);
        let Some(peaks) = peaks.filter(|_| length == 0 || last_row < self.nodes.rows()) else {
            return Err(self.first_fault(columns));
        };
        let need = self.reranker.need(length);
        // Counting the free bytes takes as long as rating ten candidates.
        if need > 0 {
            self.afford_for_now("candidates", need + limit.min(length) * 2 * size_of::<Ranked>())?;
        }
        if self.rank(columns, peaks, limit, now, weights, each)? {
            Ok(())
        } else {
            Err(self.first_fault(columns))
        }
    }

    /// [`MemoryIndex::rerank_each`] of columns that are in range. Returns `false`, and calls
    /// nothing, if a row has no node.
    fn rank(
        &mut self,
        columns: Columns<'_>,
        peaks: Peaks,
        limit: usize,
        now: f64,
        weights: RankingWeights,
        each: impl FnMut(Ranked),
    ) -> Result<bool> {
        let Columns { rows, semantic, bm25, graph } = columns;
        let weighting = match weights {
            RankingWeights::OfSections => Weighting::Sections(&self.table),
            RankingWeights::Global => Weighting::Uniform(Weights::GLOBAL),
        };
        let query = Query { weighting, avg_inbound_edges: self.avg_inbound_edges(), now };
        let candidates = CandidateColumns {
            rows,
            semantic,
            bm25,
            graph,
            last_accessed: self.nodes.last_accessed(),
            created_at: &self.nodes.created_at,
            access_count: &self.nodes.access_count,
            inbound: self.graph.inbound_counts(),
            section: &self.nodes.section,
            accessed_by_now: self.nodes.accessed_by(now),
        };
        self.reranker.rank_columns(&candidates, peaks, limit, &query, each)
    }

    #[cold]
    fn first_fault(&self, columns: Columns<'_>) -> Error {
        for (index, &row) in columns.rows.iter().enumerate() {
            if !self.nodes.has(row) {
                return Error::argument("ids", "must name memories of this index").at(index);
            }
            let scores = [
                (
                    "semantic",
                    columns.semantic[index],
                    is_score(columns.semantic[index]),
                    "must be a finite number",
                ),
                ("bm25", columns.bm25[index], is_amount(columns.bm25[index]), AMOUNT),
                ("graph", columns.graph[index], is_amount(columns.graph[index]), AMOUNT),
            ];
            if let Some((field, found, _, problem)) =
                scores.into_iter().find(|(_, _, is_sound, _)| !is_sound)
            {
                return Error::argument(field, problem).found(found).at(index);
            }
        }
        Error::argument("candidates", "must be valid")
    }

    /// Returns the `limit` nodes whose embeddings are most similar to this one, among those that
    /// pass the filters, with their cosines, highest first. Equal ones are in order of sequence.
    ///
    /// # Errors
    /// `invalid_argument` for an invalid embedding, and for filters and a `now` out of range.
    pub fn similar(
        &self,
        embedding: &[f64],
        limit: usize,
        filters: &Filters,
        now: f64,
    ) -> Result<Vec<(Row, f64)>> {
        filters.check()?;
        check_instant("now", now)?;
        let query = self.vector_query(embedding)?;
        self.afford_for_now(
            "limit",
            limit.min(self.vectors.len()) * 2 * size_of::<(f64, u64, Row)>(),
        )?;
        let found = self.max_similar(&query, limit, filters, now);
        Ok(found.iter().map(|found| (found.row, found.score)).collect())
    }

    fn vector_query(&self, embedding: &[f64]) -> Result<VectorQuery> {
        if self.options.dimensions == 0 {
            return Err(Error::argument(
                "embedding",
                "must be absent: this index has 0 dimensions",
            ));
        }
        self.vectors.query(embedding)
    }

    fn max_similar(
        &self,
        query: &VectorQuery,
        limit: usize,
        filters: &Filters,
        now: f64,
    ) -> Vec<VectorHit> {
        let passes = |row: Row| self.passes(row, filters, now);
        let passes: Option<&dyn Fn(Row) -> bool> = filters.is_about_nodes().then_some(&passes);
        self.vectors.similar(query, limit, passes, |row| self.nodes.sequence(row) as f64)
    }

    /// Searches: seeds from vectors and from the hits of the full-text index, spreading activation,
    /// relevance floor, ranking.
    ///
    /// # Errors
    /// `invalid_argument` for an invalid embedding, a BM25 score that is negative or not finite
    /// (with its index), filters out of range, a `now` that is not an instant, signals of a node
    /// that are too large to add (its row is the index); `out_of_memory` if activation spreads
    /// beyond all bounds.
    pub fn search(&mut self, search: &Search<'_>) -> Result<Outcome> {
        self.search_with_arrivals(search, None)
    }

    /// [`MemoryIndex::search`], and every amount that arrived while activation spread.
    pub(super) fn search_with_arrivals(
        &mut self,
        search: &Search<'_>,
        arrivals: Option<&mut Vec<Arrival>>,
    ) -> Result<Outcome> {
        check_instant("now", search.now)?;
        search.filters.check()?;
        for (index, found) in search.bm25.iter().enumerate() {
            if !is_amount(found.score) {
                return Err(Error::argument("score", AMOUNT).found(found.score).at(index));
            }
        }
        let config = SearchConfig {
            max_seeds: search.max_seeds.unwrap_or(self.search.max_seeds),
            ..self.search
        };
        // The amounts of a round wait in a list that doubles when it grows.
        let each =
            size_of::<(Row, f64)>() + if arrivals.is_some() { size_of::<Arrival>() } else { 0 };
        let max_queued = self.room() / (6 * each);
        let asked = config.max_seeds.saturating_mul(RESULTS_PER_SEED);
        let max_seeds = asked.min(self.len()) + search.bm25.len();
        let max_active = config.max_nodes.min(self.len()).max(config.max_seeds.min(max_seeds));
        self.afford_for_now("search", max_seeds * 320 + max_active * 320)?;

        let filtered = search.filters.is_about_nodes();
        let passes = |row: Row| !filtered || self.passes(row, search.filters, search.now);
        let vector: Vec<SearchHit> = match search.embedding {
            None => Vec::new(),
            Some(embedding) => {
                let query = self.vector_query(embedding)?;
                let found = self.max_similar(&query, asked, search.filters, search.now);
                found
                    .iter()
                    .map(|found| SearchHit { row: Some(found.row), score: found.score })
                    .collect()
            }
        };
        let [with_embedding, without] = SEED_THRESHOLDS;
        let own = if search.embedding.is_some() { with_embedding } else { without };
        let threshold = config.seed_threshold.unwrap_or(own);
        let awaits_vector = |row: Row| self.options.dimensions > 0 && !self.vectors.has(row);
        let seeds = seed(&vector, search.bm25, &config, |row| {
            passes(row).then(|| if awaits_vector(row) { without } else { threshold })
        });

        let guesses = guesses_among(&self.edge_types);
        let learned = config.edge_weight == EdgeWeight::Learned;
        let weight = |slot: u32, row: Row| {
            let edge_type = self.graph.edge_type(slot);
            let may_pass = search.filters.passes_edge(edge_type, &guesses) && passes(row);
            let weight = || {
                if learned {
                    self.graph.strength(slot)
                } else {
                    self.edge_weights[usize::from(edge_type)]
                }
            };
            may_pass.then(weight)
        };
        let spread = spread(&self.graph, &seeds, &config, max_queued, weight, arrivals)?;
        let (kept, serendipity) = rank(&seeds, &spread.activated, &config, search.serendipity);

        let limit = search.limit.unwrap_or(config.default_limit);
        let rows: Vec<Row> = kept.iter().map(|kept| kept.row).collect();
        let column = |score: fn(&Ranking) -> f64| -> Vec<f64> { kept.iter().map(score).collect() };
        let (semantic, bm25, graph) = (
            column(|it| it.semantic_score),
            column(|it| it.bm25_score),
            column(|it| it.graph_score),
        );
        let columns = Columns { rows: &rows, semantic: &semantic, bm25: &bm25, graph: &graph };
        let of_row = |error: Error| {
            error.index().map_or(error.clone(), |index| error.at(rows[index] as usize))
        };
        // A share of an infinite activation is NaN.
        let peaks = Peaks::of(&semantic, &bm25, &graph)
            .ok_or_else(|| of_row(not_a_number(graph.iter().position(|score| score.is_nan()))))?;
        let mut ranked = Vec::with_capacity(limit.min(rows.len()));
        self.rank(columns, peaks, limit, search.now, search.weights, |found| ranked.push(found))
            .map_err(of_row)?;
        let connections =
            if search.connections { self.edges_between(&spread.activated)? } else { Vec::new() };
        Ok(Outcome { seeds, spread, kept, ranked, serendipity, connections })
    }

    /// The slots of the edges between active nodes, in order of sequence.
    fn edges_between(&self, activated: &[Activated]) -> Result<Vec<u32>> {
        let active: rustc_hash::FxHashSet<Row> =
            activated.iter().map(|active| active.row).collect();
        let mut slots = Vec::new();
        for &row in &active {
            // An edge is seen from both its ends; the lower row takes it.
            let own =
                self.graph.neighbours(row).filter(|it| it.row >= row && active.contains(&it.row));
            slots.extend(own.map(|neighbour| neighbour.edge));
            self.afford_for_now("include_connections", 2 * size_of_val(&slots[..]))?;
        }
        self.graph.sort(&mut slots);
        Ok(slots)
    }
}
