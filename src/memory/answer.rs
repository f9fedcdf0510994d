//! Answers to questions in words, ranked by evidence.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::diversity::{Candidate, POOL, Placed, spread_out};
use super::succession::{Lines, Replacement, Standing, guesses_among};
use super::{Filters, MemoryIndex, NodeChange};
use crate::check::{INSTANT, check_instant, check_offset, is_instant};
use crate::columns::{LabelSets, Nodes, Row};
use crate::error::{Error, Result};
use crate::evidence::{
    Asked, BestPassage, Bounds, Circumstances, Embed, EmbeddingScale, Evidence, Fit, Fits, KINDS,
    Learned, MatchedWord, Moment, NAMES, Odds, OfMeaning, Question, TRAITS, Text, Texts,
    TraitColumn, Traits, Values, WordOptions,
};
use crate::intent::{IntentClassifier, IntentConfig};
use crate::order::{Selection, sort_descending};
use crate::search::{EdgeWeight, SearchConfig, SearchHit, seed, spread};
use crate::section::{SectionSet, SectionTable};
use crate::signal::{NEW_BONUS, NEW_DAYS, RecencyTable, SaturationTable, days_between};

/// The least nearness of a memory from which activation starts. Every two texts are a little alike.
const MIN_SEED: f64 = 0.2;
/// The memories from which activation starts.
const SEEDS: usize = 15;
/// The greatest activation that counts as evidence. A configuration can make activation infinite,
/// and sums of evidence must stay finite.
const MAX_ACTIVATION: f64 = 1e6;

/// The text of a node of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EntryText<'a> {
    /// The place of the node in the batch.
    pub entry: usize,
    /// Its text.
    pub text: Text<'a>,
}

/// A question in words.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// The question.
    pub text: &'a str,
    /// Its embedding, by the model of the memories' embeddings; `None` without one.
    pub embedding: Option<&'a [f64]>,
    /// The scale of its cosines; `None` for that of all-MiniLM-L6-v2, with which weights are fitted.
    pub embedding_scale: Option<EmbeddingScale>,
    /// The memories that may be found, and the edges that activation may pass over.
    pub filters: &'a Filters,
    /// The only memories that are returned, in any order; `None` for all. Scores and order are as
    /// without it. Rows without a memory are skipped.
    pub among: Option<&'a [Row]>,
    /// The most answers.
    pub limit: usize,
    /// The least probability of an answer, from 0 to 1.
    pub min_score: f64,
    /// How far memories that are like a better one move back, from 0 to 1.
    pub diversity: f64,
    /// The present, in milliseconds since 1970. Times in the question are relative to it.
    pub now: f64,
    /// The clock by which days of the question are told: milliseconds before UTC at present. `None` if
    /// its times are not understood, and their words count like all others.
    pub utc_offset: Option<f64>,
}

/// A memory that may answer a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The memory.
    pub row: Row,
    /// The probability that it answers the question.
    pub score: f64,
    /// The weighted sum of its evidence.
    pub sum: f64,
    /// Its evidence.
    pub evidence: Values,
    /// The memory that supersedes it.
    pub superseded_by: Option<Row>,
    /// The memory that replaces it, by a guess.
    pub replaced_by: Option<Replacement>,
    /// The memory that it replaces, by a guess.
    pub replaces: Option<Replacement>,
    /// A memory before it that it is like, if it stands further back for that reason.
    pub similar_to: Option<Row>,
}

/// A kind of evidence for a memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Contribution {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// Its weight.
    pub weight: f64,
    /// What it adds to the sum: value times weight.
    pub contribution: f64,
}

