//! Writes a snapshot, part by part.

use super::{
    BYTES_A_PART, EDGE_BYTES, Holds, NODE_BYTES, NUMBERS, ROWS_A_PART, SnapshotPart, TextHead,
    VERSIONS, Version, kind_and_code, label_of, put_learned, put_text,
};
use crate::columns::{Edge, NO_LABELS, Names, Node, Row, StoredVector, VectorForm};
use crate::error::{Error, Result};
use crate::evidence::{Learned, TEXT_VERSION, TextCounts, TextSnapshot};
use crate::memory::{MemoryIndex, NameKind};
use crate::parts::{self, HEADER, MAX_CONTENT, put};

/// A snapshot that is being written.
#[derive(Debug)]
pub struct Snapshot {
    rows: Vec<Row>,
    slots: Vec<u32>,
    /// The place in `rows` of each row.
    places: Vec<u32>,
    /// For each kind of name the code in the snapshot by that in the index, or [`NO_CODE`] for a
    /// name that is not in use.
    codes: [Vec<u32>; 5],
    /// The number of each set of labels, from 1 on, in the order in which nodes have them first.
    sets: Vec<u32>,
    /// The number of sets that have been written.
    sets_written: u32,
    texts: TextSnapshot,
    /// The next thing to write.
    next: Next,
    parts: u64,
    /// The index's count of changes when the snapshot began.
    changes: u64,
}

/// The code of a name that is not written.
const NO_CODE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
enum Next {
    Start,
    Nodes(usize),
    Edges(usize),
    Embeddings(usize),
    Texts(usize),
    Words(usize),
    End,
    Nothing,
}

impl Snapshot {
    /// Returns the rows in the order in which nodes are written.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns the slots in the order in which edges are written.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Returns the bytes of this value.
    fn bytes(&self) -> usize {
        let lists = [&self.rows, &self.slots, &self.places, &self.sets];
        let lists = lists.into_iter().chain(&self.codes);
        lists.map(|list| list.capacity() * size_of::<u32>()).sum::<usize>() + self.texts.bytes()
    }

    /// Returns a part of a kind that the caller defines.
    pub fn own_part(&mut self, own: u32, content: &[u8]) -> Vec<u8> {
        self.part(SnapshotPart::Own(own), content)
    }

    fn part(&mut self, part: SnapshotPart, content: &[u8]) -> Vec<u8> {
        let bytes = parts::part(part.code(), self.parts, content);
        self.parts += 1;
        bytes
    }
}

