//! Adding, changing, reading and removing nodes.

use rustc_hash::FxHashSet;

use super::{MemoryIndex, Target, check_sequence, check_share};
use crate::check::{INSTANT, check_instant, is_instant};
use crate::columns::{Label, NO_LABELS, Node, Row, StoredState};
use crate::decay::Lifecycle;
use crate::error::{Error, Result};
use crate::salience::NEUTRAL;

/// The last access of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Access {
    /// It stays as it is; a new node was never accessed.
    Kept,
    /// It was never accessed: its creation counts as its last access.
    Never,
    /// At this instant, in milliseconds since 1970.
    At(f64),
}

/// The change of a node's embedding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Embedding<'a> {
    /// It stays as it is.
    Kept,
    /// It is removed.
    None,
    /// It becomes this one, scaled to length 1.
    Given(&'a [f64]),
}

/// A node of a batch. A missing field stays as it is, or has the default of a new node. Instants
/// are milliseconds since 1970, at most 8.64e15 from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeChange<'a> {
    /// The node.
    pub target: Target,
    /// Its place in every order, at most [`MAX_SEQUENCE`](crate::columns::MAX_SEQUENCE). Default:
    /// one more than the highest so far.
    pub sequence: Option<u64>,
    /// The instant of its creation. Default: that of the call.
    pub created_at: Option<f64>,
    /// The instant of its last access.
    pub last_accessed: Access,
    /// The number of its accesses. Default: 0.
    pub access_count: Option<u32>,
    /// Days, a finite number. Default: that of its subtype, else of its section.
    pub stability: Option<f64>,
    /// In [0, 1], as stored. Default: 1.
    pub retrievability: Option<f64>,
    /// In [0, 1]. Default: the base difficulty of its section.
    pub difficulty: Option<f64>,
    /// In [0, 1]. Default: [`NEUTRAL`]. Ignored by an index that keeps no salience.
    pub salience: Option<f64>,
    /// The stored lifecycle state. Default: ACTIVE.
    pub state: Option<StoredState>,
    /// The code of its type, from [`MemoryIndex::name`]. Default: 0, the code of `concept`.
    pub node_type: Option<u32>,
    /// The code of its subtype. Default: 0, which stands for no subtype.
    pub subtype: Option<u32>,
    /// The codes of its tags, which replace those it has. Default: none.
    pub tags: Option<&'a [u32]>,
    /// The codes of its clusters, which replace those it has. Default: none.
    pub clusters: Option<&'a [u32]>,
    /// Its embedding.
    pub embedding: Embedding<'a>,
}

impl MemoryIndex {
    /// The node of a row, or `None` if the row has no node.
    pub fn node(&self, row: Row) -> Option<Node> {
        self.nodes.get(row)
    }

    /// Whether the index keeps salience: `salience_growth` of its configuration.
    pub fn keeps_salience(&self) -> bool {
        self.nodes.keeps_salience()
    }

    /// The code of a node's subtype, 0 for none.
    pub fn subtype(&self, row: Row) -> u16 {
        self.nodes.subtype.at(row as usize)
    }

    /// The number of edges that lead to a node.
    pub fn inbound(&self, row: Row) -> u32 {
        self.graph.inbound(row)
    }

    /// The tags and clusters of a node, as codes.
    pub fn labels(&self, node: &Node) -> &[Label] {
        self.labels.labels(node.labels)
    }

    /// Whether a node has an embedding.
    pub fn has_embedding(&self, row: Row) -> bool {
        self.vectors.has(row)
    }

