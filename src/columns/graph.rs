//! The edges of a memory index: for each node its neighbours in both directions, in the order in
//! which the edges were added.
//!
//! An edge is stored in one slot and named in two lists, that of its source and that of its target
//! (a self-loop in one). The lists of all nodes follow each other (compressed adjacency), which
//! makes them fast to walk and slow to change. So recent edges wait in a short tail, and are folded
//! in when the tail exceeds a share of all edges.

use rustc_hash::FxHashMap;

use super::{Column, MAX_SEQUENCE};
use crate::order::sort_descending;

/// The place of a node in the columns.
pub type Row = u32;

/// An edge between two nodes of the index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The row that it leads from.
    pub source: Row,
    /// The row that it leads to.
    pub target: Row,
    /// The code of its type.
    pub edge_type: u16,
    /// In [0, 1]. Grows when both ends are recalled together.
    pub strength: f64,
    /// Its place in the order of edges.
    pub sequence: u64,
}

/// An edge as seen from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The row of the other end, or of the node itself for a self-loop.
    pub row: Row,
    /// The slot of the edge.
    pub edge: u32,
}

/// The source of a slot without an edge.
const NO_NODE: Row = Row::MAX;
/// The end of a chain.
const END: u32 = u32::MAX;
/// The tail is folded in when it is longer than this and than a share of all edges and rows.
const SHORT_TAIL: usize = 256;
const TAIL_SHARE: usize = 16;
/// The lists are also folded when they name more removed edges than this share, which every walk
/// has to skip.
const REMOVED_SHARE: usize = 4;

/// The edges of an index.
#[derive(Debug, Default)]
pub struct Graph {
    sources: Column<Row>,
    targets: Column<Row>,
    types: Column<u16>,
    strengths: Column<f64>,
    sequences: Column<u64>,
    /// Slots that can be used again.
    free: Vec<u32>,
    /// Slots of removed edges that lists still name.
    removed: Vec<u32>,
    /// The start of each row's list in `folded`, and at the end that of the last list's end.
    starts: Vec<u32>,
    /// Slots of edges, row by row, each list in order of sequence.
    folded: Vec<u32>,
    /// The lists of edges not yet folded, in order of sequence: for each row the first and last of
    /// its links.
    tail: FxHashMap<Row, (u32, u32)>,
    links: Vec<ChainLink>,
    /// The highest sequence number so far, and of equal ones the highest slot. An edge below it
    /// belongs between others, which needs a fold.
    last: Option<(u64, u32)>,
    next_sequence: u64,
    inbound: Column<u32>,
    changes: u64,
}

/// An edge in a chain, and the next link.
#[derive(Clone, Copy, Debug)]
struct ChainLink {
    slot: u32,
    next: u32,
}

impl Graph {
    /// Returns the number of edges.
    pub fn len(&self) -> usize {
        self.sources.len() - self.free.len() - self.removed.len()
    }

    /// Whether there is no edge.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of edges that were added, removed or given a type so far.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns the number of slots, with an edge or without.
    pub fn slots(&self) -> usize {
        self.sources.len()
    }

    /// Returns the edge in a slot, or `None` if the slot has no edge.
    pub fn edge(&self, slot: u32) -> Option<Edge> {
        let place = slot as usize;
        if place >= self.sources.len() || self.sources.get(place) == NO_NODE {
            return None;
        }
        Some(Edge {
            source: self.sources.get(place),
            target: self.targets.get(place),
            edge_type: self.types.get(place),
            strength: self.strengths.get(place),
            sequence: self.sequences.get(place),
        })
    }

    /// Returns the type of the edge in a slot, which must have one.
    #[inline(always)]
    pub fn edge_type(&self, slot: u32) -> u16 {
        self.types.at(slot as usize)
    }

    /// Returns the strength of the edge in a slot, which must have one.
    #[inline(always)]
    pub fn strength(&self, slot: u32) -> f64 {
        self.strengths.at(slot as usize)
    }

    /// Returns the sequence number of the edge in a slot.
    pub fn sequence(&self, slot: u32) -> u64 {
        self.sequences.get(slot as usize)
    }

    /// Returns the default sequence number of the next edge.
    pub fn next_sequence(&self) -> u64 {
        self.next_sequence
    }

    /// Marks sequence numbers below `next` as used.
    pub fn count_sequences_to(&mut self, next: u64) {
        self.next_sequence = self.next_sequence.max(next).min(MAX_SEQUENCE);
    }

    /// Returns the number of edges that lead to a node.
    #[inline(always)]
    pub fn inbound(&self, row: Row) -> u32 {
        if (row as usize) < self.inbound.len() { self.inbound.at(row as usize) } else { 0 }
    }