impl MemoryIndex {
    /// Begins a snapshot.
    ///
    /// # Errors
    /// `out_of_memory` if 4 GiB have no room for the bytes that it needs: 16 for each node and
    /// edge, 8 for each name, 4 for each text, passage and word, and two parts. They do not count
    /// against `max_bytes`.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let names: usize = NameKind::ALL.iter().map(|&kind| self.names(kind).count()).sum();
        let lists = (2 * self.nodes.rows() + self.graph.slots() + names + self.labels.bound())
            * size_of::<u32>();
        let texts = TextSnapshot::need(&self.answering.texts);
        self.afford_snapshot(2 * lists + texts + 4 * BYTES_A_PART)?;
        let rows = self.nodes.in_order();
        let mut places = vec![0; self.nodes.rows()];
        rows.iter().zip(0..).for_each(|(&row, place)| places[row as usize] = place);
        let slots = self.graph.in_order();
        let codes = self.codes_in_use(&rows, &slots);
        let mut sets = vec![0; self.labels.bound()];
        let mut numbered = 0;
        for &row in &rows {
            let set = self.nodes.labels.get(row as usize);
            if set != NO_LABELS && sets[set as usize] == 0 {
                numbered += 1;
                sets[set as usize] = numbered;
            }
        }
        let next = Next::Start;
        Ok(Snapshot {
            rows,
            slots,
            places,
            codes,
            sets,
            sets_written: 0,
            texts: TextSnapshot::new(&self.answering.texts),
            next,
            parts: 0,
            changes: self.changes,
        })
    }

    /// Returns new codes for the names in use, in the order of the old ones.
    fn codes_in_use(&self, rows: &[Row], slots: &[u32]) -> [Vec<u32>; 5] {
        let mut codes = NameKind::ALL.map(|kind| vec![NO_CODE; self.names(kind).count()]);
        let mut mark = |kind: NameKind, code: usize| codes[kind as usize][code] = 0;
        // The names that every index has.
        [NameKind::Type, NameKind::Subtype, NameKind::EdgeType]
            .into_iter()
            .for_each(|kind| mark(kind, 0));
        for &row in rows {
            mark(NameKind::Type, self.nodes.node_type.get(row as usize).into());
            mark(NameKind::Subtype, self.nodes.subtype.get(row as usize).into());
        }
        slots.iter().for_each(|&slot| mark(NameKind::EdgeType, self.graph.edge_type(slot).into()));
        for label in self.labels.all_labels() {
            let (kind, code) = kind_and_code(label);
            mark(kind, code as usize);
        }
        for codes in &mut codes {
            codes
                .iter_mut()
                .filter(|code| **code != NO_CODE)
                .zip(0..)
                .for_each(|(code, new)| *code = new);
        }
        codes
    }

    /// Returns the next part of a snapshot, or `None` after the last.
    ///
    /// # Errors
    /// `invalid_snapshot` if the index has changed since the snapshot began; `out_of_memory` if
    /// there is no room for the part.
    pub fn next_part(&self, snapshot: &mut Snapshot) -> Result<Option<Vec<u8>>> {
        if snapshot.changes != self.changes {
            return Err(Error::snapshot(
                "cannot be finished: the index changed while it was being written",
            ));
        }
        let embeddings_a_part =
            (BYTES_A_PART / (4 * self.options.dimensions).max(1)).clamp(1, ROWS_A_PART);
        let after = |at: usize, step: usize, all: usize| (at + step).min(all);
        let nodes = snapshot.rows.len();
        let (texts, text_counts) = (&self.answering.texts, snapshot.texts.counts());
        loop {
            let (part, content) = match snapshot.next {
                Next::Start => {
                    let names: usize = self.all_names().map(Names::bytes).sum();
                    self.afford_part(
                        snapshot,
                        names + self.options.embedding_id.len() + HEADER,
                        0,
                    )?;
                    snapshot.next = Next::Nodes(0);
                    (SnapshotPart::Start, self.head(snapshot))
                }
                Next::Nodes(at) if at == nodes => {
                    snapshot.next = Next::Edges(0);
                    continue;
                }
                Next::Nodes(at) => {
                    let (end, new_sets, bytes) = self.nodes_part(snapshot, at);
                    self.afford_part(snapshot, bytes, (end - at) * size_of::<Node>())?;
                    let content = self.nodes_content(snapshot, &snapshot.rows[at..end], &new_sets);
                    snapshot.next = Next::Nodes(end);
                    snapshot.sets_written += new_sets.len() as u32;
                    (SnapshotPart::Nodes, content)
                }
                Next::Edges(at) if at == snapshot.slots.len() => {
                    snapshot.next = Next::Embeddings(0);
                    continue;
                }
                Next::Edges(at) => {
                    let end = after(at, ROWS_A_PART, snapshot.slots.len());
                    self.afford_part(snapshot, BYTES_A_PART, (end - at) * size_of::<Edge>())?;
                    snapshot.next = Next::Edges(end);
                    (SnapshotPart::Edges, self.edges_content(snapshot, &snapshot.slots[at..end]))
                }
                Next::Embeddings(at) if at == nodes || self.vectors.is_empty() => {
                    snapshot.next = Next::Texts(0);
                    continue;
                }
                Next::Embeddings(at) => {
                    let end = after(at, embeddings_a_part, nodes);
                    self.afford_part(snapshot, BYTES_A_PART, 0)?;
                    snapshot.next = Next::Embeddings(end);
                    (
                        SnapshotPart::Embeddings,
                        self.embeddings_content(&snapshot.rows[at..end], at as u32),
                    )
                }
                Next::Texts(at) if at == text_counts.texts as usize => {
                    snapshot.next = Next::Words(0);
                    continue;
                }
                Next::Texts(at) => {
                    let (end, bytes) = snapshot.texts.end_of_texts(texts, at, BYTES_A_PART);
                    self.afford_part(snapshot, bytes, 0)?;
                    let mut content = Vec::with_capacity(bytes);
                    snapshot.texts.put_texts(texts, (at, end), &snapshot.places, &mut content);
                    snapshot.next = Next::Texts(end);
                    (SnapshotPart::Texts, content)
                }
                Next::Words(at) if at == text_counts.words as usize => {
                    snapshot.next = Next::End;
                    continue;
                }
                Next::Words(at) => {
                    let (end, bytes) = snapshot.texts.end_of_words(texts, at, BYTES_A_PART);
                    self.afford_part(snapshot, bytes, 0)?;
                    let mut content = Vec::with_capacity(bytes);
                    snapshot.texts.put_words(texts, (at, end), &mut content);
                    snapshot.next = Next::Words(end);
                    (SnapshotPart::Words, content)
                }
                Next::End => {
                    snapshot.next = Next::Nothing;
                    (SnapshotPart::End, snapshot.parts.to_le_bytes().to_vec())
                }
                Next::Nothing => return Ok(None),
            };
            return Ok(Some(snapshot.part(part, &content)));
        }
    }

    /// Checks whether there is room for a part of this many bytes, first as content and then as a
    /// whole, and for `beside` bytes more.
    fn afford_part(&self, snapshot: &Snapshot, bytes: usize, beside: usize) -> Result<()> {
        if bytes > MAX_CONTENT {
            return Err(Error::memory(
                "snapshot",
                format!("would have a part of {} MiB", bytes >> 20),
            ));
        }
        self.afford_snapshot(snapshot.bytes() + 2 * (HEADER + bytes) + beside)
    }

    fn head(&self, snapshot: &Snapshot) -> Vec<u8> {
        let mut out = Vec::new();
        let has_learned = *self.learned() != Learned::default();
        let counts = snapshot.texts.counts();
        let has_texts = counts != TextCounts::default();
        let is_ours = |version: &&Version| {
            version.holds(Holds::Sets)
                && version.holds(Holds::Salience) == self.keeps_salience()
                && version.holds(Holds::Learned) == has_learned
                && version.holds(Holds::Texts) == has_texts
        };
        let version = VERSIONS.iter().find(is_ours).map_or(0, |version| version.code);
        let numbers = [
            version as usize,
            self.nodes.count(),
            self.graph.len(),
            self.vectors.len(),
            self.options.dimensions,
            usize::from(self.options.form == VectorForm::I8),
        ];
        numbers.iter().for_each(|&number| out.extend((number as u32).to_le_bytes()));
        put_text(&mut out, &self.options.embedding_id);
        for kind in NameKind::ALL {
            let codes = &snapshot.codes[kind as usize];
            let count = codes.iter().filter(|&&code| code != NO_CODE).count();
            out.extend((count as u32).to_le_bytes());
            let names = self.names(kind).iter().zip(codes).filter(|&(_, &code)| code != NO_CODE);
            names.for_each(|(name, _)| put_text(&mut out, name));
        }
        put(
            &mut out,
            [self.nodes.next_sequence(), self.graph.next_sequence()]
                .iter()
                .map(|next| next.to_le_bytes()),
        );
        if has_learned {
            put_learned(&mut out, self.learned());
        }
        if has_texts {
            let words = self.answering.texts.options().clone();
            TextHead { version: TEXT_VERSION, words, counts }.put(&mut out);
        }
        out
    }

    /// Returns the end of a part of nodes that begins at a place, the sets of labels that occur
    /// first in it, and its bytes.
    fn nodes_part(&self, snapshot: &Snapshot, at: usize) -> (usize, Vec<u32>, usize) {
        let bytes_each = NODE_BYTES + if self.keeps_salience() { size_of::<f64>() } else { 0 };
        let (mut end, mut bytes, mut new_sets) = (at, size_of::<u64>(), Vec::new());
        while end < snapshot.rows.len() && end - at < ROWS_A_PART && bytes < BYTES_A_PART {
            let set = self.nodes.labels.get(snapshot.rows[end] as usize);
            if snapshot.sets[set as usize] as usize
                > snapshot.sets_written as usize + new_sets.len()
            {
                new_sets.push(set);
                bytes += size_of::<u32>() + size_of_val(self.labels.labels(set));
            }
            bytes += bytes_each;
            end += 1;
        }
        (end, new_sets, bytes)
    }

    fn nodes_content(&self, snapshot: &Snapshot, rows: &[Row], new_sets: &[u32]) -> Vec<u8> {
        let nodes: Vec<Node> = rows.iter().filter_map(|&row| self.nodes.get(row)).collect();
        let code =
            |kind: NameKind, code: u16| snapshot.codes[kind as usize][usize::from(code)] as u16;
        let mut out = Vec::with_capacity(nodes.len() * 80 + 8);
        out.extend((nodes.len() as u64).to_le_bytes());
        put(&mut out, nodes.iter().map(|node| node.sequence.to_le_bytes()));
        for number in NUMBERS {
            put(&mut out, nodes.iter().map(|node| number(node).to_le_bytes()));
        }
        if self.keeps_salience() {
            put(&mut out, nodes.iter().map(|node| node.salience.to_le_bytes()));
        }
        put(&mut out, nodes.iter().map(|node| node.access_count.to_le_bytes()));
        put(&mut out, nodes.iter().map(|node| snapshot.sets[node.labels as usize].to_le_bytes()));
        put(&mut out, nodes.iter().map(|node| code(NameKind::Type, node.node_type).to_le_bytes()));
        put(&mut out, nodes.iter().map(|node| code(NameKind::Subtype, node.subtype).to_le_bytes()));
        put(&mut out, nodes.iter().map(|node| [node.state.code()]));
        for labels in new_sets.iter().map(|&set| self.labels.labels(set)) {
            out.extend((labels.len() as u32).to_le_bytes());
            let (kinds, codes) =
                (labels.iter().map(|&label| kind_and_code(label)), &snapshot.codes);
            let recoded =
                kinds.map(|(kind, code)| label_of(kind, codes[kind as usize][code as usize]));
            put(&mut out, recoded.map(|label| label.bits().to_le_bytes()));
        }
        out
    }

    fn edges_content(&self, snapshot: &Snapshot, slots: &[u32]) -> Vec<u8> {
        let edges: Vec<Edge> = slots.iter().filter_map(|&slot| self.graph.edge(slot)).collect();
        let (places, types) = (&snapshot.places, &snapshot.codes[NameKind::EdgeType as usize]);
        let mut out = Vec::with_capacity(edges.len() * EDGE_BYTES + 8);
        out.extend((edges.len() as u64).to_le_bytes());
        put(&mut out, edges.iter().map(|edge| edge.sequence.to_le_bytes()));
        put(&mut out, edges.iter().map(|edge| edge.strength.to_le_bytes()));
        put(&mut out, edges.iter().map(|edge| places[edge.source as usize].to_le_bytes()));
        put(&mut out, edges.iter().map(|edge| places[edge.target as usize].to_le_bytes()));
        put(
            &mut out,
            edges.iter().map(|edge| (types[usize::from(edge.edge_type)] as u16).to_le_bytes()),
        );
        out
    }

    /// Returns the embeddings of those rows that have one. `first` is the place of the first row.
    fn embeddings_content(&self, rows: &[Row], first: u32) -> Vec<u8> {
        let embedded = || rows.iter().zip(first..).filter(|&(&row, _)| self.vectors.has(row));
        let count = embedded().count();
        let mut out = Vec::with_capacity(count * (4 * self.options.dimensions + 8) + 8);
        out.extend((count as u64).to_le_bytes());
        embedded().for_each(|(_, place)| out.extend(place.to_le_bytes()));
        for vector in rows.iter().filter_map(|&row| self.vectors.stored(row)) {
            match vector {
                StoredVector::F32(components) => {
                    components.iter().for_each(|component| out.extend(component.to_le_bytes()));
                }
                StoredVector::I8 { codes, scale } => {
                    out.extend(scale.to_le_bytes());
                    out.extend(codes.iter().map(|code| code.cast_unsigned()));
                }
            }
        }
        out
    }
}
