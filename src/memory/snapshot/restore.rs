//! Reads a snapshot, part by part.

use super::{EDGE_BYTES, Head, Holds, NODE_BYTES, SnapshotPart, kind_and_code, label_of};
use crate::check::is_instant;
use crate::columns::{Edge, Label, NO_LABELS, Node, Row, StoredState, VectorForm, is_unit};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::evidence::{Moment, RestoringTexts, Texts, WordOptions};
use crate::memory::{MemoryIndex, NameKind, Options, check_sequence, check_share};
use crate::parts::{self, PartReader, u16_at, u32_at, u64_at};
use crate::salience::NEUTRAL;

/// Restores a memory index from a snapshot.
pub struct Restoring {
    memory: MemoryIndex,
    head: Head,
    /// New codes by old ones, for each kind of name.
    codes: [Vec<u32>; 5],
    /// The sets of labels that were read, by number. The first is the empty one.
    sets: Vec<u32>,
    /// `None` if the snapshot holds no texts, or if its words were read in another way.
    texts: Option<RestoringTexts>,
    parts: u64,
    ended: bool,
}

/// Checks a part. Returns its kind and content.
fn open(part: &[u8], number: u64) -> Result<(SnapshotPart, &[u8])> {
    let (code, content) = parts::open(part, number)?;
    Ok((SnapshotPart::from_code(code).ok_or_else(parts::unknown_kind)?, content))
}

impl Restoring {
    /// Returns the length of the part that begins with this header.
    ///
    /// # Errors
    /// `invalid_snapshot` if it is not a header.
    pub fn part_length(header: &[u8]) -> Result<usize> {
        parts::part_length(header)
    }

    /// Begins with the first part. Dimensions and form of the embeddings are those of the snapshot.
    /// The texts of a snapshot whose words were read in another way than `words` says are left out:
    /// they have to be given again.
    ///
    /// # Errors
    /// `invalid_snapshot` if the part is damaged, is not the first part, or has another version; as
    /// [`MemoryIndex::new`].
    pub fn begin(
        part: &[u8],
        max_bytes: usize,
        elsewhere: usize,
        config: Config,
        words: WordOptions,
    ) -> Result<Self> {
        let (SnapshotPart::Start, content) = open(part, 0)? else {
            return Err(Error::snapshot("does not begin with its first part"));
        };
        let head = Head::read(content)?;
        let form = if head.i8 { VectorForm::I8 } else { VectorForm::F32 };
        let options = Options {
            dimensions: head.dimensions,
            form,
            embedding_id: head.embedding_id.clone(),
            max_bytes,
        };
        let mut memory = MemoryIndex::new(options, config)?;
        memory.set_elsewhere(elsewhere);
        memory.nodes.count_sequences_to(head.next[0]);
        memory.graph.count_sequences_to(head.next[1]);
        memory.answering.learn(head.learned);
        let mut codes: [Vec<u32>; 5] = Default::default();
        for ((codes, names), kind) in codes.iter_mut().zip(&head.names).zip(NameKind::ALL) {
            for name in names {
                codes.push(memory.name(kind, name)?);
            }
        }
        let fitting = head.texts.as_ref().filter(|texts| texts.fits(&words));
        let texts =
            fitting.map(|texts| RestoringTexts::new(Texts::new(words.clone()), texts.counts));
        memory.keep_texts(words);
        Ok(Self { memory, head, codes, sets: vec![NO_LABELS], texts, parts: 1, ended: false })
    }

    /// Sets the bytes of the caller's scratch, which count against the bound.
    pub fn set_elsewhere(&mut self, bytes: usize) {
        self.memory.set_elsewhere(bytes);
    }

    /// Returns the model that made the embeddings.
    pub fn embedding_id(&self) -> &str {
        &self.head.embedding_id
    }

    /// Returns the most bytes that the remaining embeddings will take, or 0 if there is no room for
    /// them.
    pub fn embeddings_need(&self) -> usize {
        let need = self.memory.vectors.need(self.head.embeddings, self.head.nodes);
        if self.memory.afford("snapshot", need).is_ok() { need } else { 0 }
    }

    /// Returns the number of nodes read.
    pub fn nodes(&self) -> usize {
        self.memory.len()
    }

    /// Returns the number of edges read.
    pub fn edges(&self) -> usize {
        self.memory.edge_count()
    }