/// The reasons for the place of a memory among the answers to a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Why {
    /// The place of the memory among all answers, from 1. `None` if nothing connects it with the
    /// question.
    pub rank: Option<usize>,
    /// The probability that it answers the question.
    pub score: f64,
    /// The sum of all contributions.
    pub sum: f64,
    /// The number that the probability is computed from: `scale` · `sum` + `offset`.
    pub scale: f64,
    /// See `scale`.
    pub offset: f64,
    /// The evidence that is not 0, the largest contribution first.
    pub evidence: Vec<Contribution>,
    /// The words of the question, with the words of the memory that they matched.
    pub words: Vec<MatchedWord>,
    /// The best passage.
    pub passage: BestPassage,
    /// How much meaning counts, and why. `None` if the question has no embedding.
    pub meaning: Option<OfMeaning>,
    /// The memory that supersedes it.
    pub superseded_by: Option<Row>,
    /// The memory that replaces it, by a guess.
    pub replaced_by: Option<Replacement>,
    /// The memory that it replaces, by a guess.
    pub replaces: Option<Replacement>,
    /// A memory before it that it is like, if it stands further back for that reason.
    pub similar_to: Option<Row>,
}

/// What a memory index needs to answer questions in words.
pub(super) struct Answering {
    pub texts: Texts,
    evidence: Evidence,
    bounds: Bounds,
    intent_config: IntentConfig,
    /// Made for the first question: an index without questions saves its memory.
    intent: OnceCell<IntentClassifier>,
    /// The fits of the configuration.
    given: Fits,
    learned: Learned,
    /// The fits with what was learned.
    fits: Fits,
    /// That of the question at hand.
    fit: Fit,
    /// Its weights, in order.
    weights: [f64; KINDS],
    traits: TraitColumn,
    /// Whether the traits of memories are read for the question.
    reads_traits: bool,
    /// Made for the first question, too.
    tables: OnceCell<Box<(RecencyTable, SaturationTable)>>,
    selection: Selection,
    pub lines: Lines,
    /// The places of memories in their lines, by row.
    pub standing: FxHashMap<Row, Standing>,
    /// The rows with a text, by sequence.
    order: Vec<Row>,
    /// The count of changes of the texts when `order` was made.
    ordered_at: Option<u64>,
    /// By row: the cosines of the question at hand.
    cosines: Vec<f64>,
    /// By row; 0 where activation did not arrive.
    activation: Vec<f64>,
    activated: Vec<Row>,
}

impl Answering {
    pub fn new(fits: Fits, intent_config: IntentConfig) -> Self {
        Self {
            texts: Texts::new(WordOptions::default()),
            evidence: Evidence::default(),
            bounds: Bounds::default(),
            intent_config,
            intent: OnceCell::new(),
            given: fits,
            learned: Learned::default(),
            weights: fits.plain.weights.to_array(),
            traits: TraitColumn::default(),
            reads_traits: false,
            fits,
            fit: fits.plain,
            tables: OnceCell::new(),
            selection: Selection::default(),
            lines: Lines::default(),
            standing: FxHashMap::default(),
            order: Vec::new(),
            ordered_at: None,
            cosines: Vec::new(),
            activation: Vec::new(),
            activated: Vec::new(),
        }
    }

    /// Returns the sections that a question asks for.
    fn sections_of(&self, question: &str) -> Result<SectionSet> {
        let intent = match self.intent.get() {
            Some(intent) => intent,
            None => {
                let made = IntentClassifier::new(&self.intent_config)?;
                self.intent.get_or_init(|| made)
            }
        };
        Ok(intent.classify(question, intent.matcher()))
    }

    pub fn learned(&self) -> &Learned {
        &self.learned
    }

    /// Weighs evidence by other fits from now on. What was learned stays.
    fn weigh(&mut self, given: Fits) {
        self.given = given;
        self.learn(self.learned);
    }

    /// Ranks by what was learned from now on.
    #[inline(never)]
    pub fn learn(&mut self, learned: Learned) {
        self.learned = learned;
        self.fits = self.given.map(|fit| learned.applied_to(&fit));
        self.use_fit(self.fits.plain);
    }

    /// Ranks by a fit until the next question.
    fn use_fit(&mut self, fit: Fit) {
        self.fit = fit;
        self.weights = fit.weights.to_array();
    }

