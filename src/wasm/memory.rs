//! A resident memory with scratch of its own.
//!
//! JavaScript maps ids to rows of nodes and slots of edges; only these cross.

use std::mem::{ManuallyDrop, take};

use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::growth::{Growth, grow_at_once};
use super::layout::*;
use super::scratch::{Scratch, code_of_part, no_room_for_part, text_of};
use super::{answer, config_of, grow, to_js};
use crate::check::COUNT;
use crate::columns::{MAX_SEQUENCE, Row, StoredState, VectorForm};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::evidence::{EmbeddingScale, KINDS, Learned, NAMES, Stemming, TRAITS, Text, WordOptions};
use crate::host;
use crate::memory::{
    Access, Ask, Columns, DecayChange, EdgeChange, Embedding, EntryText, Feedback, Filters,
    MemoryIndex, NameKind, NodeChange, Options, RankingWeights, Restoring, SEQUENCE, Search,
    Snapshot, Sweep, Target, Transition,
};
use crate::rerank::Ranked;
use crate::search::{SearchHit, Serendipity, Termination};

/// Numbers of a ranked node. Of a ranking the rows come first, then the scores, then the signals of
/// each.
const RANKED: usize = 2 + SIGNALS;

// A ranking writes the six signals and the place of the primary one.
const _: () = assert!(SIGNALS_PRIMARY == 6 && SIGNALS == 7);
const _: () = assert!(NameKind::Type as usize == NAME_TYPE);
const _: () = assert!(NameKind::Subtype as usize == NAME_SUBTYPE);
const _: () = assert!(NameKind::EdgeType as usize == NAME_EDGE_TYPE);
const _: () = assert!(NameKind::Tag as usize == NAME_TAG);
const _: () = assert!(NameKind::Cluster as usize == NAME_CLUSTER);

/// A batch keeps about as many bytes for each that it transfers, with the room of lists that grow.
const KEPT_FOR_EACH: usize = 2;

/// The memory of one agent, the only thing in its instance.
#[wasm_bindgen]
pub struct ResidentMemory {
    /// Never dropped: freeing the instance frees it.
    memory: ManuallyDrop<MemoryIndex>,
    scratch: Scratch,
    sweep: Sweep,
    snapshot: Option<Snapshot>,
    /// The last part of the snapshot. Neither it nor the snapshot counts against `max_bytes`.
    part: Vec<u8>,
    growth: Growth,
}

#[wasm_bindgen]
impl ResidentMemory {
    /// An empty memory in an instance that already takes `module_bytes`.
    pub fn create(
        config: &JsValue,
        dimensions: usize,
        i8: bool,
        embedding_id: &str,
        max_bytes: f64,
        module_bytes: usize,
    ) -> Option<ResidentMemory> {
        let form = if i8 { VectorForm::I8 } else { VectorForm::F32 };
        let options = Options {
            dimensions,
            form,
            embedding_id: embedding_id.into(),
            max_bytes: max_bytes as usize,
        };
        answer(
            config_of(config)
                .and_then(|config| MemoryIndex::new(options, config))
                .map(|memory| Self::new(memory, module_bytes, max_bytes as usize)),
        )
    }

    /// Makes room for a batch. Refuses if `max_bytes` leaves too little; returns `false` without a
    /// reason if the host has too little memory. Moves the scratch.
    pub fn reserve(&mut self, numbers: usize, rows: usize, bytes: usize) -> bool {
        let missing = self.scratch.missing(numbers, rows, bytes);
        if answer(self.memory.afford_for_now("batch", 2 * missing)).is_none() {
            return false;
        }
        let done = self.scratch.reserve(numbers, rows, bytes);
        self.report_scratch_bytes();
        done
    }

    /// Address of the numbers, in bytes from the beginning of memory.
    pub fn numbers_at(&self) -> usize {
        self.scratch.numbers.as_ptr() as usize
    }

    /// Address of the rows.
    pub fn rows_at(&self) -> usize {
        self.scratch.rows.as_ptr() as usize
    }

    /// Address of the bytes.
    pub fn bytes_at(&self) -> usize {
        self.scratch.bytes.as_ptr() as usize
    }

    /// Frees the scratch if it is large. Returns whether it did, which moves the scratch.
    pub fn shrink_if_large(&mut self) -> bool {
        let is_large = self.scratch.shrink_if_large();
        self.report_scratch_bytes();
        is_large
    }

    /// Whether there is room for text of this many bytes. May be refused.
    pub fn affords(&self, bytes: usize) -> bool {
        answer(self.memory.afford_for_now("text", bytes)).is_some()
    }

    /// Returns the code of a name, a new one if it has none; −1 if refused.
    pub fn name(&mut self, kind: usize, name: &str) -> f64 {
        answer(self.memory.name(NameKind::ALL[kind], name)).map_or(-1.0, f64::from)
    }

    /// Count of the names of a kind.
    pub fn count_names(&self, kind: usize) -> usize {
        self.memory.count_names(NameKind::ALL[kind])
    }

    /// Forgets the names of a kind past the first `count`. No node or edge may have one of them.
    pub fn truncate_names(&mut self, kind: usize, count: usize) {
        self.memory.truncate_names(NameKind::ALL[kind], count);
    }

    /// The code of a name, or −1.
    pub fn code(&self, kind: usize, name: &str) -> f64 {
        self.memory.code(NameKind::ALL[kind], name).map_or(-1.0, f64::from)
    }

    /// The name of a code.
    pub fn text_of(&self, kind: usize, code: u32) -> String {
        self.memory.text(NameKind::ALL[kind], code).into()
    }

