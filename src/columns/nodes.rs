//! The columns of the nodes of a memory index: 62 bytes each, 70 if the index keeps salience.

use super::graph::Row;
use super::names::NO_LABELS;
use super::{Column, MAX_SEQUENCE};
use crate::decay::Lifecycle;
use crate::order::sort_descending;
use crate::salience::NEUTRAL;
use crate::section::Section;

/// A lifecycle state as databases store it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredState {
    /// A state that decay computes.
    Living(Lifecycle),
    /// A state of old databases only. Sweeps skip it.
    Deleted,
}

impl StoredState {
    /// The number of states. Codes are below it.
    pub const COUNT: u8 = 6;

    /// Returns the name in data.
    pub fn name(self) -> &'static str {
        match self {
            Self::Living(state) => state.name(),
            Self::Deleted => "DELETED",
        }
    }

    /// Returns the code: that of the lifecycle state, or the one after the last.
    pub fn code(self) -> u8 {
        match self {
            Self::Living(state) => state as u8,
            Self::Deleted => Self::COUNT - 1,
        }
    }

    /// Returns the state of a code, or `None` for an unknown code.
    pub fn from_code(code: u8) -> Option<Self> {
        match Lifecycle::ALL.get(usize::from(code)) {
            Some(&state) => Some(Self::Living(state)),
            None => (code == Self::Deleted.code()).then_some(Self::Deleted),
        }
    }
}

/// A node as the columns store it. Instants are milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Its place in every order, at most [`MAX_SEQUENCE`].
    pub sequence: u64,
    /// The instant of its creation.
    pub created_at: f64,
    /// The instant of its last access; that of its creation if it was never accessed.
    pub last_accessed: f64,
    /// The time constant of its decay, in days; 0 or less means forgotten at once.
    pub stability: f64,
    /// In [0, 1], as stored.
    pub retrievability: f64,
    /// In [0, 1].
    pub difficulty: f64,
    /// In [0, 1]; [`NEUTRAL`] in an index that keeps no salience.
    pub salience: f64,
    /// The number of its accesses.
    pub access_count: u32,
    /// The code of its type.
    pub node_type: u16,
    /// The code of its subtype; 0 stands for no subtype.
    pub subtype: u16,
    /// The section of its subtype.
    pub section: Section,
    /// Its lifecycle state, as stored.
    pub state: StoredState,
    /// The number of its set of tags and clusters in [`LabelSets`](super::LabelSets).
    pub labels: u32,
}

/// The state code of a row without a node.
const ABSENT: u8 = 7;

/// The section code of a row without a node. Its two low bits are still a valid section.
pub(crate) const NO_SECTION: u8 = 4;

/// The nodes of an index, by row. Rows of removed nodes are used again.
#[derive(Debug, Default)]
pub struct Nodes {
    sequence: Column<u64>,
    /// Instants of creation, in milliseconds since 1970.
    pub created_at: Column<f64>,
    last_accessed: Column<f64>,
    /// Days.
    pub stability: Column<f64>,
    /// In [0, 1], as stored.
    pub retrievability: Column<f64>,
    /// In [0, 1].
    pub difficulty: Column<f64>,
    /// `None` if the index keeps no salience.
    salience: Option<Column<f64>>,
    /// Numbers of accesses.
    pub access_count: Column<u32>,
    /// Codes of types.
    pub node_type: Column<u16>,
    /// Codes of subtypes; 0 stands for no subtype.
    pub subtype: Column<u16>,
    /// Codes of sections; 4 in a row without a node.
    pub section: Column<u8>,
    state: Column<u8>,
    /// Numbers of sets of tags and clusters.
    pub labels: Column<u32>,
    free: Vec<Row>,
    /// Whether rows are not in order of sequence.
    out_of_order: bool,
    /// No access is later than this.
    latest_access: f64,
    last_sequence: Option<u64>,
    next_sequence: u64,
}

