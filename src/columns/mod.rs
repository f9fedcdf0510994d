//! The parts of a memory index: columns of nodes, the graph, embeddings, names and the due tree. A
//! node is known by its row; the caller keeps its id.

mod column;
mod due;
mod graph;
mod names;
mod nodes;
mod vectors;

pub use column::{Column, SEGMENT};
pub use due::{ALWAYS, Due, NEVER};
pub use graph::{Edge, Graph, Neighbour, Row};
pub use names::{Label, LabelSets, NO_LABELS, Names};
pub use nodes::{Node, Nodes, StoredState};
pub(crate) use vectors::is_unit;
pub use vectors::{StoredVector, VectorForm, VectorHit, VectorQuery, Vectors};

/// The highest sequence number, 2⁵³ − 1: up to here a double holds every whole number. All later
/// nodes and edges share it.
pub const MAX_SEQUENCE: u64 = (1 << 53) - 1;

/// The share of a bound on bytes that is left for fragmentation: freed blocks that are too small to
/// be used again. One part in 16.
pub(crate) const PIECES_SHARE: usize = 16;
/// Bytes that a 32-bit module can address, less the share for fragmentation.
pub(crate) const MAX_ADDRESSED: usize = (u32::MAX - u32::MAX / PIECES_SHARE as u32) as usize;
