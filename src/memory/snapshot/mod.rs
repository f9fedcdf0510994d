//! Snapshots of a memory index: a stream of parts, each with a checksum.
//!
//! The first part is the head. Then come nodes in order of sequence, edges in order of sequence,
//! embeddings, and an end. Codes of names refer to the lists in the head, which hold the names in
//! use, so that an index with other codes or another configuration can read them. A set of tags and
//! clusters follows the nodes of the part where it occurs first, and later nodes refer to it by its
//! number. Parts of other kinds belong to the caller; the npm package keeps ids in them.

mod restore;
mod write;

pub use restore::Restoring;
pub use write::Snapshot;

use super::{MOST_DIMENSIONS, NameKind};
use crate::columns::{Label, MOST_SEQUENCE, Node};
use crate::error::{Error, Result};
use crate::evidence::Learned;
use crate::parts::{self, PartReader, put};

/// The versions that can be read. The last four are written: an index that has learned nothing can
/// be read by packages that know no learning.
const VERSIONS: [Version; 6] = [
    Version { code: 1, has_salience: false, has_sets: false, has_learned: false },
    Version { code: 2, has_salience: true, has_sets: false, has_learned: false },
    Version { code: 3, has_salience: false, has_sets: true, has_learned: false },
    Version { code: 4, has_salience: true, has_sets: true, has_learned: false },
    Version { code: 5, has_salience: false, has_sets: true, has_learned: true },
    Version { code: 6, has_salience: true, has_sets: true, has_learned: true },
];
/// The most nodes, edges or embeddings of a part.
const ROWS_A_PART: usize = 1 << 16;
/// A part of nodes or embeddings ends with the entry that brings it to this many bytes.
const BYTES_A_PART: usize = 1 << 22;

/// The kind of a part. Codes from 16 on belong to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotPart {
    /// The head: version, counts, names.
    Start,
    /// Nodes, in order of sequence.
    Nodes,
    /// Edges, in order of sequence.
    Edges,
    /// Embeddings, in the order of their nodes.
    Embeddings,
    /// The number of parts.
    End,
    /// A part of the caller's, with a kind that the caller defines.
    Own(u32),
}

impl SnapshotPart {
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
    /// Whether nodes have numbers of sets of labels, each of which is written once, or the labels
    /// themselves.
    has_sets: bool,
    /// Whether the head holds what use has taught.
    has_learned: bool,
}

/// The content of the first part: version, counts of nodes, edges and embeddings, dimensions, form,
/// the embeddings' id, the names of each kind (each list after its length), the next sequence
/// numbers, and what use has taught: the number of steps, the shifts of all traits, and their
/// means.
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
    learned: Learned,
}

impl Head {
    fn read(content: &[u8]) -> Result<Self> {
        let mut reader = PartReader { bytes: content, field: "names" };
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
        let learned =
            if version.has_learned { read_learned(&mut reader)? } else { Learned::default() };
        reader.end()?;
        if dimensions > MOST_DIMENSIONS || next.iter().any(|&next| next > MOST_SEQUENCE) {
            return Err(Error::snapshot("has an invalid first part"));
        }
        Ok(Self {
            version,
            next,
            nodes,
            edges,
            embeddings,
            dimensions,
            i8,
            embedding_id,
            names,
            learned,
        })
    }
}

/// Reads what use has taught.
fn read_learned(reader: &mut PartReader<'_>) -> Result<Learned> {
    let mut learned = Learned { steps: reader.u32()?, ..Learned::default() };
    for number in learned.shifts.iter_mut().chain(&mut learned.means) {
        *number = f64::from_bits(reader.u64()?);
    }
    if learned.is_sound() { Ok(learned) } else { Err(Error::snapshot("has an invalid first part")) }
}

/// Writes what use has taught.
fn put_learned(out: &mut Vec<u8>, learned: &Learned) {
    out.extend(learned.steps.to_le_bytes());
    put(out, learned.shifts.iter().chain(&learned.means).map(|number| number.to_le_bytes()));
}

/// Returns the kind and the code of a label's name.
fn kind_and_code(label: Label) -> (NameKind, u32) {
    let cluster = || (NameKind::Cluster, label.as_cluster().unwrap_or_default());
    label.as_tag().map_or_else(cluster, |tag| (NameKind::Tag, tag))
}

/// Returns the label of a name: a cluster for that kind, else a tag.
fn label_of(kind: NameKind, code: u32) -> Label {
    if kind == NameKind::Cluster { Label::cluster(code) } else { Label::tag(code) }
}

/// The bytes of a node in every version, without its labels and salience.
const NODE_BYTES: usize = 8 + 5 * 8 + 2 * 4 + 2 * 2 + 1;
/// The bytes of an edge.
const EDGE_BYTES: usize = 2 * 8 + 2 * 4 + 2;

/// The numbers of a node that are doubles in every version, in the order in which they are written.
const NUMBERS: [fn(&Node) -> f64; 5] = [
    |node| node.created_at,
    |node| node.last_accessed,
    |node| node.stability,
    |node| node.retrievability,
    |node| node.difficulty,
];
