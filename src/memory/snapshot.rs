//! Snapshots: a memory as a stream of parts, each with a checksum.
//!
//! The first part tells of the whole; then come nodes in order of sequence, edges in order of sequence, embeddings, and an
//! end. Codes of names go by the lists of the first part, so that a memory with other codes, or another configuration, takes
//! them as well. Parts of other kinds are the caller's own: the package keeps ids in them.

use super::{MOST_DIMENSIONS, Memory, NameKind, check_sequence, check_share};
use crate::error::{Error, Result};
use crate::index::{Edge, Label, MOST_SEQUENCE, Node, Row, StoredState, StoredVector, VectorForm, is_unit};
use crate::parts::{self, Reader, put, u16_at, u32_at, u64_at};
use crate::rerank::is_instant;
use crate::salience::NEUTRAL;

/// The version of the format in which nodes have no salience: an index that keeps none writes what every package reads.
const VERSION: u32 = 1;
/// The version in which they have one.
const VERSION_WITH_SALIENCE: u32 = 2;
/// Nodes and edges of a part; of embeddings as many as take some 4 MiB.
const ROWS_A_PART: usize = 1 << 16;
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

/// What the first part tells of the whole: version, counts of nodes, edges and embeddings, dimensions, form, the embeddings' id,
/// the names of each kind, each list with its length before it, and the next sequence numbers.
struct Head {
    has_salience: bool,
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
        let version = reader.u32()?;
        if ![VERSION, VERSION_WITH_SALIENCE].contains(&version) {
            let problem =
                format!("is of version {version}, and this package reads {VERSION} and {VERSION_WITH_SALIENCE}");
            return Err(Error::snapshot(problem));
        }
        let has_salience = version == VERSION_WITH_SALIENCE;
        let mut count = || reader.u32().map(|count| count as usize);
        let (nodes, edges, embeddings, dimensions, i8) = (count()?, count()?, count()?, count()?, count()? != 0);
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
        Ok(Self { has_salience, next, nodes, edges, embeddings, dimensions, i8, embedding_id, names })
    }
}

/// A snapshot that is being written.
#[derive(Debug)]
pub struct Snapshot {
    rows: Vec<Row>,
    slots: Vec<u32>,
    /// The place in `rows` of each row.
    places: Vec<u32>,
    /// What of the memory comes next.
    next: Next,
    parts: u64,
    /// What the memory's count of changes was.
    changes: u64,
}

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