    /// Adds and changes nodes, in order. Returns the row of each. `now` is the creation of a new
    /// node without one. Codes of names are those that [`MemoryIndex::name`] returned.
    ///
    /// # Errors
    /// `invalid_argument` with field and index for a number out of range and for an invalid
    /// embedding; `out_of_memory`. Then nothing is changed.
    pub fn upsert(&mut self, batch: &[NodeChange<'_>], now: f64) -> Result<Vec<Row>> {
        self.check_nodes(batch, now)?;
        let new = batch.iter().filter(|change| change.target == Target::New).count();
        let embeddings =
            batch.iter().filter(|change| matches!(change.embedding, Embedding::Given(_))).count();
        let (mut sets, mut labels) = (0, 0);
        for change in batch {
            let given = [change.tags, change.clusters];
            if given.iter().any(Option::is_some) {
                sets += 1;
                // Tags or clusters that are not given stay, and become part of a new set.
                labels += given.iter().flatten().map(|it| it.len()).sum::<usize>()
                    + self.max_labels(change);
            }
        }
        let rows = self.nodes.rows() + new;
        let need = self.nodes.need(new)
            + self.due.need(new.saturating_sub(self.nodes.free_rows()))
            + self.graph.inbound_counts().need(new)
            + self.vectors.need(embeddings, rows)
            + self.labels.need(sets, labels);
        // In an index that is full, existing nodes can still be changed.
        if need > 0 {
            self.afford("nodes", need)?;
        }
        self.afford_for_now("nodes", need + size_of_val(batch))?;

        self.changes += 1;
        let mut done = Vec::with_capacity(batch.len());
        for change in batch {
            let row = match change.target {
                Target::New => self.add_node(change, now),
                Target::There(row) => self.change_node(row, change),
                Target::Entry(entry) => self.change_node(done[entry], change),
            };
            match change.embedding {
                Embedding::Kept => {}
                Embedding::None => self.vectors.remove(row),
                Embedding::Given(embedding) => self.vectors.set(row, embedding),
            }
            self.refile(row);
            self.move_text(row);
            done.push(row);
        }
        Ok(done)
    }

    /// Checks the numbers of a batch of nodes, in order.
    pub(crate) fn check_nodes(&self, batch: &[NodeChange<'_>], now: f64) -> Result<()> {
        check_instant("now", now)?;
        batch.iter().enumerate().try_for_each(|(index, change)| {
            self.check_node(change).map_err(|error| error.at(index))
        })
    }

    fn max_labels(&self, change: &NodeChange<'_>) -> usize {
        match change.target {
            Target::There(row) => self.labels.labels(self.nodes.labels.get(row as usize)).len(),
            Target::New | Target::Entry(_) => 0,
        }
    }

    fn check_node(&self, change: &NodeChange<'_>) -> Result<()> {
        if let Some(sequence) = change.sequence {
            check_sequence(sequence)?;
        }
        let last_accessed = match change.last_accessed {
            Access::At(instant) => Some(instant),
            Access::Kept | Access::Never => None,
        };
        for (field, instant) in
            [("created_at", change.created_at), ("last_accessed", last_accessed)]
        {
            if let Some(found) = instant.filter(|&instant| !is_instant(instant)) {
                return Err(Error::argument(field, INSTANT).found(found));
            }
        }
        if let Some(found) = change.stability.filter(|days| !days.is_finite()) {
            return Err(
                Error::argument("stability", "must be a finite number of days").found(found)
            );
        }
        check_share("retrievability", change.retrievability)?;
        check_share("difficulty", change.difficulty)?;
        check_share("salience", change.salience)?;
        if let Embedding::Given(embedding) = change.embedding {
            if self.options.dimensions == 0 {
                return Err(Error::argument(
                    "embedding",
                    "must be absent: this index has 0 dimensions",
                ));
            }
            self.vectors.check(embedding)?;
        }
        Ok(())
    }

    fn add_node(&mut self, change: &NodeChange<'_>, now: f64) -> Row {
        let subtype = change.subtype.unwrap_or(0);
        let facts = self.subtype_facts[subtype as usize];
        let created_at = change.created_at.unwrap_or(now);
        let labels =
            self.acquire(change.tags.unwrap_or_default(), change.clusters.unwrap_or_default());
        let node = Node {
            sequence: change.sequence.unwrap_or_else(|| self.nodes.next_sequence()),
            created_at,
            last_accessed: if let Access::At(instant) = change.last_accessed {
                instant
            } else {
                created_at
            },
            stability: change.stability.unwrap_or(facts.stability),
            retrievability: change.retrievability.unwrap_or(1.0),
            difficulty: change
                .difficulty
                .unwrap_or(self.table.profile(facts.section).encoding.base_difficulty),
            salience: change.salience.unwrap_or(NEUTRAL),
            access_count: change.access_count.unwrap_or(0),
            node_type: change.node_type.unwrap_or(0) as u16,
            subtype: subtype as u16,
            section: facts.section,
            state: change.state.unwrap_or(StoredState::Living(Lifecycle::Active)),
            labels,
        };
        let row = self.nodes.add(&node);
        if self.nodes.rows() > self.due.rows() {
            self.due.push();
            self.graph.add_rows(self.nodes.rows());
        }
        row
    }

    fn change_node(&mut self, row: Row, change: &NodeChange<'_>) -> Row {
        let Some(mut node) = self.nodes.get(row) else { return row };
        let keep = |value: &mut f64, given: Option<f64>| *value = given.unwrap_or(*value);
        keep(&mut node.created_at, change.created_at);
        keep(&mut node.stability, change.stability);
        keep(&mut node.retrievability, change.retrievability);
        keep(&mut node.difficulty, change.difficulty);
        keep(&mut node.salience, change.salience);
        match change.last_accessed {
            Access::Kept => {}
            Access::Never => node.last_accessed = node.created_at,
            Access::At(instant) => node.last_accessed = instant,
        }
        if let Some(sequence) = change.sequence {
            node.sequence = sequence;
        }
        if let Some(count) = change.access_count {
            node.access_count = count;
        }
        if let Some(node_type) = change.node_type {
            node.node_type = node_type as u16;
        }
        if let Some(subtype) = change.subtype {
            node.subtype = subtype as u16;
            node.section = self.subtype_facts[subtype as usize].section;
        }
        node.state = change.state.unwrap_or(node.state);
        if change.tags.is_some() || change.clusters.is_some() {
            let known = self.labels.labels(node.labels);
            let tags: Vec<u32> = known.iter().filter_map(|label| label.as_tag()).collect();
            let clusters: Vec<u32> = known.iter().filter_map(|label| label.as_cluster()).collect();
            let before = node.labels;
            node.labels =
                self.acquire(change.tags.unwrap_or(&tags), change.clusters.unwrap_or(&clusters));
            self.labels.release(before);
        }
        self.nodes.set(row, &node);
        row
    }

    /// The set of these tags and clusters, each once.
    pub(super) fn acquire(&mut self, tags: &[u32], clusters: &[u32]) -> u32 {
        if tags.is_empty() && clusters.is_empty() {
            return NO_LABELS;
        }
        let all = tags
            .iter()
            .map(|&code| Label::tag(code))
            .chain(clusters.iter().map(|&code| Label::cluster(code)));
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let labels: Vec<Label> = all.filter(|&label| seen.insert(label.bits())).collect();
        self.labels.acquire(&labels)
    }

    /// Removes nodes with their edges and embeddings. Returns the slots of those edges. Skips rows
    /// without a node.
    pub fn remove(&mut self, rows: &[Row]) -> Vec<u32> {
        self.changes += 1;
        let mut slots = Vec::new();
        for &row in rows {
            if self.nodes.has(row) {
                slots.append(&mut self.graph.remove_node(row));
                self.vectors.remove(row);
                self.answering.texts.remove(row);
                self.labels.release(self.nodes.labels.get(row as usize));
                self.nodes.remove(row);
                self.refile(row);
            }
        }
        self.answering.texts.fold_if_due();
        slots
    }
}