    /// Writes a `USED` to the numbers.
    pub fn bytes_used(&mut self) {
        let it = self.memory.bytes();
        let mut used = [0; USED];
        used[USED_NODES] = it.nodes;
        used[USED_NODES_CAPACITY] = it.nodes_capacity;
        used[USED_EDGES] = it.edges;
        used[USED_EDGES_CAPACITY] = it.edges_capacity;
        used[USED_EMBEDDINGS] = it.embeddings;
        used[USED_EMBEDDINGS_CAPACITY] = it.embeddings_capacity;
        used[USED_TEXTS] = it.texts;
        self.scratch.put_numbers(&used.map(|bytes| bytes as f64));
    }

    /// Drops all texts, and prepares for texts whose words have vectors of these dimensions.
    /// `stems` says whether English words are stemmed, and `source` names the vectors.
    pub fn keep_texts(&mut self, dimensions: usize, stems: bool, source: String) {
        self.memory.keep_texts(word_options(dimensions, stems, source));
    }

    /// Count of the nodes with a text.
    pub fn texts(&self) -> usize {
        self.memory.texts()
    }

    /// Numbers: `count` times a `NODE`, then the components of their embeddings. Rows: the codes of
    /// their tags and clusters. Bytes: their titles and texts. Writes the row of each node to the
    /// rows. `add_word` is a function for [`host::add_word`].
    pub fn upsert(&mut self, count: usize, now: f64, add_word: &Function) -> bool {
        if answer(self.memory.afford_for_now("nodes", count * size_of::<NodeChange<'_>>()))
            .is_none()
        {
            return false;
        }
        let given = size_of_val(&*self.scratch.numbers) + self.scratch.bytes.len();
        self.growth.before(KEPT_FOR_EACH * given);
        let (batch, fault) = nodes_of(count, &self.scratch.numbers, &self.scratch.rows);
        let texts = texts_of(count, &self.scratch.numbers, &self.scratch.bytes);
        let upserted = match fault {
            None if texts.is_empty() => self.memory.upsert(&batch, now),
            None => self.memory.upsert_with_texts(&batch, &texts, now, &mut embed_by(add_word)),
            // A fault of an earlier entry is reported first.
            Some(fault) => self.memory.check_nodes(&batch, now).and(Err(fault)),
        };
        let Some(rows) = answer(upserted) else { return false };
        self.scratch.put_rows(&rows);
        true
    }

    /// Numbers and rows: a search, of which limit, filters, present and embedding are read. Bytes: a
    /// question of `length` bytes. Writes an `ANSWER` with its evidence for each answer to the numbers.
    /// Returns their count, −1 if refused.
    pub fn ask(
        &mut self,
        length: usize,
        min_score: f64,
        diversity: f64,
        add_word: &Function,
    ) -> f64 {
        let Request { filters, limit, now, utc_offset, among, embedding, embedding_scale, .. } =
            Request::read(&self.scratch.numbers, &self.scratch.rows);
        let ask = Ask {
            text: self.scratch.text(0, length),
            embedding,
            embedding_scale,
            filters: &filters,
            among,
            limit: limit.unwrap_or(usize::MAX),
            min_score,
            diversity,
            now,
            utc_offset,
        };
        let asked = self.memory.ask(&ask, &mut embed_by(add_word));
        let Some(answers) = answer(asked) else { return -1.0 };
        let width = ANSWER + KINDS;
        if !self.scratch.reserve_answer(answers.len() * width, 0) {
            return -1.0;
        }
        for (out, found) in self.scratch.numbers.chunks_exact_mut(width).zip(&answers) {
            out[ANSWER_ROW] = found.row.into();
            out[ANSWER_SCORE] = found.score;
            out[ANSWER_SUM] = found.sum;
            out[ANSWER_SUPERSEDED_BY] = found.superseded_by.map_or(NO_END, f64::from);
            for (at, replacement) in
                [(ANSWER_REPLACED_BY, found.replaced_by), (ANSWER_REPLACES, found.replaces)]
            {
                out[at] = replacement.map_or(NO_END, |it| it.row.into());
                out[at + 1] = replacement.map_or(0.0, |it| it.probability);
            }
            out[ANSWER_SIMILAR_TO] = found.similar_to.map_or(NO_END, f64::from);
            out[ANSWER..].copy_from_slice(&found.evidence.to_array());
        }
        self.report_scratch_bytes();
        answers.len() as f64
    }

    /// Numbers, rows and bytes: as [`ResidentMemory::ask`]. Returns the reasons for the place of a
    /// memory among the answers. In the bytes, title and text of the memory follow the
    /// question; a `title_length` below 0 says that they are not given.
    pub fn why(
        &mut self,
        row: Row,
        length: usize,
        title_length: f64,
        text_length: usize,
        diversity: f64,
        add_word: &Function,
    ) -> Option<JsValue> {
        let Request { filters, now, utc_offset, embedding, embedding_scale, .. } =
            Request::read(&self.scratch.numbers, &self.scratch.rows);
        let ask = Ask {
            text: self.scratch.text(0, length),
            embedding,
            embedding_scale,
            filters: &filters,
            among: None,
            limit: 0,
            min_score: 0.0,
            diversity,
            now,
            utc_offset,
        };
        let given = (title_length >= 0.0).then(|| {
            let title_length = title_length as usize;
            let title = self.scratch.text(length, title_length);
            let body = self.scratch.text(length + title_length, text_length);
            Text { title, body, event: None, utc_offset: 0.0 }
        });
        let why = self.memory.why(row, &ask, given.as_ref(), &mut embed_by(add_word));
        answer(why).map(|why| to_js(&why))
    }

    /// Numbers, rows and bytes: as [`ResidentMemory::ask`]. Writes the memories that may be found
    /// to the rows, and their evidence to the numbers. Returns their count, −1 if refused.
    pub fn evidence(&mut self, length: usize, add_word: &Function) -> f64 {
        let Request { filters, now, utc_offset, embedding, embedding_scale, .. } =
            Request::read(&self.scratch.numbers, &self.scratch.rows);
        let text = self.scratch.text(0, length);
        let ask = Ask {
            text,
            embedding,
            embedding_scale,
            filters: &filters,
            among: None,
            limit: 0,
            min_score: 0.0,
            diversity: 0.0,
            now,
            utc_offset,
        };
        let collected = self.memory.evidence(&ask, &mut embed_by(add_word));
        let Some(all) = answer(collected) else { return -1.0 };
        if !self.scratch.reserve_answer(all.len() * KINDS, all.len()) {
            return -1.0;
        }
        for (place, (row, values)) in all.iter().enumerate() {
            self.scratch.rows[place] = *row;
            self.scratch.numbers[place * KINDS..][..KINDS].copy_from_slice(&values.to_array());
        }
        self.report_scratch_bytes();
        all.len() as f64
    }

    /// Replaces the weights of evidence by those of a configuration. May be refused.
    pub fn weigh(&mut self, config: &JsValue) -> bool {
        let Some(config) = answer(config_of(config)) else { return false };
        self.memory.weigh(config.evidence);
        true
    }

    /// Numbers and rows: a search, of which present and embedding are read, and the memories that were
    /// shown for the question, the `used` first. Bytes: a question of `length` bytes. Writes the change
    /// of the weight of each trait to the numbers. Returns the count of memories that counted, 0 if
    /// nothing was learned, −1 if refused.
    pub fn learn(&mut self, used: usize, length: usize, add_word: &Function) -> f64 {
        let Request { now, among, embedding, embedding_scale, .. } =
            Request::read(&self.scratch.numbers, &self.scratch.rows);
        let (used, unused) = among.unwrap_or_default().split_at(used);
        let text = self.scratch.text(0, length);
        let feedback = Feedback { text, embedding, embedding_scale, now, used, unused };
        let learned = self.memory.learn(&feedback, &mut embed_by(add_word));
        let Some(step) = answer(learned) else { return -1.0 };
        self.scratch.put_numbers(&step.moved);
        self.report_scratch_bytes();
        step.counted as f64
    }

    /// Writes the shifts of all traits, then their means, to the numbers. Returns the count of
    /// steps.
    pub fn learned(&mut self) -> f64 {
        let &Learned { steps, shifts, means } = self.memory.learned();
        self.scratch.put_numbers(&[shifts, means].concat());
        steps.into()
    }

    /// Numbers: the shifts of all traits, then their means. May be refused.
    pub fn set_learned(&mut self, steps: u32) -> bool {
        let mut learned = Learned { steps, ..Learned::default() };
        learned.shifts.copy_from_slice(&self.scratch.numbers[..TRAITS]);
        learned.means.copy_from_slice(&self.scratch.numbers[TRAITS..][..TRAITS]);
        answer(self.memory.set_learned(learned)).is_some()
    }

    /// Rows: nodes to remove. Returns the slots of their edges.
    pub fn remove(&mut self, count: usize) -> Vec<u32> {
        self.memory.remove(&self.scratch.rows[..count])
    }

    /// Numbers: `count` times an `EDGE`. Writes their slots to the rows, [`NOBODY`] for an edge
    /// that was left out.
    pub fn link(&mut self, count: usize) -> bool {
        if answer(self.memory.afford_for_now("edges", 2 * count * size_of::<EdgeChange>()))
            .is_none()
        {
            return false;
        }
        let records = self.scratch.numbers.as_chunks::<EDGE>().0[..count].iter();
        let mut batch = Vec::with_capacity(count);
        let mut fault = None;
        for edge in records {
            let sequence = sequence_of(edge[EDGE_SEQUENCE]);
            batch.push(EdgeChange {
                target: target_of(edge[EDGE_TARGET]),
                ends: (edge[EDGE_FROM] != NO_END)
                    .then_some((edge[EDGE_FROM] as Row, edge[EDGE_TO] as Row)),
                edge_type: given(edge[EDGE_TYPE]).map(|code| code as u32),
                strength: given(edge[EDGE_STRENGTH]),
                sequence: *sequence.as_ref().unwrap_or(&None),
            });
            fault = sequence.err().map(|error| error.at(batch.len() - 1));
            if fault.is_some() {
                break;
            }
        }
        let linked = match fault {
            None => self.memory.link(&batch),
            // A fault of an earlier entry is reported first.
            Some(fault) => MemoryIndex::check_edges(&batch).and(Err(fault)),
        };
        let Some(slots) = answer(linked) else { return false };
        let slots: Vec<u32> = slots.into_iter().map(|slot| slot.unwrap_or(NOBODY)).collect();
        self.scratch.put_rows(&slots);
        true
    }

    /// Rows: slots to free.
    pub fn unlink(&mut self, count: usize) {
        self.memory.unlink(&self.scratch.rows[..count]);
    }

    /// Rows: lengths of the groups, then their nodes. Returns the slots of the edges that became
    /// stronger.
    pub fn strengthen(&mut self, groups: usize, amount: f64) -> Option<Vec<u32>> {
        let (lengths, mut rest) = self.scratch.rows.split_at(groups);
        let groups: Vec<&[Row]> = lengths
            .iter()
            .map(|&length| {
                let (group, others) = rest.split_at(length as usize);
                rest = others;
                group
            })
            .collect();
        answer(self.memory.strengthen(&groups, amount))
    }

    /// Rows: nodes that were accessed. Returns the count of accesses, −1 if refused.
    pub fn touch(&mut self, count: usize, now: f64) -> f64 {
        answer(self.memory.touch(&self.scratch.rows[..count], now))
            .map_or(-1.0, |counted| counted as f64)
    }

    /// Rows: nodes that were read. Returns the same as [`ResidentMemory::touch`].
    pub fn recall(&mut self, count: usize, now: f64) -> f64 {
        answer(self.memory.recall(&self.scratch.rows[..count], now))
            .map_or(-1.0, |counted| counted as f64)
    }

    /// Rows: candidates. Numbers: their `COLUMNS`, then room for a ranking of the first `limit`, at
    /// most all. Writes the ranking there.
    pub fn rerank(&mut self, count: usize, limit: usize, now: f64, sections: bool) -> bool {
        let rows = &self.scratch.rows[..count];
        let (columns, room) = self.scratch.numbers.split_at_mut(COLUMNS * count);
        let column = |place: usize| &columns[place * count..][..count];
        let (semantic, bm25, graph) =
            (column(COLUMNS_SEMANTIC), column(COLUMNS_BM25), column(COLUMNS_GRAPH));
        let mut places = ranking_places(&mut room[..limit * RANKED], limit);
        let columns = Columns { rows, semantic, bm25, graph };
        let ranked = self.memory.rerank_each(columns, limit, now, weights_of(sections), |ranked| {
            if let Some(place) = places.next() {
                place.put(&ranked, rows[ranked.index]);
            }
        });
        answer(ranked).is_some()
    }

    /// Numbers and rows: a search, see [`Request::read`]. Writes an `OUTCOME`, the ranking, and a
    /// `FIND` each to the numbers; the slots of connections to the rows.
    pub fn search(&mut self) -> bool {
        if !self.has_room_for_hits() {
            return false;
        }
        let request = Request::read(&self.scratch.numbers, &self.scratch.rows);
        let Some(outcome) = answer(self.memory.search(&request.search())) else { return false };
        let numbers = OUTCOME + outcome.ranked.len() * RANKED + outcome.serendipity.len() * FIND;
        if !self.scratch.reserve_answer(numbers, 0) {
            return false;
        }
        let (head, rest) = self.scratch.numbers.split_at_mut(OUTCOME);
        head[OUTCOME_SEEDS] = outcome.seeds.len() as f64;
        head[OUTCOME_ACTIVATED] = outcome.spread.activated.len() as f64;
        head[OUTCOME_KEPT] = outcome.kept.len() as f64;
        head[OUTCOME_RANKED] = outcome.ranked.len() as f64;
        head[OUTCOME_FINDS] = outcome.serendipity.len() as f64;
        head[OUTCOME_CONNECTIONS] = outcome.connections.len() as f64;
        head[OUTCOME_HOPS] = outcome.spread.hops.into();
        head[OUTCOME_EDGES_TRAVERSED] = outcome.spread.edges_traversed as f64;
        head[OUTCOME_ENDED] = f64::from(match outcome.spread.terminated {
            Termination::NoSpread => ENDED_NO_SPREAD,
            Termination::MaxNodes => ENDED_MAX_NODES,
            Termination::MaxHops => ENDED_MAX_HOPS,
        });
        let (ranked, finds) = rest.split_at_mut(outcome.ranked.len() * RANKED);
        for (place, ranked) in ranking_places(ranked, outcome.ranked.len()).zip(&outcome.ranked) {
            place.put(ranked, outcome.kept[ranked.index].row);
        }
        let finds = finds.as_chunks_mut::<FIND>().0;
        for (find, &(row, activation)) in finds.iter_mut().zip(&outcome.serendipity) {
            find[FIND_ROW] = row.into();
            find[FIND_ACTIVATION] = activation;
        }
        self.scratch.put_rows(&outcome.connections);
        self.report_scratch_bytes();
        true
    }

    /// Numbers and rows: a search, of which limit, filters, present and embedding are read. Writes
    /// the found nodes to the rows and their scores to the numbers. Returns their count, −1 if
    /// refused.
    pub fn similar(&mut self) -> f64 {
        let request = Request::read(&self.scratch.numbers, &self.scratch.rows);
        let Request { embedding, filters, limit, now, .. } = &request;
        let limit = limit.unwrap_or(usize::MAX);
        let found = self.memory.similar(embedding.unwrap_or_default(), limit, filters, *now);
        let Some(found) = answer(found) else { return -1.0 };
        let (rows, scores): (Vec<Row>, Vec<f64>) = found.into_iter().unzip();
        self.scratch.put_rows(&rows);
        self.scratch.put_numbers(&scores);
        rows.len() as f64
    }

    /// Numbers and rows: a search. Returns the reasons for the rank of a node in it.
    pub fn explain(&mut self, row: Row) -> Option<JsValue> {
        if !self.has_room_for_hits() {
            return None;
        }
        let request = Request::read(&self.scratch.numbers, &self.scratch.rows);
        answer(self.memory.explain(row, &request.search())).map(|explained| to_js(&explained))
    }

    /// Sweeps over every node. Returns the count of processed nodes, −1 if refused. The following
    /// functions read the proposed changes, until `forget_sweep`.
    pub fn decay(&mut self, now: f64) -> f64 {
        let Some(sweep) = answer(self.memory.decay(now)) else { return -1.0 };
        self.sweep = sweep;
        self.sweep.processed as f64
    }

    /// Returns the number of changes that the sweep proposes.
    pub fn sweep_length(&self) -> usize {
        self.sweep.rows.len()
    }

    /// Returns the address of their rows.
    pub fn sweep_rows_at(&self) -> usize {
        self.sweep.rows.as_ptr() as usize
    }

    /// Returns the number of the first changes whose rows are 0, 1, 2 and so on.
    pub fn sweep_begins(&self) -> usize {
        self.sweep.rows.iter().zip(0..).take_while(|&(&row, place)| row == place).count()
    }

    /// Returns the address of their retrievabilities.
    pub fn sweep_retrievability_at(&self) -> usize {
        self.sweep.retrievability.as_ptr() as usize
    }

    /// Returns the address of the codes of their states.
    pub fn sweep_states_at(&self) -> usize {
        self.sweep.states.as_ptr() as usize
    }

    /// Returns a `TRANSITION` for each transition of the sweep.
    pub fn sweep_transitions(&self) -> Vec<u32> {
        self.numbers_of(&self.sweep.transitions)
    }

    /// Frees the sweep.
    pub fn forget_sweep(&mut self) {
        self.sweep = Sweep::default();
    }

    /// Rows: nodes. Numbers: retrievabilities. Bytes: codes of states. Returns the count of stored
    /// changes, −1 if refused.
    pub fn apply_decay(&mut self, count: usize) -> f64 {
        if answer(self.memory.afford_for_now("changes", 2 * count * size_of::<DecayChange>()))
            .is_none()
        {
            return -1.0;
        }
        let columns =
            self.scratch.rows[..count].iter().zip(&self.scratch.numbers).zip(&self.scratch.bytes);
        let changes: Option<Vec<DecayChange>> = columns
            .map(|((&row, &retrievability), &code)| {
                Some(DecayChange { row, retrievability, state: StoredState::from_code(code)? })
            })
            .collect();
        let changes =
            changes.ok_or_else(|| Error::argument("lifecycle", "must hold codes of states"));
        let applied = changes.and_then(|changes| self.memory.apply_decay(&changes));
        answer(applied).map_or(-1.0, |applied| applied as f64)
    }

    /// Returns a `TRANSITION` for each transition that is due.
    pub fn transitions(&mut self, now: f64) -> Option<Vec<u32>> {
        answer(self.memory.transitions(now)).map(|transitions| self.numbers_of(&transitions))
    }

    /// Returns the slots of the edges of a memory's line.
    pub fn line(&mut self, row: Row) -> Vec<u32> {
        self.memory.line(row)
    }

    /// Returns the slots of the guesses that another memory replaces this one, the surest first.
    pub fn may_supersede(&self, row: Row) -> Vec<u32> {
        self.memory.may_supersede(row)
    }

    /// Writes a `STORED_NODE` for each of these rows to the numbers, and their labels to the rows.
    /// Leaves out rows without a node.
    pub fn stored_nodes(&mut self, rows: &[Row]) {
        let mut numbers = Vec::with_capacity(rows.len() * STORED_NODE);
        let mut labels = Vec::new();
        for &row in rows {
            let Some(node) = self.memory.node(row) else { continue };
            let from = labels.len();
            labels.extend(self.memory.labels(&node).iter().map(|label| label.bits()));
            let mut stored = [0.0; STORED_NODE];
            stored[STORED_NODE_SEQUENCE] = node.sequence as f64;
            stored[STORED_NODE_CREATED_AT] = node.created_at;
            stored[STORED_NODE_LAST_ACCESSED] = node.last_accessed;
            stored[STORED_NODE_ACCESS_COUNT] = node.access_count.into();
            stored[STORED_NODE_INBOUND_EDGES] = self.memory.inbound(row).into();
            stored[STORED_NODE_STABILITY] = node.stability;
            stored[STORED_NODE_RETRIEVABILITY] = node.retrievability;
            stored[STORED_NODE_DIFFICULTY] = node.difficulty;
            stored[STORED_NODE_SALIENCE] =
                if self.memory.keeps_salience() { node.salience } else { f64::NAN };
            stored[STORED_NODE_STATE] = node.state.code().into();
            stored[STORED_NODE_TYPE] = node.node_type.into();
            stored[STORED_NODE_SUBTYPE] = node.subtype.into();
            stored[STORED_NODE_HAS_EMBEDDING] = u8::from(self.memory.has_embedding(row)).into();
            stored[STORED_NODE_LABELS] = (labels.len() - from) as f64;
            numbers.extend(stored);
        }
        self.scratch.put_numbers(&numbers);
        self.scratch.put_rows(&labels);
    }

    /// Writes a `STORED_EDGE` to the numbers. Returns `false` for a slot without an edge.
    pub fn edge(&mut self, slot: u32) -> bool {
        let Some(edge) = self.memory.edge(slot) else { return false };
        let mut stored = [0.0; STORED_EDGE];
        stored[STORED_EDGE_FROM] = edge.source.into();
        stored[STORED_EDGE_TO] = edge.target.into();
        stored[STORED_EDGE_TYPE] = edge.edge_type.into();
        stored[STORED_EDGE_STRENGTH] = edge.strength;
        stored[STORED_EDGE_SEQUENCE] = edge.sequence as f64;
        self.scratch.put_numbers(&stored);
        true
    }

    /// Begins a snapshot. Returns the rows in the order in which their nodes are written.
    pub fn begin_snapshot(&mut self) -> Option<Vec<u32>> {
        self.snapshot = Some(answer(self.memory.snapshot())?);
        self.snapshot.as_ref().map(|snapshot| snapshot.rows().to_vec())
    }

    /// Returns the slots in the order in which their edges are written.
    pub fn snapshot_slots(&self) -> Vec<u32> {
        self.snapshot.as_ref().map_or_else(Vec::new, |snapshot| snapshot.slots().to_vec())
    }

    /// Address of the part of a snapshot.
    pub fn part_at(&self) -> usize {
        self.part.as_ptr() as usize
    }

    /// Makes the next part. Returns its length in bytes, 0 after the last, −1 if refused.
    pub fn next_part(&mut self) -> f64 {
        let Some(snapshot) = &mut self.snapshot else { return 0.0 };
        let Some(part) = answer(self.memory.next_part(snapshot)) else { return -1.0 };
        self.part = part.unwrap_or_default();
        if self.part.is_empty() {
            self.snapshot = None;
        }
        self.part.len() as f64
    }

    /// Makes room for the content of a part of the caller's own, which the caller then writes to
    /// the address of the part.
    pub fn reserve_part(&mut self, length: usize) -> bool {
        self.part = Vec::new();
        let affordable = answer(self.memory.afford_snapshot(2 * length)).is_some();
        affordable
            && (grow(&mut self.part, length) || answer::<()>(Err(no_room_for_part())).is_some())
    }

    /// Makes a part of that content. Returns its length in bytes.
    pub fn own_part(&mut self, kind: u32) -> f64 {
        let Some(snapshot) = &mut self.snapshot else { return 0.0 };
        self.part = snapshot.own_part(kind, &self.part);
        self.part.len() as f64
    }
}

impl ResidentMemory {
    fn new(memory: MemoryIndex, module_bytes: usize, max: usize) -> Self {
        let memory = ManuallyDrop::new(memory);
        let mut resident = Self {
            memory,
            scratch: Scratch::new(module_bytes),
            sweep: Sweep::default(),
            snapshot: None,
            part: Vec::new(),
            growth: Growth::new(max),
        };
        resident.report_scratch_bytes();
        resident
    }

    /// Whether there is room for the hits of a search, beside the scratch.
    fn has_room_for_hits(&self) -> bool {
        let hits = self.scratch.numbers.get(SEARCH_HITS).copied().unwrap_or_default() as usize;
        answer(self.memory.afford_for_now("bm25", hits.saturating_mul(2 * size_of::<SearchHit>())))
            .is_some()
    }

    fn numbers_of(&self, transitions: &[Transition]) -> Vec<u32> {
        let mut numbers = vec![0; TRANSITION * transitions.len()];
        for (out, it) in numbers.as_chunks_mut::<TRANSITION>().0.iter_mut().zip(transitions) {
            out[TRANSITION_ROW] = it.row;
            out[TRANSITION_FROM] = it.from.code().into();
            out[TRANSITION_TO] = (it.to as u8).into();
            out[TRANSITION_SUBTYPE] = self.memory.subtype(it.row).into();
        }
        numbers
    }

    /// Reports the bytes beside the memory, which count against `max_bytes`.
    fn report_scratch_bytes(&mut self) {
        self.memory.set_elsewhere(self.scratch.beside_index());
    }
}

/// Returns the names of the kinds of evidence, in order, separated by spaces.
#[wasm_bindgen]
pub fn evidence_names() -> String {
    NAMES.join(" ")
}

/// Reads the snapshot of a memory, part by part.
#[wasm_bindgen]
pub struct MemoryRestorer {
    restoring: Option<ManuallyDrop<Restoring>>,
    growth: Growth,
    /// Used for the first part.
    config: Config,
    words: WordOptions,
    max_bytes: usize,
    scratch: Scratch,
}

#[wasm_bindgen]
impl MemoryRestorer {
    /// Begins, with the options of a memory and of [`ResidentMemory::keep_texts`].
    pub fn create(
        config: &JsValue,
        max_bytes: f64,
        module_bytes: usize,
        dimensions: usize,
        stems: bool,
        source: String,
    ) -> Option<MemoryRestorer> {
        Some(Self {
            restoring: None,
            growth: Growth::new(max_bytes as usize),
            config: answer(config_of(config))?,
            words: word_options(dimensions, stems, source),
            max_bytes: max_bytes as usize,
            scratch: Scratch::new(module_bytes),
        })
    }

    /// Makes room for bytes. Returns their address, 0 if there is too little memory.
    pub fn reserve(&mut self, bytes: usize) -> usize {
        if !self.scratch.reserve_part(bytes, self.max_bytes) {
            return 0;
        }
        if let Some(restoring) = &mut self.restoring {
            restoring.set_elsewhere(self.scratch.beside_index());
        }
        self.scratch.bytes.as_ptr() as usize
    }

    /// Returns the length in bytes of the part that begins with the header in the bytes, or −1 if
    /// it is not a header.
    pub fn part_length(&self) -> f64 {
        let header = &self.scratch.bytes[..self.scratch.bytes.len().min(PART_HEADER)];
        answer(Restoring::part_length(header)).map_or(-1.0, |length| length as f64)
    }

    /// Reads the part in the first `length` bytes. Returns its code: see [`code_of_part`]. The
    /// content of the caller's own part follows its header.
    pub fn read(&mut self, length: usize) -> f64 {
        self.growth.before(length);
        let part = &self.scratch.bytes[..length];
        match &mut self.restoring {
            Some(restoring) => code_of_part(answer(restoring.read(part))),
            None => {
                let elsewhere = self.scratch.beside_index();
                let (config, words) = (take(&mut self.config), take(&mut self.words));
                let begun = Restoring::begin(part, self.max_bytes, elsewhere, config, words);
                self.restoring = answer(begun).map(ManuallyDrop::new);
                let Some(restoring) = &self.restoring else { return -1.0 };
                grow_at_once(restoring.embeddings_need());
                0.0
            }
        }
    }

    /// Count of the nodes that have been read.
    pub fn nodes(&self) -> usize {
        self.restoring.as_ref().map_or(0, |restoring| restoring.nodes())
    }

    /// Count of the edges that have been read.
    pub fn edges(&self) -> usize {
        self.restoring.as_ref().map_or(0, |restoring| restoring.edges())
    }

    /// Id of the model that made the embeddings.
    pub fn embedding_id(&self) -> String {
        self.restoring.as_ref().map_or("", |restoring| restoring.embedding_id()).into()
    }

    /// Returns the memory after its last part has been read.
    pub fn finish(&mut self) -> Option<ResidentMemory> {
        let Some(restoring) = self.restoring.take() else {
            return answer(Err(Error::snapshot("is cut off: it is empty")));
        };
        let (module_bytes, max) = (self.scratch.module_bytes, self.max_bytes);
        let restored = ManuallyDrop::into_inner(restoring).finish();
        answer(restored.map(|memory| ResidentMemory::new(memory, module_bytes, max)))
    }
}

fn word_options(dimensions: usize, stems: bool, source: String) -> WordOptions {
    let stemming = if stems { Stemming::English } else { Stemming::None };
    WordOptions { dimensions, stemming, source }
}

fn given(number: f64) -> Option<f64> {
    (number != ABSENT).then_some(number)
}

fn target_of(number: f64) -> Target {
    if number >= 0.0 {
        Target::There(number as u32)
    } else if number == TARGET_NEW {
        Target::New
    } else {
        Target::Entry((TARGET_EARLIER - number) as usize)
    }
}

/// A whole number from 0 to `most`, if one is given.
fn whole(number: f64, max: f64, fault: impl Fn() -> Error) -> Result<Option<u64>> {
    let Some(number) = given(number) else { return Ok(None) };
    if (0.0..=max).contains(&number) && number.floor() == number {
        return Ok(Some(number as u64));
    }
    Err(fault().found(number))
}

fn sequence_of(number: f64) -> Result<Option<u64>> {
    whole(number, MAX_SEQUENCE as f64, || Error::argument("sequence", SEQUENCE))
}

fn access_count_of(number: f64) -> Result<Option<u32>> {
    let problem = if number > 0.0 { "must be a whole number of at most 4294967295" } else { COUNT };
    whole(number, f64::from(u32::MAX), || Error::argument("access_count", problem))
        .map(|count| count.map(|count| count as u32))
}

fn state_of(number: f64) -> Result<Option<StoredState>> {
    let code = whole(number, f64::from(StoredState::COUNT - 1), || {
        Error::argument("lifecycle", "must be a state")
    })?;
    Ok(code.and_then(|code| StoredState::from_code(code as u8)))
}

/// Returns the function that adds the vector of a word to a sum by a function of the host.
fn embed_by(add_word: &Function) -> impl FnMut(&str, &mut [f32]) -> bool {
    |word, sum| {
        let (word, length) = (word.as_ptr() as usize, word.len());
        host::add_word(add_word, word, length, sum.as_mut_ptr() as usize)
    }
}

/// Reads the texts of the nodes of the scratch. A node with a title or a text has both, of which
/// one may be empty.
fn texts_of<'a>(count: usize, numbers: &[f64], bytes: &'a [u8]) -> Vec<EntryText<'a>> {
    let mut bytes = bytes;
    let mut take = |length: f64| {
        let (text, rest) = bytes.split_at(given(length).unwrap_or_default() as usize);
        bytes = rest;
        text_of(text)
    };
    let records = numbers.as_chunks::<NODE>().0[..count].iter().enumerate();
    records
        .filter(|(_, record)| record[NODE_TITLE] != ABSENT || record[NODE_TEXT] != ABSENT)
        .map(|(entry, record)| {
            let text = Text {
                title: take(record[NODE_TITLE]),
                body: take(record[NODE_TEXT]),
                event: given(record[NODE_EVENT_TIME]),
                utc_offset: record[NODE_UTC_OFFSET],
            };
            EntryText { entry, text }
        })
        .collect()
}

