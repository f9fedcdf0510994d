//! The columns of the nodes of a memory index: 62 bytes each, 70 if the index keeps salience.

use super::graph::Row;
use super::names::NO_LABELS;
use super::{Column, MOST_SEQUENCE};
use crate::decay::Lifecycle;
use crate::order::sort_descending;
use crate::salience::NEUTRAL;
use crate::section::Section;

/// A lifecycle as databases hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredState {
    /// One that decay knows.
    Living(Lifecycle),
    /// A state that only old databases have; no sweep touches it.
    Deleted,
}

impl StoredState {
    /// How many states there are, each with a code below this.
    pub const COUNT: u8 = 6;

    /// The name used in data.
    pub fn name(self) -> &'static str {
        match self {
            Self::Living(state) => state.name(),
            Self::Deleted => "DELETED",
        }
    }

    /// The code: that of the lifecycle, or the one after the last.
    pub fn code(self) -> u8 {
        match self {
            Self::Living(state) => state as u8,
            Self::Deleted => Self::COUNT - 1,
        }
    }

    /// The state of a code, if there is one.
    pub fn from_code(code: u8) -> Option<Self> {
        match Lifecycle::ALL.get(usize::from(code)) {
            Some(&state) => Some(Self::Living(state)),
            None => (code == Self::Deleted.code()).then_some(Self::Deleted),
        }
    }
}

/// A node as the columns hold it. Instants are milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Its place in every order, at most [`MOST_SEQUENCE`].
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

/// The code in the column of states for a row without a node.
const ABSENT: u8 = 7;

/// The code in the column of sections for such a row: its lowest bits are those of a section all
/// the same.
pub(crate) const NO_SECTION: u8 = 4;

/// All nodes, by row; rows of removed ones are taken again.
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
    /// None where salience is not kept.
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
    /// No nodes yet, of which the salience will be kept or not.
    pub fn new(keeps_salience: bool) -> Self {
        Self { salience: keeps_salience.then(Column::default), ..Self::default() }
    }

    /// Whether the salience of nodes is kept.
    pub fn keeps_salience(&self) -> bool {
        self.salience.is_some()
    }

    /// How many nodes there are.
    pub fn count(&self) -> usize {
        self.rows() - self.free.len()
    }

    /// How many rows there are, with a node or without.
    pub fn rows(&self) -> usize {
        self.state.len()
    }

    /// How many rows can be taken again.
    pub fn free_rows(&self) -> usize {
        self.free.len()
    }

    /// Whether there is a node in a row.
    #[inline(always)]
    pub fn has(&self, row: Row) -> bool {
        (row as usize) < self.rows() && self.state.at(row as usize) != ABSENT
    }

    /// The node of a row, if there is one.
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

    /// Its place in every order.
    #[inline(always)]
    pub fn sequence(&self, row: Row) -> u64 {
        self.sequence.get(row as usize)
    }

    /// How much was at stake in a node; [`NEUTRAL`] where it is not kept.
    pub fn salience(&self, row: Row) -> f64 {
        self.salience.as_ref().map_or(NEUTRAL, |salience| salience.get(row as usize))
    }

    /// The stored state of a node.
    #[inline(always)]
    pub fn state(&self, row: Row) -> StoredState {
        StoredState::from_code(self.state.get(row as usize)).unwrap_or(StoredState::Deleted)
    }

    /// Changes the stored state of a node.
    pub fn set_state(&mut self, row: Row, state: StoredState) {
        self.state.set(row as usize, state.code());
    }

    /// The codes of stored states, by row; a row without a node has one that is no state's.
    pub fn states(&self) -> &Column<u8> {
        &self.state
    }

    /// Last accesses, by row.
    pub fn last_accessed(&self) -> &Column<f64> {
        &self.last_accessed
    }

    /// Changes the last access of a node.
    pub fn set_last_accessed(&mut self, row: Row, instant: f64) {
        self.know_of_access(instant);
        self.last_accessed.set(row as usize, instant);
    }

    /// Whether no access is later than an instant. False is no promise: what was later may be gone.
    pub fn accessed_by(&self, instant: f64) -> bool {
        self.latest_access <= instant
    }

    fn know_of_access(&mut self, instant: f64) {
        self.latest_access = self.latest_access.max(instant);
    }

    /// Adds a node and gives its row.
    pub fn add(&mut self, node: &Node) -> Row {
        let Some(row) = self.free.pop() else {
            self.created_at.push(node.created_at);
            self.know_of_access(node.last_accessed);
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

    /// The sequence number of the next node that is given none.
    pub fn next_sequence(&self) -> u64 {
        self.next_sequence
    }

    /// Says that numbers below this have been given, whatever became of their nodes.
    pub fn count_sequences_to(&mut self, next: u64) {
        self.next_sequence = self.next_sequence.max(next).min(MOST_SEQUENCE);
    }

    /// Whether rows are not in the order of sequence.
    pub fn is_out_of_order(&self) -> bool {
        self.out_of_order
    }

    /// Puts rows into the order of sequence.
    pub fn sort(&self, rows: &mut [Row]) {
        self.sort_places(rows, &|row| row);
    }

    /// Puts the places of a list into the order of sequence of the rows that stand there.
    pub fn sort_places(&self, places: &mut [u32], row_at: &dyn Fn(u32) -> Row) {
        if self.out_of_order {
            // Numbers that are given are below 2⁵³.
            sort_descending(places, |&place| -(self.sequence(row_at(place)) as f64));
        }
    }

    /// All rows with a node, in order of sequence.
    pub fn in_order(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = (0..self.rows() as Row).filter(|&row| self.has(row)).collect();
        self.sort(&mut rows);
        rows
    }

    /// Bytes that a node takes in the columns that are always there.
    const BYTES: usize = 6 * 8 + 2 * 4 + 2 * 2 + 2;

    /// Bytes that a node takes in the columns.
    pub fn bytes_each(&self) -> usize {
        Self::BYTES + if self.keeps_salience() { size_of::<f64>() } else { 0 }
    }

    /// Bytes that there is room for: all columns grow alike.
    pub fn capacity_bytes(&self) -> usize {
        self.sequence.capacity_bytes() / size_of::<u64>() * self.bytes_each()
            + self.free.capacity() * size_of::<Row>()
    }

    /// Bytes that `more` nodes can take beyond what there is room for, at most.
    pub fn need(&self, more: usize) -> usize {
        (self.sequence.need(more.saturating_sub(self.free.len())) / size_of::<u64>())
            .saturating_mul(self.bytes_each())
    }
}
