//! Snapshots: a memory as a stream of parts, each with a checksum.
//!
//! The first part tells of the whole; then come nodes in order of sequence, edges in order of
//! sequence, embeddings, and an end. Codes of names go by the lists of the first part, which hold
//! the names in use, so that a memory with other codes, or another configuration, takes them as
//! well. A set of tags and clusters stands behind the nodes of the part where it occurs first, and
//! has its number from then on. Parts of other kinds are the caller's own: the package keeps ids in
//! them.

use super::{MOST_DIMENSIONS, MemoryIndex, NameKind, check_sequence, check_share};
use crate::check::is_instant;
use crate::columns::{
    Edge, Label, MOST_SEQUENCE, NO_LABELS, Names, Node, Row, StoredState, StoredVector, VectorForm,
    is_unit,
};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::parts::{self, HEADER, MOST_CONTENT, Reader, put, u16_at, u32_at, u64_at};
use crate::salience::NEUTRAL;

/// The versions of the format that are read; the last two are written.
const VERSIONS: [Version; 4] = [
    Version { code: 1, has_salience: false, has_sets: false },
    Version { code: 2, has_salience: true, has_sets: false },
    Version { code: 3, has_salience: false, has_sets: true },
    Version { code: 4, has_salience: true, has_sets: true },
];
/// The most nodes, edges or embeddings of a part.
const ROWS_A_PART: usize = 1 << 16;
/// A part of nodes or embeddings ends with the one that brings it to as many bytes.
const BYTES_A_PART: usize = 1 << 22;

/// What a part holds. Codes from 16 on are the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // plain words
pub enum Part {
    Start,
    Nodes,
    Edges,
    Embeddings,
    End,
    Own(u32),
}

impl Part {
    fn code(self) -> u32 {
        match self {
            Self::Start => 0,
            Self::Nodes => 1,
            Self::Edges => 2,
            Self::Embeddings => 3,
            Self::End => 4,
            Self::Own(own) => parts::FIRST_OWN + own,
        }
    }

    fn from_code(code: u32) -> Option<Self> {
        [Self::Start, Self::Nodes, Self::Edges, Self::Embeddings, Self::End]
            .into_iter()
            .find(|part| part.code() == code)
            .or_else(|| code.checked_sub(parts::FIRST_OWN).map(Self::Own))
    }
}

/// A version of the format.
#[derive(Clone, Copy)]
struct Version {
    code: u32,
    /// Whether nodes have a salience.
    has_salience: bool,
    /// Whether nodes have the numbers of sets of labels, each of which is written once, or the
    /// labels themselves.
    has_sets: bool,
}

/// What the first part tells of the whole: version, counts of nodes, edges and embeddings,
/// dimensions, form, the embeddings' id, the names of each kind, each list with its length before
/// it, and the next sequence numbers.
struct Head {
    version: Version,
    nodes: usize,
    edges: usize,
    embeddings: usize,
    dimensions: usize,
    i8: bool,
    embedding_id: String,
    names: [Vec<String>; 5],
    /// The next sequence numbers of nodes and of edges.
    next: [u64; 2],
}

impl Head {
    fn read(content: &[u8]) -> Result<Self> {
        let mut reader = Reader { bytes: content, field: "names" };
        let code = reader.u32()?;
        let Some(&version) = VERSIONS.iter().find(|version| version.code == code) else {
            let problem = format!(
                "is of version {code}, and this package reads those up to {}",
                VERSIONS.len()
            );
            return Err(Error::snapshot(problem));
        };
        let mut count = || reader.u32().map(|count| count as usize);
        let (nodes, edges, embeddings, dimensions, i8) =
            (count()?, count()?, count()?, count()?, count()? != 0);
        let embedding_id = reader.text()?;
        let mut names: [Vec<String>; 5] = Default::default();
        for list in &mut names {
            for _ in 0..reader.u32()? {
                list.push(reader.text()?);
            }
        }
        let next = [reader.u64()?, reader.u64()?];
        reader.end()?;
        if dimensions > MOST_DIMENSIONS || next.iter().any(|&next| next > MOST_SEQUENCE) {
            return Err(Error::snapshot("has a first part that cannot be"));
        }
        Ok(Self { version, next, nodes, edges, embeddings, dimensions, i8, embedding_id, names })
    }
}

/// A snapshot that is being written.
#[derive(Debug)]
pub struct Snapshot {
    rows: Vec<Row>,
    slots: Vec<u32>,
    /// The place in `rows` of each row.
    places: Vec<u32>,
    /// For each kind of name the code in the snapshot by that in the memory, [`NO_CODE`] where
    /// nothing has it.
    codes: [Vec<u32>; 5],
    /// The number of each set of labels, from 1 on as nodes first have them.
    sets: Vec<u32>,
    /// How many of them have been written.
    sets_written: u32,
    /// What of the memory comes next.
    next: Next,
    parts: u64,
    /// What the memory's count of changes was.
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
    End,
    Nothing,
}

