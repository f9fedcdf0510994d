//! A resident memory: the nodes, edges and embeddings of one agent, kept where they are searched.
//!
//! Nodes go by [`Row`] and edges by slot; who they are is the caller's, who keeps the ids. Names
//! (types, subtypes, tags, clusters) become codes once. Every batch is checked, and what it could
//! need counted, before anything of it is done.

mod access;
mod edges;
mod explain;
mod filter;
mod find;
mod groups;
mod names;
mod nodes;
mod size;
mod snapshot;
mod sweep;

use crate::columns::{
    Due, Graph, LabelSets, MOST_SEQUENCE, Names, Nodes, Row, VectorForm, Vectors,
};
use crate::config::Config;
use crate::decay::{Curve, Limits};
use crate::error::{Error, Result};
use crate::rerank::Reranker;
use crate::search::SearchConfig;
use crate::section::{Section, SectionTable};

pub use edges::EdgeChange;
pub use explain::{ExplainedNode, Explanation, Operation};
pub use filter::{Filters, NO_CODE};
pub use find::{Columns, Outcome, RankingWeights, Search};
use names::SubtypeFacts;
pub use names::{DEFAULT_EDGE_TYPE, DEFAULT_NODE_TYPE, NameKind};
pub use nodes::{Access, Embedding, NodeChange};
pub use size::ByteCounts;
pub use snapshot::{Restoring, Snapshot, SnapshotPart};
pub use sweep::{DecayChange, Sweep, Transition};

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
/// The memory of one agent.
pub struct MemoryIndex {
    table: SectionTable,
    curve: Curve,
    search: SearchConfig,
    limits: Limits,
    /// By section code.
    ends: [sweep::ThresholdTimes; 4],
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

impl MemoryIndex {
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
            ends: sweep::ThresholdTimes::of(&config.sections, config.curve),
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

    fn section(&self, row: Row) -> Section {
        Section::from_code(self.nodes.section.get(row as usize)).unwrap_or(Section::Knowledge)
    }
}

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

fn check_sequence(sequence: u64) -> Result<()> {
    if sequence <= MOST_SEQUENCE {
        return Ok(());
    }
    Err(Error::argument("sequence", SEQUENCE).found(sequence as f64))
}

/// What a sequence number must be.
pub(crate) const SEQUENCE: &str = "must be a whole number from 0 to 9007199254740991";

#[inline(never)]
fn check_share(field: &str, share: Option<f64>) -> Result<()> {
    match share {
        Some(share) if !(0.0..=1.0).contains(&share) => {
            Err(Error::argument(field, "must lie between 0 and 1").found(share))
        }
        _ => Ok(()),
    }
}
