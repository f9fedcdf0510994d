//! A resident memory: the nodes, edges and embeddings of one agent, kept where they are searched.
//!
//! Nodes go by [`Row`] and edges by slot; who they are is the caller's, who keeps the ids. Names
//! (types, subtypes, tags, clusters) become codes once. Every batch is checked, and what it could
//! need counted, before anything of it is done.

mod explain;
mod filter;
mod find;
mod groups;
mod snapshot;
mod sweep;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::{COUNT, INSTANT, check_instant, is_instant};
use crate::columns::{
    Due, Edge, Graph, Label, LabelSets, MOST_ADDRESSED, MOST_SEQUENCE, NO_LABELS, Names, Node,
    Nodes, PIECES_SHARE, Row, StoredState, VectorForm, Vectors,
};
use crate::config::Config;
use crate::decay::{self, Curve, Limits};
use crate::error::{Error, Result};
use crate::rerank::Reranker;
use crate::salience::NEUTRAL;
use crate::search::{EdgeWeight, SearchConfig, edge_weight, stored_edge_strength};
use crate::section::{Section, SectionTable};

pub use explain::{ExplainedNode, Explanation, Operation};
pub use filter::{Filters, NO_CODE};
pub use find::{Columns, Outcome, Search};
use groups::Groups;
pub use snapshot::{Part, Restoring, Snapshot};
pub use sweep::{Change, Sweep, Transition};

/// How a memory is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Components of an embedding; 0 keeps none.
    pub dimensions: usize,
    /// How embeddings are kept.
    pub form: VectorForm,
    /// Which model made them; kept in snapshots.
    pub embedding_id: String,
    /// The most bytes it may take.
    pub max_bytes: usize,
}

/// The most components of an embedding.
pub const MOST_DIMENSIONS: usize = 65_536;
/// The type of a node that is given none.
pub const DEFAULT_NODE_TYPE: &str = "concept";
/// The type of an edge that is given none.
pub const DEFAULT_EDGE_TYPE: &str = "relates_to";
/// Memories of this subtype are not strengthened by being read: their outcomes do that.
const PLAYBOOK: &str = "custom:playbook";
/// The share that nodes, edges and names leave free, so that what is full can still be searched;
/// that one is in it.
const SPARE_SHARE: usize = 8;
/// Codes of types and subtypes are two bytes, of which the last is none.
const MOST_NAMES: usize = u16::MAX as usize;

/// Which node or edge of a memory an entry of a batch is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A new one.
    New,
    /// The one in a row, or an edge in a slot.
    There(u32),
    /// The one that an earlier entry of the batch is about.
    Entry(usize),
}

/// When a node was last accessed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Access {
    /// As it is known; never, for a new node.
    Kept,
    /// Never, so that its creation stands in.
    Never,
    /// Then, in milliseconds since 1970.
    At(f64),
}

/// What becomes of a node's embedding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Embedding<'a> {
    /// It stays as it is.
    Kept,
    /// It has none from now on.
    None,
    /// It is this, at length 1.
    Given(&'a [f64]),
}

/// A node of a batch. What is missing stays as it is, or has the default of a new node.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // named as everywhere
pub struct NodeChange<'a> {
    pub target: Target,
    pub sequence: Option<f64>,
    pub created_at: Option<f64>,
    pub last_accessed: Access,
    pub access_count: Option<f64>,
    pub stability: Option<f64>,
    pub retrievability: Option<f64>,
    pub difficulty: Option<f64>,
    /// Passed over where the memory keeps none.
    pub salience: Option<f64>,
    /// Its code.
    pub state: Option<f64>,
    pub node_type: Option<u32>,
    pub subtype: Option<u32>,
    pub tags: Option<&'a [u32]>,
    pub clusters: Option<&'a [u32]>,
    pub embedding: Embedding<'a>,
}

/// An edge of a batch. What is missing stays as it is, or has the default of a new edge.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // named as everywhere
pub struct EdgeChange {
    pub target: Target,
    /// Where it comes from and where it leads; none where one of them is not there, so that the
    /// edge is checked and left out.
    pub ends: Option<(Row, Row)>,
    pub edge_type: Option<u32>,
    pub strength: Option<f64>,
    pub sequence: Option<f64>,
}