impl Snapshot {
    /// The rows in the order in which nodes are written.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The slots in the order in which edges are written.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Bytes that it takes itself.
    fn bytes(&self) -> usize {
        let lists = [&self.rows, &self.slots, &self.places, &self.sets];
        lists.into_iter().chain(&self.codes).map(|list| list.capacity() * size_of::<u32>()).sum()
    }

    /// A part of the caller's own.
    pub fn own_part(&mut self, own: u32, content: &[u8]) -> Vec<u8> {
        self.part(Part::Own(own), content)
    }

    fn part(&mut self, part: Part, content: &[u8]) -> Vec<u8> {
        let bytes = parts::part(part.code(), self.parts, content);
        self.parts += 1;
        bytes
    }
}

impl MemoryIndex {
    /// Begins a snapshot.
    ///
    /// # Errors
    /// `out_of_memory` when 4 GiB have no room for what it needs: 16 bytes a node or edge, 8 a
    /// name, and two parts. None of it counts against `max_bytes`.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let names: usize = NameKind::ALL.iter().map(|&kind| self.names(kind).count()).sum();
        let lists = (2 * self.nodes.rows() + self.graph.slots() + names + self.labels.bound())
            * size_of::<u32>();
        self.afford_snapshot(2 * lists + 4 * BYTES_A_PART)?;
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
            next,
            parts: 0,
            changes: self.changes,
        })
    }

    /// New codes for the names in use, in the order of the old ones.
    fn codes_in_use(&self, rows: &[Row], slots: &[u32]) -> [Vec<u32>; 5] {
        let mut codes = NameKind::ALL.map(|kind| vec![NO_CODE; self.names(kind).count()]);
        let mut mark = |kind: NameKind, code: usize| codes[kind as usize][code] = 0;
        // Those that every memory has.
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

    /// The next part of a snapshot; none after the last.
    ///
    /// # Errors
    /// `invalid_snapshot` when the memory has changed since it began; `out_of_memory` when there is
    /// no room for the part.
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
                    (Part::Start, self.head(snapshot))
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
                    (Part::Nodes, content)
                }
                Next::Edges(at) if at == snapshot.slots.len() => {
                    snapshot.next = Next::Embeddings(0);
                    continue;
                }
                Next::Edges(at) => {
                    let end = after(at, ROWS_A_PART, snapshot.slots.len());
                    self.afford_part(snapshot, BYTES_A_PART, (end - at) * size_of::<Edge>())?;
                    snapshot.next = Next::Edges(end);
                    (Part::Edges, self.edges_content(snapshot, &snapshot.slots[at..end]))
                }
                Next::Embeddings(at) if at == nodes || self.vectors.is_empty() => {
                    snapshot.next = Next::End;
                    continue;
                }
                Next::Embeddings(at) => {
                    let end = after(at, embeddings_a_part, nodes);
                    self.afford_part(snapshot, BYTES_A_PART, 0)?;
                    snapshot.next = Next::Embeddings(end);
                    (Part::Embeddings, self.embeddings_content(&snapshot.rows[at..end], at as u32))
                }
                Next::End => {
                    snapshot.next = Next::Nothing;
                    (Part::End, snapshot.parts.to_le_bytes().to_vec())
                }
                Next::Nothing => return Ok(None),
            };
            return Ok(Some(snapshot.part(part, &content)));
        }
    }

    /// Whether there is room for a part of so many bytes, first as content and then as a whole, and
    /// for what else that needs.
    fn afford_part(&self, snapshot: &Snapshot, bytes: usize, beside: usize) -> Result<()> {
        if bytes > MOST_CONTENT {
            return Err(Error::memory(
                "snapshot",
                format!("would have a part of {} MiB", bytes >> 20),
            ));
        }
        self.afford_snapshot(snapshot.bytes() + 2 * (HEADER + bytes) + beside)
    }

    fn head(&self, snapshot: &Snapshot) -> Vec<u8> {
        let mut out = Vec::new();
        let is_ours =
            |version: &&Version| version.has_sets && version.has_salience == self.keeps_salience();
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
        let text = |out: &mut Vec<u8>, text: &str| {
            out.extend((text.len() as u32).to_le_bytes());
            out.extend(text.as_bytes());
        };
        text(&mut out, &self.options.embedding_id);
        for kind in NameKind::ALL {
            let codes = &snapshot.codes[kind as usize];
            let count = codes.iter().filter(|&&code| code != NO_CODE).count();
            out.extend((count as u32).to_le_bytes());
            let names = self.names(kind).iter().zip(codes).filter(|&(_, &code)| code != NO_CODE);
            names.for_each(|(name, _)| text(&mut out, name));
        }
        put(
            &mut out,
            [self.nodes.next_sequence(), self.graph.next_sequence()]
                .iter()
                .map(|next| next.to_le_bytes()),
        );
        out
    }

    /// Where a part of nodes that begins at a place ends, the sets of labels that it is the first
    /// to have, and its bytes.
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

    /// Embeddings of those rows that have one; `first` is the place of the first row.
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

