//! The edges of a resident memory: for each node its neighbours in both directions, in the order in which the edges came.
//!
//! An edge stands in one slot and is named in two lists, that of its source and that of its target (a self-loop in one).
//! The lists of all nodes lie one behind the other (compressed adjacency), which is quick to walk and costs to change; so
//! recent edges wait in a short tail, and are folded in when the tail has grown to a share of the whole.

use std::collections::HashMap;

/// A node's place in the columns.
pub type Row = u32;

/// An edge between two nodes that are there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Where it comes from.
    pub source: Row,
    /// Where it leads.
    pub target: Row,
    /// The code of its type.
    pub edge_type: u16,
    /// In [0, 1]; grows when both ends are recalled together.
    pub strength: f64,
    /// Its place in the order of creation.
    pub sequence: u64,
}

/// An edge as one of its ends sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The other end; the node itself for a self-loop.
    pub row: Row,
    /// The slot of the edge.
    pub edge: u32,
}

/// A slot without an edge.
const NOBODY: Row = Row::MAX;
/// The tail is folded in when it is longer than this and than a share of what is folded.
const SHORT_TAIL: usize = 256;
const TAIL_SHARE: usize = 8;

/// All edges of a memory.
#[derive(Debug, Default)]
pub struct Graph {
    edges: Vec<Edge>,
    /// Slots that can be taken again.
    free: Vec<u32>,
    /// Slots of removed edges that lists still name.
    removed: Vec<u32>,
    /// Where each row's list begins in `folded`; one more entry for the end of the last.
    starts: Vec<u32>,
    /// Slots of edges, row by row, each list in order of sequence.
    folded: Vec<u32>,
    /// Slots of edges not yet folded, in order of sequence, by row.
    tail: HashMap<Row, Vec<u32>>,
    tail_edges: usize,
    /// The highest sequence number so far; an edge below it comes between others, which only folding can do.
    last_sequence: Option<u64>,
    inbound: Vec<u32>,
}

impl Graph {
    /// How many edges there are.
    pub fn len(&self) -> usize {
        self.edges.len() - self.free.len() - self.removed.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The edge in a slot, if there is one.
    pub fn edge(&self, slot: u32) -> Option<&Edge> {
        self.edges.get(slot as usize).filter(|edge| edge.source != NOBODY)
    }

    /// How many edges lead to a node.
    pub fn inbound(&self, row: Row) -> u32 {
        self.inbound.get(row as usize).copied().unwrap_or(0)
    }

    /// Adds an edge and gives its slot.
    pub fn add(&mut self, edge: Edge) -> u32 {
        let slot = match self.free.pop() {
            Some(slot) => {
                self.edges[slot as usize] = edge;
                slot
            }
            None => {
                self.edges.push(edge);
                self.edges.len() as u32 - 1
            }
        };
        let rows = edge.source.max(edge.target) as usize + 1;
        if self.inbound.len() < rows {
            self.inbound.resize(rows, 0);
        }
        self.inbound[edge.target as usize] += 1;
        for row in ends(&edge) {
            self.tail.entry(row).or_default().push(slot);
        }
        self.tail_edges += 1;
        let between = self.last_sequence.is_some_and(|last| edge.sequence < last);
        self.last_sequence = self.last_sequence.max(Some(edge.sequence));
        if between || self.tail_edges > SHORT_TAIL.max(self.edges.len() / TAIL_SHARE) {
            self.fold();
        }
        slot
    }

    /// Changes the strength of an edge.
    pub fn set_strength(&mut self, slot: u32, strength: f64) {
        self.edges[slot as usize].strength = strength;
    }

    /// Removes an edge.
    pub fn remove(&mut self, slot: u32) {
        let Some(&edge) = self.edge(slot) else { return };
        self.edges[slot as usize].source = NOBODY;
        self.inbound[edge.target as usize] -= 1;
        self.removed.push(slot);
    }

    /// Removes all edges of a node and gives their slots.
    pub fn remove_node(&mut self, row: Row) -> Vec<u32> {
        let slots: Vec<u32> = self.neighbours(row).map(|neighbour| neighbour.edge).collect();
        slots.iter().for_each(|&slot| self.remove(slot));
        slots
    }

    /// The neighbours of a node, in the order in which the edges were created.
    pub fn neighbours(&self, row: Row) -> impl Iterator<Item = Neighbour> {
        let folded = match self.starts.get(row as usize..row as usize + 2) {
            Some(&[start, end]) => &self.folded[start as usize..end as usize],
            _ => &[],
        };
        let tail = self.tail.get(&row).map_or(&[][..], Vec::as_slice);
        folded.iter().chain(tail).filter_map(move |&slot| {
            let edge = self.edge(slot)?;
            Some(Neighbour { row: if edge.source == row { edge.target } else { edge.source }, edge: slot })
        })
    }

    /// Writes all lists anew, each in order of sequence; slots of removed edges can be taken again from now on.
    fn fold(&mut self) {
        self.free.append(&mut self.removed);
        self.tail.clear();
        self.tail_edges = 0;
        let mut slots: Vec<u32> = (0..self.edges.len() as u32).filter(|&slot| self.edge(slot).is_some()).collect();
        slots.sort_unstable_by_key(|&slot| (self.edges[slot as usize].sequence, slot));
        let mut starts = vec![0; self.inbound.len() + 1];
        for &slot in &slots {
            ends(&self.edges[slot as usize]).for_each(|row| starts[row as usize + 1] += 1);
        }
        for row in 1..starts.len() {
            starts[row] += starts[row - 1];
        }
        let mut next = starts.clone();
        let mut folded = vec![0; starts.last().map_or(0, |&end| end as usize)];
        for &slot in &slots {
            for row in ends(&self.edges[slot as usize]) {
                let place = &mut next[row as usize];
                folded[*place as usize] = slot;
                *place += 1;
            }
        }
        (self.starts, self.folded) = (starts, folded);
    }
}

/// The nodes whose lists name an edge: both its ends, once where they are the same.
fn ends(edge: &Edge) -> impl Iterator<Item = Row> + use<> {
    let second = (edge.target != edge.source).then_some(edge.target);
    std::iter::once(edge.source).chain(second)
}