/// Reads the nodes of the scratch. If a number is invalid for its field, the nodes end with that
/// one, without the fields from there on, and the fault is returned with them.
fn nodes_of<'a>(
    count: usize,
    numbers: &'a [f64],
    rows: &'a [u32],
) -> (Vec<NodeChange<'a>>, Option<Error>) {
    let (records, mut components) = numbers.split_at(count * NODE);
    let mut codes = rows;
    let mut list = |length: f64| {
        let length = given(length)?;
        let (list, rest) = codes.split_at(length as usize);
        codes = rest;
        Some(list)
    };
    let mut batch = Vec::with_capacity(count);
    for record in records.as_chunks::<NODE>().0 {
        let number = |field: usize| given(record[field]);
        let code = |field: usize| number(field).map(|code| code as u32);
        let mut node = NodeChange {
            target: target_of(record[NODE_TARGET]),
            sequence: None,
            created_at: None,
            last_accessed: Access::Kept,
            access_count: None,
            stability: None,
            retrievability: None,
            difficulty: None,
            salience: None,
            state: None,
            node_type: code(NODE_TYPE),
            subtype: code(NODE_SUBTYPE),
            tags: list(record[NODE_TAGS]),
            clusters: list(record[NODE_CLUSTERS]),
            embedding: Embedding::Kept,
        };
        let read = (|| -> Result<()> {
            node.sequence = sequence_of(record[NODE_SEQUENCE])?;
            node.created_at = number(NODE_CREATED_AT);
            node.last_accessed = match number(NODE_LAST_ACCESSED) {
                None => Access::Kept,
                Some(NEVER) => Access::Never,
                Some(instant) => Access::At(instant),
            };
            node.access_count = access_count_of(record[NODE_ACCESS_COUNT])?;
            node.stability = number(NODE_STABILITY);
            node.retrievability = number(NODE_RETRIEVABILITY);
            node.difficulty = number(NODE_DIFFICULTY);
            node.salience = number(NODE_SALIENCE);
            node.state = state_of(record[NODE_STATE])?;
            Ok(())
        })();
        if let Err(error) = read {
            batch.push(node);
            let index = batch.len() - 1;
            return (batch, Some(error.at(index)));
        }
        node.embedding = match number(NODE_COMPONENTS) {
            None => Embedding::Kept,
            Some(NO_EMBEDDING) => Embedding::None,
            Some(length) => {
                let (embedding, rest) = components.split_at(length as usize);
                components = rest;
                Embedding::Given(embedding)
            }
        };
        batch.push(node);
    }
    (batch, None)
}