/// Bytes that a memory takes, by content and by what there is room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // plain words
pub struct Use {
    pub nodes: usize,
    pub nodes_capacity: usize,
    pub edges: usize,
    pub edges_capacity: usize,
    pub embeddings: usize,
    pub embeddings_capacity: usize,
}

/// What a subtype means for its nodes.
#[derive(Clone, Copy, Debug)]
struct SubtypeFacts {
    section: Section,
    stability: f64,
    grows: bool,
}

/// The memory of one agent.
pub struct Memory {
    table: SectionTable,
    curve: Curve,
    search: SearchConfig,
    limits: Limits,
    /// By section code.
    ends: [sweep::Ends; 4],
    options: Options,
    /// Bytes that stand elsewhere and count against `max_bytes`: the caller's scratch.
    elsewhere: usize,
    types: Names,
    /// Code 0 is no subtype, which stands as an empty text.
    subtypes: Names,
    subtype_facts: Vec<SubtypeFacts>,
    edge_types: Names,
    /// By code of an edge's type.
    edge_weights: Vec<f64>,
    tags: Names,
    clusters: Names,
    labels: LabelSets,
    nodes: Nodes,
    graph: Graph,
    vectors: Vectors,
    due: Due,
    /// The moment up to which `due` has been looked at.
    looked_at: f64,
    /// The moment of a sweep that has not been applied yet; −∞ without one.
    swept_at: f64,
    /// Counts changes, so that what is being written notices them.
    changes: u64,
    reranker: Reranker,
}

/// The kinds of names that a memory gives codes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // plain words
#[repr(u8)]
pub enum NameKind {
    Type = 0,
    Subtype = 1,
    EdgeType = 2,
    Tag = 3,
    Cluster = 4,
}

impl NameKind {
    /// All kinds; a kind's place here is its code.
    pub const ALL: [Self; 5] =
        [Self::Type, Self::Subtype, Self::EdgeType, Self::Tag, Self::Cluster];
}

impl Memory {
    /// An empty memory under a configuration.
    ///
    /// # Errors
    /// `invalid_argument` for more than [`MOST_DIMENSIONS`].
    pub fn new(options: Options, config: Config) -> Result<Self> {
        if options.dimensions > MOST_DIMENSIONS {
            let problem = format!("must be at most {MOST_DIMENSIONS}");
            return Err(Error::argument("dimensions", problem).found(options.dimensions as f64));
        }
        let mut memory = Self {
            limits: Limits::of(&config.sections),
            ends: sweep::Ends::of(&config.sections, config.curve),
            table: config.sections,
            curve: config.curve,
            search: config.search,
            vectors: Vectors::new(options.dimensions, options.form),
            options,
            elsewhere: 0,
            types: Names::default(),
            subtypes: Names::default(),
            subtype_facts: Vec::new(),
            edge_types: Names::default(),
            edge_weights: Vec::new(),
            tags: Names::default(),
            clusters: Names::default(),
            labels: LabelSets::default(),
            nodes: Nodes::new(config.salience_growth),
            graph: Graph::default(),
            due: Due::default(),
            looked_at: f64::NEG_INFINITY,
            swept_at: f64::NEG_INFINITY,
            changes: 0,
            reranker: Reranker::default(),
        };
        memory.name(NameKind::Type, DEFAULT_NODE_TYPE)?;
        memory.name(NameKind::Subtype, "")?;
        memory.name(NameKind::EdgeType, DEFAULT_EDGE_TYPE)?;
        Ok(memory)
    }

    // ---- names ----

    fn names(&self, kind: NameKind) -> &Names {
        match kind {
            NameKind::Type => &self.types,
            NameKind::Subtype => &self.subtypes,
            NameKind::EdgeType => &self.edge_types,
            NameKind::Tag => &self.tags,
            NameKind::Cluster => &self.clusters,
        }
    }

    /// The code of a name, if it has one.
    pub fn code(&self, kind: NameKind, name: &str) -> Option<u32> {
        self.names(kind).code(name)
    }

    /// The name of a code; for a subtype an empty one stands for none.
    pub fn text(&self, kind: NameKind, code: u32) -> &str {
        self.names(kind).text(code)
    }

