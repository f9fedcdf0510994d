//! Counts, bytes, and the bound on bytes.

use super::MemoryIndex;
use crate::columns::{MAX_ADDRESSED, Names, PIECES_SHARE};
use crate::error::{Error, Result};

/// The share that nodes, edges and names leave free, so that a full index can still be searched. It
/// includes the share for fragmentation.
const SPARE_SHARE: usize = 8;

/// Bytes of a memory index, in use and allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteCounts {
    /// Nodes, names, sets of labels and the due tree: bytes in use.
    pub nodes: usize,
    /// The same: bytes allocated.
    pub nodes_capacity: usize,
    /// Edges and their lists: bytes in use.
    pub edges: usize,
    /// The same: bytes allocated.
    pub edges_capacity: usize,
    /// Embeddings: bytes in use.
    pub embeddings: usize,
    /// The same: bytes allocated.
    pub embeddings_capacity: usize,
    /// Titles and texts as words and passages, and the columns that questions fill: bytes
    /// allocated.
    pub texts: usize,
}

impl MemoryIndex {
    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.count()
    }

    /// Whether the index has no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.graph.len()
    }

    /// The number of rows, with a node or without. Every row is below it.
    pub fn rows(&self) -> usize {
        self.nodes.rows()
    }

    /// Inbound edges for each node, on average.
    pub fn avg_inbound_edges(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.graph.len() as f64 / self.len() as f64 }
    }

    /// The bytes that the index takes.
    pub fn bytes(&self) -> ByteCounts {
        let counts = self.graph.inbound_counts().len() * size_of::<u32>();
        let named = self.all_names().map(Names::bytes).sum::<usize>() + self.labels.bytes();
        ByteCounts {
            nodes: self.nodes.rows() * self.nodes.bytes_each() + self.due.bytes() + counts + named,
            nodes_capacity: self.nodes_capacity(),
            edges: self.graph.bytes(),
            edges_capacity: self.graph.capacity_bytes(),
            embeddings: self.vectors.bytes(),
            embeddings_capacity: self.vectors.capacity_bytes(),
            texts: self.answering.bytes(),
        }
    }

    /// Sets the bytes of the caller's scratch, which count against the bound.
    pub fn set_elsewhere(&mut self, bytes: usize) {
        self.elsewhere = bytes;
    }

    /// Checks whether a call that keeps `need` bytes more stays within the bound, and leaves the
    /// share that calls need for their duration.
    ///
    /// # Errors
    /// `out_of_memory` if it does not.
    #[inline(never)]
    pub fn afford(&self, field: &str, need: usize) -> Result<()> {
        Self::compare(field, need, self.left_to_keep())
    }

    /// Returns the bytes that can still be kept.
    pub(super) fn left_to_keep(&self) -> usize {
        self.left(self.options.max_bytes - self.options.max_bytes / SPARE_SHARE)
    }

    /// Checks whether a call that needs `need` bytes for its duration stays within the bound. A
    /// full index can still be searched.
    ///
    /// # Errors
    /// `out_of_memory` if it does not.
    #[inline(never)]
    pub fn afford_for_now(&self, field: &str, need: usize) -> Result<()> {
        Self::compare(field, need, self.room())
    }

    /// Checks whether a snapshot can take `need` bytes for its duration. A full index can still be
    /// saved: a snapshot does not count against the bound, but only against the bytes that a 32-bit
    /// module can address.
    ///
    /// # Errors
    /// `out_of_memory` if it cannot.
    #[inline(never)]
    pub fn afford_snapshot(&self, need: usize) -> Result<()> {
        Self::compare("snapshot", need, self.left(self.options.max_bytes.max(MAX_ADDRESSED)))
    }

    pub(super) fn compare(field: &str, need: usize, left: usize) -> Result<()> {
        if need <= left {
            return Ok(());
        }
        let problem =
            format!("could need {} MiB more, and {} are left", need.div_ceil(1 << 20), left >> 20);
        Err(Error::memory(field, problem))
    }

    /// Returns the bytes left for the duration of a call, less the share for fragmentation.
    pub(super) fn room(&self) -> usize {
        self.left(self.options.max_bytes - self.options.max_bytes / PIECES_SHARE)
    }

    pub(super) fn left(&self, max: usize) -> usize {
        let kept = self.nodes_capacity()
            + self.graph.capacity_bytes()
            + self.vectors.capacity_bytes()
            + self.answering.bytes();
        max.saturating_sub(kept + self.elsewhere)
    }

    fn nodes_capacity(&self) -> usize {
        let counts = self.graph.inbound_counts();
        let names: usize = self.all_names().map(Names::capacity_bytes).sum();
        let named = names + self.labels.capacity_bytes();
        self.nodes.capacity_bytes() + self.due.capacity_bytes() + counts.capacity_bytes() + named
    }
}