fn weights_of(sections: bool) -> RankingWeights {
    if sections { RankingWeights::OfSections } else { RankingWeights::Global }
}

/// A search that was read from the scratch.
struct Request<'a> {
    now: f64,
    utc_offset: Option<f64>,
    limit: Option<usize>,
    max_seeds: Option<usize>,
    sections: bool,
    connections: bool,
    serendipity: Serendipity,
    filters: Filters,
    bm25: Vec<SearchHit>,
    among: Option<&'a [Row]>,
    embedding: Option<&'a [f64]>,
    embedding_scale: Option<EmbeddingScale>,
}

impl<'a> Request<'a> {
    /// Numbers: a `SEARCH`, the scores of its hits, the components of its embedding. Rows: the
    /// lengths of its `FILTERS`, their lists, the rows of its hits, the rows among which it answers.
    fn read(numbers: &'a [f64], rows: &'a [u32]) -> Self {
        let (head, rest) = numbers.split_at(SEARCH);
        let flag = |field: usize| head[field] != 0.0;
        let (lengths, mut codes) = rows.split_at(FILTERS);
        let mut lists: [Vec<u32>; FILTERS] = std::array::from_fn(|list| {
            let (list, others) = codes.split_at(lengths[list] as usize);
            codes = others;
            list.to_vec()
        });
        let mut list = |field: usize| take(&mut lists[field]);
        let filters = Filters {
            types: list(FILTERS_TYPES),
            excluded_types: list(FILTERS_EXCLUDED_TYPES),
            subtypes: list(FILTERS_SUBTYPES),
            lifecycles: list(FILTERS_LIFECYCLES),
            clusters: list(FILTERS_CLUSTERS),
            tags_all: list(FILTERS_TAGS_ALL),
            tags_any: list(FILTERS_TAGS_ANY),
            tags_none: list(FILTERS_TAGS_NONE),
            relationship_types: list(FILTERS_RELATIONSHIP_TYPES),
            excluded: list(FILTERS_EXCLUDED),
            created_after: given(head[SEARCH_CREATED_AFTER]),
            created_before: given(head[SEARCH_CREATED_BEFORE]),
            accessed_within_days: given(head[SEARCH_ACCESSED_WITHIN_DAYS]),
        };
        let hits = head[SEARCH_HITS] as usize;
        let (scores, components) = rest.split_at(hits);
        let (codes, others) = codes.split_at(hits);
        let found =
            |(&row, &score): (&u32, &f64)| SearchHit { row: (row != NOBODY).then_some(row), score };
        Self {
            now: head[SEARCH_NOW],
            utc_offset: given(head[SEARCH_UTC_OFFSET]),
            limit: given(head[SEARCH_LIMIT]).map(|limit| limit as usize),
            max_seeds: given(head[SEARCH_MAX_SEEDS]).map(|seeds| seeds as usize),
            sections: flag(SEARCH_SECTIONS),
            connections: flag(SEARCH_CONNECTIONS),
            serendipity: match head[SEARCH_SERENDIPITY] as u8 {
                SERENDIPITY_LOW => Serendipity::Low,
                SERENDIPITY_MEDIUM => Serendipity::Medium,
                SERENDIPITY_HIGH => Serendipity::High,
                _ => Serendipity::Off,
            },
            filters,
            bm25: codes.iter().zip(scores).map(found).collect(),
            among: given(head[SEARCH_AMONG]).map(|count| &others[..count as usize]),
            embedding: (head[SEARCH_COMPONENTS] != NO_EMBEDDING)
                .then(|| &components[..head[SEARCH_COMPONENTS] as usize]),
            embedding_scale: given(head[SEARCH_OF_UNRELATED]).map(|of_unrelated| EmbeddingScale {
                of_unrelated,
                of_related: head[SEARCH_OF_RELATED],
            }),
        }
    }