    /// The code of a name, a new one where it has none.
    ///
    /// # Errors
    /// `out_of_memory` when there are 65,535 of its kind already (types and subtypes), or no room
    /// for it.
    pub fn name(&mut self, kind: NameKind, name: &str) -> Result<u32> {
        if let Some(code) = self.code(kind, name) {
            return Ok(code);
        }
        let field = match kind {
            NameKind::Type | NameKind::EdgeType => "type",
            NameKind::Subtype => "subtype",
            NameKind::Tag => "tags",
            NameKind::Cluster => "clusters",
        };
        let is_short = !matches!(kind, NameKind::Tag | NameKind::Cluster);
        if is_short && self.names(kind).count() >= MOST_NAMES {
            return Err(Error::memory(field, format!("must be one of at most {MOST_NAMES} names")));
        }
        self.afford(field, self.names(kind).need(1, name.len()) + 3 * size_of::<SubtypeFacts>())?;
        Ok(match kind {
            NameKind::Type => self.types.code_or_new(name),
            NameKind::Subtype => {
                let subtype = (!name.is_empty()).then_some(name);
                self.subtype_facts.push(SubtypeFacts {
                    section: self.table.section_of(subtype),
                    stability: self.table.initial_stability(subtype),
                    grows: name != PLAYBOOK,
                });
                self.subtypes.code_or_new(name)
            }
            NameKind::EdgeType => {
                self.edge_weights.push(match self.search.edge_weight {
                    EdgeWeight::StoredType => stored_edge_strength(name),
                    EdgeWeight::Type | EdgeWeight::Learned => edge_weight(name),
                });
                self.edge_types.code_or_new(name)
            }
            NameKind::Tag => self.tags.code_or_new(name),
            NameKind::Cluster => self.clusters.code_or_new(name),
        })
    }

    /// How many names of a kind there are.
    pub fn count_names(&self, kind: NameKind) -> usize {
        self.names(kind).count()
    }

    /// Forgets all names of a kind but the first `count`, at least those that every memory has:
    /// whoever asked for codes of the others had no use for them.
    pub fn truncate_names(&mut self, kind: NameKind, count: usize) {
        match kind {
            NameKind::Type => self.types.truncate(count.max(1)),
            NameKind::Subtype => {
                self.subtypes.truncate(count.max(1));
                self.subtype_facts.truncate(self.subtypes.count());
            }
            NameKind::EdgeType => {
                self.edge_types.truncate(count.max(1));
                self.edge_weights.truncate(self.edge_types.count());
            }
            NameKind::Tag => self.tags.truncate(count),
            NameKind::Cluster => self.clusters.truncate(count),
        }
    }