    /// Reads the next part. Returns kind and content of a part of the caller's, and `None` for
    /// other parts.
    ///
    /// # Errors
    /// `invalid_snapshot` if the part is damaged or no index can have its content; `out_of_memory`.
    pub fn read<'a>(&mut self, part: &'a [u8]) -> Result<Option<(u32, &'a [u8])>> {
        let (part, content) = open(part, self.parts)?;
        if self.ended {
            return Err(Error::snapshot("has parts after its end"));
        }
        self.parts += 1;
        match part {
            SnapshotPart::Own(own) => return Ok(Some((own, content))),
            SnapshotPart::Start => return Err(Error::snapshot("has its first part twice")),
            SnapshotPart::Nodes => self.read_nodes(content)?,
            SnapshotPart::Edges => self.read_edges(content)?,
            SnapshotPart::Embeddings => self.read_embeddings(content)?,
            SnapshotPart::Texts => self.read_texts(content, RestoringTexts::read_texts)?,
            SnapshotPart::Words => {
                self.read_texts(content, |texts, content, _| texts.read_words(content))?;
            }
            SnapshotPart::End => {
                let mut reader = PartReader { bytes: content, field: "end" };
                let counts =
                    (self.memory.len(), self.memory.edge_count(), self.memory.vectors.len());
                let parts = reader.u64()?;
                reader.end()?;
                if parts.checked_add(1) != Some(self.parts)
                    || counts != (self.head.nodes, self.head.edges, self.head.embeddings)
                {
                    return Err(Error::snapshot("is cut off: some of its parts are missing"));
                }
                if let Some(texts) = self.texts.take() {
                    self.memory.take_texts(texts.finish()?);
                }
                self.ended = true;
            }
        }
        Ok(None)
    }

    /// Returns the index after the last part.
    ///
    /// # Errors
    /// `invalid_snapshot` if parts are missing.
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
            .ok_or_else(|| Error::snapshot("uses a name that it does not list"))
    }

    fn read_nodes(&mut self, content: &[u8]) -> Result<()> {
        let mut reader = PartReader { bytes: content, field: "nodes" };
        let count = reader.count(NODE_BYTES)?;
        let memory = &self.memory;
        // Each node may have a set of its own, whose labels are in the content.
        let labels = memory.labels.need(count, content.len() / size_of::<u32>());
        let need = memory.nodes.need(count) + memory.due.need(count) + labels;
        memory.afford("snapshot", need)?;
        let sequence = reader.column(count, 8)?;
        let created_at = reader.column(count, 8)?;
        let last_accessed = reader.column(count, 8)?;
        let stability = reader.column(count, 8)?;
        let retrievability = reader.column(count, 8)?;
        let difficulty = reader.column(count, 8)?;
        let salience = if self.head.version.holds(Holds::Salience) {
            Some(reader.column(count, 8)?)
        } else {
            None
        };
        let access_count = reader.column(count, 4)?;
        // The numbers of sets, or in older versions the number of labels of each node.
        let labels = reader.column(count, 4)?;
        let node_type = reader.column(count, 2)?;
        let subtype = reader.column(count, 2)?;
        let state = reader.column(count, 1)?;
        let sound = |sound: bool| {
            if sound { Ok(()) } else { Err(Error::snapshot("holds an invalid node")) }
        };
        for (place, &state) in state.iter().enumerate() {
            let number = |column: &[u8]| f64::from_bits(u64_at(column, place));
            let subtype = self.code(NameKind::Subtype, u16_at(subtype, place).into())?;
            let labels = u32_at(labels, place);
            let labels = if self.head.version.holds(Holds::Sets) {
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
            sound(check_sequence(node.sequence).is_ok())?;
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

    /// Returns the set of a number. Reads the set if the number occurs for the first time.
    fn read_numbered(&mut self, reader: &mut PartReader<'_>, number: u32) -> Result<u32> {
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

    /// Returns the set of the next `count` labels.
    fn read_labels(&mut self, reader: &mut PartReader<'_>, count: u32) -> Result<u32> {
        let mut labels = Vec::new();
        for _ in 0..count {
            let (kind, code) = kind_and_code(Label::from_bits(reader.u32()?));
            labels.push(label_of(kind, self.code(kind, code)?));
        }
        Ok(self.memory.labels.acquire(&labels))
    }

    fn read_edges(&mut self, content: &[u8]) -> Result<()> {
        let mut reader = PartReader { bytes: content, field: "edges" };
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
            let sound =
                check_sequence(edge.sequence).and(check_share("", Some(edge.strength))).is_ok();
            if !(ends_there && sound) {
                return Err(Error::snapshot("holds an invalid edge"));
            }
            edges.push(edge);
        }
        self.memory.graph.add_all(&edges);
        reader.end()
    }

    fn read_embeddings(&mut self, content: &[u8]) -> Result<()> {
        let dimensions = self.head.dimensions;
        let mut reader = PartReader { bytes: content, field: "embeddings" };
        let bytes_each = if self.head.i8 { dimensions + 4 } else { 4 * dimensions };
        let count = reader.count(4 + bytes_each)?;
        let memory = &mut self.memory;
        let need = memory.vectors.need(count, memory.nodes.rows()) + content.len();
        memory.afford("snapshot", need)?;
        let rows = reader.column(count, 4)?;
        let fault = || Error::snapshot("holds an invalid embedding");
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

    /// Reads a part of texts or words, if the index can take them.
    fn read_texts(
        &mut self,
        content: &[u8],
        read: impl FnOnce(&mut RestoringTexts, &[u8], &dyn Fn(Row) -> Option<Moment>) -> Result<()>,
    ) -> Result<()> {
        let Some(texts) = &mut self.texts else { return Ok(()) };
        self.memory.afford("snapshot", texts.bytes() + texts.need(content))?;
        let memory = &self.memory;
        let moment = |row| memory.nodes.has(row).then(|| memory.moment(row));
        read(texts, content, &moment)
    }
}
