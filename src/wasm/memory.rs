//! A resident memory over scratch of its own: numbers, rows (of nodes, slots of edges, codes of
//! names), and bytes.
//!
//! JavaScript keeps the ids and says rows. In records a missing number is −∞, which no field takes.

use std::hint::black_box;
use std::mem::ManuallyDrop;

use wasm_bindgen::prelude::*;

use super::scratch::{Scratch, no_room_for_part, told_of};
use super::{answer, grow, plain_data, to_json};
use crate::check::COUNT;
use crate::columns::{MOST_SEQUENCE, Row, StoredState, VectorForm};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::memory::{
    Access, Columns, DecayChange, EdgeChange, Embedding, Filters, MemoryIndex, NameKind,
    NodeChange, Options, RankingWeights, Restoring, SEQUENCE, Search, Snapshot, Sweep, Target,
    Transition,
};
use crate::rerank::Ranked;
use crate::search::{SearchHit, Serendipity, Termination};

/// A missing number.
const ABSENT: f64 = f64::NEG_INFINITY;
/// Numbers of a node: target, sequence, creation, last access (+∞: never), accesses, stability,
/// retrievability, difficulty, salience, state, type, subtype, count of tags, count of clusters,
/// count of components (−1: no embedding any more).
const NODE: usize = 15;
/// Numbers of an edge: target, source (−1: an end is not there), target row, type, strength,
/// sequence.
const EDGE: usize = 6;
/// Numbers of a ranked node: row, score, six signals, place of the primary one. Of a ranking the
/// rows come first, then the scores, then the rest of each.
const RANKED: usize = 2 + SIGNALS;
const SIGNALS: usize = 7;
/// Numbers of a search: now, limit, sections, connections, serendipity, three filters, count of
/// components (−1: none), most seeds, count of hits; then the hits' scores, then the components.
const SEARCH: usize = 11;
/// Lists of filters, in the order of [`Filters`]' fields; their lengths come first in the rows,
/// then the lists, then the hits' rows.
const LISTS: usize = 9;
/// Numbers that tell of a search's outcome, before what it found.
const OUTCOME: usize = 9;
/// A hit that is not in the memory; the slot of an edge that was left out.
const NOBODY: u32 = u32::MAX;

/// The memory of one agent, the only thing in its instance.
#[wasm_bindgen]
pub struct Resident {
    /// Never dropped: it goes with its instance, and taking it apart first would be work for
    /// nothing.
    memory: ManuallyDrop<MemoryIndex>,
    scratch: Scratch,
    sweep: Sweep,
    snapshot: Option<Snapshot>,
    /// The part of the snapshot that was made last. It does not count against the bound, and no
    /// more does the snapshot.
    part: Vec<u8>,
}

fn config_of(config: &JsValue) -> Result<Config> {
    if config.is_undefined() { Ok(Config::default()) } else { Config::read(&plain_data(config)) }
}