/// The kind and the code of the name that a label is.
fn kind_and_code(label: Label) -> (NameKind, u32) {
    let cluster = || (NameKind::Cluster, label.as_cluster().unwrap_or_default());
    label.as_tag().map_or_else(cluster, |tag| (NameKind::Tag, tag))
}

/// The label that a name of a kind is: a cluster, or else a tag.
fn label_of(kind: NameKind, code: u32) -> Label {
    if kind == NameKind::Cluster { Label::cluster(code) } else { Label::tag(code) }
}

/// Bytes of a node in every version, but for its labels and salience.
const NODE_BYTES: usize = 8 + 5 * 8 + 2 * 4 + 2 * 2 + 1;
/// Bytes of an edge.
const EDGE_BYTES: usize = 2 * 8 + 2 * 4 + 2;

/// The numbers of a node that are doubles in every version, in the order in which they are written.
const NUMBERS: [fn(&Node) -> f64; 5] = [
    |node| node.created_at,
    |node| node.last_accessed,
    |node| node.stability,
    |node| node.retrievability,
    |node| node.difficulty,
];

/// A memory that is being restored.
pub struct Restoring {
    memory: MemoryIndex,
    head: Head,
    /// New codes by old ones, for each kind of name.
    codes: [Vec<u32>; 5],
    /// The sets of labels that were read, by number; the first is the one without a label.
    sets: Vec<u32>,
    parts: u64,
    ended: bool,
}

/// Checks a part; the answer is its kind and content.
fn open(part: &[u8], number: u64) -> Result<(Part, &[u8])> {
    let (code, content) = parts::open(part, number)?;
    Ok((Part::from_code(code).ok_or_else(parts::unknown_kind)?, content))
}

impl Restoring {
    /// The length of a part whose header this is.
    ///
    /// # Errors
    /// `invalid_snapshot` for what is no header.
    pub fn part_length(header: &[u8]) -> Result<usize> {
        parts::part_length(header)
    }

    /// Begins with the first part. The dimensions and the form of embeddings are the snapshot's
    /// own.
    ///
    /// # Errors
    /// `invalid_snapshot` for a part that is damaged, no first part, or of another version; as
    /// [`MemoryIndex::new`].
    pub fn begin(part: &[u8], max_bytes: usize, elsewhere: usize, config: Config) -> Result<Self> {
        let (Part::Start, content) = open(part, 0)? else {
            return Err(Error::snapshot("does not begin at its start"));
        };
        let head = Head::read(content)?;
        let form = if head.i8 { VectorForm::I8 } else { VectorForm::F32 };
        let options = super::Options {
            dimensions: head.dimensions,
            form,
            embedding_id: head.embedding_id.clone(),
            max_bytes,
        };
        let mut memory = MemoryIndex::new(options, config)?;
        memory.set_elsewhere(elsewhere);
        memory.nodes.count_sequences_to(head.next[0]);
        memory.graph.count_sequences_to(head.next[1]);
        let mut codes: [Vec<u32>; 5] = Default::default();
        for ((codes, names), kind) in codes.iter_mut().zip(&head.names).zip(NameKind::ALL) {
            for name in names {
                codes.push(memory.name(kind, name)?);
            }
        }
        Ok(Self { memory, head, codes, sets: vec![NO_LABELS], parts: 1, ended: false })
    }

    /// Says how many bytes stand elsewhere and count against the bound.
    pub fn set_elsewhere(&mut self, bytes: usize) {
        self.memory.set_elsewhere(bytes);
    }

    /// Which model made the embeddings.
    pub fn embedding_id(&self) -> &str {
        &self.head.embedding_id
    }

    /// Bytes that the embeddings which are to come will take, at most; 0 where there is no room for
    /// them.
    pub fn embeddings_need(&self) -> usize {
        let need = self.memory.vectors.need(self.head.embeddings, self.head.nodes);
        if self.memory.afford("snapshot", need).is_ok() { need } else { 0 }
    }