    pub fn bytes(&self) -> usize {
        self.texts.bytes()
            + self.evidence.bytes()
            + self.bounds.bytes()
            + self.traits.bytes()
            + self.lines.bytes()
            + (self.activation.capacity() + self.cosines.capacity()) * size_of::<f64>()
            + (self.activated.capacity() + self.order.capacity()) * size_of::<Row>()
    }
}

/// Returns fits, without what sections weigh if the configuration disables them.
pub fn sectioned(table: &SectionTable, fits: Fits) -> Fits {
    if table.enabled() { fits } else { fits.map(Fit::without_sections) }
}

impl MemoryIndex {
    /// Drops all texts, and prepares for texts whose words are read in another way.
    pub fn keep_texts(&mut self, words: WordOptions) {
        self.take_texts(Texts::new(words));
    }

    /// Answers questions from these texts from now on.
    pub(super) fn take_texts(&mut self, texts: Texts) {
        self.answering.texts = texts;
        self.answering.evidence = Evidence::default();
        self.answering.bounds = Bounds::default();
        self.answering.traits = TraitColumn::default();
        self.answering.ordered_at = None;
    }

    /// Replaces the fits of the configuration: questions are answered from now on as by a new index
    /// with these fits. What was learned stays, and is applied to the new weights.
    ///
    /// ```
    /// use nous_wasm::Config;
    /// use nous_wasm::columns::VectorForm;
    /// use nous_wasm::memory::{MemoryIndex, Options};
    /// let options = Options {
    ///     dimensions: 0,
    ///     form: VectorForm::F32,
    ///     embedding_id: "".into(),
    ///     max_bytes: 1 << 24,
    /// };
    /// let mut index = MemoryIndex::new(options, Config::default())?;
    /// let config = Config::from_json(r#"{ "evidence": { "weights": { "lastrec": 1.5 } } }"#)?;
    /// index.weigh(config.evidence);
    /// # Ok::<(), nous_wasm::Error>(())
    /// ```
    pub fn weigh(&mut self, fits: Fits) {
        self.answering.weigh(sectioned(&self.table, fits));
    }