impl Memory {
    /// Begins a snapshot.
    ///
    /// # Errors
    /// `out_of_memory` when there is no room for what it needs: 16 bytes a node or edge, and two parts.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let lists = (2 * self.nodes.rows() + self.graph.slots()) * size_of::<u32>();
        self.afford_for_now("snapshot", 2 * lists + 4 * BYTES_A_PART)?;
        let rows = self.nodes.in_order();
        let mut places = vec![0; self.nodes.rows()];
        rows.iter().zip(0..).for_each(|(&row, place)| places[row as usize] = place);
        let slots = self.graph.in_order();
        Ok(Snapshot { rows, slots, places, next: Next::Start, parts: 0, changes: self.changes })
    }

    /// The next part of a snapshot; none after the last.
    ///
    /// # Errors
    /// `invalid_snapshot` when the memory has changed since it began.
    pub fn next_part(&self, snapshot: &mut Snapshot) -> Result<Option<Vec<u8>>> {
        if snapshot.changes != self.changes {
            return Err(Error::snapshot("cannot be finished: the index changed while it was being written"));
        }
        let embeddings_a_part = (BYTES_A_PART / (4 * self.options.dimensions).max(1)).clamp(1, ROWS_A_PART);
        let after = |at: usize, step: usize, all: usize| (at + step).min(all);
        let nodes = snapshot.rows.len();
        loop {
            let (part, content) = match snapshot.next {
                Next::Start => {
                    snapshot.next = Next::Nodes(0);
                    (Part::Start, self.head())
                }
                Next::Nodes(at) if at == nodes => {
                    snapshot.next = Next::Edges(0);
                    continue;
                }
                Next::Nodes(at) => {
                    let end = after(at, ROWS_A_PART, nodes);
                    snapshot.next = Next::Nodes(end);
                    (Part::Nodes, self.nodes_content(&snapshot.rows[at..end]))
                }
                Next::Edges(at) if at == snapshot.slots.len() => {
                    snapshot.next = Next::Embeddings(0);
                    continue;
                }
                Next::Edges(at) => {
                    let end = after(at, ROWS_A_PART, snapshot.slots.len());
                    snapshot.next = Next::Edges(end);
                    (Part::Edges, self.edges_content(&snapshot.slots[at..end], &snapshot.places))
                }
                Next::Embeddings(at) if at == nodes || self.vectors.is_empty() => {
                    snapshot.next = Next::End;
                    continue;
                }
                Next::Embeddings(at) => {
                    let end = after(at, embeddings_a_part, nodes);
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

    fn head(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let version = if self.keeps_salience() { VERSION_WITH_SALIENCE } else { VERSION };
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
            let names = self.names(kind);
            out.extend((names.count() as u32).to_le_bytes());
            names.iter().for_each(|name| text(&mut out, name));
        }
        put(&mut out, [self.nodes.next_sequence(), self.graph.next_sequence()].iter().map(|next| next.to_le_bytes()));
        out
    }

    fn nodes_content(&self, rows: &[Row]) -> Vec<u8> {
        let nodes: Vec<Node> = rows.iter().filter_map(|&row| self.nodes.get(row)).collect();
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
        put(&mut out, nodes.iter().map(|node| (self.labels(node).len() as u32).to_le_bytes()));
        put(&mut out, nodes.iter().map(|node| node.node_type.to_le_bytes()));
        put(&mut out, nodes.iter().map(|node| node.subtype.to_le_bytes()));
        put(&mut out, nodes.iter().map(|node| [node.state.code()]));
        put(&mut out, nodes.iter().flat_map(|node| self.labels(node)).map(|label| label.bits().to_le_bytes()));
        out
    }

    fn edges_content(&self, slots: &[u32], places: &[u32]) -> Vec<u8> {
        let edges: Vec<Edge> = slots.iter().filter_map(|&slot| self.graph.edge(slot)).collect();
        let mut out = Vec::with_capacity(edges.len() * 26 + 8);
        out.extend((edges.len() as u64).to_le_bytes());
        put(&mut out, edges.iter().map(|edge| edge.sequence.to_le_bytes()));
        put(&mut out, edges.iter().map(|edge| edge.strength.to_le_bytes()));
        put(&mut out, edges.iter().map(|edge| places[edge.source as usize].to_le_bytes()));
        put(&mut out, edges.iter().map(|edge| places[edge.target as usize].to_le_bytes()));
        put(&mut out, edges.iter().map(|edge| edge.edge_type.to_le_bytes()));
        out
    }

    /// Embeddings of those rows that have one; `first` is the place of the first row.
    fn embeddings_content(&self, rows: &[Row], first: u32) -> Vec<u8> {
        let vectors: Vec<(u32, StoredVector<'_>)> =
            rows.iter().zip(first..).filter_map(|(&row, place)| Some((place, self.vectors.stored(row)?))).collect();
        let mut out = Vec::with_capacity(vectors.len() * (4 * self.options.dimensions + 8) + 8);
        out.extend((vectors.len() as u64).to_le_bytes());
        vectors.iter().for_each(|(place, _)| out.extend(place.to_le_bytes()));
        for (_, vector) in &vectors {
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
    memory: Memory,
    head: Head,
    /// New codes by old ones, for each kind of name.
    codes: [Vec<u32>; 5],
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

    /// Begins with the first part. The dimensions and the form of embeddings are the snapshot's own.
    ///
    /// # Errors
    /// `invalid_snapshot` for a part that is damaged, no first part, or of another version; as [`Memory::new`].
    pub fn begin(part: &[u8], max_bytes: usize, elsewhere: usize, config: crate::Config) -> Result<Self> {
        let (Part::Start, content) = open(part, 0)? else { return Err(Error::snapshot("does not begin at its start")) };
        let head = Head::read(content)?;
        let form = if head.i8 { VectorForm::I8 } else { VectorForm::F32 };
        let options =
            super::Options { dimensions: head.dimensions, form, embedding_id: head.embedding_id.clone(), max_bytes };
        let mut memory = Memory::new(options, config)?;
        memory.set_elsewhere(elsewhere);
        memory.nodes.count_sequences_to(head.next[0]);
        memory.graph.count_sequences_to(head.next[1]);
        let mut codes: [Vec<u32>; 5] = Default::default();
        for ((codes, names), kind) in codes.iter_mut().zip(&head.names).zip(NameKind::ALL) {
            for name in names {
                codes.push(memory.name(kind, name)?);
            }
        }
        Ok(Self { memory, head, codes, parts: 1, ended: false })
    }

    /// Which model made the embeddings.
    pub fn embedding_id(&self) -> &str {
        &self.head.embedding_id
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
    /// `invalid_snapshot` for a part that is damaged, or whose content no memory can have; `out_of_memory`.
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
                let counts = (self.memory.len(), self.memory.edge_count(), self.memory.vectors.len());
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
    pub fn finish(self) -> Result<Memory> {
        if self.ended { Ok(self.memory) } else { Err(Error::snapshot("is cut off: its end is missing")) }
    }

    fn code(&self, kind: NameKind, code: u32) -> Result<u32> {
        let codes = &self.codes[kind as usize];
        codes.get(code as usize).copied().ok_or_else(|| Error::snapshot("names what it does not list"))
    }

    fn read_nodes(&mut self, content: &[u8]) -> Result<()> {
        let mut reader = Reader { bytes: content, field: "nodes" };
        let count = reader.count(53)?;
        let memory = &self.memory;
        let need = memory.nodes.need(count) + memory.due.need(count) + content.len();
        memory.afford("snapshot", need)?;
        let sequence = reader.column(count, 8)?;
        let created_at = reader.column(count, 8)?;
        let last_accessed = reader.column(count, 8)?;
        let stability = reader.column(count, 8)?;
        let retrievability = reader.column(count, 8)?;
        let difficulty = reader.column(count, 8)?;
        let salience = if self.head.has_salience { Some(reader.column(count, 8)?) } else { None };
        let access_count = reader.column(count, 4)?;
        let label_count = reader.column(count, 4)?;
        let node_type = reader.column(count, 2)?;
        let subtype = reader.column(count, 2)?;
        let state = reader.column(count, 1)?;
        let sound = |sound: bool| if sound { Ok(()) } else { Err(Error::snapshot("holds a node that cannot be")) };
        for (place, &state) in state.iter().enumerate() {
            let number = |column: &[u8]| f64::from_bits(u64_at(column, place));
            let subtype = self.code(NameKind::Subtype, u16_at(subtype, place).into())?;
            let mut labels = Vec::new();
            for _ in 0..u32_at(label_count, place) {
                let label = Label::from_bits(reader.u32()?);
                labels.push(match (label.as_tag(), label.as_cluster()) {
                    (Some(tag), _) => Label::tag(self.code(NameKind::Tag, tag)?),
                    (_, Some(cluster)) => Label::cluster(self.code(NameKind::Cluster, cluster)?),
                    (None, None) => label,
                });
            }
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
                state: StoredState::from_code(state).ok_or_else(|| Error::snapshot("holds an unknown state"))?,
                labels: self.memory.labels.acquire(&labels),
            };
            sound(check_sequence(node.sequence as f64).is_ok())?;
            sound(is_instant(node.created_at) && is_instant(node.last_accessed) && node.stability.is_finite())?;
            let shares = [node.retrievability, node.difficulty, node.salience];
            sound(shares.iter().all(|&share| check_share("", Some(share)).is_ok()))?;
            let row = self.memory.nodes.add(&node);
            self.memory.due.push();
            self.memory.graph.add_rows(self.memory.nodes.rows());
            self.memory.refile(row);
        }
        reader.end()
    }

    fn read_edges(&mut self, content: &[u8]) -> Result<()> {
        let mut reader = Reader { bytes: content, field: "edges" };
        let count = reader.count(26)?;
        let need = self.memory.graph.need(count, self.memory.nodes.rows()) + content.len() + count * size_of::<Edge>();
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
            let ends_there = self.memory.nodes.has(edge.source) && self.memory.nodes.has(edge.target);
            let sound = check_sequence(edge.sequence as f64).and(check_share("", Some(edge.strength))).is_ok();
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
                components.iter_mut().zip(quads).for_each(|(to, quad)| *to = f32::from_le_bytes(*quad));
                if !is_unit(&components) {
                    return Err(fault());
                }
                memory.vectors.restore_f32(row, &components);
            }
        }
        reader.end()
    }
}