    // ---- sizes ----

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.count()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.graph.len()
    }

    /// How many rows there are, with a node or without; every row is below this.
    pub fn rows(&self) -> usize {
        self.nodes.rows()
    }

    /// Inbound edges for each node, on average.
    pub fn avg_inbound_edges(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.graph.len() as f64 / self.len() as f64 }
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> Use {
        let counts = self.graph.inbound_counts().len() * size_of::<u32>();
        let named = self.all_names().map(Names::bytes).sum::<usize>() + self.labels.bytes();
        Use {
            nodes: self.nodes.rows() * self.nodes.bytes_each() + self.due.bytes() + counts + named,
            nodes_capacity: self.nodes_capacity(),
            edges: self.graph.bytes(),
            edges_capacity: self.graph.capacity_bytes(),
            embeddings: self.vectors.bytes(),
            embeddings_capacity: self.vectors.capacity_bytes(),
        }
    }

    /// Says how many bytes stand elsewhere and count against the bound.
    pub fn set_elsewhere(&mut self, bytes: usize) {
        self.elsewhere = bytes;
    }

    /// Whether a call that keeps so many bytes more stays within the bound, and leaves what calls
    /// need for a while.
    ///
    /// # Errors
    /// `out_of_memory` when it does not.
    #[inline(never)]
    pub fn afford(&self, field: &str, need: usize) -> Result<()> {
        Self::compare(
            field,
            need,
            self.left(self.options.max_bytes - self.options.max_bytes / SPARE_SHARE),
        )
    }

    /// Whether a call that needs so many bytes for a while stays within the bound. What is full can
    /// still be searched.
    ///
    /// # Errors
    /// `out_of_memory` when it does not.
    #[inline(never)]
    pub fn afford_for_now(&self, field: &str, need: usize) -> Result<()> {
        Self::compare(field, need, self.room())
    }

    /// Whether a snapshot can take so many bytes for a while. What is full can still be saved: a
    /// snapshot does not count against the bound, but only against what a 32-bit module can
    /// address.
    ///
    /// # Errors
    /// `out_of_memory` when it cannot.
    #[inline(never)]
    pub fn afford_snapshot(&self, need: usize) -> Result<()> {
        Self::compare("snapshot", need, self.left(self.options.max_bytes.max(MOST_ADDRESSED)))
    }

    fn compare(field: &str, need: usize, left: usize) -> Result<()> {
        if need <= left {
            return Ok(());
        }
        let problem =
            format!("could need {} MiB more, and {} are left", need.div_ceil(1 << 20), left >> 20);
        Err(Error::memory(field, problem))
    }

    /// Bytes that are left for a while, but for what allocation leaves in pieces.
    fn room(&self) -> usize {
        self.left(self.options.max_bytes - self.options.max_bytes / PIECES_SHARE)
    }

    fn left(&self, most: usize) -> usize {
        let kept =
            self.nodes_capacity() + self.graph.capacity_bytes() + self.vectors.capacity_bytes();
        most.saturating_sub(kept + self.elsewhere)
    }

    fn nodes_capacity(&self) -> usize {
        let counts = self.graph.inbound_counts();
        let names: usize = self.all_names().map(Names::capacity_bytes).sum();
        let named = names + self.labels.capacity_bytes();
        self.nodes.capacity_bytes() + self.due.capacity_bytes() + counts.capacity_bytes() + named
    }

    fn all_names(&self) -> impl Iterator<Item = &Names> {
        NameKind::ALL.iter().map(|&kind| self.names(kind))
    }

    // ---- nodes ----

    /// The node of a row, if there is one.
    pub fn node(&self, row: Row) -> Option<Node> {
        self.nodes.get(row)
    }

    /// Whether the salience of nodes is kept, as `salience_growth` of the configuration says.
    pub fn keeps_salience(&self) -> bool {
        self.nodes.keeps_salience()
    }

    /// The code of a node's subtype, 0 for none.
    pub fn subtype(&self, row: Row) -> u16 {
        self.nodes.subtype.at(row as usize)
    }

    /// How many edges lead to a node.
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

    /// Adds and changes nodes, in order; the answer holds the row of each. `now` is when a new node
    /// without a creation was made. Codes of names are those that [`Memory::name`] gave.
    ///
    /// # Errors
    /// `invalid_argument` with field and index for a number out of its range, and for an embedding
    /// that is none; `out_of_memory`. Nothing is changed then.
    pub fn upsert(&mut self, batch: &[NodeChange<'_>], now: f64) -> Result<Vec<Row>> {
        check_instant("now", now)?;
        for (index, change) in batch.iter().enumerate() {
            self.check_node(change).map_err(|error| error.at(index))?;
        }
        let new = batch.iter().filter(|change| change.target == Target::New).count();
        let embeddings =
            batch.iter().filter(|change| matches!(change.embedding, Embedding::Given(_))).count();
        let (mut sets, mut labels) = (0, 0);
        for change in batch {
            let given = [change.tags, change.clusters];
            if given.iter().any(Option::is_some) {
                sets += 1;
                // One that is not given stays, and may become part of another set.
                labels += given.iter().flatten().map(|it| it.len()).sum::<usize>()
                    + self.most_labels(change);
            }
        }
        let rows = self.nodes.rows() + new;
        let need = self.nodes.need(new)
            + self.due.need(new.saturating_sub(self.nodes.free_rows()))
            + self.graph.inbound_counts().need(new)
            + self.vectors.need(embeddings, rows)
            + self.labels.need(sets, labels);
        // What is there already can be changed in an index that is full.
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
            done.push(row);
        }
        Ok(done)
    }

    fn most_labels(&self, change: &NodeChange<'_>) -> usize {
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
        if let Some(count) = change.access_count
            && !is_whole_up_to(count, f64::from(u32::MAX))
        {
            let problem =
                if count > 0.0 { "must be a whole number of at most 4294967295" } else { COUNT };
            return Err(Error::argument("access_count", problem).found(count));
        }
        if let Some(found) = change.stability.filter(|days| !days.is_finite()) {
            return Err(
                Error::argument("stability", "must be a finite number of days").found(found)
            );
        }
        check_share("retrievability", change.retrievability)?;
        check_share("difficulty", change.difficulty)?;
        check_share("salience", change.salience)?;
        if let Some(found) =
            change.state.filter(|&code| !is_whole_up_to(code, f64::from(StoredState::COUNT - 1)))
        {
            return Err(Error::argument("lifecycle", "must be a state").found(found));
        }
        if let Embedding::Given(embedding) = change.embedding {
            if self.options.dimensions == 0 {
                return Err(Error::argument(
                    "embedding",
                    "must not be there: this index has 0 dimensions",
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
            sequence: change
                .sequence
                .map_or_else(|| self.nodes.next_sequence(), |sequence| sequence as u64),
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
            access_count: change.access_count.unwrap_or(0.0) as u32,
            node_type: change.node_type.unwrap_or(0) as u16,
            subtype: subtype as u16,
            section: facts.section,
            state: state_of(change.state).unwrap_or(StoredState::Living(decay::Lifecycle::Active)),
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
            node.sequence = sequence as u64;
        }
        if let Some(count) = change.access_count {
            node.access_count = count as u32;
        }
        if let Some(node_type) = change.node_type {
            node.node_type = node_type as u16;
        }
        if let Some(subtype) = change.subtype {
            node.subtype = subtype as u16;
            node.section = self.subtype_facts[subtype as usize].section;
        }
        node.state = state_of(change.state).unwrap_or(node.state);
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
    fn acquire(&mut self, tags: &[u32], clusters: &[u32]) -> u32 {
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

    /// Removes nodes with their edges and embeddings; the answer holds the slots of those edges.
    /// Rows without a node are passed over.
    pub fn remove(&mut self, rows: &[Row]) -> Vec<u32> {
        self.changes += 1;
        let mut slots = Vec::new();
        for &row in rows {
            if self.nodes.has(row) {
                slots.append(&mut self.graph.remove_node(row));
                self.vectors.remove(row);
                self.labels.release(self.nodes.labels.get(row as usize));
                self.nodes.remove(row);
                self.refile(row);
            }
        }
        slots
    }

    // ---- edges ----

    /// The edge in a slot, if there is one.
    pub fn edge(&self, slot: u32) -> Option<Edge> {
        self.graph.edge(slot)
    }

    /// Adds and changes edges, in order; the answer holds the slot of each, and nothing for one
    /// that was left out. Their ends are rows that have a node.
    ///
    /// # Errors
    /// `invalid_argument` with field and index for a strength outside [0, 1] and for a sequence
    /// number that is none; `out_of_memory`. Nothing is changed then.
    pub fn link(&mut self, batch: &[EdgeChange]) -> Result<Vec<Option<u32>>> {
        for (index, change) in batch.iter().enumerate() {
            check_share("strength", change.strength).map_err(|error| error.at(index))?;
            change.sequence.map_or(Ok(()), check_sequence).map_err(|error| error.at(index))?;
        }
        let need =
            self.graph.need(batch.len(), self.nodes.rows()) + batch.len() * 8 * size_of::<Edge>();
        self.afford("edges", need)?;

        self.changes += 1;
        let mut next_sequence = self.graph.next_sequence();
        // New edges are added together, so that the lists are written once.
        let mut added: Vec<Edge> = Vec::new();
        // Edges that were there and have other ends or another place now.
        let mut moved: FxHashMap<u32, u32> = FxHashMap::default();
        let mut places = Vec::with_capacity(batch.len());
        for change in batch {
            let Some((source, target)) = change.ends else {
                places.push(EdgePlace::Nowhere);
                continue;
            };
            let place = match change.target {
                Target::New => EdgePlace::Added(added.len()),
                Target::There(slot) => moved
                    .get(&slot)
                    .map_or(EdgePlace::Slot(slot), |&place| EdgePlace::Added(place as usize)),
                Target::Entry(entry) => places[entry],
            };
            let known = match place {
                EdgePlace::Added(place) => added.get(place).copied(),
                EdgePlace::Slot(slot) => self.graph.edge(slot),
                EdgePlace::Nowhere => None,
            };
            let edge_type = change.edge_type.map(|code| code as u16);
            let edge = match known {
                Some(known) => Edge {
                    source,
                    target,
                    edge_type: edge_type.unwrap_or(known.edge_type),
                    strength: change.strength.unwrap_or(known.strength),
                    sequence: change.sequence.map_or(known.sequence, |sequence| sequence as u64),
                },
                None => {
                    let edge_type = edge_type.unwrap_or(0);
                    let strength = change.strength.unwrap_or_else(|| {
                        stored_edge_strength(self.edge_types.text(edge_type.into()))
                    });
                    let sequence =
                        change.sequence.map_or(next_sequence, |sequence| sequence as u64);
                    Edge { source, target, edge_type, strength, sequence }
                }
            };
            next_sequence = next_sequence.max(edge.sequence + 1).min(MOST_SEQUENCE);
            places.push(match (place, known) {
                (EdgePlace::Added(place), Some(_)) => {
                    added[place] = edge;
                    EdgePlace::Added(place)
                }
                (EdgePlace::Slot(slot), Some(known)) if known.is_between_same(&edge) => {
                    self.graph.set_type(slot, edge.edge_type);
                    self.graph.set_strength(slot, edge.strength);
                    EdgePlace::Slot(slot)
                }
                (EdgePlace::Slot(slot), _) => {
                    self.graph.remove(slot);
                    moved.insert(slot, added.len() as u32);
                    added.push(edge);
                    EdgePlace::Added(added.len() - 1)
                }
                (EdgePlace::Added(_) | EdgePlace::Nowhere, _) => {
                    added.push(edge);
                    EdgePlace::Added(added.len() - 1)
                }
            });
        }
        self.graph.count_sequences_to(next_sequence);
        let slots = self.graph.add_all(&added);
        Ok(places
            .into_iter()
            .map(|place| match place {
                EdgePlace::Added(place) => Some(slots[place]),
                EdgePlace::Slot(slot) => Some(slot),
                EdgePlace::Nowhere => None,
            })
            .collect())
    }

    /// Removes edges. Slots without an edge are passed over.
    pub fn unlink(&mut self, slots: &[u32]) {
        self.changes += 1;
        slots.iter().for_each(|&slot| self.graph.remove(slot));
    }

    /// Strengthens every edge between two different nodes of one group by `amount`, to 1 at most,
    /// each once however many groups it lies in. The answer holds the slots of those whose strength
    /// changed, in order of sequence.
    ///
    /// # Errors
    /// `invalid_argument` for an amount outside [0, 1].
    pub fn strengthen(&mut self, groups: &[&[Row]], amount: f64) -> Result<Vec<u32>> {
        check_share("amount", Some(amount))?;
        let listed: usize = groups.iter().map(|group| group.len()).sum();
        let need = Groups::need(groups.len(), listed);
        self.afford_for_now("groups", need)?;
        let mut groups = Groups::new(groups, listed, |row| self.nodes.has(row));
        let named: usize = groups.rows().map(|row| self.graph.neighbours(row).count()).sum();
        self.afford_for_now(
            "groups",
            need.saturating_add(named.min(self.graph.len()).saturating_mul(64)),
        )?;
        self.changes += 1;
        let mut within: Vec<u32> = Vec::new();
        groups.compare(|row, shares| {
            // Seen from both its ends; only one of them takes it.
            let neighbours = self.graph.neighbours(row).filter(|it| it.row > row && shares(it.row));
            within.extend(neighbours.map(|neighbour| neighbour.edge));
        });
        self.graph.sort(&mut within);
        within.retain(|&slot| {
            let before = self.graph.strength(slot);
            let after = (before + amount).min(1.0);
            self.graph.set_strength(slot, after);
            after != before
        });
        Ok(within)
    }

    // ---- access ----

    /// Counts an access of each row at `now`; one listed twice counts twice. An access before the
    /// last one does not turn time back. The answer is how many were counted: rows without a node
    /// are not.
    ///
    /// # Errors
    /// `invalid_argument` for a `now` that is no instant.
    pub fn touch(&mut self, rows: &[Row], now: f64) -> Result<usize> {
        check_instant("now", now)?;
        self.changes += 1;
        let there = rows.iter().filter(|&&row| self.nodes.has(row)).count();
        for &row in rows {
            self.count_access(row, now);
        }
        Ok(there)
    }

    /// [`Memory::touch`], and what reading does: stability grows by the section's rate, and by
    /// salience where it is kept (a playbook's stays), and what is stored of retrievability and
    /// lifecycle becomes what it was at the read, before it. DORMANT and DELETED stay.
    ///
    /// # Errors
    /// As [`Memory::touch`].
    pub fn recall(&mut self, rows: &[Row], now: f64) -> Result<usize> {
        check_instant("now", now)?;
        self.changes += 1;
        let there = rows.iter().filter(|&&row| self.nodes.has(row)).count();
        for &row in rows {
            if self.nodes.has(row) {
                self.read(row, now);
                self.count_access(row, now);
            }
        }
        Ok(there)
    }

    fn count_access(&mut self, row: Row, now: f64) {
        if !self.nodes.has(row) {
            return;
        }
        let place = row as usize;
        self.nodes.access_count.set(place, self.nodes.access_count.get(place).saturating_add(1));
        if now > self.nodes.last_accessed().get(place) {
            self.nodes.set_last_accessed(row, now);
            self.refile(row);
        }
    }

    fn read(&mut self, row: Row, now: f64) {
        let place = row as usize;
        let (retrievability, state) = self.faded(row, now);
        let stability = self.nodes.stability.get(place);
        let difficulty = self.nodes.difficulty.get(place);
        let salience = self.nodes.salience(row);
        let profile = &self.table.profile(self.section(row)).decay;
        if self.subtype_facts[usize::from(self.nodes.subtype.get(place))].grows {
            let grown = match self.curve {
                Curve::Exponential => {
                    decay::stability_on_access_for_section(stability, difficulty, salience, profile)
                }
                Curve::Fsrs6 => {
                    let most = profile.max_stability_days;
                    decay::fsrs_stability_on_access(
                        stability,
                        difficulty,
                        salience,
                        retrievability,
                        most,
                    )
                }
            };
            // One that was beyond all bounds stays where it is.
            if grown.is_finite() {
                self.nodes.stability.set(place, grown);
            }
        }
        self.nodes.retrievability.set(place, retrievability);
        let stays = matches!(
            self.nodes.state(row),
            StoredState::Living(decay::Lifecycle::Dormant) | StoredState::Deleted
        );
        if !stays {
            self.nodes.set_state(row, StoredState::Living(state));
        }
        self.refile(row);
    }

    fn section(&self, row: Row) -> Section {
        Section::from_code(self.nodes.section.get(row as usize)).unwrap_or(Section::Knowledge)
    }
}

/// Where an edge of a batch is meanwhile.
#[derive(Clone, Copy)]
enum EdgePlace {
    Added(usize),
    Slot(u32),
    /// Left out.
    Nowhere,
}

impl Edge {
    /// Whether two edges stand in the same lists at the same places.
    fn is_between_same(&self, other: &Self) -> bool {
        (self.source, self.target, self.sequence) == (other.source, other.target, other.sequence)
    }
}

fn state_of(code: Option<f64>) -> Option<StoredState> {
    code.and_then(|code| StoredState::from_code(code as u8))
}

fn is_whole_up_to(value: f64, most: f64) -> bool {
    (0.0..=most).contains(&value) && value.floor() == value
}

#[inline(never)]
fn check_sequence(sequence: f64) -> Result<()> {
    if is_whole_up_to(sequence, MOST_SEQUENCE as f64) {
        return Ok(());
    }
    Err(Error::argument("sequence", "must be a whole number from 0 to 9007199254740991")
        .found(sequence))
}

#[inline(never)]
fn check_share(field: &str, share: Option<f64>) -> Result<()> {
    match share {
        Some(share) if !(0.0..=1.0).contains(&share) => {
            Err(Error::argument(field, "must lie between 0 and 1").found(share))
        }
        _ => Ok(()),
    }
}