#[wasm_bindgen]
impl Resident {
    /// An empty memory; `own` is what the module takes before there is one.
    pub fn create(
        config: &JsValue,
        dimensions: usize,
        i8: bool,
        embedding_id: &str,
        max_bytes: f64,
        own: usize,
    ) -> Option<Resident> {
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
                .map(|memory| Self::new(memory, own)),
        )
    }

    /// Makes room for so many numbers, rows and bytes; refused where there is not as much. Moves
    /// the scratch.
    pub fn reserve(&mut self, numbers: usize, rows: usize, bytes: usize) -> bool {
        let missing = self.scratch.missing(numbers, rows, bytes);
        if answer(self.memory.afford_for_now("batch", 2 * missing)).is_none() {
            return false;
        }
        let done = self.scratch.reserve(numbers, rows, bytes);
        self.tell();
        done
    }

    /// Where the numbers stand, in bytes from the beginning of memory.
    pub fn numbers_at(&self) -> usize {
        self.scratch.numbers.as_ptr() as usize
    }

    /// Where the rows stand.
    pub fn rows_at(&self) -> usize {
        self.scratch.rows.as_ptr() as usize
    }

    /// Where the bytes stand.
    pub fn bytes_at(&self) -> usize {
        self.scratch.bytes.as_ptr() as usize
    }

    /// Gives scratch back where it has become large; whether it did, which moves it.
    pub fn release(&mut self) -> bool {
        let large = self.scratch.release();
        self.tell();
        large
    }

    /// Whether there is room for so many bytes; the reason is kept where there is not.
    pub fn affords(&self, bytes: usize) -> bool {
        answer(self.memory.afford_for_now("text", bytes)).is_some()
    }

    /// The code of a name of a kind, a new one where it has none; −1 where that was refused.
    pub fn name(&mut self, kind: usize, name: &str) -> f64 {
        answer(self.memory.name(NameKind::ALL[kind], name)).map_or(-1.0, f64::from)
    }

    /// How many names of a kind there are.
    pub fn count_names(&self, kind: usize) -> usize {
        self.memory.count_names(NameKind::ALL[kind])
    }

    /// Forgets all names of a kind but the first so many; nothing has the others.
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

    /// Numbers: bytes of nodes, edges and embeddings, each by content and by capacity.
    pub fn bytes_used(&mut self) {
        let it = self.memory.bytes();
        let numbers = [
            it.nodes,
            it.nodes_capacity,
            it.edges,
            it.edges_capacity,
            it.embeddings,
            it.embeddings_capacity,
        ];
        self.scratch.put_numbers(&numbers.map(|bytes| bytes as f64));
    }

    /// Numbers: `count` nodes, then their components; rows: their tags and clusters. The rows
    /// receive those of the nodes.
    pub fn upsert(&mut self, count: usize, now: f64) -> bool {
        if answer(self.memory.afford_for_now("nodes", count * size_of::<NodeChange<'_>>()))
            .is_none()
        {
            return false;
        }
        let (batch, fault) = nodes_of(count, &self.scratch.numbers, &self.scratch.rows);
        let upserted = match fault {
            None => self.memory.upsert(&batch, now),
            // A fault before it comes first.
            Some(fault) => self.memory.check_nodes(&batch, now).and(Err(fault)),
        };
        let Some(rows) = answer(upserted) else { return false };
        self.scratch.put_rows(&rows);
        true
    }

    /// Rows: nodes to remove. The answer holds the slots of their edges.
    pub fn remove(&mut self, count: usize) -> Vec<u32> {
        self.memory.remove(&self.scratch.rows[..count])
    }

    /// Numbers: `count` edges. The rows receive their slots.
    pub fn link(&mut self, count: usize) -> bool {
        if answer(self.memory.afford_for_now("edges", 2 * count * size_of::<EdgeChange>()))
            .is_none()
        {
            return false;
        }
        let records = self.scratch.numbers.as_chunks::<EDGE>().0[..count].iter();
        let mut batch = Vec::with_capacity(count);
        let mut fault = None;
        for &[target, source_row, target_row, edge_type, strength, sequence] in records {
            let sequence = sequence_of(sequence);
            batch.push(EdgeChange {
                target: target_of(target),
                ends: (source_row >= 0.0).then_some((source_row as Row, target_row as Row)),
                edge_type: given(edge_type).map(|code| code as u32),
                strength: given(strength),
                sequence: *sequence.as_ref().unwrap_or(&None),
            });
            fault = sequence.err().map(|error| error.at(batch.len() - 1));
            if fault.is_some() {
                break;
            }
        }
        let linked = match fault {
            None => self.memory.link(&batch),
            // A fault before it comes first.
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

    /// Rows: lengths of the groups, then their nodes. The answer holds the slots of edges that
    /// became stronger.
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

    /// Rows: nodes that were accessed. How many were counted, −1 where that was refused.
    pub fn touch(&mut self, count: usize, now: f64) -> f64 {
        answer(self.memory.touch(&self.scratch.rows[..count], now))
            .map_or(-1.0, |counted| counted as f64)
    }

    /// Rows: nodes that were read. As [`Resident::touch`].
    pub fn recall(&mut self, count: usize, now: f64) -> f64 {
        answer(self.memory.recall(&self.scratch.rows[..count], now))
            .map_or(-1.0, |counted| counted as f64)
    }

    /// Rows: candidates; numbers: their three columns, one after the other, and then room for the
    /// first `limit` of them, which are no more than there are. Whether they were ranked.
    pub fn rerank(&mut self, count: usize, limit: usize, now: f64, sections: bool) -> bool {
        let rows = &self.scratch.rows[..count];
        let (columns, room) = self.scratch.numbers.split_at_mut(3 * count);
        let (semantic, rest) = columns.split_at(count);
        let (bm25, graph) = rest.split_at(count);
        let mut places = ranking_places(&mut room[..limit * RANKED], limit);
        let columns = Columns { rows, semantic, bm25, graph };
        let ranked = self.memory.rerank_each(columns, limit, now, weights_of(sections), |ranked| {
            if let Some(place) = places.next() {
                place.put(&ranked, rows[ranked.index]);
            }
        });
        answer(ranked).is_some()
    }

    /// A search as its head tells. The numbers receive the outcome, the ranked, and the finds (row
    /// and activation); the rows the slots of connections.
    pub fn search(&mut self) -> bool {
        if !self.has_room_for_hits() {
            return false;
        }
        let request = Request::read(&self.scratch.numbers, &self.scratch.rows);
        let Some(outcome) = answer(self.memory.search(&request.search())) else { return false };
        let numbers = OUTCOME + outcome.ranked.len() * RANKED + outcome.serendipity.len() * 2;
        if !self.scratch.reserve_answer(numbers, 0) {
            return false;
        }
        let (head, rest) = self.scratch.numbers.split_at_mut(OUTCOME);
        let terminated = match outcome.spread.terminated {
            Termination::NoSpread => 0,
            Termination::MaxNodes => 1,
            Termination::MaxHops => 2,
        };
        let counts = [
            outcome.seeds.len(),
            outcome.spread.activated.len(),
            outcome.kept.len(),
            outcome.ranked.len(),
            outcome.serendipity.len(),
            outcome.connections.len(),
            outcome.spread.hops as usize,
            outcome.spread.edges_traversed,
            terminated,
        ];
        head.copy_from_slice(&counts.map(|count| count as f64));
        let (ranked, finds) = rest.split_at_mut(outcome.ranked.len() * RANKED);
        for (place, ranked) in ranking_places(ranked, outcome.ranked.len()).zip(&outcome.ranked) {
            place.put(ranked, outcome.kept[ranked.index].row);
        }
        for (out, &(row, activation)) in finds.chunks_exact_mut(2).zip(&outcome.serendipity) {
            out.copy_from_slice(&[f64::from(row), activation]);
        }
        self.scratch.put_rows(&outcome.connections);
        self.tell();
        true
    }

    /// A search as its head tells, whose limit, filters and embedding alone count. The rows receive
    /// the found, the numbers their scores; the answer is how many, −1 where it was refused.
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

    /// A search as its head tells, and why a node stands where it does in it, as JSON.
    pub fn explain(&mut self, row: Row) -> Option<String> {
        if !self.has_room_for_hits() {
            return None;
        }
        let request = Request::read(&self.scratch.numbers, &self.scratch.rows);
        answer(self.memory.explain(row, &request.search())).map(|explained| to_json(&explained))
    }

    /// Looks at every node. The answer is how many were processed, −1 where it was refused; what is
    /// proposed stands where the next four functions say, until `forget_sweep`.
    pub fn decay(&mut self, now: f64) -> f64 {
        let Some(sweep) = answer(self.memory.decay(now)) else { return -1.0 };
        self.sweep = sweep;
        self.sweep.processed as f64
    }

    /// How many changes the sweep proposes.
    pub fn sweep_length(&self) -> usize {
        self.sweep.rows.len()
    }

    /// Where their rows stand.
    pub fn sweep_rows_at(&self) -> usize {
        self.sweep.rows.as_ptr() as usize
    }

    /// How many of them have the rows that come first of all, in their order.
    pub fn sweep_begins(&self) -> usize {
        self.sweep.rows.iter().zip(0..).take_while(|&(&row, place)| row == place).count()
    }

    /// Where their retrievabilities stand.
    pub fn sweep_retrievability_at(&self) -> usize {
        self.sweep.retrievability.as_ptr() as usize
    }

    /// Where their states stand.
    pub fn sweep_states_at(&self) -> usize {
        self.sweep.states.as_ptr() as usize
    }

    /// Four numbers for each transition of the sweep: row, code before, code after, code of the
    /// subtype (0 for none).
    pub fn sweep_transitions(&self) -> Vec<u32> {
        self.told(&self.sweep.transitions)
    }

    /// Frees what the sweep proposed.
    pub fn forget_sweep(&mut self) {
        self.sweep = Sweep::default();
    }

    /// Rows: nodes; numbers: retrievabilities; bytes: codes of states. How many were stored, −1
    /// where it was refused.
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

    /// Four numbers for each transition, as for those of a sweep.
    pub fn transitions(&mut self, now: f64) -> Option<Vec<u32>> {
        answer(self.memory.transitions(now)).map(|transitions| self.told(&transitions))
    }

    /// Numbers of a node: sequence, creation, last access, accesses, inbound edges, stability,
    /// retrievability, difficulty, salience (NaN where it is not kept), state, type, subtype,
    /// embedding or not; the rows receive its labels, a cluster's code one more than twice itself.
    /// The answer is how many labels, −1 for a row without a node.
    pub fn node(&mut self, row: Row) -> f64 {
        let Some(node) = self.memory.node(row) else { return -1.0 };
        let labels: Vec<u32> = self.memory.labels(&node).iter().map(|label| label.bits()).collect();
        let numbers = [
            node.sequence as f64,
            node.created_at,
            node.last_accessed,
            f64::from(node.access_count),
            f64::from(self.memory.inbound(row)),
            node.stability,
            node.retrievability,
            node.difficulty,
            if self.memory.keeps_salience() { node.salience } else { f64::NAN },
            f64::from(node.state.code()),
            f64::from(node.node_type),
            f64::from(node.subtype),
            f64::from(u8::from(self.memory.has_embedding(row))),
        ];
        self.scratch.put_numbers(&numbers);
        self.scratch.put_rows(&labels);
        labels.len() as f64
    }

    /// Numbers of an edge: source, target, type, strength, sequence; `false` for a slot without
    /// one.
    pub fn edge(&mut self, slot: u32) -> bool {
        let Some(edge) = self.memory.edge(slot) else { return false };
        let numbers = [
            f64::from(edge.source),
            f64::from(edge.target),
            f64::from(edge.edge_type),
            edge.strength,
            edge.sequence as f64,
        ];
        self.scratch.put_numbers(&numbers);
        true
    }

    /// Begins a snapshot; the answer holds the rows in the order in which nodes are written.
    pub fn begin_snapshot(&mut self) -> Option<Vec<u32>> {
        self.snapshot = Some(answer(self.memory.snapshot())?);
        self.snapshot.as_ref().map(|snapshot| snapshot.rows().to_vec())
    }

    /// The slots in the order in which edges are written.
    pub fn snapshot_slots(&self) -> Vec<u32> {
        self.snapshot.as_ref().map_or_else(Vec::new, |snapshot| snapshot.slots().to_vec())
    }

    /// Where the part of a snapshot stands.
    pub fn part_at(&self) -> usize {
        self.part.as_ptr() as usize
    }

    /// Makes the next part; the answer is its length, 0 after the last, −1 where it was refused.
    pub fn next_part(&mut self) -> f64 {
        let Some(snapshot) = &mut self.snapshot else { return 0.0 };
        let Some(part) = answer(self.memory.next_part(snapshot)) else { return -1.0 };
        self.part = part.unwrap_or_default();
        if self.part.is_empty() {
            self.snapshot = None;
        }
        self.part.len() as f64
    }

    /// Makes room for the content of a part of the caller's own, which is to be put where the part
    /// stands.
    pub fn reserve_part(&mut self, length: usize) -> bool {
        self.part = Vec::new();
        let affordable = answer(self.memory.afford_snapshot(2 * length)).is_some();
        affordable
            && (grow(&mut self.part, length) || answer::<()>(Err(no_room_for_part())).is_some())
    }

    /// Makes a part of that content; the answer is its length, −1 where it was refused.
    pub fn own_part(&mut self, kind: u32) -> f64 {
        let Some(snapshot) = &mut self.snapshot else { return 0.0 };
        self.part = snapshot.own_part(kind, &self.part);
        self.part.len() as f64
    }
}

impl Resident {
    fn new(memory: MemoryIndex, own: usize) -> Self {
        let memory = ManuallyDrop::new(memory);
        let mut resident = Self {
            memory,
            scratch: Scratch::new(own),
            sweep: Sweep::default(),
            snapshot: None,
            part: Vec::new(),
        };
        resident.tell();
        resident
    }

    /// Whether there is room for the hits of a search, beside the scratch.
    fn has_room_for_hits(&self) -> bool {
        let hits = self.scratch.numbers.get(SEARCH - 1).copied().unwrap_or_default() as usize;
        answer(self.memory.afford_for_now("bm25", hits.saturating_mul(2 * size_of::<SearchHit>())))
            .is_some()
    }

    fn told(&self, transitions: &[Transition]) -> Vec<u32> {
        let numbers = |it: &Transition| {
            [
                it.row,
                it.from.code().into(),
                (it.to as u8).into(),
                self.memory.subtype(it.row).into(),
            ]
        };
        let mut told = Vec::with_capacity(4 * transitions.len());
        transitions.iter().for_each(|it| told.extend(numbers(it)));
        told
    }

    /// Tells the memory what stands beside it.
    fn tell(&mut self) {
        self.memory.set_elsewhere(self.scratch.elsewhere());
    }
}

/// A snapshot that is being read, part by part.
#[wasm_bindgen]
pub struct Restorer {
    restoring: Option<ManuallyDrop<Restoring>>,
    config: Option<Config>,
    max_bytes: usize,
    scratch: Scratch,
}

#[wasm_bindgen]
impl Restorer {
    /// Begins, with what a memory is made with.
    pub fn create(config: &JsValue, max_bytes: f64, own: usize) -> Option<Restorer> {
        let config = Some(answer(config_of(config))?);
        Some(Self {
            restoring: None,
            config,
            max_bytes: max_bytes as usize,
            scratch: Scratch::new(own),
        })
    }

    /// Makes room for so many bytes; where they stand, 0 where there is not as much.
    pub fn reserve(&mut self, bytes: usize) -> usize {
        if !self.scratch.reserve_part(bytes, self.max_bytes) {
            return 0;
        }
        if let Some(restoring) = &mut self.restoring {
            restoring.set_elsewhere(self.scratch.elsewhere());
        }
        self.scratch.bytes.as_ptr() as usize
    }

    /// The length of the part whose header the first 32 bytes are; −1 where they are none.
    pub fn part_length(&self) -> f64 {
        let header = &self.scratch.bytes[..self.scratch.bytes.len().min(32)];
        answer(Restoring::part_length(header)).map_or(-1.0, |length| length as f64)
    }

    /// Reads a part of so many bytes. The answer is −1 where it was refused, 0 for one that the
    /// memory took, and for the caller's own one more than its kind; its content stands behind the
    /// header's 32 bytes.
    pub fn read(&mut self, length: usize) -> f64 {
        let part = &self.scratch.bytes[..length];
        match &mut self.restoring {
            Some(restoring) => told_of(answer(restoring.read(part))),
            None => {
                let config = self.config.take().unwrap_or_default();
                let begun =
                    Restoring::begin(part, self.max_bytes, self.scratch.elsewhere(), config);
                self.restoring = answer(begun).map(ManuallyDrop::new);
                let Some(restoring) = &self.restoring else { return -1.0 };
                grow_at_once(restoring.embeddings_need());
                0.0
            }
        }
    }

    /// The number of nodes that have been read.
    pub fn nodes(&self) -> usize {
        self.restoring.as_ref().map_or(0, |restoring| restoring.nodes())
    }

    /// The number of edges that have been read.
    pub fn edges(&self) -> usize {
        self.restoring.as_ref().map_or(0, |restoring| restoring.edges())
    }

    /// Which model made the embeddings.
    pub fn embedding_id(&self) -> String {
        self.restoring.as_ref().map_or("", |restoring| restoring.embedding_id()).into()
    }

    /// The memory, once its last part has been read.
    pub fn finish(&mut self) -> Option<Resident> {
        let Some(restoring) = self.restoring.take() else {
            return answer(Err(Error::snapshot("is cut off: it is empty")));
        };
        let own = self.scratch.own;
        answer(
            ManuallyDrop::into_inner(restoring).finish().map(|memory| Resident::new(memory, own)),
        )
    }
}

/// Has the instance's memory grow once by so many bytes, all of which stay free: each time that it
/// grows, the host takes all of it for new, and is the sooner to look for what it can collect.
fn grow_at_once(bytes: usize) {
    let mut room: Vec<u8> = Vec::new();
    // Where there is not as much, it is noticed by what comes to need it.
    let _ = room.try_reserve_exact(bytes);
    // What nobody sees would not be asked for.
    black_box(&room);
}

fn given(number: f64) -> Option<f64> {
    (number != ABSENT).then_some(number)
}

/// −1 for a new one, its row or slot for one that is there, −2 − place for an earlier entry.
fn target_of(number: f64) -> Target {
    if number >= 0.0 {
        Target::There(number as u32)
    } else if number == -1.0 {
        Target::New
    } else {
        Target::Entry((-2.0 - number) as usize)
    }
}

/// A whole number from 0 to `most`, if one is given.
fn whole(number: f64, most: f64, fault: impl Fn() -> Error) -> Result<Option<u64>> {
    let Some(number) = given(number) else { return Ok(None) };
    if (0.0..=most).contains(&number) && number.floor() == number {
        return Ok(Some(number as u64));
    }
    Err(fault().found(number))
}

fn sequence_of(number: f64) -> Result<Option<u64>> {
    whole(number, MOST_SEQUENCE as f64, || Error::argument("sequence", SEQUENCE))
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

/// The nodes of the scratch. If a number is none that its field can hold, the nodes end with that
/// one, whose fields from there on are missing, and the fault is returned with them.
fn nodes_of<'a>(
    count: usize,
    numbers: &'a [f64],
    rows: &'a [u32],
) -> (Vec<NodeChange<'a>>, Option<Error>) {
    let (records, mut components) = numbers.split_at(count * NODE);
    let mut codes = rows;
    let mut take = |length: f64| {
        let length = given(length)?;
        let (list, rest) = codes.split_at(length as usize);
        codes = rest;
        Some(list)
    };
    let mut batch = Vec::with_capacity(count);
    for record in records.as_chunks::<NODE>().0 {
        let &[
            target,
            sequence,
            created_at,
            last_accessed,
            access_count,
            stability,
            retrievability,
            ..,
        ] = record;
        let &[.., difficulty, salience, state, node_type, subtype, tags, clusters, length] = record;
        let mut node = NodeChange {
            target: target_of(target),
            sequence: None,
            created_at: None,
            last_accessed: Access::Kept,
            access_count: None,
            stability: None,
            retrievability: None,
            difficulty: None,
            salience: None,
            state: None,
            node_type: given(node_type).map(|code| code as u32),
            subtype: given(subtype).map(|code| code as u32),
            tags: take(tags),
            clusters: take(clusters),
            embedding: Embedding::Kept,
        };
        let read = (|| -> Result<()> {
            node.sequence = sequence_of(sequence)?;
            node.created_at = given(created_at);
            node.last_accessed = match given(last_accessed) {
                None => Access::Kept,
                Some(f64::INFINITY) => Access::Never,
                Some(instant) => Access::At(instant),
            };
            node.access_count = access_count_of(access_count)?;
            node.stability = given(stability);
            node.retrievability = given(retrievability);
            node.difficulty = given(difficulty);
            node.salience = given(salience);
            node.state = state_of(state)?;
            Ok(())
        })();
        if let Err(error) = read {
            batch.push(node);
            let index = batch.len() - 1;
            return (batch, Some(error.at(index)));
        }
        node.embedding = match given(length) {
            None => Embedding::Kept,
            Some(length) if length < 0.0 => Embedding::None,
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

/// A search as the scratch tells it.
struct Request<'a> {
    now: f64,
    limit: Option<usize>,
    max_seeds: Option<usize>,
    sections: bool,
    connections: bool,
    serendipity: Serendipity,
    filters: Filters,
    bm25: Vec<SearchHit>,
    embedding: Option<&'a [f64]>,
}

impl<'a> Request<'a> {
    fn read(numbers: &'a [f64], rows: &[u32]) -> Self {
        let (head, rest) = numbers.split_at(SEARCH);
        let flag = |place: usize| head[place] != 0.0;
        let (lengths, mut codes) = rows.split_at(LISTS);
        let mut lists = lengths.iter().map(|&length| {
            let (list, others) = codes.split_at(length as usize);
            codes = others;
            list.to_vec()
        });
        let mut next = || lists.next().unwrap_or_default();
        let filters = Filters {
            types: next(),
            excluded_types: next(),
            subtypes: next(),
            lifecycles: next(),
            clusters: next(),
            tags_all: next(),
            tags_any: next(),
            tags_none: next(),
            relationship_types: next(),
            created_after: given(head[5]),
            created_before: given(head[6]),
            accessed_within_days: given(head[7]),
        };
        drop(lists);
        let hits = head[SEARCH - 1] as usize;
        let (scores, components) = rest.split_at(hits);
        let found =
            |(&row, &score): (&u32, &f64)| SearchHit { row: (row != NOBODY).then_some(row), score };
        Self {
            now: head[0],
            limit: given(head[1]).map(|limit| limit as usize),
            max_seeds: given(head[9]).map(|seeds| seeds as usize),
            sections: flag(2),
            connections: flag(3),
            serendipity: match head[4] as u8 {
                1 => Serendipity::Low,
                2 => Serendipity::Medium,
                3 => Serendipity::High,
                _ => Serendipity::Off,
            },
            filters,
            bm25: codes.iter().zip(scores).map(found).collect(),
            embedding: (head[8] >= 0.0).then(|| &components[..head[8] as usize]),
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

/// A place of a ranking.
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

/// The places of a ranking of so many.
fn ranking_places(out: &mut [f64], count: usize) -> impl Iterator<Item = Place<'_>> {
    let (rows, rest) = out.split_at_mut(count);
    let (scores, signals) = rest.split_at_mut(count);
    let (signals, _) = signals.as_chunks_mut();
    let places = rows.iter_mut().zip(scores).zip(signals);
    places.map(|((row, score), signals)| Place { row, score, signals })
}