impl Nodes {
    /// Creates an empty list of nodes, with or without salience.
    pub fn new(keeps_salience: bool) -> Self {
        Self { salience: keeps_salience.then(Column::default), ..Self::default() }
    }

    /// Whether the index keeps salience.
    pub fn keeps_salience(&self) -> bool {
        self.salience.is_some()
    }

    /// Returns the number of nodes.
    pub fn count(&self) -> usize {
        self.rows() - self.free.len()
    }

    /// Returns the number of rows, with a node or without.
    pub fn rows(&self) -> usize {
        self.state.len()
    }

    /// Returns the number of free rows.
    pub fn free_rows(&self) -> usize {
        self.free.len()
    }

    /// Whether a row has a node.
    #[inline(always)]
    pub fn has(&self, row: Row) -> bool {
        (row as usize) < self.rows() && self.state.at(row as usize) != ABSENT
    }

    /// Returns the node of a row, or `None` if the row has no node.
    pub fn get(&self, row: Row) -> Option<Node> {
        if !self.has(row) {
            return None;
        }
        let place = row as usize;
        Some(Node {
            sequence: self.sequence.get(place),
            created_at: self.created_at.get(place),
            last_accessed: self.last_accessed.get(place),
            stability: self.stability.get(place),
            retrievability: self.retrievability.get(place),
            difficulty: self.difficulty.get(place),
            salience: self.salience(row),
            access_count: self.access_count.get(place),
            node_type: self.node_type.get(place),
            subtype: self.subtype.get(place),
            section: Section::from_code(self.section.get(place)).unwrap_or(Section::Knowledge),
            state: self.state(row),
            labels: self.labels.get(place),
        })
    }

    /// Returns the sequence number of a node.
    #[inline(always)]
    pub fn sequence(&self, row: Row) -> u64 {
        self.sequence.get(row as usize)
    }

    /// Returns the salience of a node, or [`NEUTRAL`] if the index keeps none.
    pub fn salience(&self, row: Row) -> f64 {
        self.salience.as_ref().map_or(NEUTRAL, |salience| salience.get(row as usize))
    }

    /// Returns the stored state of a node.
    #[inline(always)]
    pub fn state(&self, row: Row) -> StoredState {
        StoredState::from_code(self.state.get(row as usize)).unwrap_or(StoredState::Deleted)
    }

    /// Changes the stored state of a node.
    pub fn set_state(&mut self, row: Row, state: StoredState) {
        self.state.set(row as usize, state.code());
    }

    /// Returns the codes of stored states, by row. The code of a row without a node is not a
    /// state's.
    pub fn states(&self) -> &Column<u8> {
        &self.state
    }

    /// Returns the last accesses, by row.
    pub fn last_accessed(&self) -> &Column<f64> {
        &self.last_accessed
    }

    /// Changes the last access of a node.
    pub fn set_last_accessed(&mut self, row: Row, instant: f64) {
        self.note_access(instant);
        self.last_accessed.set(row as usize, instant);
    }

    /// Whether no access is later than an instant. May return false although it is true, if the
    /// node with the latest access was removed.
    pub fn accessed_by(&self, instant: f64) -> bool {
        self.latest_access <= instant
    }

    fn note_access(&mut self, instant: f64) {
        self.latest_access = self.latest_access.max(instant);
    }

    /// Adds a node. Returns its row.
    pub fn add(&mut self, node: &Node) -> Row {
        let Some(row) = self.free.pop() else {
            self.created_at.push(node.created_at);
            self.note_access(node.last_accessed);
            self.last_accessed.push(node.last_accessed);
            self.stability.push(node.stability);
            self.retrievability.push(node.retrievability);
            self.difficulty.push(node.difficulty);
            if let Some(salience) = &mut self.salience {
                salience.push(node.salience);
            }
            self.access_count.push(node.access_count);
            self.node_type.push(node.node_type);
            self.subtype.push(node.subtype);
            self.section.push(node.section as u8);
            self.state.push(node.state.code());
            self.labels.push(node.labels);
            self.sequence.push(node.sequence);
            self.out_of_order |= self.last_sequence.is_some_and(|last| node.sequence < last);
            self.last_sequence = self.last_sequence.max(Some(node.sequence));
            self.count_sequences_to(node.sequence + 1);
            return self.rows() as Row - 1;
        };
        self.out_of_order = true;
        self.write(row, node);
        row
    }