    /// How many nodes have been read.
    pub fn nodes(&self) -> usize {
        self.memory.len()
    }

    /// How many edges have been read.
    pub fn edges(&self) -> usize {
        self.memory.edge_count()
    }

    /// Reads the next part. The answer is the kind and content of one of the caller's own.
    ///
    /// # Errors
    /// `invalid_snapshot` for a part that is damaged, or whose content no memory can have;
    /// `out_of_memory`.
    pub fn read<'a>(&mut self, part: &'a [u8]) -> Result<Option<(u32, &'a [u8])>> {
        let (part, content) = open(part, self.parts)?;
        if self.ended {
            return Err(Error::snapshot("goes on after its end"));
        }
        self.parts += 1;
        match part {
            Part::Own(own) => return Ok(Some((own, content))),
            Part::Start => return Err(Error::snapshot("begins twice")),
            Part::Nodes => self.read_nodes(content)?,
            Part::Edges => self.read_edges(content)?,
            Part::Embeddings => self.read_embeddings(content)?,
            Part::End => {
                let mut reader = Reader { bytes: content, field: "end" };
                let counts =
                    (self.memory.len(), self.memory.edge_count(), self.memory.vectors.len());
                let parts = reader.u64()?;
                reader.end()?;
                if parts.checked_add(1) != Some(self.parts)
                    || counts != (self.head.nodes, self.head.edges, self.head.embeddings)
                {
                    return Err(Error::snapshot("is cut off: some of its parts are missing"));
                }
                self.ended = true;
            }
        }
        Ok(None)
    }

    /// The memory, once the last part has been read.
    ///
    /// # Errors
    /// `invalid_snapshot` before that.
    pub fn finish(self) -> Result<MemoryIndex> {
        if self.ended {
            Ok(self.memory)
        } else {
            Err(Error::snapshot("is cut off: its end is missing"))
        }
    }

    fn code(&self, kind: NameKind, code: u32) -> Result<u32> {
        let codes = &self.codes[kind as usize];
        codes
            .get(code as usize)
            .copied()
            .ok_or_else(|| Error::snapshot("names what it does not list"))
    }

    fn read_nodes(&mut self, content: &[u8]) -> Result<()> {
        let mut reader = Reader { bytes: content, field: "nodes" };
        let count = reader.count(NODE_BYTES)?;
        let memory = &self.memory;
        // Each node may have a set of its own, whose labels are among the content.
        let labels = memory.labels.need(count, content.len() / size_of::<u32>());
        let need = memory.nodes.need(count) + memory.due.need(count) + labels;
        memory.afford("snapshot", need)?;
        let sequence = reader.column(count, 8)?;
        let created_at = reader.column(count, 8)?;
        let last_accessed = reader.column(count, 8)?;
        let stability = reader.column(count, 8)?;
        let retrievability = reader.column(count, 8)?;
        let difficulty = reader.column(count, 8)?;
        let salience =
            if self.head.version.has_salience { Some(reader.column(count, 8)?) } else { None };
        let access_count = reader.column(count, 4)?;
        // Numbers of sets, or how many labels each has.
        let labels = reader.column(count, 4)?;
        let node_type = reader.column(count, 2)?;
        let subtype = reader.column(count, 2)?;
        let state = reader.column(count, 1)?;
        let sound = |sound: bool| {
            if sound { Ok(()) } else { Err(Error::snapshot("holds a node that cannot be")) }
        };
        for (place, &state) in state.iter().enumerate() {
            let number = |column: &[u8]| f64::from_bits(u64_at(column, place));
            let subtype = self.code(NameKind::Subtype, u16_at(subtype, place).into())?;
            let labels = u32_at(labels, place);
            let labels = if self.head.version.has_sets {
                self.read_numbered(&mut reader, labels)?
            } else {
                self.read_labels(&mut reader, labels)?
            };
            let node = Node {
                sequence: u64_at(sequence, place),
                created_at: number(created_at),
                last_accessed: number(last_accessed),
                stability: number(stability),
                retrievability: number(retrievability),
                difficulty: number(difficulty),
                salience: salience.map_or(NEUTRAL, number),
                access_count: u32_at(access_count, place),
                node_type: self.code(NameKind::Type, u16_at(node_type, place).into())? as u16,
                subtype: subtype as u16,
                section: self.memory.subtype_facts[subtype as usize].section,
                state: StoredState::from_code(state)
                    .ok_or_else(|| Error::snapshot("holds an unknown state"))?,
                labels,
            };
            sound(check_sequence(node.sequence as f64).is_ok())?;
            sound(
                is_instant(node.created_at)
                    && is_instant(node.last_accessed)
                    && node.stability.is_finite(),
            )?;
            let shares = [node.retrievability, node.difficulty, node.salience];
            sound(shares.iter().all(|&share| check_share("", Some(share)).is_ok()))?;
            let row = self.memory.nodes.add(&node);
            self.memory.due.push();
            self.memory.graph.add_rows(self.memory.nodes.rows());
            self.memory.refile(row);
        }
        reader.end()
    }

    /// The set of a number. One that comes for the first time is read.
    fn read_numbered(&mut self, reader: &mut Reader<'_>, number: u32) -> Result<u32> {
        match self.sets.get(number as usize) {
            Some(&set) => Ok(self.memory.labels.share(set)),
            None if number as usize == self.sets.len() => {
                let count = reader.u32()?;
                let set = self.read_labels(reader, count)?;
                self.sets.push(set);
                Ok(set)
            }
            None => Err(Error::snapshot("has sets of labels in another order")),
        }
    }

    /// The set of so many labels.
    fn read_labels(&mut self, reader: &mut Reader<'_>, count: u32) -> Result<u32> {
        let mut labels = Vec::new();
        for _ in 0..count {
            let (kind, code) = kind_and_code(Label::from_bits(reader.u32()?));
            labels.push(label_of(kind, self.code(kind, code)?));
        }
        Ok(self.memory.labels.acquire(&labels))
    }

    fn read_edges(&mut self, content: &[u8]) -> Result<()> {
        let mut reader = Reader { bytes: content, field: "edges" };
        let count = reader.count(EDGE_BYTES)?;
        let need = self.memory.graph.need(count, self.memory.nodes.rows())
            + content.len()
            + count * size_of::<Edge>();
        self.memory.afford("snapshot", need)?;
        let sequence = reader.column(count, 8)?;
        let strength = reader.column(count, 8)?;
        let source = reader.column(count, 4)?;
        let target = reader.column(count, 4)?;
        let edge_type = reader.column(count, 2)?;
        let mut edges = Vec::with_capacity(count);
        for place in 0..count {
            let edge = Edge {
                source: u32_at(source, place),
                target: u32_at(target, place),
                edge_type: self.code(NameKind::EdgeType, u16_at(edge_type, place).into())? as u16,
                strength: f64::from_bits(u64_at(strength, place)),
                sequence: u64_at(sequence, place),
            };
            let ends_there =
                self.memory.nodes.has(edge.source) && self.memory.nodes.has(edge.target);
            let sound = check_sequence(edge.sequence as f64)
                .and(check_share("", Some(edge.strength)))
                .is_ok();
            if !(ends_there && sound) {
                return Err(Error::snapshot("holds an edge that cannot be"));
            }
            edges.push(edge);
        }
        self.memory.graph.add_all(&edges);
        reader.end()
    }

    fn read_embeddings(&mut self, content: &[u8]) -> Result<()> {
        let dimensions = self.head.dimensions;
        let mut reader = Reader { bytes: content, field: "embeddings" };
        let bytes_each = if self.head.i8 { dimensions + 4 } else { 4 * dimensions };
        let count = reader.count(4 + bytes_each)?;
        let memory = &mut self.memory;
        let need = memory.vectors.need(count, memory.nodes.rows()) + content.len();
        memory.afford("snapshot", need)?;
        let rows = reader.column(count, 4)?;
        let fault = || Error::snapshot("holds an embedding that cannot be");
        let mut components = vec![0.0_f32; dimensions];
        let mut codes = vec![0_i8; dimensions];
        for place in 0..count {
            let row = u32_at(rows, place);
            if dimensions == 0 || !memory.nodes.has(row) || memory.vectors.has(row) {
                return Err(fault());
            }
            if self.head.i8 {
                let scale = f32::from_bits(reader.u32()?);
                let bytes = reader.column(dimensions, 1)?;
                codes.iter_mut().zip(bytes).for_each(|(code, &byte)| *code = byte.cast_signed());
                if !(scale > 0.0 && scale <= 1.0) || codes.contains(&i8::MIN) {
                    return Err(fault());
                }
                memory.vectors.restore_i8(row, scale, &codes);
            } else {
                let bytes = reader.column(dimensions, 4)?;
                let (quads, _) = bytes.as_chunks::<4>();
                components
                    .iter_mut()
                    .zip(quads)
                    .for_each(|(to, quad)| *to = f32::from_le_bytes(*quad));
                if !is_unit(&components) {
                    return Err(fault());
                }
                memory.vectors.restore_f32(row, &components);
            }
        }
        reader.end()
    }
}