    /// Adds and changes nodes as [`MemoryIndex::upsert`] does, and stores the texts of some of
    /// them. A text replaces the one that its memory has; an empty text removes it. `embed` adds
    /// the vector of a word to a sum.
    ///
    /// # Errors
    /// As [`MemoryIndex::upsert`], and `invalid_argument` with field and index for an event that is
    /// no instant. Then nothing is changed.
    ///
    /// # Panics
    /// If the entry of a text is not in the batch.
    pub fn upsert_with_texts(
        &mut self,
        batch: &[NodeChange<'_>],
        texts: &[EntryText<'_>],
        now: f64,
        embed: &mut Embed<'_>,
    ) -> Result<Vec<Row>> {
        self.check_nodes(batch, now)?;
        for it in texts {
            if let Some(found) = it.text.event.filter(|&instant| !is_instant(instant)) {
                return Err(Error::argument("event_time", INSTANT).found(found).at(it.entry));
            }
            check_offset(it.text.utc_offset).map_err(|error| error.at(it.entry))?;
        }
        let left = self.left_to_keep();
        let given: Vec<Text<'_>> = texts.iter().map(|it| it.text).collect();
        let afford = |need| Self::compare("texts", need, left);
        let parsed = self.answering.texts.parse(&given, afford)?;
        let rows = self.upsert(batch, now)?;
        let Self { nodes, labels, answering, .. } = self;
        let of_texts = texts.iter().map(|it| rows[it.entry]);
        answering.texts.store(parsed, of_texts, |row| moment(row, nodes, labels), embed);
        Ok(rows)
    }

    /// Returns the place of a memory in time.
    pub(super) fn moment(&self, row: Row) -> Moment {
        moment(row, &self.nodes, &self.labels)
    }

    /// Whether a memory has a text.
    pub fn has_text(&self, row: Row) -> bool {
        self.answering.texts.has(row)
    }

    /// The number of memories with a text.
    pub fn texts(&self) -> usize {
        self.answering.texts.len()
    }

    /// Tells the texts that a memory may have another place in time.
    pub(super) fn move_text(&mut self, row: Row) {
        if self.answering.texts.has(row) {
            let moment = self.moment(row);
            self.answering.texts.move_to(row, moment);
        }
    }

    /// Returns the memories that answer a question, best first. Equal ones are in order of
    /// sequence. A memory for which no evidence speaks is left out. Of the best memories one that
    /// repeats a better one stands behind the others.
    ///
    /// # Errors
    /// `invalid_argument` for a `now` that is not an instant, filters out of range, a `min_score` or
    /// a `diversity` outside of 0 to 1, an embedding that cannot be compared, and a scale out of
    /// range; `out_of_memory`.
    pub fn ask(&mut self, ask: &Ask<'_>, embed: &mut Embed<'_>) -> Result<Vec<Answer>> {
        if !(0.0..=1.0).contains(&ask.min_score) {
            let problem = "must lie between 0 and 1";
            return Err(Error::argument("min_score", problem).found(ask.min_score));
        }
        let (question, sections) = self.collect(ask, false, embed)?;
        let (placed, odds) = self.placed(&question, sections, ask, ask.limit);
        let answers = placed.into_iter().map(|Placed { row, similar_to }| {
            let evidence = self.values(&question, sections, row, ask.now);
            let Standing { sum, superseded_by, replaced_by, replaces, .. } = self.standing(row);
            let sum = sum.unwrap_or_else(|| self.sum(&evidence));
            let score = odds.probability(sum);
            Answer { row, score, sum, evidence, superseded_by, replaced_by, replaces, similar_to }
        });
        Ok(answers.collect())
    }

    /// Returns the first `most` memories that reach the least score and may be returned, in the
    /// order in which they answer, and the odds for the question.
    ///
    /// A restriction of the returned memories leaves the pool as it is, and so the scores and the
    /// order. It is applied to the pool, which holds the best. If too few are left, the best of the
    /// returned memories are selected once more: those behind the pool follow in the order of their
    /// sums.
    fn placed(
        &mut self,
        question: &Question,
        sections: SectionSet,
        ask: &Ask<'_>,
        max: usize,
    ) -> (Vec<Placed>, Odds) {
        self.refresh_lines();
        let returned = ask.among.map(|rows| marked(rows, self.nodes.rows()));
        let wanted = if returned.is_some() { POOL } else { max.max(POOL) };
        let best = self.best(question, sections, ask, wanted, None);
        let odds = self.odds(&best);
        let reaches = |&(sum, _): &(f64, Row)| odds.probability(sum) >= ask.min_score;
        let texts = &self.answering.texts;
        let pool: Vec<Candidate> = best
            .iter()
            .take(POOL)
            .take_while(|&it| reaches(it))
            .map(|&(sum, row)| Candidate { row, sum, behind: self.standing(row).behind })
            .collect();
        let behind = |(_, row): (f64, Row)| Placed { row, similar_to: None };
        let Some(returned) = returned else {
            let mut placed = spread_out(&pool, ask.diversity, texts, max);
            let rest = best.into_iter().take(max).skip(POOL).take_while(reaches);
            placed.extend(rest.map(behind));
            return (placed, odds);
        };
        let mut placed = spread_out(&pool, ask.diversity, texts, POOL);
        placed.retain(|it| returned[it.row as usize]);
        if placed.len() < max && pool.len() == POOL {
            // At most the pool is among them. At least as many as the pool lower no bar of a line
            // that the pool needs.
            let all = self.best(question, sections, ask, max.saturating_add(POOL), Some(&returned));
            let in_pool = |row: Row| pool.iter().any(|it| it.row == row);
            let rest = all.into_iter().take_while(reaches).filter(|&(_, row)| !in_pool(row));
            placed.extend(rest.map(behind));
        }
        placed.truncate(max);
        (placed, odds)
    }

    /// Returns the best `wanted` memories that may be found, with their sums: all of them, or those
    /// that are marked. Lines must be fresh.
    fn best(
        &mut self,
        question: &Question,
        sections: SectionSet,
        ask: &Ask<'_>,
        wanted: usize,
        marked: Option<&[bool]>,
    ) -> Vec<(f64, Row)> {
        let mut selection = std::mem::take(&mut self.answering.selection);
        selection.clear(wanted, self.answering.texts.len());
        if selection.has_bar() {
            self.set_bounds(question, sections);
        }
        for &row in &self.answering.order {
            let bar = selection.bar();
            // Bounds come first: a filter costs more.
            if bar.is_some_and(|bar| self.is_below(bar, row))
                || self.answering.lines.holds(row)
                || !is_marked(marked, row)
                || !self.passes(row, ask.filters, ask.now)
                || bar.is_some_and(|bar| !self.may_reach(bar, sections, row, ask.now))
            {
                continue;
            }
            if let Some(sum) = self.score_alone(question, sections, row, ask.now) {
                selection.offer(sum, row);
            }
        }
        self.supersede(question, sections, ask.filters, ask.now, selection.bar());
        let has = |&row: &Row| {
            is_marked(marked, row) && self.has_text(row) && self.passes(row, ask.filters, ask.now)
        };
        let mut rows: Vec<Row> = self.answering.lines.live().filter(has).collect();
        if !rows.is_empty() {
            // Selects once more, among the best of the others and these.
            rows.extend(selection.take_scored().iter().map(|&(_, row)| row));
            sort_descending(&mut rows, |&row| -f64::from(row));
            self.nodes.sort(&mut rows);
            selection.clear(wanted, rows.len());
            for row in rows {
                if let Some(sum) = self.score(question, sections, row, ask.now) {
                    selection.offer(sum, row);
                }
            }
        }
        let best = selection.take_scored();
        self.answering.selection = selection;
        best
    }

    /// Returns the reasons for the place of a memory among the answers to a question. If its `text`
    /// is given, the reasons say where it holds words and passage.
    ///
    /// # Errors
    /// As [`MemoryIndex::ask`], and `invalid_argument` for a memory without a text or one that the
    /// filters exclude, and for the text of another memory.
    pub fn why(
        &mut self,
        row: Row,
        ask: &Ask<'_>,
        text: Option<&Text<'_>>,
        embed: &mut Embed<'_>,
    ) -> Result<Why> {
        let (question, sections) = self.collect(ask, false, embed)?;
        let (placed, odds) = self.placed(&question, sections, ask, POOL);
        self.supersede(&question, sections, ask.filters, ask.now, None);
        let Answering { texts, evidence, .. } = &self.answering;
        let Some((passage, words)) = evidence.matches(texts, &question, row, text)? else {
            return Err(Error::argument("id", "must name a memory with a title or a text"));
        };
        if !self.passes(row, ask.filters, ask.now) {
            return Err(Error::argument("id", "must name a memory that passes the filters"));
        }
        let meaning = evidence.of_meaning(!self.vectors.has(row), &self.answering.fit);
        let values = self.values(&question, sections, row, ask.now);
        let by_evidence = self.sum(&values);
        let Standing { sum, superseded_by, replaced_by, replaces, .. } = self.standing(row);
        let own = sum.unwrap_or(by_evidence);
        let speaks = self.score(&question, sections, row, ask.now).is_some();
        self.set_bounds(&question, sections);
        let (mut before, mut is_earlier) = (0, true);
        for &other in &self.answering.order {
            is_earlier &= other != row;
            let may_reach = self.answering.lines.holds(other)
                || !self.is_below(own, other) && self.may_reach(own, sections, other, ask.now);
            if may_reach
                && self.passes(other, ask.filters, ask.now)
                && let Some(score) = self.score(&question, sections, other, ask.now)
            {
                before += usize::from(score > own || score == own && is_earlier);
            }
        }
        let place = placed.iter().position(|it| it.row == row);
        let rank = speaks.then_some(1 + place.unwrap_or(before));
        let mut evidence: Vec<Contribution> = NAMES
            .iter()
            .zip(values.to_array().iter().zip(self.answering.weights))
            .filter(|&(_, (&value, _))| value != 0.0)
            .map(|(&name, (&value, weight))| Contribution {
                name,
                value,
                weight,
                contribution: value * weight,
            })
            .collect();
        if own != by_evidence {
            let value = own - by_evidence;
            let name = "supersession";
            evidence.push(Contribution { name, value, weight: 1.0, contribution: value });
        }
        sort_descending(&mut evidence, |it| it.contribution);
        Ok(Why {
            rank,
            score: odds.probability(own),
            sum: own,
            scale: odds.scale,
            offset: odds.offset,
            evidence,
            words,
            passage,
            meaning,
            superseded_by,
            replaced_by,
            replaces,
            similar_to: place.and_then(|place| placed[place].similar_to),
        })
    }

    /// Returns the evidence of every memory that may be found, in order of sequence, traits of
    /// memories included.
    ///
    /// # Errors
    /// As [`MemoryIndex::ask`].
    pub fn evidence(&mut self, ask: &Ask<'_>, embed: &mut Embed<'_>) -> Result<Vec<(Row, Values)>> {
        let (question, sections) = self.collect(ask, true, embed)?;
        let rows = self.answering.order.iter().copied();
        let rows = rows.filter(|&row| self.passes(row, ask.filters, ask.now));
        Ok(rows.map(|row| (row, self.values(&question, sections, row, ask.now))).collect())
    }

    /// Lists the rows with a text anew, if the index has changed.
    fn put_in_order(&mut self) {
        let Answering { texts, order, ordered_at, .. } = &mut self.answering;
        if *ordered_at != Some(texts.changes()) {
            *ordered_at = Some(texts.changes());
            order.clear();
            order.extend((0..texts.rows() as Row).filter(|&row| texts.has(row)));
            self.nodes.sort(order);
        }
    }

    /// Reads a question and collects the evidence for it. Traits of memories are read if they
    /// weigh, or if `reads_traits`.
    pub(super) fn collect(
        &mut self,
        ask: &Ask<'_>,
        reads_traits: bool,
        embed: &mut Embed<'_>,
    ) -> Result<(Question, SectionSet)> {
        if !(0.0..=1.0).contains(&ask.diversity) {
            let problem = "must lie between 0 and 1";
            return Err(Error::argument("diversity", problem).found(ask.diversity));
        }
        check_instant("now", ask.now)?;
        check_offset(ask.utc_offset.unwrap_or_default())?;
        ask.filters.check()?;
        ask.embedding_scale.map_or(Ok(()), |scale| scale.check())?;
        let rows = self.nodes.rows();
        self.afford_for_now("question", rows * 250)?;
        let embedding = ask.embedding.map(|it| self.vectors.query(it)).transpose()?;
        self.put_in_order();
        let filtered = ask.filters.is_about_nodes();
        let Self { nodes, labels, vectors, answering, .. } = self;
        let Answering { texts, evidence, cosines, .. } = answering;
        let passes = |row: Row| !filtered || ask.filters.pass(row, nodes, labels, ask.now);
        let local = ask.utc_offset.map(|offset| ask.now + offset);
        let cosines = embedding.map(|query| {
            vectors.similarities(&query, nodes.rows(), cosines);
            if let Some(scale) = ask.embedding_scale {
                cosines.iter_mut().for_each(|cosine| *cosine = scale.fitted(*cosine));
            }
            &**cosines
        });
        let excluded = &ask.filters.excluded;
        let asked = Asked { text: ask.text, local, cosines, excluded };
        let question = evidence.collect(texts, asked, passes, embed);
        let is_embedded = evidence.is_embedded();
        let fits = answering.fits;
        answering.use_fit(if is_embedded { fits.embedded } else { fits.plain });
        answering.reads_traits = reads_traits || answering.fit.weighs_traits();
        if answering.reads_traits {
            answering.traits.refresh(&answering.texts);
        }
        self.activate(ask)?;
        Ok((question, self.answering.sections_of(ask.text)?))
    }

    /// Spreads activation from the memories that are nearest to the question.
    fn activate(&mut self, ask: &Ask<'_>) -> Result<()> {
        let room = self.room();
        let Self { nodes, labels, graph, answering, .. } = self;
        let Answering { texts, evidence, activation, activated, selection, order, .. } = answering;
        for row in activated.drain(..) {
            if let Some(activation) = activation.get_mut(row as usize) {
                *activation = 0.0;
            }
        }
        activation.resize(nodes.rows(), 0.0);
        if graph.is_empty() {
            return Ok(());
        }
        let filtered = ask.filters.is_about_nodes();
        let passes = |row: Row| !filtered || ask.filters.pass(row, nodes, labels, ask.now);
        selection.clear(SEEDS, texts.len());
        for &row in order.iter() {
            let nearness = evidence.nearness(row);
            if nearness >= MIN_SEED && passes(row) {
                selection.offer(nearness, row);
            }
        }
        let hits: Vec<SearchHit> = selection
            .take_scored()
            .into_iter()
            .map(|(score, row)| SearchHit { row: Some(row), score: score.min(1.0) })
            .collect();
        let config = SearchConfig { max_seeds: SEEDS, ..self.search };
        let seeds = seed(&hits, &[], &config, |_| Some(0.0));
        let guesses = guesses_among(&self.edge_types);
        let weight = |slot: u32, row: Row| {
            let edge_type = graph.edge_type(slot);
            let may_pass = ask.filters.passes_edge(edge_type, &guesses) && passes(row);
            let weight = || match self.search.edge_weight {
                EdgeWeight::Learned => graph.strength(slot),
                _ => self.edge_weights[usize::from(edge_type)],
            };
            may_pass.then(weight)
        };
        let max_queued = room / (6 * size_of::<(Row, f64)>());
        let spread = spread(graph, &seeds, &config, max_queued, weight, None)?;
        // The first of the active nodes are the seeds. Their own activation is no evidence.
        let own = seeds.iter().map(|seed| config.initial_activation * seed.combined_score);
        for (active, own) in spread.activated.iter().zip(own.chain(std::iter::repeat(0.0))) {
            activation[active.row as usize] = (active.activation - own).min(MAX_ACTIVATION);
            activated.push(active.row);
        }
        Ok(())
    }

    /// Returns the odds for the question whose evidence was collected, by its best memories.
    fn odds(&self, best: &[(f64, Row)]) -> Odds {
        let Answering { fit, evidence, .. } = &self.answering;
        let holds = |row: Row| self.standing(row).behind.is_none();
        let sum = |&(sum, _): &(f64, Row)| sum;
        let second = best.iter().take(POOL).skip(1).find(|&&(_, row)| holds(row)).map_or(0.0, sum);
        fit.odds(evidence.of_question(best.first().map_or(0.0, sum), second))
    }

    /// Returns the place of a memory in its line.
    fn standing(&self, row: Row) -> Standing {
        self.answering.standing.get(&row).copied().unwrap_or_default()
    }

    /// Returns the sum of a memory after supersession, `None` if nothing connects it with the
    /// question.
    fn score(&self, question: &Question, sections: SectionSet, row: Row, now: f64) -> Option<f64> {
        let of_line = self.standing(row).sum;
        of_line.or_else(|| self.score_alone(question, sections, row, now))
    }

    /// Returns the sum of the evidence of a memory, `None` if nothing connects it with the
    /// question.
    #[inline(never)]
    pub(super) fn score_alone(
        &self,
        question: &Question,
        sections: SectionSet,
        row: Row,
        now: f64,
    ) -> Option<f64> {
        let values = self.values(question, sections, row, now);
        values.speaks(&self.answering.fit.weights).then(|| self.sum(&values))
    }

    /// Bounds the sums for the question whose evidence was collected.
    fn set_bounds(&mut self, question: &Question, sections: SectionSet) {
        let Answering { texts, evidence, bounds, fit, activation, activated, .. } =
            &mut self.answering;
        let activated = activated.iter().map(|&row| (row, activation[row as usize]));
        bounds.set(evidence, texts, question, sections, &fit.weights, activated);
    }

    /// Whether the first bound of a memory with a text is below a bar.
    #[inline(always)]
    pub(super) fn is_below(&self, bar: f64, row: Row) -> bool {
        let Answering { texts, evidence, bounds, .. } = &self.answering;
        bounds.first(evidence, texts, row) + bounds.max_besides() < bar
    }

    /// Whether the sum of a memory with a text, before supersession, can be as high as a bar.
    #[inline(never)]
    pub(super) fn may_reach(&self, bar: f64, sections: SectionSet, row: Row, now: f64) -> bool {
        let Answering { texts, evidence, bounds, .. } = &self.answering;
        let besides = bounds.besides(&self.circumstances(sections, row, now), self.traits(row));
        bounds.first(evidence, texts, row) + besides >= bar
            && bounds.second(evidence, texts, row) + besides >= bar
    }

    #[inline(always)]
    fn traits(&self, row: Row) -> &Traits {
        if self.answering.reads_traits { self.answering.traits.of(row) } else { &Traits::NONE }
    }

    /// Returns the weighted sum of evidence. Traits that are not read add nothing, and are left
    /// out.
    pub(super) fn sum(&self, values: &Values) -> f64 {
        let kinds = if self.answering.reads_traits { KINDS } else { KINDS - TRAITS };
        sum(&values.to_array()[..kinds], &self.answering.weights[..kinds])
    }

    // Out of line: each copy would take kilobytes of the module.
    #[inline(never)]
    pub(super) fn values(
        &self,
        question: &Question,
        sections: SectionSet,
        row: Row,
        now: f64,
    ) -> Values {
        let Answering { texts, evidence, .. } = &self.answering;
        let circumstances = self.circumstances(sections, row, now);
        evidence.values(texts, question, row, &circumstances, self.traits(row))
    }

    // Out of line, as are the callers of it: each copy would take more of the module than time.
    #[inline(never)]
    fn circumstances(&self, sections: SectionSet, row: Row, now: f64) -> Circumstances {
        let Answering { tables, activation, .. } = &self.answering;
        let (recency, saturation) = &**tables.get_or_init(Box::default);
        let place = row as usize;
        let section = self.section(row);
        // A time in the future counts as today.
        let recency_of = |at: f64| recency.get(days_between(at, now).max(0.0));
        let created_at = self.nodes.created_at.at(place);
        let is_new = days_between(created_at, now) < NEW_DAYS;
        let used = saturation.of_count(self.nodes.access_count.at(place))
            * recency_of(self.nodes.last_accessed().at(place));
        Circumstances {
            section,
            is_asked: sections.contains(section),
            // Not of the last access: each search would raise what it found.
            recency: recency_of(created_at),
            affinity: (used + if is_new { NEW_BONUS } else { 0.0 }).min(1.0),
            activation: activation[place],
        }
    }
}

/// Returns by row whether it is one of these.
fn marked(rows: &[Row], count: usize) -> Vec<bool> {
    let mut marks = vec![false; count];
    for &row in rows {
        if let Some(mark) = marks.get_mut(row as usize) {
            *mark = true;
        }
    }
    marks
}

/// Whether a row is among the marked ones; every row if none are marked.
fn is_marked(marked: Option<&[bool]>, row: Row) -> bool {
    marked.is_none_or(|marked| marked[row as usize])
}

/// Returns the place of a memory in time. Its run is that of its first cluster.
fn moment(row: Row, nodes: &Nodes, labels: &LabelSets) -> Moment {
    let place = row as usize;
    let labels = labels.labels(nodes.labels.get(place));
    Moment {
        created_at: nodes.created_at.get(place),
        sequence: nodes.sequence(row),
        cluster: labels.iter().find_map(|label| label.as_cluster()),
    }
}

/// Returns the weighted sum of evidence. Products are added in four lanes, each of every fourth
/// kind, and the lanes in order: one after the other would take four times as long.
fn sum(values: &[f64], weights: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    for (values, weights) in values.chunks(4).zip(weights.chunks(4)) {
        for (lane, (value, weight)) in lanes.iter_mut().zip(values.iter().zip(weights)) {
            *lane += value * weight;
        }
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}