    /// Returns the number of edges that lead to each node, up to the last row with an edge or with
    /// reserved room.
    pub fn inbound_counts(&self) -> &Column<u32> {
        &self.inbound
    }

    /// Reserves counts for this many rows.
    pub fn add_rows(&mut self, rows: usize) {
        while self.inbound.len() < rows {
            self.inbound.push(0);
        }
    }

    /// Adds an edge. Returns its slot.
    pub fn add(&mut self, edge: Edge) -> u32 {
        self.add_all(&[edge])[0]
    }

    /// Adds edges. Returns their slots.
    pub fn add_all(&mut self, edges: &[Edge]) -> Vec<u32> {
        let tail_length = self.links.len() / 2 + edges.len();
        // Folding takes time proportional to all edges and rows.
        let mut fold = tail_length > self.longest_tail(self.sources.len());
        let mut slots = Vec::with_capacity(edges.len());
        for edge in edges {
            let slot = self.put(edge);
            slots.push(slot);
            let place = (edge.sequence, slot);
            fold |= self.last.is_some_and(|last| place < last);
            self.last = self.last.max(Some(place));
            self.count_sequences_to(edge.sequence + 1);
            if !fold {
                ends(edge.source, edge.target).for_each(|row| self.append(row, slot));
            }
        }
        if fold {
            self.fold();
        }
        slots
    }

    /// Returns the longest tail for this many edges.
    fn longest_tail(&self, edges: usize) -> usize {
        SHORT_TAIL.max((edges + self.inbound.len()) / TAIL_SHARE)
    }

    fn put(&mut self, edge: &Edge) -> u32 {
        self.changes += 1;
        self.add_rows(edge.source.max(edge.target) as usize + 1);
        let target = edge.target as usize;
        self.inbound.set(target, self.inbound.get(target) + 1);
        let Some(slot) = self.free.pop() else {
            self.sources.push(edge.source);
            self.targets.push(edge.target);
            self.types.push(edge.edge_type);
            self.strengths.push(edge.strength);
            self.sequences.push(edge.sequence);
            return self.sources.len() as u32 - 1;
        };
        let place = slot as usize;
        self.sources.set(place, edge.source);
        self.targets.set(place, edge.target);
        self.types.set(place, edge.edge_type);
        self.strengths.set(place, edge.strength);
        self.sequences.set(place, edge.sequence);
        slot
    }

    /// Appends an edge to the chain of a row.
    fn append(&mut self, row: Row, slot: u32) {
        let link = self.links.len() as u32;
        self.links.push(ChainLink { slot, next: END });
        let (_, last) = self.tail.entry(row).or_insert((link, link));
        let before = std::mem::replace(last, link);
        if before != link {
            self.links[before as usize].next = link;
        }
    }

    /// Changes the type of an edge.
    pub fn set_type(&mut self, slot: u32, edge_type: u16) {
        self.types.set(slot as usize, edge_type);
        self.changes += 1;
    }

    /// Changes the strength of an edge.
    pub fn set_strength(&mut self, slot: u32, strength: f64) {
        self.strengths.set(slot as usize, strength);
    }

    /// Removes an edge.
    pub fn remove(&mut self, slot: u32) {
        let Some(edge) = self.edge(slot) else { return };
        self.changes += 1;
        self.sources.set(slot as usize, NO_NODE);
        let target = edge.target as usize;
        self.inbound.set(target, self.inbound.get(target) - 1);
        self.removed.push(slot);
        if self.removed.len() > SHORT_TAIL.max(self.sources.len() / REMOVED_SHARE) {
            self.fold();
        }
    }

    /// Removes all edges of a node. Returns their slots.
    pub fn remove_node(&mut self, row: Row) -> Vec<u32> {
        let slots: Vec<u32> = self.neighbours(row).map(|neighbour| neighbour.edge).collect();
        slots.iter().for_each(|&slot| self.remove(slot));
        slots
    }

    /// Returns the neighbours of a node, in the order of their edges.
    #[inline]
    pub fn neighbours(&self, row: Row) -> impl Iterator<Item = Neighbour> {
        let folded = match self.starts.get(row as usize..row as usize + 2) {
            Some(&[start, end]) => &self.folded[start as usize..end as usize],
            _ => &[],
        };
        let chain = Chain {
            links: &self.links,
            next: self.tail.get(&row).map_or(END, |&(first, _)| first),
        };
        folded.iter().copied().chain(chain).filter_map(move |edge| {
            let source = self.sources.at(edge as usize);
            let other = if source == row { self.targets.at(edge as usize) } else { source };
            (source != NO_NODE).then_some(Neighbour { row: other, edge })
        })
    }