    /// Replaces the node of a row.
    pub fn set(&mut self, row: Row, node: &Node) {
        self.out_of_order |= node.sequence != self.sequence(row);
        self.write(row, node);
    }

    fn write(&mut self, row: Row, node: &Node) {
        let place = row as usize;
        self.last_sequence = self.last_sequence.max(Some(node.sequence));
        self.count_sequences_to(node.sequence + 1);
        self.sequence.set(place, node.sequence);
        self.created_at.set(place, node.created_at);
        self.set_last_accessed(row, node.last_accessed);
        self.stability.set(place, node.stability);
        self.retrievability.set(place, node.retrievability);
        self.difficulty.set(place, node.difficulty);
        if let Some(salience) = &mut self.salience {
            salience.set(place, node.salience);
        }
        self.access_count.set(place, node.access_count);
        self.node_type.set(place, node.node_type);
        self.subtype.set(place, node.subtype);
        self.section.set(place, node.section as u8);
        self.state.set(place, node.state.code());
        self.labels.set(place, node.labels);
    }

    /// Removes the node of a row.
    pub fn remove(&mut self, row: Row) {
        self.state.set(row as usize, ABSENT);
        self.section.set(row as usize, NO_SECTION);
        self.labels.set(row as usize, NO_LABELS);
        self.free.push(row);
    }

    /// Returns the default sequence number of the next node.
    pub fn next_sequence(&self) -> u64 {
        self.next_sequence
    }

    /// Marks sequence numbers below `next` as used.
    pub fn count_sequences_to(&mut self, next: u64) {
        self.next_sequence = self.next_sequence.max(next).min(MAX_SEQUENCE);
    }

    /// Whether the order of rows differs from that of sequence numbers.
    pub fn is_out_of_order(&self) -> bool {
        self.out_of_order
    }

    /// Sorts rows by sequence number.
    pub fn sort(&self, rows: &mut [Row]) {
        self.sort_places(rows, &|row| row);
    }

    /// Sorts places of a list by the sequence number of their rows.
    pub fn sort_places(&self, places: &mut [u32], row_at: &dyn Fn(u32) -> Row) {
        if self.out_of_order {
            // Sequence numbers are below 2⁵³.
            sort_descending(places, |&place| -(self.sequence(row_at(place)) as f64));
        }
    }

    /// Returns all rows with a node, by sequence number.
    pub fn in_order(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = (0..self.rows() as Row).filter(|&row| self.has(row)).collect();
        self.sort(&mut rows);
        rows
    }

    /// The bytes of a node in the columns that always exist.
    const BYTES: usize = 6 * 8 + 2 * 4 + 2 * 2 + 2;

    /// Returns the bytes of a node in the columns.
    pub fn bytes_each(&self) -> usize {
        Self::BYTES + if self.keeps_salience() { size_of::<f64>() } else { 0 }
    }

    /// Returns the allocated bytes. All columns grow alike.
    pub fn capacity_bytes(&self) -> usize {
        self.sequence.capacity_bytes() / size_of::<u64>() * self.bytes_each()
            + self.free.capacity() * size_of::<Row>()
    }

    /// Returns the most bytes that `more` nodes can take beyond the allocated ones.
    pub fn need(&self, more: usize) -> usize {
        (self.sequence.need(more.saturating_sub(self.free.len())) / size_of::<u64>())
            .saturating_mul(self.bytes_each())
    }
}