    fn search(&self) -> Search<'_> {
        Search {
            embedding: self.embedding,
            bm25: &self.bm25,
            filters: &self.filters,
            limit: self.limit,
            max_seeds: self.max_seeds,
            now: self.now,
            weights: weights_of(self.sections),
            connections: self.connections,
            serendipity: self.serendipity,
        }
    }
}

/// A place of a ranking in the scratch.
struct Place<'a> {
    row: &'a mut f64,
    score: &'a mut f64,
    signals: &'a mut [f64; SIGNALS],
}

impl Place<'_> {
    #[inline(always)]
    fn put(self, ranked: &Ranked, row: Row) {
        *self.row = f64::from(row);
        *self.score = ranked.score;
        let [semantic, keyword, graph, recency, authority, affinity] = ranked.breakdown;
        let primary = ranked.primary_signal as f64;
        *self.signals = [semantic, keyword, graph, recency, authority, affinity, primary];
    }
}

/// The places of a ranking of `count` nodes.
fn ranking_places(out: &mut [f64], count: usize) -> impl Iterator<Item = Place<'_>> {
    let (rows, rest) = out.split_at_mut(count);
    let (scores, signals) = rest.split_at_mut(count);
    let (signals, _) = signals.as_chunks_mut();
    let places = rows.iter_mut().zip(scores).zip(signals);
    places.map(|((row, score), signals)| Place { row, score, signals })
}
