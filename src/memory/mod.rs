//! The memory index: nodes, edges and embeddings of one agent in memory, with search, decay and
//! snapshots.
//!
//! A node is a [`Row`] and an edge is a slot; the caller keeps their ids. Names (types, subtypes,
//! tags, clusters) have codes. Every batch is checked, and the bytes that it could need are
//! counted, before anything changes.
//!
//! | file | subject |
//! |---|---|
//! | `names` | codes of names |
//! | `size` | counts, bytes, the bound on bytes |
//! | `nodes`, `edges` | adding, changing, removing |
//! | `access` | accesses and recalls |
//! | `answer` | answering questions in words, by evidence |
//! | `succession` | memories that replace others |
//! | `learn` | learning from the use of answers |
//! | `filter`, `find`, `explain` | searching by signals |
//! | `sweep` | decay of stored values |
//! | `snapshot` | saving and restoring |

mod access;
mod answer;
mod diversity;
mod edges;
mod explain;
mod filter;
mod find;
mod groups;
mod learn;
mod names;
mod nodes;
mod size;
mod snapshot;
mod succession;
mod sweep;

use crate::columns::{Due, Graph, LabelSets, MAX_SEQUENCE, Names, Nodes, Row, VectorForm, Vectors};
use crate::config::Config;
use crate::decay::{Curve, Limits};
use crate::error::{Error, Result};
use crate::intent::IntentClassifier;
use crate::rerank::Reranker;
use crate::search::SearchConfig;
use crate::section::{Section, SectionTable};

pub use answer::{Answer, Ask, Contribution, EntryText, Why};
use answer::{Answering, sectioned};
pub use edges::EdgeChange;
pub use explain::{ExplainedNode, Explanation, Operation};
pub use filter::{Filters, NO_CODE};
pub use find::{Columns, Outcome, RankingWeights, Search};
pub use learn::{Feedback, Step};
use names::SubtypeFacts;
pub use names::{DEFAULT_EDGE_TYPE, DEFAULT_NODE_TYPE, NameKind};
pub use nodes::{Access, Embedding, NodeChange};
pub use size::ByteCounts;
pub use snapshot::{Restoring, Snapshot, SnapshotPart};
pub use succession::Replacement;
pub use sweep::{DecayChange, Sweep, Transition};

/// The options of a new memory index.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of components of an embedding; 0: the index keeps no embeddings.
    pub dimensions: usize,
    /// The form in which embeddings are stored.
    pub form: VectorForm,
    /// The model that makes them. It is stored in snapshots.
    pub embedding_id: String,
    /// The most bytes that the index may take.
    pub max_bytes: usize,
}

/// The most components of an embedding.
pub const MAX_DIMENSIONS: usize = 65_536;
/// The memory of one agent.
pub struct MemoryIndex {
    table: SectionTable,
    curve: Curve,
    search: SearchConfig,
    limits: Limits,
    /// By section code.
    ends: [sweep::ThresholdTimes; 4],
    options: Options,
    /// Bytes of the caller's scratch, which count against `max_bytes`.
    elsewhere: usize,
    types: Names,
    /// Code 0 stands for no subtype; its text is empty.
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
    /// The latest instant for which transitions were computed.
    looked_at: f64,
    /// The instant of a sweep that has not been applied yet; −∞ without one.
    swept_at: f64,
    /// The number of changes, so that a snapshot that is being written notices one.
    changes: u64,
    reranker: Reranker,
    answering: Answering,
}

impl MemoryIndex {
    /// An empty memory under a configuration.
    ///
    /// # Errors
    /// `invalid_argument` for more than [`MAX_DIMENSIONS`].
    pub fn new(options: Options, config: Config) -> Result<Self> {
        if options.dimensions > MAX_DIMENSIONS {
            let problem = format!("must be at most {MAX_DIMENSIONS}");
            return Err(Error::argument("dimensions", problem).found(options.dimensions as f64));
        }
        // Refuses a wrong configuration now; questions make the classifier again.
        IntentClassifier::new(&config.intent)?;
        let fits = sectioned(&config.sections, config.evidence);
        let mut memory = Self {
            limits: Limits::of(&config.sections),
            ends: sweep::ThresholdTimes::of(&config.sections, config.curve),
            table: config.sections,
            curve: config.curve,
            search: config.search,
            vectors: Vectors::new(options.dimensions, options.form),
            answering: Answering::new(fits, config.intent),
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

/// The node or edge that an entry of a batch is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A new one.
    New,
    /// The one in a row, or an edge in a slot.
    There(u32),
    /// The node or edge of an earlier entry of the batch.
    Entry(usize),
}

fn check_sequence(sequence: u64) -> Result<()> {
    if sequence <= MAX_SEQUENCE {
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