    /// Returns the slots of the edges of a type, by sequence number. Looks at every edge.
    pub fn of_type(&self, edge_type: u16) -> Vec<u32> {
        let mut slots: Vec<u32> = (0..self.sources.len())
            .filter(|&slot| self.types.get(slot) == edge_type && self.sources.get(slot) != NO_NODE)
            .map(|slot| slot as u32)
            .collect();
        self.sort(&mut slots);
        slots
    }

    /// Sorts slots by sequence number.
    #[inline(never)]
    pub fn sort(&self, slots: &mut [u32]) {
        // Sequence numbers are below 2⁵³.
        sort_descending(slots, |&slot| -(self.sequence(slot) as f64));
    }

    /// Returns the slots of all edges, by sequence number.
    pub fn in_order(&self) -> Vec<u32> {
        let mut slots: Vec<u32> = (0..self.sources.len() as u32)
            .filter(|&slot| self.sources.get(slot as usize) != NO_NODE)
            .collect();
        self.sort(&mut slots);
        slots
    }

    /// Rewrites all lists in order of sequence. Slots of removed edges can be used again
    /// afterwards.
    fn fold(&mut self) {
        self.free.append(&mut self.removed);
        (self.tail, self.links) = Default::default();
        // Frees the old lists before it allocates the new ones.
        (self.starts, self.folded) = Default::default();
        let slots = self.in_order();
        let mut starts = vec![0_u32; self.inbound.len() + 1];
        let rows_of =
            |slot: u32| ends(self.sources.at(slot as usize), self.targets.at(slot as usize));
        for &slot in &slots {
            rows_of(slot).for_each(|row| starts[row as usize + 1] += 1);
        }
        for row in 1..starts.len() {
            starts[row] += starts[row - 1];
        }
        let mut folded = vec![0; starts.last().map_or(0, |&end| end as usize)];
        // Fills each list from the back, so that its start moves from its end to its place.
        let mut ends_of: Vec<u32> = starts[1..].to_vec();
        for &slot in slots.iter().rev() {
            for row in rows_of(slot) {
                let place = &mut ends_of[row as usize];
                *place -= 1;
                folded[*place as usize] = slot;
            }
        }
        (self.starts, self.folded) = (starts, folded);
    }

    /// Returns the bytes of the edges and their lists, without the counts of nodes.
    pub fn bytes(&self) -> usize {
        let lists = size_of_val(&self.folded[..]) + size_of_val(&self.starts[..]);
        self.sources.len() * Self::BYTES + lists + self.tail_bytes()
    }

    /// Returns the allocated bytes. All columns grow alike.
    pub fn capacity_bytes(&self) -> usize {
        let lists = (self.folded.capacity() + self.starts.capacity()) * size_of::<u32>();
        self.sources.capacity_bytes() / size_of::<Row>() * Self::BYTES + lists + self.tail_bytes()
    }

    /// The bytes of an edge in the columns.
    const BYTES: usize =
        2 * size_of::<Row>() + size_of::<u16>() + size_of::<f64>() + size_of::<u64>();

    fn tail_bytes(&self) -> usize {
        let lists = (self.free.capacity() + self.removed.capacity()) * size_of::<u32>();
        lists
            + self.links.capacity() * size_of::<ChainLink>()
            + self.tail.capacity() * BYTES_A_CHAIN
    }

    /// Returns the most bytes that `more` edges of an index of `rows` rows can take beyond the
    /// allocated ones, folding included.
    pub fn need(&self, more: usize, rows: usize) -> usize {
        let columns = (self.sources.need(more) / size_of::<Row>()).saturating_mul(Self::BYTES);
        let edges = self.sources.len() + more;
        // Folding takes the slots in order and the scratch of their sort, the lists, and the starts
        // twice.
        let folding = edges * (3 * size_of::<u32>() + 24) + (rows + 1) * 3 * size_of::<u32>();
        // The tail holds at most a share of all edges, two links each, and grows by doubling.
        let tail_edges = self.longest_tail(edges);
        let tail = 2 * 2 * tail_edges * (size_of::<ChainLink>() + 2 * BYTES_A_CHAIN);
        let inbound = self.inbound.need(rows.saturating_sub(self.inbound.len()));
        columns.saturating_add(folding + tail + inbound)
    }
}

/// Bytes of a place in the tail's map, including the free share of maps.
const BYTES_A_CHAIN: usize = 16;

/// The links of one chain.
struct Chain<'a> {
    links: &'a [ChainLink],
    next: u32,
}

impl Iterator for Chain<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.next == END {
            return None;
        }
        let ChainLink { slot, next } = self.links[self.next as usize];
        self.next = next;
        Some(slot)
    }
}

/// Returns the nodes whose lists name an edge: both ends, or one for a self-loop.
fn ends(source: Row, target: Row) -> impl Iterator<Item = Row> + use<> {
    let second = (target != source).then_some(target);
    std::iter::once(source).chain(second)
}
